"""Another thread changes a matrix, or a corpus, while functions work on it: no call crashes."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from hankelmatch import (
    Alphabet,
    Corpus,
    bottleneck_matching,
    dulmage_mendelsohn,
    heavy_matching,
    match,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
    structural_rank,
    substring_expectations,
)

from ._preload import outcome_of_child
from .graphs import ARRAYS

CASES = 1_000
SECONDS = 120
CALLS = 6  # of one function, with one matrix
REFUSALS = (TypeError, ValueError)
FUNCTIONS: tuple[Callable[[Any], Any], ...] = (
    match,
    dulmage_mendelsohn,
    maximum_weight_matching,
    heavy_matching,
    structural_rank,
    min_weight_full_bipartite_matching,
    bottleneck_matching,
    lambda matrix: match(matrix).minimum_vertex_cover(),
)


def attack(seed: int, count: int) -> Iterator[str]:
    """Call functions in forks of this process that have a second thread."""
    rng = np.random.default_rng(seed)
    for case in range(count):
        n = int(10 ** rng.uniform(1, 4))
        function = FUNCTIONS[int(rng.integers(len(FUNCTIONS)))]
        if case % 8 == 0:
            what, arrays, call = random_count(rng, n)
        else:
            what, arrays, call = random_call(rng, n, function)
        calls_seed = int(rng.integers(2**32))
        outcome = outcome_of_child(
            lambda call=call, arrays=arrays, s=calls_seed: survives(call, arrays, s), SECONDS
        )
        if outcome:
            yield f"case {case}: {what}, n = {n}: {outcome}"


def random_call(
    rng: np.random.Generator, n: int, function: Callable[[Any], Any]
) -> tuple[str, list[Any], Any]:
    """A function and a matrix of a random format, with the arrays that may be changed."""
    rows, cols = rng.integers(0, n, (2, 4 * n))
    kind = str(rng.choice([*ARRAYS]))
    if kind in ("dia", "lil"):
        rows, cols = rows[:200], cols[:200]
    matrix: Any = sp.coo_array((rng.random(len(rows)), (rows, cols)), shape=(n, n)).asformat(kind)
    arrays = [getattr(matrix, name) for name in ARRAYS[kind]]
    return f"{getattr(function, '__name__', function)} of {kind}", arrays, lambda: function(matrix)


def random_count(rng: np.random.Generator, n: int) -> tuple[str, list[Any], Any]:
    """Counting the substrings of a corpus whose arrays the caller keeps."""
    symbols, offsets = rng.integers(0, 4, n).astype(np.int32), np.array([0, n // 2, n])
    corpus = Corpus(symbols, offsets, Alphabet("abcd"))
    length = int(rng.integers(1, 50))
    return f"counting T = {length}", [symbols, offsets], lambda: substring_expectations(corpus, length)


def survives(call: Callable[[], Any], arrays: list[Any], seed: int) -> bool:
    """Whether all calls end, rightly or with a refusal, while a thread changes the arrays."""
    stop = threading.Event()
    thread = threading.Thread(target=change, args=(arrays, stop, seed))
    sys.setswitchinterval(1e-5)
    thread.start()
    try:
        for _ in range(CALLS):
            with contextlib.suppress(*REFUSALS):
                call()
    finally:
        stop.set()
        thread.join()
    return True


def change(arrays: list[Any], stop: threading.Event, seed: int) -> None:
    """Write hostile numbers into arrays for moments, again and again."""
    rng = np.random.default_rng(seed)
    kept = [array.copy() for array in arrays]
    hostile = (-1, 2**30, -(2**31), 7)
    while not stop.wait(float(rng.uniform(0, 1e-3))):
        i = int(rng.integers(len(arrays)))
        array = arrays[i]
        if array.dtype == object:  # the lists of a lil matrix
            array[int(rng.integers(len(array)))] = [10**6] * int(rng.integers(5))
        else:
            array.flat[:: int(rng.integers(1, 9))] = hostile[int(rng.integers(len(hostile)))]
        stop.wait(float(rng.uniform(0, 1e-3)))
        array[:] = kept[i]
