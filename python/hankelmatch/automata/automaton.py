"""Weighted automata, and the paper's recovery of one from Hankel blocks."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .._utils.files import load_arrays, named_damage, save_arrays
from .._utils.interruptible import interruptible
from .._utils.validation import (
    argument_named,
    as_string,
    check_type,
    checked_n_sequences,
    checked_number,
    checked_whole,
    listed,
    real_array,
)
from ..hankel.blocks import HankelBlocks
from ..sequences.alphabet import check_alphabet
from ..sequences.corpus import Alphabet, Strings
from ._transitions import Transitions, cast
from .svd import TruncatedSVD, truncated_svd

__all__ = ["WeightedAutomaton", "learn_automaton"]

Matrices: TypeAlias = Mapping[Hashable, ArrayLike] | Sequence[ArrayLike] | NDArray[Any] | Transitions

_KIND = "weighted automaton"
_VERSION = 1
_TRANSITION_ARRAYS = ("dense", "dense_slot", "left", "offsets", "rows", "right")
# Entries that are worked on at a time: 64 MB of float64.
_CHUNK_ENTRIES = 1 << 23


class WeightedAutomaton:
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

    def __init__(
        self,
        initial: ArrayLike,
        final: ArrayLike,
        transitions: Matrices,
        alphabet: Alphabet | None = None,
        *,
        n_sequences: float | None = None,
    ) -> None:
        if alphabet is not None:
            check_alphabet(alphabet)
        if isinstance(transitions, Mapping):
            alphabet = Alphabet(transitions) if alphabet is None else alphabet
            transitions = _matrices_by_id(transitions, alphabet)
        given = transitions if isinstance(transitions, Transitions) else None
        if given is None:
            given = Transitions.from_matrices(_stack(transitions, np.size(initial)))
        given.check_layout()
        self._alphabet = Alphabet(range(len(given))) if alphabet is None else alphabet
        weights = real_array("initial", initial), real_array("final", final)
        common = np.result_type(np.float32, given.dtype, *weights)
        dtype = np.dtype(np.float32 if common == np.float32 else np.float64)
        self._transitions = given.astype(dtype)
        for name in ("dense", "left", "right"):
            _refuse_infinite("transitions", getattr(self._transitions, name))
        self._initial = _vector("initial", weights[0], given.n_states, dtype)
        self._final = _vector("final", weights[1], given.n_states, dtype)
        self._n_sequences = checked_n_sequences(n_sequences)
        self._next_weights: NDArray[Any] | None = None
        if len(given) != len(self._alphabet):
            raise ValueError(
                f"transitions: {len(given)} matrices for {len(self._alphabet)} symbols; give one for each"
            )

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for weights in (self._initial, self._final):
            weights.flags.writeable = False  # a copy's would not be

    @property
    def initial(self) -> NDArray[Any]:
        """Initial weights, shape (n_states,)."""
        return self._initial

    @property
    def final(self) -> NDArray[Any]:
        """Final weights, shape (n_states,)."""
        return self._final

    @property
    def transitions(self) -> Transitions:
        """The matrices by symbol id: ``transitions[a]`` is A_a as a dense array, formed on demand."""
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
    def dtype(self) -> np.dtype[Any]:
        """float64 or float32."""
        return self._transitions.dtype

    def __repr__(self) -> str:
        return f"<WeightedAutomaton: {self.n_states} states, {self.n_symbols} symbols, {self.dtype}>"

    def __call__(self, string: Iterable[Hashable]) -> float:
        """Value of a string of labels (a `str` is its characters); 0.0 if a symbol is not in the alphabet."""
        state = self._initial
        for label in as_string("string", string):
            symbol = self._alphabet.get(label)
            if symbol < 0:
                return 0.0
            state = self._transitions.apply(state, symbol)
        return float(state @ self._final)

    def apply(self, states: NDArray[Any], symbol: int) -> NDArray[Any]:
        """States after one more symbol, the same for all: ``states @ A_symbol``.

        Parameters
        ----------
        states : ndarray, shape (m, n_states)
            One state a row.
        symbol : int
            Id of the symbol; -1, a symbol that is not in the alphabet, makes the states zero.
        """
        self._check_ids("symbol", symbol, symbol)
        if symbol < 0:
            return np.zeros_like(states, self.dtype)
        return self._transitions.apply(states, symbol)

    def _check_ids(self, argument: str, least: int, most: int) -> None:
        if not -1 <= least <= most < self.n_symbols:
            raise ValueError(
                f"{argument}: ids from 0 to {self.n_symbols - 1}, or -1, are needed, not {least} to {most}"
            )

    def apply_each(self, states: NDArray[Any], symbols: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """States after one more symbol each: row i becomes ``states[i] @ A_symbols[i]``.

        Parameters
        ----------
        states : ndarray, shape (m, n_states)
            One state a row.
        symbols : ndarray of int, shape (m,)
            Ids; -1, a symbol that is not in the alphabet, makes the state zero.

        Notes
        -----
        Rows are grouped by symbol, one matrix product a group.
        """
        result = np.zeros((len(symbols), self.n_states), self.dtype)
        order = np.argsort(symbols, kind="stable")
        present, first = np.unique(symbols[order], return_index=True)
        if len(present):
            self._check_ids("symbols", present[0], present[-1])
        for symbol, begin, end in zip(present, first, np.append(first, len(order))[1:], strict=True):
            rows = order[begin:end]
            if symbol >= 0:
                result[rows] = interruptible(self._transitions.apply, states[rows], int(symbol))
        return result

    def next_values(self, states: NDArray[Any]) -> NDArray[Any]:
        """Value of every one-symbol continuation: ``states @ W`` with W[:, a] = A_a final.

        Parameters
        ----------
        states : ndarray, shape (m, n_states)
            One state a row.

        Returns
        -------
        ndarray, shape (m, n_symbols)
        """
        if self._next_weights is None:
            self._next_weights = self._transitions.times_final(self._final)
        return np.asarray(states @ self._next_weights)

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
        step = max(1, _CHUNK_ENTRIES // max(self.n_states, 1))
        for first in range(0, len(order), step):
            chosen = order[first : first + step]
            values[chosen] = self._final_values(symbols, offsets[chosen], lengths[chosen])
        return values

    def _final_values(
        self, symbols: NDArray[Any], begin: NDArray[Any], lengths: NDArray[Any]
    ) -> NDArray[Any]:
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
            At most ``self.n_states``.
        """
        n_states = checked_whole("n_states", n_states, 0)
        if n_states > self.n_states:
            raise ValueError(f"n_states: {n_states} asked of an automaton of {self.n_states} states")
        smaller = copy.copy(self)
        smaller._initial = self._initial[:n_states]
        smaller._final = self._final[:n_states]
        smaller._transitions = self._transitions.truncate(n_states)
        smaller._next_weights = None
        return smaller

    def astype(self, dtype: DTypeLike) -> WeightedAutomaton:
        """The same automaton in float32 or float64; ValueError if an entry is too large for it."""
        precision = _precision(dtype)
        return WeightedAutomaton(
            cast(self._initial, precision),
            cast(self._final, precision),
            self._transitions.astype(precision),
            self._alphabet,
            n_sequences=self._n_sequences,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to an ``.npz`` file, exact to the bit, without pickle; the labels must be str or int."""
        header, arrays = self._to_arrays()
        save_arrays(path, _KIND, _VERSION, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> WeightedAutomaton:
        """Load what `save` saved."""
        header, arrays = load_arrays(path, _KIND, _VERSION)
        with named_damage(path):
            return cls._from_arrays(header, arrays)

    def _to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Header and arrays for a file."""
        arrays = {name: getattr(self._transitions, name) for name in _TRANSITION_ARRAYS}
        header = {"alphabet": self._alphabet.to_json(), "n_sequences": self._n_sequences}
        return header, {"initial": self._initial, "final": self._final, **arrays}

    @classmethod
    def _from_arrays(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> WeightedAutomaton:
        """The automaton of `_to_arrays`."""
        transitions = Transitions(**{name: arrays[name] for name in _TRANSITION_ARRAYS})
        alphabet = Alphabet.from_json(header["alphabet"])
        return cls(
            arrays["initial"], arrays["final"], transitions, alphabet, n_sequences=header["n_sequences"]
        )


def learn_automaton(
    blocks: HankelBlocks,
    n_states: int | None = None,
    svd: TruncatedSVD | None = None,
    *,
    method: str | None = None,
    seed: int = 0,
    shrinkage: float = 0.0,
    dtype: DTypeLike = np.float64,
) -> WeightedAutomaton:
    """The paper's recovery of an automaton from Hankel blocks.

    With the truncated SVD H ~ U D V' and F = U D, B = V, F+ = D^-1 U': initial' = h_S' B, final = F+ h_P,
    A_a = F+ H_a B.

    Parameters
    ----------
    blocks : HankelBlocks
        Of the function to learn; `hankel_blocks` makes them, or `HankelBlocks.from_matrices` of matrices of
        your own.
    n_states : int, optional
        Number of states. Where the numeric rank of H is lower, the automaton has as many states as that.
        By default the numeric rank, or all that `svd` has.
    svd : TruncatedSVD, optional
        The SVD of ``blocks.H``, if it is known already; its leading `n_states` triplets are used.
    method : str, optional
        For `truncated_svd`, by default "auto"; not where `svd` is given.
    seed : int, optional
        For `truncated_svd`.
    shrinkage : float, optional
        Added to every singular value where F+ divides by it, in the unit of f: F+ = (D + shrinkage)^-1 U'.
        States whose singular value is below it count for little. 0, the default, is the paper's recovery.
    dtype : {float64, float32}, optional
        Precision in which the automaton is kept; it is computed in float64. float32 takes half the memory and
        half the time to score; on Penn Treebank characters, T = 5, it changed bits per character by 6e-7 at
        800 states and by 2e-4 at most, at the full rank of 1,639.

    Returns
    -------
    WeightedAutomaton

    Raises
    ------
    ValueError
        If H is zero, `svd` is of a matrix of another shape or given beside a method, a block has NaN or
        infinite entries, `shrinkage` is negative or not finite, or `dtype` is another or too small for what
        was learned.
    TypeError
        If `blocks` or `svd` is of another class.

    Notes
    -----
    If f has a minimal automaton of n states and H has rank n, the result computes f exactly, if it is not
    shrunk.

    Small singular values are mostly noise where f was counted. The choice of n leaves them out, shrinkage
    weighs them down: it is ridge regression [3]_ in the balanced factorisation, with F = U D^(1/2) and
    B = V D^(1/2), where A_a = (F'F + shrinkage)^-1 F' H_a B (B'B)^-1, in other coordinates. Bits per symbol
    of held-out text, with the longest context alone, heavy matchings and the best of each: Penn Treebank
    characters, T = 5, 1.763 and 1.766 without; T = 6, 1.652 and 1.685; War and Peace, T = 5, 1.984 and 2.046.
    With mixed contexts it does less: part-of-speech tags, T = 5, 2.499 and 2.506, Penn Treebank the same.

    Cost beside the SVD, for n states, z nonzeros in all H_a and r_a nonzero rows in each: O(z n), and
    O(r_a n^2) for each symbol that is kept dense. A matrix is kept dense where 2 r_a >= n, else as factors
    F+[:, rows_a] and G_a = (H_a B)[rows_a], in O(r_a n) memory.

    References
    ----------
    .. [1] A. Quattoni, X. Carreras, M. Gallé: A maximum matching algorithm for basis selection in spectral
       learning. AISTATS 2017, section 2.3.
    .. [2] D. Hsu, S. M. Kakade, T. Zhang: A spectral algorithm for learning hidden Markov models. COLT 2009.
    .. [3] A. E. Hoerl, R. W. Kennard: Ridge regression: biased estimation for nonorthogonal problems.
       Technometrics 12 (1970).

    Examples
    --------
    The paper's figure 1:

    >>> from hankelmatch import SequenceFunction, hankel_blocks, matching_basis
    >>> f = SequenceFunction.from_dict(dict.fromkeys(["", "aab", "b", "bb", "c", "ca", "cb"], 1.0))
    >>> wa = learn_automaton(hankel_blocks(f, matching_basis(f)))
    >>> wa.n_states, round(wa("aab"), 9), round(wa("ca"), 9)
    (5, 1.0, 1.0)
    """
    precision = _precision(dtype)
    check_type("blocks", blocks, HankelBlocks, "what hankel_blocks or HankelBlocks.from_matrices returns")
    if svd is None:
        svd = truncated_svd(blocks.H, n_states, "auto" if method is None else method, seed=seed)
    elif method is not None:
        raise ValueError(f"method: {method!r} given beside an SVD, which it would find; leave one out")
    check_type("svd", svd, TruncatedSVD, "what truncated_svd(blocks.H) returns")
    shrinkage = checked_number("shrinkage", shrinkage)
    if n_states is not None:
        svd = svd.truncate(n_states)
    U, d, V = svd
    if (len(U), len(V)) != blocks.H.shape:
        raise ValueError(
            f"svd: of a {(len(U), len(V))} matrix, but H is {blocks.H.shape}; give that of blocks.H"
        )
    if len(d) == 0:
        raise ValueError("blocks: H is zero; give a basis of prefixes and suffixes that f is not zero on")
    pseudo_inverse = U / (d + shrinkage)  # F+ transposed
    return WeightedAutomaton(
        cast(V.T @ blocks.h_suffix, precision),
        cast(pseudo_inverse.T @ blocks.h_prefix, precision),
        Transitions.from_hankel(blocks.H_sigma, pseudo_inverse, V, precision),
        blocks.alphabet,
        n_sequences=blocks.n_sequences,
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


def _stack(matrices: Sequence[ArrayLike] | NDArray[Any], n: int) -> NDArray[Any]:
    """The matrices as one new array of shape (n_symbols, n, n), float32 if they all are, else float64."""
    given = listed("transitions", matrices, "a mapping or a sequence of matrices")
    arrays = [real_array("transitions", matrix) for matrix in given]
    for symbol, array in enumerate(arrays):
        if array.shape != (n, n):
            raise ValueError(
                f"transitions: that of symbol {symbol} has shape {array.shape}; {(n, n)} is needed"
            )
    stacked = np.array(arrays).reshape(len(arrays), n, n)
    return stacked if stacked.dtype == np.float32 else cast(stacked, np.float64)


def _vector(name: str, values: NDArray[Any], n: int, dtype: DTypeLike) -> NDArray[Any]:
    """A finite vector of length n, the automaton's own and read-only."""
    if values.shape != (n,):
        raise ValueError(f"{name}: shape {values.shape} given; {(n,)} is needed, one weight a state")
    vector = np.array(cast(values, dtype))
    _refuse_infinite(name, vector)
    vector.flags.writeable = False
    return vector


def _refuse_infinite(name: str, array: NDArray[Any]) -> None:
    step = max(1, _CHUNK_ENTRIES // max(1, math.prod(array.shape[1:])))
    if not all(np.isfinite(array[first : first + step]).all() for first in range(0, len(array), step)):
        remedy = ", or use float64" if array.dtype == np.float32 else ""
        raise ValueError(
            f"{name}: an entry is NaN or infinite in {array.dtype}; "
            f"every entry must be a finite number{remedy}"
        )


def _precision(dtype: DTypeLike) -> np.dtype[Any]:
    """`dtype` if an automaton can be kept in it."""
    try:
        precision = np.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise ValueError(f"dtype: {dtype!r} given; float32 or float64 can be used") from error
    if precision not in (np.float32, np.float64):
        raise ValueError(f"dtype: {precision} given; float32 or float64 can be used")
    return precision
