"""Slow and obvious answers, to compare with."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from fractions import Fraction

Edge = tuple[int, int]


def maximum_size(n_rows: int, edges: Collection[Edge]) -> int:
    """The size of a maximum matching, by augmenting paths from each row."""
    cols: list[set[int]] = [set() for _ in range(n_rows)]
    for row, col in edges:
        cols[row].add(col)
    mate: dict[int, int] = {}

    def augment(row: int, seen: set[int]) -> bool:
        for col in cols[row] - seen:
            seen.add(col)
            if col not in mate or augment(mate[col], seen):
                mate[col] = row
                return True
        return False

    return sum(augment(row, set()) for row in range(n_rows))


def heaviest(
    shape: tuple[int, int], weights: dict[Edge, Fraction], size: int | None = None
) -> Fraction | None:
    """The greatest weight of a matching, or of one with `size` pairs; None if there is none such."""
    n_rows, n_cols = shape
    best = None
    choices = [[None, *(col for col in range(n_cols) if (row, col) in weights)] for row in range(n_rows)]
    for cols in itertools.product(*choices):
        used = [col for col in cols if col is not None]
        if len(used) != len(set(used)) or (size is not None and len(used) != size):
            continue
        weight = sum((weights[row, col] for row, col in enumerate(cols) if col is not None), Fraction(0))
        best = weight if best is None else max(best, weight)
    return best
