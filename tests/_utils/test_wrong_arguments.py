"""Whatever stands in the place of an argument: the message names that argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import hankelmatch
import numpy as np
import pytest
import scipy.sparse
from hankelmatch import (
    Alphabet,
    BlackBox,
    Corpus,
    KneserNeyModel,
    LanguageModel,
    MixtureModel,
    SequenceFunction,
    SpectralLearner,
    StringDistribution,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    truncated_svd,
)

F = SequenceFunction.from_dict({"": 0.5, "aab": 0.1, "b": 0.2, "bb": 0.04, "c": 0.05, "ca": 0.06, "cb": 0.05})
BASIS = matching_basis(F)
BLOCKS = hankel_blocks(F, BASIS)
AUTOMATON = learn_automaton(BLOCKS)
COIN = WeightedAutomaton([1.0], [0.5], {"a": [[0.5]]})
CORPUS = Corpus.from_sequences(["ab", "ba"], end_symbol=True)
MODEL = LanguageModel(AUTOMATON, 3)
LEARNER = SpectralLearner(2, 2).fit(["ab", "ba"])
N_GRAMS = KneserNeyModel(CORPUS, 2)
BOX = BlackBox(AUTOMATON)
MATRIX = scipy.sparse.csr_array([[1.0, 1.0], [0.0, 1.0]])

# Arguments that are right, of all that is public by name, and of methods.
RIGHT: dict[str, dict[str, Any]] = {
    "Alphabet": {"labels": "ab"},
    "Basis": {"prefixes": ["a"], "suffixes": ["b"]},
    "BlackBox": {"function": AUTOMATON.values_of, "alphabet": "abc", "batch_size": 3},
    "BlackBox.restricted_to": {"strings": ["a"]},
    "BlackBox.sample": {"n_strings": 2, "max_length": 2, "seed": 0},
    "BlackBox.values_of": {"strings": ["a"]},
    "Corpus": {"symbols": [0], "offsets": [0, 1], "alphabet": Alphabet("ab")},
    "Corpus.from_sequences": {"sequences": ["ab"]},
    "Corpus.reencode": {"alphabet": Alphabet("ab")},
    "Corpus.split": {"fractions": [0.5, 0.5], "seed": 0},
    "Corpus.take": {"indices": [0]},
    "HankelBlocks.from_matrices": {"H": np.eye(2), "H_sigma": [np.eye(2)], "h_prefix": [1, 1]},
    "KneserNeyModel": {"corpus": CORPUS, "order": 2},
    "KneserNeyModel.bits_per_symbol": {"corpus": ["ab"], "sample_weight": [1]},
    "LanguageModel": {"automaton": AUTOMATON, "window": 3, "history": "whole"},
    "LanguageModel.bits_per_symbol": {"corpus": ["ab"], "sample_weight": [1]},
    "LanguageModel.rank": {"context": "a", "k": 1},
    "LanguageModel.rankings": {"contexts": ["a"], "k": 1},
    "LanguageModel.sample": {"seed": 0, "max_length": 3},
    "MixtureModel": {"models": [N_GRAMS], "weights": [1.0], "combination": "linear"},
    "MixtureModel.contributions": {"corpus": ["ab"]},
    "MixtureModel.fit": {"corpus": ["ab"], "sample_weight": [1], "least": 0.0},
    "PrefixSuffixGraph": {"function": F},
    "RankedBasis": {"prefixes": ["a"], "suffixes": ["b"], "steps": []},
    "ProbabilisticAutomaton": {"initial": [1.0], "final": [0.5], "transitions": {"a": [[0.5]]}},
    "SequenceFunction.from_dict": {"values": {"a": 1.0}},
    "SequenceFunction.from_strings": {"strings": ["a"], "values": [1.0]},
    "SequenceFunction.values_of": {"strings": ["a"]},
    "SpectralLearner.fit": {"corpus": ["ab", "ba"], "dev": ["ab"]},
    "SpectralLearner.predict": {"contexts": "a"},
    "SpectralLearner.score": {"corpus": ["ab"], "sample_weight": [1]},
    "StringDistribution.fit": {"sequences": ["ab", "ba"] * 10, "sample_weight": [1] * 20},
    "Strings": {"symbols": [0], "offsets": [0, 1], "alphabet": Alphabet("ab")},
    "WeightedAutomaton": {"initial": [1.0], "final": [1.0], "transitions": {"a": [[1.0]]}},
    "WeightedAutomaton.astype": {"dtype": "float32"},
    "WeightedAutomaton.truncate": {"n_states": 1},
    "WeightedAutomaton.values_of": {"strings": ["a"]},
    "learn_probabilistic_automaton": {"corpus": ["ab", "ba"], "n_states": 1, "n_starts": 1, "max_steps": 1},
    "pautomac_perplexity": {"model": [0.5, 0.5], "true": [0.5, 0.5]},
    "set_num_threads": {"n_threads": 1},
    "complete_basis": {"f": F, "basis": BASIS, "tol": 1e-9, "known_length": 3},
    "convert_automaton": {"automaton": COIN, "source": "string", "target": "prefix"},
    "dulmage_mendelsohn": {"graph": MATRIX},
    "full_basis": {"f": F},
    "hankel_blocks": {"f": F, "basis": BASIS, "alphabet": Alphabet("abc")},
    "best_matchings": {"graph": MATRIX, "objective": "sum", "k": 2},
    "bipartite_graph": {"graph": {"a": ["x"]}},
    "bottleneck_matching": {"graph": MATRIX},
    "driver_nodes": {"graph": MATRIX},
    "hall_violator": {"graph": MATRIX},
    "heavy_matching": {"graph": MATRIX},
    "learn_automaton": {"blocks": BLOCKS, "svd": truncated_svd(BLOCKS.H), "n_states": 2, "dtype": float},
    "length_basis": {"f": F, "length": 1},
    "match": {"graph": MATRIX, "method": "auto"},
    "match_with_capacities": {"graph": MATRIX, "row_capacities": 2, "col_capacities": [1, 2]},
    "matching_basis": {"f": F, "method": "auto"},
    "maximum_bipartite_matching": {"graph": MATRIX},
    "maximum_matching_edges": {"graph": MATRIX},
    "maximum_weight_matching": {"graph": MATRIX, "size": 1},
    "minimal_automaton": {"automaton": COIN, "tol": 1e-9},
    "ndcg": {"rankings": [["a"]], "targets": [{"a": 1.0}], "k": 5},
    "openfst_symbols": {"alphabet": Alphabet("ab")},
    "prefix_probabilities": {"corpus": ["ab"], "sample_weight": [1]},
    "prefix_suffix_graph": {"f": F},
    "random_cuts_basis": {"f": F, "size": 2, "seed": 0},
    "reduce_basis": {"f": F, "basis": BASIS, "tol": 1e-9},
    "spectral_radius": {"automaton": COIN},
    "string_probabilities": {"corpus": ["ab"], "sample_weight": [1]},
    "structural_rank": {"graph": MATRIX},
    "substring_expectations": {"corpus": ["ab"], "max_length": 2, "min_count": 1, "sample_weight": [1]},
    "to_dot": {"automaton": COIN, "threshold": 0.0, "digits": 3},
    "to_openfst_text": {"automaton": COIN, "semiring": "log", "threshold": 0.0},
    "top_norm_basis": {"f": F, "size": 2},
    "truncated_svd": {"H": MATRIX, "n_states": 1, "method": "auto", "seed": 0},
}
OWNERS = {
    "BlackBox": BOX,
    "Corpus": CORPUS,
    "KneserNeyModel": N_GRAMS,
    "MixtureModel": MixtureModel([N_GRAMS]),
    "LanguageModel": MODEL,
    "SequenceFunction": F,
    "SpectralLearner": LEARNER,
    "StringDistribution": StringDistribution(1),
    "WeightedAutomaton": AUTOMATON,
}
# What other tests try: readers of files, and classes that are only ever returned.
ELSEWHERE = {
    *("Contribution", "load_model"),
    *("Entropy", "get_num_threads", "read_pautomac_solution", "write_pautomac_model"),
    *("BipartiteGraph", "Block", "BottleneckMatching", "CapacityMatching", "DriverNodes", "HallViolator"),
    *(
        "MatchingEdges",
        "CorpusScore",
        "Predictions",
        "DulmageMendelsohn",
        "Matching",
        "SymbolBlocks",
        "TruncatedSVD",
        "WeightedMatching",
    ),
    *(
        "count_text",
        "count_to_parquet",
        "match_edges",
        "numeric_rank",
        "read_pautomac",
        "read_pautomac_model",
    ),
    *("write_arpa", "AbbadingoSample", "read_abbadingo", "read_spice", "read_spice_targets", "read_text"),
    *("linear_sum_assignment", "min_weight_full_bipartite_matching"),  # by scipy's contract
}
WRONG = [3, "ab", object(), 1j, [1j], b"x", np.array(5), float("nan"), [object()], {"a": "x"}, np.array([1j])]


def function_of(name: str) -> Any:
    owner, _, method = name.partition(".")
    thing = getattr(hankelmatch, owner)
    if not method:
        return thing
    return getattr(thing if method.startswith("from_") else OWNERS[owner], method)


CASES = [(name, argument) for name, arguments in RIGHT.items() for argument in arguments]


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_taken(name):
    function_of(name)(**RIGHT[name])


def messages(name: str, argument: str) -> Iterator[str]:
    """What is said of each wrong value that is refused."""
    for wrong in WRONG:
        try:
            function_of(name)(**{**RIGHT[name], argument: wrong})
        except (TypeError, ValueError) as error:
            yield str(error)


@pytest.mark.parametrize(("name", "argument"), CASES)
@pytest.mark.filterwarnings("error")
def test_what_is_wrong_is_refused_by_name(name, argument):
    named = re.compile(rf"\b{argument}\b|\b{argument.removesuffix('s')}\b")  # one of many: in the singular
    found = list(messages(name, argument))
    assert found
    assert not [message for message in found if not named.search(message)]


def test_all_that_is_public_is_tried():
    tried = {name.partition(".")[0] for name in RIGHT}
    assert tried.isdisjoint(ELSEWHERE)
    missing = set(hankelmatch.__all__) - tried - ELSEWHERE
    assert not missing, "add arguments that are right for these"
