"""Matchings that prefer heavy edges, without being the heaviest."""

from __future__ import annotations

import numpy as np

from ... import _core
from ..graphs import Graph, known_graph
from ..maximum import Matching
from ..weights import Objective, of_given, weighted_pattern


def heavy_matching(graph: Graph, objective: Objective = "sum") -> Matching:
    """Find a maximum matching that prefers heavy edges: the heaviest first, then augmenting paths.

    Parameters
    ----------
    graph : sparse array or matrix, PrefixSuffixGraph, or another kind of graph
        As in `maximum_weight_matching`.
    objective : {'sum', 'product'}
        Whether an entry itself or its size says how heavy it is.

    Returns
    -------
    Matching
        A maximum one. The heaviest edges are taken first of those that a maximum matching may have; without
        negative weights that start has at least half of the weight of any maximum matching. Paths that make
        it maximum may lose some of it.

    Raises
    ------
    TypeError, ValueError
        As for `maximum_weight_matching`.

    Notes
    -----
    A maximum matching is found first: none has an edge between two nodes of its vertex cover, so those are
    left out. Instead of sorting the edges rows propose to columns, which keep the best (Gale and Shapley):
    that finds the same in few passes over the edges. Where it would take over 16, they are sorted. The paths
    that make it maximum are short: breadth-first searches for five passes over the edges, then push-relabel.
    The edges are copied, unless all rows or all columns are matched.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import heavy_matching
    >>> heavy_matching(csr_array([[5, 4, 0], [0, 3, 2]])).row_mate
    array([0, 1], dtype=int32)
    """
    graph = graph if isinstance(graph, np.ndarray) else known_graph(graph)
    mates = None
    if isinstance(objective, str) and objective == "sum":
        mates = of_given(_core.heavy_of_given, graph)
    if mates is None:
        pattern, weights = weighted_pattern(graph, objective)
        mates = _core.heavy_matching(*pattern, weights)
    return Matching(*mates, graph)
