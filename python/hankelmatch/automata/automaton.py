"""Weighted automata."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .._utils.chunks import chunks
from .._utils.files import Saved
from .._utils.interruptible import interruptible
from .._utils.process.blas_threads import blas_threads_for
from .._utils.validation import (
    argument_named,
    as_string,
    checked_n_sequences,
    checked_whole,
    real_array,
    refuse_infinite,
    whole_array,
)
from ..sequences.alphabet import UNKNOWN, Alphabet, check_alphabet, refuse_ambiguous
from ..sequences.strings import Strings
from ._compact import HankelFactors
from ._transitions import Transitions, cast, stacked

Matrices: TypeAlias = Mapping[Hashable, ArrayLike] | Sequence[ArrayLike] | NDArray[np.generic] | Transitions

_COMPACT_FROM = 10_000_000  # bytes of the matrices: smaller automata are saved as they are
_TRANSITION_ARRAYS = ("dense", "dense_slot", "left", "offsets", "rows", "right")


class WeightedAutomaton(Saved):
    """A function on strings: f(x) = initial' A_x1 ... A_xt final.

    Parameters
    ----------
    initial, final : array_like, shape (n,)
        Initial and final weights of the n states.
    transitions : mapping, sequence or array
        The n x n matrix of every symbol: a mapping from label to matrix, a sequence of matrices by symbol
        id, or an array of shape (n_symbols, n, n).
    alphabet : Alphabet, optional
        The labels. By default the keys of the mapping in their order, or else 0, 1, 2, ....
    n_sequences : float, optional
        How many training sequences the function was estimated from, if it was (the sum of their weights, if
        they had some); language models scale expectations to counts with it.
    max_length : int, optional
        Length T of the longest strings that the function was estimated from, if it was; language models look
        back T - 1 symbols by it.

    Raises
    ------
    ValueError
        If shapes do not fit, there is not one matrix for every symbol, or an entry is not a real number, NaN
        or infinite.

    Notes
    -----
    Everything is copied, and kept as float64, or as float32 if all of it comes so.

    Examples
    --------
    The number of a's times two to the number of b's:

    >>> wa = WeightedAutomaton(
    ...     initial=[1, 0], final=[0, 1], transitions={"a": [[1, 1], [0, 1]], "b": [[2, 0], [0, 2]]}
    ... )
    >>> wa("aab"), wa(""), wa("xyz")
    (4.0, 0.0, 0.0)
    >>> wa.values_of(["a", "ab", "abb"])
    array([1., 2., 4.])
    """

    kind = "weighted automaton"

    def __init__(
        self,
        initial: ArrayLike,
        final: ArrayLike,
        transitions: Matrices,
        alphabet: Alphabet | None = None,
        *,
        n_sequences: float | None = None,
        max_length: int | None = None,
    ) -> None:
        if alphabet is not None:
            check_alphabet(alphabet)
        if isinstance(transitions, Mapping):
            alphabet = Alphabet(transitions) if alphabet is None else alphabet
            transitions = _matrices_by_id(transitions, alphabet)
        weights = real_array("initial", initial), real_array("final", final)
        if isinstance(transitions, Transitions):
            given = transitions
            given.check_layout()
            _check_lengths(*weights, given.n_states)
        else:
            _check_lengths(*weights)
            given = Transitions.from_matrices(stacked(transitions, len(weights[0])))
        self._alphabet = Alphabet(range(len(given))) if alphabet is None else alphabet
        common = np.result_type(np.float32, given.dtype, *weights)
        dtype = np.dtype(np.float32 if common == np.float32 else np.float64)
        self._transitions = given.astype(dtype)
        if self._transitions.alphabet != self._alphabet:
            self._transitions = replace(self._transitions, alphabet=self._alphabet)
        for name in ("dense", "left", "right"):
            refuse_infinite("transitions", getattr(self._transitions, name))
        self._initial = _own("initial", weights[0], dtype)
        self._final = _own("final", weights[1], dtype)
        self._n_sequences = checked_n_sequences(n_sequences)
        self._max_length = None if max_length is None else checked_whole("max_length", max_length, 0)
        self._next_weights: NDArray[np.floating] | None = None
        if len(given) != len(self._alphabet):
            raise ValueError(
                f"transitions: {len(given)} matrices for {len(self._alphabet)} symbols; give one for each"
            )

    _max_length: int | None = None  # of pickles of 0.1.0, which lack it
    _factors: HankelFactors | None = None  # what it was learned from, if it was

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_factors"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for weights in (self._initial, self._final):
            weights.flags.writeable = False  # a copy's would not be

    @property
    def initial(self) -> NDArray[np.floating]:
        """Initial weights, shape (n_states,)."""
        return self._initial

    @property
    def final(self) -> NDArray[np.floating]:
        """Final weights, shape (n_states,)."""
        return self._final

    @property
    def transitions(self) -> Transitions:
        """The matrices by symbol id or label: ``transitions["a"]`` is A_a, a dense array formed on demand.

        A whole number is an id, even where labels are numbers: ``transitions[alphabet.id(7)]``.
        """
        if self._transitions.alphabet is None:  # of pickles of 0.1.0
            self._transitions = replace(self._transitions, alphabet=self._alphabet)
        return self._transitions

    @property
    def alphabet(self) -> Alphabet:
        """Labels of the symbols."""
        return self._alphabet

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self._initial)

    @property
    def n_symbols(self) -> int:
        """Number of symbols."""
        return len(self._alphabet)

    @property
    def n_sequences(self) -> float | None:
        """How many training sequences the function was estimated from, None if it was given."""
        return self._n_sequences

    @property
    def max_length(self) -> int | None:
        """Length of the longest strings that the function was estimated from, None if that is unknown."""
        return self._max_length

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """float64 or float32."""
        return self._transitions.dtype

    def __repr__(self) -> str:
        return f"<WeightedAutomaton: {self.n_states} states, {self.n_symbols} symbols, {self.dtype}>"

    def __call__(self, string: Iterable[Hashable]) -> float:
        """Value of a string of labels (a `str` is its characters); 0.0 if a symbol is not in the alphabet.

        Raises
        ------
        ValueError
            If a text is given where labels are words or numbers, or a list of texts where they are
            characters: `values_of` takes many strings.
        """
        state = self._initial
        labels = as_string("string", string)
        refuse_ambiguous("string", string, labels, self._alphabet)
        with argument_named("string", "label"):
            symbols = [self._alphabet.get(label) for label in labels]
        if min(symbols, default=0) < 0:
            return 0.0
        for symbol in symbols:
            state = self._transitions.apply(state, symbol)
        return float(state @ self._final)

    def apply(self, states: ArrayLike, symbol: int) -> NDArray[np.floating]:
        """States after one more symbol, the same for all: ``states @ A_symbol``.

        Parameters
        ----------
        states : array_like, shape (m, n_states)
            One state a row.
        symbol : int
            Id of the symbol; -1, a symbol that is not in the alphabet, makes the states zero.
        """
        rows = self._checked_states(states)
        symbol = checked_whole("symbol", symbol, UNKNOWN, self.n_symbols - 1)
        if symbol == UNKNOWN:
            return np.zeros_like(rows, self.dtype)
        return self._transitions.apply(rows, symbol)

    def _checked_states(self, states: ArrayLike) -> NDArray[Any]:
        rows = real_array("states", states)
        if rows.ndim not in (1, 2) or rows.shape[-1] != self.n_states:
            raise ValueError(f"states: rows of {self.n_states} numbers are needed, not shape {rows.shape}")
        return rows

    def _checked_ids(self, symbols: ArrayLike) -> NDArray[Any]:
        ids = whole_array("symbols", symbols)
        if len(ids) and not UNKNOWN <= ids.min() <= ids.max() < self.n_symbols:
            raise ValueError(
                f"symbols: whole numbers from {UNKNOWN} to {self.n_symbols - 1} are needed, "
                f"not {ids.min()} to {ids.max()}"
            )
        return ids

    def apply_each(self, states: ArrayLike, symbols: ArrayLike) -> NDArray[np.floating]:
        """States after one more symbol each: row i becomes ``states[i] @ A_symbols[i]``.

        Parameters
        ----------
        states : array_like, shape (m, n_states)
            One state a row.
        symbols : array_like of int, shape (m,)
            Ids; -1, a symbol that is not in the alphabet, makes the state zero.

        Raises
        ------
        ValueError
            If there is not one id for each state, or an array has another shape or no such numbers.

        Notes
        -----
        Rows are grouped by symbol, one matrix product a group; few rows with small matrices have each their
        own, at once.
        """
        rows, ids = np.atleast_2d(self._checked_states(states)), self._checked_ids(symbols)
        if len(ids) != len(rows):
            raise ValueError(f"symbols: {len(rows)} are needed, one for each state, not {len(ids)}")
        if not len(ids):
            return np.zeros((0, self.n_states), self.dtype)
        if self._transitions.has_few_entries_for(ids):
            return self._transitions.apply_at_once(rows, ids)
        order = np.argsort(ids, kind="stable")
        present, first = np.unique(ids[order], return_index=True)
        ordered = rows[order]  # so that the groups are slices
        after = np.zeros((len(ids), self.n_states), self.dtype)
        ends = np.append(first, len(order))[1:].tolist()
        for symbol, begin, end in zip(present.tolist(), first.tolist(), ends, strict=True):
            if symbol >= 0:
                after[begin:end] = interruptible(self._transitions.apply, ordered[begin:end], symbol)
        result = np.empty_like(after)
        result[order] = after
        return result

    def next_values(self, states: ArrayLike) -> NDArray[np.floating]:
        """Value of every one-symbol continuation: ``states @ W`` with W[:, a] = A_a final.

        Parameters
        ----------
        states : array_like, shape (m, n_states)
            One state a row.

        Returns
        -------
        ndarray, shape (m, n_symbols)
        """
        rows = self._checked_states(states)
        if self._next_weights is None:
            self._next_weights = self._transitions.times_final(self._final)
        with blas_threads_for(2 * len(rows) * self._next_weights.size):
            return np.asarray(rows @ self._next_weights)

    def values_of(self, strings: Strings | Iterable[Iterable[Hashable]]) -> NDArray[np.float64]:
        """Values of many strings at once.

        Parameters
        ----------
        strings : Strings or iterable of strings
            Read by label: they may have another alphabet. A string with a symbol that is not in the
            automaton's alphabet has value 0.

        Returns
        -------
        ndarray of float64, shape (n_strings,)
        """
        with argument_named("strings"):
            symbols, offsets = self._alphabet.encode(strings)
        lengths = np.diff(offsets)
        order = np.argsort(-lengths, kind="stable")
        values = np.empty(len(lengths))
        for part in chunks(len(order), self.n_states):
            chosen = order[part]
            values[chosen] = self._final_values(symbols, offsets[chosen], lengths[chosen])
        return values

    def _final_values(
        self, symbols: NDArray[np.integer], begin: NDArray[np.integer], lengths: NDArray[np.integer]
    ) -> NDArray[np.floating]:
        """Values of strings given by where they begin in `symbols` and their lengths, longest first."""
        states = np.repeat(self._initial[None], len(begin), axis=0)
        for position in range(int(lengths.max(initial=0))):
            n_longer = int(np.count_nonzero(lengths > position))
            states[:n_longer] = self.apply_each(states[:n_longer], symbols[begin[:n_longer] + position])
        return np.asarray(states @ self._final)

    def truncate(self, n_states: int) -> WeightedAutomaton:
        """The automaton of the first `n_states` states alone, without copying.

        For an automaton from `learn_automaton` that is what it would have learned with `n_states` to begin
        with: with H ~ U D V', initial' = h_S' V, final = D^-1 U' h_P and A_a = D^-1 U' H_a V, the first
        entries, rows and columns depend on the first singular triplets alone. So one SVD serves every
        number of states.

        Parameters
        ----------
        n_states : int
            From 1 to ``self.n_states``.
        """
        n_states = checked_whole("n_states", n_states, min(1, self.n_states), self.n_states)
        smaller = copy.copy(self)
        smaller._initial = self._initial[:n_states]
        smaller._final = self._final[:n_states]
        smaller._transitions = self._transitions.truncate(n_states)
        smaller._next_weights = None
        if self._factors is not None:
            smaller._factors = self._factors.truncate(n_states)
        return smaller

    def astype(self, dtype: DTypeLike) -> WeightedAutomaton:
        """The same automaton in float32 or float64; ValueError if an entry is too large for it."""
        precision = checked_precision(dtype)
        other = WeightedAutomaton(
            cast(self._initial, precision),
            cast(self._final, precision),
            self._transitions.astype(precision),
            self._alphabet,
            n_sequences=self._n_sequences,
            max_length=self._max_length,
        )
        other._factors = self._factors
        return other

    def _to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Header and arrays for a file: of a large automaton what it was learned from, if that is known."""
        factors = self._factors
        size = self._transitions.nbytes
        if factors is None or size <= _COMPACT_FROM or factors.nbytes >= size:
            return self._to_exact_arrays()
        return self._with_weights(factors.to_arrays())

    def _to_exact_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The same with every matrix."""
        return self._with_weights({name: getattr(self._transitions, name) for name in _TRANSITION_ARRAYS})

    def _with_weights(
        self, arrays: dict[str, NDArray[Any]]
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        header = {
            "dtype": str(self.dtype),
            "alphabet": self._alphabet.to_json(),
            "n_sequences": self._n_sequences,
            "max_length": self._max_length,
        }
        return header, {"initial": self._initial, "final": self._final, **arrays}

    @classmethod
    def _from_arrays(
        cls: type[WeightedAutomaton], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> WeightedAutomaton:
        """The automaton of `_to_arrays`."""
        if HankelFactors.is_in(arrays):
            transitions = HankelFactors.transitions(arrays, checked_precision(header["dtype"]))
        else:
            own: dict[str, Any] = {name: arrays[name] for name in _TRANSITION_ARRAYS}
            transitions = Transitions(**own)
        alphabet = Alphabet.from_json(header["alphabet"])
        return cls(
            arrays["initial"],
            arrays["final"],
            transitions,
            alphabet,
            n_sequences=header["n_sequences"],
            max_length=header.get("max_length"),  # files of 0.1.0 lack it
        )


def _matrices_by_id(matrices: Mapping[Hashable, ArrayLike], alphabet: Alphabet) -> list[ArrayLike]:
    """The matrices of a mapping in the order of the alphabet."""
    unknown = [label for label in matrices if label not in alphabet]
    missing = [label for label in alphabet.labels if label not in matrices]
    if unknown or missing:
        raise ValueError(
            f"transitions: one matrix for every label of the alphabet is needed; "
            f"missing: {missing[:5]}, not in the alphabet: {unknown[:5]}"
        )
    return [matrices[label] for label in alphabet.labels]


def _check_lengths(
    initial: NDArray[np.generic], final: NDArray[np.generic], n_states: int | None = None
) -> None:
    if initial.ndim != 1 or initial.shape != final.shape or n_states not in (None, len(initial)):
        states = "a state" if n_states is None else f"for each of {n_states} states"
        raise ValueError(
            f"initial: shape {initial.shape} given, and final has shape {final.shape}; "
            f"both are needed in one dimension, with one weight {states}"
        )


def _own(name: str, weights: NDArray[np.floating], dtype: DTypeLike) -> NDArray[np.floating]:
    """A finite copy that cannot be written."""
    vector = np.array(cast(weights, dtype))
    refuse_infinite(name, vector)
    vector.flags.writeable = False
    return vector


def checked_precision(dtype: DTypeLike) -> np.dtype[np.floating]:
    """`dtype` if an automaton can be kept in it."""
    if isinstance(dtype, (str, type, np.dtype)):  # numpy takes None, and whatever has a dtype
        with contextlib.suppress(TypeError, ValueError):
            precision: np.dtype[Any] = np.dtype(dtype)
            if precision in (np.float32, np.float64):
                return precision
    raise ValueError(f"dtype: {dtype!r} given; float32 or float64 can be used")
