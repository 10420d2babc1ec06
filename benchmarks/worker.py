"""Times calls of whatever hankelmatch is installed here, as its standard input asks: see builds.py.

It imports nothing of this project but the package, so that any build can run it.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import hankelmatch
import numpy as np

LEAST_SECONDS = 2e-3  # that a run takes: a single short call is timed by what the process did before
MOST = 200  # calls of a run


def found(function: str, matrix: Any, result: Any) -> float:
    """The size of a matching, or the sum of its entries."""
    if function in ("match", "heavy_matching"):
        return float(result.size)
    if function == "maximum_weight_matching":
        return float(result.weight)
    dense = matrix if isinstance(matrix, np.ndarray) else matrix.tocsr()
    return float(np.sum(dense[tuple(result)]))


def fault(function: str, matrix: Any, options: dict[str, Any], result: Any) -> str:
    """What the result's certificate does not prove."""
    if function in ("match", "heavy_matching"):
        cover = sum(len(ids) for ids in result.minimum_vertex_cover())
        return "" if cover == result.size else f"{result.size} pairs, a cover of {cover}"
    if function == "maximum_weight_matching":
        proved = result.is_optimal(matrix) if not options else True  # other objectives: by both builds' sums
        return "" if proved else "the duals do not prove the matching"
    return ""


def seconds_of(call: Callable[[], Any], times: int) -> tuple[float, Any]:
    """Processor time of one call, the mean of so many in a row, and the last result."""
    begin = time.process_time()
    for _ in range(times):
        result = call()
    return (time.process_time() - begin) / times, result


def main() -> None:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody else writes into the answers
    function, matrix, call, times = "", None, partial(float), 1
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        answer: Any
        if request is None:
            seconds, result = seconds_of(call, times)
            answer = seconds, found(function, matrix, result)
        else:
            function, matrix, options = request
            try:
                call = partial(getattr(hankelmatch, function), matrix, **options)
                answer = fault(function, matrix, options, call())
                quick, _ = seconds_of(call, 1)
                times = round(min(MOST, max(1, LEAST_SECONDS / max(quick, 1e-9))))
            except (AttributeError, TypeError, ValueError) as error:
                answer = f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
