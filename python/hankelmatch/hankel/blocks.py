"""The Hankel matrices of a basis: H, and H_a for every symbol a."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, overload

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._utils.progress import Progress
from .._utils.sparse_formats import checked_csr
from .._utils.types import MatrixLike
from .._utils.validation import (
    check_type,
    checked_n_sequences,
    checked_whole,
    is_sparse,
    listed,
    real_array,
    refuse_infinite,
)
from ..counting.sequence_function import FunctionLike, as_function
from ..sequences.alphabet import Alphabet, check_alphabet, id_of
from ..sequences.strings import Strings
from .basis import Basis, BasisLike, as_basis
from .black_box import AskedFunction, BlackBox, as_black_box, is_black_box, products, single_symbols
from .graph import PrefixSuffixGraph, prefix_suffix_graph

_Label = TypeVar("_Label", bound=Hashable)

_MOST_STRINGS = 1 << 20  # that a black box is handed at a time


@dataclass(frozen=True, eq=False)
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
    alphabet : Alphabet or None
        The labels, by which a symbol can be named too: ``H_sigma["b"]``. A whole number is an id.
    """

    offsets: NDArray[np.int64]
    rows: NDArray[np.integer]
    matrix: csr_array
    n_prefixes: int
    alphabet: Alphabet | None = None

    @classmethod
    def from_matrices(cls, matrices: Sequence[csr_array]) -> SymbolBlocks:
        """Keep the given matrices, at least one and all of one shape, by their nonzero rows."""
        rows = [np.flatnonzero(np.diff(matrix.indptr)) for matrix in matrices]
        return cls(
            offsets=np.cumsum([0, *map(len, rows)], dtype=np.int64),
            rows=np.concatenate(rows),
            matrix=csr_array(scipy.sparse.vstack([m[r] for m, r in zip(matrices, rows, strict=True)])),
            n_prefixes=matrices[0].shape[0],
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int | str) -> csr_array: ...
    @overload
    def __getitem__(self, index: slice) -> list[csr_array]: ...
    def __getitem__(self, index: int | str | slice) -> csr_array | list[csr_array]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        symbol = range(len(self))[id_of("H_sigma", index, self.alphabet)]
        begin, end = int(self.offsets[symbol]), int(self.offsets[symbol + 1])
        starts = self.matrix.indptr[begin : end + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        sizes = np.zeros(self.n_prefixes + 1, self.matrix.indptr.dtype)
        sizes[self.rows[begin:end] + 1] = np.diff(starts)
        parts = (self.matrix.data[entries], self.matrix.indices[entries], np.cumsum(sizes, dtype=sizes.dtype))
        return csr_array(parts, shape=(self.n_prefixes, self.matrix.shape[1]), copy=True)


@dataclass(frozen=True, eq=False, repr=False)
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
    basis : Basis or None
        The prefixes and suffixes; None if the matrices were given without.
    alphabet : Alphabet
        The symbols.
    n_sequences : float or None
        How many sequences f was estimated from, or the sum of their weights.
    max_length : int or None
        Length of the longest string whose value was known: of f's support, or of what a black box was asked.
    n_queries : int or None
        How many distinct strings a black box had been asked for when this was made; None for other functions.
    """

    H: csr_array
    h_prefix: NDArray[np.float64]
    h_suffix: NDArray[np.float64]
    H_sigma: SymbolBlocks
    basis: Basis | None
    alphabet: Alphabet
    n_sequences: float | None
    max_length: int | None
    n_queries: int | None = None

    def __post_init__(self) -> None:
        if self.H_sigma.alphabet is None:
            object.__setattr__(self, "H_sigma", replace(self.H_sigma, alphabet=self.alphabet))

    def __repr__(self) -> str:
        rows, columns = self.H.shape
        sizes = f"{rows} prefixes, {columns} suffixes, {len(self.alphabet)} symbols, {self.H.nnz} entries"
        return f"<HankelBlocks: {sizes}>"

    @classmethod
    def from_matrices(
        cls,
        H: MatrixLike,
        H_sigma: Mapping[_Label, MatrixLike] | Sequence[MatrixLike] | NDArray[np.generic],
        h_prefix: MatrixLike | None = None,
        h_suffix: MatrixLike | None = None,
        *,
        basis: BasisLike | None = None,
        alphabet: Alphabet | None = None,
        n_sequences: float | None = None,
        max_length: int | None = None,
    ) -> HankelBlocks:
        """Blocks from matrices of your own, scipy's sparse ones or dense.

        Parameters
        ----------
        H : sparse array or array_like, shape (n_prefixes, n_suffixes)
            The entries H(p, s) = f(ps).
        H_sigma : mapping, sequence or array
            The entries H_a(p, s) = f(pas) for every symbol a, each as H: a mapping from label to matrix, a
            sequence by symbol id, or an array of shape (n_symbols, n_prefixes, n_suffixes).
        h_prefix, h_suffix : array_like, shape (n_prefixes,) and (n_suffixes,), optional
            The values f(p) and f(s). By default the column and the row of H that are those of the empty
            string: where `basis` has it, or else column 0 and row 0.
        basis : Basis or pair of lists of strings, optional
            The prefixes and suffixes.
        alphabet : Alphabet, optional
            By default the keys of a mapping in their order, or else 0, 1, 2, ....
        n_sequences : float, optional
            How many sequences f was estimated from; `LanguageModel` scales with it.
        max_length : int, optional
            Length of the longest string whose value was known. `learn_automaton` keeps it where `n_sequences`
            is given: values that were not estimated are right for strings of any length.

        Returns
        -------
        HankelBlocks
            Float64 copies.

        Raises
        ------
        ValueError
            If shapes do not fit, there is not one matrix for each symbol, an entry is no real number, NaN or
            infinite, or `basis` lacks the empty string where that is needed.
        TypeError
            If `alphabet` or `basis` is of another class.

        Examples
        --------
        >>> from hankelmatch import HankelBlocks, learn_automaton
        >>> H, H_a = [[1.0, 0.5], [0.5, 0.25]], [[0.5, 0.25], [0.25, 0.125]]
        >>> blocks = HankelBlocks.from_matrices(H, {"a": H_a})
        >>> automaton = learn_automaton(blocks)
        >>> automaton.n_states, round(automaton("aaa"), 9)
        (1, 0.125)
        """
        whole = _own_matrix("H", H)
        alphabet, matrices = _own_blocks(H_sigma, alphabet, whole.shape)
        max_length = None if max_length is None else checked_whole("max_length", max_length, 0)
        own = None if basis is None else as_basis(basis)
        if own is not None and own.shape != whole.shape:
            raise ValueError(f"basis: it is {own.shape}, but H is {whole.shape}; give that of H")
        if h_prefix is None:
            h_prefix = whole[:, [_place_of_empty("suffixes", own, whole.shape[1])]].toarray()
        if h_suffix is None:
            h_suffix = whole[[_place_of_empty("prefixes", own, whole.shape[0])]].toarray()
        return cls(
            H=whole,
            h_prefix=_own_vector("h_prefix", h_prefix, whole.shape[0]),
            h_suffix=_own_vector("h_suffix", h_suffix, whole.shape[1]),
            H_sigma=SymbolBlocks.from_matrices(matrices),
            basis=own,
            alphabet=alphabet,
            n_sequences=checked_n_sequences(n_sequences),
            max_length=max_length,
        )


def hankel_blocks(
    f: FunctionLike | BlackBox | AskedFunction,
    basis: BasisLike,
    alphabet: Alphabet | Iterable[Hashable] | None = None,
    *,
    graph: PrefixSuffixGraph | None = None,
    progress: Progress | None = None,
) -> HankelBlocks:
    """Fill the Hankel matrices of a basis from f.

    Parameters
    ----------
    f : SequenceFunction, mapping, (strings, values), BlackBox, or callable
        The function. A callable takes a list of strings, each a tuple of labels, and returns their values,
        see `BlackBox`; each distinct string is asked for once.
    basis : Basis or pair of lists of strings
        Any prefixes and suffixes, read by label. Those outside the support of f give zero rows and columns.
    alphabet : Alphabet or iterable of labels, optional
        The symbols of a callable; not for functions that have an alphabet.
    graph : PrefixSuffixGraph, optional
        The graph of f, to use in place of a new one.
    progress : Progress, optional
        For a callable: reports how many strings have been asked for. By default on a terminal only.

    Returns
    -------
    HankelBlocks

    Raises
    ------
    ValueError
        If `graph` was made of another function, `alphabet` is not that of f, or a callable's answer is not
        one finite real number for each string.
    TypeError
        If an argument is of another class, or a callable comes without `alphabet`.

    Notes
    -----
    One pass over the cuts of all support strings, that is O(edges of the graph), for H and all H_a
    together, then sorting the entries found.

    A callable gets at most ``|P| |S| (symbols + 1)`` distinct strings if the empty string is among prefixes
    and suffixes (see `Basis.with_empty_first`), else also each p and each s. Its matrices are dense.

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

    Of a callable, here the number of a's:

    >>> blocks = hankel_blocks(lambda strings: [x.count("a") for x in strings], (["", "a"], ["", "a"]), "ab")
    >>> blocks.H.toarray(), blocks.n_queries
    (array([[0., 1.],
           [1., 2.]]), 8)
    """
    basis = as_basis(basis)
    check_type("progress", progress, (Progress, type(None)), "a Progress")
    if is_black_box(f):
        if graph is not None:
            raise TypeError("graph: a callable has none; leave it out")
        return _asked_blocks(as_black_box(f, alphabet, progress), basis)
    function = as_function(f, alphabet)
    if graph is None:
        graph = prefix_suffix_graph(function)
    check_type("graph", graph, PrefixSuffixGraph, "what prefix_suffix_graph(f) returns")
    if graph._function is not function:
        raise ValueError("graph: it was made of another function; give prefix_suffix_graph(f), or none")
    n_rows, n_columns = basis.shape
    found = graph._core.hankel_blocks(
        function.values(),
        _places(graph.rows_of(basis.prefixes), graph.n_prefixes, graph._index_dtype),
        _places(graph.columns_of(basis.suffixes), graph.n_suffixes, graph._index_dtype),
        n_rows,
        n_columns,
        len(function.alphabet),
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
        alphabet=function.alphabet,
        n_sequences=function.n_sequences,
        max_length=function.max_length,
    )


def _asked_blocks(box: BlackBox, basis: Basis) -> HankelBlocks:
    """The blocks of a callable."""
    prefixes, suffixes = basis.prefixes.reencode(box.alphabet), basis.suffixes.reencode(box.alphabet)
    symbols = single_symbols(box.alphabet)
    H = asked_matrix(box, prefixes, suffixes)
    if len(symbols) == 0:
        raise ValueError("alphabet: it has no symbols; give those of the strings that the function is of")
    extended = asked_matrix(box, products(prefixes, symbols), suffixes)
    by_symbol = extended.reshape(len(prefixes), len(symbols), len(suffixes)).swapaxes(0, 1)
    lengths = [int(side.lengths.max(initial=0)) for side in (prefixes, suffixes)]
    return HankelBlocks(
        H=csr_array(H),
        h_prefix=box.values_of(prefixes),
        h_suffix=box.values_of(suffixes),
        H_sigma=SymbolBlocks.from_matrices([csr_array(matrix) for matrix in by_symbol]),
        basis=basis,
        alphabet=box.alphabet,
        n_sequences=None,
        max_length=sum(lengths) + 1,
        n_queries=box.n_queries,
    )


def asked_matrix(box: BlackBox, prefixes: Strings, suffixes: Strings) -> NDArray[np.float64]:
    """The values f(ps) of a callable, dense; the strings have its alphabet."""
    matrix = np.empty((len(prefixes), len(suffixes)))
    step = max(1, _MOST_STRINGS // max(1, len(suffixes)))
    for first in range(0, len(prefixes), step):
        rows = prefixes[first : first + step]
        values = box.values_of(products(rows, suffixes))
        matrix[first : first + step] = values.reshape(len(rows), len(suffixes))
    return matrix


def _own_matrix(argument: str, matrix: Any) -> csr_array:
    """A float64 copy of a matrix, of which only entries that are not zero are stored."""
    if is_sparse(matrix):
        matrix = matrix.to_scipy_sparse() if hasattr(matrix, "to_scipy_sparse") else matrix
        if matrix.ndim != 2:
            raise ValueError(f"{argument}: 2 dimensions are needed, prefixes and suffixes, not {matrix.ndim}")
        checked = checked_csr(matrix, argument)
        real_array(argument, np.empty(0, checked.dtype))
        own = csr_array(checked, dtype=np.float64, copy=True)
    else:
        dense = real_array(argument, matrix)
        if dense.ndim != 2:
            raise ValueError(f"{argument}: 2 dimensions are needed, prefixes and suffixes, not {dense.ndim}")
        own = csr_array(dense.astype(np.float64))
    own.sum_duplicates()
    own.eliminate_zeros()
    refuse_infinite(argument, own.data)
    return own


def _own_blocks(
    given: Any, alphabet: Alphabet | None, shape: tuple[int, int]
) -> tuple[Alphabet, list[csr_array]]:
    """The alphabet, and the matrices of all symbols by id."""
    if alphabet is not None:
        check_alphabet(alphabet)
    if isinstance(given, Mapping):
        alphabet = Alphabet(given) if alphabet is None else alphabet
        if set(given) != set(alphabet.labels):
            raise ValueError(f"H_sigma: one matrix for each of the labels {alphabet.labels[:5]} is needed")
        given = [given[label] for label in alphabet.labels]
    given = listed("H_sigma", given, "a mapping or a sequence of matrices")
    alphabet = Alphabet(range(len(given))) if alphabet is None else alphabet
    if len(given) != len(alphabet) or len(given) == 0:
        raise ValueError(f"H_sigma: {len(given)} matrices for {len(alphabet)} symbols; give one for each")
    names = [f"H_sigma[{label!r}]" for label in alphabet.labels]
    matrices = [_own_matrix(name, matrix) for name, matrix in zip(names, given, strict=True)]
    for name, matrix in zip(names, matrices, strict=True):
        if matrix.shape != shape:
            raise ValueError(f"{name}: it is {matrix.shape}, but H is {shape}")
    return alphabet, matrices


def _own_vector(argument: str, values: Any, length: int) -> NDArray[np.float64]:
    """A float64 copy of a vector, given as such or as a matrix of one row or column."""
    is_sparse = scipy.sparse.issparse(values)
    given: Any = checked_csr(values, argument) if is_sparse else real_array(argument, values)
    shape = given.shape
    if len(shape) not in (1, 2) or math.prod(shape) != length or max(shape, default=0) != length:
        raise ValueError(f"{argument}: shape {shape} given; {(length,)} is needed, as H is")
    vector = real_array(argument, given.toarray() if is_sparse else given).astype(np.float64)
    refuse_infinite(argument, vector)
    return vector.ravel()


def _place_of_empty(side: str, basis: Basis | None, n_strings: int) -> int:
    """The row or column of the empty string; by custom the first."""
    empty = range(min(1, n_strings)) if basis is None else np.flatnonzero(getattr(basis, side).lengths == 0)
    if len(empty) == 0:
        argument = "h_prefix" if side == "suffixes" else "h_suffix"
        raise ValueError(f"{argument}: it is needed, since there is no empty string among the {side}")
    return int(empty[0])


def _places(ids: NDArray[Any], n_ids: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """For every id of the graph its place in the basis, -1 where it has none."""
    places = np.full(n_ids, -1, dtype)
    known = np.flatnonzero(ids >= 0)
    places[ids[known]] = known
    return places


def _matrix(parts: tuple[NDArray[Any], NDArray[Any], NDArray[Any]], shape: tuple[int, int]) -> csr_array:
    indptr, indices, data = parts
    return csr_array((data, indices, indptr), shape=shape)
