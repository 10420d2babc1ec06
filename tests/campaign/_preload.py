"""The library that makes calls fail, built from `fail_calls.c`, and processes that have it loaded."""

from __future__ import annotations

import ctypes
import functools
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_SOURCE = Path(__file__).with_name("fail_calls.c")
_LOADED = "HANKELMATCH_FAIL_CALLS"


def library() -> ctypes.CDLL:
    """Return the loaded library. A process that does not have it yet starts anew, with it.

    Raises
    ------
    OSError
        If there is no C compiler, or this is not Linux with glibc.
    """
    if _LOADED not in os.environ:
        _start_anew()
    return ctypes.CDLL(os.environ[_LOADED])


@functools.cache
def built_library() -> Path:
    """Build the library, once in a process."""
    path = Path(tempfile.mkdtemp()) / "fail_calls.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", path, _SOURCE, "-ldl"], check=True)
    return path


def preloading(path: Path) -> dict[str, str]:
    """The variables of a process that has the library; what is loaded already, as sanitizers, comes first."""
    loaded = " ".join(filter(None, (os.environ.get("LD_PRELOAD"), str(path))))
    return {"LD_PRELOAD": loaded, _LOADED: str(path), "PYTHONMALLOC": "malloc"}


def _start_anew() -> None:
    environment = {**os.environ, **preloading(built_library())}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def outcome_of_child(run: Callable[[], bool], seconds: int) -> str:
    """Run a function in a fork of this process: "" if it returns true, else how it went wrong."""
    child = os.fork()
    if child == 0:
        try:
            status = 0 if run() else 3
        except BaseException:
            status = 4
        os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return "" if code == 0 else f"status {code}"
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return f"hung for {seconds} s"
