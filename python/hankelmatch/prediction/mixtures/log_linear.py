"""Log-linear mixtures: normalised products of powers of distributions, and their exponents.

D. Klakow: Log-linear interpolation of language models. ICSLP 1998.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .weights import Floats

_LEAST = 1e-30  # a smaller probability counts as this where exponents are fitted; its logarithm is finite
_CHUNK = 1 << 18  # entries of one part at a time: a pass stays in the cache
_RIDGE = 1e-9  # of the trace, where parts are so alike that the curvature is singular
_HALVINGS = 30
_MOST_ITERATIONS = 50


def product_of_powers(distributions: Sequence[Floats], exponents: Sequence[float] | Floats) -> Floats:
    """Distributions proportional to the product of powers of some others.

    Parameters
    ----------
    distributions : sequence of ndarray, shape (..., n_symbols)
        Of each part.
    exponents : sequence of float
        One of each part, above 0.

    Returns
    -------
    ndarray of float64, shape (..., n_symbols)
        Where no symbol is possible by all parts, the mean of the parts.
    """
    with np.errstate(divide="ignore"):
        total = sum(w * np.log(p) for w, p in zip(exponents, distributions, strict=True))
    highest = np.max(total, axis=-1, keepdims=True)
    is_possible = highest > -np.inf
    product = np.exp(total - np.where(is_possible, highest, 0.0))
    if not is_possible.all():
        product = np.where(is_possible, product, np.mean(distributions, axis=0))
    return np.asarray(product / product.sum(axis=-1, keepdims=True))


def fit_exponents(
    log_probabilities: NDArray[np.floating[Any]],
    symbols: NDArray[np.integer[Any]],
    counts: ArrayLike | None = None,
    *,
    start: Floats | None = None,
    least: float = 0.0,
    tolerance: float = 1e-7,
) -> Floats:
    """The exponents, from 0, with which a log-linear mixture makes held-out symbols likeliest.

    Parameters
    ----------
    log_probabilities : ndarray, shape (n_models, n_events, n_symbols)
        Finite natural logarithms of each model's distribution at each event; `logarithms` makes them.
    symbols : ndarray of int, shape (n_events,)
        What was seen there.
    counts : array_like of float, shape (n_events,), optional
        How often each event counts, by default once.
    start : ndarray of float64, shape (n_models,), optional
        Where the search begins; equal exponents with sum 1 by default.
    least : float
        Models that get less than this are left out, and the exponents of the others fitted again, until none
        has less.
    tolerance : float
        Stop when an iteration gains less than this in the mean logarithm of the probability.

    Returns
    -------
    ndarray of float64, shape (n_models,)

    Raises
    ------
    ValueError
        If `least` leaves nothing.

    Notes
    -----
    The mean log-probability is concave; its gradient is the difference, and its curvature the covariance, of
    the parts' logarithms under the mixture. Newton's method with projection: exponents that are 0 and would
    sink stay (D. P. Bertsekas 1982). Cost: a few passes over `log_probabilities`, each with n_models^2
    operations an entry.

    Examples
    --------
    Two parts that know a symbol each:

    >>> both = np.log([[[0.8, 0.2], [0.5, 0.5]], [[0.5, 0.5], [0.3, 0.7]]])
    >>> bool((fit_exponents(both, np.array([0, 1]), [3.0, 2.0]) > 0).all())
    True
    """
    n_models, n_events, _ = log_probabilities.shape
    shares = np.ones(n_events) if counts is None else np.asarray(counts, dtype=np.float64)
    shares = shares / shares.sum()
    start = np.full(n_models, 1.0 / n_models) if start is None else start
    kept = np.arange(n_models)
    while True:
        logs = log_probabilities if len(kept) == n_models else log_probabilities[kept]
        exponents = _maximised(logs, symbols, shares, start[kept], tolerance)
        strong = exponents >= least
        if strong.all():
            break
        if not strong.any():
            raise ValueError(f"least: {least} leaves no models; lower it")
        kept = kept[strong]
    result = np.zeros(n_models)
    result[kept] = exponents
    return result


def _maximised(
    log_probabilities: NDArray[np.floating[Any]],
    symbols: NDArray[np.integer[Any]],
    shares: Floats,
    exponents: Floats,
    tolerance: float,
) -> Floats:
    now = _likelihood(log_probabilities, symbols, shares, exponents)
    for _ in range(_MOST_ITERATIONS):
        step = _newton_step(exponents, now)
        for _ in range(_HALVINGS):
            moved = np.maximum(exponents + step, 0.0)
            reached = _likelihood(log_probabilities, symbols, shares, moved)
            if reached.value >= now.value:
                break
            step /= 2
        else:
            break
        gain, now, exponents = reached.value - now.value, reached, moved
        if gain < tolerance:
            break
    return exponents


def _newton_step(exponents: Floats, now: _Likelihood) -> Floats:
    """Of those that are not 0, or would rise."""
    free = (exponents > 0) | (now.gradient > 0)
    curvature = now.curvature[np.ix_(free, free)]
    curvature = curvature + (_RIDGE * np.trace(curvature) + _LEAST) * np.eye(len(curvature))
    step = np.zeros(len(exponents))
    step[free] = np.linalg.solve(curvature, now.gradient[free])
    return step


def logarithms(distributions: Floats) -> NDArray[np.float32]:
    """Finite logarithms of distributions."""
    return np.log(np.maximum(distributions, _LEAST)).astype(np.float32)


def log_probabilities_of(
    log_probabilities: NDArray[np.floating[Any]], symbols: NDArray[np.integer[Any]], exponents: Floats
) -> Floats:
    """Natural logarithms of the probabilities of symbols by a log-linear mixture, shape (n_events,)."""
    result = np.empty(len(symbols))
    for part, logs in _parts(log_probabilities):
        mixed = np.tensordot(exponents, logs, axes=1)
        result[part] = mixed[np.arange(len(mixed)), symbols[part]] - _log_sums(mixed)
    return result


class _Likelihood(NamedTuple):
    """The mean log-probability of symbols, its gradient in the exponents, minus its second derivatives."""

    value: float
    gradient: Floats
    curvature: Floats


def _likelihood(
    log_probabilities: NDArray[np.floating[Any]],
    symbols: NDArray[np.integer[Any]],
    shares: Floats,
    exponents: Floats,
) -> _Likelihood:
    n = len(exponents)
    value, gradient, curvature = 0.0, np.zeros(n), np.zeros((n, n))
    for part, logs in _parts(log_probabilities):
        share = shares[part]
        mixed = np.tensordot(exponents, logs, axes=1)
        mixed -= _log_sums(mixed)[:, None]
        rows, seen = np.arange(len(mixed)), symbols[part]
        value += float(share @ mixed[rows, seen])
        p = np.exp(mixed, out=mixed)
        weighted = logs * p
        means = weighted.sum(axis=2)
        gradient += (logs[:, rows, seen] - means) @ share
        weighted *= share[:, None]
        curvature += weighted.reshape(n, -1) @ logs.reshape(n, -1).T - (means * share) @ means.T
    return _Likelihood(value, gradient, curvature)


def _parts(log_probabilities: NDArray[np.floating[Any]]) -> Any:
    """Slices of the events, and their logarithms in double precision."""
    _, n_events, n_symbols = log_probabilities.shape
    step = max(1, _CHUNK // n_symbols)
    for first in range(0, n_events, step):
        part = slice(first, first + step)
        yield part, log_probabilities[:, part].astype(np.float64)


def _log_sums(rows: Floats) -> Floats:
    """The logarithm of the sum of the exponentials of each row."""
    highest = rows.max(axis=1)
    return np.asarray(highest + np.log(np.exp(rows - highest[:, None]).sum(axis=1)))
