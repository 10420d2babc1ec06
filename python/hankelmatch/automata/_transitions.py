"""One n x n matrix a symbol, each kept in whichever form is cheaper: dense, or as two thin factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import matmul
from typing import Any, overload

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .._utils.chunks import chunks
from .._utils.interruptible import interruptible
from .._utils.process.blas_threads import blas_threads_for
from .._utils.validation import listed, real_array
from ..hankel.blocks import SymbolBlocks
from ..sequences.alphabet import Alphabet, id_of

# What a call for a symbol costs, and a product for one row, in entries of matrices that are copied.
_PRODUCT_ENTRIES = 50_000
_ROW_ENTRIES = 400

_ENTRIES = ("dense", "left", "right")
_ARRAYS = ("dense", "dense_slot", "left", "offsets", "rows", "right")
_AXES = {"dense": 3, "dense_slot": 1, "left": 2, "offsets": 1, "rows": 1, "right": 2}


@dataclass(frozen=True, eq=False)
class Transitions(Sequence[NDArray[np.floating]]):
    """The transition matrices of an automaton, by symbol id.

    A sequence: ``transitions[a]`` is A_a as a dense n x n array, formed on demand.

    With F+ and G_a = H_a B restricted to the r_a nonzero rows of H_a, A_a = F+[:, rows_a] G_a. Applying the
    factors to a row vector costs 2 r_a n operations, the dense matrix n^2; so a symbol is kept dense where
    2 r_a >= n. With 6,722 words and n = 500 nearly all are kept as factors: 13 GB of matrices become a few
    hundred MB.

    Attributes
    ----------
    dense : ndarray, shape (n_dense, n, n)
        The matrices kept dense.
    dense_slot : ndarray of int64, shape (n_symbols,)
        Where in `dense` a symbol's matrix is, -1 if it is kept as factors.
    left : ndarray, shape (n_rows, n)
        The columns of F+ that any of the factors uses, as rows.
    offsets : ndarray of int64, shape (n_symbols + 1,)
        The factors of symbol a are ``left[rows[i:j]].T @ right[i:j]`` with i, j = offsets[a], offsets[a + 1].
    rows : ndarray of int64, shape (n_factor_rows,)
        Rows of `left`.
    right : ndarray, shape (n_factor_rows, n)
        The rows of every G_a.
    alphabet : Alphabet or None
        The labels, by which a symbol can be named too: ``transitions["b"]``. A whole number is an id.
    """

    dense: NDArray[np.floating]
    dense_slot: NDArray[np.int64]
    left: NDArray[np.floating]
    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]
    right: NDArray[np.floating]
    alphabet: Alphabet | None = None

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            array = getattr(self, name).view()
            array.flags.writeable = False  # the caller's own array stays as it is
            object.__setattr__(self, name, array)

    def __reduce__(self) -> tuple[Any, ...]:
        return Transitions, (*(getattr(self, name) for name in _ARRAYS), self.alphabet)  # read-only again

    def check_layout(self) -> None:
        """Raise ValueError, naming the array, unless shapes, types and indices fit together."""
        for name, n_axes in _AXES.items():
            array = getattr(self, name)
            kind = "float" if name in _ENTRIES else "int"
            if array.ndim != n_axes or array.dtype.kind != kind[0]:
                raise ValueError(
                    f"transitions: {name} must have {n_axes} axes and hold {kind}s, "
                    f"not shape {array.shape} and dtype {array.dtype}"
                )
        n = self.n_states
        for name in _ENTRIES:
            array = getattr(self, name)
            if array.dtype != self.dtype or any(side != n for side in array.shape[1:]):
                raise ValueError(
                    f"transitions: {name} has shape {array.shape} and dtype {array.dtype}; "
                    f"{n} states and {self.dtype} are needed"
                )
        if len(self.offsets) != len(self) + 1 or self.offsets[0] != 0 or (np.diff(self.offsets) < 0).any():
            raise ValueError(f"transitions: offsets must rise from 0, one more than {len(self)} symbols")
        if not self.offsets[-1] == len(self.rows) == len(self.right):
            raise ValueError(
                f"transitions: {len(self.rows)} rows and {len(self.right)} of right for {self.offsets[-1]}"
            )
        _check_range("dense_slot", self.dense_slot, -1, len(self.dense))
        slots = np.sort(self.dense_slot[self.dense_slot >= 0])
        if not np.array_equal(slots, np.arange(len(self.dense))):
            raise ValueError(
                f"transitions: dense has {len(self.dense)} matrices; dense_slot must give each to one symbol"
            )
        _check_range("rows", self.rows, 0, len(self.left))

    @staticmethod
    def from_matrices(matrices: NDArray[np.floating]) -> Transitions:
        """Keep the given matrices, shape (n_symbols, n, n), dense."""
        n_symbols, n, _ = matrices.shape
        return Transitions(
            dense=matrices,
            dense_slot=np.arange(n_symbols, dtype=np.int64),
            left=np.zeros((0, n), matrices.dtype),
            offsets=np.zeros(n_symbols + 1, np.int64),
            rows=np.zeros(0, np.int64),
            right=np.zeros((0, n), matrices.dtype),
        )

    @staticmethod
    def from_hankel(
        blocks: SymbolBlocks, pseudo_inverse: NDArray[np.float64], B: NDArray[np.float64], dtype: DTypeLike
    ) -> Transitions:
        """A_a = F+ H_a B for every symbol.

        Parameters
        ----------
        blocks : SymbolBlocks
            Every H_a.
        pseudo_inverse : ndarray, shape (n_prefixes, n)
            F+ transposed.
        B : ndarray, shape (n_suffixes, n)
        dtype
            float32 or float64, of the result; the products are formed in float64.
        """
        n = B.shape[1]
        begin = np.asarray(blocks.offsets, dtype=np.int64)
        prefix_rows = np.asarray(blocks.rows, dtype=np.int64)
        n_rows = np.diff(begin)
        is_dense = 2 * n_rows >= n
        dense = np.empty((np.count_nonzero(is_dense), n, n), dtype)
        for slot, symbol in enumerate(np.flatnonzero(is_dense)):
            part = slice(begin[symbol], begin[symbol + 1])
            image = interruptible(matmul, blocks.matrix[part], B)
            dense[slot] = cast(interruptible(matmul, pseudo_inverse[prefix_rows[part]].T, image), dtype)
        in_factors = np.repeat(~is_dense, n_rows)
        used, rows = np.unique(prefix_rows[in_factors], return_inverse=True)
        return Transitions(
            dense=dense,
            dense_slot=np.where(is_dense, np.cumsum(is_dense) - 1, -1),
            left=cast(pseudo_inverse[used], dtype),
            offsets=np.concatenate([[0], np.cumsum(np.where(is_dense, 0, n_rows))]),
            rows=rows,
            right=_product(blocks.matrix[np.flatnonzero(in_factors)], B, dtype),
        )

    @property
    def n_states(self) -> int:
        """Rows and columns of each matrix."""
        return self.dense.shape[1]

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """float32 or float64."""
        return self.dense.dtype

    @property
    def nbytes(self) -> int:
        """Memory that the entries take."""
        return self.dense.nbytes + self.left.nbytes + self.right.nbytes

    def __len__(self) -> int:
        return len(self.dense_slot)

    @overload
    def __getitem__(self, symbol: int | str) -> NDArray[np.floating]: ...
    @overload
    def __getitem__(self, symbol: slice) -> list[NDArray[np.floating]]: ...
    def __getitem__(self, symbol: int | str | slice) -> NDArray[np.floating] | list[NDArray[np.floating]]:
        if isinstance(symbol, slice):
            return [self[a] for a in range(*symbol.indices(len(self)))]
        index = range(len(self))[id_of("transitions", symbol, self.alphabet)]
        if self.dense_slot[index] >= 0:
            return self.dense[self.dense_slot[index]]
        left, right = self._factors(index)
        return np.asarray(left.T @ right)

    def __iter__(self) -> Iterator[NDArray[np.floating]]:
        return (self[a] for a in range(len(self)))

    def _factors(self, symbol: int) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """The two thin factors of a symbol that is kept so, each r_a x n."""
        part = slice(self.offsets[symbol], self.offsets[symbol + 1])
        return self.left[self.rows[part]], self.right[part]

    def apply(self, states: NDArray[np.floating], symbol: int) -> NDArray[np.floating]:
        """``states @ A_a`` for row vectors `states` (m x n, or one of length n)."""
        slot = self.dense_slot[symbol]
        # OpenBLAS may raise the flag of invalid values by lanes that a product does not use (its issue 1924).
        with np.errstate(invalid="ignore"), blas_threads_for(2 * states.size * self.n_states):
            if slot >= 0:
                return np.asarray(states @ self.dense[slot])
            left, right = self._factors(symbol)
            return np.asarray((states @ left.T) @ right)

    def has_few_entries_for(self, symbols: NDArray[np.integer]) -> bool:
        """Whether gathering a matrix for each of some symbols is faster than a product for each symbol."""
        n_rows_each = len(symbols) / min(len(symbols), len(self))
        is_small = n_rows_each * (self.n_states**2 + _ROW_ENTRIES) <= _PRODUCT_ENTRIES
        return is_small and bool((self.dense_slot[symbols] >= 0).all() and (symbols >= 0).all())

    def apply_at_once(
        self, states: NDArray[np.floating], symbols: NDArray[np.integer]
    ) -> NDArray[np.floating]:
        """``states[i] @ A_symbols[i]`` for all rows i, of symbols that are kept dense."""
        return np.asarray(np.matmul(states[:, None], self.dense[self.dense_slot[symbols]])[:, 0], self.dtype)

    def times_final(self, final: NDArray[np.floating]) -> NDArray[np.floating]:
        """The matrix W, n x n_symbols, whose column a is A_a `final`."""
        W = np.zeros((len(self), self.n_states), self.dtype)
        W[self.dense_slot >= 0] = self.dense @ final
        if len(self.rows):
            shape = (len(self), len(self.left))
            weights = scipy.sparse.csr_array((self.right @ final, self.rows, self.offsets), shape=shape)
            W += weights @ self.left
        return np.ascontiguousarray(W.T)

    def truncate(self, n_states: int) -> Transitions:
        """The leading n_states x n_states part of every matrix, without copying."""
        n = n_states
        return Transitions(
            self.dense[:, :n, :n],
            self.dense_slot,
            self.left[:, :n],
            self.offsets,
            self.rows,
            self.right[:, :n],
            self.alphabet,
        )

    def astype(self, dtype: DTypeLike) -> Transitions:
        """The same in another precision; itself if it has it already."""
        if self.dtype == dtype:
            return self
        return Transitions(
            cast(self.dense, dtype),
            self.dense_slot,
            cast(self.left, dtype),
            self.offsets,
            self.rows,
            cast(self.right, dtype),
            self.alphabet,
        )


def _product(matrix: Any, B: NDArray[np.float64], dtype: DTypeLike) -> NDArray[np.floating]:
    """``matrix @ B`` in `dtype`, holding only a part of it in float64."""
    n_rows, n = matrix.shape[0], B.shape[1]
    result = np.empty((n_rows, n), dtype)
    for part in chunks(n_rows, n):
        result[part] = cast(matrix[part] @ B, dtype)
    return result


def stacked(matrices: Sequence[ArrayLike] | NDArray[np.generic], n: int) -> NDArray[np.floating]:
    """The matrices as one new array of shape (n_symbols, n, n), float32 if they all are, else float64."""
    given = listed("transitions", matrices, "a mapping or a sequence of matrices")
    arrays = [real_array("transitions", matrix) for matrix in given]
    for symbol, array in enumerate(arrays):
        if array.shape != (n, n):
            raise ValueError(
                f"transitions: that of symbol {symbol} has shape {array.shape}; {(n, n)} is needed, "
                f"as initial and final have {n} weights"
            )
    stacked = np.array(arrays).reshape(len(arrays), n, n)
    return stacked if stacked.dtype == np.float32 else cast(stacked, np.float64)


def cast(array: NDArray[np.floating], dtype: DTypeLike) -> NDArray[np.floating]:
    """The array in another precision; what is too large for it becomes infinite, for the caller to refuse."""
    with np.errstate(over="ignore"):
        return array.astype(dtype, copy=False)


def _check_range(name: str, indices: NDArray[np.integer], least: int, end: int) -> None:
    if len(indices) and not (least <= indices.min() and indices.max() < end):
        raise ValueError(f"transitions: {name} must hold indices from {least} to {end - 1}")
