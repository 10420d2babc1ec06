"""Matchings in which a row or a column may have several mates: b-matchings."""

from collections.abc import Hashable
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from ... import _core
from ..._utils.validation import Pattern, real_array
from ..graphs import Graph, Ids, known_graph, pattern_of
from ..maximum import match

Counts: TypeAlias = NDArray[np.int64]


class Cut(NamedTuple):
    """Why no more edges can be chosen, as `CapacityMatching.minimum_cut` returns it.

    Attributes
    ----------
    rows, cols : ndarray of int
        These are full.
    edge_rows, edge_cols : ndarray of int
        The ends of all edges between other rows and other columns; these are all chosen.
    """

    rows: Ids
    cols: Ids
    edge_rows: Ids
    edge_cols: Ids


class CapacityMatching:
    """A largest set of edges within capacities, as `match_with_capacities` returns it.

    Attributes
    ----------
    size : int
        The number of edges chosen.
    chosen : csr_array of bool
        The edges chosen.
    row_capacities, col_capacities : ndarray of int
        How many edges each row and column may have.
    row_labels, col_labels : ndarray
        Names of rows and columns; numbers where the graph has none.
    """

    def __init__(
        self, chosen: sp.csr_array, graph: Graph, row_capacities: Counts, col_capacities: Counts
    ) -> None:
        self.chosen = chosen
        self.size = int(chosen.nnz)
        self.row_capacities = row_capacities
        self.col_capacities = col_capacities
        self._graph = graph
        row_labels, col_labels = (getattr(graph, f"{side}_labels", None) for side in ("row", "col"))
        self.row_labels = np.arange(chosen.shape[0]) if row_labels is None else row_labels
        self.col_labels = np.arange(chosen.shape[1]) if col_labels is None else col_labels

    def __repr__(self) -> str:
        return "<CapacityMatching of {} edges of {} rows and {} columns>".format(
            self.size, *self.chosen.shape
        )

    def pairs(self) -> tuple[Ids, Ids]:
        """Give the edges as two arrays, rows by increasing id and their columns.

        Returns
        -------
        rows, cols : ndarray of int
        """
        rows = np.repeat(np.arange(self.chosen.shape[0]), np.diff(self.chosen.indptr))
        return rows, self.chosen.indices

    def labelled_pairs(self) -> list[tuple[Hashable, Hashable]]:
        """Give the edges by the names of their ends.

        Returns
        -------
        list of (row, column)
        """
        rows, cols = self.pairs()
        return list(zip(self.row_labels[rows].tolist(), self.col_labels[cols].tolist(), strict=True))

    def minimum_cut(self) -> Cut:
        """Find the proof that no more edges can be chosen.

        The capacities of the cut's rows and columns and its edges add up to `size`; every edge has an end
        among the former or is one of the latter.

        Returns
        -------
        Cut

        Raises
        ------
        ValueError
            If the graph has been changed since, so that more could be chosen.
        """
        return _cut(pattern_of(self._graph), self)

    def is_maximum(self, graph: Graph) -> bool:
        """Whether its edges are this graph's, within the capacities, and no more can be chosen.

        Parameters
        ----------
        graph : graph of any kind that `match` takes

        Returns
        -------
        bool
        """
        pattern = pattern_of(graph)
        if self.chosen.shape != pattern[:2]:
            return False
        if sp.csr_array(_single(pattern) - self.chosen.astype(np.int8)).data.min(initial=0) < 0:
            return False
        within = (np.diff(self.chosen.indptr) <= self.row_capacities).all()
        within &= (np.bincount(self.chosen.indices, minlength=pattern.n_cols) <= self.col_capacities).all()
        try:
            return bool(within) and _cut(pattern, self) is not None
        except ValueError:
            return False


def match_with_capacities(
    graph: Graph, row_capacities: ArrayLike = 1, col_capacities: ArrayLike = 1
) -> CapacityMatching:
    """Choose as many edges as possible, with at most so many at each row and column: a maximum b-matching.

    Parameters
    ----------
    graph : sparse array or matrix, PrefixSuffixGraph, or another kind of graph
        As for `match`. Each edge can be chosen once, however often its entry is repeated.
    row_capacities, col_capacities : int or array_like of int
        How many edges each row, and each column, may have, from 0; one number for all of them, or one each.

    Returns
    -------
    CapacityMatching

    Raises
    ------
    TypeError
        If `graph` is no graph of a known kind.
    ValueError
        If its arrays contradict one another, or capacities are not whole numbers from 0, one for all or one
        for each.

    See Also
    --------
    match : one mate for each row and column.

    Notes
    -----
    A maximum flow [1]_ by `scipy.sparse.csgraph.maximum_flow`, Dinic's algorithm: O(m sqrt(m)) for m edges,
    since all of them have capacity 1. Where every capacity is 1 it is `match`, which is faster.

    References
    ----------
    .. [1] L. R. Ford, D. R. Fulkerson, "Flows in networks", Princeton University Press 1962, chapter II.

    Examples
    --------
    >>> from hankelmatch import match_with_capacities
    >>> wishes = {"ann": ["chess", "choir"], "bob": ["chess"], "cy": ["chess"]}
    >>> match_with_capacities(wishes, row_capacities=2, col_capacities=[2, 1]).size
    3
    """
    graph = known_graph(graph)
    pattern = pattern_of(graph)
    rows = _capacities("row_capacities", row_capacities, pattern.n_rows)
    cols = _capacities("col_capacities", col_capacities, pattern.n_cols)
    empty = np.empty(0, pattern.indices.dtype)
    _core.is_valid_matching(*pattern, empty, empty)  # checks the graph's arrays
    if (rows == 1).all() and (cols == 1).all():
        pairs = match(graph).pairs()
        chosen = sp.csr_array(sp.coo_array((np.ones(len(pairs[0]), bool), pairs), shape=pattern[:2]))
    else:
        chosen = _by_flow(_single(pattern), rows, cols)
    return CapacityMatching(chosen, graph, rows, cols)


def _capacities(argument: str, values: ArrayLike, n: int) -> Counts:
    array = real_array(argument, values)
    if array.ndim > 1 or (array.ndim == 1 and len(array) != n):
        raise ValueError(f"{argument}: one whole number, or {n} of them, are needed, not shape {array.shape}")
    whole = array.dtype.kind != "f" or (array == np.floor(array)).all()
    if not whole or (array.size and not array.min() >= 0):
        raise ValueError(f"{argument}: whole numbers from 0 are needed")
    return np.broadcast_to(np.minimum(array, 2**31 - 1).astype(np.int64), n).copy()


def _single(pattern: Pattern) -> sp.csr_array:
    """The pattern with an entry of 1 for each edge, columns in order."""
    n_edges = int(pattern.indptr[-1])
    arrays = (np.ones(n_edges, np.int8), pattern.indices[:n_edges], pattern.indptr)
    matrix = sp.csr_array(arrays, shape=(pattern.n_rows, pattern.n_cols), copy=True)
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def _by_flow(matrix: sp.csr_array, rows: Counts, cols: Counts) -> sp.csr_array:
    """Source, rows, columns, sink; the flow through the matrix's entries."""
    n_rows, n_cols = matrix.shape
    n = n_rows + n_cols + 2
    row_of = np.repeat(np.arange(n_rows), np.diff(matrix.indptr))
    tails = np.concatenate((np.zeros(n_rows, np.int64), 1 + row_of, 1 + n_rows + np.arange(n_cols)))
    heads = np.concatenate((1 + np.arange(n_rows), 1 + n_rows + matrix.indices, np.full(n_cols, n - 1)))
    # No node needs more than its edges, and so sums stay small.
    row_most = np.minimum(rows, np.diff(matrix.indptr))
    col_most = np.minimum(cols, np.bincount(matrix.indices, minlength=n_cols))
    capacity = np.concatenate((row_most, np.ones(len(row_of), np.int64), col_most)).astype(np.int32)
    arcs = sp.csr_array(sp.coo_array((capacity, (tails, heads)), shape=(n, n)))
    arcs.indices, arcs.indptr = arcs.indices.astype(np.int32), arcs.indptr.astype(np.int32)
    flow = sp.csr_array(maximum_flow(arcs, 0, n - 1, method="dinic").flow)
    middle = sp.coo_array(flow[1 : 1 + n_rows, 1 + n_rows : n - 1])
    used = middle.data > 0
    ends = (middle.row[used], middle.col[used])
    return sp.csr_array(sp.coo_array((np.ones(int(used.sum()), bool), ends), shape=matrix.shape))


def _cut(pattern: Pattern, found: CapacityMatching) -> Cut:
    """What a search from rows with room reaches: along edges not chosen, back along chosen ones."""
    matrix = _single(pattern)
    n_rows, n_cols = matrix.shape
    chosen = found.chosen.tocoo()
    taken = sp.csr_array((np.ones(found.size, np.int8), (chosen.row, chosen.col)), shape=matrix.shape)
    open_edges = sp.coo_array(matrix - taken)
    kept = open_edges.data != 0
    room = np.flatnonzero(np.diff(found.chosen.indptr) < found.row_capacities)
    source = n_rows + n_cols
    tails = np.concatenate((open_edges.row[kept], n_rows + chosen.col, np.full(len(room), source)))
    heads = np.concatenate((n_rows + open_edges.col[kept], chosen.row, room))
    arcs = sp.coo_array((np.ones(len(tails), np.int8), (tails, heads)), shape=(source + 1, source + 1))
    reached = np.zeros(source + 1, bool)
    reached[breadth_first_order(sp.csr_array(arcs), source, return_predecessors=False)] = True
    in_rows, in_cols = reached[:n_rows], reached[n_rows:source]
    mates = np.bincount(chosen.col, minlength=n_cols)
    if (mates[in_cols] < found.col_capacities[in_cols]).any():
        raise ValueError("graph: more edges of it could be chosen (it has changed)")
    edges = matrix.tocoo()
    between = in_rows[edges.row] & ~in_cols[edges.col]
    # Rows not reached are full; of the edges from reached rows to other columns all are chosen.
    return Cut(np.flatnonzero(~in_rows), np.flatnonzero(in_cols), edges.row[between], edges.col[between])
