"""Seconds of repeated runs, and runs in a process of their own with a time limit."""

from __future__ import annotations

import math
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["best_seconds", "median_seconds", "within"]

_PREPARATION = 300.0  # seconds that a process may take before what is limited begins


def best_seconds(
    run: Callable[[], Any],
    most: int = 5,
    budget: float = math.inf,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, Any]:
    """The shortest time of up to `most` runs, none begun after `budget` seconds of them; and the result."""
    times, result = _timed(run, most, budget, clock)
    return min(times), result


def median_seconds(run: Callable[[], Any], runs: int = 5) -> float:
    """The median of some runs."""
    return statistics.median(_timed(run, runs, math.inf, time.perf_counter)[0])


def _timed(
    run: Callable[[], Any], most: int, budget: float, clock: Callable[[], float]
) -> tuple[list[float], Any]:
    times: list[float] = []
    result = None
    while not times or (len(times) < most and sum(times) < budget):
        begin = clock()
        result = run()
        times.append(clock() - begin)
    return times, result


def within(limit: float, prepare: Callable[[], Callable[[], Any]]) -> Any:
    """What a function returns in a process of its own, which is ended when it has used up the limit.

    Parameters
    ----------
    limit : float
        Seconds of the process's processor time, or else of the clock on the wall.
    prepare : callable
        Gives the function, in that process; what this takes is not counted.

    Returns
    -------
    object
        None if the limit was passed.

    Raises
    ------
    TimeoutError
        If the function was not there after five minutes.
    EOFError
        If the process failed; what it had to say is on the standard error stream.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_prepare_and_run, args=(prepare, sender))
    process.start()
    sender.close()
    try:
        if not receiver.poll(_PREPARATION):
            raise TimeoutError(f"nothing to run after {_PREPARATION:.0f} s")
        receiver.recv()
        return receiver.recv() if _ends(receiver, process.pid, limit) else None
    finally:
        process.kill()
        process.join()


def _prepare_and_run(prepare: Callable[[], Callable[[], Any]], sender: Any) -> None:
    run = prepare()
    sender.send(True)
    sender.send(run())


def _ends(receiver: Any, pid: int | None, limit: float) -> bool:
    """Whether a result comes before the process has used that many seconds."""
    begin = _used(pid)
    while not receiver.poll(0.1):
        if _used(pid) - begin > limit:
            return False
    return True


def _used(pid: int | None) -> float:
    """The processor time of a process, or else the wall clock."""
    path = Path(f"/proc/{pid}/stat")
    if not path.exists():
        return time.monotonic()
    user, system = path.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
