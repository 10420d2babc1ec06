"""Assignment on every family of costs: ours beside scipy, OR-tools and lapx, each where it is installed.

All solvers of a matrix take turns, and their medians of processor time are compared. Ours is certified by
duals, and the sums of the others must agree with it.
"""

from __future__ import annotations

import importlib.util
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from hankelmatch import heavy_matching, maximum_weight_matching
from hankelmatch import linear_sum_assignment as our_dense
from hankelmatch import min_weight_full_bipartite_matching as our_sparse
from scipy.optimize import linear_sum_assignment as scipy_dense
from scipy.sparse.csgraph import min_weight_full_bipartite_matching as scipy_sparse

from ..builds import Build, Comparison, compare_builds
from ..timing import within
from .families import DENSE, SPARSE, WeightedFamily

__all__ = ["Row", "compare_assignments", "compare_families_of_builds", "write_json"]

RUNS = 5
LAPMOD_LIMIT = 5e5  # lapmod takes 1e6 for infinity: with costs near it, it finds no assignment
Solve = Callable[[], float]  # the sum of the costs that were chosen


class Row(NamedTuple):
    """Medians of all solvers in seconds on one matrix; a solver without a time passed its limit."""

    name: str
    n: int
    seconds: dict[str, float | None]


def instances(only: str, largest: int) -> Iterator[tuple[WeightedFamily, int]]:
    for family in (*SPARSE, *DENSE):
        for n in family.sizes:
            if only in family.name and n <= largest:
                yield family, n


def compare_assignments(only: str, largest: int, limit: float) -> list[Row]:
    """Time every solver on every family, and print a line for each matrix."""
    rows = []
    slow: set[tuple[str, str]] = set()  # solvers that took too long on a smaller matrix of the family
    for family, n in instances(only, largest):
        matrix = family.make(n)
        solvers = {
            name: solve
            for name, solve in solvers_for(family, matrix).items()
            if (family.name, name) not in slow
        }
        certify(family, matrix)
        times = in_turns(solvers, limit, f"{family.name} {n}")
        rows.append(Row(family.name, n, times))
        slow |= {(family.name, name) for name, seconds in times.items() if (seconds or limit) >= limit}
        cells = "".join(f"{name} {1e3 * s:>9.2f}  " for name, s in times.items() if s is not None)
        others = [s for name, s in times.items() if name != "ours" and s is not None]
        ratio = f"ours / best other {times['ours'] / min(others):.2f}" if others and times["ours"] else ""
        print(f"{family.name:<28}{n:>8}  ms: {cells}{ratio}", flush=True)
    return rows


def in_turns(solvers: dict[str, Solve], limit: float, name: str) -> dict[str, float | None]:
    """Medians; all sums must agree. Another solver than ours that takes more than the limit has none."""
    late = {
        solver: None
        for solver, solve in solvers.items()
        if solver != "ours" and within(limit, lambda solve=solve: solve) is None
    }
    solvers = {solver: solve for solver, solve in solvers.items() if solver not in late}
    times: dict[str, list[float]] = {solver: [] for solver in solvers}
    sums: dict[str, float] = {}
    for _ in range(RUNS):
        for solver, solve in solvers.items():
            begin = time.process_time()
            sums[solver] = solve()
            times[solver].append(time.process_time() - begin)
    for solver, total in sums.items():
        if not math.isclose(total, sums["ours"], rel_tol=1e-9, abs_tol=1e-9):
            sys.exit(f"{name}: {solver} finds {total}, hankelmatch {sums['ours']}")
    return {solver: statistics.median(some) for solver, some in times.items()} | late


def certify(family: WeightedFamily, matrix: Any) -> None:
    """End the run unless duals prove the optimum of a sparse family."""
    if isinstance(matrix, np.ndarray) or family.function == "heavy_matching":
        return
    objective = family.options.get("objective", "sum")
    result = maximum_weight_matching(matrix, **family.options, minimize=objective == "sum")
    if not result.is_optimal(matrix):
        sys.exit(f"{family.name}: the duals do not prove the matching")


def solvers_for(family: WeightedFamily, matrix: Any) -> dict[str, Solve]:
    if isinstance(matrix, np.ndarray):
        return dense_solvers(matrix)
    if family.function == "heavy_matching":
        return {"ours": lambda: float(heavy_matching(matrix).size)}
    if family.function == "maximum_weight_matching":
        return {"ours": lambda: float(maximum_weight_matching(matrix, **family.options).size)}
    return sparse_solvers(matrix)


def dense_solvers(matrix: np.ndarray) -> dict[str, Solve]:
    solvers: dict[str, Solve] = {
        "ours": lambda: float(matrix[our_dense(matrix)].sum()),
        "scipy": lambda: float(matrix[scipy_dense(matrix)].sum()),
    }
    if importlib.util.find_spec("lap"):
        import lap  # noqa: PLC0415

        solvers["lapx"] = lambda: float(lap.lapjv(matrix)[0])
    return solvers


def sparse_solvers(matrix: sp.csr_array) -> dict[str, Solve]:
    n = matrix.shape[0]
    solvers: dict[str, Solve] = {
        "ours": lambda: float(np.sum(matrix[our_sparse(matrix)])),
        "scipy": lambda: float(np.sum(matrix[scipy_sparse(matrix)])),
    }
    if matrix.shape[0] != matrix.shape[1]:
        return solvers
    if importlib.util.find_spec("lap") and matrix.data.max() < LAPMOD_LIMIT:
        import lap  # noqa: PLC0415

        arrays = matrix.data, matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
        solvers["lapx"] = lambda: float(lap.lapmod(n, *arrays)[0])
    if importlib.util.find_spec("ortools") and (matrix.data == np.rint(matrix.data)).all():
        solvers["OR-tools"] = ortools(matrix)
    return solvers


def ortools(matrix: sp.csr_array) -> Solve:
    from ortools.graph.python import linear_sum_assignment  # noqa: PLC0415

    edges = matrix.tocoo()
    rows, cols = (ids.astype(np.int32) for ids in edges.coords)
    costs = edges.data.astype(np.int64)

    def solve() -> float:
        solver = linear_sum_assignment.SimpleLinearSumAssignment()
        solver.add_arcs_with_cost(rows, cols, costs)
        solver.solve()
        return float(solver.optimal_cost())

    return solve


def compare_families_of_builds(builds: list[Build], only: str, largest: int) -> list[Comparison]:
    """Time two builds on every family, and print a line for each matrix."""
    rows = []
    for family, n in instances(only, largest):
        name = f"{family.name} {n}"
        rows.append(compare_builds(builds, name, family.function, family.make(n), family.options))
        print(rows[-1].line(), flush=True)
    return rows


def write_json(path: Path, rows: list[Row] | list[Comparison]) -> None:
    """Write all figures."""
    path.write_text(json.dumps([row._asdict() for row in rows], indent=2) + "\n", encoding="utf-8")
