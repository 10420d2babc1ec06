"""Assignments by every way, against scipy's, on random small costs: checks of brute_force.py."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import _core, linear_sum_assignment, min_weight_full_bipartite_matching
from scipy.optimize import linear_sum_assignment as scipy_assignment


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def random_costs(rng: np.random.Generator, n_rows: int, n_cols: int) -> np.ndarray:
    """Ties, sums of a row's and a column's part, wide ranges; inf where there is no edge."""
    shape = (n_rows, n_cols)
    a, b = rng.integers(1, 9, (n_rows, 1)) * 1.0, rng.integers(1, 9, (1, n_cols)) * 1.0
    costs = [
        lambda: rng.integers(-3, 4, shape) * 1.0,
        lambda: rng.integers(-(10**6), 10**6, shape) * 1.0,
        lambda: rng.normal(size=shape),
        lambda: a / 7 + b / 3,
        lambda: a / 7 + b / 3 + 1e-3 * rng.random(shape),
        lambda: a * b,
        lambda: 2.0 ** rng.integers(-20, 20, shape),
    ][rng.integers(7)]()
    costs[rng.random(shape) < rng.choice([0, 0.3, 0.7])] = np.inf
    return costs


def least_cost(costs: np.ndarray) -> float | None:
    """What scipy finds; None if not all rows or columns can be assigned."""
    try:
        return float(costs[scipy_assignment(costs)].sum())
    except ValueError:
        return None


def every_way_to_assign(rng: np.random.Generator) -> None:
    """Shortest paths alone, auctions at once, and the choice; sparse and dense; square or not."""
    n_rows = int(rng.integers(1, 13))
    costs = random_costs(rng, n_rows, n_rows + int(rng.choice([0, 0, 1, 5, 12])))
    expected = least_cost(costs)
    graph = sp.coo_array(np.isfinite(costs)).tocsr()
    weights = -costs[np.isfinite(costs)]
    for restarts in ("when searches are long", "at once", "never"):
        cols = _core.assign(*graph.shape, graph.indptr, graph.indices, weights, restarts)
        assert (cols is None) == (expected is None)
        if expected is None:
            with pytest.raises(ValueError, match="infeasible"):
                _core.dense_assignment(costs, restarts)
            continue
        for found in (cols, _core.dense_assignment(costs, restarts)):
            assert len(set(found.tolist())) == n_rows
            assert close(costs[np.arange(n_rows), found].sum(), expected)


def drop_ins_for_scipy(rng: np.random.Generator) -> None:
    costs = random_costs(rng, *(int(n) for n in rng.integers(1, 9, 2)))
    maximize = bool(rng.random() < 0.5)
    signed = -costs if maximize else costs
    expected = least_cost(costs)
    edges = np.isfinite(costs) & (costs != 0)  # scipy's function for sparse matrices drops zeros
    sparse = sp.csr_array((signed[edges], np.nonzero(edges)), shape=costs.shape)
    of_edges = least_cost(np.where(edges, costs, np.inf))
    for function, argument, total in (
        (linear_sum_assignment, signed, expected),
        (min_weight_full_bipartite_matching, sparse, of_edges),
    ):
        if total is None:
            with pytest.raises(ValueError, match=r"infeasible|no full matching"):
                function(argument, maximize)
        else:
            rows, cols = function(argument, maximize)
            assert close(costs[rows, cols].sum(), total)
            assert len(set(rows.tolist())) == len(set(cols.tolist())) == min(costs.shape)
