"""Maximum matchings one after another, the best first."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from ... import _core
from ..._utils.validation import checked_whole
from ..graphs import Graph
from ..weighted import WeightedMatching, maximum_weight_matching
from ..weights import Objective, WeightedPattern, pair_weights, weighted_pattern


def best_matchings(
    graph: Graph, objective: Objective = "sum", *, minimize: bool = False, k: int | None = None
) -> Iterator[WeightedMatching]:
    """Give all maximum matchings, the heaviest (or lightest) first: the k best assignments.

    Parameters
    ----------
    graph : sparse array or matrix, PrefixSuffixGraph, or another kind of graph
        As in `maximum_weight_matching`. It is read once, at the beginning.
    objective : {'sum', 'product'}
        As in `maximum_weight_matching`.
    minimize : bool
        Whether to give the lightest first: entries are costs.
    k : int, optional
        How many to give, or fewer if there are no more; by default all.

    Returns
    -------
    iterator of WeightedMatching
        Each is found when it is asked for: ``list(best_matchings(graph, k=3))`` has the three best. Their
        duals are those of the first: they prove it to be the best, and by how much an edge is worse.
        Weights that differ by rounding alone may come in any order.

    Raises
    ------
    TypeError, ValueError
        As for `maximum_weight_matching`.

    Notes
    -----
    Murty's partition of the other matchings [1]_, where the best of a part is one shortest path from the
    matching that was divided [2]_, and is not looked for before a bound asks for it [3]_. For n pairs and m
    edges O(m + n log n), and as a rule a few searches of O((m + n) log n), for each; O(n) memory for each.

    References
    ----------
    .. [1] K. G. Murty, "An algorithm for ranking all the assignments in order of increasing cost", Oper. Res.
           16 (1968), 682-687.
    .. [2] C. R. Pedersen, L. R. Nielsen, K. A. Andersen, "An algorithm for ranking assignments using
           reoptimization", Comput. Oper. Res. 35 (2008), 3714-3726.
    .. [3] M. L. Miller, H. S. Stone, I. J. Cox, "Optimizing Murty's ranked assignment method", IEEE Trans.
           Aerosp. Electron. Syst. 33 (1997), 851-862.

    Examples
    --------
    >>> import numpy as np
    >>> from hankelmatch import best_matchings
    >>> costs = np.array([[1, 2, 9], [2, 4, 9], [9, 9, 3]])
    >>> [(m.weight, m.row_mate.tolist()) for m in best_matchings(costs, minimize=True, k=3)]
    [(7.0, [1, 0, 2]), (8.0, [0, 1, 2]), (19.0, [0, 2, 1])]
    """
    if isinstance(objective, (int, np.integer)):
        raise ValueError(
            f'objective: "sum" or "product" is needed, not {objective!r}; for so many of the best give '
            f"k={objective!r}"
        )
    n = None if k is None else checked_whole("k", k, 0)
    first = maximum_weight_matching(graph, objective, minimize=minimize)
    ranking = _one_by_one(first, weighted_pattern(graph, objective, minimize=minimize))
    return islice(ranking, n)


def _one_by_one(first: WeightedMatching, weighted: WeightedPattern) -> Iterator[WeightedMatching]:
    yield first
    pattern = weighted.pattern
    sign = -1.0 if first.minimize else 1.0
    duals = (sign * first.row_dual, sign * first.col_dual, sign * first.cardinality_dual)
    make: Any = _core.RankedMatchings32 if pattern.indices.dtype == np.int32 else _core.RankedMatchings64
    ranking = make(*pattern, sign * weighted.weights, first.row_mate, first.col_mate, *duals)
    next(ranking, None)  # the first again
    for row_mate in ranking:
        col_mate = np.full(pattern.n_cols, -1, row_mate.dtype)
        rows = np.flatnonzero(row_mate >= 0)
        col_mate[row_mate[rows]] = rows
        yield first.with_pairs(row_mate, col_mate, pair_weights(weighted, row_mate))
