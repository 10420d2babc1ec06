"""Times every matcher on every family of matrices, checks that their sizes agree, and says how they compare.

    python -m benchmarks.matching [--data DIR] [--quick] [--only TEXT] [--csv FILE] [--plot FILE] [--slopes]
    python -m benchmarks.matching --against PATH [--data DIR] [--quick] [--only TEXT] [--csv FILE]
    python -m benchmarks.matching --asked PATH [--data DIR] [--only TEXT]
    python -m benchmarks.matching --from-csv FILE...

DIR holds `matrices/` (Matrix Market files) and `ptb/` (a text); without it only generated families are
measured. The second form times `match` of two builds of the package in turns: this one, and the one in the
Python at PATH. The third puts what a build of commit d824d80 takes beside what this one takes and what the
best code in C took. The fourth prints the summary, and the comparison with the best code known, of runs
before.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.io
import scipy.sparse as sp

from ..builds import Build, compare_builds, interpreter, this_python
from ..builds import print_summary as print_summary_of_builds
from ..data import matrices
from ..timing import best_seconds
from .asked import compare_with_asked
from .best_known import print_comparison
from .families import FAMILIES, hankel_graph, shuffled, without_rows
from .report import Result, draw, header, line, print_summary, read_csv, write_comparisons, write_csv
from .solvers import Timing, installed, timed

SLOPE_SIZES = (10_000, 100_000, 1_000_000)


class Instance(NamedTuple):
    """A matrix to be timed."""

    name: str
    graph: sp.csr_array


def main() -> int:
    options = parse_arguments()
    if options.asked:
        return compare_with_asked(this_python(), interpreter(options.asked), options.data, options.only) > 0
    if options.slopes:
        return print_slopes(options)
    if options.against:
        return compare_with_build(options)
    results = read_csv(options.from_csv) if options.from_csv else measure(options)
    if all({"auto", "scipy"} <= result.timings.keys() for result in results):
        print_summary(results)
        print_comparison(results)
    if options.csv:
        write_csv(options.csv, results)
    if options.plot:
        draw(options.plot, results)
    return 0 if all(result.sizes_agree for result in results) else 1


def measure(options: argparse.Namespace) -> list[Result]:
    """Time all solvers on all matrices, and print a line for each matrix."""
    solvers = [solver for solver in installed() if not options.solvers or solver.name in options.solvers]
    results = []
    print(header([solver.name for solver in solvers]))
    for name, graph in instances(options):
        timings = {solver.name: timed(solver, graph, options.limit) for solver in solvers}
        results.append(Result(name, graph.shape, graph.nnz, one_pass(graph), timings))
        print(line(results[-1]), flush=True)
    return results


def compare_with_build(options: argparse.Namespace) -> int:
    """Time `match` of this build and of another in turns; certificates are checked in both."""
    print(f"{'match':<44}{'edges':>10}{'ours, ms':>11}{'other':>11}{'ratio':>8}   size")
    rows = []
    with Build(this_python()) as ours, Build(interpreter(options.against)) as other:
        for name, graph in instances(options):
            rows.append(compare_builds([ours, other], name, "match", graph, {}))
            print(rows[-1].line(), flush=True)
    print_summary_of_builds(rows)
    if options.csv:
        write_comparisons(options.csv, rows)
    return 1 if any(row.error for row in rows) else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matching", description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with matrices/ and ptb/")
    parser.add_argument("--real", action="store_true", help="only the matrices in DIR")
    parser.add_argument("--only", default="", metavar="TEXT", help="only matrices whose name contains this")
    parser.add_argument(
        "--solvers", nargs="+", metavar="NAME", choices=[s.name for s in installed()], help="only these"
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the size of every family")
    parser.add_argument("--transposed", action="store_true", help="every matrix transposed as well")
    parser.add_argument(
        "--slopes", action="store_true", help="instead, how the time of auto grows from 1e4 to 1e6"
    )
    parser.add_argument("--against", type=Path, metavar="PATH", help="a Python with another build")
    parser.add_argument(
        "--asked",
        type=Path,
        metavar="PATH",
        help="a Python with commit d824d80: how many times as fast this is, and was the best code in C",
    )
    parser.add_argument("--size", type=int, metavar="N", help="every family with about so many rows")
    parser.add_argument("--shuffled", action="store_true", help="every family shuffled as well")
    parser.add_argument(
        "--left-out",
        type=percent,
        metavar="PERCENT",
        help="every family without so many of its rows, and without so many of its columns, at random",
    )
    parser.add_argument(
        "--limit", type=float, default=10.0, metavar="SECONDS", help="for one solver on one matrix"
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="every time and size")
    parser.add_argument(
        "--from-csv", type=Path, nargs="+", metavar="FILE", help="instead, sum up what --csv has written"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="speed-ups over scipy; needs matplotlib")
    return parser.parse_args()


def percent(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 99")
    return int(text)


def instances(options: argparse.Namespace) -> Iterator[Instance]:
    whole = all_instances(options)
    for instance in with_parts_left_out(whole, options.left_out) if options.left_out else whole:
        if options.only not in instance.name:
            continue
        yield instance
        if options.transposed:
            yield Instance(instance.name + " ^T", instance.graph.T.tocsr())


def with_parts_left_out(whole: Iterator[Instance], n_percent: int) -> Iterator[Instance]:
    """Give every matrix without so many of its rows, and without so many of its columns."""
    for name, graph in whole:
        yield Instance(f"{name}, {100 - n_percent} % of rows", without_rows(graph, n_percent))
        narrow = without_rows(graph.T.tocsr(), n_percent)
        yield Instance(f"{name}, {100 - n_percent} % of columns", narrow.T.tocsr())


def all_instances(options: argparse.Namespace) -> Iterator[Instance]:
    for family in () if options.real else FAMILIES:
        for size in [options.size] if options.size else family.sizes:
            n = size // 10 if options.quick else size
            if options.only not in f"{family.name} {n}":
                continue
            graph = family.graph(n)
            yield Instance(f"{family.name} {n}", graph)
            if options.shuffled and not family.shuffle:
                yield Instance(f"{family.name} {n}, shuffled", shuffled(graph))
    if not options.data:
        return
    for length in () if options.real else (5, 6) if options.quick else (6, 7, 8):
        if options.only in f"text, substrings to {length}":
            yield Instance(f"text, substrings to {length}", hankel_graph(options.data, length))
    for name, path in matrices(options.data).items():
        if options.only in name:
            yield Instance(name, sp.csr_array(scipy.io.mmread(path)))


def one_pass(graph: sp.csr_array) -> float:
    """The time to read every column index once: what no matcher that looks at all edges can beat."""
    return best_seconds(lambda: np.add.reduce(graph.indices), 3)[0]


def gather(graph: sp.csr_array) -> float:
    """The time to read one number of every edge's column: linear work, slowed down by caches alone."""
    values = np.zeros(graph.shape[1], dtype=np.int32)
    return best_seconds(lambda: np.take(values, graph.indices), 3)[0]


def print_slopes(options: argparse.Namespace) -> int:
    """The exponent of growth between sizes; about 1 is linear, and caches that overflow add some tenths.

    How many is shown by the exponents of `gather`, which stand beside.
    """
    auto = installed()[0]
    head = f"{'auto, milliseconds at n =':<40}" + "".join(f"{n:>11,}" for n in SLOPE_SIZES)
    print(f"{head}   exponents   of gather")
    for i, family in enumerate(FAMILIES):
        seen = family.make in {other.make for other in FAMILIES[:i]} or family.name.endswith("^T")
        if options.only not in family.name or seen:
            continue
        graphs = [family.make(n // 20 if family.name in ("wide", "tall") else n) for n in SLOPE_SIZES]
        for order, variant in {"": lambda g: g, ", shuffled": shuffled}.items():
            for side, turn in {"": lambda g: g, " ^T": lambda g: g.T.tocsr()}.items():
                variants = [turn(variant(graph)) for graph in graphs]
                timings = [timed(auto, graph, options.limit) for graph in variants]
                gathers = [gather(graph) for graph in variants]
                print(slope_line(family.name + order + side, timings, gathers), flush=True)
    return 0


def slope_line(name: str, timings: list[Timing], gathers: list[float]) -> str:
    seconds = [math.nan if timing.size is None else timing.seconds for timing in timings]
    times = "".join(f"{1e3 * s:>11.2f}" for s in seconds)
    return f"{name:<40}{times}   {exponents(seconds)}  {exponents(gathers)}"


def exponents(seconds: list[float]) -> str:
    """Of ten times as many rows each."""
    return "  ".join(f"{math.log10(b / a):.2f}" for a, b in itertools.pairwise(seconds))


if __name__ == "__main__":
    sys.exit(main())
