"""Two builds of the package beside one another: each in a worker process, their calls timed in turns."""

from __future__ import annotations

import pickle
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

__all__ = ["Build", "Comparison", "compare_builds", "interpreter", "print_summary", "this_python"]

WORKER = Path(__file__).with_name("worker.py")
RUNS = 9
SLOWER = 1.1
BUDGET = 2.0  # seconds of runs for each build and matrix


def interpreter(path: Path) -> Path:
    """Find the Python of a build: the path itself, or ``bin/python`` in that environment or its ``.venv``.

    Raises
    ------
    FileNotFoundError
        If there is none.
    """
    if path.is_file():
        return path
    for name in ("bin/python", ".venv/bin/python", "Scripts/python.exe", ".venv/Scripts/python.exe"):
        if (path / name).is_file():
            return path / name
    raise FileNotFoundError(f"--against: {path} is neither a Python nor an environment with one")


class Build:
    """A process of a Python in which some build of hankelmatch is installed; ends with the ``with`` block.

    Parameters
    ----------
    python : Path
        The interpreter. Only numpy, scipy and hankelmatch have to be there.
    """

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            [str(python), str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Build:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def load(self, function: str, argument: Any, options: dict[str, Any]) -> str:
        """Name the call to be timed; what is wrong with it, or nothing: its first answer is checked."""
        return str(self._ask((function, argument, options)))

    def run(self) -> tuple[float, float]:
        """The processor time of a call in seconds, and what was found (a size or a sum of weights).

        Short calls are made many times in a row.
        """
        seconds, found = self._ask(None)
        return float(seconds), float(found)

    def _ask(self, request: Any) -> Any:
        if self._process.stdin is None or self._process.stdout is None:
            raise ValueError("the worker has no pipes")
        pickle.dump(request, self._process.stdin)
        self._process.stdin.flush()
        return pickle.load(self._process.stdout)


class Comparison(NamedTuple):
    """Medians of two builds on one matrix; `error` says why there are none."""

    name: str
    shape: tuple[int, int]
    n_edges: int
    ours: float
    other: float
    found: float
    error: str = ""

    @property
    def ratio(self) -> float:
        """How long this build takes, times the other."""
        return self.ours / self.other

    def line(self) -> str:
        if self.error:
            return f"{self.name:<44}{self.n_edges:>10}  {self.error}"
        return (
            f"{self.name:<44}{self.n_edges:>10}{1e3 * self.ours:>11.3f}{1e3 * self.other:>11.3f}"
            f"{self.ratio:>8.2f}   {self.found:.10g}"
        )


def compare_builds(
    builds: Sequence[Build], name: str, function: str, matrix: Any, options: dict[str, Any]
) -> Comparison:
    """Time a call of two builds in turns."""
    n_edges = int(matrix.nnz) if hasattr(matrix, "nnz") else int(matrix.size)
    errors = [build.load(function, matrix, options) for build in builds]
    if any(errors):
        return Comparison(name, matrix.shape, n_edges, 0, 0, 0, "; ".join(e or "correct" for e in errors))
    times: list[list[float]] = [[] for _ in builds]
    found: set[float] = set()
    while len(times[0]) < RUNS and (len(times[0]) < 3 or sum(map(sum, times)) < BUDGET):
        for build, seconds in zip(builds, times, strict=True):
            second, value = build.run()
            seconds.append(second)
            found.add(float(f"{value:.9g}"))
    error = "" if len(found) == 1 else f"RESULTS DIFFER: {sorted(found)}"
    ours, other = (statistics.median(seconds) for seconds in times)
    return Comparison(name, matrix.shape, n_edges, ours, other, min(found), error)


def this_python() -> Path:
    """The interpreter that runs this."""
    return Path(sys.executable)


def print_summary(rows: Sequence[Comparison]) -> None:
    """Print the geometric mean of the ratios, and the matrices on which this build is slower."""
    measured = [row for row in rows if not row.error]
    if not measured:
        return
    mean = statistics.geometric_mean(row.ratio for row in measured)
    print(f"this build takes {mean:.3f} times the other's time, in the geometric mean of {len(measured)}")
    for row in sorted(measured, key=lambda row: -row.ratio):
        if row.ratio > SLOWER:
            print(f"  slower: {row.name} {row.ratio:.2f} times, {1e3 * row.ours:.3f} ms")
