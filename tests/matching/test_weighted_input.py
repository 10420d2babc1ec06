"""What matchers by weight take and refuse."""

import copy
import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import (
    heavy_matching,
    match,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
)
from scipy.sparse.csgraph import min_weight_full_bipartite_matching as scipys


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
def test_what_cannot_be_matched_is_refused(graph, objective, error, message):
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


def test_products_take_entries_that_sums_do_not():
    matrix = sp.csr_array([[1e300, 1e-300], [1e308, 1e-307]])
    with pytest.raises(ValueError, match=r"at most 2\^960"):
        maximum_weight_matching(matrix)
    matching = maximum_weight_matching(matrix, objective="product")
    assert matching.row_mate.tolist() == [1, 0]  # 1e-300 times 1e308 is more than 1e300 times 1e-307
    assert matching.is_optimal(matrix)
