"""The command as a process: signals, pipes, files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from hankelmatch.cli import main

from .commands import run

# Ctrl-C is ignored by processes whose parent ignores it, as that of a job in the background does.
PROGRAM = """
import signal, sys
from hankelmatch.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""


def start(*arguments, **options) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    return subprocess.Popen(command, text=True, stderr=subprocess.PIPE, **options)


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes work differently there")
def test_ctrl_c_stops_quietly_and_leaves_nothing(tmp_path):
    process = start("learn", "-o", tmp_path / "model.npz", stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, "hankelmatch: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes work differently there")
def test_a_reader_that_goes_away_is_no_error(model):
    reading, writing = os.pipe()
    os.close(reading)
    process = start("sample", model, "-n", 3, stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (1, "")


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes work differently there")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_a_signal_that_ends_the_command_while_it_saves_leaves_nothing(text, tmp_path, number):
    learn = ["learn", text, "--max-length", "2", "--states", "3", "-o", tmp_path / "model.npz"]
    process = subprocess.run(
        [sys.executable, "-c", SIGNALLED.format(number), *learn],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stderr) == (128 + getattr(signal, number), "")
    assert list(tmp_path.iterdir()) == []


SIGNALLED = """
import os, signal, sys
import numpy as np
from hankelmatch.cli import main

def write_array(*arguments, **options):
    os.kill(os.getpid(), signal.{0})

np.lib.format.write_array = write_array
signal.signal(signal.{0}, signal.SIG_DFL)
sys.exit(main())
"""


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes work differently there")
def test_a_closed_output_is_no_error(model):
    closed = f'exec "$0" -m hankelmatch.cli predict {model} the >&-'
    process = subprocess.run(
        ["sh", "-c", closed, sys.executable], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stderr) == (0, "")


def test_an_output_that_lacks_a_symbol_is_refused_with_the_remedy(token_model):
    path = token_model.with_name("accents.txt")
    path.write_text("\u00e9 \u00e9\n" * 20, encoding="utf-8")
    model = token_model.with_name("accents.npz")
    learn = ["--unit", "token", "--max-length", "2", "--states", "2", "--json"]
    assert main(["learn", str(path), *learn, "-o", str(model)]) == 0
    process = start(
        "predict", model, "", stdout=subprocess.PIPE, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "set the environment variable PYTHONIOENCODING to utf-8" in err


def test_a_file_that_is_read_is_not_written_over(capsys, text, model, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(text)
    before = text.read_bytes(), model.read_bytes()
    for arguments in (
        ("learn", text, "-o", text),
        ("learn", text, "-o", link),
        ("learn", text, "--dev", text, "-o", text),
        ("plot", "matching", text, "-o", text),
        ("plot", "automaton", model, "-o", model),
    ):
        assert "would be lost" in run(capsys, *arguments, status=2)
    assert (text.read_bytes(), model.read_bytes()) == before


def test_sampling_ends_when_its_reader_has_enough(model):
    command = [sys.executable, "-m", "hankelmatch", "sample", str(model), "-n", "1000000", "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().endswith(b"\n")
        process.stdout.close()
        assert process.wait(60) == 1
        assert process.stderr.read() == b""


def test_a_text_in_place_of_a_model(capsys, text):
    message = run(capsys, "predict", text, "x", status=2)
    assert "is not a file saved by hankelmatch: it is no archive" in message
    assert "pickle" not in message


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="the system does not report the size of the memory")
def test_a_matrix_larger_than_the_memory_is_refused_before_it_is_read(capsys, tmp_path):
    path = tmp_path / "m.mtx"
    size = 10**12
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{size} {size} 1\n1 1 1\n")
    assert f"{path}: the matrix does not fit into memory" in run(capsys, "match", path, status=2)
