"""Maximum matchings: right on every graph, from any beginning; what a Matching is."""

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import (
    Matching,
    dulmage_mendelsohn,
    match,
    maximum_bipartite_matching,
    structural_rank,
)
from hankelmatch.matching.maximum import METHODS
from hypothesis import given, settings
from scipy.sparse.csgraph import maximum_bipartite_matching as scipy_matching

from .unweighted_graphs import check, csr, graphs


def size_by_scipy(graph):
    """Of a copy without repeated entries: with them scipy 1.17 writes beyond its arrays."""
    single = graph.copy()
    single.sum_duplicates()
    return int((scipy_matching(single) != -1).sum())


@given(graphs())
@settings(deadline=None, max_examples=300)
def test_every_method_finds_a_certified_maximum(graph):
    expected = size_by_scipy(graph)
    for method in METHODS:
        matching = match(graph, method)
        assert matching.row_mate.dtype == graph.indices.dtype
        check(graph, matching, expected)
    assert structural_rank(graph) == expected


@given(graphs(), graphs())
@settings(deadline=None, max_examples=100)
def test_a_warm_start_after_edges_were_added_and_removed(before, after):
    before.resize(after.shape)
    after = sp.csr_array(after)
    for method in METHODS:
        matching = match(after, method, initial=match(before, method))
        check(after, matching, match(after).size)


def test_a_warm_start_keeps_every_row_matched():
    graph = csr(3, 3, [(0, 0), (0, 1), (1, 0), (2, 2)])
    initial = match(csr(3, 3, [(0, 0), (2, 2)]))
    for method in METHODS:
        assert match(graph, method, initial=initial).row_mate.tolist() == [1, 0, 2]


def test_an_initial_matching_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="initial"):
        match(csr(2, 2, [(0, 0)]), initial=match(csr(2, 3, [(0, 0)])))
    with pytest.raises(ValueError, match="initial"):
        match(csr(2, 2, [(0, 0)]), initial=match(sp.csr_array((0, 0))))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (3, 3)], ids=str)
def test_no_edges(method, shape):
    matching = match(sp.csr_array(shape), method)
    assert matching.row_mate.tolist() == [-1] * shape[0]
    assert matching.col_mate.tolist() == [-1] * shape[1]
    check(sp.csr_array(shape), matching, 0)


def test_the_input_is_neither_copied_nor_changed():
    for dtype in (np.int32, np.int64):
        graph = csr(3, 3, [(0, 2), (0, 0), (0, 2), (1, 0), (2, 0)], dtype)
        arrays = graph.indptr, graph.indices, graph.data
        saved = [a.copy() for a in arrays]
        for array in arrays:
            array.flags.writeable = False
        matching = match(graph)
        maximum_bipartite_matching(graph)
        dulmage_mendelsohn(graph)
        matching.minimum_vertex_cover()
        assert all(
            now is then for now, then in zip((graph.indptr, graph.indices, graph.data), arrays, strict=True)
        )
        assert all((now == then).all() for now, then in zip(arrays, saved, strict=True))


def test_an_unknown_method_is_named():
    with pytest.raises(ValueError, match="method"):
        match(csr(1, 1, [(0, 0)]), "magic")
    with pytest.raises(ValueError, match="PrefixSuffixGraph"):
        match(csr(1, 1, [(0, 0)]), "paper")


def test_unknown_methods_are_refused_with_all_that_there_are():
    with pytest.raises(ValueError, match=r"push-relabel.*hankel, paper, weighted, heavy, not 'xx'"):
        match(csr(1, 1, [(0, 0)]), method="xx")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"method": None}, "method: the name of a matcher"),
        ({"initial": 5}, "initial: a Matching is needed"),
        (
            {"method": "hankel", "initial": match(sp.csr_array(np.eye(1)))},
            "initial: method 'hankel' starts from nothing",
        ),
    ],
)
def test_arguments_of_match_are_checked_by_name(arguments, error):
    with pytest.raises((TypeError, ValueError), match=error):
        match(sp.csr_array(np.eye(1)), **arguments)


def test_a_matching_says_what_it_is():
    graph = csr(3, 3, [(0, 0), (1, 0), (1, 1)])
    matching = match(graph)
    assert repr(matching) == "<Matching of size 2 of 3 rows and 3 columns>"
    rows, cols = matching.pairs()
    assert rows.tolist() == [0, 1]
    assert cols.tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        matching.row_mate[0] = 1
    assert not matching.is_valid(csr(3, 3, [(0, 1)]))
    assert not matching.is_valid(csr(3, 4, [(0, 0), (1, 1)]))
    assert not matching.is_maximum(csr(3, 3, [(0, 0), (1, 1), (2, 2)]))


def test_a_matching_of_a_graph_that_was_changed_has_no_cover():
    graph = csr(2, 2, [(0, 0), (1, 1)])
    matching = match(graph)
    graph.indices[:] = 0
    with pytest.raises(ValueError, match="not"):
        matching.minimum_vertex_cover()
    incomplete = Matching(np.array([-1, -1], np.int32), np.array([-1, -1], np.int32), graph)
    with pytest.raises(ValueError, match="maximum"):
        incomplete.minimum_vertex_cover()


def test_mates_that_no_index_can_be_make_no_matching():
    huge = np.array([2**32])
    assert not Matching(huge, huge, None).is_maximum(sp.csr_array(np.eye(1)))
    with pytest.raises(TypeError, match="mates must be integers"):
        Matching(np.array([0.5]), np.array([0.0]), None).is_valid(sp.csr_array(np.eye(1)))
    flat = np.arange(4)
    with pytest.raises(ValueError, match="mates must have 1 dimension, not 2"):
        Matching(flat.reshape(2, 2), flat, None).is_valid(sp.csr_array(np.eye(4)))


def test_the_arrays_of_a_callers_matching_stay_writable():
    mates = np.array([0])
    Matching(mates, mates, None)
    mates[0] = 1
