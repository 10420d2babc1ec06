"""Long calls of numpy and scipy that Ctrl-C need not wait for."""

import atexit
import contextlib
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np

T = TypeVar("T")

_SHORT = 1 << 18  # with fewer entries no call takes half a second
_LOOK = 0.1  # seconds: some systems deliver Ctrl-C to no thread that waits

_interrupted: WeakSet[Future[Any]] = WeakSet()  # once its thread has ended a call is forgotten


def interruptible(function: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """``function(*arguments, **options)``, for which Ctrl-C need not wait.

    Python looks for Ctrl-C between calls only, and one of LAPACK can take minutes. So a call with large
    arrays runs on another thread, if this is the main one (no other is ever interrupted). After Ctrl-C it
    goes on to its end there, and its result is dropped; a process that exits meanwhile waits for it. The
    function must release the GIL, as those of numpy do, and of scipy.linalg all but `svd` and `solve`.
    """
    is_short = sum(getattr(a, "size", 0) for a in arguments) < _SHORT
    if is_short or threading.current_thread() is not threading.main_thread():
        return function(*arguments, **options)
    errors = np.geterr()  # those of this thread
    call: Future[T] = Future()

    def work() -> None:
        try:
            with np.errstate(**errors):
                call.set_result(function(*arguments, **options))
        except BaseException as error:
            call.set_exception(error)

    try:
        threading.Thread(target=work, name="hankelmatch", daemon=True).start()
        while not call.done():  # Thread.join takes a thread for ended once Ctrl-C interrupts it (Python 3.11)
            wait([call], _LOOK)
    except RuntimeError:  # there are too many threads, or the interpreter is about to exit
        return function(*arguments, **options)
    except BaseException:  # of other signals' handlers, too
        _interrupted.add(call)
        raise
    return call.result()


def calls_go_on() -> bool:
    """Whether a call that was interrupted has not ended yet."""
    return not all(call.done() for call in _interrupted)


@atexit.register
def _wait_for_calls() -> None:
    """Wait for interrupted calls: a library must not be unloaded under one. Ctrl-C ends the process then."""
    if calls_go_on() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with contextlib.suppress(ValueError):  # this is not the main thread
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    while calls_go_on():
        wait(list(_interrupted), _LOOK)
