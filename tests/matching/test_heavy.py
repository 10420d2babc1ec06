"""Heavy matchings, and those of Hankel graphs by weight."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import (
    SequenceFunction,
    hankel_blocks,
    heavy_matching,
    match,
    matching_basis,
    maximum_weight_matching,
    prefix_suffix_graph,
    read_text,
    structural_rank,
    substring_expectations,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from .weighted_graphs import graphs


@settings(max_examples=500)
@given(graphs(st.integers(0, 5).map(float)))
def test_heavy_matchings_are_maximum(graph):
    matching = heavy_matching(graph)
    assert matching.is_valid(graph)
    assert matching.is_maximum(graph)


def test_heavy_prefers_the_heaviest_edges():
    graph = sp.csr_array([[9.0, 8.0], [8.0, 1.0]])
    assert heavy_matching(graph).row_mate.tolist() == [0, 1]
    assert maximum_weight_matching(graph).row_mate.tolist() == [1, 0]


def test_heavy_stays_heavy_where_many_paths_make_it_maximum():
    """A maximum matching has room for some of the heaviest edges; long paths would lose most of these."""
    rng = np.random.default_rng(18)
    n = 40_000
    edges = rng.integers(0, n, (2, 5 * n))
    graph = sp.coo_array((rng.random(5 * n), edges), shape=(n, n)).tocsr()
    heavy = heavy_matching(graph)
    any_one = match(graph)
    assert heavy.size == any_one.size
    assert heavy.is_valid(graph)
    weight, usual = (graph[matching.pairs()].sum() for matching in (heavy, any_one))
    assert weight > 1.15 * usual


# Prefix-suffix graphs.


@st.composite
def functions(draw):
    if draw(st.booleans()):  # closed under substrings: matched without a list of edges
        texts = draw(st.lists(st.text("abc", max_size=8), min_size=1, max_size=5))
        return substring_expectations(texts, draw(st.integers(0, 5)))
    strings = draw(st.sets(st.text("ab", max_size=5), min_size=1, max_size=12))
    return SequenceFunction.from_dict({x: draw(st.floats(0.01, 10)) for x in strings})


@settings(max_examples=200)
@given(functions())
@example(substring_expectations(["abab"], 4))  # the two halves of the search do not suffice
def test_the_weighted_matching_of_a_hankel_graph_is_the_heaviest(f):
    graph = prefix_suffix_graph(f)
    edges = graph.to_csr(weighted=True)
    heaviest = maximum_weight_matching(graph, "product")
    assert heaviest.is_optimal(graph)
    found = match(graph, method="weighted")
    rows, cols = found.pairs()
    logs = np.log(edges.toarray()[rows, cols])
    assert (found.size, float(np.sum(logs))) == (heaviest.size, pytest.approx(heaviest.weight, abs=1e-9))
    assert match(graph, method="heavy").size == structural_rank(edges)
    assert matching_basis(f, method="weighted").shape == (heaviest.size, heaviest.size)


def test_methods_by_weight_need_a_hankel_graph():
    with pytest.raises(ValueError, match=re.escape("maximum_weight_matching")):
        match(sp.csr_array([[1.0]]), method="weighted")


@pytest.fixture(scope="module")
def ptb(data_dir):
    corpus = read_text(data_dir / "ptb" / "ptb.char.train.txt", unit="token")
    return substring_expectations(corpus, 5)


def test_the_numeric_rank_of_the_weighted_block_of_ptb(ptb):
    ranks = {
        method: np.linalg.matrix_rank(hankel_blocks(ptb, matching_basis(ptb, method=method)).H.toarray())
        for method in ("weighted",)
    }
    assert 1654 <= ranks["weighted"] <= 1663


def test_the_weighted_matching_of_ptb_is_proved(ptb):
    graph = prefix_suffix_graph(ptb)
    matching = maximum_weight_matching(graph, "product")
    assert matching.size == 1663
    assert matching.is_optimal(graph)


# Weights that are hard on arithmetic.
