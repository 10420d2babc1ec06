"""The heaviest matching of a given number of pairs."""

import math
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from .. import _core
from .._utils.validation import MOST_EXACT
from .graphs import Ids
from .weights import Floats, WeightedPattern, pair_weights

Solved: TypeAlias = "tuple[Ids, Ids, Floats, Floats, float]"


class _Best(NamedTuple):
    """A heaviest matching of its size."""

    solved: Solved
    size: int
    weight: float


def heaviest_of_size(weighted: WeightedPattern, size: int) -> Solved:
    """Find the heaviest matching of so many pairs, with its duals.

    The greatest weight W(k) of k pairs is a concave function of k. For a price p of each pair, the matching
    with the greatest W(k) - p k is found without regard to its size. With the slope between a smaller and a
    larger matching as the price, either another one between them comes out, or both are best for this price:
    then the parts in which they differ can be exchanged one by one, at no loss.
    """
    most = _best(weighted, _core.maximum_weight_matching(*weighted.pattern, weighted.weights, True))
    if size > most.size:
        raise ValueError(f"size: {size} pairs are wanted, but no matching has more than {most.size}")
    least = _best(weighted, _no_pairs(weighted))
    while size not in (least.size, most.size):
        between, error = _best_at_slope(weighted, least, most)
        if not least.size < between.size < most.size or _height(least, between, most) <= error:
            return (*_mixed(least, most, size), *between.solved[2:])
        least, most = (between, most) if between.size <= size else (least, between)
    return (least if least.size == size else most).solved


def _best(weighted: WeightedPattern, solved: Solved) -> _Best:
    weights = pair_weights(weighted, solved[0])
    return _Best(solved, len(weights), math.fsum(weights.tolist()))


def _best_at_slope(weighted: WeightedPattern, least: _Best, most: _Best) -> tuple[_Best, float]:
    """The best where each pair costs the slope between two matchings, and how far rounding may mislead.

    Integers are multiplied by the slope's denominator: then nothing is rounded.
    """
    weights = weighted.weights
    n, worth = most.size - least.size, most.weight - least.weight
    largest = float(np.abs(weights).max(initial=0.0)) * n + abs(worth)
    is_exact = largest * most.size <= MOST_EXACT and bool((weights == np.rint(weights)).all())
    scale = n if is_exact else 1
    costs = weights * scale - worth * scale / n
    row_mate, col_mate, row_dual, col_dual = _core.maximum_weight_matching(*weighted.pattern, costs, False)[
        :4
    ]
    solved = (row_mate, col_mate, row_dual / scale, col_dual / scale, worth / n)
    return _best(weighted, solved), 0.0 if is_exact else largest * most.size * float(np.finfo(float).eps)


def _height(least: _Best, between: _Best, most: _Best) -> float:
    """How far a matching's weight is above the line between two others, at their number of pairs more."""
    w, w_least, w_most = (Fraction(best.weight) for best in (between, least, most))
    n = most.size - least.size
    return float((w - w_least) * n - (w_most - w_least) * (between.size - least.size))


def _no_pairs(weighted: WeightedPattern) -> Solved:
    n_rows, n_cols, _, indices = weighted.pattern
    dearest = float(weighted.weights.max()) if len(weighted.weights) else 0.0
    mates = (np.full(n, -1, indices.dtype) for n in (n_rows, n_cols))
    return (*mates, np.zeros(n_rows), np.zeros(n_cols), dearest)  # type: ignore[return-value]


def _mixed(least: _Best, most: _Best, size: int) -> tuple[Ids, Ids]:
    """Pairs of the smaller matching, but of the larger one in as many parts of their union as are needed."""
    row_mate, larger = least.solved[0].copy(), most.solved[0]
    n_rows, n_cols = len(row_mate), len(least.solved[1])
    rows = np.concatenate([np.flatnonzero(mates >= 0) for mates in (row_mate, larger)])
    cols = np.concatenate([mates[mates >= 0] for mates in (row_mate, larger)]).astype(np.int64)
    n = n_rows + n_cols
    union = sp.coo_array((np.ones(len(rows), np.int8), (rows, n_rows + cols)), shape=(n, n))
    n_parts, part = connected_components(union, directed=False)
    surplus = np.bincount(part[:n_rows][larger >= 0], minlength=n_parts)
    surplus -= np.bincount(part[:n_rows][row_mate >= 0], minlength=n_parts)
    chosen = np.zeros(n_parts, np.bool_)
    chosen[np.flatnonzero(surplus > 0)[: size - least.size]] = True
    row_mate = np.where(chosen[part[:n_rows]], larger, row_mate)
    col_mate = np.full(n_cols, -1, row_mate.dtype)
    matched = np.flatnonzero(row_mate >= 0)
    col_mate[row_mate[matched]] = matched
    return row_mate, col_mate
