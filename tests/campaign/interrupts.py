"""Ctrl-C at random times of long calls: KeyboardInterrupt within a second, and the process works on.

That is of the process's own time: others may take most of the machine's, and slow it down besides. On an
idle machine it is less than half a second.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

from ._calls import calls
from ._preload import outcome_of_child

CASES = 1_000
SECONDS = 120
PATIENCE = 1.0  # seconds of processor time from the signal to the end of the call


def attack(seed: int, count: int) -> Iterator[str]:
    """Interrupt calls in forks of this process."""
    small, large = calls(), calls(200)
    durations = {name: duration(call) for name, call in large.items()}
    names = list(large)
    rng = np.random.default_rng(seed)
    for case in range(count):
        name = names[case % len(names)]
        after = float(rng.uniform(0, durations[name]))

        def run(name: str = name, after: float = after) -> bool:
            waited = seconds_to_end(large[name], after)
            if waited > PATIENCE:
                print(f"{name} after {after:.3f} s: {waited:.3f} s", file=sys.stderr)
            return waited <= PATIENCE and small[name]() is not None

        outcome = outcome_of_child(run, SECONDS)
        if outcome:
            yield f"case {case}: {name} after {after:.3f} s: {outcome}"


def duration(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def seconds_to_end(call: Callable[[], object], after: float) -> float:
    """How long a call goes on after a signal that comes in so many seconds; it may be done before."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    try:
        timer.start()
        call()
        timer.cancel()
        timer.join()
        time.sleep(0.001)  # a signal that came just now is raised here
    except KeyboardInterrupt:
        timer.join()
    return time.process_time() - sent[0] if sent else 0.0
