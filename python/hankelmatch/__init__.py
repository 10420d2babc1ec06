"""Maximum bipartite matchings, Hankel blocks, and the weighted automata learned from them.

The stages, each a module of its own and each to be entered from outside::

    corpus -> statistics -> graph -> matching -> basis -> hankel -> factorization -> automaton
           -> language_model -> evaluation
"""

from .basis import Basis, full_basis, length_basis, matching_basis, random_cuts_basis, top_norm_basis
from .corpus import Alphabet, Corpus, Strings, read_spice, read_text
from .graph import PrefixSuffixGraph, prefix_suffix_graph
from .hankel import HankelBlocks, SymbolBlocks, hankel_blocks
from .matching import Matching, match, maximum_bipartite_matching, structural_rank
from .statistics import (
    SequenceFunction,
    prefix_probabilities,
    string_probabilities,
    substring_expectations,
)
from .weighted_matching import (
    WeightedMatching,
    heavy_matching,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
)

__version__ = "0.1.0"

__all__ = [
    "Alphabet",
    "Basis",
    "Corpus",
    "HankelBlocks",
    "Matching",
    "PrefixSuffixGraph",
    "SequenceFunction",
    "Strings",
    "SymbolBlocks",
    "WeightedMatching",
    "full_basis",
    "hankel_blocks",
    "heavy_matching",
    "length_basis",
    "match",
    "matching_basis",
    "maximum_bipartite_matching",
    "maximum_weight_matching",
    "min_weight_full_bipartite_matching",
    "prefix_probabilities",
    "prefix_suffix_graph",
    "random_cuts_basis",
    "read_spice",
    "read_text",
    "string_probabilities",
    "structural_rank",
    "substring_expectations",
    "top_norm_basis",
]
