"""Log-linear mixtures: a symbol's score is a weighted sum of what several models say, in logarithms.

p(x | prefix) is proportional to the product of all models' p_k(x | prefix)^w_k. Unlike in a linear mixture,
one model can forbid what others allow, and those that say the same share a weight. The linear mixture is one
of the models, and weights are drawn to it alone by a ridge penalty that is chosen on folds. The library's own
log-linear mixtures have no penalty and weights from 0, which many events bear, not a few hundred.

D. Klakow: Log-linear interpolation of language models. ICSLP 1998.
G. Hinton: Training products of experts by minimizing contrastive divergence. Neural Computation 14, 2002.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hankelmatch.prediction._smoothing import Floats
from hankelmatch.prediction.mixtures.weights import fit_weights
from numpy.typing import NDArray
from scipy.optimize import minimize

__all__ = ["Mixture", "Predictions", "fit", "fit_on_folds"]

Singles = NDArray[np.float32]

RIDGES = (0.03, 0.01, 0.003)
N_FOLDS = 5
_LEAST_WEIGHT = 0.01  # of a model in the linear mixture
_LEAST = 1e-7  # the probability that logarithms begin at
_MOST_STEPS = 60


class Predictions(NamedTuple):
    """What models say of candidate symbols after prefixes.

    p: shape (n_prefixes, n_candidates, n_models). factors: logarithms, shape (n_prefixes, n_candidates,
    n_factors).
    """

    p: Singles
    factors: Singles

    def of(self, rows: NDArray[np.bool_]) -> Predictions:
        """Of some of the prefixes."""
        return Predictions(self.p[rows], self.factors[rows])


class Mixture(NamedTuple):
    """The linear mixture; weights of its logarithm, of all models and of the factors; and the ridge."""

    linear: Floats
    weights: Floats
    ridge: float

    def mixed(self, predictions: Predictions) -> Singles:
        """The linear mixture's probabilities of the candidates."""
        return predictions.p @ self.linear.astype(np.float32)

    def scores(self, predictions: Predictions) -> Singles:
        """Logarithms of the probabilities, but for a constant of each prefix."""
        return _features(predictions, self.linear) @ self.weights.astype(np.float32)


def fit(predictions: Predictions, targets: Singles, ridge: float) -> Mixture:
    """The mixture that makes targets likeliest, less the penalty.

    Parameters
    ----------
    predictions : Predictions
        Of the models.
    targets : ndarray of float32, shape (n_prefixes, n_candidates)
        The share of each candidate in what follows the prefix.
    ridge : float
        Of the squared distance from the linear mixture, against the mean log-likelihood.
    """
    return _fitted(predictions, targets, [ridge])[0]


def fit_on_folds(
    predictions: Predictions, targets: Singles, seed: int, ridges: Sequence[float] = RIDGES
) -> tuple[Mixture, Singles, Singles]:
    """The mixture with the ridge that is best on folds, and what each fold is given by the weights of others.

    Returns
    -------
    Mixture
        Fitted on all prefixes.
    ndarray of float32, shape (n_prefixes, n_candidates)
        Scores of the mixtures of that ridge that were fitted without the prefix's fold.
    ndarray of float32, shape (n_prefixes, n_candidates)
        The same of the linear mixtures.
    """
    fold_of = np.random.default_rng(seed).permutation(len(targets)) % N_FOLDS
    scores = np.empty((len(ridges), *targets.shape), np.float32)
    linear = np.empty_like(targets)
    for fold in range(N_FOLDS):
        out = fold_of == fold
        held_out = predictions.of(out)
        for own, mixture in zip(scores, _fitted(predictions.of(~out), targets[~out], ridges), strict=True):
            own[out] = mixture.scores(held_out)
            linear[out] = mixture.mixed(held_out)
    best = int(np.argmax([(_log_softmax(own) * targets).sum() for own in scores]))
    return fit(predictions, targets, ridges[best]), scores[best], linear


def _fitted(predictions: Predictions, targets: Singles, ridges: Sequence[float]) -> list[Mixture]:
    """A mixture for each ridge, each search from where the last one ended."""
    rows, columns = np.nonzero(targets)
    p = np.maximum(predictions.p[rows, columns].astype(np.float64), _LEAST)
    linear = fit_weights(p, targets[rows, columns], least=_LEAST_WEIGHT)
    features = _features(predictions, linear)
    centre = np.zeros(features.shape[2])
    centre[0] = 1.0
    found, weights = [], centre
    for ridge in ridges:
        weights = _likeliest(features, targets, centre, ridge, weights)
        found.append(Mixture(linear, weights, ridge))
    return found


def _features(predictions: Predictions, linear: Floats) -> Singles:
    p = predictions.p
    with_mixed = np.concatenate([(p @ linear.astype(np.float32))[:, :, None], p], axis=2)
    return np.concatenate([np.log(np.maximum(with_mixed, _LEAST)), predictions.factors], axis=2)


def _likeliest(features: Singles, targets: Singles, centre: Floats, ridge: float, start: Floats) -> Floats:
    """Weights of the best penalised likelihood, which is concave; by L-BFGS."""
    flat = features.reshape(-1, features.shape[2])
    total = float(targets.sum())
    events = targets.sum(axis=1)[:, None]
    seen = (targets.reshape(-1) @ flat).astype(np.float64)

    def loss(weights: Floats) -> tuple[float, Floats]:
        logs = _log_softmax((flat @ weights.astype(np.float32)).reshape(targets.shape))
        expected = (np.exp(logs) * events).reshape(-1) @ flat
        away = weights - centre
        value = -float(np.vdot(targets, logs)) / total + ridge * float(away @ away) / 2
        return value, (expected - seen) / total + ridge * away

    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _MOST_STEPS})
    return np.asarray(found.x)


def _log_softmax(scores: Singles) -> Singles:
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
