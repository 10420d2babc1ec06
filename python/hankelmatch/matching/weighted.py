"""Heaviest matchings of sparse matrices, with the dual variables that prove them, as MC64 gives them."""

from __future__ import annotations

import functools
import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from .._utils.validation import check_flag, checked_number, checked_whole, real_array
from .graphs import Graph, Ids, known_graph
from .maximum import Matching, mates_in
from .of_size import Solved, heaviest_of_size
from .weights import (
    LARGEST,
    Floats,
    Objective,
    WeightedPattern,
    of_given,
    pair_weights,
    weighted_pattern,
)


class WeightedMatching(Matching):
    """A heaviest matching with the numbers that prove it, as `maximum_weight_matching` returns it.

    The weight w of an edge is its entry, or the logarithm of its size if the objective is ``"product"``. The
    duals are at least 0, and 0 for what is unmatched, and for every edge (i, j)::

        row_dual[i] + col_dual[j] + cardinality_dual >= w(i, j)

    with equality for the pairs of the matching. So no matching of this size is heavier, and if
    `cardinality_dual` is 0 none of any size. Of a lightest matching all signs are turned: the duals are at
    most 0, and their sum at most w(i, j).

    Attributes
    ----------
    size, row_mate, col_mate
        As in `Matching`.
    weight : float
        The sum of the weights: of the entries, or for ``"product"`` of the logarithms of their sizes. Rounded
        once.
    row_dual, col_dual : ndarray of float64
        Dual variables of rows and columns.
    cardinality_dual : float
        Dual variable of the matching's size: the limit, or 0 if matchings of any size were compared. A limit
        that is so low that as many pairs as possible are the best counts as none.
    objective : {'sum', 'product'}
    minimize : bool
        Whether it is a lightest one.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import maximum_weight_matching
    >>> graph = csr_array([[4.0, 3.0], [3.0, 0.5]])
    >>> matching = maximum_weight_matching(graph, "product")
    >>> matching.row_mate, round(float(np.exp(matching.weight)), 9)
    (array([1, 0], dtype=int32), 9.0)
    >>> scaled = matching.row_scaling[:, None] * graph.toarray() * matching.col_scaling
    >>> bool(np.allclose(scaled[[0, 1], matching.row_mate], 1)), bool(scaled.max() <= 1 + 1e-12)
    (True, True)
    """

    minimize = False  # in pickles of version 0.1.0

    def __init__(
        self,
        row_mate: Ids,
        col_mate: Ids,
        graph: Graph,
        *,
        row_dual: Floats,
        col_dual: Floats,
        cardinality_dual: float,
        weights: Floats,
        objective: Objective,
        maximum_cardinality: bool,
        minimize: bool = False,
    ) -> None:
        super().__init__(row_mate, col_mate, graph)
        for dual in (row_dual, col_dual):
            dual.flags.writeable = False
        self.row_dual = row_dual
        self.col_dual = col_dual
        self.cardinality_dual = cardinality_dual + 0.0  # never -0.0
        self.objective = objective
        self.minimize = minimize
        self._maximum_cardinality = maximum_cardinality
        self._pair_weights = weights

    def _value(self) -> str:
        return f"weight {self.weight:g}"

    @functools.cached_property
    def weight(self) -> float:
        """The sum of the pairs' weights, rounded once."""
        return math.fsum(self._pair_weights.tolist())

    def is_optimal(self, graph: Graph, tolerance: float = 1e-9) -> bool:
        """Whether it is a heaviest (or lightest) matching of this graph, by its duals alone.

        Parameters
        ----------
        graph : graph of any kind that `maximum_weight_matching` takes
        tolerance : float
            How far the duals may miss what they promise, relative to the largest weight or dual in size.

        Returns
        -------
        bool
            False too if it is no maximum matching of this graph where that was asked for.

        Raises
        ------
        TypeError, ValueError
            As for `maximum_weight_matching`, or if `tolerance` is no number from 0.

        Notes
        -----
        O(nodes + edges). Complementary slackness: see the class.
        """
        tolerance = checked_number("tolerance", tolerance)
        pattern, weights = weighted_pattern(graph, self.objective, minimize=self.minimize)
        mates = mates_in(self, pattern)
        if self._maximum_cardinality and not _core.is_maximum_matching(*pattern, *mates):
            return False
        sign = -1.0 if self.minimize else 1.0
        row_dual, col_dual = sign * self.row_dual, sign * self.col_dual
        return _core.is_optimal_matching(
            *pattern, sign * weights, *mates, row_dual, col_dual, sign * self.cardinality_dual, tolerance
        )

    def with_pairs(self, row_mate: Ids, col_mate: Ids, weights: Floats) -> WeightedMatching:
        """Give another matching of the graph, from its pairs and their weights, with these duals."""
        return WeightedMatching(
            row_mate,
            col_mate,
            self._graph,
            row_dual=self.row_dual,
            col_dual=self.col_dual,
            cardinality_dual=self.cardinality_dual,
            weights=weights,
            objective=self.objective,
            maximum_cardinality=self._maximum_cardinality,
            minimize=self.minimize,
        )

    @property
    def log_row_scaling(self) -> Floats:
        """For the product, log r of MC64's scaling: ``r[i] |a[i, j]| c[j]`` is at most 1, 1 where matched.

        At least 1 for a lightest matching. The logarithms do not overflow, as `row_scaling` may.
        """
        return self._log_scalings()[0]

    @property
    def log_col_scaling(self) -> Floats:
        """For the product: logarithms of c of MC64's scaling; see `log_row_scaling`."""
        return self._log_scalings()[1]

    @property
    def row_scaling(self) -> Floats:
        """For the product: r of MC64's scaling; OverflowError where float64 cannot hold it."""
        return self._scaling("row", self.log_row_scaling)

    @property
    def col_scaling(self) -> Floats:
        """For the product: c of MC64's scaling; see `row_scaling`."""
        return self._scaling("col", self.log_col_scaling)

    def _scaling(self, side: str, logs: Floats) -> Floats:
        with np.errstate(over="ignore", under="ignore"):
            scaling = np.exp(logs)
        if not (np.isfinite(scaling) & (scaling > 0)).all():
            raise OverflowError(
                f"{side}_scaling: its numbers lie between e^{logs.min():.0f} and e^{logs.max():.0f}, which "
                f"float64 cannot hold; use log_{side}_scaling"
            )
        return scaling

    def _log_scalings(self) -> tuple[Floats, Floats]:
        if self.objective != "product":
            raise AttributeError('only matchings for the objective "product" have scalings')
        row, col = (-dual - self.cardinality_dual / 2 for dual in (self.row_dual, self.col_dual))
        # One factor may be moved from the columns to the rows; this one makes their means equal, lest either
        # overflow.
        shift = (col.mean() - row.mean()) / 2 if len(row) and len(col) else 0.0
        return row + shift, col - shift


def maximum_weight_matching(
    graph: Graph,
    objective: Objective = "sum",
    maximum_cardinality: bool = True,
    *,
    minimize: bool = False,
    limit: float | None = None,
    size: int | None = None,
    initial: WeightedMatching | tuple[ArrayLike, ArrayLike] | None = None,
) -> WeightedMatching:
    """Find the heaviest maximum matching of a graph, exactly; or the lightest, or one of another size.

    Parameters
    ----------
    graph : sparse array or matrix, PrefixSuffixGraph, or another kind of graph
        Any shape and any structural rank; the entries, real, may be negative, and are at most 2^960 in size
        (for the product of any finite size). Every
        stored entry of a sparse matrix is an edge, an explicit zero too (but see `objective`); repeated
        entries are added. Of a numpy array every entry is an edge. An entry of -inf is no edge; with
        `minimize`, one of inf. It is not modified. The entry of a prefix-suffix graph's edge (p, s) is f(ps).
        Graphs of networkx, igraph and rustworkx, tables of edges and dicts are read as `bipartite_graph`
        does; if their edges' weight is not called "weight", give ``bipartite_graph(graph, weight="cost")``.
    objective : {'sum', 'product'}
        The weight of a matching: the sum of its entries, or the product of their sizes. A product has no use
        for zeros, so there explicit zeros are no edges.
    maximum_cardinality : bool
        If False, matchings of any size are compared, so entries that do not add (or multiply) to the weight,
        at most 0 (or 1 in size), are not used: the same as a `limit` of 0 (or 1).
        networkx's ``max_weight_matching`` does that unless asked otherwise.
    minimize : bool
        Whether to find the lightest one: entries are costs.
    limit : float, optional
        What an edge must weigh at least, or cost at most: its row and column rather stay free, also where
        another pair would have to give way. The sum (product) of weights beyond the limit is made as great as
        can be. To keep every pair below a limit, but have as many as possible, put inf for the others.
    size : int, optional
        The number of pairs wanted; by default as many as possible.
    initial : WeightedMatching or (row_dual, col_dual), optional
        The matching of a similar graph of the same shape, as when a few weights have changed since: only what
        does not fit any more is worked on. Or dual variables alone, from another program or a prediction, of
        `WeightedMatching`'s signs; they need not be right. The columns' count, and how low the rows' go. (The
        pairs of a `Matching` without duals are no help: prices for them cost more than a new start.)

    Returns
    -------
    WeightedMatching
        The same every time; of several heaviest matchings it is any one.

    Raises
    ------
    TypeError
        If `graph` is no graph of a known kind, its entries are not real numbers, or another argument is of a
        wrong type.
    ValueError
        If its arrays contradict one another, an entry is NaN, infinitely good or too large, `objective` is
        unknown, no matching has that `size`, or arguments exclude one another.

    See Also
    --------
    heavy_matching : nearly as heavy, in the time of a few passes over the entries.
    min_weight_full_bipartite_matching : the lightest under scipy's name.
    best_matchings : the next best ones too.
    bottleneck_matching : the largest entry as small as possible.

    Notes
    -----
    Shortest augmenting paths, with bidding rows first (Jonker and Volgenant [2]_), on the edges with one end
    in a minimum vertex cover: the problem is as small as the matching, and needs no dummy columns where some
    rows stay unmatched. O(n (m + n log n)) for n = the size of the matching and m edges, in the worst case; a
    few passes over the edges on most graphs. The GIL is released, and Ctrl-C stops it.

    Weights are float64. Sums of integers below 2^53 are exact, others but for the rounding of the largest
    weight in size: beside costs of 1e12 a matching may be off by 1e-4, so leave out an edge that no one wants
    rather than give it such a cost.

    With `size` it is solved for a few limits, a dozen as a rule: the greatest weight is a concave function of
    the size, and where several sizes are best at one limit, parts of two matchings make those in between.
    With `initial`, a shortest path [3]_ for every row and column whose mate is not the best any more, O(m + n
    log n) each, and two passes over the edges.

    References
    ----------
    .. [1] I. S. Duff, J. Koster: On algorithms for permuting large entries to the diagonal of a sparse
       matrix. SIAM J. Matrix Anal. Appl. 22 (2001), 973-996.
    .. [2] R. Jonker, A. Volgenant: A shortest augmenting path algorithm for dense and sparse linear
       assignment problems. Computing 38 (1987), 325-340.
    .. [3] J. Edmonds, R. M. Karp: Theoretical improvements in algorithmic efficiency for network flow
       problems. J. ACM 19 (1972), 248-264.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import maximum_weight_matching
    >>> graph = csr_array([[5, 4, 0], [4, 0, 0], [0, 0, 0]])
    >>> matching = maximum_weight_matching(graph)
    >>> matching.size, matching.weight, matching.row_mate
    (2, 8.0, array([ 1,  0, -1], dtype=int32))
    >>> matching.is_optimal(graph)
    True
    >>> costs = {"ann": {"x": 3, "y": 9}, "bob": {"x": 4, "y": 50}}
    >>> maximum_weight_matching(costs, minimize=True).labelled_pairs()
    [('ann', 'y'), ('bob', 'x')]
    >>> maximum_weight_matching(costs, minimize=True, limit=8).labelled_pairs()
    [('ann', 'x')]
    """
    check_flag("maximum_cardinality", maximum_cardinality)
    check_flag("minimize", minimize)
    price = _price(objective, bool(maximum_cardinality), limit, size, minimize=bool(minimize))
    if size is not None and initial is not None:
        raise ValueError("initial: a matching of a given size starts from nothing; leave out initial or size")
    graph = graph if isinstance(graph, np.ndarray) else known_graph(graph)
    found = None
    if not price and size is None and initial is None and isinstance(objective, str) and objective == "sum":
        found = of_given(_core.heaviest_of_given, graph, price is None, bool(minimize))
    if found is None:
        weighted = weighted_pattern(graph, objective, minimize=bool(minimize))
        signed = weighted._replace(weights=-weighted.weights) if minimize else weighted
        price = binding_price(price, signed.weights, min(signed.pattern[:2]))
        found = _solve(signed, objective, price, size, initial, minimize=bool(minimize))
    row_mate, col_mate, row_dual, col_dual, cardinality_dual, weights = found
    return WeightedMatching(
        row_mate,
        col_mate,
        graph,
        row_dual=row_dual,
        col_dual=col_dual,
        cardinality_dual=cardinality_dual,
        weights=weights,
        objective=objective,
        maximum_cardinality=price is None and size is None,
        minimize=bool(minimize),
    )


def _solve(
    signed: WeightedPattern,
    objective: str,
    price: float | None,
    size: int | None,
    initial: Any,
    *,
    minimize: bool,
) -> tuple[Ids, Ids, Floats, Floats, float, Floats]:
    """Mates, and duals and the weights of the pairs with the sign of the entries."""
    if size is not None:
        solved = heaviest_of_size(signed, checked_whole("size", size, 0))
    elif initial is not None:
        start = _checked_initial(initial, signed, objective, price, minimize=minimize)
        solved = _solve_again(signed, price, start)
    elif price is None:
        solved = _core.maximum_weight_matching(*signed.pattern, signed.weights, True)
    else:
        over = signed.weights - price if price else signed.weights
        solved = (*_core.maximum_weight_matching(*signed.pattern, over, False)[:4], price)
    weights = pair_weights(signed, solved[0])
    if minimize:
        row_mate, col_mate, row_dual, col_dual, cardinality_dual = solved
        return row_mate, col_mate, -row_dual, -col_dual, -cardinality_dual, -weights
    return (*solved, weights)


def _price(
    objective: str, maximum_cardinality: bool, limit: float | None, size: int | None, *, minimize: bool
) -> float | None:
    """What an edge must bring, in terms of what is maximized; None if as many as possible are wanted."""
    if not maximum_cardinality and (limit is not None or size is not None):
        raise ValueError(
            "maximum_cardinality: leave it out where limit or size says how many pairs are wanted"
        )
    if limit is not None and size is not None:
        raise ValueError("size: leave out either size or limit; each decides how many pairs there are")
    return edge_price(objective, limit, minimize=minimize) if maximum_cardinality else 0.0


def edge_price(objective: str, limit: float | None, *, minimize: bool) -> float | None:
    """A limit in terms of what is maximized; None if there is none."""
    if limit is None:
        return None
    if not isinstance(limit, numbers.Real) or isinstance(limit, bool) or not math.isfinite(limit):
        raise ValueError(f"limit: a finite number is needed, not {limit!r}")
    if objective == "product":
        if limit <= 0:
            raise ValueError(f"limit: a number above 0 is needed for a product, not {limit!r}")
        limit = math.log(limit)
    return -float(limit) if minimize else float(limit)


def binding_price(price: float | None, weights: Floats, most_pairs: int) -> float | None:
    """The price, or None where it is so low that one more pair always pays for any change of the others.

    Differences from a price far below the weights would lose their digits.
    """
    if not price or not len(weights):
        return price
    least, most = float(weights.min()), float(weights.max())
    return None if least - price > most_pairs * (most - least) else price


def _checked_initial(
    initial: Any, weighted: WeightedPattern, objective: str, price: float | None, *, minimize: bool
) -> Solved:
    """Mates and duals to start from, in terms of what is maximized."""
    if isinstance(initial, tuple) and len(initial) == 2:
        return _start_from_duals(initial, weighted, price, minimize=minimize)
    if not isinstance(initial, WeightedMatching):
        raise TypeError(
            "initial: a WeightedMatching or a tuple (row_dual, col_dual) is needed, not "
            f"{type(initial).__name__}; pairs without duals would save no time"
        )
    shape = (len(initial.row_mate), len(initial.col_mate))
    if shape != weighted.pattern[:2]:
        raise ValueError(f"initial: it is of a graph of {shape}, this one is {weighted.pattern[:2]}")
    if (initial.objective, initial.minimize) != (objective, minimize):
        raise ValueError("initial: its objective and minimize must be those that are asked for now")
    sign = -1.0 if minimize else 1.0
    duals = sign * initial.row_dual, sign * initial.col_dual, sign * initial.cardinality_dual
    return (*mates_in(initial, weighted.pattern), *duals)


def _solve_again(signed: WeightedPattern, price: float | None, start: Solved) -> Solved:
    row_mate, col_mate, row_dual, col_dual, cardinality_dual = start
    # Duals far beyond the weights' size would swallow them by rounding, and are of no use.
    largest = max(float(np.abs(signed.weights).max(initial=0.0)), abs(price or 0.0))
    most = largest * (len(row_mate) + len(col_mate))
    return _core.rematch(
        *signed.pattern,
        signed.weights,
        row_mate,
        col_mate,
        np.clip(row_dual, -most, most),
        np.clip(col_dual, -most, most),
        min(max(cardinality_dual, -most), most),
        price is None,
        price or 0.0,
    )


def _start_from_duals(
    duals: tuple[ArrayLike, ArrayLike], weighted: WeightedPattern, price: float | None, *, minimize: bool
) -> Solved:
    """No pairs. Columns' duals may move against rows', where all pairs wanted are matched."""
    n_rows, n_cols, _, indices = weighted.pattern
    row_dual, col_dual = (
        _checked_duals(dual, side, n)
        for dual, side, n in zip(duals, ("row", "col"), (n_rows, n_cols), strict=True)
    )
    if minimize:
        row_dual, col_dual = -row_dual, -col_dual
    mates = np.full(n_rows, -1, indices.dtype), np.full(n_cols, -1, indices.dtype)
    if price is not None:
        return (*mates, row_dual, np.maximum(col_dual, 0.0), 0.0)
    lowest = float(col_dual.min(initial=np.inf)) if n_cols else 0.0
    floor = float(row_dual.min()) + lowest if n_rows else 0.0
    return (*mates, row_dual, col_dual - lowest, floor)


def _checked_duals(dual: ArrayLike, side: str, n: int) -> Floats:
    array = real_array("initial", dual).astype(np.float64)
    if array.shape != (n,) or not (np.abs(array) <= LARGEST).all():
        raise ValueError(
            f"initial: {side}_dual must be {n} finite numbers, one for each {side}, of at most 2^960 in size"
        )
    return array
