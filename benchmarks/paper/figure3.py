"""Figure 3: time against bits per symbol of ways to make the SVD affordable, on part-of-speech tags."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from hankelmatch import (
    LanguageModel,
    full_basis,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    top_norm_basis,
    truncated_svd,
)

from ..report import subplots
from .choices import choose_states
from .results import Bench, Column, Table
from .spectral import Clock, Study
from .texts import PART_OF_SPEECH

__all__ = ["run"]

MAX_LENGTH = 5
PROJECTIONS = (50, 100, 150, 200, 250, 300, 350, 400, 600, 1_000)
SAMPLES = (50, 100, 200, 300, 500, 1_000, 2_000, 4_000, 8_000, 16_000)
QUICK_SIZES = (50, 100, 200)
# The paper's points, seconds and bits, on other tags (see NOTES).
PAPER = {
    "matching": [(2, 1.2760)],
    "complete": [(810, 1.2700)],
    "random projections": [
        (118, 1.3266),
        (132, 1.2812),
        (168, 1.2697),
        (212, 1.2701),
        (403, 1.2692),
        (615, 1.2692),
        (711, 1.2694),
    ],
    "sampling": [
        (70, 1.3520),
        (100, 1.3300),
        (200, 1.3100),
        (300, 1.2950),
        (400, 1.2850),
        (600, 1.2800),
        (700, 1.2710),
    ],
}
COLUMNS = (
    Column("method", "method"),
    Column("parameter", "dimension or k", ",d"),
    Column("seconds", "seconds", ",.3f"),
    Column("rank", "rank", ",d"),
    Column("n_states", "n", ",d"),
    Column("dev_bits", "dev", ".4f"),
    Column("test_bits", "test", ".4f"),
    Column("paper_seconds", "paper: seconds", ",d"),
    Column("paper_bits", "bits", ".4f"),
)
NOTES = [
    "Bits per symbol on the 12 universal part-of-speech tags of the English Web Treebank. The paper has "
    "those of the Penn Treebank, another text (52,450 rows, structural rank 313, numeric rank 312), and "
    "does not say which of its points has which dimension: its values stand in rows of their own, and only "
    "the form of the curves can be compared.",
    "Seconds: selection, filling the matrices, SVD with n states, recovery. Complete: `truncated_svd` on the "
    "whole matrix, by Lanczos. Complete, compressed: exact, by way of a small core "
    "(`benchmarks/paper/compression.py`). Random projections: the matrix times so many random vectors, "
    "without further iterations. Sampling: the k rows and columns with the largest norms.",
]
MARKERS = {
    "matching": ("o", "tab:orange"),
    "heavy matching": ("P", "tab:red"),
    "complete": ("^", "goldenrod"),
    "complete, compressed": ("v", "tab:green"),
    "random projections": ("s-", "tab:purple"),
    "sampling": ("D--", "black"),
}


def run(bench: Bench) -> list[Table]:
    """Every point of the figure."""
    points = Points(bench)
    rows = list(points.rows())
    title = f"Figure 3: time against bits per symbol, part-of-speech tags, T = {MAX_LENGTH}"
    return [Table("figure3", title, COLUMNS, rows + paper_rows(), NOTES, lambda path: draw(path, rows))]


class Points:
    """The points, and what they share."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.study = Study(bench, PART_OF_SPEECH, MAX_LENGTH)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Method by method."""
        quick = self.bench.quick
        for method in ("matching", "heavy matching", "complete", "complete, compressed"):
            yield self.point(method, None)
        for dimension in QUICK_SIZES if quick else PROJECTIONS:
            yield self.point("random projections", dimension)
        for size in QUICK_SIZES if quick else SAMPLES:
            yield self.point("sampling", size)

    def point(self, method: str, parameter: int | None) -> dict[str, Any]:
        """One point, from the cache or measured."""
        settings = {**self.study.settings, "method": method, "parameter": parameter}
        label = method if parameter is None else f"{method}, {parameter:,}"
        result = self.bench.cached(label, settings, lambda: self.measured(method, parameter), 5)
        return {"method": method, "parameter": parameter, **result}

    def measured(self, method: str, parameter: int | None) -> dict[str, Any]:
        """The result of a method."""
        if method == "complete, compressed":
            return self.study.full_block("longest")
        if method == "random projections":
            assert parameter is not None
            return self.projected(parameter)
        select = {
            "matching": partial(matching_basis, method="paper"),
            "heavy matching": partial(matching_basis, method="heavy"),
            "complete": full_basis,
            "sampling": partial(top_norm_basis, size=parameter),
        }[method]
        return self.study.block(select, "longest")

    def projected(self, dimension: int) -> dict[str, Any]:
        """The complete block, its range found by multiplication with random vectors alone."""
        f, graph = self.study.statistics
        _, dev, test = self.study.parts
        clock = Clock()
        basis = clock.time("selection", lambda: full_basis(graph))
        blocks = clock.time("blocks", lambda: hankel_blocks(f, basis, graph=graph))
        svd = clock.time(
            "svd",
            lambda: truncated_svd(
                blocks.H, dimension, "randomized", seed=self.bench.seed, oversampling=0, n_iterations=0
            ),
        )
        automaton = learn_automaton(blocks, svd=svd, dtype=np.float32)
        chosen, result = choose_states(LanguageModel(automaton, MAX_LENGTH, contexts="longest"), dev)
        n = result["n_states"]
        clock.time("recovery", lambda: learn_automaton(blocks, n, svd, dtype=np.float32))
        return result | {
            "size": graph.n_prefixes,
            "test_bits": chosen.bits_per_symbol(test),
            "seconds": clock.total,
            "seconds_by_step": clock.seconds,
        }


def paper_rows() -> list[dict[str, Any]]:
    """The paper's points."""
    return [
        {"method": f"the paper's {method}", "paper_seconds": seconds, "paper_bits": bits}
        for method, points in PAPER.items()
        for seconds, bits in points
    ]


def draw(path: Path, rows: list[dict[str, Any]]) -> None:
    """The figure in the paper's form: seconds across, bits upwards."""
    figure, axes = subplots(7, 4.5)
    for method, (marker, colour) in MARKERS.items():
        points = [(row["seconds"], row["test_bits"]) for row in rows if row["method"] == method]
        axes.plot(*zip(*points, strict=True), marker, color=colour, label=method)
    axes.set(xscale="log", xlabel="time (sec.)", ylabel="bits per symbol")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper right")
    figure.savefig(path, dpi=150)
