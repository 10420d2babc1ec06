"""Ctrl-C in the middle of a long call of numpy."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import wait

import numpy as np
import pytest
from hankelmatch import truncated_svd
from hankelmatch._utils import interruptible as module
from hankelmatch._utils.interruptible import calls_go_on, interruptible

LARGE = np.zeros((600, 600))


class LongCall:
    """Stands for one of LAPACK: sends this process Ctrl-C once it runs, goes on until it is released."""

    def __init__(self):
        self.released = threading.Event()

    def __call__(self, *arguments, **options):
        signal.raise_signal(signal.SIGINT)
        assert self.released.wait(60)


@pytest.fixture
def long_call():
    call = LongCall()
    yield call
    call.released.set()
    wait(list(module._interrupted))


def test_the_result_and_errors_are_those_of_the_call():
    assert interruptible(np.add, LARGE, 1.0).sum() == LARGE.size
    assert interruptible(np.add, LARGE[0], 1.0).sum() == len(LARGE)
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        interruptible(np.linalg.inv, LARGE)


def test_long_calls_are_made_on_another_thread_and_short_ones_here():
    def thread(*_):
        return threading.current_thread()

    assert interruptible(thread, LARGE) is not threading.main_thread()
    assert interruptible(thread, LARGE[0]) is threading.main_thread()
    found = []
    other = threading.Thread(target=lambda: found.append(interruptible(thread, LARGE)))
    other.start()
    other.join()
    assert found == [other]  # Ctrl-C never comes there


def test_where_no_thread_can_be_started_the_call_is_made_here(monkeypatch):
    def refuse(_):
        raise RuntimeError("can't start new thread")  # as Python does

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert interruptible(np.add, LARGE, 1.0).sum() == LARGE.size


def test_numpy_keeps_its_way_with_floating_point_errors():
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        interruptible(np.divide, LARGE + 1.0, LARGE)
    with np.errstate(divide="ignore"):
        assert np.isinf(interruptible(np.divide, LARGE + 1.0, LARGE)).all()


def test_ctrl_c_does_not_wait_for_the_call(long_call):
    assert not calls_go_on()
    with pytest.raises(KeyboardInterrupt):
        interruptible(long_call, LARGE)
    assert not long_call.released.is_set()
    assert calls_go_on()


@pytest.mark.parametrize("method", ["dense", "randomized"])
def test_a_factorization_stops_in_the_middle_of_a_call(monkeypatch, long_call, method):
    monkeypatch.setattr(np.linalg, "svd", long_call)
    H = np.random.default_rng(0).standard_normal((700, 700))
    with pytest.raises(KeyboardInterrupt):
        truncated_svd(H, 520, method)


def test_lanczos_stops_between_two_products():
    class Interrupting(np.ndarray):
        n_products = 0

        def __matmul__(self, other):
            Interrupting.n_products += 1
            if Interrupting.n_products == 5:
                signal.raise_signal(signal.SIGINT)
            return np.asarray(self) @ other

    from hankelmatch.automata._lanczos import lanczos  # noqa: PLC0415

    random = np.random.default_rng(0)
    with pytest.raises(KeyboardInterrupt):
        lanczos(random.standard_normal((100, 90)).view(Interrupting), 10, random)
    assert Interrupting.n_products == 5


PROGRAM = """
import os, signal, threading, time
import numpy as np
from hankelmatch._utils.interruptible import interruptible

signal.signal(signal.SIGINT, signal.default_int_handler)
released = threading.Event()

def long_call(*arguments):
    signal.raise_signal(signal.SIGINT)
    released.wait()
    time.sleep(0.2)
    print("waited for", flush=True)
    {at_end}

try:
    interruptible(long_call, np.zeros(1 << 20))
except KeyboardInterrupt:
    print("stopped", flush=True)
    released.set()
    {then}
"""
AGAIN = "os.kill(os.getpid(), signal.SIGINT); time.sleep(60)"


@pytest.mark.skipif(sys.platform == "win32", reason="a process there has no status for a signal")
@pytest.mark.parametrize(
    ("then", "at_end", "status"),
    [
        ("pass", "pass", 0),  # nothing is unloaded while the call goes on
        ("raise", "pass", -signal.SIGINT),
        ("pass", AGAIN, -signal.SIGINT),  # Ctrl-C once more ends the process that waits
    ],
)
def test_how_a_process_ends_while_a_call_goes_on(then, at_end, status):
    program = PROGRAM.format(then=then, at_end=at_end)
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (status, "stopped\nwaited for\n"), done.stderr


COMMAND = """
import signal, threading
import numpy as np
from hankelmatch import cli
from hankelmatch._utils.interruptible import interruptible

signal.signal(signal.SIGINT, signal.default_int_handler)

def long_call(*arguments):
    signal.raise_signal(signal.SIGINT)
    threading.Event().wait()

def main():
    try:
        interruptible(long_call, np.zeros(1 << 20))
    except KeyboardInterrupt:
        return 130

cli.main = main
cli.run()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process there has no status for a signal")
def test_the_command_ends_by_the_signal_while_a_call_goes_on():
    done = subprocess.run(
        [sys.executable, "-c", COMMAND], check=False, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
