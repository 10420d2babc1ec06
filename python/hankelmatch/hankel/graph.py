"""The bipartite graph of prefixes and suffixes: the pattern of the Hankel matrix."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .. import _core
from .._utils.validation import argument_named, check_flag, check_type, whole_array
from ..counting.sequence_function import FunctionLike, SequenceFunction, as_function
from ..sequences.alphabet import Alphabet
from ..sequences.strings import Strings

_MOST_INT32 = np.iinfo(np.int32).max


class PrefixSuffixGraph:
    """Prefixes on the left, suffixes on the right, an edge (p, s) wherever f(ps) is not zero.

    Made by `prefix_suffix_graph`. Rows and columns are numbered by length, the empty string first.

    Attributes
    ----------
    n_prefixes, n_suffixes, n_edges : int
        Sizes of the two sides, and the number of edges: a support string of length t gives t + 1.
    """

    def __init__(self, function: SequenceFunction) -> None:
        check_type("function", function, SequenceFunction, "a SequenceFunction")
        self._function = function
        # One trie serves both sides of a support that is closed under substrings.
        self._prefix_trie: _core.Trie32 | _core.Trie64 = function._trie
        self._suffix_trie: _core.Trie32 | _core.Trie64 | None = None
        self._core = self._make_core()
        self.n_prefixes: int = self._core.n_prefixes
        self.n_suffixes: int = self._core.n_suffixes
        self.n_edges: int = self._core.n_edges

    def _make_core(self) -> _core.PrefixSuffixGraph32 | _core.PrefixSuffixGraph64:
        f = self._function
        if f._is_closed:
            return _graph_class(f._trie)(f._trie)
        strings = f.strings()
        prefixes, prefix_nodes = _core.string_set(strings.symbols, strings.offsets)
        suffixes, suffix_nodes = _core.string_set(strings.symbols, strings.offsets, True)
        if type(prefixes) is not type(suffixes):
            prefixes, prefix_nodes = _core.string_set(strings.symbols, strings.offsets, False, True)
            suffixes, suffix_nodes = _core.string_set(strings.symbols, strings.offsets, True, True)
        self._prefix_trie, self._suffix_trie = prefixes, suffixes
        return _graph_class(prefixes)(prefixes, suffixes, prefix_nodes, suffix_nodes)

    @cached_property
    def _edges(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Index pointers and indices of the pattern; made once, since every matcher reads them."""
        matrix = self._make_edges(np.empty(0))
        return matrix.indptr, matrix.indices

    def _make_edges(self, values: NDArray[np.float64]) -> csr_array:
        make = self._core.edges32 if self._index_dtype == np.int32 else self._core.edges64
        indptr, indices, data = make(values)
        if len(data) == 0:
            data = np.ones(len(indices), np.int8)
        matrix = csr_array((data, indices, indptr), shape=self.shape)
        if self._suffix_trie is not None:  # its ids run by reversed strings, so rows are not in order yet
            matrix.sort_indices()
        return matrix

    @property
    def shape(self) -> tuple[int, int]:
        """``(n_prefixes, n_suffixes)``."""
        return self.n_prefixes, self.n_suffixes

    @property
    def _index_dtype(self) -> np.dtype[Any]:
        """What index arrays need to count the edges."""
        return np.dtype(np.int64 if self.n_edges > _MOST_INT32 else np.int32)

    @property
    def is_closed(self) -> bool:
        """Whether every substring of a support string is in the support."""
        return self._core.is_closed

    @property
    def alphabet(self) -> Alphabet:
        """The symbols, as in f."""
        return self._function.alphabet

    def to_csr(self, *, weighted: bool = False) -> csr_array:
        """The Hankel matrix of the whole support, or its pattern.

        Parameters
        ----------
        weighted : bool
            Whether the entries are f(ps) rather than ones.

        Returns
        -------
        csr_array, shape (n_prefixes, n_suffixes), dtype int8 (float64 if weighted)
            With int32 indices, int64 where there are 2^31 edges or more. The caller's own copy.
        """
        check_flag("weighted", weighted)
        if weighted:
            return self._make_edges(self._function.values())
        indptr, indices = self._edges
        return csr_array((np.ones(len(indices), np.int8), indices.copy(), indptr.copy()), shape=self.shape)

    @property
    def prefixes(self) -> Strings:
        """The string of every row."""
        return self.prefix_strings(np.arange(self.n_prefixes))

    @property
    def suffixes(self) -> Strings:
        """The string of every column."""
        return self.suffix_strings(np.arange(self.n_suffixes))

    @property
    def prefix_lengths(self) -> NDArray[np.int64]:
        """The length of the string of every row, without spelling them."""
        return _lengths(self._prefix_trie)

    @property
    def suffix_lengths(self) -> NDArray[np.int64]:
        """The length of the string of every column, without spelling them."""
        return _lengths(self._prefix_trie if self._suffix_trie is None else self._suffix_trie)

    def prefix_strings(self, rows: NDArray[np.integer]) -> Strings:
        """The strings of some rows."""
        return self._spell(self._prefix_trie, "rows", rows, reverse=False)

    def suffix_strings(self, columns: NDArray[np.integer]) -> Strings:
        """The strings of some columns."""
        if self._suffix_trie is None:
            return self._spell(self._prefix_trie, "columns", columns, reverse=False)
        return self._spell(self._suffix_trie, "columns", columns, reverse=True)

    def rows_of(self, prefixes: Strings) -> NDArray[np.integer]:
        """The row of each string, -1 where it is no prefix of the support."""
        return self._prefix_trie.find(*self._flat("prefixes", prefixes))

    def columns_of(self, suffixes: Strings) -> NDArray[np.integer]:
        """The column of each string, -1 where it is no suffix of the support."""
        symbols, offsets = self._flat("suffixes", suffixes)
        if self._suffix_trie is None:
            return self._prefix_trie.find(symbols, offsets)
        # That trie holds reversed strings: reversing all symbols reverses each one, and their order.
        found = self._suffix_trie.find(symbols[::-1].copy(), (offsets[-1] - offsets[::-1]).copy())
        return found[::-1]

    def __reduce__(self) -> tuple[Any, ...]:
        return prefix_suffix_graph, (self._function,)

    def __repr__(self) -> str:
        sizes = f"{self.n_prefixes} prefixes, {self.n_suffixes} suffixes, {self.n_edges} edges"
        return f"<PrefixSuffixGraph: {sizes}>"

    def _flat(self, argument: str, strings: Strings) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        check_type(argument, strings, Strings, "what Strings.from_sequences returns")
        if strings.alphabet != self.alphabet:
            strings = strings.reencode(self.alphabet)
        return strings.symbols, strings.offsets

    def _spell(
        self, trie: _core.Trie32 | _core.Trie64, argument: str, nodes: NDArray[Any], *, reverse: bool
    ) -> Strings:
        of_trie: Any = whole_array(argument, nodes, trie.level_begin.dtype)
        with argument_named(argument, "nodes"):
            symbols, offsets = trie.spell(of_trie, reverse)
        return Strings(symbols, offsets, self.alphabet)

    def _match_paper(
        self, order: NDArray[Any] | None = None, *, shifted_pairs: bool = True
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Mates of rows and of columns by the paper's procedure, or without one or both of its two ideas.

        `order` is of all rows, by default from the longest prefix to the shortest; without shifted pairs from
        the shortest, as rows are numbered.
        """
        indptr, indices = self._edges
        rows = np.empty(0) if order is None else np.asarray(order)
        return self._core.match_paper(indptr, indices, rows.astype(indices.dtype), shifted_pairs)

    def _match_by_weight(self, method: str) -> tuple[NDArray[Any], ...]:
        """Mates of rows and of columns by the values of f: their greatest product, or great ones preferred.

        Where the support is closed also the two sides of a vertex cover.
        """
        values = self._function.values()
        if method == "heavy" and self.is_closed:
            return self._core.match_heavy(values)[:4]
        weights = np.log(np.abs(values)) if method == "weighted" else np.abs(values)
        if self.is_closed:
            return self._core.match_heaviest(weights)[:4]
        edges = self._make_edges(weights)
        arrays = (*self.shape, edges.indptr, edges.indices, edges.data)
        if method == "heavy":
            return _core.heavy_matching(*arrays)
        return _core.maximum_weight_matching(*arrays, True)[:2]

    def _match_implicit(self, method: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """Mates of rows and of columns by a method for any graph, which reads the edges off the trie."""
        return self._core.match_implicit(method)

    def _match_hankel(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], int]:
        """Mates of rows and of columns, the two sides of a vertex cover, how many edges were looked at."""
        return self._core.match_hankel()


def _graph_class(trie: _core.Trie32 | _core.Trie64) -> Any:
    return _core.PrefixSuffixGraph32 if isinstance(trie, _core.Trie32) else _core.PrefixSuffixGraph64


def _lengths(trie: _core.Trie32 | _core.Trie64) -> NDArray[np.int64]:
    """Of the strings of all nodes, which are numbered by length."""
    sizes = np.diff(trie.level_begin)
    return np.repeat(np.arange(len(sizes)), sizes)


def prefix_suffix_graph(f: FunctionLike) -> PrefixSuffixGraph:
    """The bipartite graph of prefixes and suffixes, an edge for each nonzero entry of the Hankel matrix.

    Parameters
    ----------
    f : SequenceFunction, mapping, or (strings, values)
        Any function with a non-empty support, closed under substrings or not; plain values are taken as
        `SequenceFunction.from_dict` and `from_strings` take them.

    Returns
    -------
    PrefixSuffixGraph

    Raises
    ------
    ValueError
        If f is zero everywhere.
    TypeError
        If f is of another class.

    Notes
    -----
    If the support is closed under substrings (as for `substring_expectations`), the graph is a view of f's
    own trie; else two tries hold the support's prefixes and suffixes. The list of edges is made when it is
    first needed, in time and memory linear in the edges.

    References
    ----------
    Quattoni, Carreras, Gallé (2017), section 3 and figure 1.

    Examples
    --------
    >>> from hankelmatch import SequenceFunction, prefix_suffix_graph
    >>> support = ["", "aab", "b", "bb", "c", "ca", "cb"]
    >>> graph = prefix_suffix_graph(SequenceFunction.from_dict({x: 1.0 for x in support}))
    >>> graph.n_prefixes, graph.n_suffixes, graph.n_edges
    (9, 9, 18)
    """
    f = as_function(f)
    if len(f) == 0:
        raise ValueError("f: it is zero on all strings; a graph needs at least one string in the support")
    return PrefixSuffixGraph(f)
