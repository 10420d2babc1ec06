"""Scores of rankings: normalised discounted cumulative gain as in the SPiCe competition."""

import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .._utils.validation import as_string, check_flag, check_type, checked_whole, listed
from ..sequences.labels import checked_label

_Label = TypeVar("_Label", bound=Hashable)


@overload
def ndcg(
    rankings: Sequence[Sequence[Hashable]],
    targets: Sequence[Mapping[_Label, float]],
    k: int = 5,
    *,
    per_prefix: Literal[False] = False,
) -> float: ...


@overload
def ndcg(
    rankings: Sequence[Sequence[Hashable]],
    targets: Sequence[Mapping[_Label, float]],
    k: int = 5,
    *,
    per_prefix: Literal[True],
) -> NDArray[np.float64]: ...


def ndcg(
    rankings: Sequence[Sequence[Hashable]],
    targets: Sequence[Mapping[_Label, float]],
    k: int = 5,
    *,
    per_prefix: bool = False,
) -> float | NDArray[np.float64]:
    """Normalised discounted cumulative gain at `k` of next-symbol rankings.

    The gain of one ranking is the sum over ranks r = 1..k of p(label at rank r) / log2(r + 1), divided by
    the best gain that any ranking can have. A repeated label scores nothing and uses its rank up.

    Parameters
    ----------
    rankings : sequence of sequences of labels
        For every test prefix, the predicted next symbols, best first. Labels beyond the first `k` are
        ignored; a ranking may be shorter.
    targets : sequence of mappings from label to probability
        For every test prefix, the true distribution of the next symbol; labels that are left out have
        probability 0. In SPiCe's data the label -1 is the end of the sequence; it is a label like others.
    k : int, optional
        Number of ranks that count.
    per_prefix : bool, optional
        Return the score of every prefix in place of the mean.

    Returns
    -------
    float or ndarray of float64
        The mean over prefixes, between 0 and 1, or the score of each.

    Raises
    ------
    ValueError
        If the lengths differ, there is nothing to score, `k` is below 1, or a target has no positive
        probability (no ranking can score on it) or a negative or infinite one.

    References
    ----------
    .. [1] B. Balle, R. Eyraud, F. M. Luque, A. Quattoni, S. Verwer: Results of the Sequence PredIction
       ChallengE (SPiCe): a competition on learning the next symbol in a sequence. ICGI 2016.

    Examples
    --------
    >>> targets = [{"a": 0.75, "b": 0.25}, {"b": 1.0}]
    >>> ndcg([["a", "b"], ["b"]], targets)
    1.0
    >>> ndcg([["b", "b", "a"], ["a", "b"]], targets, per_prefix=True).round(4)
    array([0.6885, 0.6309])
    """
    k = checked_whole("k", k, 1)
    check_flag("per_prefix", per_prefix)
    rankings = [
        _checked_ranking(f"rankings[{i}]", ranking, k)
        for i, ranking in enumerate(listed("rankings", rankings, "a list of lists of labels"))
    ]
    targets = listed("targets", targets, "a list of mappings from label to probability")
    for i, target in enumerate(targets):
        check_type(f"targets[{i}]", target, Mapping, "a mapping from label to probability")
    if len(rankings) != len(targets):
        raise ValueError(f"rankings: {len(rankings)} for {len(targets)} targets; give one for every target")
    if len(targets) == 0:
        raise ValueError("targets: none given; give at least one prefix to score")
    best = np.array([_checked_best_gain(target, k, prefix) for prefix, target in enumerate(targets)])
    gains = np.array([_gain(ranking, target) for ranking, target in zip(rankings, targets, strict=True)])
    scores = gains / best
    return scores if per_prefix else float(scores.mean())


def _checked_ranking(argument: str, ranking: Sequence[Hashable], k: int) -> list[Hashable]:
    return [checked_label(argument, label) for label in as_string(argument, ranking)[:k]]


def _gain(ranking: Sequence[Hashable], target: Mapping[Hashable, float]) -> float:
    """Discounted gain of one ranking; only the first occurrence of a label gains."""
    first_rank: dict[Hashable, int] = {}
    for rank, label in enumerate(ranking, start=1):
        first_rank.setdefault(label, rank)
    return sum(target.get(label, 0.0) / math.log2(rank + 1) for label, rank in first_rank.items())


def _checked_best_gain(target: Mapping[_Label, float], k: int, prefix: int) -> float:
    """Discounted gain of the best ranking, if there is one."""
    if not all(isinstance(p, (float, numbers.Real)) and 0 <= p < math.inf for p in target.values()):
        raise ValueError(
            f"targets: prefix {prefix} has a probability that is no finite number from 0: {dict(target)!r}"
        )
    gain = best_gain(target, k)
    if gain == 0.0:
        raise ValueError(f"targets: prefix {prefix} has no label of positive probability: {dict(target)!r}")
    return gain


def best_gain(target: Mapping[_Label, float], k: int) -> float:
    """Discounted gain of labels by falling probability."""
    probabilities = sorted(target.values(), reverse=True)
    return sum(p / math.log2(rank + 1) for rank, p in enumerate(probabilities[:k], start=1))
