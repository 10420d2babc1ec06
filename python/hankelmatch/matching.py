"""Maximum matchings of sparse matrices: the largest sets of entries no two of which share a row or a column."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from hankelmatch import _core
from hankelmatch._validation import Pattern, as_pattern, is_sparse

__all__ = ["Matching", "match", "maximum_bipartite_matching", "structural_rank"]

Ids = np.ndarray[Any, Any]


class Matching:
    """A maximum matching, as `match` returns it.

    Attributes
    ----------
    size : int
        The number of edges. For a matrix this is its structural rank.
    row_mate : ndarray of int
        The column of each row, -1 where there is none. Read-only.
    col_mate : ndarray of int
        The row of each column, -1 where there is none. Read-only.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import match
    >>> matching = match(csr_array([[1, 1, 0], [0, 1, 0], [1, 1, 0]]))
    >>> matching.size
    2
    >>> rows, cols = matching.minimum_vertex_cover()
    >>> rows, cols
    (array([], dtype=int32), array([0, 1], dtype=int32))
    """

    def __init__(self, row_mate: Ids, col_mate: Ids, graph: Any) -> None:
        self.size = int(np.count_nonzero(row_mate != -1))
        self.row_mate = _read_only(row_mate)
        self.col_mate = _read_only(col_mate)
        self._graph = graph

    def __repr__(self) -> str:
        return f"<Matching of size {self.size} of {len(self.row_mate)} rows and {len(self.col_mate)} columns>"

    def pairs(self) -> tuple[Ids, Ids]:
        """Give the edges as two arrays, the matched rows by increasing id and their columns.

        Returns
        -------
        rows, cols : ndarray of int
        """
        rows = np.flatnonzero(self.row_mate != -1).astype(self.row_mate.dtype)
        return rows, self.row_mate[rows]

    def minimum_vertex_cover(self) -> tuple[Ids, Ids]:
        """Find rows and columns that touch every edge, as many together as the matching has edges.

        It is the certificate of the matching: every edge of a matching needs a node of its own in any cover, so no
        matching is larger and no cover is smaller.

        Returns
        -------
        rows, cols : ndarray of int
            Ids in increasing order; ``len(rows) + len(cols) == size``.

        Raises
        ------
        ValueError
            If the graph has been changed since, so that the matching is not a maximum one of it any more.

        Notes
        -----
        O(nodes + edges).

        References
        ----------
        .. [1] D. Konig, "Grafok es matrixok", Matematikai es Fizikai Lapok 38 (1931), 116-119.
        """
        return _core.minimum_vertex_cover(*_pattern(self._graph), self.row_mate, self.col_mate)

    def maximum_independent_set(self) -> tuple[Ids, Ids]:
        """Find as many rows and columns as there can be without an edge between any two of them.

        Returns
        -------
        rows, cols : ndarray of int
            Ids in increasing order: all that are not in `minimum_vertex_cover`.

        Raises
        ------
        ValueError
            As for `minimum_vertex_cover`.
        """
        rows, cols = self.minimum_vertex_cover()
        return _complement(rows, self.row_mate), _complement(cols, self.col_mate)

    def is_valid(self, graph: Any) -> bool:
        """Tell whether it is a matching of this graph: every pair is an edge, and rows and columns agree.

        Parameters
        ----------
        graph : sparse array or matrix, or PrefixSuffixGraph

        Returns
        -------
        bool
        """
        return _core.is_valid_matching(*self._same_index_type(graph))

    def is_maximum(self, graph: Any) -> bool:
        """Tell whether it is a matching of this graph, and none is larger.

        Parameters
        ----------
        graph : sparse array or matrix, or PrefixSuffixGraph

        Returns
        -------
        bool

        Notes
        -----
        O(nodes + edges): one breadth-first search for an augmenting path.
        """
        return _core.is_maximum_matching(*self._same_index_type(graph))

    def _same_index_type(self, graph: Any) -> tuple[Any, ...]:
        pattern = _pattern(graph)
        return *pattern, *_mates(self, pattern)


def match(graph: Any, method: str = "auto", initial: Matching | None = None) -> Matching:
    """Find a maximum matching of the rows with the columns of a sparse matrix, or of a prefix-suffix graph.

    Parameters
    ----------
    graph : sparse array or matrix, or PrefixSuffixGraph
        Every stored entry is an edge between its row and its column, explicit zeros too. Entries may repeat and need
        not be sorted. It is not modified, and not copied if it is CSR with int32 or int64 indices; do not change it
        from another thread meanwhile.
    method : str
        ``"auto"``, ``"augmenting-path"``, ``"hopcroft-karp"``; for a prefix-suffix graph also ``"paper"``. All find
        the same size; they differ in time, and in which of several maximum matchings they find.
    initial : Matching, optional
        A matching to start from, such as the one found before the graph was changed: pairs that are not edges any
        more are dropped, and only free rows are worked on.

    Returns
    -------
    Matching

    Raises
    ------
    TypeError
        If `graph` is not sparse.
    ValueError
        If its arrays contradict one another, `method` is unknown, or `initial` has another shape.

    Notes
    -----
    The GIL is released, and Ctrl-C stops it.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import match
    >>> match(csr_array([[1, 1], [1, 0]])).row_mate
    array([1, 0], dtype=int32)
    """
    if method == "paper":
        return _match_as_paper(graph)
    core_method = method
    if method in ("auto", "augmenting-path") and _is_hankel(graph):
        core_method = "augmenting-path-descending"  # long prefixes first: they have the fewest edges
    pattern = _pattern(graph)
    row_mate, col_mate = (None, None) if initial is None else _mates(initial, pattern)
    _, row_mate, col_mate = _core.match(*pattern, core_method, row_mate, col_mate)
    return Matching(row_mate, col_mate, graph)


def maximum_bipartite_matching(graph: Any, perm_type: Literal["row", "column"] = "row") -> Ids:
    """Find a maximum matching; a drop-in replacement for `scipy.sparse.csgraph.maximum_bipartite_matching`.

    Parameters
    ----------
    graph : sparse array or matrix in CSR, CSC or COO format
        Every stored entry is an edge between its row and its column, explicit zeros too.
    perm_type : {'row', 'column'}
        ``'row'``: return the row matched to each column; ``'column'``: the column matched to each row. As in scipy,
        any other value means ``'row'``.

    Returns
    -------
    perm : ndarray of int32
        -1 where there is none. (int64 if there are 2^31 rows or columns.)

    Raises
    ------
    TypeError
        If `graph` is not sparse, or in another format.
    ValueError
        If its arrays contradict one another.

    See Also
    --------
    match : both directions at once, the certificate, a choice of methods.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import maximum_bipartite_matching
    >>> graph = csr_array([[0, 0, 1], [1, 1, 0]])
    >>> maximum_bipartite_matching(graph, perm_type="column")
    array([2, 0], dtype=int32)
    >>> maximum_bipartite_matching(graph, perm_type="row")
    array([ 1, -1,  0], dtype=int32)
    """
    pattern = as_pattern(graph)
    if sp.issparse(graph) and graph.format not in ("csr", "csc", "coo"):
        raise TypeError("graph must be in CSC, CSR, or COO format.")
    _, row_mate, col_mate = _core.match(*pattern, "auto", None, None)
    mates = col_mate if perm_type != "column" else row_mate
    return (
        mates
        if max(pattern.n_rows, pattern.n_cols) > np.iinfo(np.int32).max
        else mates.astype(np.int32, copy=False)
    )


def structural_rank(graph: Any) -> np.int64:
    """Compute the structural rank; a drop-in replacement for `scipy.sparse.csgraph.structural_rank`.

    It is the size of a maximum matching, and the largest rank of any matrix with this pattern.

    Parameters
    ----------
    graph : sparse array or matrix
        Every stored entry counts, explicit zeros too. Formats other than CSR, CSC and COO warn, as in scipy.

    Returns
    -------
    rank : numpy.int64

    Raises
    ------
    TypeError
        If `graph` is not sparse.
    ValueError
        If its arrays contradict one another.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import structural_rank
    >>> int(structural_rank(csr_array([[0, 1, 2], [0, 1, 0], [0, 3, 0]])))
    2
    """
    if sp.issparse(graph) and graph.format not in ("csr", "csc", "coo"):
        warnings.warn(
            "Input matrix should be in CSC, CSR, or COO matrix format",
            sp.SparseEfficiencyWarning,
            stacklevel=2,
        )
    size, _, _ = _core.match(*as_pattern(graph), "auto", None, None)
    return np.int64(size)


def _is_hankel(graph: Any) -> bool:
    return not is_sparse(graph) and hasattr(graph, "to_csr")


def _pattern(graph: Any) -> Pattern:
    return as_pattern(graph.to_csr() if _is_hankel(graph) else graph)


def _match_as_paper(graph: Any) -> Matching:
    if not _is_hankel(graph):
        raise ValueError('method "paper" needs a PrefixSuffixGraph: a plain matrix has no shifted pairs')
    row_mate, col_mate = graph._match_paper()
    return Matching(row_mate, col_mate, graph)


def _mates(matching: Matching, pattern: Pattern) -> tuple[Ids, Ids]:
    dtype = pattern.indices.dtype
    return matching.row_mate.astype(dtype, copy=False), matching.col_mate.astype(dtype, copy=False)


def _complement(ids: Ids, mates: Ids) -> Ids:
    absent = np.ones(len(mates), dtype=bool)
    absent[ids] = False
    return np.flatnonzero(absent).astype(ids.dtype)


def _read_only(array: Ids) -> Ids:
    array.flags.writeable = False
    return array
