"""Maximum matchings of bipartite graphs and sparse matrices, by size and by weight.

Every function takes a graph of any kind (see `bipartite_graph`): sparse and numpy arrays, graphs of networkx,
igraph and rustworkx, tables of edges, dicts.
"""

from .block_triangular import Block, DulmageMendelsohn, dulmage_mendelsohn
from .dense_assignment import linear_sum_assignment
from .edge_lists import match_edges
from .graphs import BipartiteGraph, bipartite_graph
from .like_scipy import maximum_bipartite_matching, min_weight_full_bipartite_matching, structural_rank
from .maximum import Matching, match
from .structure import (
    DriverNodes,
    HallViolator,
    MatchingEdges,
    driver_nodes,
    hall_violator,
    maximum_matching_edges,
)
from .variants.bottleneck import BottleneckMatching, bottleneck_matching
from .variants.capacities import CapacityMatching, match_with_capacities
from .variants.heavy import heavy_matching
from .variants.ranked import best_matchings
from .weighted import WeightedMatching, maximum_weight_matching

__all__ = [
    "BipartiteGraph",
    "Block",
    "BottleneckMatching",
    "CapacityMatching",
    "DriverNodes",
    "DulmageMendelsohn",
    "HallViolator",
    "Matching",
    "MatchingEdges",
    "WeightedMatching",
    "best_matchings",
    "bipartite_graph",
    "bottleneck_matching",
    "driver_nodes",
    "dulmage_mendelsohn",
    "hall_violator",
    "heavy_matching",
    "linear_sum_assignment",
    "match",
    "match_edges",
    "match_with_capacities",
    "maximum_bipartite_matching",
    "maximum_matching_edges",
    "maximum_weight_matching",
    "min_weight_full_bipartite_matching",
    "structural_rank",
]
