"""The score of the PAutomaC competition."""

from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils.validation import real_array
from ...automata.automaton import WeightedAutomaton
from ._over_strings import Sequences, plain_strings

_Floats: TypeAlias = NDArray[np.float64]


@runtime_checkable
class _Distribution(Protocol):
    def log_probability(self, sequences: Sequences) -> _Floats: ...


def pautomac_perplexity(
    model: _Distribution | WeightedAutomaton | ArrayLike, true: ArrayLike, sequences: Sequences | None = None
) -> float:
    """The score of the PAutomaC competition: the perplexity of a model of test strings.

    With p the true and q the model's probabilities, both divided by their sums over the test strings, the
    score is 2 to the power of -sum p log2 q. It is least, the perplexity of p, where q = p.

    Parameters
    ----------
    model : ProbabilisticAutomaton, StringDistribution, WeightedAutomaton, or array_like of float
        A model of the strings, or their probabilities, shape (n_strings,).
    true : array_like of float, shape (n_strings,)
        The true probabilities, as `read_pautomac_solution` reads them.
    sequences : Strings or iterable of sequences
        The test strings; only where `model` is a model. End symbols of a `Corpus` are left out.

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
    if isinstance(model, _Distribution | WeightedAutomaton):
        if sequences is None:
            raise ValueError("sequences: a model needs the test strings; give them")
        q = _shares("model", _probabilities(model, sequences))
    elif sequences is not None:
        raise ValueError("sequences: given beside probabilities, which need none; leave them out")
    else:
        q = _shares("model", model)
    if p.shape != q.shape:
        raise ValueError(f"true: {len(p)} probabilities for {len(q)} strings; give one for each")
    used = p > 0
    with np.errstate(divide="ignore", over="ignore"):
        return float(2 ** -(p[used] @ np.log2(q[used])))


def _probabilities(model: _Distribution | WeightedAutomaton, sequences: Sequences) -> _Floats:
    """Of strings by a model, up to a common factor: those of long strings may be too small for float64."""
    if isinstance(model, WeightedAutomaton):
        return model.values_of(plain_strings(sequences, model.alphabet))
    logs = model.log_probability(sequences)
    return np.exp(logs - logs.max()) if np.isfinite(logs).any() else np.zeros(len(logs))


def _shares(argument: str, probabilities: ArrayLike) -> _Floats:
    values = real_array(argument, probabilities).astype(np.float64)
    bad = values.ndim != 1 or not np.isfinite(values).all() or (values < 0).any()
    if bad or values.sum() <= 0:
        raise ValueError(f"{argument}: numbers from 0, one for each string, are needed, and not all may be 0")
    return np.asarray(values / values.sum())
