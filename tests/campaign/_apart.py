"""Cases in processes of their own: a crash or a hang there is a failure like any other."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

TIMEOUT = 900.0  # seconds for a process
_running: set[subprocess.Popen[str]] = set()
_FOLDERS = re.compile(r'"[^"]*/((?:tests|hankelmatch|scipy|numpy)/[^"]*)"')  # of the machine, in a traceback


@dataclass(frozen=True)
class Result:
    """What cases in one process gave; `cases` is 0 if it crashed or hung, so that not all were tried."""

    failures: list[str]
    cases: int
    seconds: float
    processor_seconds: float


def run_here(name: str, seed: int, count: int) -> None:
    """Try the cases in this process, and print the failures and the processor time as JSON."""
    faulthandler.enable()
    module = importlib.import_module(f"tests.campaign.{name}")
    failures = list(module.attack(seed, count))
    print(json.dumps([failures, sum(os.times()[:4])]))


def run_apart(name: str, seed: int, count: int, timeout: float = TIMEOUT) -> Result:
    """Try `count` cases of an attack in a new process."""
    command = [sys.executable, "-m", "tests.campaign", name, "--seed", str(seed), "--here", str(count)]
    again = f"[{name} --seed {seed} --cases {count} --rounds 1]"
    start = time.perf_counter()
    status, out, err = output_of(command, timeout)
    seconds = time.perf_counter() - start
    if status is None:
        return Result([f"{again} hung for {timeout:.0f} s"], 0, seconds, 0.0)
    if status != 0:
        where = [
            _FOLDERS.sub(r'"\1"', line.strip()) for line in err.splitlines() if line.startswith('  File "')
        ]
        what = "; ".join(where[:4]) if status < 0 else err.strip()[-800:]
        return Result([f"{again} ended with status {status}: {what}"], 0, seconds, 0.0)
    failures, processor_seconds = json.loads(out.splitlines()[-1])
    return Result([f"{again} {failure}" for failure in failures], count, seconds, processor_seconds)


def output_of(command: list[str], timeout: float) -> tuple[int | None, str, str]:
    """A new process's status, None if it hung, and what it wrote. No process that it started outlives it."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    _running.add(process)
    with process:
        try:
            out, err = process.communicate(timeout=timeout)
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            return None, "", ""
        finally:
            _running.discard(process)
            kill(process)


def kill(process: subprocess.Popen[Any]) -> None:
    """Kill a process and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def kill_running() -> None:
    """Kill what other threads of this process wait for."""
    for process in list(_running):
        kill(process)
