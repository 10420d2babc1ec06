"""How counting and matching grow with the text, and what each stage takes from a text file to the basis.

    python -m benchmarks.scale [--data DIR] [--quick] [--baseline] [--only growth|road|matching] [--json FILE]
    python -m benchmarks.scale --data DIR --against PATH [--quick] [--json FILE]

DIR holds `ptb/` and `warandpeace/`; without it only the growth on generated texts is measured. `--baseline`
adds numpy.unique + CSR + scipy to the road and scipy to the larger graphs, which takes minutes. The second
form times every stage of two builds of the package in turns: this one, and the one in the Python at PATH.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
from hankelmatch import (
    Corpus,
    match,
    matching_basis,
    prefix_suffix_graph,
    read_text,
    substring_expectations,
)
from scipy.sparse.csgraph import maximum_bipartite_matching

from ..data import PENN_TREEBANK, WAR_AND_PEACE, ptb_train
from ..timing import median_seconds
from . import baseline
from .against import compare
from .generate import Generator, seed_text
from .measure import Measured, measure

METHODS = ("auto", "augmenting-path", "hopcroft-karp", "paper")
MOST_EDGES_FOR_SCIPY = 10_000_000
PARTS = ("growth", "road", "matching")


def main() -> int:
    options = parse_arguments()
    if options.stage is not None:
        print(json.dumps({"ours": road, "baseline": baseline_road}[options.stage](options)))
        return 0
    if options.against is not None:
        results = {"against": compare(options.data, options.against, options.quick)}
    else:
        results = measure_all(options)
    options.json.write_text(json.dumps(results, indent=1))
    print(f"\nwritten to {options.json}")
    return 0


def measure_all(options) -> dict:
    results = {}
    if "growth" in options.only:
        results["growth"] = growth(options)
    if options.data is not None and "road" in options.only:
        results["road"] = compare_roads(options)
    if options.data is not None and "matching" in options.only:
        results["matching"] = matchings(options)
    return results


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with ptb/ and warandpeace/")
    parser.add_argument("--quick", action="store_true", help="smaller texts and shorter substrings")
    parser.add_argument("--baseline", action="store_true", help="numpy + scipy as well, for minutes")
    parser.add_argument("--only", choices=PARTS, action="append", help="by default all")
    parser.add_argument("--against", type=Path, metavar="PATH", help="a Python with another build")
    parser.add_argument("--json", type=Path, default=Path("scale.json"), help="file for the figures")
    parser.add_argument("--stage", choices=("ours", "baseline"), help=argparse.SUPPRESS)  # in a child process
    options = parser.parse_args()
    options.only = options.only or PARTS
    if options.against is not None and options.data is None:
        parser.error("--against needs --data")
    return options


# --------------------------------------------------------------------------------------------------- growth


def growth(options) -> dict:
    """Counting at T = 8 for texts of growing size."""
    sizes = [10**5, 10**6, 10**7] if options.quick else [10**6, 10**7, 10**8]
    generator = Generator(seed_text(options.data))
    print("Counting generated text, T = 8 (beside the corpus: 4 bytes a symbol)")
    print("   symbols   distinct   seconds       cpu  ns/symbol    peak MB  bytes/symbol  bytes/distinct")
    rows = [growth_row(generator.draw(size)) for size in sizes]
    result = {"rows": rows}
    for kind in ("seconds", "cpu_seconds"):
        logs = np.log([[row["symbols"], row[kind]] for row in rows])
        result[f"slope_{kind}"] = slope = float(np.polyfit(*logs.T, 1)[0])
        steps = [float((b - a)[1] / (b - a)[0]) for a, b in itertools.pairwise(logs)]
        print(f"slope of log {kind} against log symbols: {slope:.3f} (from step to step {steps})")
    return result


def growth_row(corpus: Corpus) -> dict:
    runs = 5 if corpus.n_symbols < 2 * 10**7 else 3
    done = [measure_counting(corpus) for _ in range(runs)]
    best, n_strings = min(done, key=lambda run: run[0].seconds)
    growth = max((run.growth for run, _ in done if run.growth is not None), default=math.nan)
    n = corpus.n_symbols
    print(
        f"{n:10,} {n_strings:10,} {best.seconds:9.3f} {best.cpu_seconds:9.3f} {1e9 * best.seconds / n:10.1f}"
        f" {growth / 1e6:10.0f} {(growth - 24 * n_strings) / n:13.1f} {24:15.1f}",
        flush=True,
    )
    return {
        "symbols": n,
        "distinct": n_strings,
        "seconds": best.seconds,
        "cpu_seconds": best.cpu_seconds,
        "growth": growth,
    }


def measure_counting(corpus: Corpus) -> tuple[Measured, int]:
    """A run, and the number of substrings that it found; they themselves are freed."""
    run = measure(lambda: substring_expectations(corpus, 8))
    n_strings, run.result = len(run.result), None
    return run, n_strings


# ----------------------------------------------------------------------------------------------------- road


def compare_roads(options) -> dict:
    """From the text file to the basis, each road in a process of its own so that peaks are its own."""
    results = {}
    for stage in ("ours", "baseline") if options.baseline else ("ours",):
        command = [sys.executable, "-m", "benchmarks.scale", "--data", options.data, "--stage", stage]
        run = subprocess.run(
            [*map(str, command), *(["--quick"] if options.quick else [])],
            capture_output=True,
            text=True,
            check=True,
        )
        results[stage] = rows = json.loads(run.stdout)
        total, cpu = (sum(row[kind] for row in rows) for kind in ("seconds", "cpu_seconds"))
        print(f"\nRoad from text file to basis, PTB characters, T = {max_length(options)}: {stage}")
        for row in rows:
            print(
                f"  {row['stage']:<10} {row['seconds']:9.3f} s {100 * row['seconds'] / total:5.1f}%  peak "
                f"{(row['peak'] or math.nan) / 1e6:7.0f} MB  {row['text']}"
            )
        print(f"  {'together':<10} {total:9.3f} s, {cpu:.3f} s of processors' time")
        results[f"{stage}_seconds"] = total
    if options.baseline:
        print(f"  ours is {results['baseline_seconds'] / results['ours_seconds']:.0f} times as fast")
    return results


def max_length(options) -> int:
    return 7 if options.quick else 10


def road(options) -> list[dict]:
    """Our stages; twice, the second time is shown: the first one warms files and allocator."""
    length = max_length(options)
    for _ in range(2):
        read = measure(lambda: ptb_train(options.data))
        count = measure(lambda corpus=read.result: substring_expectations(corpus, length))
        read.result = f"{read.result.n_symbols:,} symbols"
        graph = measure(lambda f=count.result: prefix_suffix_graph(f))
        count.result = f"{len(count.result):,} substrings"
        matching = measure(lambda g=graph.result: match(g))
        basis = measure(lambda g=graph.result, m=matching.result: matching_basis(g, matching=m))
        matching.result, basis.result = f"{matching.result.size:,} pairs", repr(basis.result)
        graph.result = f"{graph.result.n_edges:,} edges, not listed"
    stages = {"read": read, "count": count, "graph": graph, "matching": matching, "basis": basis}
    return [row_of(stage, run) for stage, run in stages.items()]


def baseline_road(options) -> list[dict]:
    """The same by numpy and scipy."""
    length = max_length(options)
    read = measure(lambda: ptb_train(options.data))
    count = measure(lambda: baseline.count(read.result, length))
    graph = measure(lambda: baseline.graph(*count.result))
    matching = measure(lambda: baseline.match(graph.result))
    count.result = f"{sum(map(len, count.result[1])):,} substrings"
    read.result, graph.result = f"{read.result.n_symbols:,} symbols", f"{graph.result.nnz:,} edges"
    matching.result = f"{matching.result:,} pairs"
    stages = {"read": read, "count": count, "graph": graph, "matching": matching}
    return [row_of(stage, run) for stage, run in stages.items()]


def row_of(stage, run) -> dict:
    return {
        "stage": stage,
        "seconds": run.seconds,
        "cpu_seconds": run.cpu_seconds,
        "peak": run.peak,
        "text": run.result,
    }


# ------------------------------------------------------------------------------------------------- matching


def matchings(options) -> list[dict]:
    """Every matcher beside one pass over the edges, in milliseconds."""
    names = [*METHODS, "scipy"]
    print("\nMatching, milliseconds; beside it times one pass over the list of edges (indices.sum())")
    print(f"{'text':<24} {'edges':>12} {'pairs':>9} {'pass':>8} " + "".join(f"{name:>18}" for name in names))
    return [matching_row(name, corpus, length, options) for name, corpus, length in texts(options)]


def texts(options):
    """Name, corpus, T."""
    characters = ptb_train(options.data)
    for length in (5, 6) if options.quick else (7, 8, 10):
        yield "PTB characters", characters, length
    yield "PTB words", words(options.data / PENN_TREEBANK[0]), 3 if options.quick else 5
    stream = read_text(options.data / WAR_AND_PEACE, stream=True)
    yield "War and Peace", stream, 6 if options.quick else 10


def words(path: Path) -> Corpus:
    """The words of a text that is given as characters with blanks between them, `_` for a blank."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return Corpus.from_sequences(["".join(line.split()).split("_") for line in lines], end_symbol=True)


def matching_row(name: str, corpus: Corpus, length: int, options) -> dict:
    graph = prefix_suffix_graph(substring_expectations(corpus, length))
    seconds = {"auto": median_seconds(lambda: match(graph))}
    size = match(graph).size
    csr = graph.to_csr()
    one_pass = median_seconds(csr.indices.sum)
    for method in METHODS[1:]:
        assert match(graph, method=method).size == size, method  # on the implicit edges
        runs = 5 if graph.n_edges < 2 * 10**7 else 1
        target = graph if method == "paper" else csr
        seconds[method] = median_seconds(
            lambda method=method, target=target: match(target, method=method), runs
        )
    if options.baseline or graph.n_edges < MOST_EDGES_FOR_SCIPY:
        seconds["scipy"] = median_seconds(lambda: maximum_bipartite_matching(csr), 1)
    label = f"{name}, T = {length}"
    cells = "".join(
        f"{1e3 * seconds[m]:10.1f} ({seconds[m] / one_pass:5.1f})" if m in seconds else f"{'-':>18}"
        for m in (*METHODS, "scipy")
    )
    print(f"{label:<24} {graph.n_edges:12,} {size:9,} {1e3 * one_pass:8.2f} {cells}", flush=True)
    print_bytes(graph)
    return {
        "text": label,
        "edges": graph.n_edges,
        "substrings": graph.n_prefixes,
        "size": size,
        "pass_seconds": one_pass,
        "seconds": seconds,
    }


def print_bytes(graph) -> None:
    """What the graph takes with and without a list of its edges."""
    trie = graph._prefix_trie
    arrays = (trie.symbol, trie.parent, trie.child_begin, trie.suffix)
    implicit = (sum(array.nbytes for array in arrays) + graph._core.n_bytes) / graph.n_prefixes
    listed = (graph.n_edges + graph.n_prefixes) * graph._index_dtype.itemsize / graph.n_prefixes
    print(
        f"{'':<24} bytes a substring: {implicit:.1f} without the list of edges, {listed:.1f} the list alone"
    )


if __name__ == "__main__":
    sys.exit(main())
