"""Index arrays that make no graph: the message names the array, and nothing crashes."""

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import match, maximum_bipartite_matching, structural_rank
from hypothesis import given, settings
from hypothesis import strategies as st


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
