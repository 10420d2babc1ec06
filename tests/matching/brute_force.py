"""Every function on matchings against trying everything, on random small graphs.

``python -m tests.matching.brute_force`` tries each on 10,000 graphs, ``-n N`` on N, from ``--seed``; the
tests do the same on a few hundred.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import numpy as np
import scipy.sparse as sp
from hankelmatch import (
    best_matchings,
    bottleneck_matching,
    driver_nodes,
    dulmage_mendelsohn,
    hall_violator,
    heavy_matching,
    match,
    match_with_capacities,
    maximum_matching_edges,
    maximum_weight_matching,
)

from .scipy_assignments import close, drop_ins_for_scipy, every_way_to_assign

Edge = tuple[int, int]
Edges = frozenset[Edge]

CHECKS: dict[str, Callable[[np.random.Generator], None]] = {}


def check(function: Callable[[np.random.Generator], None]) -> Callable[[np.random.Generator], None]:
    CHECKS[function.__name__] = function
    return function


def random_graph(rng: np.random.Generator, most: int = 5, most_edges: int = 12) -> sp.csr_array:
    """Any shape; integer weights with ties, or real ones; explicit zeros; int32 or int64 indices."""
    shape = tuple(rng.integers(0, most + 1, 2))
    n_cells = shape[0] * shape[1]
    n_edges = int(rng.integers(0, min(n_cells, most_edges) + 1))
    rows, cols = np.divmod(
        rng.choice(n_cells, n_edges, replace=False) if n_cells else np.zeros(0, int), max(shape[1], 1)
    )
    values = rng.integers(-3, 4, n_edges) if rng.random() < 0.6 else rng.normal(size=n_edges)
    graph = sp.csr_array(sp.coo_array((values.astype(float), (rows, cols)), shape=shape))
    dtype = np.int32 if rng.random() < 0.5 else np.int64
    graph.indices, graph.indptr = graph.indices.astype(dtype), graph.indptr.astype(dtype)
    return graph


def weights_of(graph: sp.csr_array) -> dict[Edge, float]:
    coo = graph.tocoo()
    return dict(zip(zip(coo.row.tolist(), coo.col.tolist(), strict=True), coo.data.tolist(), strict=True))


def edges_of(matching) -> Edges:
    rows, cols = matching.pairs()
    return frozenset(zip(rows.tolist(), cols.tolist(), strict=True))


@lru_cache(maxsize=64)
def matchings(edges: Edges) -> tuple[Edges, ...]:
    """All matchings, the empty one too."""
    found: list[Edges] = [frozenset()]
    for row, col in sorted(edges):
        found += [m | {(row, col)} for m in found if all(r != row and c != col for r, c in m)]
    return tuple(found)


def maximum_matchings(edges: Edges) -> list[Edges]:
    all_of_them = matchings(edges)
    most = max(map(len, all_of_them))
    return [m for m in all_of_them if len(m) == most]


@check
def heaviest_and_lightest(rng: np.random.Generator) -> None:
    graph = random_graph(rng)
    weights = weights_of(graph)
    minimize = bool(rng.random() < 0.5)
    best = min if minimize else max
    size = None
    options: dict = {}
    kind = rng.integers(4)
    candidates = list(matchings(frozenset(weights)))
    limit = 0.0
    if kind == 0:
        candidates = maximum_matchings(frozenset(weights))
    elif kind == 1:
        options["maximum_cardinality"] = False
    elif kind == 2:
        limit = options["limit"] = float(rng.integers(-3, 4) if rng.random() < 0.5 else rng.normal())
    else:
        size = options["size"] = int(rng.integers(0, max(map(len, candidates)) + 1))
        candidates = [m for m in candidates if len(m) == size]
    found = maximum_weight_matching(graph, minimize=minimize, **options)
    expected = best(sum(weights[e] - limit for e in m) for m in candidates)
    assert close(found.weight - limit * found.size, expected)
    assert found.weight == math.fsum(weights[e] for e in edges_of(found))
    assert found.is_valid(graph)
    assert found.is_optimal(graph)
    assert size is None or found.size == size


@check
def forbidden_edges(rng: np.random.Generator) -> None:
    graph = random_graph(rng)
    minimize = bool(rng.random() < 0.5)
    graph.data[rng.random(graph.nnz) < 0.3] = np.inf if minimize else -np.inf
    allowed = {e: w for e, w in weights_of(graph).items() if math.isfinite(w)}
    found = maximum_weight_matching(graph, minimize=minimize)
    best = min if minimize else max
    assert close(
        found.weight, best(sum(allowed[e] for e in m) for m in maximum_matchings(frozenset(allowed)))
    )
    assert edges_of(found) <= set(allowed)
    assert found.is_optimal(graph)


@check
def warm_starts(rng: np.random.Generator) -> None:
    graph = random_graph(rng)
    minimize = bool(rng.random() < 0.5)
    options: dict = [{}, {"maximum_cardinality": False}, {"limit": float(rng.normal())}][rng.integers(3)]
    initial = maximum_weight_matching(graph, minimize=minimize, **[{}, options][rng.integers(2)])
    kept = rng.random(graph.nnz) < 0.8
    coo = graph.tocoo()
    change = np.where(rng.random(graph.nnz) < 0.5, rng.integers(-2, 3, graph.nnz), 0.0)
    entries = ((coo.data + change)[kept], (coo.row[kept], coo.col[kept]))
    changed = sp.csr_array(sp.coo_array(entries, shape=graph.shape))
    cold = maximum_weight_matching(changed, minimize=minimize, **options)
    warm = maximum_weight_matching(changed, minimize=minimize, initial=initial, **options)
    limit = options.get("limit", 0.0)
    assert close(warm.weight - limit * warm.size, cold.weight - limit * cold.size)
    assert warm.is_optimal(changed)
    assert options or warm.size == cold.size


@check
def starts_from_duals(rng: np.random.Generator) -> None:
    """Duals that may be anything change no answer."""
    graph = random_graph(rng)
    minimize = bool(rng.random() < 0.5)
    options: dict = [{}, {"maximum_cardinality": False}, {"limit": float(rng.normal())}][rng.integers(3)]
    cold = maximum_weight_matching(graph, minimize=minimize, **options)
    duals = tuple(
        np.array(dual) + (rng.normal(size=len(dual)) if rng.random() < 0.5 else 0)
        for dual in (cold.row_dual, cold.col_dual)
    )
    warm = maximum_weight_matching(graph, minimize=minimize, initial=duals, **options)
    limit = options.get("limit", 0.0)
    assert close(warm.weight - limit * warm.size, cold.weight - limit * cold.size)
    assert warm.is_optimal(graph)
    assert options or warm.size == cold.size


@check
def best_matchings_in_order(rng: np.random.Generator) -> None:
    graph = random_graph(rng)
    weights = weights_of(graph)
    minimize = bool(rng.random() < 0.5)
    found = list(best_matchings(graph, minimize=minimize))
    expected = maximum_matchings(frozenset(weights))
    assert sorted(map(sorted, map(edges_of, found))) == sorted(map(sorted, expected))
    assert all(m.is_valid(graph) and m.weight == math.fsum(weights[e] for e in edges_of(m)) for m in found)
    in_order = sorted((sum(weights[e] for e in m) for m in expected), reverse=not minimize)
    assert all(close(m.weight, w) for m, w in zip(found, in_order, strict=True))


@check
def bottlenecks(rng: np.random.Generator) -> None:
    graph = random_graph(rng)
    weights = weights_of(graph)
    minimize = bool(rng.random() < 0.5)
    worst, best = (max, min) if minimize else (min, max)
    found = bottleneck_matching(graph, minimize=minimize)
    expected = maximum_matchings(frozenset(weights))
    assert edges_of(found) in expected
    assert found.is_optimal(graph)
    if found.size:
        assert found.bottleneck == worst(weights[e] for e in edges_of(found))
        assert found.bottleneck == best(worst(weights[e] for e in m) for m in expected)
    else:
        assert math.isnan(found.bottleneck)


def within_capacities(edges: list[Edge], rows: np.ndarray, cols: np.ndarray) -> list[list[Edge]]:
    """All sets of edges with at most so many at each row and column."""
    found: list[tuple[list[Edge], list[int], list[int]]] = [([], rows.tolist(), cols.tolist())]
    for r, c in edges:
        for chosen, row_room, col_room in list(found):
            if row_room[r] and col_room[c]:
                rest = [room.copy() for room in (row_room, col_room)]
                rest[0][r] -= 1
                rest[1][c] -= 1
                found.append(([*chosen, (r, c)], rest[0], rest[1]))
    return [chosen for chosen, _, _ in found]


@check
def capacities(rng: np.random.Generator) -> None:
    graph = random_graph(rng, most=4, most_edges=9)
    rows, cols = (rng.integers(0, 4, n) for n in graph.shape)
    edges = list(weights_of(graph))
    most = max(map(len, within_capacities(edges, rows, cols)))
    found = match_with_capacities(graph, rows, cols)
    assert found.size == most
    assert found.is_maximum(graph)
    cut = found.minimum_cut()
    assert rows[cut.rows].sum() + cols[cut.cols].sum() + len(cut.edge_rows) == most
    cut_edges = set(zip(cut.edge_rows.tolist(), cut.edge_cols.tolist(), strict=True))
    assert all(r in cut.rows or c in cut.cols or (r, c) in cut_edges for r, c in edges)


@check
def capacities_by_weight(rng: np.random.Generator) -> None:
    graph = random_graph(rng, most=4, most_edges=8)
    rows, cols = (rng.integers(0, 4, n) for n in graph.shape)
    weights = weights_of(graph)
    minimize = bool(rng.random() < 0.5)
    limit = float(rng.integers(-2, 3)) if rng.random() < 0.5 else None
    found = match_with_capacities(graph, rows, cols, objective="sum", minimize=minimize, limit=limit)
    candidates = within_capacities(list(weights), rows, cols)
    if limit is None:
        most = max(map(len, candidates))
        assert found.size == most
        candidates = [edges for edges in candidates if len(edges) == most]
    best = min if minimize else max
    expected = best(sum(weights[e] - (limit or 0) for e in edges) for edges in candidates)
    chosen = [e for e, used in weights_of(found.chosen).items() if used]
    assert chosen in [sorted(edges) for edges in candidates]
    assert found.weight == math.fsum(weights[e] for e in chosen)
    assert close(found.weight - (limit or 0) * found.size, expected)
    assert found.is_optimal(graph)


check(every_way_to_assign)
check(drop_ins_for_scipy)


@check
def heavy_matchings(rng: np.random.Generator) -> None:
    """Maximum; and at least half as heavy as any, if the heaviest edges alone make it maximum."""
    graph = random_graph(rng)
    graph.data = abs(graph.data)
    weights = weights_of(graph)
    found = heavy_matching(graph)
    candidates = maximum_matchings(frozenset(weights))
    assert edges_of(found) in candidates
    greedy: set[Edge] = set()
    for row, col in sorted(weights, key=lambda e: -weights[e]):
        if all(row != r and col != c for r, c in greedy):
            greedy.add((row, col))
    if len(greedy) == found.size and len(set(weights.values())) == len(weights):
        heaviest = max(sum(weights[e] for e in m) for m in candidates)
        assert 2 * sum(weights[e] for e in edges_of(found)) >= heaviest - 1e-9


@check
def edges_in_some_and_in_every(rng: np.random.Generator) -> None:
    graph = random_graph(rng)
    found = maximum_matching_edges(graph)
    expected = maximum_matchings(frozenset(weights_of(graph)))
    for entries, edges in (
        (found.in_some, frozenset.union(*expected)),
        (found.in_every, frozenset.intersection(*expected)),
    ):
        assert set(weights_of(entries)) == edges
    assert found.is_unique == (len(expected) == 1)


@check
def parts_of_dulmage_mendelsohn(rng: np.random.Generator) -> None:
    """What some maximum matching does without is underdetermined, a column, or overdetermined, a row."""
    graph = random_graph(rng)
    form = dulmage_mendelsohn(graph)
    n_rows, n_cols = graph.shape
    expected = maximum_matchings(frozenset(weights_of(graph)))
    free_rows = {r for m in expected for r in range(n_rows) if r not in {a for a, _ in m}}
    free_cols = {c for m in expected for c in range(n_cols) if c not in {b for _, b in m}}
    under, well, over = form.underdetermined, form.well_determined, form.overdetermined
    assert set(under.cols.tolist()) == free_cols
    assert set(over.rows.tolist()) == free_rows
    assert len(well.rows) == len(well.cols)
    for side, n in (("rows", n_rows), ("cols", n_cols)):
        for parts in ((under, well, over), form.blocks):
            ids = itertools.chain.from_iterable(getattr(part, side).tolist() for part in parts)
            assert sorted(ids) == list(range(n))
    block_of_row = {r: k for k, b in enumerate(form.blocks) for r in b.rows.tolist()}
    block_of_col = {c: k for k, b in enumerate(form.blocks) for c in b.cols.tolist()}
    assert all(block_of_row[r] <= block_of_col[c] for r, c in weights_of(graph))


@check
def hall_violators(rng: np.random.Generator) -> None:
    graph = random_graph(rng)
    edges = weights_of(graph)
    found = hall_violator(graph)
    most = len(maximum_matchings(frozenset(edges))[0])
    assert (found is None) == (most == graph.shape[0])
    if found is None:
        return
    rows = set(found.rows.tolist())
    assert {c for r, c in edges if r in rows} == set(found.cols.tolist())
    assert len(rows) == len(found.cols) + 1
    for left_out in rows:  # the others can all be matched
        rest = frozenset(e for e in edges if e[0] in rows - {left_out})
        assert len(maximum_matchings(rest)[0]) == len(rows) - 1


@check
def matchings_by_vertex_weights(rng: np.random.Generator) -> None:
    graph = random_graph(rng)
    row_weights, col_weights = (rng.integers(-3, 4, n) for n in graph.shape)
    seed = int(rng.integers(100)) if rng.random() < 0.5 else None
    expected = maximum_matchings(frozenset(weights_of(graph)))
    best_rows = max(sum(row_weights[r] for r, _ in m) for m in expected)
    best_cols = max(sum(col_weights[c] for _, c in m) for m in expected)
    by_rows = match(graph, row_weights=row_weights, seed=seed)
    by_cols = match(graph, col_weights=col_weights, seed=seed)
    by_both = match(graph, row_weights=row_weights, col_weights=col_weights, seed=seed)
    for found in (by_rows, by_cols, by_both):
        assert edges_of(found) in expected
        assert found.is_maximum(graph)
    for found in (by_rows, by_both):
        assert sum(row_weights[r] for r, _ in edges_of(found)) == best_rows
    for found in (by_cols, by_both):
        assert sum(col_weights[c] for _, c in edges_of(found)) == best_cols


@check
def random_matchings(rng: np.random.Generator) -> None:
    graph = random_graph(rng)
    seed = int(rng.integers(1000))
    found = match(graph, seed=seed)
    assert edges_of(found) in maximum_matchings(frozenset(weights_of(graph)))
    assert edges_of(match(graph, seed=seed)) == edges_of(found)


@check
def every_random_matching(rng: np.random.Generator) -> None:
    """Each of the best maximum matchings can come out: it does, in so many draws of a small graph."""
    graph = random_graph(rng, most=3, most_edges=5)
    row_weights, col_weights = (rng.integers(0, 2, n) for n in graph.shape)
    given = [{}, {"row_weights": row_weights}, {"col_weights": col_weights}][rng.integers(3)]
    if given and rng.random() < 0.3:
        given = {"row_weights": row_weights, "col_weights": col_weights}

    def worth(edges: Edges) -> tuple[int, int]:
        return (
            sum(given["row_weights"][r] for r, _ in edges) if "row_weights" in given else 0,
            sum(given["col_weights"][c] for _, c in edges) if "col_weights" in given else 0,
        )

    candidates = maximum_matchings(frozenset(weights_of(graph)))
    best = max(map(worth, candidates))
    missing = {edges for edges in candidates if worth(edges) == best}
    draws = np.random.default_rng(0)
    for _ in range(400):
        found = edges_of(match(graph, seed=draws, **given))
        assert worth(found) == best
        missing.discard(found)
        if not missing:
            return
    raise AssertionError(f"never drawn: {missing}")


@check
def drivers(rng: np.random.Generator) -> None:
    n = int(rng.integers(0, 5))
    adjacency = sp.csr_array((rng.random((n, n)) < rng.uniform(0, 0.6)).astype(float))
    found = driver_nodes(adjacency)
    undriven = {
        frozenset(range(n)) - {c for _, c in m} for m in maximum_matchings(frozenset(weights_of(adjacency)))
    }
    smallest = undriven if undriven != {frozenset()} or n == 0 else {frozenset([i]) for i in range(n)}
    assert frozenset(found.nodes.tolist()) in smallest
    assert set(found.always.tolist()) == frozenset.intersection(*smallest)
    assert set(found.sometimes.tolist()) == frozenset.union(*smallest) - frozenset.intersection(*smallest)
    assert set(found.never.tolist()) == frozenset(range(n)) - frozenset.union(*smallest)


def trials(n: int, seed: int, names: Iterable[str] = CHECKS) -> Iterator[str]:
    """Run checks on n random graphs."""
    for name in names:
        run = CHECKS[name]
        for i in range(n):
            try:
                run(np.random.default_rng([seed, i]))
            except AssertionError as error:
                raise AssertionError(f"{name}, seed {seed}, graph {i}") from error
        yield name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=10_000, help="graphs for each function")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=CHECKS, nargs="+", default=list(CHECKS))
    options = parser.parse_args()
    for name in trials(options.n, options.seed, options.only):
        print(f"{name}: {options.n:,} graphs agree", flush=True)


if __name__ == "__main__":
    main()
