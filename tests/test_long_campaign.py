"""The long run of the campaign: counts, seeds, crashes and hangs, and that it can be stopped and resumed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

from .campaign import _long
from .campaign._apart import Result, output_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="groups of processes")


def command(path, *arguments):
    return [sys.executable, "-m", "tests.campaign", "long", *arguments, "--report", str(path)]


@pytest.mark.slow
def test_all_cases_are_tried_and_counted(tmp_path):
    path = tmp_path / "report.json"
    subprocess.run(command(path, "weights", "texts", "--cases", "2", "--seed", "5"), check=True)
    report = json.loads(path.read_text())
    assert report["finished"]
    assert report["seed"] == 5
    assert report["commit"]
    assert [*report["attacks"]] == ["weights", "texts"]
    for attack in report["attacks"].values():
        assert (attack["cases"], attack["chunks_done"], attack["failures"]) == (2, 2, [])
        assert attack["seconds"] > 0
        assert attack["processor_seconds"] > 0
    again = subprocess.run(command(path, "weights"), capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert "--resume" in again.stderr


@pytest.mark.slow
def test_ctrl_c_stops_and_resume_goes_on(tmp_path):
    path = tmp_path / "report.json"
    running = subprocess.Popen(command(path, "weights", "--cases", "40"), stdout=subprocess.PIPE, text=True)
    while not path.exists():
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "--resume" in out
    report = json.loads(path.read_text())
    attack = report["attacks"]["weights"]
    assert not report["finished"]
    assert attack["cases"] == attack["chunks_done"] < 40
    attack["cases"] = attack["chunks_done"] = 38  # as if it had been stopped later
    path.write_text(json.dumps(report))
    subprocess.run(command(path, "--resume"), check=True)
    report = json.loads(path.read_text())
    assert report["finished"]
    assert report["attacks"]["weights"]["cases"] == 40


def test_chunks_have_seeds_of_their_own_and_attacks_advance_together(monkeypatch, tmp_path):
    tried = []

    def run_apart(name, seed, count):
        tried.append((name, seed, count))
        broken = (name, seed) == ("texts", 10)
        return Result(["it crashed"], 0, 1.0, 1.0) if broken else Result([], count, 1.0, 1.0)

    monkeypatch.setattr(_long, "run_apart", run_apart)
    monkeypatch.setattr(_long, "CHUNKS", 3)
    report = _long.new_report(["graphs", "texts"], 1e-4, None, 10)
    status = _long.long_run(report, tmp_path / "report.json", jobs=1)
    sizes = {"graphs": (34, 33, 33), "texts": (4, 3, 3)}
    assert tried == [(name, 10 + i, sizes[name][i]) for i in range(3) for name in sizes]
    assert status == 1
    attacks = json.loads((tmp_path / "report.json").read_text())["attacks"]
    assert (attacks["graphs"]["cases"], attacks["graphs"]["failures"]) == (100, [])
    assert (attacks["texts"]["cases"], attacks["texts"]["failures"]) == (6, ["it crashed"])


def test_a_report_of_another_build_is_refused(tmp_path):
    path = tmp_path / "report.json"
    report = _long.new_report(["graphs"], 1.0, None, 1)
    _long.write_report(report, path)
    assert _long.read_report(path) == report
    _long.write_report({**report, "commit": "0" * 12}, path)
    with pytest.raises(ValueError, match=r"report.json is of another build \(commit 000000000000, here "):
        _long.read_report(path)


def test_a_crash_and_a_hang_are_seen_and_leave_no_process():
    assert output_of([sys.executable, "-c", "import os; os.abort()"], 60)[0] == -signal.SIGABRT
    code = "import os, time; child = os.fork(); child and print(child, flush=True); time.sleep(600)"
    start = time.monotonic()
    assert output_of([sys.executable, "-c", code], 1.0)[0] is None
    assert time.monotonic() - start < 300  # the fork, which holds the pipe open, is gone too
