import copy

import numpy as np
import pytest
from hankelmatch import SequenceFunction, match, prefix_suffix_graph, substring_expectations
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import maximum_bipartite_matching

from ..support_reference import edges_of, maximum_matching_size

supports = st.sets(st.text("abc", max_size=6), min_size=1, max_size=12)
METHODS = ("auto", "paper", "augmenting-path", "hopcroft-karp")


def function_of(support):
    return SequenceFunction.from_dict({x: 1.0 + i for i, x in enumerate(sorted(support))})


def found_edges(graph):
    coo = graph.to_csr().tocoo()
    prefixes, suffixes = graph.prefixes, graph.suffixes
    return {(prefixes[int(r)], suffixes[int(c)]) for r, c in zip(coo.row, coo.col, strict=True)}


@given(supports)
def test_edges_are_the_cuts_of_the_support(support):
    graph = prefix_suffix_graph(function_of(support))
    expected = edges_of(support)
    assert found_edges(graph) == expected
    assert graph.n_edges == graph.to_csr().nnz == len(expected)
    assert set(graph.prefixes) == {p for p, _ in expected}
    assert set(graph.suffixes) == {s for _, s in expected}
    assert (graph.n_prefixes, graph.n_suffixes) == (len(graph.prefixes), len(graph.suffixes))
    assert graph.prefix_lengths.tolist() == [len(p) for p in graph.prefixes]
    assert graph.suffix_lengths.tolist() == [len(s) for s in graph.suffixes]


@pytest.mark.slow
@given(supports)
def test_the_weighted_pattern_is_the_whole_hankel_matrix(support):
    f = function_of(support)
    graph = prefix_suffix_graph(f)
    matrix = graph.to_csr(weighted=True).toarray()
    expected = [[f((*p, *s)) for s in graph.suffixes] for p in graph.prefixes]
    np.testing.assert_array_equal(matrix, expected)


@given(supports, st.sampled_from(METHODS))
def test_every_matcher_is_maximum_with_its_certificate(support, method):
    graph = prefix_suffix_graph(function_of(support))
    check_matching(graph, method)
    assert match(graph, method=method).size == maximum_matching_size(edges_of(support))


@given(
    st.lists(st.text("ab", max_size=9), min_size=1, max_size=6), st.integers(0, 6), st.sampled_from(METHODS)
)
def test_every_matcher_is_maximum_on_substrings(sequences, max_length, method):
    graph = prefix_suffix_graph(substring_expectations(sequences, max_length))
    assert graph.to_csr().has_canonical_format
    check_matching(graph, method)


def check_matching(graph, method):
    pattern = graph.to_csr()
    matching = match(graph, method=method)
    assert matching.is_valid(pattern)
    rows, columns = matching.minimum_vertex_cover()
    assert len(rows) + len(columns) == matching.size
    coo = pattern.tocoo()
    assert np.all(np.isin(coo.row, rows) | np.isin(coo.col, columns))
    assert matching.size == np.count_nonzero(maximum_bipartite_matching(pattern) >= 0)


@given(supports, supports)
def test_rows_and_columns_are_found_by_string(support, others):
    graph = prefix_suffix_graph(function_of(support))
    for strings, all_strings, find in (
        (graph.prefixes, graph.prefixes, graph.rows_of),
        (graph.suffixes, graph.suffixes, graph.columns_of),
    ):
        assert find(strings).tolist() == list(range(len(strings)))
        wanted = type(strings).from_sequences(sorted(others), graph.alphabet)
        places = {x: i for i, x in enumerate(all_strings)}
        assert find(wanted).tolist() == [places.get(tuple(x), -1) for x in sorted(others)]


def test_rows_ascend_by_length_and_the_empty_string_is_first():
    graph = prefix_suffix_graph(function_of({"abc", "ca"}))
    for strings in (graph.prefixes, graph.suffixes):
        assert strings[0] == ()
        assert np.all(np.diff(strings.lengths) >= 0)


def test_a_function_without_support_has_no_graph():
    with pytest.raises(ValueError, match="zero on all strings"):
        prefix_suffix_graph(SequenceFunction.from_dict({"a": 0.0}))


def test_the_callers_matrix_is_its_own():
    graph = prefix_suffix_graph(substring_expectations(["abab"], 3))
    size = match(graph).size
    graph.to_csr().indices[:] = 0
    assert match(graph).size == size


@pytest.mark.slow
@given(supports, st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_the_papers_procedure_is_maximum_without_its_two_ideas(support, closed, shifted_pairs, random):
    f = substring_expectations(sorted(support), 4) if closed else function_of(support)
    graph = prefix_suffix_graph(f)
    order = random.sample(range(graph.n_prefixes), graph.n_prefixes)
    row_mate, col_mate = graph._match_paper(order, shifted_pairs=shifted_pairs)
    rows = np.flatnonzero(row_mate >= 0)
    assert np.array_equal(col_mate[row_mate[rows]], rows)
    assert graph.to_csr()[rows, row_mate[rows]].all()
    assert len(rows) == match(graph).size


def test_the_papers_procedure_refuses_an_order_of_other_prefixes():
    graph = prefix_suffix_graph(function_of({"ab"}))
    with pytest.raises(ValueError, match="order: a prefix that the graph does not have"):
        graph._match_paper([graph.n_prefixes])


def test_one_long_sequence_as_the_only_support_string():
    rng = np.random.default_rng(1)
    text = rng.integers(0, 3, 50_000)
    graph = prefix_suffix_graph(SequenceFunction.from_strings([text], [1.0]))
    assert (graph.n_prefixes, graph.n_edges) == (50_001, 50_001)
    assert {match(graph, method=m).size for m in METHODS} == {50_001}


def test_a_matching_of_substrings_says_how_many_edges_it_looked_at():
    rng = np.random.default_rng(2)
    text = rng.zipf(1.5, 30_000).clip(max=30)
    graph = prefix_suffix_graph(substring_expectations([text], 7))
    matching = match(graph)
    assert 0 < matching.n_edges_seen < graph.n_edges / 10
    assert "_edges" not in vars(graph), "the list of edges was made"
    assert match(graph, method="hankel").size == matching.size == match(graph, method="paper").size


@pytest.mark.parametrize("support", [{"abc", "ca"}, {"", "a", "b", "ab"}])
def test_graphs_are_copied_by_their_function(support):
    f = function_of(support)
    graph = prefix_suffix_graph(f)
    graph.to_csr()
    again = copy.deepcopy(graph, {id(f): f})
    assert (again.prefixes, again.suffixes) == (graph.prefixes, graph.suffixes)
    assert (again.to_csr(weighted=True) != graph.to_csr(weighted=True)).nnz == 0


def test_the_structured_matcher_needs_a_support_closed_under_substrings():
    graph = prefix_suffix_graph(function_of({"abc"}))
    assert not graph.is_closed
    with pytest.raises(ValueError, match="'hankel' is for prefix-suffix graphs"):
        match(graph, method="hankel")
