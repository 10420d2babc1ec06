"""Graphs on which the best code in C was faster than an earlier build, and how much faster this one is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import scipy.sparse as sp

from ..builds import Build, compare_builds
from .families import FAMILIES, hankel_graph, shuffled

__all__ = ["ASKED", "Asked", "compare_with_asked"]

ALLOWED = 1.3


class Asked(NamedTuple):
    """The best of 19 variants of codes in C was `factor` times as fast as the build of commit d824d80."""

    factor: float
    family: str
    n: int
    order: str = ""  # or "shuffled", or also "sorted": the columns of each row ascend
    transposed: bool = False

    @property
    def name(self) -> str:
        return f"{self.family} {self.n}{f', {self.order}' * bool(self.order)}{' ^T' * self.transposed}"

    def graph(self) -> sp.csr_array:
        make = next(family.make for family in FAMILIES if family.name == self.family)
        graph = shuffled(make(self.n)) if "shuffled" in self.order else make(self.n)
        if "sorted" in self.order:
            graph.sort_indices()
        return graph.T.tocsr() if self.transposed else graph


def _both_ways(
    factor: float, family: str, n: int, order: str = "", transposed: float | None = None
) -> tuple[Asked, Asked]:
    return Asked(factor, family, n, order), Asked(transposed or factor, family, n, order, True)


ASKED = [
    *_both_ways(7.0, "random degree 20", 100_000, "sorted", transposed=8.9),
    *_both_ways(4.1, "random degree 15", 100_000, "sorted"),
    Asked(3.4, "few groups", 100_000, transposed=True),
    Asked(3.4, "few groups", 100_000, "shuffled", True),
    Asked(3.0, "many groups", 100_000, transposed=True),
    Asked(3.0, "many groups", 100_000, "shuffled", True),
    Asked(3.7, "few groups", 1_000_000, transposed=True),
    Asked(3.7, "few groups", 1_000_000, "shuffled", True),
    Asked(1.2, "rope", 100_000),
    Asked(3.0, "rope", 100_000, transposed=True),
    *_both_ways(3.0, "rope", 100_000, "shuffled"),
    Asked(2.2, "road", 490_000),
    Asked(2.2, "road", 490_000, "shuffled"),
    Asked(4.1, "road", 1_000_000, transposed=True),
    Asked(4.1, "road", 1_000_000, "shuffled", True),
    Asked(1.95, "mesh", 425_000),
    Asked(1.95, "mesh", 425_000, "shuffled"),
    Asked(3.7, "mesh", 1_000_000, transposed=True),
    Asked(3.7, "mesh", 1_000_000, "shuffled", True),
    Asked(2.5, "banded reversed", 100_000),
    Asked(1.8, "path", 100_000),
    Asked(2.2, "hilo", 100_000),
    Asked(2.8, "long rows", 100_000),
    *_both_ways(11, "dense deficient", 900_000),
    Asked(2.6, "dense crown", 900_000),
    Asked(2.6, "dense full", 900_000),
    Asked(2.6, "dense stair", 900_000),
    *_both_ways(5.6, "chains of cliques", 100_000, "shuffled, sorted"),
    *_both_ways(9.5, "hypercube", 1 << 17, "shuffled, sorted"),
    *_both_ways(6.0, "butterfly", 100_000, "shuffled, sorted"),
    *_both_ways(3.2, "intervals", 100_000, "shuffled, sorted"),
    *_both_ways(4.0, "nested intervals", 100_000),
    *_both_ways(3.1, "nested intervals", 100_000, "shuffled, sorted"),
]
TEXT = 1.6  # of the substrings of a text up to 4


def compare_with_asked(ours: Path, other: Path, data: Path | None, only: str = "") -> int:
    """Print asked and reached factors; how many graphs are behind by more than is allowed."""
    print(f"{'match':<40}{'ours, ms':>10}{'other':>10}{'asked':>8}{'/ 1.3':>8}{'reached':>9}")
    n_behind = 0
    with Build(ours) as our_build, Build(other) as other_build:
        for name, factor, graph in _graphs(data, only):
            row = compare_builds([our_build, other_build], name, "match", graph, {})
            if row.error:
                raise ValueError(f"{name}: {row.error}")
            reached = 1 / row.ratio
            n_behind += reached < factor / ALLOWED
            print(
                f"{name:<40}{1e3 * row.ours:>10.3f}{1e3 * row.other:>10.3f}{factor:>8.2f}"
                f"{factor / ALLOWED:>8.2f}{reached:>9.2f}{'  behind' * (reached < factor / ALLOWED)}",
                flush=True,
            )
    print(f"{n_behind} behind by more than {ALLOWED} times")
    return n_behind


def _graphs(data: Path | None, only: str) -> Iterator[tuple[str, float, sp.csr_array]]:
    for line in ASKED:
        if only in line.name:
            yield line.name, line.factor, line.graph()
    if data and only in "text, substrings to 4":
        yield "text, substrings to 4", TEXT, hankel_graph(data, 4)
