"""Matchers of general sparse matrices: right on every input, and clear about malformed ones."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import (
    Matching,
    dulmage_mendelsohn,
    match,
    match_edges,
    maximum_bipartite_matching,
    structural_rank,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from scipy.sparse.csgraph import maximum_bipartite_matching as scipy_matching

METHODS = ("auto", "augmenting-path", "hopcroft-karp", "push-relabel")
FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")


def csr(n_rows, n_cols, edges, dtype=np.int32, make=sp.csr_array):
    """Rows as given: unsorted, with repeated edges and explicit zeros."""
    rows = [[c for r, c in edges if r == row] for row in range(n_rows)]
    indptr = np.cumsum([0, *map(len, rows)]).astype(dtype)
    indices = np.array([c for row in rows for c in row], dtype)
    graph = make((np.zeros(len(indices)), indices, indptr), shape=(n_rows, n_cols))
    graph.indptr, graph.indices = indptr, indices  # scipy may have narrowed them
    return graph


@st.composite
def graphs(draw, largest=9):
    n_rows = draw(st.integers(0, largest))
    n_cols = draw(st.integers(0, largest))
    if not n_rows or not n_cols:
        return csr(n_rows, n_cols, [])
    edge = st.tuples(st.integers(0, n_rows - 1), st.integers(0, n_cols - 1))
    edges = draw(st.lists(edge, max_size=30))
    return csr(n_rows, n_cols, edges, draw(st.sampled_from([np.int32, np.int64])))


def check(graph, matching):
    """The matching is valid, and a cover of its size proves that no other is larger."""
    assert matching.is_valid(graph)
    assert matching.is_maximum(graph)
    rows, cols = matching.minimum_vertex_cover()
    assert len(rows) + len(cols) == matching.size
    coo = graph.tocoo()
    in_rows = np.isin(coo.row, rows)
    assert (in_rows | np.isin(coo.col, cols)).all()
    free_rows, free_cols = matching.maximum_independent_set()
    assert len(free_rows) + len(free_cols) == sum(graph.shape) - matching.size
    assert not np.intersect1d(rows, free_rows).size
    assert not np.intersect1d(cols, free_cols).size


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
        assert matching.size == expected
        assert matching.row_mate.dtype == graph.indices.dtype
        check(graph, matching)
    assert structural_rank(graph) == expected


@given(graphs(), graphs())
@settings(deadline=None, max_examples=100)
def test_a_warm_start_after_edges_were_added_and_removed(before, after):
    before.resize(after.shape)
    after = sp.csr_array(after)
    for method in METHODS:
        matching = match(after, method, initial=match(before, method))
        assert matching.size == match(after).size
        check(after, matching)


def test_a_warm_start_keeps_every_row_matched():
    graph = csr(3, 3, [(0, 0), (0, 1), (1, 0), (2, 2)])
    initial = match(csr(3, 3, [(0, 0), (2, 2)]))
    for method in METHODS:
        assert match(graph, method, initial=initial).row_mate.tolist() == [1, 0, 2]


def test_an_initial_matching_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="initial"):
        match(csr(2, 2, [(0, 0)]), initial=match(csr(2, 3, [(0, 0)])))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (3, 3)], ids=str)
def test_no_edges(method, shape):
    matching = match(sp.csr_array(shape), method)
    assert matching.size == 0
    assert matching.row_mate.tolist() == [-1] * shape[0]
    assert matching.col_mate.tolist() == [-1] * shape[1]
    check(sp.csr_array(shape), matching)


def test_an_unknown_method_is_named():
    with pytest.raises(ValueError, match="method"):
        match(csr(1, 1, [(0, 0)]), "magic")
    with pytest.raises(ValueError, match="PrefixSuffixGraph"):
        match(csr(1, 1, [(0, 0)]), "paper")


# ------------------------------------------------------------------------------------- scipy's contract


@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_arrays_matrices_and_index_widths(make, dtype):
    graph = csr(3, 4, [(0, 3), (0, 1), (1, 1), (2, 1)], dtype, make)
    for perm_type in ("row", "column"):
        result = maximum_bipartite_matching(graph, perm_type=perm_type)
        assert result.dtype == np.int32
        assert result.flags.writeable
        assert result.tolist() == scipy_matching(graph, perm_type=perm_type).tolist()


@pytest.mark.parametrize("fmt", FORMATS)
def test_formats_as_in_scipy(fmt):
    graph = csr(2, 3, [(0, 0), (0, 1), (1, 0)])
    graph.data[:] = 1
    graph = graph.asformat(fmt)
    if fmt in ("csr", "csc", "coo"):
        assert maximum_bipartite_matching(graph, "column").tolist() == [1, 0]
        assert structural_rank(graph) == 2
        return
    with pytest.raises(TypeError, match="CSC, CSR, or COO"):
        maximum_bipartite_matching(graph)
    with pytest.warns(sp.SparseEfficiencyWarning):
        assert structural_rank(graph) == 2
    assert match(graph).size == 2


@pytest.mark.parametrize("function", [maximum_bipartite_matching, structural_rank, match, dulmage_mendelsohn])
@pytest.mark.parametrize("graph", [[[1]], None, "csr"], ids=repr)
def test_dense_input_is_a_type_error(function, graph):
    with pytest.raises(TypeError, match="sparse"):
        function(graph)


def test_values_do_not_matter():
    for data in (np.zeros(2), np.full(2, np.nan), np.array([1, 2j]), np.array([True, False])):
        graph = sp.csr_array((data, [1, 0], [0, 1, 2]), shape=(2, 2))
        assert maximum_bipartite_matching(graph).tolist() == [1, 0]
    assert type(structural_rank(graph)) is np.int64


def test_any_other_perm_type_means_row():
    graph = csr(1, 2, [(0, 1)])
    assert maximum_bipartite_matching(graph, "anything").tolist() == [-1, 0]


def test_big_endian_indices():
    graph = csr(2, 2, [(0, 1), (1, 1), (1, 0)])
    graph.indices, graph.indptr = graph.indices.astype(">i4"), graph.indptr.astype(">i8")
    assert maximum_bipartite_matching(graph).tolist() == [1, 0]


# -------------------------------------------------------------------------------------- malformed input


def malformed(indptr, indices, shape=(2, 3)):
    graph = sp.csr_array(shape)
    graph.indptr, graph.indices = np.array(indptr), np.array(indices)
    graph.data = np.ones(len(graph.indices))
    return graph


@pytest.mark.parametrize(
    ("indptr", "indices", "error", "message"),
    [
        ([0, 1, 2], [0, 3], ValueError, "indices"),
        ([0, 1, 2], [0, -1], ValueError, "indices"),
        ([0, 1, 2], [0, 2**62], ValueError, "indices"),
        ([0, 2, 1], [0, 1], ValueError, "decrease"),
        ([1, 1, 2], [0, 1], ValueError, "start with 0"),
        ([0, 1], [0], ValueError, "length"),
        ([0, 1, 2, 2], [0, 1], ValueError, "length"),
        ([], [], TypeError, "integers"),
        ([0, 1, 9], [0, 1], ValueError, "beyond"),
        ([0, 1, -1], [0, 1], ValueError, "decrease"),
        ([0.0, 1.0, 2.0], [0, 1], TypeError, "indptr must be a numpy array of integers"),
        ([0, 1, 2], ["a", "b"], TypeError, "indices must be a numpy array of integers"),
        ([[0, 1, 2]], [0, 1], ValueError, "indptr must have 1 dimension"),
        ([0, 1, 2], np.array([0, 2**63], np.uint64), ValueError, "2\\^63"),
    ],
)
def test_malformed_arrays_are_named(indptr, indices, error, message):
    graph = malformed(indptr, indices)
    for function in (maximum_bipartite_matching, structural_rank, match):
        with pytest.raises(error, match=message):
            function(graph)


@pytest.mark.parametrize("make", [sp.csc_array, sp.coo_array])
def test_malformed_arrays_of_other_formats(make):
    graph = make(np.ones((2, 2)))
    if make is sp.coo_array:
        graph.row[0] = 1_000_000
    else:
        graph.indices[0] = 1_000_000
    with pytest.raises(ValueError, match=r"must be|ind|exceeds"):
        maximum_bipartite_matching(graph)


def test_other_dimensions():
    for shape in ((3,), (2, 2, 2)):
        with pytest.raises(ValueError, match="dimension"):
            maximum_bipartite_matching(sp.coo_array(np.ones(shape)))


integers = st.integers(-3, 12) | st.integers(-(2**63), 2**63 - 1)


@given(
    indptr=st.lists(integers, max_size=8) | st.lists(st.integers(0, 8), max_size=8).map(sorted),
    indices=st.lists(integers, max_size=12),
    shape=st.tuples(st.integers(0, 7), st.integers(0, 7)),
    dtype=st.sampled_from([np.int32, np.int64, np.int16, np.uint8, np.uint64]),
)
@settings(deadline=None, max_examples=500)
def test_raw_arrays_never_crash(indptr, indices, shape, dtype):
    graph = sp.csr_array(shape)
    with np.errstate(all="ignore"):
        graph.indptr = np.array(indptr, np.int64).astype(dtype)
        graph.indices = np.array(indices, np.int64).astype(dtype)
    try:
        matching = match(graph)
    except (ValueError, TypeError):
        return
    assert matching.size <= min(shape)
    assert matching.is_maximum(graph)


# ----------------------------------------------------------------- input untouched, threads, interrupts


def random_graph(n_rows, n_cols, degree, seed=0):
    rng = np.random.default_rng(seed)
    n_edges = n_rows * degree
    rows, cols = rng.integers(0, n_rows, n_edges), rng.integers(0, n_cols, n_edges)
    return sp.csr_array((np.ones(n_edges, np.int8), (rows, cols)), shape=(n_rows, n_cols))


def hard_for_searches(n):
    """A hidden triangle: depth-first searches take minutes, the automatic choice a few milliseconds."""
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(n - 1), 4)
    cols = rows + 1 + (rng.random(len(rows)) * (n - 1 - rows)).astype(np.int64)
    p, q = rng.permutation(n), rng.permutation(n)
    rows, cols = np.concatenate([np.arange(n), rows]), np.concatenate([np.arange(n), cols])
    return sp.csr_array((np.ones(len(rows), np.int8), (p[rows], q[cols])), shape=(n, n))


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


def test_many_threads_share_a_graph():
    graph = random_graph(20_000, 20_000, 3)
    expected = maximum_bipartite_matching(graph)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: maximum_bipartite_matching(graph), range(16)))
    assert all((result == expected).all() for result in results)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to the process")
@pytest.mark.parametrize("method", ["augmenting-path", "hopcroft-karp"])
def test_ctrl_c_stops_a_long_search(method):
    """The timer's thread needs the GIL to send the signal, so that is released too."""
    graph = hard_for_searches(60_000) if method == "augmenting-path" else long_for_hopcroft_karp(300_000)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        match(graph, method)
    assert time.perf_counter() - begin < 20  # at once, but on any machine
    timer.join()


def long_for_hopcroft_karp(n):
    """One path, shuffled: its phases reach one free node after the other."""
    rng = np.random.default_rng(1)
    p, q = rng.permutation(n), rng.permutation(n)
    rows = np.concatenate([np.arange(n), np.arange(n - 1)])
    cols = np.concatenate([np.arange(n), np.arange(1, n)])
    return sp.csr_array((np.ones(len(rows), np.int8), (p[rows], q[cols])), shape=(n, n))


def test_auto_does_not_get_lost():
    for graph in (hard_for_searches(60_000), long_for_hopcroft_karp(100_000)):
        begin = time.perf_counter()
        matching = match(graph)
        assert time.perf_counter() - begin < 20  # milliseconds, but on any machine
        assert matching.size == graph.shape[0]
        check(graph, matching)


# ------------------------------------------------------------------------------------ edges and Matching


def test_edges_given_as_lists_and_arrays():
    assert match_edges([0, 1, 1], [0, 0, 1]).size == 2
    assert match_edges(np.array([5]), np.array([7])).row_mate.tolist() == [-1] * 5 + [7]
    assert match_edges([0], [0], shape=(3, 2)).col_mate.tolist() == [0, -1]
    assert match_edges([], []).size == 0
    for dtype in (*"bBhHiIlLqQ", ">u2", ">i8"):
        ids = np.array([0, 1], dtype)
        assert match_edges(ids, ids[::-1]).row_mate.tolist() == [1, 0]
    with pytest.raises(ValueError, match="rows: ids are masked"):
        match_edges(np.ma.masked_equal([0, 1], 1), [0, 1])
    assert Matching([0, 1, -1], [0, 1], None).size == 2
    assert match_edges([], [], shape=(2, 2)).row_mate.tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("rows", "cols", "shape", "error"),
    [
        ([0, 1], [0], None, ValueError),
        ([-1], [0], None, ValueError),
        ([0], [-1], (1, 1), ValueError),
        ([2], [0], (2, 2), ValueError),
        ([0.5], [0], None, TypeError),
        ([0.5], ["a"], None, TypeError),
        (["a"], [0], (1, 1), ValueError),
        ([4_000_000_000_000, 7], [1, 2], None, ValueError),
        ([[]], [0], None, ValueError),
        ([[0, 1]], [[0, 1]], None, ValueError),
        ([[0], [0, 1]], [0, 0], None, ValueError),
        ([2**63], [0], None, ValueError),
        ([0], [0], 5, TypeError),
        ([0], [0], (2, "a"), TypeError),
        ([0], [0], (2.5, 3), TypeError),
        ([0], [0], (2, 2, 2), TypeError),
        ([], [], (-1, 3), ValueError),
    ],
)
def test_bad_edges(rows, cols, shape, error):
    with pytest.raises(error, match=r"^(rows|cols|shape) (and cols )?must"):
        match_edges(rows, cols, shape)


def test_a_matching_tells_what_it_is():
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


# ----------------------------------------------------------------------------------- Dulmage-Mendelsohn


@pytest.mark.slow
@given(graphs())
@settings(deadline=None, max_examples=200)
def test_the_block_triangular_form(graph):
    dm = dulmage_mendelsohn(graph)
    assert sorted(dm.row_order) == list(range(graph.shape[0]))
    assert sorted(dm.col_order) == list(range(graph.shape[1]))
    permuted = graph.tocsr()[dm.row_order][:, dm.col_order].tocoo()
    coarse = np.array([0, dm.row_parts[1], dm.row_parts[2]]), np.array([0, dm.col_parts[2], dm.col_parts[3]])
    for row_ends, col_ends in (coarse, (dm.row_blocks, dm.col_blocks)):
        row_block = np.searchsorted(row_ends, permuted.row, side="right")
        col_block = np.searchsorted(col_ends, permuted.col, side="right")
        assert (row_block <= col_block).all()
    square = slice(dm.row_parts[1], dm.row_parts[2]), slice(dm.col_parts[2], dm.col_parts[3])
    pattern = graph.tocsr()[dm.row_order[square[0]]][:, dm.col_order[square[1]]]
    pattern.sum_duplicates()  # with repeated entries scipy's connected_components never ends
    pattern.data = np.ones(len(pattern.data))
    assert pattern.shape[0] == pattern.shape[1]
    n_components, labels = connected_components(pattern, connection="strong")
    blocks = np.searchsorted(dm.row_blocks, np.arange(*dm.row_parts[1:3]), side="right")
    assert len(set(zip(blocks, labels, strict=True))) == n_components == len(set(blocks))


# ------------------------------------------------------------------- the other packages' own test files


def test_scipys_own_tests_pass_with_ours_in_its_place(monkeypatch):
    from scipy.sparse.csgraph.tests import test_matching as theirs  # noqa: PLC0415

    monkeypatch.setattr(theirs, "maximum_bipartite_matching", maximum_bipartite_matching)
    tests = [f for name, f in vars(theirs).items() if name.startswith(("test_maximum", "test_matching"))]
    assert len(tests) >= 10
    for test in tests:
        test()


def test_scipys_own_tests_of_the_structural_rank(monkeypatch):
    from scipy.sparse.csgraph.tests import test_reordering as theirs  # noqa: PLC0415

    monkeypatch.setattr(theirs, "structural_rank", structural_rank)
    theirs.test_graph_structural_rank()


def test_mates_that_no_index_can_be_make_no_matching():
    huge = np.array([2**32])
    assert not Matching(huge, huge, None).is_maximum(sp.csr_array(np.eye(1)))
    with pytest.raises(TypeError, match="mates must be integers"):
        Matching(np.array([0.5]), np.array([0.0]), None).is_valid(sp.csr_array(np.eye(1)))


def test_the_arrays_of_a_callers_matching_stay_writable():
    mates = np.array([0])
    Matching(mates, mates, None)
    mates[0] = 1


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


def test_unknown_methods_are_refused_with_all_that_there_are():
    with pytest.raises(ValueError, match=r"push-relabel.*hankel, paper, weighted, heavy, not 'xx'"):
        match(csr(1, 1, [(0, 0)]), method="xx")
