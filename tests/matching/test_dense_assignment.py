"""linear_sum_assignment: scipy's contract, on matrices of all shapes and kinds of costs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import linear_sum_assignment
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.testing import assert_array_equal
from scipy.optimize import linear_sum_assignment as scipys

FINITE = st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float)
MATRICES = npst.arrays(
    np.float64, npst.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=5), elements=FINITE
)


def by_brute_force(costs: np.ndarray) -> float:
    """The least total over all ways to assign the shorter side."""
    short = costs if costs.shape[0] <= costs.shape[1] else costs.T
    n, m = short.shape
    return min(
        float(sum(short[i, c] for i, c in enumerate(cols))) for cols in itertools.permutations(range(m), n)
    )


def answer(function: Any, *arguments: Any, **options: Any) -> Any:
    """The result, or the error with its message."""
    try:
        return function(*arguments, **options)
    except (TypeError, ValueError) as error:
        return type(error), str(error)


@pytest.mark.slow
@given(MATRICES, st.booleans())
@settings(max_examples=300)
def test_least_total_of_brute_force(costs: np.ndarray, maximize: bool) -> None:
    rows, cols = linear_sum_assignment(costs, maximize)
    n = min(costs.shape)
    assert rows.dtype == cols.dtype == np.int64
    assert len(set(rows)) == len(set(cols)) == len(rows) == n
    assert (np.diff(rows) > 0).all()
    total = -by_brute_force(-costs) if maximize else by_brute_force(costs)
    assert costs[rows, cols].sum() == pytest.approx(total, rel=1e-12, abs=1e-9)


@given(MATRICES, st.data())
@settings(max_examples=150)
def test_forbidden_pairs_as_in_scipy(costs: np.ndarray, data: Any) -> None:
    forbidden = data.draw(npst.arrays(bool, costs.shape))
    costs = np.where(forbidden, np.inf, costs)
    found, expected = (answer(f, costs) for f in (linear_sum_assignment, scipys))
    if isinstance(expected[0], type):
        assert found == expected
    else:
        assert costs[found].sum() == pytest.approx(costs[expected].sum(), rel=1e-12, abs=1e-9)


def structured(n: int, m: int) -> dict[str, np.ndarray]:
    """Costs that are hard for one method or another."""
    rng = np.random.default_rng(3)
    i, j = np.arange(n)[:, None] * 1.0, np.arange(m) * 1.0
    return {
        "i(n-j)": i * (m - j),
        "products": rng.uniform(size=(n, 1)) * rng.uniform(size=m),
        "ij": i * j,
        "small integers": rng.integers(1, 11, (n, m)) * 1.0,
        "equal": np.ones((n, m)),
        "powers of two": 2.0 ** rng.integers(0, 60, (n, m)),
        "|i-j|": np.abs(i - j),
        "rows": rng.uniform(size=(n, 1)) * 1e6 + rng.uniform(size=(n, m)),
        "sparse": np.where(rng.uniform(size=(n, m)) < 0.1, rng.uniform(size=(n, m)), np.inf),
    }


@pytest.mark.parametrize("shape", [(70, 70), (65, 130), (130, 64), (257, 257)])
@pytest.mark.parametrize("kind", structured(1, 1))
def test_structured_costs(kind: str, shape: tuple[int, int]) -> None:
    costs = structured(*shape)[kind]
    found, expected = (answer(f, costs) for f in (linear_sum_assignment, scipys))
    if isinstance(expected[0], type):
        assert found == expected
    else:
        assert costs[found].sum() == pytest.approx(costs[expected].sum(), rel=1e-12)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_degenerate_shapes(shape: tuple[int, int]) -> None:
    for found, expected in zip(linear_sum_assignment(np.ones(shape)), scipys(np.ones(shape)), strict=True):
        assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize(
    "costs",
    [
        [1, 2],
        np.ones((2, 2, 2)),
        [[1j]],
        [[np.nan]],
        [[-np.inf]],
        [[np.inf]],
        [[np.inf, 1], [np.inf, 2]],
        np.array([[None]]),
        np.array([["a"]]),
        [[True, False], [False, False]],
        np.asfortranarray(np.arange(12.0).reshape(3, 4))[:, ::2],
        np.arange(6, dtype=">i2").reshape(2, 3),
    ],
)
def test_errors_and_conversions_as_in_scipy(costs: Any) -> None:
    for maximize in (False, True, None, 1.5):
        found, expected = (answer(f, costs, maximize=maximize) for f in (linear_sum_assignment, scipys))
        if isinstance(expected[0], type):
            assert found[0] == expected[0]
            if expected[0] is ValueError:
                assert found[1] == expected[1]
        else:
            matrix = np.asarray(costs, dtype=np.float64)
            assert matrix[found].sum() == matrix[expected].sum()


def test_sparse_matrices_are_sent_elsewhere() -> None:
    with pytest.raises(TypeError, match="min_weight_full_bipartite_matching"):
        linear_sum_assignment(sp.eye_array(2))
