"""How many threads the core uses, and what becomes of its calls when the interpreter exits."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hankelmatch import get_num_threads, set_num_threads
from hankelmatch._utils.process import threads

SHOW = "import hankelmatch; print(hankelmatch.get_num_threads())"
EXIT = """
import threading, time
import numpy as np
from hankelmatch import Corpus, substring_expectations
rng = np.random.default_rng(0)
corpus = Corpus.from_sequences([rng.integers(0, 4, 200_000).tolist()])
call = lambda: [substring_expectations(corpus, 12) for _ in range(100)]
for _ in range(3):
    threading.Thread(target=call, daemon=True).start()
time.sleep(0.2)
"""
SUB_INTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    interpreters = __import__("_xxsubinterpreters")
made = interpreters.create()
code = '''
try:
    import hankelmatch
except ImportError as error:
    assert "main interpreter" in str(error)
else:
    raise AssertionError
'''
failed = interpreters.run_string(made, code)
assert not failed, failed
"""


def run(code, **variables):
    env = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")} | variables
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("variables", "number"),
    [
        ({"HANKELMATCH_NUM_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "5,2"}, 5),
        ({"HANKELMATCH_NUM_THREADS": "1", "OMP_NUM_THREADS": "5"}, 1),
    ],
)
def test_the_environment_sets_the_number(variables, number):
    done = run(SHOW, **variables)
    assert (done.stdout.strip(), done.stderr) == (str(number), "")


def test_a_wrong_variable_is_warned_about_and_ignored():
    done = run(SHOW, HANKELMATCH_NUM_THREADS="many")
    assert int(done.stdout) >= 1
    assert "HANKELMATCH_NUM_THREADS: a whole number from 1 is needed, not 'many'" in done.stderr


def test_the_number_is_set_and_restored(monkeypatch):
    monkeypatch.setenv("HANKELMATCH_NUM_THREADS", "3")  # other packages change OMP_NUM_THREADS as they go
    before = set_num_threads(1)
    assert get_num_threads() == 1
    assert set_num_threads(None) == 1
    assert get_num_threads() == 3
    assert set_num_threads(before) == 3
    with pytest.raises(ValueError, match="n_threads: a whole number from 1"):
        set_num_threads(0)


@pytest.mark.parametrize(
    ("content", "cores"), [("150000 100000\n", 2), ("100000 100000\n", 1), ("max 100000\n", 16), ("", 16)]
)
def test_the_quota_of_a_control_group_is_rounded_up(tmp_path, content, cores):
    (tmp_path / "cpu.max").write_text(content, encoding="ascii")
    assert threads._quota(tmp_path) == cores
    assert threads._quota(tmp_path / "none") == 16


def test_a_daemon_thread_in_the_core_does_not_break_the_exit():
    done = run(EXIT)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_sub_interpreter_gets_an_import_error():
    pytest.importorskip("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
    done = run(SUB_INTERPRETER)
    assert (done.returncode, done.stderr) == (0, "")
