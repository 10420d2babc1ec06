"""Another thread changes a matrix while it is matched: any answer or refusal, and no crash."""

from __future__ import annotations

import contextlib
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import _core, dulmage_mendelsohn, heavy_matching, match, maximum_weight_matching


@pytest.fixture
def short_turns():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("short_turns")
@pytest.mark.parametrize("function", [match, dulmage_mendelsohn, maximum_weight_matching, heavy_matching])
def test_a_change_meanwhile_breaks_nothing(function):
    rng = np.random.default_rng(1)
    n = 30_000
    rows, cols = rng.integers(0, n, (2, 4 * n))
    matrix = sp.csr_array(sp.coo_array((rng.random(4 * n), (rows, cols)), shape=(n, n)))
    indptr, indices = matrix.indptr.copy(), matrix.indices.copy()
    done = threading.Event()

    def change():
        while not done.is_set():
            matrix.indices[::2] = 2**30
            matrix.indptr[5:-5:2] = 2**30
            done.wait(1e-4)
            matrix.indices[:], matrix.indptr[:] = indices, indptr
            done.wait(1e-4)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(10):
            with contextlib.suppress(ValueError):
                function(matrix)
    finally:
        done.set()
        thread.join()
    assert function(matrix).row_mate.shape == (n,) if function is match else function(matrix) is not None


def test_only_other_threads_cost_a_copy():
    alone = []
    with_another = threading.Event()
    thread = threading.Thread(target=with_another.wait)
    thread.start()
    alone.append(_core.is_only_thread())
    with_another.set()
    thread.join()
    assert alone == [False]
