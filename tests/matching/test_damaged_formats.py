"""Matrices of every format whose arrays contradict one another: an error, never a crash."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import (
    HankelBlocks,
    bipartite_graph,
    driver_nodes,
    match,
    maximum_weight_matching,
    truncated_svd,
)
from hankelmatch._utils.sparse_formats import steady

DENSE = np.arange(1.0, 25).reshape(4, 6)


def damaged(kind, name, change):
    matrix = sp.coo_array(DENSE).asformat(kind)
    setattr(matrix, name, change(getattr(matrix, name)))
    return matrix


CASES = {
    "fewer offsets": ("dia", "offsets", lambda a: a[:2]),
    "repeated offsets": ("dia", "offsets", lambda a: a * 0),
    "flat diagonals": ("dia", "data", lambda a: a.ravel()),
    "far blocks": ("bsr", "indices", lambda a: a + 1_000_000),
    "many blocks": ("bsr", "indptr", lambda a: a + 1_000_000),
    "fewer blocks": ("bsr", "data", lambda a: a[:1]),
    "far columns": ("lil", "rows", lambda a: np.array([*a[:3], [10**6] * 6], dtype=object)),
    "fewer lists": ("lil", "rows", lambda a: a[:1]),
    "no lists": ("lil", "rows", lambda a: None),
    "far rows": ("coo", "row", lambda a: a + 1_000_000),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("matcher", [match, maximum_weight_matching])
def test_contradicting_arrays_are_refused(case, matcher):
    with pytest.raises((TypeError, ValueError), match="graph"):
        matcher(damaged(*CASES[case]))


def blocks_of(matrix):
    return HankelBlocks.from_matrices(matrix, [DENSE])


FAR = {
    **{case: CASES[case] for case in CASES if CASES[case][0] != "lil"},
    "far columns of csr": ("csr", "indices", lambda a: a + 1_000_000),
    "far columns of csc": ("csc", "indptr", lambda a: a * 1_000_000),
    "no entries": ("csr", "data", lambda a: None),
    "a list of entries": ("coo", "data", lambda a: a.tolist()),
}


@pytest.mark.parametrize("case", FAR)
@pytest.mark.parametrize(
    "function", [bipartite_graph, blocks_of, driver_nodes, lambda m: truncated_svd(m, 1)]
)
def test_other_functions_refuse_them_too(case, function):
    with pytest.raises((TypeError, ValueError), match=r"graph|H"):
        function(damaged(*FAR[case]))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (1, 1)])
def test_right_matrices_of_all_formats_are_matched(kind, shape):
    matrix = sp.coo_array(np.ones(shape)).asformat(kind)
    assert match(matrix).size == min(shape)
    assert maximum_weight_matching(matrix).weight == min(shape)


def test_copies_that_threads_need_are_the_same_matrices():
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        for kind in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok"):
            matrix = sp.coo_array(DENSE).asformat(kind)
            assert match(matrix).size == 4
            assert maximum_weight_matching(matrix).weight == maximum_weight_matching(DENSE).weight
            assert (steady(matrix).toarray() == DENSE).all()
            assert (matrix.toarray() == DENSE).all()
    finally:
        done.set()
        other.join()


def test_a_matrix_without_values_has_no_weights():
    with pytest.raises(TypeError, match=r"graph\.data must be a numpy array"):
        maximum_weight_matching(damaged("csr", "data", lambda a: None))


def test_a_stale_flag_is_not_trusted():
    matrix = sp.csr_array(([1.0, 2.0, 4.0], [0, 1, 1], [0, 3]), shape=(1, 2))
    matrix.has_canonical_format = True
    assert maximum_weight_matching(matrix).weight == 6.0
