"""Maximum bipartite matchings, Hankel blocks, and the weighted automata learned from them.

The stages, each a module of its own and each to be entered from outside::

    corpus -> statistics -> graph -> matching -> basis -> hankel -> factorization -> automaton
           -> language_model -> evaluation

and all of them together: `SpectralLearner`.
"""

from ._utils.moved import register_old_names
from .automata.automaton import WeightedAutomaton, learn_automaton
from .automata.svd import TruncatedSVD, numeric_rank, truncated_svd
from .automata.transforms import convert_automaton, minimal_automaton, spectral_radius
from .counting.in_memory import (
    SequenceFunction,
    prefix_probabilities,
    string_probabilities,
    substring_expectations,
)
from .counting.with_dask import count_text, count_to_parquet
from .hankel.basis import Basis, full_basis, length_basis, matching_basis, random_cuts_basis, top_norm_basis
from .hankel.black_box import BlackBox
from .hankel.blocks import HankelBlocks, SymbolBlocks, hankel_blocks
from .hankel.graph import PrefixSuffixGraph, prefix_suffix_graph
from .hankel.rank_revealing import RankedBasis, complete_basis, reduce_basis
from .interop.exchange import openfst_symbols, read_pautomac_model, to_dot, to_openfst_text
from .learner import SpectralLearner
from .matching.block_triangular import DulmageMendelsohn, dulmage_mendelsohn
from .matching.like_scipy import (
    Matching,
    match,
    match_edges,
    maximum_bipartite_matching,
    structural_rank,
)
from .matching.weighted import (
    WeightedMatching,
    heavy_matching,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
)
from .prediction.language_model import CorpusScore, LanguageModel
from .prediction.ndcg import ndcg, read_spice_targets
from .sequences.corpus import Alphabet, Corpus, Strings, read_pautomac, read_spice, read_text

__version__ = "0.1.0"

register_old_names(__name__)

__all__ = [
    "Alphabet",
    "Basis",
    "BlackBox",
    "Corpus",
    "CorpusScore",
    "DulmageMendelsohn",
    "HankelBlocks",
    "LanguageModel",
    "Matching",
    "PrefixSuffixGraph",
    "RankedBasis",
    "SequenceFunction",
    "SpectralLearner",
    "Strings",
    "SymbolBlocks",
    "TruncatedSVD",
    "WeightedAutomaton",
    "WeightedMatching",
    "complete_basis",
    "convert_automaton",
    "count_text",
    "count_to_parquet",
    "dulmage_mendelsohn",
    "full_basis",
    "hankel_blocks",
    "heavy_matching",
    "learn_automaton",
    "length_basis",
    "match",
    "match_edges",
    "matching_basis",
    "maximum_bipartite_matching",
    "maximum_weight_matching",
    "min_weight_full_bipartite_matching",
    "minimal_automaton",
    "ndcg",
    "numeric_rank",
    "openfst_symbols",
    "prefix_probabilities",
    "prefix_suffix_graph",
    "random_cuts_basis",
    "read_pautomac",
    "read_pautomac_model",
    "read_spice",
    "read_spice_targets",
    "read_text",
    "reduce_basis",
    "spectral_radius",
    "string_probabilities",
    "structural_rank",
    "substring_expectations",
    "to_dot",
    "to_openfst_text",
    "top_norm_basis",
    "truncated_svd",
]
