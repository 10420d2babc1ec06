"""Graphs without weights, for hypothesis and by their edges, and the check of a maximum matching."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st


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


def check(graph, matching, size):
    """The matching is valid and of this size, and a cover of its size proves that no other is larger."""
    assert matching.size == size
    assert matching.is_valid(graph)
    assert matching.is_maximum(graph)
    rows, cols = matching.minimum_vertex_cover()
    assert len(rows) + len(cols) == size
    coo = graph.tocoo()
    in_rows = np.isin(coo.row, rows)
    assert (in_rows | np.isin(coo.col, cols)).all()
    free_rows, free_cols = matching.maximum_independent_set()
    assert len(free_rows) + len(free_cols) == sum(graph.shape) - size
    assert not np.intersect1d(rows, free_rows).size
    assert not np.intersect1d(cols, free_cols).size
