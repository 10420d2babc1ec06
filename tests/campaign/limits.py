"""Processes that get no threads, or little memory: calls work, or raise MemoryError."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator

import numpy as np

from ._calls import calls
from ._preload import library, outcome_of_child

CASES = 500
SECONDS = 120


def attack(seed: int, count: int) -> Iterator[str]:
    """Run calls in forks of this process under limits."""
    fail_threads = library().fail_threads
    made = calls(200)
    names = list(made)
    rng = np.random.default_rng(seed)
    for case in range(count):
        name = names[case % len(names)]
        threads = bool(rng.integers(2))
        spare = int(10 ** rng.uniform(5, 8.5))

        def run(call: Callable[[], object] = made[name], threads: bool = threads, spare: int = spare) -> bool:
            if threads:
                fail_threads(1)
                call()
                return True
            return survives_with(spare, call)

        outcome = outcome_of_child(run, SECONDS)
        if outcome:
            limit = "no threads" if threads else f"{spare:,} bytes more"
            yield f"case {case}: {name} with {limit}: {outcome}"


def survives_with(spare: int, call: Callable[[], object]) -> bool:
    """Whether a call with so many bytes more than there are now works, or raises MemoryError."""
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + spare, resource.RLIM_INFINITY))
    try:
        call()
    except MemoryError:
        pass
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    call()
    return True
