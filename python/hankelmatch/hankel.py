"""Sixth stage: the Hankel matrices of a basis, H and H_a for every symbol a."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .basis import Basis
from .corpus import Alphabet
from .graph import PrefixSuffixGraph, prefix_suffix_graph
from .statistics import SequenceFunction

__all__ = ["HankelBlocks", "SymbolBlocks", "hankel_blocks"]


@dataclass(frozen=True)
class SymbolBlocks(Sequence[csr_array]):
    """The matrices H_a by symbol id, kept by their nonzero rows.

    With many symbols most H_a have few rows, so all of them are one sparse matrix: the nonzero rows of H_0,
    then those of H_1, and so on. ``blocks[a]`` makes H_a as a `csr_array` when it is asked for.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_symbols + 1,)
        The rows of H_a are rows ``offsets[a]`` to ``offsets[a + 1] - 1`` of `matrix`.
    rows : ndarray of int
        Which prefix each row of `matrix` belongs to; ascending for each symbol.
    matrix : csr_array, shape (n_rows, n_suffixes)
        The rows.
    n_prefixes : int
        Number of rows of every H_a.
    """

    offsets: NDArray[np.int64]
    rows: NDArray[Any]
    matrix: csr_array
    n_prefixes: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> csr_array: ...
    @overload
    def __getitem__(self, index: slice) -> list[csr_array]: ...
    def __getitem__(self, index: int | slice) -> csr_array | list[csr_array]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        symbol = range(len(self))[index]
        begin, end = int(self.offsets[symbol]), int(self.offsets[symbol + 1])
        starts = self.matrix.indptr[begin : end + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        sizes = np.zeros(self.n_prefixes + 1, self.matrix.indptr.dtype)
        sizes[self.rows[begin:end] + 1] = np.diff(starts)
        parts = (self.matrix.data[entries], self.matrix.indices[entries], np.cumsum(sizes, dtype=sizes.dtype))
        return csr_array(parts, shape=(self.n_prefixes, self.matrix.shape[1]))


@dataclass(frozen=True)
class HankelBlocks:
    """The Hankel matrices of f over a basis (P, S).

    Attributes
    ----------
    H : csr_array of float64, shape (n_prefixes, n_suffixes)
        H(p, s) = f(ps).
    h_prefix : ndarray of float64, shape (n_prefixes,)
        f(p).
    h_suffix : ndarray of float64, shape (n_suffixes,)
        f(s).
    H_sigma : SymbolBlocks
        By symbol id a, H_a(p, s) = f(pas), each as H.
    basis : Basis
        The prefixes and suffixes.
    alphabet : Alphabet
        The symbols.
    n_sequences : int or None
        How many sequences f was estimated from.
    max_length : int
        Length of the longest string of f's support.
    """

    H: csr_array
    h_prefix: NDArray[np.float64]
    h_suffix: NDArray[np.float64]
    H_sigma: SymbolBlocks
    basis: Basis
    alphabet: Alphabet
    n_sequences: int | None
    max_length: int


def hankel_blocks(
    f: SequenceFunction, basis: Basis, *, graph: PrefixSuffixGraph | None = None
) -> HankelBlocks:
    """Fill the Hankel matrices of a basis from f.

    Parameters
    ----------
    f : SequenceFunction
        The function.
    basis : Basis
        Any prefixes and suffixes; read by label. Those that f's support has none of give zero rows and
        columns.
    graph : PrefixSuffixGraph, optional
        The graph of f, where it is there already.

    Returns
    -------
    HankelBlocks

    Raises
    ------
    ValueError
        If `graph` was made of another function.

    Notes
    -----
    One pass over the cuts of all support strings, that is O(edges of the graph), for H and all H_a
    together, then sorting the entries found.

    References
    ----------
    Quattoni, Carreras, Gallé (2017), section 2.3, step 2.

    Examples
    --------
    >>> from hankelmatch import Basis, SequenceFunction, hankel_blocks
    >>> f = SequenceFunction.from_dict({"": 3.0, "a": 1.0, "ab": 0.5})
    >>> blocks = hankel_blocks(f, Basis(["", "a"], ["", "b"]))
    >>> blocks.H.toarray()
    array([[3. , 0. ],
           [1. , 0.5]])
    >>> blocks.H_sigma[f.alphabet.id("a")].toarray()
    array([[1. , 0.5],
           [0. , 0. ]])
    """
    if graph is None:
        graph = prefix_suffix_graph(f)
    elif graph._function is not f:
        raise ValueError("graph: it was made of another function; give prefix_suffix_graph(f), or none")
    n_rows, n_columns = basis.shape
    found = graph._core.hankel_blocks(
        f.values(),
        _places(graph.rows_of(basis.prefixes), graph.n_prefixes, graph._index_dtype),
        _places(graph.columns_of(basis.suffixes), graph.n_suffixes, graph._index_dtype),
        n_rows,
        n_columns,
        len(f.alphabet),
    )
    return HankelBlocks(
        H=_matrix(found["h"], basis.shape),
        h_prefix=found["h_prefix"],
        h_suffix=found["h_suffix"],
        H_sigma=SymbolBlocks(
            found["symbol_begin"],
            found["transition_rows"],
            _matrix(found["transitions"], (len(found["transition_rows"]), n_columns)),
            n_rows,
        ),
        basis=basis,
        alphabet=f.alphabet,
        n_sequences=f.n_sequences,
        max_length=f.max_length,
    )


def _places(ids: NDArray[Any], n_ids: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """For every id of the graph its place in the basis, -1 where it has none."""
    places = np.full(n_ids, -1, dtype)
    known = np.flatnonzero(ids >= 0)
    places[ids[known]] = known
    return places


def _matrix(parts: tuple[NDArray[Any], NDArray[Any], NDArray[Any]], shape: tuple[int, int]) -> csr_array:
    indptr, indices, data = parts
    return csr_array((data, indices, indptr), shape=shape)
