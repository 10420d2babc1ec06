"""The stages from a text to its Hankel blocks, of this build and another in turns."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..builds import Comparison, interpreter, print_summary, this_python
from ..data import PENN_TREEBANK, WAR_AND_PEACE

__all__ = ["compare"]

STAGES = Path(__file__).with_name("stages.py")
TURNS = 5


def compare(data: Path, other: Path, quick: bool) -> list[dict[str, Any]]:
    """Print a line for each stage of each text, medians of runs in turns; rows for JSON."""
    pythons = [this_python(), interpreter(other)]
    print(f"{'stage':<44}{'strings':>10}{'ours, ms':>11}{'other':>11}{'ratio':>8}   found")
    rows: list[Comparison] = []
    for name, arguments in texts(data, quick):
        turns = [[run(python, arguments) for python in pythons] for _ in range(TURNS)]
        for stage in turns[0][0]:
            rows.append(
                row(
                    f"{name}: {stage}",
                    turns[0][0]["count"]["found"],
                    [[t[stage] for t in turn] for turn in turns],
                )
            )
            print(rows[-1].line(), flush=True)
    print_summary(rows)
    return [row._asdict() for row in rows]


def texts(data: Path, quick: bool) -> Iterator[tuple[str, list[str]]]:
    """Name; file, unit and T."""
    for length in (5, 6) if quick else (5, 7, 8):
        yield f"PTB characters, T = {length}", [str(data / PENN_TREEBANK[0]), "token", str(length)]
    length = 3 if quick else 4
    yield f"PTB words, T = {length}", [str(data / PENN_TREEBANK[0]), "word", str(length)]
    length = 4 if quick else 6
    yield f"War and Peace, T = {length}", [str(data / WAR_AND_PEACE), "char", str(length)]


def run(python: Path, arguments: list[str]) -> dict[str, dict[str, float]]:
    """What `stages.py` says of a text, in a process of its own."""
    done = subprocess.run(
        [str(python), str(STAGES), *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    return found


def row(name: str, n_strings: float, turns: list[list[dict[str, float]]]) -> Comparison:
    """The medians of both builds on a stage; an error if they found different sizes."""
    found = {result["found"] for turn in turns for result in turn}
    error = "" if len(found) == 1 else f"RESULTS DIFFER: {sorted(found)}"
    ours, other = (statistics.median(turn[i]["seconds"] for turn in turns) for i in (0, 1))
    return Comparison(name, (int(n_strings),) * 2, int(n_strings), ours, other, min(found), error)
