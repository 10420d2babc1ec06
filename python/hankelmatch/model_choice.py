"""Options of a language model chosen on held-out data: many are tried, what they share is computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .corpus import Strings
from .language_model import Floats, LanguageModel

__all__ = ["bits_for_states", "probabilities_for_options"]

_SCORING_OPTIONS = ("contexts", "floor", "mixing", "n_sequences")  # what makes other use of the same values


def bits_for_states(
    model: LanguageModel,
    corpus: Strings | Iterable[Iterable[Hashable]],
    n_states: Sequence[int],
    progress: Callable[[int, float], None] | None = None,
    *,
    sample_weight: ArrayLike | None = None,
) -> list[float]:
    """Bits per symbol of a corpus for many numbers of states, to choose one on held-out text.

    Parameters
    ----------
    model : LanguageModel
        With an automaton from `learn_automaton`, of which every smaller one is the leading part.
    corpus : Corpus, Strings or iterable of sequences of labels
        Held-out text.
    n_states : sequence of int
        Numbers of states to try, none above ``model.automaton.n_states``.
    progress : callable, optional
        Called as ``progress(n, bits)`` after each.
    sample_weight : array_like of float, shape (n_sequences,), optional
        How often each sequence counts.

    Returns
    -------
    list of float
        Bits per symbol, in the order of `n_states`.

    Notes
    -----
    The substrings of the corpus are counted once for all.
    """
    events = model._events(corpus, sample_weight)
    bits = []
    for n in n_states:
        smaller = model.replace(automaton=model.automaton.truncate(n))
        bits.append(smaller._score_events(events).bits_per_symbol)
        if progress is not None:
            progress(n, bits[-1])
    return bits


def probabilities_for_options(
    model: LanguageModel,
    contexts: Iterable[Iterable[Hashable]],
    options: Sequence[Mapping[str, Any]],
    *,
    at_start: bool = True,
) -> Iterator[tuple[NDArray[np.int64], list[Floats]]]:
    """Distributions after many contexts for many options, to choose them on held-out contexts.

    The automaton's values, which take most of the time, are worked out once for all.

    Parameters
    ----------
    model : LanguageModel
        What the options change.
    contexts : iterable of iterables of labels
        As for `LanguageModel.probabilities_after`.
    options : sequence of mappings
        For each set-up what differs from `model`: any of contexts, floor, mixing and n_sequences.
    at_start : bool, optional
        As for `LanguageModel.next_symbol_probabilities`.

    Yields
    ------
    part : ndarray of int64
        Which of the contexts. Each is in one part, and parts are small enough for little memory.
    probabilities : list of ndarray of float64, shape (contexts of the part, n_symbols)
        For every set-up what ``model.replace(**options).probabilities_after(contexts)`` has for them.

    Raises
    ------
    ValueError
        If there are other options, or their values are out of range.

    Examples
    --------
    >>> from hankelmatch import LanguageModel, WeightedAutomaton
    >>> coin = WeightedAutomaton([1.0], [1.0], {"a": [[2 / 3]], "b": [[1 / 3]]}, n_sequences=1)
    >>> model = LanguageModel(coin, window=2)
    >>> for part, (longest, mixed) in probabilities_for_options(
    ...     model, ["ab", "b"], [{"contexts": "longest"}, {"mixing": 1.0}]
    ... ):
    ...     part.tolist(), longest.shape, mixed.shape
    ([0, 1], (2, 2), (2, 2))
    """
    others = {name for changes in options for name in changes}.difference(_SCORING_OPTIONS)
    if others:
        raise ValueError(f"options: {', '.join(sorted(others))}; choose from {', '.join(_SCORING_OPTIONS)}")
    models = [model.replace(**changes) for changes in options]
    cut = [model._context_symbols(context, at_start) for context in contexts]
    return model._shared_probabilities(models, cut)
