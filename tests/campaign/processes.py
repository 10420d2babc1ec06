"""Threads, forks, new processes and interpreters, and processes that end while the core is at work."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np

from ._calls import calls
from ._preload import outcome_of_child

CASES = 200
SECONDS = 120
ENDS_AT_WORK = """
import threading, time
from tests.campaign._calls import calls
made = calls(300)
for call in made.values():
    threading.Thread(target=lambda call=call: [call() for _ in range(100)], daemon=True).start()
time.sleep({after})
"""
INTERPRETER = """
try:
    from concurrent import interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
made = interpreters.create()
code = "try:\\n    import hankelmatch._core\\nexcept ImportError:\\n    pass"
made.exec(code) if hasattr(made, "exec") else interpreters.run_string(made, code)
"""


def attack(seed: int, count: int) -> Iterator[str]:
    """Call from many threads, in forks, and in new processes that end early."""
    rng = np.random.default_rng(seed)
    made = calls(5)
    right = {name: answer(call) for name, call in made.items()}
    for case in range(count):
        kind = case % 4
        if kind == 0:
            yield from (f"case {case}, threads: {line}" for line in from_threads(made, right))
        elif kind == 1:
            outcome = outcome_of_child(lambda: not list(from_threads(made, right)), SECONDS)
            yield from [f"case {case}, in a fork: {outcome}"] if outcome else []
        elif kind == 2:
            code = ENDS_AT_WORK.format(after=float(rng.uniform(0, 0.5)))
            yield from (f"case {case}, ends at work: {line}" for line in bad_end(code))
        elif case < 8:
            yield from (f"case {case}, interpreter: {line}" for line in bad_end(INTERPRETER))


def answer(call: Callable[[], object]) -> str:
    return repr(call())


def from_threads(made: dict[str, Callable[[], object]], right: dict[str, str]) -> Iterator[str]:
    """All calls at once, twice, from threads of their own."""
    wrong: list[str] = []

    def check(name: str) -> None:
        try:
            if answer(made[name]) != right[name]:
                wrong.append(f"{name} gives another answer")
        except BaseException as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}")

    threads = [threading.Thread(target=check, args=(name,)) for name in [*made] * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    yield from wrong
    if any(thread.is_alive() for thread in threads):
        yield "hung"


def bad_end(code: str) -> Iterator[str]:
    """What is wrong with how a new process ends that runs some code."""
    try:
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        yield "hung"
        return
    if done.returncode:
        yield f"status {done.returncode}: {done.stderr.strip()[-300:]}"
