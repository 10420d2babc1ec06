"""From a function on strings to Hankel blocks: prefix-suffix graph, basis, blocks."""

from .basis import Basis, full_basis, length_basis, matching_basis, random_cuts_basis, top_norm_basis
from .black_box import BlackBox
from .blocks import HankelBlocks, SymbolBlocks, hankel_blocks
from .graph import PrefixSuffixGraph, prefix_suffix_graph
from .rank_revealing import RankedBasis, complete_basis, reduce_basis

__all__ = [
    "Basis",
    "BlackBox",
    "HankelBlocks",
    "PrefixSuffixGraph",
    "RankedBasis",
    "SymbolBlocks",
    "complete_basis",
    "full_basis",
    "hankel_blocks",
    "length_basis",
    "matching_basis",
    "prefix_suffix_graph",
    "random_cuts_basis",
    "reduce_basis",
    "top_norm_basis",
]
