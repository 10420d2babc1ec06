"""The score of the PAutomaC competition."""

from collections.abc import Hashable, Iterable
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils.validation import real_array
from ...sequences.strings import Strings

_Floats: TypeAlias = NDArray[np.float64]
_Strings: TypeAlias = Strings | Iterable[Iterable[Hashable]]


@runtime_checkable
class _Distribution(Protocol):
    def log_probability(self, sequences: _Strings) -> _Floats: ...


def pautomac_perplexity(
    model: _Distribution | ArrayLike, true: ArrayLike, sequences: _Strings | None = None
) -> float:
    """The score of the PAutomaC competition: the perplexity of a model of test strings.

    With p the true and q the model's probabilities, both divided by their sums over the test strings, the
    score is 2 to the power of -sum p log2 q. It is least, the perplexity of p, where q = p.

    Parameters
    ----------
    model : ProbabilisticAutomaton, StringDistribution or array_like of float, shape (n_strings,)
        A model of the strings, or their probabilities.
    true : array_like of float, shape (n_strings,)
        The true probabilities, as `read_pautomac_solution` reads them.
    sequences : Strings or iterable of sequences
        The test strings; only where `model` is a model.

    Returns
    -------
    float
        Infinity if a string that has a true probability above 0 has none in the model.

    Raises
    ------
    ValueError
        If shapes differ, a probability is negative or no finite number, or all are 0.

    References
    ----------
    .. [1] S. Verwer, R. Eyraud, C. de la Higuera: PAutomaC: a probabilistic automata and hidden Markov models
       learning competition. Machine Learning 96 (2014).

    Examples
    --------
    >>> from hankelmatch import ProbabilisticAutomaton, pautomac_perplexity
    >>> pautomac_perplexity([0.2, 0.2], [0.5, 0.5]), round(pautomac_perplexity([0.3, 0.1], [0.5, 0.5]), 6)
    (2.0, 2.309401)
    >>> coin = ProbabilisticAutomaton([1.0], [0.5], {"a": [[0.5]]})
    >>> pautomac_perplexity(coin, [0.5, 0.25], ["", "a"]) == pautomac_perplexity([2, 1], [2, 1])
    True
    """
    p = _shares("true", true)
    if isinstance(model, _Distribution):
        if sequences is None:
            raise ValueError("sequences: a model needs the test strings; give them")
        logs = model.log_probability(sequences)
        q = _shares("model", np.exp(logs - logs.max(initial=-np.inf)) if np.isfinite(logs).any() else 0 * p)
    elif sequences is not None:
        raise ValueError("sequences: given beside probabilities, which need none; leave them out")
    else:
        q = _shares("model", model)
    if p.shape != q.shape:
        raise ValueError(f"true: {len(p)} probabilities for {len(q)} strings; give one for each")
    used = p > 0
    with np.errstate(divide="ignore"):
        return float(2 ** -(p[used] @ np.log2(q[used])))


def _shares(argument: str, probabilities: ArrayLike) -> _Floats:
    values = real_array(argument, probabilities).astype(np.float64)
    bad = values.ndim != 1 or not np.isfinite(values).all() or (values < 0).any()
    if bad or values.sum() <= 0:
        raise ValueError(f"{argument}: numbers from 0, one for each string and not all 0, are needed")
    return np.asarray(values / values.sum())
