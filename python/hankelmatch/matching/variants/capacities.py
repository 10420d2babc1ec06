"""Matchings in which a row or a column may have several mates: b-matchings."""

import math
from collections.abc import Hashable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import breadth_first_order

from ... import _core
from ..._utils.validation import Pattern, as_pattern, check_flag, checked_number, real_array, steady_pattern
from ..graphs import Graph, Ids, known_graph, pattern_of
from ..maximum import match
from ..readers.tables import by_label
from ..weighted import binding_price, edge_price
from ..weights import Floats, WeightedPattern, selected, weighted_pattern

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


class _Duals(NamedTuple):
    """The price of a unit of each row and column: so many edges, and so much weight; the former counts first.

    Without `maximum_size` counts are 0.
    """

    maximum_size: bool
    limit: float
    rows: tuple[Counts, Floats]
    cols: tuple[Counts, Floats]


class CapacityMatching:
    """A largest or heaviest set of edges within capacities, as `match_with_capacities` returns it.

    Attributes
    ----------
    size : int
        The number of edges chosen.
    weight : float or None
        The sum of their entries, rounded once; None unless they were chosen by weight.
    minimize : bool
        Whether the sum is as small as possible.
    chosen : csr_array of bool
        The edges chosen.
    row_capacities, col_capacities : ndarray of int
        How many edges each row and column may have.
    row_labels, col_labels : ndarray
        Names of rows and columns; numbers where the graph has none.
    """

    def __init__(
        self,
        chosen: sp.csr_array,
        graph: Graph,
        row_capacities: Counts,
        col_capacities: Counts,
        *,
        weight: float | None = None,
        minimize: bool = False,
        duals: _Duals | None = None,
    ) -> None:
        self.chosen = chosen
        self.size = int(chosen.nnz)
        self.weight = weight
        self.minimize = minimize
        self._duals = duals
        self.row_capacities = row_capacities
        self.col_capacities = col_capacities
        self._graph = graph
        row_labels, col_labels = (getattr(graph, f"{side}_labels", None) for side in ("row", "col"))
        self.row_labels = np.arange(chosen.shape[0]) if row_labels is None else row_labels
        self.col_labels = np.arange(chosen.shape[1]) if col_labels is None else col_labels

    def __repr__(self) -> str:
        weight = "" if self.weight is None else f", weight {self.weight:g}"
        return "<CapacityMatching of {} edges of {} rows and {} columns{}>".format(
            self.size, *self.chosen.shape, weight
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
            If more could be chosen: the graph has been changed since, or edges were to keep to a limit.
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

    def is_optimal(self, graph: Graph, tolerance: float = 1e-9) -> bool:
        """Whether its edges are the heaviest (or lightest) of this graph, by dual variables alone.

        Parameters
        ----------
        graph : graph of any kind that `maximum_weight_matching` takes
        tolerance : float
            How far the duals may miss what they promise, relative to the largest weight or dual in size.

        Returns
        -------
        bool
            Without weights as `is_maximum`.

        Raises
        ------
        TypeError, ValueError
            As for `match_with_capacities`, or if `tolerance` is no number from 0.

        Notes
        -----
        Each row and column has a price, which is 0 where there is room. Edges that weigh more than the prices
        of their ends are chosen, those that weigh less are not. O(nodes + edges).
        """
        tolerance = checked_number("tolerance", tolerance)
        if self._duals is None:
            return self.is_maximum(graph)
        weighted = weighted_pattern(graph, "sum", minimize=self.minimize)
        pattern = weighted.pattern
        if self.chosen.shape != pattern[:2]:
            return False
        return _is_proved(weighted, self, self._duals, tolerance)


def match_with_capacities(
    graph: Graph,
    row_capacities: ArrayLike | Mapping[Hashable, int] = 1,
    col_capacities: ArrayLike | Mapping[Hashable, int] = 1,
    *,
    objective: Literal["size", "sum"] = "size",
    minimize: bool = False,
    limit: float | None = None,
) -> CapacityMatching:
    """Choose as many edges as possible, or the heaviest, with at most so many at each row and column.

    This is a maximum b-matching.

    Parameters
    ----------
    graph : sparse array or matrix, PrefixSuffixGraph, or another kind of graph
        As for `match`; by weight, as for `maximum_weight_matching`. Each edge can be chosen once. Repeated
        entries are one edge, and their weights are added.
    row_capacities, col_capacities : int, array_like of int, or dict
        How many edges each row, and each column, may have, from 0: one number for all of them, or one each,
        or a dict from names to numbers, 1 for names left out.
    objective : {'size', 'sum'}
        ``"size"``: as many edges as possible. ``"sum"``: of all sets of so many edges, the one with the
        greatest sum of entries.
    minimize : bool
        Whether the least sum is wanted: entries are costs. With objective ``"sum"``.
    limit : float, optional
        What an edge must weigh at least, or cost at most, as in `maximum_weight_matching`: fewer edges may
        then be best. ``limit=0`` gives the greatest sum of any number of edges. With objective ``"sum"``.

    Returns
    -------
    CapacityMatching

    Raises
    ------
    TypeError
        If `graph` is no graph of a known kind, or an argument is of a wrong type.
    ValueError
        If its arrays contradict one another, capacities are not whole numbers from 0, one for all or one for
        each, `objective` is unknown, or weights are not fit for `maximum_weight_matching`.

    See Also
    --------
    match : one mate for each row and column.
    maximum_weight_matching : the same by weight.

    Notes
    -----
    By size rounds of shortest augmenting paths, Dinic's algorithm for flows [1]_: O(m sqrt(m)) for m edges,
    since each is used once, and near O(m) as a rule. Where every capacity is 1 it is `match`, which is
    faster. By weight shortest augmenting paths [2]_, one for each of the s edges chosen, row by row:
    O(s m log m), and far less where paths are short. Weights are float64; sums of integers below 2^53 are
    exact. The GIL is released, and Ctrl-C stops it.

    References
    ----------
    .. [1] S. Even, R. E. Tarjan, "Network flow and testing graph connectivity", SIAM J. Comput. 4 (1975),
       507-518.
    .. [2] R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network flows", Prentice Hall 1993, section 9.7.

    Examples
    --------
    >>> from hankelmatch import match_with_capacities
    >>> wishes = {"ann": ["chess", "choir"], "bob": ["chess"], "cy": ["chess"]}
    >>> match_with_capacities(wishes, row_capacities=2, col_capacities=[2, 1]).size
    3
    >>> scores = {"paper 1": {"ann": 5, "bob": 3, "cy": 1}, "paper 2": {"ann": 4, "bob": 1, "cy": 2}}
    >>> reviews = match_with_capacities(scores, 2, {"bob": 2, "cy": 2}, objective="sum")
    >>> reviews.weight, reviews.labelled_pairs()[:2]
    (11.0, [('paper 1', 'ann'), ('paper 1', 'bob')])
    """
    check_flag("minimize", minimize)
    if not (isinstance(objective, str) and objective in ("size", "sum")):
        raise ValueError(f'objective: "size" or "sum" is needed, not {objective!r}')
    if objective == "sum":
        return _heaviest(graph, row_capacities, col_capacities, minimize=bool(minimize), limit=limit)
    for name, given in (("minimize", minimize), ("limit", limit is not None)):
        if given:
            raise ValueError(f'{name}: it is for weights; give objective="sum" too')
    graph = known_graph(graph, weighted=False)
    pattern = pattern_of(graph)
    rows, cols = _both_capacities(row_capacities, col_capacities, graph, pattern)
    pattern = steady_pattern(pattern)
    if (rows == 1).all() and (cols == 1).all():
        pairs = match(graph).pairs()
        chosen = sp.csr_array(sp.coo_array((np.ones(len(pairs[0]), bool), pairs), shape=pattern[:2]))
    else:
        chosen = _largest(_single(pattern), rows, cols)
    return CapacityMatching(chosen, graph, rows, cols)


def _heaviest(
    graph: Graph, row_capacities: Any, col_capacities: Any, *, minimize: bool, limit: float | None
) -> CapacityMatching:
    graph = graph if isinstance(graph, np.ndarray) else known_graph(graph)
    weighted = weighted_pattern(graph, "sum", minimize=minimize)
    pattern, weights = weighted
    signed = -weights if minimize else weights
    price = binding_price(edge_price("sum", limit, minimize=minimize), signed, len(signed))
    rows, cols = _both_capacities(row_capacities, col_capacities, graph, pattern)
    dtype = pattern.indices.dtype
    flags, *duals = _core.match_within_capacities(
        *pattern, signed - (price or 0.0), rows.astype(dtype), cols.astype(dtype), price is None
    )
    chosen = selected(pattern, weights, flags.astype(bool))
    return CapacityMatching(
        _matrix(chosen).astype(bool),
        graph,
        rows,
        cols,
        weight=math.fsum(chosen.weights.tolist()),
        minimize=minimize,
        duals=_Duals(price is None, price or 0.0, *duals),
    )


def _matrix(weighted: WeightedPattern) -> sp.csr_array:
    """An entry of 1 for each edge, those of weight 0 too."""
    pattern, weights = weighted
    arrays = (np.ones(len(weights), np.int8), pattern.indices[: len(weights)], pattern.indptr)
    return sp.csr_array(arrays, shape=pattern[:2])


def _is_proved(weighted: WeightedPattern, found: CapacityMatching, duals: _Duals, tolerance: float) -> bool:
    """Complementary slackness, of counts exactly and of weights as far as the tolerance goes."""
    pattern, weights = weighted
    row_of = np.repeat(np.arange(pattern.n_rows), np.diff(pattern.indptr))
    cols = pattern.indices[: len(weights)]
    edge_of = sp.csr_array((np.arange(1, len(weights) + 1), cols, pattern.indptr), shape=pattern[:2])
    places = sp.csr_array(edge_of.multiply(found.chosen)).data - 1
    if len(places) != found.size:
        return False
    chosen = np.zeros(len(weights), bool)
    chosen[places] = True
    (row_counts, row_sums), (col_counts, col_sums) = duals.rows, duals.cols
    signed = (-weights if found.minimize else weights) - duals.limit
    counts = row_counts[row_of] + col_counts[cols] - int(duals.maximum_size)
    sums = row_sums[row_of] + col_sums[cols] - signed
    slack = tolerance * max(np.abs(values).max(initial=0.0) for values in (signed, row_sums, col_sums))
    too_dear = (counts > 0) | ((counts == 0) & (sums > slack))
    too_cheap = (counts < 0) | ((counts == 0) & (sums < -slack))
    if (too_dear & chosen).any() or (too_cheap & ~chosen).any():
        return False
    sides = (
        (np.bincount(row_of[chosen], minlength=pattern.n_rows), found.row_capacities, duals.rows),
        (np.bincount(cols[chosen], minlength=pattern.n_cols), found.col_capacities, duals.cols),
    )
    return all(_is_side_proved(*side, slack) for side in sides)


def _is_side_proved(mates: Counts, capacities: Counts, prices: tuple[Counts, Floats], slack: float) -> bool:
    counts, weights = prices
    is_positive = (counts > 0) | ((counts == 0) & (weights > slack))
    is_negative = (counts < 0) | ((counts == 0) & (weights < -slack))
    has_room = mates < capacities
    return bool((mates <= capacities).all() and not is_negative.any() and not (has_room & is_positive).any())


def _both_capacities(rows: Any, cols: Any, graph: Any, pattern: Pattern) -> tuple[Counts, Counts]:
    rows = by_label("row_capacities", rows, graph, pattern, 1.0)
    cols = by_label("col_capacities", cols, graph, pattern, 1.0)
    return (
        _capacities("row_capacities", rows, pattern.n_rows),
        _capacities("col_capacities", cols, pattern.n_cols),
    )


def _capacities(argument: str, values: ArrayLike, n: int) -> Counts:
    array = real_array(argument, values)
    if array.ndim > 1 or (array.ndim == 1 and len(array) != n):
        raise ValueError(f"{argument}: one whole number, or {n} of them, are needed, not shape {array.shape}")
    wrong = array[~((array >= 0) & (array == np.floor(array)))]
    if len(wrong):
        raise ValueError(f"{argument}: whole numbers from 0 are needed, not {wrong[0]}")
    return np.broadcast_to(np.minimum(array, np.int64(2**31 - 1)).astype(np.int64), n).copy()


def _single(pattern: Pattern) -> sp.csr_array:
    """The pattern with an entry of 1 for each edge, columns in order."""
    pattern = steady_pattern(pattern)
    n_edges = int(pattern.indptr[-1])
    arrays = (np.ones(n_edges, np.int8), pattern.indices[:n_edges], pattern.indptr)
    matrix = sp.csr_array(arrays, shape=(pattern.n_rows, pattern.n_cols), copy=True)
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def _largest(matrix: sp.csr_array, rows: Counts, cols: Counts) -> sp.csr_array:
    pattern = as_pattern(matrix)
    dtype = pattern.indices.dtype
    flags = _core.largest_within_capacities(*pattern, rows.astype(dtype), cols.astype(dtype))
    return _matrix(selected(pattern, np.ones(len(flags)), flags.astype(bool))).astype(bool)


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
