"""Weights of mixtures by expectation-maximisation, the weak parts left out."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils.process.blas_threads import blas_threads_for

Floats: TypeAlias = NDArray[np.float64]

_LONGER = 1.5  # the factor by which steps grow


def fit_weights(
    probabilities: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    least: float = 0.0,
    tolerance: float = 1e-7,
    most_iterations: int = 10_000,
) -> Floats:
    """The weights with which a mixture makes held-out symbols likeliest.

    Parameters
    ----------
    probabilities : array_like, shape (n_events, n_models)
        What each model says of each symbol that was seen; from 0, and not 0 by every model.
    counts : array_like, shape (n_events,), optional
        How often each was seen, by default once.
    least : float
        Models that get less than this are left out, and the weights of the others fitted again, until
        none has less.
    tolerance : float
        Stop when an iteration gains less than this in the mean logarithm of the probability.
    most_iterations : int
        Stop after so many.

    Returns
    -------
    ndarray of float64, shape (n_models,)
        From 0, summing to 1.

    Raises
    ------
    ValueError
        If there are no models or events, a probability is negative or not finite, an event is impossible by
        every model, or `least` leaves nothing.

    Notes
    -----
    The mean log-probability is concave in the weights and EM never lowers it, so this ends near its maximum
    (Dempster, Laird and Rubin 1977). Cost: O(n_events x n_models) for each iteration.

    Examples
    --------
    >>> fit_weights([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]]).round(2)
    array([0.68, 0.32])
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 2 or p.size == 0:
        raise ValueError(f"probabilities: a row an event and a column a model are needed, not {p.shape}")
    if not (np.isfinite(p).all() and (p >= 0).all() and p.any(axis=1).all()):
        raise ValueError("probabilities: numbers from 0 are needed, and for each event one above 0")
    shares = np.ones(len(p)) if counts is None else np.asarray(counts, dtype=np.float64)
    if shares.shape != (len(p),) or not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise ValueError(f"counts: one from 0 for each of {len(p)} events is needed, not all of them 0")
    shares = shares / shares.sum()
    kept = np.arange(p.shape[1])
    while True:
        with blas_threads_for(4.0 * p.size):  # at once; threads would wait for one another at each step
            weights = _maximised(p[:, kept], shares, tolerance, most_iterations)
        strong = weights >= least
        if strong.all():
            break
        if not strong.any() or not p[:, kept[strong]].any(axis=1).all():
            raise ValueError(f"least: {least} leaves no models that allow for every event; lower it")
        kept = kept[strong]
    result = np.zeros(p.shape[1])
    result[kept] = weights
    return result


def _maximised(p: Floats, shares: Floats, tolerance: float, most_iterations: int) -> Floats:
    """EM from equal weights, with longer and longer steps as long as they go up.

    R. Salakhutdinov, S. Roweis: Adaptive overrelaxed bound optimization methods. ICML 2003.
    """
    weights = np.full(p.shape[1], 1.0 / p.shape[1])
    mixed = p @ weights
    now = float(shares @ np.log(mixed))
    length = 1.0
    for _ in range(most_iterations):
        gradient = p.T @ (shares / mixed)
        stepped = _stepped(weights, gradient, length)
        mixed = p @ stepped
        with np.errstate(divide="ignore"):
            reached = float(shares @ np.log(mixed))
        if not reached >= now and length > 1.0:  # a plain step never goes down
            length = 1.0
            stepped = _stepped(weights, gradient, length)
            mixed = p @ stepped
            reached = float(shares @ np.log(mixed))
        gain, now, weights = reached - now, reached, stepped
        if gain < tolerance and length == 1.0:
            break
        length = 1.0 if gain < tolerance else length * _LONGER
    return weights


def _stepped(weights: Floats, gradient: Floats, length: float) -> Floats:
    new = weights * gradient**length
    return np.asarray(new / new.sum())
