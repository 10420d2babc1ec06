"""The long run: every attack in chunks, each in a process of its own, and one report of all.

The report is written anew after every chunk, so that a run can be stopped at any time and taken up again.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import hankelmatch
import numpy as np
import scipy

from ._apart import Result, kill_running, run_apart

CHUNKS = 40  # for each attack that does not say it itself
STOPPED = 130  # the status of what Ctrl-C ended
SHOWN = 10  # failures that are printed for each chunk
_ROOT = Path(__file__).parents[2]
Report = dict[str, Any]


def new_report(names: Sequence[str], scale: float, cases: int | None, seed: int) -> Report:
    """The report of a run that has not begun: which build, and how many cases of each attack."""
    attacks = {}
    for name in names:
        module = importlib.import_module(f"tests.campaign.{name}")
        wanted = cases or max(1, round(module.CASES * scale))
        nothing = {"cases": 0, "seconds": 0.0, "processor_seconds": 0.0, "failures": []}
        attacks[name] = {
            "wanted": wanted,
            "chunks": min(getattr(module, "CHUNKS", CHUNKS), wanted),
            "chunks_done": 0,
            **nothing,
        }
    return {**build(), "seed": seed, "finished": False, "attacks": attacks}


def build() -> dict[str, str]:
    """What is attacked, and with what, but nothing that is this machine's alone."""
    command = ["git", "-C", str(_ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    described = subprocess.run(command, capture_output=True, text=True, check=False)
    return {
        "version": hankelmatch.__version__,
        "commit": described.stdout.strip() or "unknown",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def read_report(path: Path) -> Report:
    """The report of a run that was stopped.

    Raises
    ------
    ValueError
        If it is of another build than this.
    """
    report: Report = json.loads(path.read_text(encoding="utf-8"))
    here = build()
    others = [f"{key} {report.get(key)}, here {here[key]}" for key in here if report.get(key) != here[key]]
    if others:
        raise ValueError(f"{path} is of another build ({'; '.join(others)}): begin another report")
    return report


def write_report(report: Report, path: Path) -> None:
    """Write the report under another name first: a process that is killed leaves the last one whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(path.name + ".tmp")
    half.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    os.replace(half, path)


def long_run(report: Report, path: Path, jobs: int) -> int:
    """Run the chunks that are left. The status: 1 if anything failed, 130 if Ctrl-C stopped it, else 0."""
    left = chunks_left(report)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while left:
                now, left = left[:jobs], left[jobs:]
                results = list(pool.map(lambda chunk: run_chunk(report, *chunk), now))
                for (name, _), result in zip(now, results, strict=True):
                    add(result, report["attacks"][name])
                    print(progress(report, name), *result.failures[:SHOWN], sep="\n    ", flush=True)
                write_report(report, path)
        except KeyboardInterrupt:
            kill_running()
            print(
                f"stopped; this goes on: python -m tests.campaign long --resume --report {path}", flush=True
            )
            return STOPPED
    report["finished"] = True
    write_report(report, path)
    return int(any(attack["failures"] for attack in report["attacks"].values()))


def chunks_left(report: Report) -> list[tuple[str, int]]:
    """The chunks that are not done, one of each attack in turn: all of them advance together."""
    attacks = report["attacks"]
    left = [
        (name, i) for name, attack in attacks.items() for i in range(attack["chunks_done"], attack["chunks"])
    ]
    return sorted(left, key=lambda chunk: chunk[1] / attacks[chunk[0]]["chunks"])


def run_chunk(report: Report, name: str, chunk: int) -> Result:
    """Run one chunk; its seed is the run's plus its number."""
    wanted, chunks = (report["attacks"][name][key] for key in ("wanted", "chunks"))
    return run_apart(name, report["seed"] + chunk, wanted // chunks + (chunk < wanted % chunks))


def add(result: Result, attack: dict[str, Any]) -> None:
    """Add what a chunk gave to what is known of its attack."""
    attack["chunks_done"] += 1
    attack["cases"] += result.cases
    attack["seconds"] = round(attack["seconds"] + result.seconds, 1)
    attack["processor_seconds"] = round(attack["processor_seconds"] + result.processor_seconds, 1)
    attack["failures"] += result.failures


def progress(report: Report, name: str) -> str:
    """A line on one attack, and how long the whole run goes on if the chunks to come take as long."""
    attacks = report["attacks"].values()
    started = [attack for attack in attacks if attack["chunks_done"]]
    seconds = sum(attack["seconds"] * (attack["chunks"] / attack["chunks_done"] - 1) for attack in started)
    attack = report["attacks"][name]
    left = f"{seconds / 60:.0f} minutes of chunks left" if len(started) == len(attacks) else ""
    counts = f"{attack['cases']:9,} of {attack['wanted']:9,} cases {attack['seconds']:8.1f} s"
    return f"{name:12} {counts}  {len(attack['failures'])} failures  {left}".rstrip()
