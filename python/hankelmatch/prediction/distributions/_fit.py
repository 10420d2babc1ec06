"""The stages of fitting a distribution over strings, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from ..._utils.progress import Progress
from ._baum_welch import Learned, baum_welch
from ._gibbs import drawn_automata
from ._hankel_start import PrefixTree, prefix_tree
from ._passes import STRUCTURES, Parameters, Structure, TrainingSample
from .learn import CONCENTRATION, first_parameters

_Floats: TypeAlias = NDArray[np.float64]

_LAST_STEPS = 10  # of expectation-maximisation, on all sequences
_LEAST_WEIGHT = 0.01  # of a group of automata that is kept
_STANDARD_ERRORS = 2.0  # by which more states must be better to be taken
_TRIAL = 1e11  # multiplications for one number of states, some seconds on a core; then EM stops early
_TRAINING = 1e12  # and for one start with the number of states chosen
_LEAST_STEPS = 25


class Group(NamedTuple):
    """Automata that have one weight together: the result of a start, or what a chain drew."""

    automata: list[Parameters]
    drawn: bool


class Average(NamedTuple):
    """Groups of automata, their weights, and the held-out strings' logarithms by each and by all together."""

    n_states: int
    groups: list[Group]
    weights: _Floats
    each: _Floats
    together: _Floats


class Options(Protocol):
    """What a fit reads of its `StringDistribution`."""

    n_states: int | str | Sequence[int]
    structure: Structure | Literal["auto"]
    max_states: int
    n_starts: int
    n_chains: int
    n_sweeps: int
    max_steps: int
    seed: int


def _best_of(learned: Sequence[Learned]) -> Learned:
    return max(learned, key=lambda one: one.held_out)


class Fit:
    """The stages of one fit, in their order."""

    def __init__(
        self,
        options: Options,
        numbers: list[int],
        n_symbols: int,
        *,
        fitted: TrainingSample,
        held_out: TrainingSample | None,
        progress: Progress,
    ) -> None:
        self._options = options
        self._numbers = numbers
        self._n_symbols = n_symbols
        self._sample = fitted
        self._dev = held_out
        self._progress = progress
        self._tree: PrefixTree = prefix_tree(fitted)
        self.tried: dict[Structure, dict[int, float]] = {}
        self.n_states: int = numbers[0]
        self.structure: Structure = "free"
        found = self._choose_structure()
        self._chosen = self._choose_average(found)
        self.n_states = self._chosen.n_states

    def _choose_structure(self) -> dict[int, list[Learned]]:
        """Chooses it and the number of states; the results of the first starts with each number tried."""
        wanted = self._options.structure
        every = (wanted,) if wanted != "auto" else STRUCTURES if self._dev is not None else STRUCTURES[:1]
        found: dict[Structure, dict[int, list[Learned]]] = {}
        chosen: dict[Structure, int] = {}
        with self._progress.stage("states") as stage:
            for self.structure in every:
                found[self.structure] = self._try_states(stage.show)
                chosen[self.structure] = self._fewest(found[self.structure])
            self.structure = max(every, key=lambda one: _best_of(found[one][chosen[one]]).held_out)
            self.n_states = chosen[self.structure]
            if self._dev is not None:
                self.tried = {
                    one: {n: _best_of(tried[n]).held_out for n in sorted(tried)}
                    for one, tried in found.items()
                }
            tried = "; ".join(f"{one}: {', '.join(map(str, sorted(found[one])))}" for one in every)
            stage.done(
                f"{self.n_states}, {self.structure}, of {tried}",
                n_states=self.n_states,
                structure=self.structure,
                prefixes=self._sample.n_nodes,
            )
        return found[self.structure]

    def _choose_average(self, found: dict[int, list[Learned]]) -> Average:
        """With the number of states chosen, or with the next ones as long as these are clearly better.

        An average of automata bears more states than the single ones that the number was chosen by: on
        PAutomaC's problem 1 the held-out strings have -16.079 nats with 40 states, the choice of single ones,
        and -16.013 with 57. The next number is then not better, but its errors differ, and so both together
        may be: on problem 41 they have -16.8092 with 28 states, -16.8095 with 40 and -16.8089 with both.
        """
        chosen = self._average(self.n_states, found[self.n_states])
        more = sorted(n for n in found if n > self.n_states) if self._dev is not None else []
        for n in more:
            other = self._average(n, found[n])
            if not self._clearly_better(other, chosen):
                both = self._weighed(
                    chosen.n_states, chosen.groups + other.groups, np.concatenate([chosen.each, other.each])
                )
                return both if self._clearly_better(both, chosen) else chosen
            chosen = other
        return chosen

    def _average(self, n_states: int, learned: list[Learned]) -> Average:
        learned = self._more_starts(n_states, learned)
        groups = [Group([one.parameters], drawn=False) for one in learned]
        groups += self._chains(n_states, learned)
        if self._dev is None:
            nothing = np.zeros(0)
            return Average(n_states, groups, np.full(len(groups), 1 / len(groups)), nothing, nothing)
        each = np.stack([_mean_logarithm(self._dev, group.automata) for group in groups])
        return self._weighed(n_states, groups, each)

    def _weighed(self, n_states: int, groups: list[Group], each: _Floats) -> Average:
        """By a step of expectation-maximisation from equal weights on the held-out strings.

        More steps lead to what makes these strings likeliest, often to few groups.
        """
        assert self._dev is not None
        weights = np.full(len(groups), 1 / len(groups))
        joint = each + np.log(weights)[:, None]
        weights = np.exp(joint - logsumexp(joint, axis=0)) @ self._dev.weights / self._dev.total_weight
        return Average(n_states, groups, weights, each, logsumexp(each, axis=0, b=weights[:, None]))

    def _clearly_better(self, one: Average, other: Average) -> bool:
        """Whether the held-out strings are likelier by more than the standard error of the difference."""
        assert self._dev is not None
        gain = one.together - other.together
        return _mean(self._dev, gain) > _mean_error(self._dev, gain)

    @property
    def held_out_score(self) -> float | None:
        """The mean log-probability of the held-out strings."""
        return None if self._dev is None else _mean(self._dev, self._chosen.together)

    def _learn(self, n_states: int, number: int, multiplications: float) -> Learned:
        start = first_parameters(self._tree, n_states, self._n_symbols, number, self._options.seed)
        n_steps = self._steps_within(multiplications, n_states)
        return self._trained(start, n_steps)

    def _trained(self, start: Parameters, n_steps: int) -> Learned:
        return baum_welch(
            self._sample,
            start,
            n_steps,
            CONCENTRATION,
            self._dev,
            structure=self.structure,
            over_relaxed=True,
        )

    def _steps_within(self, multiplications: float, n_states: int) -> int:
        n_steps = max(_LEAST_STEPS, int(multiplications / self._step_cost(n_states)))
        return min(self._options.max_steps, n_steps)

    def _step_cost(self, n_states: int) -> float:
        return 3.0 * self._sample.n_nodes * n_states**2

    def _try_states(self, show: Callable[[str], None]) -> dict[int, list[Learned]]:
        """The results of the first starts with each number of states tried."""
        found: dict[int, list[Learned]] = {}
        for n in self._candidates(found):
            show(f"{n}, {self.structure}")
            heavy = 2 * self._options.max_steps * self._step_cost(n) > _TRIAL
            n_starts = min(1 if heavy else 2, self._options.n_starts)
            found[n] = [self._learn(n, number, _TRIAL) for number in range(n_starts)]
        return found

    def _candidates(self, found: dict[int, list[Learned]]) -> Iterator[int]:
        """Numbers of states; reads what was found for those before."""
        numbers = sorted(set(self._numbers))
        auto = isinstance(self._options.n_states, str)
        best = numbers[0]
        for n in numbers:
            yield n
            best = max(found, key=lambda k: _best_of(found[k]).held_out)
            if auto and n >= 2 * best:
                break
        if auto:
            between = (round(best / np.sqrt(2)), round(best * np.sqrt(2)))
            yield from (n for n in between if 1 <= n <= self._options.max_states and n not in found)

    def _fewest(self, found: dict[int, list[Learned]]) -> int:
        """The least number of states that is not clearly worse on the held-out strings than the best."""
        if self._dev is None or len(found) == 1:
            return min(found)
        dev = self._dev
        logs = {n: dev.log_probabilities(_best_of(found[n]).parameters) for n in found}
        best = max(logs, key=lambda n: _mean(dev, logs[n]))
        losses = {n: logs[best] - logs[n] for n in sorted(found)}
        close = (n for n, x in losses.items() if _mean(dev, x) <= _STANDARD_ERRORS * _mean_error(dev, x))
        return next(close, best)

    def _more_starts(self, n: int, learned: list[Learned]) -> list[Learned]:
        """Results of several starts with n states, the best first."""
        with self._progress.stage("starts") as stage:
            left = self._steps_within(_TRAINING, n) - self._steps_within(_TRIAL, n)
            if left > 0:
                stage.show("the first ones")
                learned = [self._trained_further(one, left) for one in learned]
            n_starts = self._fewer_if_slow(self._options.n_starts, n)
            for number in range(len(learned), n_starts):
                stage.show(f"{number} of {n_starts}")
                learned.append(self._learn(n, number, _TRAINING))
            learned.sort(key=lambda one: -one.held_out)
            stage.done(f"{len(learned)}, {sum(one.n_steps for one in learned)} steps", starts=len(learned))
        return learned

    def _fewer_if_slow(self, number: int, n_states: int) -> int:
        """Half of a number of starts or chains where a start cannot make all its steps."""
        slow = self._steps_within(_TRAINING, n_states) < self._options.max_steps
        return (number + 1) // 2 if slow else number

    def _trained_further(self, one: Learned, n_steps: int) -> Learned:
        again = self._trained(one.parameters, n_steps)
        return again._replace(n_steps=one.n_steps + again.n_steps)

    def _chains(self, n_states: int, learned: list[Learned]) -> list[Group]:
        options = self._options
        if not options.n_chains:
            return []
        n_chains = self._fewer_if_slow(options.n_chains, n_states)
        starts = [learned[k % len(learned)].parameters for k in range(n_chains)]
        if self._dev is None:
            return [Group([start], drawn=True) for start in starts]
        with self._progress.stage("chains") as stage:
            drawn = self._drawn(self._sample, starts, stage.show)
            stage.done(f"{len(drawn)}, {options.n_sweeps} sweeps each", chains=len(drawn))
        return [Group(automata, drawn=True) for automata in drawn]

    def _drawn(
        self,
        sample: TrainingSample,
        starts: list[Parameters],
        show: Callable[[str], None],
    ) -> list[list[Parameters]]:
        n_sweeps, seed = self._options.n_sweeps, self._options.seed
        return drawn_automata(
            sample,
            starts,
            n_sweeps=n_sweeps,
            n_left_out=n_sweeps // 3,
            seed=seed,
            show=show,
            structure=self.structure,
        )

    def last_fit(self, whole: TrainingSample) -> tuple[list[Group], _Floats]:
        """The groups with a weight that matters, fitted to all strings."""
        weights = self._chosen.weights
        kept = np.flatnonzero(weights >= min(_LEAST_WEIGHT, weights.max()))
        groups = [self._chosen.groups[k] for k in kept]
        with self._progress.stage("last fit") as stage:
            chains = [k for k, group in enumerate(groups) if group.drawn]
            for k, group in enumerate(groups):
                if not group.drawn:
                    stage.show("Baum-Welch")
                    again = baum_welch(
                        whole, group.automata[0], _LAST_STEPS, CONCENTRATION, structure=self.structure
                    )
                    groups[k] = Group([again.parameters], drawn=False)
            if chains:
                drawn = self._drawn(whole, [groups[k].automata[-1] for k in chains], stage.show)
                for k, automata in zip(chains, drawn, strict=True):
                    groups[k] = Group(automata, drawn=True)
            sizes = [len(automaton.final) for group in groups for automaton in group.automata]
            numbers = sorted(set(sizes))
            stage.done(
                f"{len(sizes)} automata of {', '.join(map(str, numbers))} states",
                automata=len(sizes),
                n_states=numbers,
            )
        return groups, weights[kept]


def _mean(sample: TrainingSample, values: _Floats) -> float:
    """Of values of the strings, by weight."""
    return float(sample.weights @ values / sample.total_weight)


def _mean_error(sample: TrainingSample, values: _Floats) -> float:
    """The standard error of their mean."""
    variance = _mean(sample, (values - _mean(sample, values)) ** 2)
    return float(np.sqrt(variance / len(values)))


def _mean_logarithm(sample: TrainingSample, automata: list[Parameters]) -> _Floats:
    """Logarithms of the strings' mean probabilities."""
    each = np.stack([sample.log_probabilities(parameters) for parameters in automata])
    return np.asarray(logsumexp(each, axis=0) - np.log(len(automata)))
