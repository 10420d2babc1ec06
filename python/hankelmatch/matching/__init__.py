"""Maximum matchings of bipartite graphs and sparse matrices, by size and by weight."""

from .block_triangular import DulmageMendelsohn, dulmage_mendelsohn
from .like_scipy import maximum_bipartite_matching, structural_rank
from .maximum import Matching, match, match_edges
from .weighted import (
    WeightedMatching,
    heavy_matching,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
)

__all__ = [
    "DulmageMendelsohn",
    "Matching",
    "WeightedMatching",
    "dulmage_mendelsohn",
    "heavy_matching",
    "match",
    "match_edges",
    "maximum_bipartite_matching",
    "maximum_weight_matching",
    "min_weight_full_bipartite_matching",
    "structural_rank",
]
