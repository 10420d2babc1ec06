"""Whatever stands in the place of an argument: the message names that argument."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from fractions import Fraction
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
    ProbabilisticAutomaton,
    SequenceFunction,
    SpectralLearner,
    StringDistribution,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    prefix_suffix_graph,
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
SUFFIXES = BASIS.suffixes
STATES = np.ones((2, AUTOMATON.n_states))
STEPS = {"n_starts": 1, "max_steps": 1, "structure": "free", "average": False, "seed": 0}
MATRIX = scipy.sparse.csr_array([[1.0, 1.0], [0.0, 1.0]])

# Arguments that are right, of all that is public by name, and of methods.
RIGHT: dict[str, dict[str, Any]] = {
    "Alphabet": {"labels": "ab"},
    "Basis": {"prefixes": ["a"], "suffixes": ["b"], "empty_first": True},
    "BlackBox": {"function": AUTOMATON.values_of, "alphabet": "abc", "batch_size": 3, "batched": True},
    "BlackBox.__call__": {"string": "a"},
    "BlackBox.restricted_to": {"strings": ["a"]},
    "BlackBox.sample": {"n_strings": 2, "max_length": 2, "seed": 0},
    "BlackBox.values_of": {"strings": ["a"]},
    "Corpus": {"symbols": [0], "offsets": [0, 1], "alphabet": Alphabet("ab")},
    "Corpus.from_sequences": {"sequences": ["ab"]},
    "Corpus.reencode": {"alphabet": Alphabet("ab")},
    "Corpus.split": {"fractions": [0.5, 0.5], "seed": 0},
    "Corpus.take": {"indices": [0]},
    "Corpus.with_unknown_symbol": {"min_count": 1, "unknown_symbol": "<unk>"},
    "HankelBlocks.from_matrices": {"H": np.eye(2), "H_sigma": [np.eye(2)], "h_prefix": [1, 1]},
    "KneserNeyModel": {"corpus": CORPUS, "order": 2},
    "KneserNeyModel.bits_per_symbol": {"corpus": ["ab"], "sample_weight": [1]},
    "LanguageModel": {"automaton": AUTOMATON, "window": 3, "history": "whole"},
    "LanguageModel.bits_per_symbol": {"corpus": ["ab"], "sample_weight": [1], "ends": True},
    "LanguageModel.log_probability": {"sequences": ["ab"], "ends": True},
    "LanguageModel.predictions": {"corpus": ["ab"], "unscored": True},
    "LanguageModel.rank": {"context": "a", "k": 1, "at_start": True, "with_probabilities": True},
    "LanguageModel.rankings": {"contexts": ["a"], "k": 1},
    "LanguageModel.sample": {"seed": 0, "max_length": 3, "prefix": "a", "as_text": True},
    "MixtureModel": {"models": [N_GRAMS], "weights": [1.0], "combination": "linear"},
    "MixtureModel.contributions": {"corpus": ["ab"]},
    "MixtureModel.fit": {"corpus": ["ab"], "sample_weight": [1], "least": 0.0},
    "PrefixSuffixGraph": {"function": F},
    "PrefixSuffixGraph.columns_of": {"suffixes": SUFFIXES},
    "PrefixSuffixGraph.prefix_strings": {"rows": [0]},
    "PrefixSuffixGraph.rows_of": {"prefixes": SUFFIXES},
    "PrefixSuffixGraph.suffix_strings": {"columns": np.array([0])},
    "PrefixSuffixGraph.to_csr": {"weighted": True},
    "RankedBasis": {"prefixes": ["a"], "suffixes": ["b"], "steps": []},
    "ProbabilisticAutomaton": {"initial": [1.0], "final": [0.5], "transitions": {"a": [[0.5]]}},
    "ProbabilisticAutomaton.__call__": {"string": "a"},
    "ProbabilisticAutomaton.most_likely_states": {"string": "a"},
    "ProbabilisticAutomaton.next_symbol_probabilities": {"contexts": ["a"]},
    "ProbabilisticAutomaton.sample": {"n_sequences": 2, "seed": 0},
    "SequenceFunction.__call__": {"string": "a"},
    "SequenceFunction.from_dict": {"values": {"a": 1.0}},
    "SequenceFunction.from_strings": {"strings": ["a"], "values": [1.0]},
    "SequenceFunction.values_of": {"strings": ["a"]},
    "SpectralLearner.fit": {"corpus": ["ab", "ba"], "dev": ["ab"]},
    "SpectralLearner.predict_proba": {"contexts": "a"},
    "SpectralLearner.predict": {"contexts": "a"},
    "SpectralLearner.score": {"corpus": ["ab"], "sample_weight": [1]},
    "StringDistribution.sample": {"n_sequences": 2, "seed": 0},
    "StringDistribution.fit": {"sequences": ["ab", "ba"] * 10, "sample_weight": [1] * 20},
    "Strings": {"symbols": [0], "offsets": [0, 1], "alphabet": Alphabet("ab")},
    "WeightedAutomaton": {"initial": [1.0], "final": [1.0], "transitions": {"a": [[1.0]]}},
    "WeightedAutomaton.__call__": {"string": "a"},
    "WeightedAutomaton.apply": {"states": STATES, "symbol": 0},
    "WeightedAutomaton.apply_each": {"states": STATES, "symbols": np.array([0, -1])},
    "WeightedAutomaton.astype": {"dtype": "float32"},
    "WeightedAutomaton.next_values": {"states": STATES},
    "WeightedAutomaton.truncate": {"n_states": 1},
    "WeightedAutomaton.values_of": {"strings": ["a"]},
    "learn_probabilistic_automaton": {"corpus": ["ab", "ba"], "n_states": 1, **STEPS},
    "pautomac_perplexity": {"model": [0.5, 0.5], "true": [0.5, 0.5]},
    "set_num_threads": {"n_threads": 1},
    "complete_basis": {"f": F, "basis": BASIS, "tol": 1e-9, "known_length": 3},
    "convert_automaton": {"automaton": COIN, "source": "string", "target": "prefix"},
    "dulmage_mendelsohn": {"graph": MATRIX},
    "full_basis": {"f": F},
    "hankel_blocks": {"f": F, "basis": BASIS, "alphabet": Alphabet("abc")},
    "best_matchings": {"graph": MATRIX, "objective": "sum", "minimize": False, "k": 2},
    "bipartite_graph": {"graph": {"a": ["x"]}},
    "bottleneck_matching": {"graph": MATRIX},
    "driver_nodes": {"graph": MATRIX},
    "hall_violator": {"graph": MATRIX},
    "heavy_matching": {"graph": MATRIX},
    "learn_automaton": {"blocks": BLOCKS, "svd": truncated_svd(BLOCKS.H), "n_states": 2, "dtype": float},
    "length_basis": {"f": F, "length": 1},
    "linear_sum_assignment": {"cost_matrix": np.eye(2), "maximize": False},
    "match": {"graph": MATRIX, "method": "auto"},
    "match_edges": {"rows": [0], "cols": [0], "weights": [1.0], "minimize": False},
    "match_with_capacities": {"graph": MATRIX, "row_capacities": 2, "col_capacities": [1, 2]},
    "matching_basis": {"f": F, "method": "auto", "empty_first": True},
    "maximum_bipartite_matching": {"graph": MATRIX},
    "maximum_matching_edges": {"graph": MATRIX},
    "maximum_weight_matching": {"graph": MATRIX, "size": 1},
    "min_weight_full_bipartite_matching": {"biadjacency": MATRIX, "maximize": False},
    "minimal_automaton": {"automaton": COIN, "tol": 1e-9},
    "ndcg": {"rankings": [["a"]], "targets": [{"a": 1.0}], "k": 5, "per_prefix": True},
    "numeric_rank": {"singular_values": [2.0, 1.0], "shape": (2, 3)},
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
    "PrefixSuffixGraph": prefix_suffix_graph(F),
    "ProbabilisticAutomaton": ProbabilisticAutomaton([1.0], [0.5], {"a": [[0.5]]}),
    "SpectralLearner": LEARNER,
    "StringDistribution": StringDistribution(1, n_starts=1, n_chains=0).fit(["ab", "ba"] * 10),
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
    *("count_text", "count_to_parquet", "read_pautomac", "read_pautomac_model"),
    *("write_arpa", "AbbadingoSample", "read_abbadingo", "read_spice", "read_spice_targets", "read_text"),
}
WRONG = [
    *(3, "ab", b"x", 1j, float("nan"), object(), {"a": "x"}),
    *([1j], [object()], [[1, [2]], [3]], [[{}]]),
    *(
        np.array(5),
        np.array([1j]),
        np.array([[["auto", "sum"]]]),
        np.array([np.nan, np.inf]),
        np.zeros((2, 2, 2)),
    ),
    *(scipy.sparse.csr_array([[1.0, 2.0]]), scipy.sparse.coo_array([1.0, 2.0])),
]
IN_SCIPYS_WORDS = ("linear_sum_assignment", "cost_matrix")


def function_of(name: str) -> Any:
    owner, _, method = name.partition(".")
    thing = getattr(hankelmatch, owner)
    if not method:
        return thing
    return getattr(thing if method.startswith("from_") else OWNERS[owner], method)


CASES = [(name, argument) for name, arguments in RIGHT.items() for argument in arguments]
CASES.remove(IN_SCIPYS_WORDS)


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


def test_what_is_wrong_is_refused_by_name_beside_other_threads():
    """Arrays that another thread could change are copied first."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        for name in ("match", "maximum_weight_matching", "truncated_svd"):
            argument = "H" if name == "truncated_svd" else "graph"
            assert all(re.search(rf"\b{argument}\b", message) for message in messages(name, argument))
    finally:
        done.set()
        thread.join()


def test_all_that_is_public_is_tried():
    tried = {name.partition(".")[0] for name in RIGHT}
    assert tried.isdisjoint(ELSEWHERE)
    missing = set(hankelmatch.__all__) - tried - ELSEWHERE
    assert not missing, "add arguments that are right for these"


@pytest.mark.parametrize(
    ("name", "argument", "huge"),
    [
        ("BlackBox.sample", "n_strings", 10**12),
        ("BlackBox.sample", "max_length", 10**12),
        ("LanguageModel.sample", "max_length", 10**12),
        ("StringDistribution.sample", "n_sequences", 10**12),
        ("learn_probabilistic_automaton", "n_starts", 10**12),
        ("learn_probabilistic_automaton", "n_states", 10**12),
        ("match_edges", "shape", (1, 10**30)),
        ("set_num_threads", "n_threads", 10**12),
        ("truncated_svd", "n_iterations", 10**12),
    ],
)
def test_counts_that_no_machine_gets_through_are_refused_by_name(name, argument, huge):
    with pytest.raises(ValueError, match=rf"^{argument}\b.* whole number.*, not .*{'0' * 12}"):
        function_of(name)(**{**RIGHT[name], argument: huge})


@pytest.mark.parametrize("argument", ["n_starts", "n_chains", "n_sweeps"])
def test_counts_of_an_estimator_are_refused_by_name(argument):
    with pytest.raises(
        ValueError, match=rf"^{argument}: a whole number from \d+ to 10+ is needed, not 10{{12}}"
    ):
        StringDistribution(1, **{argument: 10**12}).fit(["ab"])


def test_an_average_has_no_more_states_than_an_automaton_may_have():
    with pytest.raises(ValueError, match=r"^n_starts: a whole number from 1 to 5000 is needed, not 5001"):
        hankelmatch.learn_probabilistic_automaton(["ab"], 2, n_starts=5001, average=True)


@pytest.mark.parametrize("seed", [[], [1, 2], True, -1, np.array(3)])
def test_a_seed_is_a_whole_number_or_a_generator(seed):
    with pytest.raises(ValueError, match=r"^seed: a whole number from 0 or a numpy Generator is needed, not"):
        MODEL.sample(seed)


def test_sets_mappings_and_one_text_are_no_strings_or_contexts():
    for string in ({"a"}, {"a": "b"}):
        with pytest.raises(TypeError, match=r"^string is a (set|dict), whose symbols have no order"):
            F(string)
        with pytest.raises(TypeError, match=r"^sequences\[0\] is a (set|dict), whose symbols have no order"):
            Corpus.from_sequences([string])
    with pytest.raises(TypeError, match=r"^contexts: this is a single string; put it into a list"):
        MODEL.rankings("ab")


def test_what_would_not_be_used_is_refused():
    start = hankelmatch.maximum_weight_matching(MATRIX)
    with pytest.raises(ValueError, match=r"^initial: a matching of a given size starts from nothing"):
        hankelmatch.maximum_weight_matching(MATRIX, size=1, initial=start)
    for dtype in (None, np.float32(1), AUTOMATON):
        with pytest.raises(ValueError, match=r"^dtype: .* given; float32 or float64 can be used"):
            COIN.astype(dtype)
    with pytest.raises(ValueError, match=r"^n_samples: a whole number from 2"):
        OWNERS["ProbabilisticAutomaton"].entropy(n_samples=1)


@pytest.mark.parametrize("source", [np.random.SeedSequence, np.random.PCG64, np.random.RandomState])
def test_seeds_are_what_numpy_makes_generators_of(source):
    if source is np.random.RandomState and np.lib.NumpyVersion(np.__version__) < "2.2.0":
        pytest.skip("numpy makes no generator of it")
    assert MODEL.sample(source(3)) == MODEL.sample(np.random.default_rng(source(3)))


@pytest.mark.parametrize("n_states", [range(1, 3), {1: "one", 2: "two"}.keys(), np.array([[1], [2]])])
def test_numbers_of_states_are_any_collection(n_states):
    for estimator in (StringDistribution(n_states, n_starts=1, n_chains=0), SpectralLearner(2, n_states)):
        assert estimator.fit(["ab", "ba"] * 20).score(["ab"]) < 0


def test_fractions_are_numbers():
    found = []
    for half in (Fraction(1, 2), 0.5):
        model = LanguageModel(AUTOMATON, 3, contexts="longest", floor=half, mixing=half, n_sequences=half)
        learned = hankelmatch.learn_probabilistic_automaton(["ab"], 1, concentration=half)
        found.append((model.bits_per_symbol(["ab"]), learned("ab")))
    assert found[0] == found[1]


@pytest.mark.parametrize("seed", [2**70, np.int64(3)])
def test_seeds_of_any_size_and_type_are_taken(seed):
    model = StringDistribution(1, n_starts=1, n_chains=1, n_sweeps=40, seed=seed)
    assert model.fit(["ab", "ba"] * 10).total_mass() == pytest.approx(1)


@pytest.mark.parametrize("name", ["match", "structural_rank", "heavy_matching", "bipartite_graph"])
@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array])
def test_shapes_beyond_memory_are_refused_by_name(name, kind):
    shape = (2**52, 1) if kind is scipy.sparse.csc_array else (1, 2**52)
    with pytest.raises(MemoryError, match=r"^graph: .*4,503,599,627,370,496.* is more than fits into memory"):
        function_of(name)(kind(shape))


def test_places_that_are_not_there_are_refused_by_name():
    with pytest.raises(IndexError, match=r"^indices: there are 2 strings; index 99 is out of bounds"):
        CORPUS.take([99])


@pytest.mark.parametrize("path", ["a\0b", "a\ud800"])
def test_names_that_no_file_has_are_refused(path):
    with pytest.raises(ValueError, match=r"^path: .* has a character that no name of a file has"):
        hankelmatch.read_text(path)


def test_the_argument_at_fault_is_named():
    with pytest.raises(ValueError, match=r"^initial: shape \(0,\) given, and final has shape \(1,\)"):
        WeightedAutomaton([], [1.0], {"a": [[1.0]]})
    with pytest.raises(ValueError, match=r"^end_symbol: NaN cannot be a label"):
        Corpus.from_sequences(["ab"], end_symbol=float("nan"))
    with pytest.raises(TypeError, match=r"^transitions: a dense array is needed, not a sparse one"):
        WeightedAutomaton([1.0], [1.0], {"a": scipy.sparse.csr_array([[1.0]])})
    with pytest.raises(ValueError, match=r"^dev: 2 symbols are not in the model's alphabet"):
        SpectralLearner(2, 2).fit(["ab", "ba"], dev=["xy"])
