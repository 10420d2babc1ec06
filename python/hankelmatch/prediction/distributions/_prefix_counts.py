"""Counts of what follows frequent prefixes, smoothed by a mixture of automata."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from ._passes import Parameters, TrainingSample
from ._whole_strings import closing_probabilities, drawn_strings

_Floats: TypeAlias = NDArray[np.float64]
_Integers: TypeAlias = NDArray[np.int64]

_MOST_PREFIXES = 1000  # more gain nothing on PAutomaC's problems 1, 31 and 41


class PrefixCounts(NamedTuple):
    """A tree of prefixes, the empty one first, each after its parent, and what follows them in a sample.

    Prefix k is `parents[k]` and then `symbols[k]`; both are -1 for the empty one. `children` has the numbers
    of the prefixes a symbol longer, or -1; shape (n_prefixes, n_symbols). `counts` has how often each symbol
    follows and, last, the end; shape (n_prefixes, n_symbols + 1).
    """

    parents: _Integers
    symbols: _Integers
    children: _Integers
    counts: _Floats


def frequent_prefixes(sample: TrainingSample, n_symbols: int, most: int = _MOST_PREFIXES) -> PrefixCounts:
    """The most frequent prefixes, of those that more than one string begins with; of equal ones the shorter.

    Cost: O(n_symbols) for each of them, and O(1) for each time that one is in the sample.
    """
    levels = list(_levels(sample, n_symbols, most))
    parents, symbols, counts = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    kept = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:most])
    numbers = np.full(len(counts) + 1, -1)  # the last one is for the empty prefix, which has no parent
    numbers[kept] = np.arange(len(kept))
    parents, symbols = numbers[parents[kept]], symbols[kept]
    children = np.full((len(kept), n_symbols), -1)
    children[parents[1:], symbols[1:]] = np.arange(1, len(kept))
    return PrefixCounts(parents, symbols, children, counts[kept])


def _levels(
    sample: TrainingSample, n_symbols: int, most: int
) -> Iterator[tuple[_Integers, _Integers, _Floats]]:
    """Parents, symbols and counts of the prefixes of each length that may be among the most frequent."""
    lengths, least = np.diff(sample.offsets), 1.0
    strings = np.arange(len(lengths))  # those that begin with a prefix of this length ...
    own = np.zeros(len(lengths), np.int64)  # ... and with which
    parents, symbols, totals = np.array([-1]), np.array([-1]), np.zeros(0)
    for length in count():
        followers = np.full(len(strings), n_symbols)
        longer = lengths[strings] > length
        followers[longer] = sample.symbols[sample.offsets[strings[longer]] + length]
        counts = np.zeros((len(parents), n_symbols + 1))
        np.add.at(counts, (own, followers), sample.weights[strings])
        yield parents, symbols, counts
        n_before, totals = len(totals), np.append(totals, counts.sum(axis=1))
        if len(totals) >= most:
            least = max(least, np.partition(totals, -most)[-most])
        places, symbols = np.nonzero(counts[:, :-1] > least)
        if not len(places):
            return
        parents = n_before + places
        numbers = np.full((len(counts), n_symbols), -1)
        numbers[places, symbols] = np.arange(len(places))
        after = numbers[own[longer], followers[longer]]
        strings, own = strings[longer][after >= 0], after[after >= 0]


class Mixture(NamedTuple):
    """Automata with the same symbols, and their weights, which sum to 1."""

    automata: list[Parameters]
    weights: _Floats


class SmoothedCounts:
    """A distribution over strings: what follows a frequent prefix is drawn by its counts and by a mixture.

    After each of these prefixes the symbol or the end has a Dirichlet prior whose mean is the mixture's
    prediction [1]_: it counts for `concentration` strings. A string that leaves the tree goes on as in the
    mixture. So the probability of a string is the mixture's, times a factor that depends on where it leaves.

    Cost: O(n_symbols n_states^2) for each automaton and prefix.

    References
    ----------
    .. [1] D. MacKay, L. Bauman Peto: A hierarchical Dirichlet language model. Natural Language Engineering 1
       (1995).
    """

    def __init__(self, prefixes: PrefixCounts, mixture: Mixture, concentration: float) -> None:
        self._prefixes, self._mixture = prefixes, mixture
        self._in_mixture = _log_followers(prefixes, mixture)
        # Where each follower leads: -1 for those that leave the tree, the end among them.
        self._next = np.append(prefixes.children, np.full((len(prefixes.counts), 1), -1), axis=1)
        self.set_concentration(concentration)

    def set_concentration(self, concentration: float) -> None:
        """Another number of strings that the mixture counts for; infinity leaves only the mixture."""
        parents, symbols, _, counts = self._prefixes
        expected = np.exp(self._in_mixture - logsumexp(self._in_mixture, axis=1, keepdims=True))
        if np.isfinite(concentration):
            totals = counts.sum(axis=1, keepdims=True)
            expected = (counts + concentration * expected) / (totals + concentration)
        self._logs = np.log(expected)
        for k in range(1, len(parents)):
            self._logs[k] += self._logs[parents[k], symbols[k]]

    def log_factors(self, symbols: NDArray[np.int32], offsets: _Integers) -> _Floats:
        """For each string the logarithm of its probability's ratio to that in the mixture.

        A symbol -1 counts as the end.
        """
        lengths = np.diff(offsets)
        places, followers = np.zeros(len(lengths), np.int64), np.full(len(lengths), -1)
        inside = np.arange(len(lengths))
        for length in count():
            inside = inside[lengths[inside] > length]
            if not len(inside):
                break
            followers[inside] = symbols[offsets[inside] + length]
            after = self._next[places[inside], followers[inside]]
            inside, after = inside[after >= 0], after[after >= 0]
            places[inside], followers[inside] = after, -1
        return (self._logs - self._in_mixture)[places, followers]

    def total_mass(self) -> float:
        """The sum of the probabilities of all strings: 1 but for rounding, solved for in each automaton."""
        masses = _log_followers(self._prefixes, self._mixture, closed=True)
        return float(np.exp((masses + self._logs - self._in_mixture)[self._next < 0]).sum())

    def drawn(self, n: int, rng: np.random.Generator) -> list[list[int]]:
        """Strings drawn at random: where each leaves the tree, then what an automaton writes after that."""
        places, followers = np.nonzero(self._next < 0)
        shares = np.exp(self._logs[places, followers])
        chosen = rng.choice(len(places), n, p=shares / shares.sum())
        begun = self._strings()
        strings = [list(begun[place]) for place in places[chosen]]
        goes_on = np.flatnonzero(followers[chosen] < self._prefixes.children.shape[1])
        for i in goes_on:
            strings[i].append(int(followers[chosen[i]]))
        states = self._drawn_states(places[chosen[goes_on]], followers[chosen[goes_on]], rng)
        bounds = self._bounds()
        for begin, end, one in zip(bounds, bounds[1:], self._mixture.automata, strict=False):
            own = np.flatnonzero((begin <= states) & (states < end))
            symbols, offsets = drawn_strings(one, states[own] - begin, rng)
            for i, first, last in zip(goes_on[own], offsets, offsets[1:], strict=False):
                strings[i] += symbols[first:last].tolist()
        return strings

    def _strings(self) -> list[list[int]]:
        """The prefixes."""
        strings: list[list[int]] = [[]]
        for parent, symbol in zip(self._prefixes.parents[1:], self._prefixes.symbols[1:], strict=True):
            strings.append([*strings[parent], int(symbol)])
        return strings

    def _drawn_states(self, places: _Integers, symbols: _Integers, rng: np.random.Generator) -> _Integers:
        """For each prefix and symbol after it a state, of those of all automata in one row."""
        parts = list(_parts(self._prefixes, self._mixture))
        found = np.zeros(len(places), np.int64)
        for place, symbol in sorted(set(zip(places.tolist(), symbols.tolist(), strict=True))):
            scale = self._in_mixture[place, symbol]
            shares = np.concatenate(
                [
                    np.exp(logs[place] - scale) * (states[place] @ one.transitions[symbol])
                    for one, states, logs in parts
                ]
            )
            own = (places == place) & (symbols == symbol)
            found[own] = rng.choice(len(shares), np.count_nonzero(own), p=shares / shares.sum())
        return found

    def automaton(self) -> Parameters:
        """The same distribution as one automaton: a state for each prefix, then those of the mixture."""
        n, n_symbols = self._prefixes.children.shape
        bounds = n + self._bounds()
        transitions = np.zeros((n_symbols, bounds[-1], bounds[-1]))
        logs_given = self._logs - logsumexp(self._logs, axis=1, keepdims=True)
        inside = self._prefixes.children >= 0
        places, symbols = np.nonzero(inside)
        transitions[symbols, places, self._prefixes.children[inside]] = np.exp(logs_given)[:, :-1][inside]
        factors = np.where(inside, -np.inf, (logs_given - self._in_mixture)[:, :-1])
        parts = _parts(self._prefixes, self._mixture)
        for (one, states, logs), begin, end in zip(parts, bounds, bounds[1:], strict=False):
            transitions[:, begin:end, begin:end] = one.transitions
            shares = np.exp(factors + logs[:, None])
            transitions[:, :n, begin:end] = shares.T[:, :, None] * (states @ one.transitions)
        initial = np.zeros(bounds[-1])
        initial[0] = 1.0
        final = np.concatenate([np.exp(logs_given[:, -1]), *(one.final for one in self._mixture.automata)])
        return Parameters(initial, final, transitions)

    def _bounds(self) -> _Integers:
        """Where the states of each automaton begin, and the end."""
        return np.cumsum([0, *(len(one.initial) for one in self._mixture.automata)])


def _log_followers(prefixes: PrefixCounts, mixture: Mixture, *, closed: bool = False) -> _Floats:
    """Log-probabilities in a mixture of each prefix followed by each symbol or, last, by the end.

    After a symbol anything may follow; `closed`: anything that ends.
    """
    found = np.full(prefixes.counts.shape, -np.inf)
    for one, states, logs in _parts(prefixes, mixture):
        closing = closing_probabilities(one) if closed else np.ones(len(one.initial))
        after = np.column_stack([states @ (one.transitions @ closing).T, states @ one.final])
        with np.errstate(divide="ignore"):
            found = np.logaddexp(found, logs[:, None] + np.log(after))
    return found


def _parts(prefixes: PrefixCounts, mixture: Mixture) -> Iterator[tuple[Parameters, _Floats, _Floats]]:
    """Each automaton, distributions of its state after each prefix, and log-probabilities.

    These are those that the mixture draws this automaton and that it writes the prefix.
    """
    n = len(prefixes.parents)
    with np.errstate(divide="ignore"):
        log_weights = np.log(mixture.weights)
    for one, log_weight in zip(mixture.automata, log_weights.tolist(), strict=True):
        states, logs = np.empty((n, len(one.initial))), np.full(n, log_weight)
        states[0] = one.initial
        for k in range(1, n):
            parent = prefixes.parents[k]
            after = states[parent] @ one.transitions[prefixes.symbols[k]]
            total = after.sum()
            states[k], logs[k] = after / total, logs[parent] + np.log(total)
        yield one, states, logs
