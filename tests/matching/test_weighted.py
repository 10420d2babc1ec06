"""Heaviest and cheapest matchings, against scipy and brute force."""

import itertools
import math

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hankelmatch import (
    match,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import min_weight_full_bipartite_matching as scipys

from ..reference import random_sparse
from .weighted_graphs import INTEGERS, graphs, stored, weight_of


def best_by_assignment(graph, *, maximum_cardinality):
    """Size and weight of a heaviest matching, by scipy's dense solver and a price for every edge."""
    if min(graph.shape) == 0:
        return 0, 0.0
    cells = stored(graph)
    dense = np.where(cells, graph.toarray(), 0.0)
    if not maximum_cardinality:
        gains = np.maximum(dense, 0.0)
        rows, cols = scipy.optimize.linear_sum_assignment(gains, maximize=True)
        return int((gains[rows, cols] > 0).sum()), float(gains[rows, cols].sum())
    price = 4.0 * (1.0 + np.abs(dense).max()) * min(graph.shape)
    rows, cols = scipy.optimize.linear_sum_assignment(np.where(cells, dense + price, 0.0), maximize=True)
    used = cells[rows, cols]
    return int(used.sum()), math.fsum(dense[rows, cols][used])


def best_by_brute_force(graph):
    """Size and weight of the heaviest maximum matching, by trying all of them."""
    edges = list(zip(*np.nonzero(stored(graph)), strict=True))
    dense = graph.toarray()
    for size in range(min(graph.shape), -1, -1):
        weights = [
            math.fsum(dense[e] for e in chosen)
            for chosen in itertools.combinations(edges, size)
            if len({r for r, _ in chosen}) == len({c for _, c in chosen}) == size
        ]
        if weights:
            return size, max(weights)
    raise AssertionError("the empty matching is one")


@settings(max_examples=300)
@given(graphs())
def test_the_heaviest_maximum_matching_is_scipys_and_proves_itself(graph):
    size, weight = best_by_assignment(graph, maximum_cardinality=True)
    matching = maximum_weight_matching(graph)
    assert matching.size == size
    assert matching.weight == pytest.approx(weight, rel=1e-9, abs=1e-8)
    assert weight_of(graph, matching) == pytest.approx(weight, rel=1e-9, abs=1e-8)
    assert matching.is_maximum(graph)
    assert matching.is_optimal(graph)


@settings(max_examples=300)
@given(graphs())
def test_the_heaviest_matching_of_any_size_is_scipys_and_proves_itself(graph):
    size, weight = best_by_assignment(graph, maximum_cardinality=False)
    matching = maximum_weight_matching(graph, maximum_cardinality=False)
    assert matching.cardinality_dual == 0
    assert matching.weight == pytest.approx(weight, rel=1e-9, abs=1e-8)
    assert weight_of(graph, matching) == pytest.approx(weight, rel=1e-9, abs=1e-8)
    assert matching.is_optimal(graph)
    if size == 0:
        assert matching.size == 0
    rows, cols = matching.pairs()
    assert (graph.toarray()[rows, cols] > 0).all()


@settings(max_examples=300)
@given(graphs(INTEGERS, most=4, index_dtype=np.int64))
def test_brute_force_agrees(graph):
    matching = maximum_weight_matching(graph)
    assert (matching.size, matching.weight) == best_by_brute_force(graph)
    assert matching.is_optimal(graph)


@settings(max_examples=300)
@given(graphs(most=12))
def test_every_way_of_handing_over_the_graph_gives_the_same_weight(graph):
    weight = maximum_weight_matching(graph).weight
    for other in (graph.tocsc(), graph.tocoo(), sp.csr_matrix(graph), graph.T.tocsr()):
        assert maximum_weight_matching(other).weight == pytest.approx(weight, rel=1e-9, abs=1e-8)


@settings(max_examples=500)
@given(graphs(st.floats(0.01, 100) | st.floats(-100, -0.01) | st.just(0.0)))
def test_the_product_gives_the_scalings_of_mc64(graph):
    matching = maximum_weight_matching(graph, "product")
    sizes = np.abs(graph.toarray())
    logs = sp.csr_array(np.where(sizes > 0, 0, 0.0)) if min(graph.shape) == 0 else sp.coo_array(graph)
    if min(graph.shape) > 0:
        logs = sp.csr_array(logs)
        logs.eliminate_zeros()
        logs.data = np.log(np.abs(logs.data))
    size, weight = best_by_assignment(logs, maximum_cardinality=True)
    assert matching.size == size
    assert matching.weight == pytest.approx(weight, rel=1e-9, abs=1e-8)
    assert matching.is_optimal(graph)
    scaled = matching.row_scaling[:, None] * sizes * matching.col_scaling
    assert scaled.max(initial=0) <= 1 + 1e-9
    rows, cols = matching.pairs()
    assert scaled[rows, cols] == pytest.approx(np.ones(len(rows)))


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("integer", [False, True])
def test_larger_graphs_of_every_kind(seed, integer):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(30, 200, 2)
    graph = sp.random_array((m, n), density=rng.uniform(0.5, 6) / n, rng=rng, format="csr")
    graph.data = rng.integers(-9, 10, graph.nnz) * 1.0 if integer else rng.normal(size=graph.nnz)
    size, weight = best_by_assignment(graph, maximum_cardinality=True)
    matching = maximum_weight_matching(graph)
    assert (matching.size, matching.weight) == (size, pytest.approx(weight, abs=1e-7))
    assert matching.is_optimal(graph)
    assert maximum_weight_matching(graph, maximum_cardinality=False).is_optimal(graph)


@pytest.mark.parametrize("ties", [False, True])
def test_long_rows_whose_edges_are_not_all_kept(ties):
    rng = np.random.default_rng(3)
    graph = sp.random_array((60, 20_000), density=0.2, rng=rng, format="csr")
    # All rows want the same few hundred columns, so each must look far into its list.
    wanted = np.where(graph.indices < 400, 10.0, 1.0)
    graph.data = wanted + (np.round(graph.data, 1) if ties else graph.data)
    matching = maximum_weight_matching(graph)
    assert matching.is_optimal(graph)
    rows, cols = scipys(graph, maximize=True)
    assert matching.weight == pytest.approx(float(np.sum(graph[rows, cols])))
    assert maximum_weight_matching(graph.T.tocsr()).weight == pytest.approx(matching.weight)


def test_weights_do_not_cancel():
    """The sum of the entries is rounded once, however large the duals."""
    for large in (1e9, 1e15, 1e200):
        costs = sp.csr_array([[large, 0.1, large], [large, large, 0.2]])
        assert maximum_weight_matching(-costs).weight == math.fsum([-0.1, -0.2])
        assert maximum_weight_matching(costs, minimize=True).weight == math.fsum([0.1, 0.2])
        assert maximum_weight_matching(-costs, initial=maximum_weight_matching(-costs)).weight == math.fsum(
            [-0.1, -0.2]
        )
    tiny = sp.csr_array(np.diag([1e16, 1.0, -1e16]))
    assert maximum_weight_matching(tiny).weight == 1.0
    assert maximum_weight_matching(tiny, size=2).weight == 1e16 + 1.0


def test_scalings_that_overflow_are_logarithms():
    n = 200
    graph = sp.csr_array(sp.diags_array([np.full(n, 1e-6), np.full(n - 1, 1e3)], offsets=[0, 1]))
    matching = maximum_weight_matching(graph, "product")
    logs = matching.log_row_scaling[:, None] + matching.log_col_scaling
    coo = graph.tocoo()
    scaled = np.log(coo.data) + logs[coo.row, coo.col]
    assert scaled.max() <= 1e-9
    rows, cols = matching.pairs()
    assert np.abs(np.log(graph.toarray()[rows, cols]) + logs[rows, cols]).max() < 1e-9
    for name in ("row_scaling", "col_scaling"):
        with pytest.raises(OverflowError, match=f"use log_{name}"):
            getattr(matching, name)
    least = maximum_weight_matching(graph, "product", minimize=True)
    assert (
        np.log(coo.data) + (least.log_row_scaling[:, None] + least.log_col_scaling)[coo.row, coo.col]
    ).min() > -1e-9


def test_a_dense_array_of_costs_is_all_edges():
    costs = np.array([[0, 2, 3], [4, 0, 6]])
    matching = maximum_weight_matching(costs, minimize=True)
    assert (matching.weight, matching.row_mate.tolist()) == (0.0, [0, 1])
    assert matching.is_optimal(costs)
    masked = np.ma.array(costs, mask=[[True, False, False], [False, False, False]])
    assert maximum_weight_matching(masked, minimize=True).weight == 3.0
    assert match(costs).size == 2
    assert match(np.array([[0, 0], [1, 0]])).row_mate.tolist() == [-1, 0]


@pytest.mark.parametrize("n", [1, 2, 17])
@pytest.mark.parametrize("largest", [3, 10**6])
@pytest.mark.parametrize("minimize", [False, True])
def test_square_matrices_of_all_edges_are_assigned_as_dense_ones(n, largest, minimize):
    costs = np.random.default_rng(n).integers(1, largest, (n, n), endpoint=True).astype(float)
    rows, cols = scipy.optimize.linear_sum_assignment(costs, maximize=not minimize)
    graph = sp.csr_array(costs)
    before = graph.copy()
    matching = maximum_weight_matching(graph, minimize=minimize)
    assert matching.weight == costs[rows, cols].sum()
    assert matching.is_optimal(graph)
    pairs = min_weight_full_bipartite_matching(graph, maximize=not minimize)
    assert costs[pairs].sum() == matching.weight
    assert (graph != before).nnz == 0
    if n > 1:  # columns that do not ascend, or repeat: as many entries do not make a full row
        graph.indices[:2] = 0, 0
        graph.data[:2] = 1, 2
        repeated = maximum_weight_matching(graph, minimize=minimize)
        assert repeated.is_optimal(graph)
        graph.sum_duplicates()
        assert repeated.weight == maximum_weight_matching(graph, minimize=minimize).weight


def test_sizes_with_many_ties_and_large_graphs():
    """Against the sum over every size by shortest augmenting paths of the dense matrix, padded."""
    rng = np.random.default_rng(5)
    costs = rng.integers(0, 4, (30, 40)).astype(float)
    for size in (0, 1, 7, 15, 29, 30):
        found = maximum_weight_matching(costs, minimize=True, size=size)
        padded = np.zeros((30 + 40 - size,) * 2)
        padded[:30, :40] = costs
        padded[30:, 40:] = 1e6
        rows, cols = scipy.optimize.linear_sum_assignment(padded)
        assert (found.size, found.weight) == (size, padded[rows, cols].sum())
        assert found.is_optimal(costs)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_size_is_exact_for_integers_of_any_size(size):
    weights = np.array([[2.0**44 - 2, 0, 3], [0, 2.0**44, 2.0**43], [1, 2.0**43 + 1, 5]])
    found = maximum_weight_matching(weights, size=size)
    best = max(
        sum(weights[i, j] for i, j in zip(rows, cols, strict=True))
        for rows in itertools.combinations(range(3), size)
        for cols in itertools.permutations(range(3), size)
    )
    assert (found.size, found.weight) == (size, best)
    assert found.is_optimal(weights, 0)


@pytest.mark.parametrize("limit", [-1e20, -1e6, -(2.0**1000)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_limit_far_below_all_weights_leaves_them_their_digits(limit, sign):
    weights = np.array([[3.0, 9.0], [1.0, 2.0]])
    start = maximum_weight_matching(weights[::-1].copy())
    for options in ({}, {"initial": (sign * start.row_dual, sign * start.col_dual)}):
        found = maximum_weight_matching(sign * weights, minimize=sign < 0, limit=sign * limit, **options)
        assert found.weight == sign * 10
        assert found.is_optimal(sign * weights, 0)


def test_a_limit_of_a_product():
    graph = sp.csr_array([[8.0, 0.0], [0.0, 2.0]])
    found = maximum_weight_matching(graph, "product", limit=4)
    assert (found.row_mate.tolist(), round(math.exp(found.weight))) == ([0, -1], 8)
    assert found.is_optimal(graph)
    assert maximum_weight_matching(graph, "product", minimize=True, limit=4).row_mate.tolist() == [-1, 1]


def test_a_warm_start_of_a_large_graph():
    rng = np.random.default_rng(0)
    graph = random_sparse((300, 350), 0.05, rng)
    initial = maximum_weight_matching(graph)
    changed = graph.copy()
    changed.data[rng.choice(graph.nnz, 20)] += rng.normal(size=20)
    warm = maximum_weight_matching(changed, initial=initial)
    assert warm.is_optimal(changed)
    assert warm.weight == pytest.approx(maximum_weight_matching(changed).weight)


def test_a_start_from_the_duals_of_another_program_is_as_good():
    """Those of a linear program, in its signs, and those that a constant has moved."""
    rng = np.random.default_rng(6)
    n_rows, n_cols = 30, 40
    costs = rng.random((n_rows, n_cols))
    cold = maximum_weight_matching(costs, minimize=True)
    for shift in (0.0, 7.0, -1e6):
        for duals in (
            (cold.row_dual + cold.cardinality_dual + shift, cold.col_dual - shift),
            (np.full(n_rows, shift), rng.normal(size=n_cols)),
        ):
            warm = maximum_weight_matching(costs, minimize=True, initial=duals)
            assert warm.weight == pytest.approx(cold.weight, rel=1e-12)
            assert warm.is_optimal(costs)
    logs = maximum_weight_matching(costs, "product", limit=0.5)
    again = maximum_weight_matching(
        costs, "product", limit=0.5, initial=(logs.row_dual.tolist(), logs.col_dual.tolist())
    )
    assert again.weight == pytest.approx(logs.weight)


def test_duals_far_beyond_the_weights_change_no_answer():
    graph = np.array([[0.0, 2e-90], [1e-90, 0.0]])
    for duals in (([1.0, -1.0], [3.0, 0.5]), ([1e200, 1e200], [-1e200, 0.0])):
        warm = maximum_weight_matching(graph, initial=duals)
        assert warm.weight == 2e-90 + 1e-90
        assert warm.is_optimal(graph)
    before = maximum_weight_matching(graph * 1e99)
    assert maximum_weight_matching(graph, initial=before).is_optimal(graph)
