"""scipy's function by weight, and its answers."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import (
    min_weight_full_bipartite_matching,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import min_weight_full_bipartite_matching as scipys

from .weighted_graphs import graphs


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
@given(graphs(), st.sampled_from([False, True, None, 0, 1.5]))
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
        assert [ids.dtype for ids in pairs] == [ids.dtype for ids in expected]
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
