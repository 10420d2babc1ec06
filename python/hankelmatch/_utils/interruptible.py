"""Long calls of numpy and scipy, made so that Ctrl-C can stop them."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np

__all__ = ["exit_at_once", "interruptible"]

T = TypeVar("T")

_SHORT = 1 << 18  # with fewer entries no call takes half a second
_LOOK = 0.1  # seconds: some systems do not tell a thread of Ctrl-C while it waits
_INTERRUPTED = 130


class _Call(threading.Thread):
    """A call on a thread of its own, which does not keep the process alive."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(name="hankelmatch", daemon=True)
        self._work = work
        self._done = threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    @property
    def has_ended(self) -> bool:
        return self._done.is_set()

    def wait(self) -> None:
        while not self._done.wait(_LOOK):
            pass

    def result(self) -> Any:
        self.wait()
        if self._error is not None:
            raise self._error
        return self._result


_left_running: WeakSet[_Call] = WeakSet()  # once ended they are forgotten, and what they returned
_ends_at_once = threading.Event()


def interruptible(function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """``function(*arguments, **options)``, for which Ctrl-C need not wait.

    Python looks for Ctrl-C between calls only, and one of LAPACK can take minutes. So a call with large
    arrays is made on another thread, if this is the main one (no other is ever interrupted). After Ctrl-C it
    goes on to its end there, and what it returns is dropped. The function must let other threads run
    meanwhile, as those of numpy do, and of scipy.linalg all but `svd` and `solve`.
    """
    is_short = sum(getattr(a, "size", 0) for a in arguments) < _SHORT
    if is_short or threading.current_thread() is not threading.main_thread():
        return function(*arguments, **options)
    errors = np.geterr()  # those of this thread

    def work() -> T:
        with np.errstate(**errors):
            return function(*arguments, **options)

    call = _Call(work)
    try:
        call.start()
        return call.result()
    except BaseException:  # what other signals' handlers raise, too
        if not call.has_ended:
            _left_running.add(call)
        raise


def exit_at_once() -> None:
    """Let the process end although an interrupted call may go on: for a program that ends after Ctrl-C."""
    _ends_at_once.set()


@atexit.register
def _end() -> None:
    """Wait for interrupted calls, since their libraries must not be unloaded meanwhile.

    A process that Ctrl-C ends does not wait, but leaves without unloading anything.
    """
    calls = [call for call in _left_running if not call.has_ended]
    if not calls:
        return
    is_uncaught = isinstance(getattr(sys, "last_value", None), KeyboardInterrupt)
    try:
        if not (_ends_at_once.is_set() or is_uncaught):
            for call in calls:
                call.wait()
            return
    except KeyboardInterrupt:
        pass
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # it may be closed, or be None
            stream.flush()
    os._exit(_INTERRUPTED)
