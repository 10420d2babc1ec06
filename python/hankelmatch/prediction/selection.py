"""Choices of a language model's options on held-out data; what the options share is computed once."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..sequences.strings import Strings
from ._scoring import bits_of, probabilities_of
from ._smoothing import Floats, Smoothing
from .language_model import LanguageModel

# What is tried where nothing else is given.
MIXINGS = (0.35, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0)
FLOOR_SHARES = (0.3, 1.0, 3.0, 10.0)  # of the default floor

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

    Raises
    ------
    ValueError
        If the model's history is "whole".

    Notes
    -----
    The substrings of the corpus are counted once for all.
    """
    _refuse_whole_histories(model)
    events = model._events(corpus, sample_weight)
    bits = []
    for n in n_states:
        smaller = model.replace(automaton=model.automaton.truncate(n))
        bits += bits_of(smaller.automaton, smaller.window, [smaller.smoothing], events)
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

    The automaton's values, which take most of the time, are computed once for all.

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
        If there are other options, their values are out of range, or the model's history is "whole".

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
    ways = _ways(model, options)
    ids = [model._context_ids(context, at_start) for context in contexts]
    return probabilities_of(model.automaton, model.window, ways, ids)


def _ways(model: LanguageModel, options: Sequence[Mapping[str, Any]]) -> list[Smoothing]:
    """How each set-up uses the automaton's values."""
    _refuse_whole_histories(model)
    others = {name for changes in options for name in changes}.difference(_SCORING_OPTIONS)
    if others:
        raise ValueError(f"options: {', '.join(sorted(others))}; choose from {', '.join(_SCORING_OPTIONS)}")
    return [model.replace(**changes).smoothing for changes in options]


def _refuse_whole_histories(model: LanguageModel) -> None:
    """What is computed once for all is the automaton's values of windows."""
    if model.history == "whole":
        raise ValueError(
            'model: its history is "whole", for which options share nothing; try them one after the other '
            "with model.replace(...)"
        )


def bits_for_options(
    model: LanguageModel,
    corpus: Strings | Iterable[Iterable[Hashable]],
    options: Sequence[Mapping[str, Any]],
    *,
    sample_weight: ArrayLike | None = None,
) -> list[float]:
    """Bits per symbol of a corpus for many options, to choose them on held-out text.

    Parameters
    ----------
    model, options
        As for `probabilities_for_options`, with the same errors; the values are computed once for all, too.
    corpus : Corpus, Strings or iterable of sequences of labels
        Held-out text.
    sample_weight : array_like of float, shape (n_sequences,), optional
        How often each sequence counts.

    Returns
    -------
    list of float
        What ``model.replace(**options).bits_per_symbol(corpus)`` has for each.

    Examples
    --------
    >>> from hankelmatch import LanguageModel, WeightedAutomaton
    >>> coin = WeightedAutomaton([1.0], [1.0], {"a": [[2 / 3]], "b": [[1 / 3]]}, n_sequences=1)
    >>> model = LanguageModel(coin, window=2)
    >>> [round(bits, 3) for bits in bits_for_options(model, ["aab"], [{"mixing": 1}, {"mixing": 9}])]
    [0.957, 0.942]
    """
    events = model._events(corpus, sample_weight)
    return bits_of(model.automaton, model.window, _ways(model, options), events)


class HeldOut(NamedTuple):
    """Text to choose on, and the weights of its sequences if they have some."""

    corpus: Strings
    weights: NDArray[np.float64] | None = None
