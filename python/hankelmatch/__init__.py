"""Maximum bipartite matchings, Hankel blocks, and the weighted automata learned from them.

Each folder uses only those before it, and each can be entered from outside::

    sequences -> counting -> matching -> hankel -> automata -> prediction -> interop

`SpectralLearner` does all of it, from sequences to a language model.
"""

from ._utils.deprecation import register_old_names
from .automata import (
    TruncatedSVD,
    WeightedAutomaton,
    convert_automaton,
    learn_automaton,
    minimal_automaton,
    numeric_rank,
    spectral_radius,
    truncated_svd,
)
from .counting import (
    SequenceFunction,
    count_text,
    count_to_parquet,
    prefix_probabilities,
    string_probabilities,
    substring_expectations,
)
from .hankel import (
    Basis,
    BlackBox,
    HankelBlocks,
    PrefixSuffixGraph,
    RankedBasis,
    SymbolBlocks,
    complete_basis,
    full_basis,
    hankel_blocks,
    length_basis,
    matching_basis,
    prefix_suffix_graph,
    random_cuts_basis,
    reduce_basis,
    top_norm_basis,
)
from .interop import (
    openfst_symbols,
    read_pautomac,
    read_pautomac_model,
    read_spice,
    read_spice_targets,
    to_dot,
    to_openfst_text,
)
from .learner import SpectralLearner
from .matching import (
    DulmageMendelsohn,
    Matching,
    WeightedMatching,
    dulmage_mendelsohn,
    heavy_matching,
    match,
    match_edges,
    maximum_bipartite_matching,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
    structural_rank,
)
from .prediction import CorpusScore, LanguageModel, ndcg
from .sequences import Alphabet, Corpus, Strings, read_text

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
