"""Every matcher that can be installed, ours first; each makes its kind of graph before the clock starts."""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from hankelmatch import match
from scipy.sparse.csgraph import maximum_bipartite_matching

from ..timing import best_seconds, within

__all__ = ["OURS", "SOLVERS", "Solver", "Timing", "installed", "timed"]


class Solver(NamedTuple):
    """`prepare(graph)` gives a function without arguments that finds the size of a maximum matching."""

    name: str
    package: str
    prepare: Callable[[sp.csr_array], Callable[[], int]]
    most_edges: float = float("inf")  # beyond it would only wait for its time limit


class Timing(NamedTuple):
    """The size that was found and the best time of a few.

    Without a size the solver failed, or was not tried (no seconds), or took longer than these seconds.
    """

    size: int | None = None
    seconds: float | None = None


def _ours(method: str) -> Callable[[sp.csr_array], Callable[[], int]]:
    return lambda graph: lambda: match(graph, method).size


def _scipy(graph):
    return lambda: int((maximum_bipartite_matching(graph) != -1).sum())


def _edges(graph):
    """Both ends of each edge once; columns are numbered after the rows."""
    coo = sp.coo_array(
        sp.csr_array((np.ones(graph.nnz, np.int8), graph.indices, graph.indptr), shape=graph.shape)
    )
    keys = np.unique(coo.row.astype(np.int64) * graph.shape[1] + coo.col)
    return keys // graph.shape[1], keys % graph.shape[1] + graph.shape[0]


def _btf(graph):
    """SuiteSparse's BTF: Debian's libbtf1 or libsuitesparse-dev."""
    library = ctypes.CDLL(_btf_library())
    n_rows, n_cols = (ctypes.c_int32(side) for side in graph.T.shape)  # by columns: ours are its rows
    arrays = [np.ascontiguousarray(ids, dtype=np.int32) for ids in (graph.indptr, graph.indices)]
    match_of_row = np.empty(graph.shape[1], dtype=np.int32)
    workspace = np.empty(5 * graph.shape[0], dtype=np.int32)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (*arrays, match_of_row, workspace)]
    work = ctypes.c_double()
    return lambda: int(
        library.btf_maxtrans(
            n_rows, n_cols, *pointers[:2], ctypes.c_double(0), ctypes.byref(work), *pointers[2:]
        )
    )


def _btf_library() -> str | None:
    return ctypes.util.find_library("btf")


def _igraph(graph):
    import igraph  # noqa: PLC0415

    n_rows, n_cols = graph.shape
    types = [False] * n_rows + [True] * n_cols
    bipartite = igraph.Graph.Bipartite(types, list(zip(*_edges(graph), strict=True)))
    return lambda: len(bipartite.maximum_bipartite_matching(types))


def _networkx(graph):
    import networkx  # noqa: PLC0415

    bipartite = networkx.Graph()
    bipartite.add_nodes_from(range(sum(graph.shape)))
    bipartite.add_edges_from(zip(*(ids.tolist() for ids in _edges(graph)), strict=True))
    top = range(graph.shape[0])
    return lambda: len(networkx.bipartite.hopcroft_karp_matching(bipartite, top)) // 2


def _rustworkx(graph):
    import rustworkx  # noqa: PLC0415

    general = rustworkx.PyGraph(multigraph=False)
    general.add_nodes_from(range(sum(graph.shape)))
    general.add_edges_from_no_data(list(zip(*(ids.tolist() for ids in _edges(graph)), strict=True)))
    return lambda: len(rustworkx.max_weight_matching(general, max_cardinality=True, default_weight=1))


def _ortools(graph):
    from ortools.graph.python import max_flow  # noqa: PLC0415

    n_rows, n_cols = graph.shape
    source, sink = n_rows + n_cols, n_rows + n_cols + 1
    rows, cols = _edges(graph)
    tails = np.concatenate([np.full(n_rows, source), rows, np.arange(n_rows, source)])
    heads = np.concatenate([np.arange(n_rows), cols, np.full(n_cols, sink)])

    def solve() -> (
        int
    ):  # it solves once: the arcs have to be given again, but that is not the bulk of its time
        flow = max_flow.SimpleMaxFlow()
        flow.add_arcs_with_capacity(tails, heads, np.ones(len(tails), np.int64))
        flow.solve(source, sink)
        return flow.optimal_flow()

    return solve


OURS = ("auto", "augmenting-path", "hopcroft-karp", "push-relabel")
SOLVERS = [
    *(Solver(name, "hankelmatch", _ours(name)) for name in OURS),
    Solver("scipy", "scipy", _scipy),
    Solver("BTF", "btf", _btf),
    Solver("igraph", "igraph", _igraph),
    Solver("OR-tools", "ortools", _ortools),
    Solver("networkx", "networkx", _networkx, 1_000_000),
    Solver("rustworkx", "rustworkx", _rustworkx, 20_000),  # for general graphs, cubic
]


def installed() -> list[Solver]:
    return [
        solver
        for solver in SOLVERS
        if (_btf_library() if solver.package == "btf" else importlib.util.find_spec(solver.package))
    ]


def timed(solver: Solver, graph: sp.csr_array, limit: float) -> Timing:
    """Time a solver in a process of its own, which is ended when it has used up the limit."""
    if graph.nnz > solver.most_edges:
        return Timing()
    try:
        # Graphs of other packages take long to make; the limit is for what comes after that, and for a few
        # runs' worth more.
        timing = within(1.2 * limit, lambda: partial(_best_of_few, solver.prepare(graph), limit))
    except TimeoutError:
        return Timing()
    return Timing(None, limit) if timing is None else timing


def _best_of_few(solve: Callable[[], int], limit: float) -> Timing:
    """The best processor time of a few runs, of all threads of a solver, whatever else the machine does."""
    try:
        seconds, size = best_seconds(solve, budget=limit / 5, clock=time.process_time)
    except RecursionError:
        return Timing()
    return Timing(size, seconds)
