"""Choices on dev as the paper makes them: the number of states, then the mixing weight and the shrinkage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from hankelmatch import Corpus, LanguageModel
from hankelmatch.prediction.selection import MIXINGS, bits_for_options, bits_for_states

__all__ = ["choose_all", "choose_states", "coarse_numbers", "numbers_of_states"]

# Shares of the rank that are tried as numbers of states, and of a smaller number where each takes minutes.
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.96, 1.0)
_COARSE_SHARES = (0.4, 0.7, 1.0)
_SHRINKAGES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)  # occurrences in the training text


class Choice(NamedTuple):
    """What was chosen on dev, and its bits per symbol there."""

    n_states: int
    shrinkage: float
    options: Mapping[str, Any]
    bits: float


def numbers_of_states(most: int) -> list[int]:
    """The numbers of states that are tried where up to `most` are possible."""
    return sorted({max(1, round(most * share)) for share in _SHARES})


def coarse_numbers(most: int) -> list[int]:
    """Fewer numbers of states."""
    return [round(most * share) for share in _COARSE_SHARES]


def choose_states(
    model: LanguageModel, dev: Corpus, numbers: Sequence[int] | None = None
) -> tuple[LanguageModel, dict[str, Any]]:
    """The model with the number of states that predicts dev best, and what each of them came to."""
    numbers = numbers_of_states(model.automaton.n_states) if numbers is None else list(numbers)
    bits = bits_for_states(model, dev, numbers)
    best = int(np.argmin(bits))
    chosen = model.replace(automaton=model.automaton.truncate(numbers[best]))
    tried = dict(zip(map(str, numbers), bits, strict=True))
    return chosen, {"n_states": numbers[best], "dev_bits": bits[best], "dev_bits_by_states": tried}


def choose_all(
    learn: Callable[[float], LanguageModel], dev: Corpus, numbers: Sequence[int], *, shrunk: bool
) -> tuple[LanguageModel, dict[str, Any]]:
    """The model that predicts dev best, and what it is.

    First its number of states is chosen, then the mixing weight if contexts are mixed, then, if so wanted,
    the shrinkage, with the weight for each.
    """
    model = learn(0.0)
    chosen, result = choose_states(model, dev, numbers)
    choice = Choice(result["n_states"], 0.0, {}, result["dev_bits"])
    options: list[dict[str, float]] = [{}]
    if model.contexts == "mixed":
        options = [{"mixing": c} for c in MIXINGS]
        choice = Choice(choice.n_states, 0.0, *_best_options(chosen, dev, options))
    if shrunk:
        del model, chosen  # their memory is needed
        tried = sorted({choice.n_states, max(numbers)})
        choice = _shrunk(choice, learn, dev, tried, options)
        model = learn(choice.shrinkage)
    chosen = model.replace(automaton=model.automaton.truncate(choice.n_states), **choice.options)
    return chosen, result | {
        "n_states": choice.n_states,
        "shrinkage": choice.shrinkage,
        "mixing": choice.options.get("mixing"),
        "dev_bits": choice.bits,
    }


def _best_options(
    model: LanguageModel, dev: Corpus, options: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], float]:
    """The options with which a model predicts dev best, and its bits per symbol."""
    bits = bits_for_options(model, dev, options)
    best = int(np.argmin(bits))
    return options[best], bits[best]


def _shrunk(
    unshrunk: Choice,
    learn: Callable[[float], LanguageModel],
    dev: Corpus,
    numbers: Sequence[int],
    options: Sequence[Mapping[str, Any]],
) -> Choice:
    """The best of a choice without shrinkage and those with more and more of it, as long as that helps.

    Of a shrunk automaton more states are of use, so each is tried with some `numbers` of them.
    """
    best = unshrunk
    for shrinkage in _SHRINKAGES:
        found = _best_shrunk(learn(shrinkage), shrinkage, dev, numbers, options)  # none is kept
        if found.bits >= best.bits:
            break
        best = found
    return best


def _best_shrunk(
    model: LanguageModel,
    shrinkage: float,
    dev: Corpus,
    numbers: Sequence[int],
    options: Sequence[Mapping[str, Any]],
) -> Choice:
    tried = []
    for n in numbers:
        smaller = model.replace(automaton=model.automaton.truncate(n))
        tried.append(Choice(n, shrinkage, *_best_options(smaller, dev, options)))
    return min(tried, key=lambda choice: choice.bits)
