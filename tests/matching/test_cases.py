"""Matrices on which public libraries failed, and matrices of real problems."""

import json
import time

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hankelmatch import dulmage_mendelsohn, match, maximum_bipartite_matching, structural_rank
from hankelmatch.matching.maximum import METHODS

from .unweighted_graphs import check


def with_width(graph, dtype):
    graph = sp.csr_array(graph)
    graph.indptr, graph.indices = graph.indptr.astype(dtype), graph.indices.astype(dtype)
    return graph


@pytest.fixture(scope="module")
def cases(data_dir):
    path = data_dir.parent / "cases" / "matching.json"
    if not path.is_file():
        pytest.skip("the folder of public failures is absent: it is expected beside the data folder")
    return json.loads(path.read_text(encoding="utf-8"))


def test_inputs_on_which_public_libraries_failed(cases):
    begin = time.perf_counter()
    for case in cases:
        dtype = np.dtype(case["index_dtype"])
        arrays = np.array(case["indices"], dtype), np.array(case["indptr"], dtype)
        graph = sp.csr_array((np.ones(len(arrays[0])), *arrays), shape=(case["n_rows"], case["n_cols"]))
        graph.indices, graph.indptr = arrays
        for method in METHODS:
            check(graph, match(graph, method), case["maximum_matching"])
        assert (maximum_bipartite_matching(graph) != -1).sum() == case["maximum_matching"]
        assert structural_rank(graph.T.tocsr()) == case["maximum_matching"]
    assert time.perf_counter() - begin < 20  # milliseconds each, but on any machine


def test_a_row_that_stores_one_column_200_000_times():
    n = 200_000
    indices, indptr = np.zeros(n + 2, np.int32), np.array([0, 2, 2 + n], np.int32)
    indices[1] = 1
    graph = sp.csr_array((np.ones(n + 2, np.int8), indices, indptr), shape=(2, 2))
    for method in METHODS:
        check(graph, match(graph, method), 2)


def test_a_path_of_100_000_nodes():
    n = 50_000
    rows = np.concatenate([np.arange(n - 1), np.arange(n - 1), [n - 1]])
    cols = np.concatenate([np.arange(n - 1), np.arange(1, n), [0]])
    graph = sp.csr_array((np.ones(len(rows), np.int8), (rows, cols)), shape=(n, n))
    for method in METHODS:
        check(graph, match(graph, method), n)
        check(graph.T.tocsr(), match(graph.T.tocsr(), method), n)


@pytest.fixture(scope="module")
def matrices(data_dir):
    folder = data_dir / "matrices"
    if not folder.is_dir():
        pytest.skip("the folder of matrices is absent")
    lines = (folder / "INDEX.tsv").read_text(encoding="utf-8").splitlines()
    header = lines[0].split("\t")
    found = []
    for line in lines[1:]:
        entry = dict(zip(header, line.split("\t"), strict=False))
        (path,) = (p for p in folder.glob(entry["file"] + ".*") if p.name.split(".mtx")[0] == entry["file"])
        found.append((entry["file"], scipy.io.mmread(path), int(entry["maximum_matching"])))
    return found


def test_matrices_of_real_problems(matrices):
    assert len(matrices) >= 62
    for name, matrix, size in matrices:
        for graph in (sp.csr_array(matrix), sp.csr_array(matrix.T)):
            for dtype in (np.int32, np.int64):
                typed = with_width(graph, dtype)
                matching = match(typed)
                assert matching.row_mate.dtype == dtype, name
                check(typed, matching, size)


def test_every_method_on_matrices_of_real_problems(matrices):
    for name, matrix, size in matrices:
        if matrix.nnz < 100_000:
            for method in METHODS[1:]:
                assert match(sp.csr_array(matrix), method).size == size, (name, method)


def test_block_triangular_forms_of_real_problems(matrices):
    for name, matrix, size in matrices:
        dm = dulmage_mendelsohn(sp.csr_array(matrix))
        assert dm.row_parts[3] == size, name
        permuted = sp.csr_array(matrix)[dm.row_order][:, dm.col_order].tocoo()
        row_block = np.searchsorted(dm.row_blocks, permuted.row, side="right")
        col_block = np.searchsorted(dm.col_blocks, permuted.col, side="right")
        assert (row_block <= col_block).all(), name
