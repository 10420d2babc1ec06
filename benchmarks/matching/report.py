"""The table, the summary, the CSV file and the plot of a benchmark's results."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from statistics import geometric_mean
from typing import NamedTuple

from ..builds import Comparison
from ..report import subplots
from .solvers import OURS, Timing

__all__ = [
    "Result",
    "draw",
    "header",
    "line",
    "print_summary",
    "read_csv",
    "write_comparisons",
    "write_csv",
]

SHORTEST = 1e-3  # seconds; below, calls cost more than matchings


class Result(NamedTuple):
    """Every solver's timing on a matrix, beside the time of reading its column indices once."""

    name: str
    shape: tuple[int, int]
    n_edges: int
    one_pass: float
    timings: dict[str, Timing]

    def seconds(self, name: str) -> float:
        """A solver's time, at least: infinite if it failed or was not tried."""
        timing = self.timings.get(name, Timing())
        return math.inf if timing.seconds is None else timing.seconds

    @property
    def best_of_ours(self) -> float:
        return min(self.seconds(name) for name in OURS)

    @property
    def best_of_others(self) -> float:
        return min(self.seconds(name) for name in self.timings if name not in OURS)

    @property
    def sizes_agree(self) -> bool:
        return len({timing.size for timing in self.timings.values() if timing.size is not None}) <= 1


def header(names: list[str]) -> str:
    columns = "".join(f"{name[:11]:>12}" for name in names)
    return (
        f"{'milliseconds':<28}{'edges':>9}{'1 pass':>8}{columns}{'scipy/auto':>12}{'others/auto':>12}   size"
    )


def line(result: Result) -> str:
    cells = "".join(f"{milliseconds(timing):>12}" for timing in result.timings.values())
    text = f"{result.name[:27]:<28}{result.n_edges:>9}{1e3 * result.one_pass:>8.2f}{cells}"
    if {"auto", "scipy"} <= result.timings.keys():
        auto = result.seconds("auto")
        is_bound = result.timings["scipy"].size is None
        ratio = f"{'>' if is_bound else ''}{result.seconds('scipy') / auto:.1f}"
        text += f"{ratio:>12}{result.best_of_others / auto:>12.1f}   {result.timings['auto'].size}"
    return text if result.sizes_agree else text + "   SIZES DISAGREE"


def milliseconds(timing: Timing) -> str:
    if timing.seconds is None:
        return "-"
    return f"{'>' if timing.size is None else ''}{1e3 * timing.seconds:.2f}"


def print_summary(results: list[Result]) -> None:
    """How auto compares with the best of our methods, and with the fastest of the other packages."""
    measured = [r for r in results if r.best_of_others >= SHORTEST]
    if measured:
        ratios = [(r.seconds("auto") / r.best_of_ours, r.name) for r in measured]
        mean = geometric_mean(ratio for ratio, _ in ratios)
        print(
            f"auto beside the best of our methods, on {len(ratios)} matrices that take others a millisecond:"
        )
        worst, name = max(ratios)
        print(f"  {mean:.2f} times its time in the geometric mean, at most {worst:.2f} ({name})")
    slower = [r.name for r in measured if r.best_of_others < r.seconds("auto")]
    print(f"matrices on which another package is faster than auto: {', '.join(slower) or 'none'}")


def write_csv(path: Path, results: list[Result]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["matrix", "rows", "columns", "edges", "solver", "seconds", "size"])
        for name, shape, n_edges, one_pass, timings in results:
            row = [name, *shape, n_edges]
            writer.writerow([*row, "one pass", one_pass, ""])
            for solver, timing in timings.items():
                writer.writerow([*row, solver, timing.seconds, timing.size])


def write_comparisons(path: Path, rows: list[Comparison]) -> None:
    """Write what two builds took."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["matrix", "rows", "columns", "edges", "ours", "other", "size", "error"])
        for row in rows:
            writer.writerow([row.name, *row.shape, row.n_edges, row.ours, row.other, row.found, row.error])


def read_csv(paths: list[Path]) -> list[Result]:
    """Read the results of earlier runs; a matrix in several files gets the solvers of all of them."""
    results: dict[str, Result] = {}
    for path in paths:
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                name, seconds = row["matrix"], row["seconds"]
                if row["solver"] == "one pass":
                    shape = (int(row["rows"]), int(row["columns"]))
                    results.setdefault(name, Result(name, shape, int(row["edges"]), float(seconds), {}))
                else:
                    results[name].timings[row["solver"]] = _timing(row["size"], seconds)
    return list(results.values())


def _timing(size: str, seconds: str) -> Timing:
    return Timing(int(size) if size else None, float(seconds) if seconds else None)


def draw(path: Path, results: list[Result]) -> None:
    results = sorted(results, key=lambda r: r.seconds("scipy") / r.seconds("auto"))
    figure, axes = subplots(9, 3 + 0.25 * len(results))
    for solver, marker in zip(results[0].timings if results else (), "o|x+sdv^<", strict=False):
        solved = [(y, r) for y, r in enumerate(results) if r.timings[solver].size is not None]
        speed_ups = [r.seconds("scipy") / r.seconds(solver) for _, r in solved]
        axes.scatter(
            speed_ups, [y for y, _ in solved], marker=marker, s=60 if solver == "auto" else 25, label=solver
        )
    axes.set(xscale="log", xlabel="times as fast as scipy (at least, where scipy passed the time limit)")
    axes.set(yticks=range(len(results)), yticklabels=[r.name for r in results])
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)
