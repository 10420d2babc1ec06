"""Structure, ranked, bottleneck and random matchings beyond what brute force asks."""

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import (
    best_matchings,
    bottleneck_matching,
    hall_violator,
    linear_sum_assignment,
    match,
    match_with_capacities,
    maximum_matching_edges,
    maximum_weight_matching,
)

from ..reference import random_sparse
from .brute_force import edges_of, maximum_matchings, weights_of


def test_every_maximum_matching_is_drawn_at_times():
    graph = sp.csr_array(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]]))
    drawn = {edges_of(match(graph, seed=seed)) for seed in range(200)}
    assert drawn == set(maximum_matchings(frozenset(weights_of(graph))))
    wide = sp.csr_array(np.ones((1, 4)))
    assert len({int(match(wide, seed=seed).row_mate[0]) for seed in range(100)}) == 4
    generator = np.random.default_rng(0)
    assert len({int(match(wide, seed=generator).row_mate[0]) for _ in range(100)}) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "^seed: a whole number from 0"),
        ({"seed": 0, "method": "push-relabel"}, "leave out method 'push-relabel'"),
        ({"seed": 0, "initial": match(sp.csr_array((2, 3)))}, "leave out initial"),
        ({"row_weights": [1, 2, 3]}, "^row_weights: 2 numbers are needed"),
        ({"col_weights": [1, np.nan, 3]}, "^col_weights: number 1 is NaN"),
        ({"col_weights": "abc"}, "^col_weights: real numbers"),
    ],
)
def test_preferences_that_cannot_be_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        match(sp.csr_array((2, 3)), **options)


def test_malformed_arrays_are_refused_before_anything_is_made_of_them():
    for options in ({"seed": 0}, {"row_weights": [1, 2]}):
        graph = sp.csr_array(np.eye(2))
        graph.indices[1] = 7
        with pytest.raises(ValueError, match="indices"):
            match(graph, **options)
        with pytest.raises(ValueError, match="indices"):
            match_with_capacities(graph, 2)


def test_many_ranked_matchings_of_a_dense_matrix():
    costs = np.random.default_rng(0).random((40, 40))
    found = list(islice(best_matchings(costs, minimize=True), 300))
    weights = [m.weight for m in found]
    assert weights == sorted(weights)
    assert len({m.row_mate.tobytes() for m in found}) == 300
    assert weights[0] == maximum_weight_matching(costs, minimize=True).weight
    assert found[0].is_optimal(costs)
    assert not found[1].is_optimal(costs)
    assert all(m.is_valid(sp.csr_array(costs)) for m in found)


def test_ranked_matchings_of_a_product_and_of_nothing():
    graph = sp.csr_array([[1.0, 2.0], [3.0, 4.0]])
    assert [round(float(np.exp(m.weight))) for m in best_matchings(graph, "product")] == [6, 4]
    for shape in ((0, 0), (0, 3), (3, 0), (2, 2)):
        assert [m.size for m in best_matchings(sp.csr_array(shape))] == [0]


def test_the_bottleneck_of_a_large_graph_is_proved():
    graph = random_sparse((200, 300), 0.02, np.random.default_rng(0))
    for minimize in (True, False):
        found = bottleneck_matching(graph, minimize=minimize)
        assert found.size == match(graph).size
        assert found.is_optimal(graph)
    with pytest.raises(TypeError, match=r"^minimize: True or False"):
        bottleneck_matching(graph, minimize=None)


def test_a_bottleneck_that_is_not_the_best_is_not_optimal():
    graph = np.array([[1.0, 5.0], [5.0, 2.0]])
    assert not bottleneck_matching(graph, minimize=False).is_optimal(-graph)
    found = bottleneck_matching(graph)
    assert found.is_optimal(graph)
    assert not found.is_optimal(graph[::-1])
    assert bottleneck_matching(np.array([[np.inf, 1], [2, np.inf]])).bottleneck == 2


@pytest.mark.parametrize(
    ("rows", "cols", "message"),
    [
        (-1, 1, "^row_capacities: whole numbers from 0"),
        (1, 0.5, "^col_capacities: whole numbers from 0"),
        ([1], 1, "^row_capacities: one whole number, or 2"),
        (1, "x", "^col_capacities: real numbers"),
        (np.nan, 1, "^row_capacities: whole numbers"),
    ],
)
def test_capacities_are_checked(rows, cols, message):
    with pytest.raises(ValueError, match=message):
        match_with_capacities(sp.csr_array((2, 3)), rows, cols)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64, np.float32])
def test_capacities_of_any_type_of_number(dtype):
    rows, cols = np.array([2, 1], dtype), np.array([1, 1, 1], dtype)
    assert match_with_capacities(np.ones((2, 3)), rows, cols).size == 3


def test_capacities_larger_than_any_need():
    graph = sp.csr_array(np.ones((3, 4)))
    found = match_with_capacities(graph, 10**12, 2**31)
    assert found.size == 12
    assert found.is_maximum(graph)
    assert not match_with_capacities(graph, 1, 1).is_maximum(sp.csr_array((3, 4)))
    assert match_with_capacities(graph).size == 3
    assert repr(found) == "<CapacityMatching of 12 edges of 3 rows and 4 columns>"
    changed = match_with_capacities(part := sp.csr_array(np.eye(3)), 2)
    part.indices[:] = [1, 0, 2]
    assert not changed.is_maximum(part)


def test_repeated_entries_are_one_edge():
    graph = sp.csr_array((np.ones(3), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    edges = maximum_matching_edges(graph)
    assert (edges.in_some.nnz, edges.in_every.nnz, edges.is_unique) == (2, 2, True)
    assert match_with_capacities(graph, 2, 2).size == 2
    assert hall_violator(graph) is None


@pytest.mark.parametrize("minimize", [False, True])
def test_the_heaviest_within_row_capacities_is_an_assignment_of_repeated_rows(minimize):
    rng = np.random.default_rng(4)
    for n_rows, n_cols, capacity in ((5, 12, 2), (30, 80, 3), (20, 15, 4), (1, 9, 5)):
        weights = rng.random((n_rows, n_cols)) if n_rows % 2 else rng.integers(-9, 9, (n_rows, n_cols))
        repeated = np.repeat(weights, capacity, axis=0)
        rows, cols = linear_sum_assignment(repeated, maximize=not minimize)
        for graph, row_capacities, col_capacities in (
            (weights, capacity, 1),
            (weights.T, 1, np.full(n_rows, capacity)),
        ):
            found = match_with_capacities(
                graph, row_capacities, col_capacities, objective="sum", minimize=minimize
            )
            assert found.size == len(rows)
            assert found.weight == pytest.approx(repeated[rows, cols].sum(), rel=1e-12)
            assert found.is_optimal(graph)
            assert found.is_maximum(sp.csr_array(np.ones(graph.shape)))


def test_capacities_by_weight_prove_themselves_of_their_own_graph_alone():
    weights = np.array([[5.0, 4.0, 1.0], [3.0, 3.0, 0.0]])
    found = match_with_capacities(weights, 2, [1, 2, 1], objective="sum")
    assert (found.size, found.weight) == (4, 12.0)
    assert found.is_optimal(weights)
    better = weights.copy()
    better[1, 0] = 9
    worse = weights.copy()
    worse[0, 0] = -1
    for changed in (better, worse, weights[:1], weights.T, sp.csr_array(np.diag([1.0, 1.0, 1.0])[:2])):
        assert not found.is_optimal(changed)
    with pytest.raises(ValueError, match="tolerance"):
        found.is_optimal(weights, -1)
    assert match_with_capacities(weights, 2, 2).weight is None
    assert match_with_capacities(weights, 2, 2).is_optimal(weights)


def test_capacities_keep_the_digits_of_weights_far_above_the_limit():
    weights = np.array([[3.0, 9.0], [1.0, 2.0]])
    found = match_with_capacities(weights, objective="sum", limit=-1e20)
    assert found.weight == 10
    assert found.is_optimal(weights, 0)


def test_capacities_by_weight_take_zeros_forbidden_edges_and_limits():
    costs = np.array([[0.0, np.inf, 2.0], [0.0, 0.0, 7.0]])
    found = match_with_capacities(costs, 3, 1, objective="sum", minimize=True)
    assert (found.size, found.weight) == (3, 2.0)
    found = match_with_capacities(costs, 3, 1, objective="sum", minimize=True, limit=1)
    assert (found.size, found.weight) == (2, 0.0)
    assert found.is_optimal(costs)
    assert match_with_capacities(costs, 0, 5, objective="sum", minimize=True).size == 0
    wide = match_with_capacities(-costs, 10**12, 2**40, objective="sum")
    assert (wide.size, wide.weight) == (5, -9.0)
    spread = np.array([[1e200, 1.0], [1e200, 2.0]])  # no large number stands for a pair
    assert match_with_capacities(spread, 1, [1, 1], objective="sum").weight == 1e200 + 2
    assert match_with_capacities(spread * [-1, 1], 1, 1, objective="sum").size == 2
    names = {"a": {"x": 1, "y": 2}, "b": {"x": 5}}
    assert match_with_capacities(names, 1, 1, objective="sum").labelled_pairs() == [("a", "y"), ("b", "x")]
    for shape in ((0, 0), (0, 3), (3, 0)):
        empty = match_with_capacities(sp.csr_array(shape), 2, 2, objective="sum")
        assert (empty.size, empty.weight, empty.is_optimal(sp.csr_array(shape))) == (0, 0.0, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "product"}, '^objective: "size" or "sum"'),
        ({"objective": 1}, "^objective"),
        ({"minimize": True}, '^minimize: it is for weights; give objective="sum"'),
        ({"limit": 1.0}, "^limit: it is for weights"),
        ({"objective": "sum", "limit": np.nan}, "^limit: a finite number"),
        ({"objective": "sum", "row_capacities": -1}, "^row_capacities: whole numbers"),
        ({"objective": "sum", "minimize": True, "graph": np.array([[-np.inf]])}, "row 0, column 0 is -inf"),
    ],
)
def test_capacities_by_weight_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        match_with_capacities(**{"graph": np.ones((2, 2))} | options)


def test_edges_and_violators_have_names():
    edges = maximum_matching_edges({"ann": ["x", "y"], "bob": ["x"]})
    assert edges.labelled(edges.in_every) == [("ann", "y"), ("bob", "x")]
    assert edges.labelled(edges.in_some) == edges.labelled(edges.in_every)
