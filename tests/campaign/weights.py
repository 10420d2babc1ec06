"""Weights near every limit of a double: infinite, NaN, denormal, neighbours of 2^53, nearly equal."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from hankelmatch import heavy_matching, maximum_weight_matching, min_weight_full_bipartite_matching

from ._slow import heaviest, maximum_size

CASES = 200_000
POOLS = {
    "small whole numbers": [0.0, 1.0, 2.0, 3.0, -1.0],
    "2^53": [2.0**53, 2.0**53 - 1, 2.0**53 + 2, 1.0],
    "nearly equal": [1.0, 1.0 + 2**-52, 1.0 - 2**-53, 1.0 + 2**-51],
    "denormal": [5e-324, 1e-323, 2.2250738585072014e-308, 0.0],
    "wide": [1e-300, 1e300, -1e300, 1.0],
    "not finite": [np.inf, -np.inf, np.nan, 1.0],
    "any": [0.0],
}


def attack(seed: int, count: int) -> Iterator[str]:
    """Compare heaviest matchings with all matchings, in exact arithmetic."""
    rng = np.random.default_rng(seed)
    for case in range(count):
        name = str(rng.choice(list(POOLS)))
        matrix = random_weights(rng, name)
        for line in wrong_answers(matrix, bool(rng.integers(2))):
            yield f"case {case}, {name}, {matrix.toarray().tolist()}: {line}"


def random_weights(rng: np.random.Generator, name: str) -> Any:
    """A matrix of at most 4 x 4 with weights of a pool, or any real ones."""
    shape = tuple(int(n) for n in rng.integers(1, 5, 2))
    rows, cols = np.nonzero(rng.random(shape) < rng.choice([0.4, 0.8, 1.0]))
    data = rng.normal(size=len(rows)) if name == "any" else rng.choice(POOLS[name], len(rows))
    return sp.csr_array(sp.coo_array((data, (rows, cols)), shape=shape))


def wrong_answers(matrix: Any, perfect: bool) -> Iterator[str]:
    """What is wrong with the matchings of one matrix."""
    try:
        found = maximum_weight_matching(matrix, maximum_cardinality=perfect)
        heavy = heavy_matching(matrix)
    except (ValueError, TypeError) as error:
        if np.isfinite(matrix.data).all() and np.abs(matrix.data).max(initial=0) < 1e290:
            yield f"refused: {error}"
        return
    coo = matrix.tocoo()
    entries = zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist(), strict=True)
    weights = {(row, col): Fraction(weight) for row, col, weight in entries if weight != -np.inf}
    if not all(np.isfinite(float(weight)) for weight in weights.values()):
        yield "what is not finite was taken"
        return
    size = maximum_size(matrix.shape[0], weights) if perfect else None
    right = heaviest(matrix.shape, weights, size)
    pairs = list(zip(*(ids.tolist() for ids in found.pairs()), strict=True))
    if not set(pairs) <= weights.keys():
        yield "pairs are no entries"
        return
    weight = sum((weights[pair] for pair in pairs), Fraction(0))
    scale = max((abs(w) for w in weights.values()), default=Fraction(0))
    if right is None or abs(weight - right) > scale * Fraction(1, 10**12):
        yield f"weight {float(weight)} is not {right and float(right)}"
    if abs(Fraction(found.weight) - weight) > scale * Fraction(1, 10**12):
        yield f"its weight is said to be {found.weight}"
    if heavy.size != maximum_size(matrix.shape[0], weights):
        yield "the heavy matching is not maximum"
    yield from wrong_full_matching(matrix, weights)


def wrong_full_matching(matrix: Any, weights: dict[tuple[int, int], Fraction]) -> Iterator[str]:
    """What is wrong with the matching of the smaller side under scipy's name."""
    size = min(matrix.shape)
    right = heaviest(matrix.shape, {edge: -weight for edge, weight in weights.items() if weight}, size)
    try:
        rows, cols = min_weight_full_bipartite_matching(matrix)
    except ValueError:
        if right is not None and np.isfinite(matrix.data).all():
            yield "a full matching is refused"
        return
    weight = sum((weights[pair] for pair in zip(rows.tolist(), cols.tolist(), strict=True)), Fraction(0))
    scale = max((abs(w) for w in weights.values()), default=Fraction(0))
    if right is None or abs(weight + right) > scale * Fraction(1, 10**12):
        yield f"the full matching weighs {float(weight)}, not {right and float(-right)}"
