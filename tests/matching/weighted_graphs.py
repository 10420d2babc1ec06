"""Graphs with weights for hypothesis, and the weight of a matching."""

import math

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

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


def weight_of(graph, matching):
    rows, cols = matching.pairs()
    return math.fsum(graph.toarray()[rows, cols])
