"""Probabilistic automata: distributions over strings whose every weight is a probability."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils.files import Saved
from ..._utils.validation import (
    MOST_DRAWN,
    argument_named,
    as_string,
    check_type,
    checked_shares,
    checked_whole,
    listed,
    random_generator,
    real_array,
)
from ...automata.automaton import WeightedAutomaton
from ...sequences.alphabet import Alphabet
from ...sequences.corpus import Corpus
from ._over_strings import OverStrings, Sequences, plain_strings
from ._passes import Parameters, logarithms, prefix_logarithms
from ._whole_strings import (
    drawn_strings,
    entropy_of_paths,
    expected_length,
    is_deterministic,
    most_likely_path,
    total_mass,
)

Matrices: TypeAlias = Mapping[Hashable, ArrayLike] | Sequence[ArrayLike] | NDArray[np.generic]
_Floats: TypeAlias = NDArray[np.float64]

_TOLERANCE = 1e-6  # of sums that should be 1


class Entropy(NamedTuple):
    """An entropy in nats, and the standard error of the estimate; 0 where it is exact."""

    nats: float
    standard_error: float


class ProbabilisticAutomaton(OverStrings, Saved):
    """A distribution over strings: begin in a state; in each state end, or write a symbol and go on.

    The probability of x is initial' A_x1 ... A_xt final, as for a `WeightedAutomaton`, but all weights are
    probabilities: `initial` sums to 1, and so do, for each state, its final weight and all its transitions.

    Parameters
    ----------
    initial : array_like of float, shape (n_states,)
        The probability to begin in each state.
    final : array_like of float, shape (n_states,)
        The probability to end in each state.
    transitions : mapping, sequence or array
        For each symbol the matrix of the probabilities to write it in state i and go on in state j: a mapping
        from label to matrix, a sequence of matrices by symbol id, or an array of shape (n_symbols, n_states,
        n_states).
    alphabet : Alphabet, optional
        The labels. By default the keys of the mapping, or else 0, 1, 2, ....

    Raises
    ------
    ValueError
        If shapes do not fit, there is no state, a weight is negative or no finite number, or sums differ from
        1 by more than 1e-6. What is left of the difference is divided away.

    See Also
    --------
    learn_probabilistic_automaton, StringDistribution

    Examples
    --------
    >>> from hankelmatch import ProbabilisticAutomaton
    >>> coins = ProbabilisticAutomaton([1.0], [0.25], {"h": [[0.5]], "t": [[0.25]]})
    >>> coins("ht"), coins.prefix_log_probability(["h", "ht"]).round(4).tolist()
    (0.03125, [-0.6931, -2.0794])
    >>> coins.total_mass(), coins.expected_length()
    (1.0, 3.0)
    """

    kind = "probabilistic automaton"

    def __init__(
        self,
        initial: ArrayLike,
        final: ArrayLike,
        transitions: Matrices,
        alphabet: Alphabet | None = None,
    ) -> None:
        weighted = WeightedAutomaton(
            real_array("initial", initial).astype(np.float64), final, transitions, alphabet
        )
        self._alphabet = weighted.alphabet
        stacked = np.zeros((weighted.n_symbols, weighted.n_states, weighted.n_states))
        for a in range(weighted.n_symbols):
            stacked[a] = weighted.transitions[a]
        self._parameters = _checked(Parameters(weighted.initial.copy(), weighted.final.copy(), stacked))

    @classmethod
    def from_weighted(cls, automaton: WeightedAutomaton) -> ProbabilisticAutomaton:
        """The same function, of a weighted automaton whose weights are probabilities already.

        Parameters
        ----------
        automaton : WeightedAutomaton
            One that `to_weighted` or `read_pautomac_model` returned, say.

        Returns
        -------
        ProbabilisticAutomaton

        Raises
        ------
        ValueError
            If its weights are not those of a probabilistic automaton.
        TypeError
            If it is of another class.
        """
        check_type("automaton", automaton, WeightedAutomaton, "a WeightedAutomaton")
        with argument_named("automaton"):
            return cls(
                automaton.initial,
                automaton.final,
                [automaton.transitions[a] for a in range(automaton.n_symbols)],
                automaton.alphabet,
            )

    @classmethod
    def mixture(
        cls, automata: Iterable[ProbabilisticAutomaton], weights: ArrayLike | None = None
    ) -> ProbabilisticAutomaton:
        """The automaton that first draws one of several automata and then writes what that writes.

        Parameters
        ----------
        automata : iterable of ProbabilisticAutomaton
            At least one, all with the same alphabet.
        weights : array_like of float, optional
            Not negative; they are divided by their sum. Equal by default.

        Returns
        -------
        ProbabilisticAutomaton
            Its states are those of all automata, one after another; its probabilities are the weighted means.

        Raises
        ------
        ValueError
            If there is none, alphabets differ, or the weights do not fit.
        """
        parts = listed("automata", automata, "a list of automata")
        for part in parts:
            check_type("automata", part, ProbabilisticAutomaton, "a list of ProbabilisticAutomaton")
        shares = checked_shares("automata", len(parts), weights)
        alphabet = parts[0].alphabet
        if any(part.alphabet != alphabet for part in parts):
            raise ValueError("automata: their alphabets differ; give automata of one alphabet")
        first = np.cumsum([0, *(part.n_states for part in parts)])
        transitions = np.zeros((len(alphabet), first[-1], first[-1]))
        for begin, end, part in zip(first, first[1:], parts, strict=False):
            transitions[:, begin:end, begin:end] = part.transitions
        initial = np.concatenate([w * part.initial for w, part in zip(shares, parts, strict=True)])
        final = np.concatenate([part.final for part in parts])
        return cls(initial, final, transitions, alphabet)

    # ------------------------------------------------------------------------------------------ what it is

    @property
    def initial(self) -> _Floats:
        """Probabilities to begin in each state, shape (n_states,); read-only."""
        return self._parameters.initial

    @property
    def final(self) -> _Floats:
        """Probabilities to end in each state, shape (n_states,); read-only."""
        return self._parameters.final

    @property
    def transitions(self) -> _Floats:
        """Probabilities to write a symbol and go on, shape (n_symbols, n_states, n_states); read-only."""
        return self._parameters.transitions

    @property
    def parameters(self) -> Parameters:
        """The three arrays: initial, final, transitions."""
        return self._parameters

    @property
    def alphabet(self) -> Alphabet:
        """Labels of the symbols."""
        return self._alphabet

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.initial)

    @property
    def n_symbols(self) -> int:
        """Number of symbols."""
        return len(self._alphabet)

    def __repr__(self) -> str:
        return f"<ProbabilisticAutomaton: {self.n_states} states, {self.n_symbols} symbols>"

    def to_weighted(self) -> WeightedAutomaton:
        """The same function as a `WeightedAutomaton`, for all that works on these."""
        return WeightedAutomaton(self.initial, self.final, self.transitions, self._alphabet)

    def _to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {"alphabet": self._alphabet.to_json()}, self._parameters._asdict()

    @classmethod
    def _from_arrays(
        cls: type[ProbabilisticAutomaton], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> ProbabilisticAutomaton:
        alphabet = Alphabet.from_json(header["alphabet"])
        return cls(arrays["initial"], arrays["final"], arrays["transitions"], alphabet)

    # -------------------------------------------------------------------------------------- probabilities

    def __call__(self, string: Iterable[Hashable]) -> float:
        """Probability of a string of labels (a `str` is its characters)."""
        state = self.initial
        for symbol in self._ids(string):
            if symbol < 0:
                return 0.0
            state = state @ self.transitions[symbol]
        return float(state @ self.final)

    def log_probability(self, sequences: Sequences) -> _Floats:
        """Natural logarithms of the probabilities of strings.

        Parameters
        ----------
        sequences : Strings or iterable of sequences
            Read by label.

        Returns
        -------
        ndarray of float64, shape (n_sequences,)
            Minus infinity for probability 0, as with a symbol outside the alphabet.

        Notes
        -----
        Forward vectors are rescaled at each symbol, so strings may be long. Cost: O(n_states^2) for each
        distinct prefix, in the core, on all cores.
        """
        return np.asarray(logarithms([self._parameters], *self._encoded(sequences))[0])

    def prefix_log_probability(self, sequences: Sequences) -> _Floats:
        """Natural logarithms of the probabilities that a string begins so; as `log_probability`."""
        symbols, offsets = self._encoded(sequences)
        per_place = prefix_logarithms(self._parameters, symbols, offsets)
        last = offsets[1:] + np.arange(len(offsets) - 1) - 1  # before each string's own
        return np.where(np.diff(offsets) > 0, per_place[last], 0.0)

    def next_symbol_probabilities(self, contexts: Sequences) -> _Floats:
        """Distributions of what follows strings from the beginning: a symbol, or the end.

        Parameters
        ----------
        contexts : Strings or iterable of sequences
            Whole histories, each from the beginning of its string.

        Returns
        -------
        ndarray of float64, shape (n_contexts, n_symbols + 1)
            For each context the probability of each symbol by id and, last, of the end. Where no string
            begins with the context, what follows in the mean over all states.
        """
        states = self._states_after(*self._encoded(contexts, "contexts"))
        found = [np.einsum("ki,aij->ka", states, self.transitions), (states @ self.final)[:, None]]
        joined = np.concatenate(found, axis=1)
        return np.asarray(joined / joined.sum(axis=1, keepdims=True))

    def most_likely_states(self, string: Iterable[Hashable]) -> tuple[NDArray[np.int64], float]:
        """The states that a string most likely went through (Viterbi).

        Parameters
        ----------
        string : iterable of labels
            The string.

        Returns
        -------
        states : ndarray of int64, shape (length + 1,)
            The state before each symbol, and the last one.
        log_probability : float
            Natural logarithm of the probability of the string with these states.

        Raises
        ------
        ValueError
            If the string has probability 0.

        Notes
        -----
        Cost: O(length n_states^2).

        References
        ----------
        .. [1] A. Viterbi: Error bounds for convolutional codes and an asymptotically optimum decoding
           algorithm. IEEE Transactions on Information Theory 13 (1967).
        """
        ids = self._ids(string)
        if min(ids, default=0) < 0:
            raise ValueError("string: it has a symbol outside the alphabet, so its probability is 0")
        states, log_probability = most_likely_path(self._parameters, ids)
        if not np.isfinite(log_probability):
            raise ValueError("string: its probability is 0; give a string that the automaton can write")
        return states, log_probability

    def _ids(self, string: Iterable[Hashable]) -> list[int]:
        with argument_named("string", "label"):
            return [self._alphabet.get(label) for label in as_string("string", string)]

    def _encoded(
        self, sequences: Sequences, argument: str = "sequences"
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        with argument_named(argument):
            return self._alphabet.encode(plain_strings(sequences, self._alphabet))

    def _states_after(self, symbols: NDArray[np.int32], offsets: NDArray[np.int64]) -> _Floats:
        """Forward vectors with sum 1; the mean state where a context is impossible."""
        lengths = np.diff(offsets)
        states = np.repeat(self.initial[None], len(lengths), axis=0)
        padded = np.concatenate([self.transitions, np.zeros((1, self.n_states, self.n_states))])
        for t in range(int(lengths.max(initial=0))):
            going = np.flatnonzero(lengths > t)
            here = symbols[offsets[going] + t]
            for a in np.unique(here):
                rows = going[here == a]
                states[rows] = states[rows] @ padded[a]
            sums = states[going].sum(axis=1, keepdims=True)
            states[going] = np.where(sums > 0, states[going] / np.where(sums > 0, sums, 1), 0)
        impossible = states.sum(axis=1) <= 0
        states[impossible] = 1 / self.n_states
        return states

    # ------------------------------------------------------------------------------------- whole distribution

    def sample(self, n_sequences: int, seed: int | np.random.Generator = 0) -> Corpus:
        """Draw strings.

        Parameters
        ----------
        n_sequences : int
            How many.
        seed : int or numpy.random.Generator
            The same seed draws the same strings.

        Returns
        -------
        Corpus

        Raises
        ------
        ValueError
            If a string does not end within a million symbols.

        Notes
        -----
        Cost: O(log(n_states n_symbols)) for each symbol drawn, after O(n_states^2 n_symbols).
        """
        n = checked_whole("n_sequences", n_sequences, 0, MOST_DRAWN)
        rng = random_generator("seed", seed)
        return Corpus(*drawn_strings(self._parameters, n, rng), self._alphabet)

    def total_mass(self) -> float:
        """The sum of the probabilities of all strings: 1 unless the automaton can go on for ever.

        Notes
        -----
        Solves (I - A) x = final, A the sum of all matrices, for the states that can be reached. Cost:
        O(n_states^3).
        """
        return total_mass(self._parameters)

    def expected_length(self) -> float:
        """The mean length of a string; infinity where strings need not end. Cost: O(n_states^3)."""
        return expected_length(self._parameters) if self.total_mass() >= 1 - _TOLERANCE else float("inf")

    def entropy(self, n_samples: int = 10_000, seed: int | np.random.Generator = 0) -> Entropy:
        """The entropy of the distribution over strings, in nats: the mean of -log p(x).

        Parameters
        ----------
        n_samples : int
            How many strings are drawn where it has to be estimated.
        seed : int or numpy.random.Generator
            For these.

        Returns
        -------
        Entropy
            Exact, with standard error 0, if the automaton is deterministic (one initial state, one next state
            for each symbol); else the mean over strings drawn, with its standard error.

        Raises
        ------
        ValueError
            If strings need not end.
        """
        checked_whole("n_samples", n_samples, 2, MOST_DRAWN)
        rng = random_generator("seed", seed)
        if self.total_mass() < 1 - _TOLERANCE:
            raise ValueError("not all strings end, so their probabilities do not sum to 1")
        if is_deterministic(self._parameters):
            return Entropy(entropy_of_paths(self._parameters), 0.0)
        nats = -self.log_probability(self.sample(n_samples, rng))
        return Entropy(float(nats.mean()), float(nats.std(ddof=1) / np.sqrt(len(nats))))


def _checked(parameters: Parameters) -> Parameters:
    """The parameters with sums of exactly 1, as nearly as floats allow, and read-only."""
    initial, final, transitions = parameters
    if not len(initial):
        raise ValueError("initial: there is no state; give at least one")
    for name, array in parameters._asdict().items():
        if (array < 0).any():
            raise ValueError(f"{name}: {array.min():g} is there; probabilities from 0 to 1 are needed")
    if abs(initial.sum() - 1) > _TOLERANCE:
        raise ValueError(f"initial: the probabilities sum to {initial.sum():.9g}; a sum of 1 is needed")
    sums = final + transitions.sum(axis=(0, 2))
    bad = np.flatnonzero(np.abs(sums - 1) > _TOLERANCE)
    if len(bad):
        raise ValueError(
            f"transitions: those of state {bad[0]} and its final weight sum to {sums[bad[0]]:.9g}; "
            "a sum of 1 is needed"
        )
    scaled = Parameters(initial / initial.sum(), final / sums, transitions / sums[:, None])
    for array in scaled:
        array.flags.writeable = False
    return scaled
