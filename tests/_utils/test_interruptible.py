"""Ctrl-C in the middle of a long call of numpy."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from hankelmatch import truncated_svd
from hankelmatch._utils import interruptible as _interruptible
from hankelmatch._utils.interruptible import interruptible

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
    for left in list(_interruptible._left_running):
        left.join()


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


def test_numpy_keeps_its_way_with_floating_point_errors():
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        interruptible(np.divide, LARGE + 1.0, LARGE)
    with np.errstate(divide="ignore"):
        assert np.isinf(interruptible(np.divide, LARGE + 1.0, LARGE)).all()


def test_ctrl_c_does_not_wait_for_the_call(long_call):
    with pytest.raises(KeyboardInterrupt):
        interruptible(long_call, LARGE)
    assert not long_call.released.is_set()
    assert [call.has_ended for call in _interruptible._left_running if call.is_alive()] == [False]


@pytest.mark.parametrize("method", ["dense", "lanczos", "randomized"])
def test_a_factorization_stops_in_the_middle_of_a_call(monkeypatch, long_call, method):
    monkeypatch.setattr(np.linalg, "svd", long_call)
    H = np.random.default_rng(0).standard_normal((700, 700))
    with pytest.raises(KeyboardInterrupt):
        truncated_svd(H, 520, method)


PROGRAM = """
import signal, threading, time
import numpy as np
from hankelmatch._utils.interruptible import exit_at_once, interruptible

released = threading.Event()

def long_call(*arguments):
    signal.raise_signal(signal.SIGINT)
    released.wait()
    time.sleep(0.2)
    print("waited for")

try:
    interruptible(long_call, np.zeros(1 << 20))
except KeyboardInterrupt:
    print("stopped")
    {then}
"""


@pytest.mark.parametrize(
    ("then", "status", "output"),
    [
        ("released.set()", 0, "stopped\nwaited for\n"),  # nothing is unloaded while the call goes on
        ("exit_at_once()", 130, "stopped\n"),
        ("raise", 130, "stopped\n"),  # it is Ctrl-C that ends the process
    ],
)
def test_how_a_process_ends_while_a_call_goes_on(then, status, output):
    program = PROGRAM.format(then=then)
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (status, output), done.stderr
