"""Times what is built on matchings: networkx's functions by its backend, ranked and bottleneck matchings,
structure, warm starts, capacities by weight.

``python -m benchmarks.structure``. Every figure is a ratio of medians, of processor time, of one run in which
the two sides took turns; every pair of results is compared.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp
from hankelmatch import (
    best_matchings,
    bottleneck_matching,
    dulmage_mendelsohn,
    hall_violator,
    match,
    match_with_capacities,
    maximum_matching_edges,
    maximum_weight_matching,
)

from ..report import circumstances

Run = Callable[[], Any]


def in_turns(one: Run, other: Run, runs: int) -> tuple[float, float, Any, Any]:
    """Medians of the processor's seconds of two functions, called in turns, and their last results."""
    times: tuple[list[float], list[float]] = ([], [])
    results: list[Any] = [None, None]
    for _ in range(runs):
        for i, run in enumerate((one, other)):
            begin = time.process_time()
            results[i] = run()
            times[i].append(time.process_time() - begin)
    return statistics.median(times[0]), statistics.median(times[1]), *results


def line(name: str, ours: float, theirs: float, ratio: float, what: str) -> dict[str, Any]:
    print(f"{name:60} {1e3 * ours:10.2f} ms {1e3 * theirs:12.2f} ms {ratio:8.1f} {what}", flush=True)
    return {"name": name, "seconds": ours, "beside": theirs, "ratio": ratio, "meaning": what}


def networkx_functions(n: int, runs: int) -> list[dict[str, Any]]:
    """Each function of the backend beside networkx's own, on random graphs of n nodes and degree 4."""
    import networkx as nx  # noqa: PLC0415 - optional

    rng = np.random.default_rng(0)
    half = n // 2
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    ends = rng.integers(0, half, n).tolist(), rng.integers(half, n, n).tolist()
    graph.add_edges_from(zip(*ends, strict=True))
    # A cycle through all nodes in random order: connected, with a perfect matching, so all have an answer.
    left, right = rng.permutation(half).tolist(), (half + rng.permutation(half)).tolist()
    graph.add_edges_from(zip(left, right, strict=True))
    graph.add_edges_from(zip(left[1:] + left[:1], right, strict=True))
    for _, _, data in graph.edges(data=True):
        data["weight"] = int(rng.integers(1, 1000))

    # A tenth of the nodes where networkx would need minutes.
    part = graph.subgraph([*range(half // 10), *range(half, half + half // 10)]).copy()
    top = range(half)

    def weight_of(pairs: Any) -> float:
        return sum(graph.edges[a, b]["weight"] for a, b in pairs)

    bipartite = nx.bipartite
    calls: list[tuple[Callable[..., Any], Any, tuple[Any, ...], Callable[[Any], Any]]] = [
        (bipartite.hopcroft_karp_matching, graph, (top,), len),
        (bipartite.eppstein_matching, graph, (top,), len),
        (bipartite.min_edge_cover, graph, (), len),
        (bipartite.minimum_weight_full_matching, graph, (top,), lambda found: weight_of(found.items()) / 2),
        (nx.max_weight_matching, part, (), weight_of),
    ]
    rows = []
    for function, given, arguments, value in calls:
        name = function.name
        ours, theirs, a, b = in_turns(
            lambda f=function, g=given, x=arguments: f(g, *x, backend="hankelmatch"),
            lambda f=function, g=given, x=arguments: f(g, *x, backend="networkx"),
            runs,
        )
        if value(a) != value(b):
            sys.exit(f"{name}: networkx has {value(b)}, the backend {value(a)}")
        rows.append(
            line(f"networkx, {len(given)} nodes: {name}", ours, theirs, theirs / ours, "times faster")
        )
    return rows


def vertex_covers(n: int, runs: int) -> list[dict[str, Any]]:
    """Covers from known matchings: networkx searches anew from every node, but for nearly no edges."""
    import networkx as nx  # noqa: PLC0415 - optional

    rng = np.random.default_rng(5)
    half, small = n // 2, n // 20  # on circles networkx needs the square of the nodes
    steps = np.arange(small)
    graphs = {
        f"degree {degree}": (half, half, *rng.integers(0, half, (2, degree * half))) for degree in (0, 1, 2)
    }
    graphs["pairs"] = (half, half, np.arange(half), np.arange(half))
    graphs["leaves of a star"] = (n - 1, 1, np.arange(n - 1), np.zeros(n - 1, int))
    graphs["circle"] = (small, small, np.tile(steps, 2), np.concatenate((steps, np.roll(steps, 1))))
    rows = []
    for kind, (n_left, n_right, left, right) in graphs.items():
        graph = nx.Graph()
        graph.add_nodes_from(range(n_left + n_right))
        graph.add_edges_from(zip(left.tolist(), (n_left + right).tolist(), strict=True))
        top = range(n_left)
        mates = nx.bipartite.hopcroft_karp_matching(graph, top, backend="hankelmatch")
        ours, theirs, a, b = in_turns(
            lambda g=graph, m=mates, t=top: nx.bipartite.to_vertex_cover(g, m, t, backend="hankelmatch"),
            lambda g=graph, m=mates, t=top: nx.bipartite.to_vertex_cover(g, m, t, backend="networkx"),
            runs,
        )
        if len(a) != len(b):
            sys.exit(f"to_vertex_cover: networkx has {len(b)}, the backend {len(a)}")
        name = f"networkx, {len(graph)} nodes, {kind}: to_vertex_cover"
        rows.append(line(name, ours, theirs, theirs / ours, "times faster"))
    return rows


def ranked(n: int, k: int, runs: int) -> list[dict[str, Any]]:
    rows = []
    for kind in ("real", "integer"):
        rng = np.random.default_rng(1)
        costs = rng.random((n, n)) if kind == "real" else rng.integers(0, 1000, (n, n)).astype(float)
        found, one, _, _ = in_turns(
            lambda c=costs: list(islice(best_matchings(c, minimize=True), k)),
            lambda c=costs: maximum_weight_matching(c, minimize=True),
            runs,
        )
        each = found / k
        name = f"{k} best of {n} x {n}, {kind} costs: each"
        rows.append(line(name, each, one, each / one, "times one assignment (at most 10)"))
    return rows


def bottlenecks(runs: int) -> list[dict[str, Any]]:
    rows = []
    for n, degree in ((1000, 1000), (30_000, 10), (200_000, 5)):
        rng = np.random.default_rng(2)
        ends = rng.integers(0, n, (2, n * degree))
        ends = np.concatenate((ends, np.tile(np.arange(n), (2, 1))), axis=1)
        graph = sp.csr_array(sp.coo_array((rng.random(ends.shape[1]), ends), shape=(n, n)))
        ours, one, found, _ = in_turns(lambda g=graph: bottleneck_matching(g), lambda g=graph: match(g), runs)
        if not found.is_optimal(graph):
            sys.exit(f"bottleneck of {n} rows: not proved")
        in_matches = ours / one / math.log2(graph.nnz)
        name = f"bottleneck, {n} rows, {graph.nnz} entries"
        rows.append(line(name, ours, one, in_matches, "match calls times log2 of the entries (at most 3)"))
    return rows


def structure(runs: int) -> list[dict[str, Any]]:
    rows = []
    rng = np.random.default_rng(3)
    for n, degree in ((10_000, 3), (300_000, 2), (300_000, 5)):
        ends = rng.integers(0, n, (2, n * degree))
        graph = sp.csr_array(sp.coo_array((np.ones(n * degree), ends), shape=(n, n)))
        for function in (maximum_matching_edges, hall_violator):
            ours, form, _, _ = in_turns(
                lambda f=function, g=graph: f(g), lambda g=graph: dulmage_mendelsohn(g), runs
            )
            name = f"{function.__name__}, {n} rows, degree {degree}"
            rows.append(line(name, ours, form, ours / form, "times dulmage_mendelsohn (at most 2)"))
    return rows


def starts_and_capacities(runs: int) -> list[dict[str, Any]]:
    """What changes little since the last time; and several mates beside as many copies of each row."""
    rng = np.random.default_rng(6)
    n, degree = 20_000, 10
    ends = np.concatenate((rng.integers(0, n, (2, n * degree)), np.tile(np.arange(n), (2, 1))), axis=1)
    graph = sp.csr_array(sp.coo_array((rng.random(ends.shape[1]), ends), shape=(n, n)))
    before = maximum_weight_matching(graph)
    changed = graph.copy()
    changed.data[rng.random(graph.nnz) < 0.01] *= 1.1
    duals = before.row_dual + before.cardinality_dual, before.col_dual
    rows = []
    for kind, initial in (("the last matching", before), ("its duals alone", duals)):
        warm, cold, a, b = in_turns(
            lambda i=initial: maximum_weight_matching(changed, initial=i),
            lambda: maximum_weight_matching(changed),
            runs,
        )
        if not (math.isclose(a.weight, b.weight) and a.is_optimal(changed)):
            sys.exit(f"start from {kind}: weights differ")
        name = f"1% of {graph.nnz} weights changed: from {kind}"
        rows.append(line(name, warm, cold, cold / warm, "times faster than a new start"))
    weights = rng.random((1000, 400))
    ours, copies, a, b = in_turns(
        lambda: match_with_capacities(weights, 3, 8, objective="sum"),
        lambda: maximum_weight_matching(np.repeat(weights, 3, axis=0)),
        runs,
    )
    if a.size != 3000 or b.size != 400:
        sys.exit("capacities by weight: not all were used")
    name = "capacities by weight, 1,000 x 400, 3 and 8 mates"
    rows.append(line(name, ours, copies, ours / copies, "times one assignment of 3,000 x 400"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=10_000, help="of the graphs for networkx")
    parser.add_argument(
        "--only", choices=("ranked", "structure", "bottlenecks", "networkx", "covers", "starts")
    )
    parser.add_argument("--json", help="write the figures there")
    options = parser.parse_args()
    runs: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "ranked": lambda: ranked(200, 50, options.runs),
        "structure": lambda: structure(options.runs),
        "starts": lambda: starts_and_capacities(options.runs),
        "bottlenecks": lambda: bottlenecks(options.runs),
        "networkx": lambda: networkx_functions(options.nodes, min(options.runs, 3)),
        "covers": lambda: vertex_covers(options.nodes, min(options.runs, 3)),
    }
    rows = [row for name, run in runs.items() if options.only in (None, name) for row in run()]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({**circumstances(), "figures": rows}, file, indent=1)


if __name__ == "__main__":
    main()
