"""Ctrl-C at random times of long calls: KeyboardInterrupt within a second, and the process works on.

All times are the process's own, processor time of all its threads: others may take most of the machine's. The
signal comes by a timer of the kernel, so that no lock of Python can hold it up.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from ._calls import calls
from ._long_calls import long_calls
from ._preload import built_library, outcome_of_child

CASES = 1_000
CHUNKS = 10  # for the long calls are made, and their durations taken, in each
SECONDS = 300
PATIENCE = 1.0  # seconds of processor time from the signal to the end of the call


def attack(seed: int, count: int) -> Iterator[str]:
    """Interrupt calls in forks of this process; every second of them has another thread, which waits."""
    interrupt_after = ctypes.CDLL(str(built_library())).interrupt_after
    interrupt_after.argtypes = [ctypes.c_double]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may ignore it
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        small, large = calls(), long_calls(Path(folder))
        durations = {name: duration(call) for name, call in large.items()}
        names = list(large)
        for case in range(count):
            name = names[case % len(names)]
            after = float(rng.uniform(0, durations[name]))
            with_thread = bool(rng.integers(2))

            def run(name: str = name, after: float = after, with_thread: bool = with_thread) -> bool:
                if with_thread:
                    threading.Thread(target=time.sleep, args=(SECONDS,), daemon=True).start()
                waited = seconds_to_end(large[name], after, interrupt_after)
                if waited > PATIENCE:
                    print(f"{name} after {after:.3f} s: {waited:.3f} s", file=sys.stderr)
                return waited <= PATIENCE and all(call() is not None for call in small.values())

            outcome = outcome_of_child(run, SECONDS)
            if outcome:
                yield f"case {case}: {name} after {after:.3f} s: {outcome}"


def duration(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def seconds_to_end(
    call: Callable[[], object], after: float, interrupt_after: Callable[[float], int]
) -> float:
    """How long a call goes on after a signal that comes in so many seconds; it may be done before."""
    start = time.process_time()
    try:
        if error := interrupt_after(after):
            raise OSError(error, "no timer")
        call()
        while time.process_time() - start - after <= PATIENCE:
            pass  # the call was done before: the signal comes here
    except KeyboardInterrupt:
        pass
    return time.process_time() - start - after
