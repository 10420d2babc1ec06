"""Long searches: the automatic choice avoids them, Ctrl-C stops them, threads share their graph."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import match, maximum_bipartite_matching

from ..reference import random_sparse
from .unweighted_graphs import check


def hard_for_searches(n):
    """A hidden triangle: depth-first searches take minutes, the automatic choice a few milliseconds."""
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(n - 1), 4)
    cols = rows + 1 + (rng.random(len(rows)) * (n - 1 - rows)).astype(np.int64)
    p, q = rng.permutation(n), rng.permutation(n)
    rows, cols = np.concatenate([np.arange(n), rows]), np.concatenate([np.arange(n), cols])
    return sp.csr_array((np.ones(len(rows), np.int8), (p[rows], q[cols])), shape=(n, n))


def long_for_hopcroft_karp(n):
    """One path, shuffled: its phases reach one free node after the other."""
    rng = np.random.default_rng(1)
    p, q = rng.permutation(n), rng.permutation(n)
    rows = np.concatenate([np.arange(n), np.arange(n - 1)])
    cols = np.concatenate([np.arange(n), np.arange(1, n)])
    return sp.csr_array((np.ones(len(rows), np.int8), (p[rows], q[cols])), shape=(n, n))


def test_auto_does_not_get_lost():
    for graph in (hard_for_searches(60_000), long_for_hopcroft_karp(100_000)):
        begin = time.perf_counter()
        matching = match(graph)
        assert time.perf_counter() - begin < 20  # milliseconds, but on any machine
        check(graph, matching, graph.shape[0])


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to the process")
@pytest.mark.parametrize("method", ["augmenting-path", "hopcroft-karp"])
def test_ctrl_c_stops_a_long_search(method):
    """The timer's thread needs the GIL to send the signal, so that is released too."""
    graph = hard_for_searches(60_000) if method == "augmenting-path" else long_for_hopcroft_karp(300_000)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        match(graph, method)
    assert time.perf_counter() - begin < 20  # at once, but on any machine
    timer.join()


def test_many_threads_share_a_graph():
    graph = random_sparse((20_000, 20_000), 3 / 20_000, np.random.default_rng(0))
    expected = maximum_bipartite_matching(graph)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: maximum_bipartite_matching(graph), range(16)))
    assert all((result == expected).all() for result in results)
