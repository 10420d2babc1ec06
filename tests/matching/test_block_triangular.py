"""The block triangular form of Dulmage and Mendelsohn, against scipy's strong components."""

import numpy as np
import pytest
from hankelmatch import dulmage_mendelsohn
from hypothesis import given, settings
from scipy.sparse.csgraph import connected_components

from .unweighted_graphs import graphs


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
