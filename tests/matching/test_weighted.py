"""Heaviest matchings against brute force, scipy, and their own proof."""

import copy
import itertools
import math
import pickle
import re
import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hankelmatch import (
    SequenceFunction,
    hankel_blocks,
    heavy_matching,
    match,
    matching_basis,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
    prefix_suffix_graph,
    read_text,
    structural_rank,
    substring_expectations,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import min_weight_full_bipartite_matching as scipys

from ..reference import random_sparse

INTEGERS = st.integers(-3, 3).map(float)
REALS = st.floats(-1e3, 1e3, allow_nan=False, allow_subnormal=False)


@st.composite
def graphs(draw, values=None, most=7, index_dtype=np.int32):
    """Any shape, any rank; explicit zeros, ties and negative weights."""
    m, n = draw(st.integers(0, most)), draw(st.integers(0, most))
    cells = draw(st.sets(st.tuples(st.integers(0, m - 1), st.integers(0, n - 1)))) if m and n else set()
    weights = values if values is not None else draw(st.sampled_from([INTEGERS, REALS]))
    data = [draw(weights) for _ in cells]
    rows, cols = [r for r, _ in cells], [c for _, c in cells]
    graph = sp.csr_array(sp.coo_array((np.array(data, float), (rows, cols)), shape=(m, n)))
    graph.indices, graph.indptr = graph.indices.astype(index_dtype), graph.indptr.astype(index_dtype)
    return graph


def stored(graph):
    """Which cells are entries, explicit zeros too."""
    cells = np.zeros(graph.shape, bool)
    coo = graph.tocoo()
    cells[coo.row, coo.col] = True
    return cells


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


def weight_of(graph, matching):
    rows, cols = matching.pairs()
    return math.fsum(graph.toarray()[rows, cols])


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


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 2)])
def test_graphs_without_edges(shape):
    graph = sp.csr_array(shape)
    for keep in (True, False):
        matching = maximum_weight_matching(graph, maximum_cardinality=keep)
        assert (matching.size, matching.weight) == (0, 0.0)
        assert matching.is_optimal(graph)
    assert heavy_matching(graph).size == 0
    assert maximum_weight_matching(graph, "product").row_scaling.shape == shape[:1]


def test_explicit_zeros_are_edges_of_a_sum_and_none_of_a_product():
    graph = sp.csr_array(([0.0, 2.0], [0, 0], [0, 1, 2]), shape=(2, 2))
    alone = sp.csr_array(([0.0], [0], [0, 1, 1]), shape=(2, 2))
    assert maximum_weight_matching(alone).size == 1
    assert maximum_weight_matching(alone, maximum_cardinality=False).size == 0
    assert maximum_weight_matching(alone, "product").size == 0
    assert maximum_weight_matching(graph, "product").row_mate.tolist() == [-1, 0]


def test_repeated_entries_are_added_and_the_input_is_left_alone():
    graph = sp.csr_array((np.array([2.0, 3.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    before = [a.copy() for a in (graph.data, graph.indices, graph.indptr)]
    matching = maximum_weight_matching(graph)
    assert (matching.row_mate.tolist(), matching.weight) == ([1, -1], 6.0)
    assert all((a == b).all() for a, b in zip(before, (graph.data, graph.indices, graph.indptr), strict=True))


def test_a_matching_of_another_graph_is_not_optimal():
    graph = sp.csr_array([[4.0, 3.0], [3.0, 1.0]])
    matching = maximum_weight_matching(graph)
    assert matching.is_optimal(graph)
    assert not matching.is_optimal(sp.csr_array([[6.0, 3.0], [3.0, 1.0]]))
    assert not matching.is_optimal(sp.csr_array([[4.0, 2.0], [3.0, 1.0]]))
    assert not maximum_weight_matching(sp.csr_array([[4.0, 0], [0, 0]])).is_optimal(graph)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float32, np.longdouble])
def test_real_dtypes(dtype):
    assert maximum_weight_matching(sp.csr_array(np.eye(2, dtype=dtype))).weight == 2


@pytest.mark.parametrize(
    ("graph", "objective", "error", "message"),
    [
        ([[1.0]], "sum", TypeError, "sparse"),
        (np.eye(2) * 1j, "sum", TypeError, "real"),
        (np.ones(2), "sum", ValueError, "2 dimensions"),
        (sp.csr_array([[1j]]), "sum", TypeError, "real"),
        (sp.csr_array([[np.nan]]), "sum", ValueError, "NaN"),
        (sp.csr_array([[np.inf]]), "product", ValueError, "finite"),
        (sp.csr_array([[1.0]]), "least", ValueError, "objective"),
    ],
)
def test_what_cannot_be_matched_is_told(graph, objective, error, message):
    with pytest.raises(error, match=message):
        maximum_weight_matching(graph, objective)


def test_arrays_that_contradict_one_another_are_refused():
    graph = sp.csr_array(np.eye(3))
    graph.indices[1] = 7
    with pytest.raises(ValueError, match="indices"):
        maximum_weight_matching(graph)
    graph = sp.csr_array(np.eye(3))
    graph.data = graph.data[:2]
    with pytest.raises(ValueError, match="entries"):
        maximum_weight_matching(graph)


def test_scalings_are_for_products_only():
    with pytest.raises(AttributeError, match="product"):
        _ = maximum_weight_matching(sp.csr_array([[1.0]])).row_scaling


# scipy's contract.


def scipys_answer(function, graph, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rows, cols = function(graph, **options)
        except (TypeError, ValueError) as error:
            return type(error), str(error)
    dense = np.asarray(graph.todense(), dtype=float)
    return (
        len(rows),
        pytest.approx(float(dense[rows, cols].sum()), abs=1e-8),
        [str(w.message) for w in caught],
    )


@settings(max_examples=700)
@given(graphs(), st.booleans())
def test_the_drop_in_answers_as_scipy_does(graph, maximize):
    expected = scipys_answer(scipys, graph, maximize=maximize)
    assert scipys_answer(min_weight_full_bipartite_matching, graph, maximize=maximize) == expected


@pytest.mark.parametrize(
    "graph",
    [
        sp.csr_array([[1.0, np.inf], [1.0, 1.0]]),
        sp.csc_array([[1.0, 2.0], [2.0, 1.0]]),
        sp.coo_array([[1.0, 2.0, 3.0]]),
        sp.csr_array([[True, False], [True, True]]),
        sp.lil_array([[1.0]]),
        sp.csr_array([[1.0, 0.0], [1.0, 0.0]]),
    ],
    ids=["infinite", "csc", "coo", "bool", "lil", "infeasible"],
)
def test_the_drop_in_takes_what_scipy_takes(graph):
    assert scipys_answer(min_weight_full_bipartite_matching, graph) == scipys_answer(scipys, graph)


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_drop_in_returns_scipys_types(index_dtype, dtype):
    graph = sp.csr_array(np.array([[1, 2, 3], [4, 5, 1]], dtype=dtype))
    graph.indices, graph.indptr = graph.indices.astype(index_dtype), graph.indptr.astype(index_dtype)
    for matrix in (graph, graph.T.tocsr()):
        pairs, expected = (function(matrix) for function in (min_weight_full_bipartite_matching, scipys))
        assert [ids.dtype for ids in pairs] == [np.int64, np.int32]
        assert [ids.tolist() for ids in pairs] == [ids.tolist() for ids in expected]
        assert matrix[pairs].sum() == matrix[expected].sum()  # scipy indexes by what owns its memory only


def test_the_drop_in_takes_rows_that_are_not_sorted_and_entries_beyond_the_last_row():
    repeated = sp.csr_array(
        (np.array([2.0, 3.0, 1.0]), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 2)
    )
    repeated = sp.vstack([repeated[:1], sp.csr_array([[5.0, 7.0]])], format="csr")
    unsorted = sp.csr_array(
        (np.array([1.0, 2.0, 9.0, np.nan]), np.array([1, 0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2)
    )
    for graph, weight in ((repeated, 8.0), (unsorted, 10.0)):
        rows, cols = min_weight_full_bipartite_matching(graph)
        assert float(np.sum(graph[rows, cols])) == weight


def test_the_drop_in_refuses_dense_and_nan():
    with pytest.raises(TypeError, match="sparse"):
        min_weight_full_bipartite_matching(np.eye(2))
    with pytest.raises(ValueError, match="NaN"):
        min_weight_full_bipartite_matching(sp.csr_array([[np.nan]]))


# Heavy edges first.


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


def test_repeats_of_small_integers_do_not_wrap():
    coo = sp.coo_array((np.array([100, 100, 50], np.int8), ([0, 0, 0], [0, 0, 1])), shape=(1, 2))
    csr = sp.csr_array((coo.data, coo.col, [0, 3]), shape=(1, 2))
    flags = sp.coo_array((np.array([True, True]), ([0, 0], [0, 0])), shape=(1, 1))
    for graph in (coo, csr):
        assert maximum_weight_matching(graph).weight == 200
        assert heavy_matching(graph).row_mate.tolist() == [0]
        assert min_weight_full_bipartite_matching(graph, maximize=True)[1].tolist() == [0]
    assert maximum_weight_matching(flags).weight == 2
    assert csr.data.tolist() == [100, 100, 50]


def test_weights_near_the_largest_number():
    matrix = np.array([[1.49, -6.40e-1, -4.27e-1], [1.28, 2.13e-1, -6.40e-1], [-8.54e-1, 1.49, 8.54e-1]])
    graph = sp.csr_array(matrix * 1e308)
    expected = scipys(sp.csr_array(matrix), maximize=True)
    for found, wanted in zip(min_weight_full_bipartite_matching(graph, maximize=True), expected, strict=True):
        assert found.tolist() == wanted.tolist()
    with pytest.raises(
        ValueError, match=r"^graph: the entry in row 0, column 0 is 1.49e\+308; .*at most 2\^960"
    ):
        maximum_weight_matching(graph)
    large = maximum_weight_matching(sp.csr_array(np.ldexp(matrix, 959)))
    assert large.row_mate.tolist() == expected[1].tolist()
    assert large.is_optimal(sp.csr_array(np.ldexp(matrix, 959)))
    assert np.isfinite([large.weight, *large.row_dual, *large.col_dual]).all()


@pytest.mark.parametrize(("value", "named"), [(np.nan, "NaN"), (np.inf, "inf"), (1e300, "1e\\+300")])
@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize("objective", ["sum", "product"])
def test_the_entry_that_is_no_weight_is_named_by_row_and_column(value, named, minimize, objective):
    """Also where zeros before it are no edges, and for scipy's function under its own argument's name."""
    if objective == "product" and named != "NaN":
        return  # a size may be large, and infinitely small ones are zeros
    bad = -value if minimize else value
    graph = sp.csr_array(([0.0, 5.0, 0.0, bad], [0, 1, 0, 2], [0, 2, 4]), shape=(2, 3))
    place = f"the entry in row 1, column 2 is -?{named}"
    with pytest.raises(ValueError, match=f"^graph: {place}"):
        maximum_weight_matching(graph, objective, minimize=minimize)
    if objective == "sum" and not math.isfinite(value):
        with (
            pytest.warns(UserWarning, match="zero"),
            pytest.raises(ValueError, match=f"^biadjacency: {place}"),
        ):
            min_weight_full_bipartite_matching(graph, maximize=not minimize)


def test_messages_on_infinite_weights_name_the_other_function():
    with pytest.raises(ValueError, match=r"or -inf where .*minimize=True and min_weight_full"):
        maximum_weight_matching(sp.csr_array([[np.inf]]))
    with pytest.raises(ValueError, match=r"or inf where .*maximum_weight_matching without minimize"):
        min_weight_full_bipartite_matching(sp.csr_array([[-np.inf]]))


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 3}, "size: 3 pairs are wanted, but no matching has more than 2"),
        ({"size": -1}, "size: a whole number from 0"),
        ({"size": 1.5}, "size: a whole number from 0"),
        ({"size": 1, "limit": 2.0}, "size: leave out either"),
        ({"size": 1, "maximum_cardinality": False}, "maximum_cardinality: leave it out"),
        ({"limit": np.nan}, "limit: a finite number"),
        ({"limit": "2"}, "limit: a finite number"),
        ({"limit": 0, "objective": "product"}, "limit: a number above 0"),
        ({"minimize": 1}, "minimize: True or False"),
        (
            {"initial": match(sp.csr_array(np.eye(2)))},
            "or a tuple .* not Matching",
        ),
        ({"initial": ([1, 2], [3])}, "initial: col_dual must be 2 finite numbers"),
        ({"initial": ([1, np.nan], [3, 4])}, "initial: row_dual must be 2 finite numbers"),
        ({"initial": (["a", 2], [3, 4])}, "initial: real numbers are needed"),
        ({"initial": (1, 2, 3)}, "initial: a WeightedMatching or a tuple"),
        (
            {"initial": maximum_weight_matching(sp.csr_array(np.eye(3)))},
            r"initial: it is of a graph of \(3, 3\)",
        ),
        (
            {"initial": maximum_weight_matching(np.eye(2), minimize=True)},
            "initial: its objective and minimize",
        ),
    ],
)
def test_options_that_cannot_be_are_refused(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        maximum_weight_matching(np.eye(2), **options)


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


def test_wrong_options_are_named():
    graph = sp.csr_array([[1.0]])
    with pytest.raises(TypeError, match="maximum_cardinality: True or False is needed"):
        maximum_weight_matching(graph, maximum_cardinality="no")
    with pytest.raises(ValueError, match="objective:"):
        maximum_weight_matching(graph, np.array(["sum", "product"]))
    for tolerance in ("x", None, np.nan, -1):
        with pytest.raises(ValueError, match="tolerance: a finite number from 0 is needed"):
            maximum_weight_matching(graph).is_optimal(graph, tolerance)
    graph.data = np.ones((1, 2))
    with pytest.raises(ValueError, match=r"graph: entries of shape \(1, 2\) for 1 indices"):
        maximum_weight_matching(graph)


def test_copies_stay_read_only():
    matching = maximum_weight_matching(sp.csr_array([[1.0, 2.0]]))
    for twin in (copy.deepcopy(matching), pickle.loads(pickle.dumps(matching))):
        assert twin.row_mate.tolist() == [1]
        for array in (twin.row_mate, twin.col_mate, twin.row_dual, twin.col_dual):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    assert math.copysign(1.0, maximum_weight_matching(sp.csr_array((0, 0))).cardinality_dual) == 1.0


@pytest.mark.parametrize("maximize", [False, True])
def test_infinite_weights_are_no_edges_or_refused(maximize):
    none = -np.inf if maximize else np.inf
    weights = np.array([[none, 1.0, 5.0], [2.0, 3.0, 1.0]])
    rows, cols = min_weight_full_bipartite_matching(sp.csr_array(weights), maximize)
    assert cols.tolist() == scipys(sp.csr_array(weights), maximize)[1].tolist()
    assert np.isfinite(weights[rows, cols]).all()
    with pytest.raises(
        ValueError, match=f"biadjacency: the entry in row 0, column 0 is {-none}, which nothing outweighs"
    ):
        min_weight_full_bipartite_matching(sp.csr_array(-weights), maximize)


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


def test_products_take_entries_that_sums_do_not():
    matrix = sp.csr_array([[1e300, 1e-300], [1e308, 1e-307]])
    with pytest.raises(ValueError, match=r"at most 2\^960"):
        maximum_weight_matching(matrix)
    matching = maximum_weight_matching(matrix, objective="product")
    assert matching.row_mate.tolist() == [1, 0]  # 1e-300 times 1e308 is more than 1e300 times 1e-307
    assert matching.is_optimal(matrix)


def test_duals_far_beyond_the_weights_change_no_answer():
    graph = np.array([[0.0, 2e-90], [1e-90, 0.0]])
    for duals in (([1.0, -1.0], [3.0, 0.5]), ([1e200, 1e200], [-1e200, 0.0])):
        warm = maximum_weight_matching(graph, initial=duals)
        assert warm.weight == 2e-90 + 1e-90
        assert warm.is_optimal(graph)
    before = maximum_weight_matching(graph * 1e99)
    assert maximum_weight_matching(graph, initial=before).is_optimal(graph)
