"""Weights of a mixture's parts."""

import numpy as np
import pytest
from hankelmatch.prediction.mixtures.weights import fit_weights
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(0, 1000), st.integers(1, 12))
def test_weights_of_two_models_are_the_best(seed, n_events):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.01, 1.0, (n_events, 2))
    counts = rng.integers(1, 4, n_events)
    weights = fit_weights(p, counts, tolerance=1e-13)
    assert weights.sum() == pytest.approx(1.0)
    share = np.linspace(0, 1, 1001)
    gain = counts @ np.log(p[:, :1] * share + p[:, 1:] * (1 - share)) / counts.sum()
    assert counts @ np.log(p @ weights) / counts.sum() >= gain.max() - 1e-5


def test_weak_models_are_left_out_and_the_others_fitted_again():
    rows = [
        [0.5, 0.6, 0.1],
        [0.3, 0.2, 0.8],
        [0.7, 0.2, 0.7],
        [0.8, 0.9, 0.7],
        [0.1, 0.3, 0.1],
        [0.7, 0.7, 0.3],
    ]
    p = np.array(rows)
    all_three = fit_weights(p, tolerance=1e-12)
    assert 0.05 < all_three[2] < all_three[:2].min()
    without = fit_weights(p, least=all_three[2] + 0.01, tolerance=1e-12)
    assert without[2] == 0
    np.testing.assert_allclose(without[:2], fit_weights(p[:, :2], tolerance=1e-12), atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([],), {}, "probabilities: a row an event"),
        (([[0.5, -0.1]],), {}, "probabilities: numbers from 0"),
        (([[0.5, 0.1], [0.0, 0.0]],), {}, "probabilities: numbers from 0"),
        (([[0.5], [0.1]], [1.0]), {}, "counts: one from 0 for each of 2 events"),
        (([[0.5, 0.5]],), {"least": 0.6}, "least: 0.6 leaves no models"),
    ],
)
def test_weights_cannot_be_fitted_to_anything(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        fit_weights(*arguments, **options)
