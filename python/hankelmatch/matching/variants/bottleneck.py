"""The maximum matching whose worst edge is as good as can be."""

from typing import Any, TypeAlias

import numpy as np

from ... import _core
from ..._utils.validation import check_flag
from ..graphs import Graph, Ids, known_graph
from ..maximum import Matching
from ..weights import Floats, WeightedPattern, pair_weights, selected, weighted_pattern

Mates: TypeAlias = "tuple[Ids, Ids]"


class BottleneckMatching(Matching):
    """A maximum matching whose worst edge is as good as can be, as `bottleneck_matching` returns it.

    Attributes
    ----------
    size, row_mate, col_mate
        As in `Matching`.
    bottleneck : float
        The largest entry of the pairs, the smallest if not `minimize`; NaN if there are no pairs.
    minimize : bool
        Whether the largest entry is as small as possible.
    """

    def __init__(
        self, row_mate: Ids, col_mate: Ids, graph: Graph, *, bottleneck: float, minimize: bool
    ) -> None:
        super().__init__(row_mate, col_mate, graph)
        self.bottleneck = bottleneck
        self.minimize = minimize

    def _value(self) -> str:
        return f"bottleneck {self.bottleneck:g}"

    def is_optimal(self, graph: Graph) -> bool:
        """Whether it is a maximum matching of this graph, and none of its size has a better worst edge.

        Parameters
        ----------
        graph : graph of any kind that `bottleneck_matching` takes

        Returns
        -------
        bool

        Notes
        -----
        A maximum matching of the better edges alone must be smaller. The cost of `match` on those.
        """
        pattern, weights = weighted_pattern(graph, "sum", minimize=self.minimize)
        shape = (len(self.row_mate), len(self.col_mate))
        if shape != pattern[:2] or not self.is_maximum(_as_matrix(pattern, weights)):
            return False
        pairs = pair_weights(WeightedPattern(pattern, weights), self.row_mate)
        if self.size == 0:
            return True
        worst = pairs.max() if self.minimize else pairs.min()
        better = weights < worst if self.minimize else weights > worst
        size, *_ = _core.match(*selected(pattern, weights, better).pattern, "auto", None, None)
        return bool(worst == self.bottleneck and size < self.size)


def bottleneck_matching(graph: Graph, *, minimize: bool = True) -> BottleneckMatching:
    """Find a maximum matching whose largest entry is as small as possible, or whose smallest as large.

    Parameters
    ----------
    graph : sparse array or matrix, PrefixSuffixGraph, or another kind of graph
        As in `maximum_weight_matching`: every stored entry, and every entry of a numpy array, is an edge, but
        for those of inf (-inf if not `minimize`).
    minimize : bool
        Whether entries are costs, the largest of which counts; else the smallest entry is made as large as
        possible.

    Returns
    -------
    BottleneckMatching

    Raises
    ------
    TypeError, ValueError
        As for `maximum_weight_matching`.

    See Also
    --------
    maximum_weight_matching : the sum as small or as large as possible.

    Notes
    -----
    A search over the entries [1]_, from the least that can do in growing steps, then by halves: a maximum
    matching of the entries up to one, begun from the largest one found for less. As many calls of `match` as
    twice the logarithm of the number of entries, at most, and as many passes over the entries; often a few.

    References
    ----------
    .. [1] R. Burkard, M. Dell'Amico, S. Martello, "Assignment problems", SIAM 2009, section 6.2.

    Examples
    --------
    >>> import numpy as np
    >>> from hankelmatch import bottleneck_matching
    >>> costs = np.array([[1, 9], [4, 6]])
    >>> matching = bottleneck_matching(costs)
    >>> matching.row_mate.tolist(), matching.bottleneck
    ([0, 1], 6.0)
    """
    check_flag("minimize", minimize)
    graph = graph if isinstance(graph, np.ndarray) else known_graph(graph)
    weighted = weighted_pattern(graph, "sum", minimize=bool(minimize))
    signed = weighted._replace(weights=weighted.weights if minimize else -weighted.weights)
    row_mate, col_mate = _least_bottleneck(signed)
    worst = pair_weights(signed, row_mate).max() if (row_mate >= 0).any() else np.nan
    bottleneck = float(worst) if minimize else -float(worst)
    return BottleneckMatching(row_mate, col_mate, graph, bottleneck=bottleneck, minimize=bool(minimize))


def _least_bottleneck(weighted: WeightedPattern) -> Mates:
    size, *best = _core.match(*weighted.pattern, "auto", None, None)
    if size == 0:
        return best[0], best[1]
    least = _least_possible(weighted, size)  # what is below is known not to do
    start: tuple[Any, Any] = (None, None)
    reach = 0  # how many candidates to pass over, while none has done
    candidates = weighted.weights[weighted.weights >= least]
    while len(candidates):
        place = min(reach, (len(candidates) - 1) // 2)
        tried = np.partition(candidates, place)[place] if place else candidates.min()
        pattern = selected(*weighted, weighted.weights <= tried).pattern
        n_found, *found = _core.match(*pattern, "auto", *start)
        if n_found == size:
            best, reach = found, len(candidates)
            # What is worse than a matching that is known is not needed any more.
            most = pair_weights(weighted, best[0]).max()
            weighted = selected(*weighted, weighted.weights <= most)
            candidates = candidates[candidates < most]
        else:
            start, reach = (found[0], found[1]), 4 * reach + 16
            candidates = candidates[candidates > tried]
    return best[0], best[1]


def _least_possible(weighted: WeightedPattern, size: int) -> float:
    """Give a bound by one pass: where all rows, or columns, are matched, each has an entry up to it."""
    (n_rows, n_cols, indptr, indices), weights = weighted
    least = float(weights.min())
    if size == n_rows:
        least = max(least, float(np.minimum.reduceat(weights, indptr[:-1].astype(np.int64)).max()))
    if size == n_cols:
        col_least = np.full(n_cols, np.inf)
        np.minimum.at(col_least, indices[: len(weights)], weights)
        least = max(least, float(col_least.max()))
    return least


def _as_matrix(pattern: Any, weights: Floats) -> Any:
    import scipy.sparse as sp  # noqa: PLC0415

    return sp.csr_array((weights, pattern.indices, pattern.indptr), shape=pattern[:2])
