"""Other kinds of matchings: of the best lightest edge, with several mates for a node, ranked by weight."""

from .bottleneck import BottleneckMatching, bottleneck_matching
from .capacities import CapacityMatching, match_with_capacities
from .ranked import best_matchings

__all__ = [
    "BottleneckMatching",
    "CapacityMatching",
    "best_matchings",
    "bottleneck_matching",
    "match_with_capacities",
]
