"""Families of costs on which assignment methods differ; each is generated from its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree

__all__ = ["DENSE", "SPARSE", "WeightedFamily"]

DEGREE = 10


def pattern(n: int, n_cols: int, degree: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random edges, `degree` a row on average, and hidden pairs, so that a full matching exists."""
    rng = np.random.default_rng(seed)
    n_random = round(n * (degree - 1))
    keys = np.concatenate(
        [
            rng.integers(0, n, n_random) * n_cols + rng.integers(0, n_cols, n_random),
            np.arange(n) * n_cols + rng.permutation(n_cols)[:n],
        ]
    )
    rows, cols = np.divmod(np.unique(keys), n_cols)
    return rows, cols


def sparse_cost(
    n: int, cost: Callable[..., np.ndarray], degree: float = DEGREE, columns_a_row: int = 1
) -> sp.csr_array:
    n_cols = n * columns_a_row
    rows, cols = pattern(n, n_cols, degree)
    data = np.asarray(cost(np.random.default_rng(1), rows, cols, n_cols), dtype=float)
    return sp.csr_array((data, (rows, cols)), shape=(n, n_cols))


def cost_of_share(n: int, cost: Callable[..., np.ndarray], share: float) -> sp.csr_array:
    """Costs of about this share of all pairs, and of hidden ones."""
    rng = np.random.default_rng(0)
    chosen = rng.random((n, n)) < share
    chosen[np.arange(n), rng.permutation(n)] = True
    rows, cols = np.nonzero(chosen)
    data = np.asarray(cost(np.random.default_rng(1), rows, cols, n), dtype=float)
    return sp.csr_array((data, (rows, cols)), shape=(n, n))


def of_rows(rng: np.random.Generator, rows: np.ndarray, cols: np.ndarray, n: int) -> np.ndarray:
    return rng.uniform(1, 2, n)[rows]


def of_rows_and_noise(rng: np.random.Generator, rows: np.ndarray, cols: np.ndarray, n: int) -> np.ndarray:
    return 1000 * rng.uniform(1, 2, n)[rows] + rng.uniform(0, 1, len(rows))


def of_rows_and_columns(rng: np.random.Generator, rows: np.ndarray, cols: np.ndarray, n: int) -> np.ndarray:
    return rng.uniform(1, 2, n)[rows] + rng.uniform(1, 2, n)[cols]


def of_rows_and_columns_and_noise(
    rng: np.random.Generator, rows: np.ndarray, cols: np.ndarray, n: int
) -> np.ndarray:
    return of_rows_and_columns(rng, rows, cols, n) + 1e-3 * rng.uniform(0, 1, len(rows))


def badly_scaled(rng: np.random.Generator, rows: np.ndarray, cols: np.ndarray, n: int) -> np.ndarray:
    scale = np.exp(rng.uniform(-20, 20, n))[rows] * np.exp(rng.uniform(-20, 20, n))[cols]
    return scale * rng.uniform(0.1, 1, len(rows))


def integers(largest: int) -> Callable[..., np.ndarray]:
    return lambda rng, rows, cols, n: rng.integers(1, largest + 1, len(rows))


def uniform(rng: np.random.Generator, rows: np.ndarray, cols: np.ndarray, n: int) -> np.ndarray:
    return rng.uniform(1, 2, len(rows))


def neighbours(n: int, k: int = 10, seed: int = 0) -> sp.csr_array:
    """Distances, as integers, from n points of a square to the k nearest of n others, and a pairing."""
    rng = np.random.default_rng(seed)
    left, right = rng.random((n, 2)), rng.random((n, 2))
    distance, nearest = cKDTree(right).query(left, k)
    pairing = rng.permutation(n)
    rows = np.concatenate([np.repeat(np.arange(n), k), np.arange(n)])
    cols = np.concatenate([nearest.ravel(), pairing])
    far = np.linalg.norm(left - right[pairing], axis=1)
    data = np.rint(1e6 * np.concatenate([distance.ravel(), far])) + 1
    _, first = np.unique(rows * n + cols, return_index=True)
    return sp.csr_array((data[first], (rows[first], cols[first])), shape=(n, n))


class WeightedFamily(NamedTuple):
    """A generator and the call that is timed on it."""

    name: str
    make: Callable[[int], Any]
    sizes: tuple[int, ...]
    function: str = "min_weight_full_bipartite_matching"
    options: dict[str, Any] = {}  # noqa: RUF012


GROWTH = (5_000, 10_000, 20_000, 40_000)

SPARSE = [
    WeightedFamily("rows a_i", lambda n: sparse_cost(n, of_rows), GROWTH),
    WeightedFamily("rows 1000 a_i + noise", lambda n: sparse_cost(n, of_rows_and_noise), GROWTH),
    WeightedFamily("rows and columns a_i + b_j", lambda n: sparse_cost(n, of_rows_and_columns), GROWTH),
    WeightedFamily(
        "rows and columns + noise", lambda n: sparse_cost(n, of_rows_and_columns_and_noise), GROWTH
    ),
    *(
        WeightedFamily(
            f"n x {k} n, {name}",
            lambda n, cost=cost, k=k: sparse_cost(n, cost, columns_a_row=k),  # type: ignore[misc]
            GROWTH,
        )
        for k in (2, 10)
        for name, cost in (
            ("rows a_i", of_rows),
            ("rows + noise", of_rows_and_noise),
            ("a_i + b_j", of_rows_and_columns),
            ("a_i + b_j + noise", of_rows_and_columns_and_noise),
        )
    ),
    WeightedFamily(
        "product, badly scaled",
        lambda n: sparse_cost(n, badly_scaled),
        GROWTH,
        "maximum_weight_matching",
        {"objective": "product"},
    ),
    WeightedFamily(
        "heavy, degree 3.3",
        lambda n: sparse_cost(n, uniform, 3.3),
        (20_000, 40_000, 80_000, 160_000),
        "heavy_matching",
    ),
    WeightedFamily("uniform", lambda n: sparse_cost(n, uniform), (10_000, 40_000)),
    WeightedFamily("nearest neighbours", neighbours, (10_000, 40_000)),
    *(
        WeightedFamily(
            f"integers to {most}", lambda n, most=most: sparse_cost(n, integers(most), 5), (100_000,)
        )
        for most in (10, 100, 1_000_000)
    ),
    *(
        WeightedFamily(
            f"{name}, {share:.0%} of all pairs",
            lambda n, cost=cost, share=share: cost_of_share(n, cost, share),  # type: ignore[misc]
            (300, 1_000),
        )
        for share in (0.25, 0.5, 0.7, 0.9)
        for name, cost in (("uniform", uniform), ("integers to 10", integers(10)))
    ),
]


def dense(n: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng(2)
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    return {
        "i (n - j)": lambda: i * (n - j) * 1.0,
        "a_i b_j": lambda: rng.random(n)[:, None] * rng.random(n)[None, :],
        "i j": lambda: i * j * 1.0,
        "integers to 10": lambda: rng.integers(1, 11, (n, n)) * 1.0,
        "integers to 100": lambda: rng.integers(1, 101, (n, n)) * 1.0,
        "integers to 1e6": lambda: rng.integers(1, 1_000_001, (n, n)) * 1.0,
        "equal": lambda: np.ones((n, n)),
        "2^k": lambda: 2.0 ** rng.integers(0, 30, (n, n)),
        "|i - j|": lambda: abs(i - j) * 1.0,
        "uniform": lambda: rng.random((n, n)),
    }[kind]()


DENSE = [
    WeightedFamily(
        f"dense {kind}", lambda n, k=kind: dense(n, k), (300, 1_000, 3_000), "linear_sum_assignment"
    )
    for kind in (
        "i (n - j)",
        "a_i b_j",
        "i j",
        "integers to 10",
        "integers to 100",
        "integers to 1e6",
        "equal",
        "2^k",
        "|i - j|",
        "uniform",
    )
]
