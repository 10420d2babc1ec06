"""Functions of scipy's names: arguments, formats and results are scipy's."""

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import dulmage_mendelsohn, match, maximum_bipartite_matching, structural_rank
from scipy.sparse.csgraph import maximum_bipartite_matching as scipy_matching

from .unweighted_graphs import csr


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


@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_arrays_matrices_and_index_widths(make, dtype):
    graph = csr(3, 4, [(0, 3), (0, 1), (1, 1), (2, 1)], dtype, make)
    for perm_type in ("row", "column"):
        result = maximum_bipartite_matching(graph, perm_type=perm_type)
        assert result.dtype == np.int32
        assert result.flags.writeable
        assert result.tolist() == scipy_matching(graph, perm_type=perm_type).tolist()


@pytest.mark.parametrize("fmt", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
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
