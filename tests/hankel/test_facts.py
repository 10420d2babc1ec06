"""Exact facts on real data, found by an independent program, and the paper's figure 1."""

import numpy as np
import pytest
from hankelmatch import (
    Corpus,
    SequenceFunction,
    hankel_blocks,
    learn_automaton,
    match,
    matching_basis,
    prefix_suffix_graph,
    read_text,
    substring_expectations,
    truncated_svd,
)

METHODS = ("auto", "paper", "augmenting-path", "hopcroft-karp")

PENN_TREEBANK = {
    2: (861, None, None),
    3: (7_411, 28_731, 101),
    4: (37_556, 179_456, 745),
    5: (143_010, 812_180, 1_663),
    6: (425_775, 2_791_535, 6_291),
    7: (997_667, 7_366_671, 13_943),
    8: (1_943_788, 15_881_760, 34_874),
    10: (5_092_402, 49_152_238, 135_529),
}
TAGS = {
    3: (1_665, 6_476, 27),
    4: (9_870, 47_501, 171),
    5: (36_600, 207_881, 326),
    6: (94_555, 613_566, 1_549),
}
WAR_AND_PEACE = {
    5: (235_712, 1_326_651, 3_311),
    6: (598_349, 3_865_110, 11_955),
    7: (1_226_547, 8_890_694, 27_033),
}


def check_facts(corpus, max_length, facts, methods=METHODS):
    n_substrings, n_edges, size = facts
    f = substring_expectations(corpus, max_length)
    assert len(f) == n_substrings
    if size is None:
        return
    graph = prefix_suffix_graph(f)
    assert graph.n_edges == n_edges
    pattern = graph.to_csr()
    for method in methods:
        matching = match(graph, method=method)
        assert matching.size == size, method
        assert matching.is_valid(pattern)
        check_cover(pattern, matching)


def check_cover(pattern, matching):
    rows, columns = matching.minimum_vertex_cover()
    assert len(rows) + len(columns) == matching.size
    row_covered = np.zeros(pattern.shape[0], bool)
    column_covered = np.zeros(pattern.shape[1], bool)
    row_covered[rows] = column_covered[columns] = True
    assert np.all(np.repeat(row_covered, np.diff(pattern.indptr)) | column_covered[pattern.indices])


@pytest.fixture(scope="module")
def penn_treebank(data_dir):
    corpus = read_text(data_dir / "ptb" / "ptb.char.train.txt", unit="token")
    assert (corpus.n_sequences, corpus.n_symbols, len(corpus.alphabet)) == (42_068, 5_017_482, 50)
    return corpus


@pytest.mark.slow
@pytest.mark.parametrize("max_length", PENN_TREEBANK)
def test_penn_treebank(penn_treebank, max_length):
    methods = METHODS if max_length < 10 else ("auto", "paper")
    check_facts(penn_treebank, max_length, PENN_TREEBANK[max_length], methods)


def test_penn_treebank_expects_the_empty_string_once_more_than_the_mean_length(penn_treebank):
    assert substring_expectations(penn_treebank, 1)(()) == pytest.approx(1 + 5_017_482 / 42_068, abs=1e-12)


@pytest.mark.slow
def test_the_heavy_block_of_penn_treebank_has_full_numeric_rank(penn_treebank):
    f = substring_expectations(penn_treebank, 5)
    blocks = hankel_blocks(f, matching_basis(f, method="heavy"))
    assert truncated_svd(blocks.H).n_states == len(blocks.basis.prefixes) == 1_663


@pytest.mark.parametrize("max_length", TAGS)
def test_part_of_speech_tags(data_dir, max_length):
    corpus = read_text(data_dir / "pos" / "ewt.tags.train.txt", unit="token")
    check_facts(corpus, max_length, TAGS[max_length])


@pytest.mark.slow
@pytest.mark.parametrize("max_length", WAR_AND_PEACE)
def test_war_and_peace(data_dir, max_length):
    text = read_text(data_dir / "warandpeace" / "warpeace_input.txt", stream=True)
    assert (text.n_symbols, len(text.alphabet)) == (3_258_227, 84)
    train = Corpus(text.symbols[:2_658_227], [0, 2_658_227], text.alphabet)
    check_facts(train, max_length, WAR_AND_PEACE[max_length])


def test_figure_1():
    f = SequenceFunction.from_dict(dict.fromkeys(["", "aab", "b", "bb", "c", "ca", "cb"], 1.0))
    graph = prefix_suffix_graph(f)
    assert (graph.n_prefixes, graph.n_suffixes) == (9, 9)
    nodes = {"", "a", "aa", "aab", "b", "bb", "c", "ca", "cb"}
    assert {"".join(p) for p in graph.prefixes} == nodes
    assert {"".join(s) for s in graph.suffixes} == {"", "b", "ab", "aab", "bb", "a", "c", "ca", "cb"}
    for method in METHODS:
        basis = matching_basis(graph, method=method)
        block = hankel_blocks(f, basis).H.toarray()
        assert basis.shape == (5, 5)
        assert np.linalg.matrix_rank(block) == 5
        automaton = learn_automaton(hankel_blocks(f, basis))
        assert automaton.n_states == 5
        for string, value in f.items():
            assert automaton(string) == pytest.approx(value, abs=1e-9)
    assert np.linalg.matrix_rank(graph.to_csr().toarray()) == 5
