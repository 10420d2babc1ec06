"""Times heaviest matchings beside scipy, and shows what they are worth on a text.

    python -m benchmarks.weighted --data DIR                        # matrices and a text
    python -m benchmarks.weighted --families [--only TEXT]          # assignment, beside all that is installed
    python -m benchmarks.weighted [--data DIR] [--families] --against PATH   # beside another build

Every figure is a ratio of two times of one run, each the best of several; every result is checked: the same
optimum as scipy's where scipy applies, and the duals' proof everywhere.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp
from hankelmatch import (
    hankel_blocks,
    heavy_matching,
    match,
    matching_basis,
    maximum_weight_matching,
    prefix_suffix_graph,
    substring_expectations,
)
from hankelmatch import min_weight_full_bipartite_matching as ours
from scipy.sparse.csgraph import min_weight_full_bipartite_matching as scipys

from ..builds import Build, Comparison, compare_builds, interpreter, print_summary, this_python
from ..data import matrices, ptb_train
from ..timing import best_seconds, within
from .assignment import compare_assignments, compare_families_of_builds, write_json

LARGE = 150_000  # entries; scipy may take minutes beyond
SKIPPED_BELOW = 1e-3  # seconds of scipy: below, calls cost more than matchings

best_time = partial(best_seconds, most=20, budget=1.0)


def weighted_matrices(folder: Path, seed: int, largest: int) -> Iterator[tuple[str, sp.csr_array]]:
    """The patterns of the folder, smallest first, each with real and with integer weights."""
    rng = np.random.default_rng(seed)
    for name, path in sorted(matrices(folder).items(), key=lambda item: item[1].stat().st_size):
        pattern = sp.csr_array(scipy.io.mmread(path))
        if pattern.nnz > largest:
            continue
        for kind in ("uniform", "integer"):
            matrix = pattern.copy()
            matrix.data = (
                rng.uniform(1, 2, matrix.nnz) if kind == "uniform" else rng.integers(1, 11, matrix.nnz) * 1.0
            )
            yield f"{name} {kind}", matrix


def compare_on_matrices(folder: Path, largest: int, limit: float) -> list[dict[str, Any]]:
    """Ours beside scipy wherever scipy finds a full matching, on large matrices within so many seconds."""
    rows = []
    print(f"{'matrix':32} {'size':>7} {'scipy ms':>10} {'ours ms':>9} {'times faster':>12}")
    for name, matrix in weighted_matrices(folder, 1, largest):
        ours_time, found = best_time(lambda m=matrix: maximum_weight_matching(m))
        if not found.is_optimal(matrix):
            sys.exit(f"{name}: the duals do not prove the matching")
        row: dict[str, Any] = {"matrix": name, "size": found.size, "ours": ours_time, "scipy": None}
        if found.size == min(matrix.shape) > 0:
            row["ours"], our_pairs = best_time(lambda m=matrix: ours(m, maximize=True))
            row |= scipy_row(name, matrix, float(np.sum(matrix[our_pairs])), row["ours"], limit)
        rows.append(row)
    compared = [r for r in rows if r["scipy"]]
    for label, some in (
        ("all", compared),
        (f"scipy above {1e3 * SKIPPED_BELOW:g} ms", [r for r in compared if r["scipy"] >= SKIPPED_BELOW]),
    ):
        ratios = [r["scipy"] / r["ours"] for r in some]
        if ratios:
            mean, least = geometric_mean(ratios), min(ratios)
            print(
                f"{label}: {len(ratios)} matrices, geometric mean {mean:.1f} times, least {least:.2f} times"
            )
    return rows


def scipy_row(
    name: str, matrix: sp.csr_array, weight: float, ours_time: float, limit: float
) -> dict[str, Any]:
    """Time scipy on a matrix, and compare with our weight and time."""

    def run() -> Any:
        return scipys(matrix, maximize=True)

    timed = best_time(run) if matrix.nnz <= LARGE else within(limit, lambda: lambda: best_time(run))
    if timed is None:
        print(f"{name:32} {min(matrix.shape):7} {'over':>4} {limit:3.0f} s {1e3 * ours_time:10.1f}")
        return {"scipy_over": limit}
    pairs = tuple(np.array(ids) for ids in timed[1])  # from another process they do not own their memory
    scipys_weight = float(np.sum(matrix[pairs]))
    if not math.isclose(scipys_weight, weight, rel_tol=1e-9):
        sys.exit(f"{name}: scipy finds {scipys_weight}, hankelmatch {weight}")
    size, ratio = min(matrix.shape), timed[0] / ours_time
    print(f"{name:32} {size:7} {1e3 * timed[0]:10.3f} {1e3 * ours_time:9.3f} {ratio:12.1f}")
    return {"scipy": timed[0]}


def scipy_on_dummy_columns(edges: sp.csr_array) -> float:
    """Log-weight of the heaviest maximum matching by scipy, with a dear dummy column for every row.

    Every edge that is left out costs more than any change of weights could win back.
    """
    n = edges.shape[0]
    cost = -edges.data
    cost -= cost.min() - 1.0
    dummy = sp.diags_array(np.full(n, 2.0 * min(edges.shape) * cost.max()))
    costs = sp.csr_array((cost, edges.indices, edges.indptr), shape=edges.shape)
    rows, cols = scipys(sp.csr_array(sp.hstack([costs, dummy])))
    real = cols < edges.shape[1]
    return float(np.sum(edges[rows[real], cols[real]]))


def compare_on_text(folder: Path, max_length: int, *, with_scipy: bool) -> dict[str, Any]:
    """Exact and heavy matchings of a text's Hankel graph beside the unweighted matching."""
    f = substring_expectations(ptb_train(folder), max_length)
    graph = prefix_suffix_graph(f)
    edges = graph.to_csr(weighted=True)
    logs = sp.csr_array((np.log(edges.data), edges.indices, edges.indptr), shape=edges.shape)
    plain, unweighted = best_time(lambda: match(edges, method="augmenting-path"))
    exact, heaviest = best_time(lambda: maximum_weight_matching(logs))
    heavy, heavy_found = best_time(lambda: heavy_matching(edges))
    if not (heaviest.size == heavy_found.size == unweighted.size and heaviest.is_optimal(logs)):
        sys.exit(f"T = {max_length}: a matching is not what it should be")
    row = {"T": max_length, "size": unweighted.size, "unweighted": plain, "weighted": exact, "heavy": heavy}
    print(
        f"T = {max_length}: {graph.n_edges} edges, matching {unweighted.size}; unweighted {1e3 * plain:.1f} "
        f"ms, weighted {exact / plain:.1f} times that, heavy {heavy / plain:.1f} times"
    )
    implicit, of_graph = best_time(lambda: match(graph))
    for method in ("weighted", "heavy"):
        row[f"{method} on the graph"], found = best_time(lambda m=method: match(graph, method=m))
        seconds = row[f"{method} on the graph"]
        print(f"  the graph itself: {method} {1e3 * seconds:.1f} ms, {seconds / implicit:.1f} times match")
        if found.size != of_graph.size:
            sys.exit(f"T = {max_length}: {method} is not maximum")
    if with_scipy:
        row["scipy"], weight = best_seconds(lambda: scipy_on_dummy_columns(logs), 1)
        print(f"  scipy on dummy columns: {row['scipy']:.1f} s, {row['scipy'] / exact:.0f} times weighted")
        if not math.isclose(weight, heaviest.weight, rel_tol=1e-9):
            sys.exit(f"T = {max_length}: scipy finds {weight}, hankelmatch {heaviest.weight}")
    if max_length <= 5:
        row["rank"] = {name: numeric_rank_of_block(f, name) for name in ("auto", "heavy", "weighted")}
        print(
            "  numeric rank of the block:", ", ".join(f"{name} {rank}" for name, rank in row["rank"].items())
        )
    return row


def numeric_rank_of_block(f: Any, method: str) -> int:
    """Rank of the matched block, as numpy counts it."""
    return int(np.linalg.matrix_rank(hankel_blocks(f, matching_basis(f, method=method)).H.toarray()))


def run_families(options: argparse.Namespace) -> None:
    """Compare solvers on generated costs."""
    write_json(options.output, compare_assignments(options.only, options.largest_n, options.scipy_seconds))


def run_builds(options: argparse.Namespace) -> None:
    """Compare builds on generated costs, on matrices, or on both."""
    rows: list[Comparison] = []
    with Build(this_python()) as ours, Build(interpreter(options.against)) as other:
        if options.families:
            rows += compare_families_of_builds([ours, other], options.only, options.largest_n)
        if options.data is not None:
            rows += compare_matrices_of_builds([ours, other], options.data, options.only, options.largest)
    print_summary(rows)
    write_json(options.output, rows)


def compare_matrices_of_builds(
    builds: list[Build], folder: Path, only: str, largest: int
) -> list[Comparison]:
    """Time two builds on every matrix and its transpose: each function, scipy's where it applies."""
    rows = []
    for name, matrix in weighted_matrices(folder, 1, largest):
        if only not in name:
            continue
        for label, oriented in ((name, matrix), (f"{name} ^T", sp.csr_array(matrix.T))):
            functions = ["maximum_weight_matching", "heavy_matching"]
            if match(oriented).size == min(oriented.shape) > 0:
                functions.append("min_weight_full_bipartite_matching")
            for function in functions:
                line = f"{label} {function.split('_')[0]}"
                rows.append(compare_builds(builds, line, function, oriented, {}))
                print(rows[-1].line(), flush=True)
    return rows


def main() -> None:
    """Run everything and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.weighted", description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with matrices/ and ptb/")
    parser.add_argument("--families", action="store_true", help="instead, assignment on generated costs")
    parser.add_argument("--against", type=Path, metavar="PATH", help="a Python with another build")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only families, or matrices, whose name contains this"
    )
    parser.add_argument("--largest-n", type=int, default=10**9, help="rows of a family")
    parser.add_argument("--output", type=Path, default=Path("weighted.json"))
    parser.add_argument("--max-length", type=int, nargs="*", default=[4, 5, 6, 7], metavar="T")
    parser.add_argument("--scipy-up-to", type=int, default=4, metavar="T", help="5 takes minutes and 2 GB")
    parser.add_argument("--largest", type=int, default=10**9, help="entries")
    parser.add_argument("--scipy-seconds", type=float, default=60, help="time limit for it on large matrices")
    parser.add_argument("--no-matrices", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.data is None and not options.families:
        parser.error("--data is needed, or --families")
    if options.against is not None:
        run_builds(options)
        return
    if options.families:
        run_families(options)
        return
    report: dict[str, Any] = {"matrices": [], "text": []}
    if not options.no_matrices:
        report["matrices"] = compare_on_matrices(options.data, options.largest, options.scipy_seconds)
    for max_length in options.max_length:
        with_scipy = max_length <= options.scipy_up_to
        report["text"].append(compare_on_text(options.data, max_length, with_scipy=with_scipy))
    options.output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(f"figures in {options.output}")


if __name__ == "__main__":
    main()
