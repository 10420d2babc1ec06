"""Seconds, and the peak of resident memory (where the system says it)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")


@dataclass
class Measured:
    """One piece of work; bytes are None where the system does not give them."""

    result: Any
    seconds: float
    cpu_seconds: float
    peak: int | None
    growth: int | None


def resident(field: str) -> int | None:
    """A field of Linux's /proc/self/status, in bytes."""
    if not STATUS.exists():
        return None
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def measure(work: Callable[[], Any]) -> Measured:
    """Run once; the peak is that of the process meanwhile, the growth how far it rose."""
    before = resident("VmRSS")
    if before is not None:
        CLEAR.write_text("5")  # forget the peak so far
    begin, cpu = time.perf_counter(), time.process_time()
    result = work()
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    peak = resident("VmHWM")
    return Measured(result, seconds, cpu, peak, None if peak is None else peak - before)
