"""Which parts a windowed automaton is mixed with, and by which weights, chosen on held-out text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...counting.sequence_function import SequenceFunction
from .._events import ScoredText
from .._smoothing import Floats
from ..language_model import LanguageModel
from ..selection import HeldOut
from ._whole_histories import history_automaton
from .mixture import MixtureModel, Single, contributions
from .n_grams import KneserNeyModel
from .weights import fit_weights

PARTS = ("window", "histories", "n-grams")

_NUMBERS = (4, 6, 8, 11, 16, 23, 32, 45, 64, 90, 128)  # of states for whole histories
_ENOUGH = 20_000  # scored symbols, to choose among the numbers; all of them decide on the weights
_WORSE = 2  # numbers in a row that are worse end the search
_LEAST_WEIGHT = 0.01
_LEAST_GAIN = 1e-4  # bits a symbol; for less nothing is mixed
_TOLERANCE = 1e-7


@dataclass(frozen=True)
class MixtureChoice:
    """What is mixed.

    Attributes
    ----------
    weights : dict of str to float
        Of "window", which may be 0, and of "histories" and "n-grams" where they are above 0.
    n_history_states : int
        Number of states for whole histories; 0 if they have no weight.
    bits : float
        Bits per symbol of the held-out text.
    """

    weights: dict[str, float]
    n_history_states: int
    bits: float

    def build(self, window: LanguageModel, f: SequenceFunction) -> LanguageModel | MixtureModel:
        """The mixture of a windowed model and parts made from the substrings that it was learned from."""
        parts: dict[str, Single] = {"window": window}
        if self.n_history_states:
            parts["histories"] = history_models(window, f, [self.n_history_states])[-1]
        if "n-grams" in self.weights:
            parts["n-grams"] = KneserNeyModel(f, window.window, unseen=window.unseen)
        if self.weights.keys() == {"window"}:
            return window
        return MixtureModel([parts[name] for name in self.weights], [*self.weights.values()])


def choose_mixture(
    window: LanguageModel,
    f: SequenceFunction,
    dev: HeldOut,
    show: Callable[[str], None] = lambda line: None,
) -> tuple[MixtureChoice, dict[str, dict[str, float]]]:
    """What to mix a windowed model with, by held-out text.

    Parameters
    ----------
    window : LanguageModel
        What was learned and chosen before.
    f : SequenceFunction
        The substrings that it was learned from.
    dev : HeldOut
        The text.
    show : callable
        Gets a line of text after each number of states.

    Returns
    -------
    choice : MixtureChoice
        With the weights by expectation-maximisation, and the number of states for whole histories that makes
        the mixture best.
    report : dict of str to dict
        What each part does for the held-out text: its weight, its bits alone, and the mixture's without it.
    """
    text = window._scored_text(dev.corpus, dev.weights)
    parts: dict[str, Single] = {"window": window}
    if f._is_closed:
        parts["n-grams"] = KneserNeyModel(f, window.window, unseen=window.unseen)
    p = {name: model._probabilities_of(text) for name, model in parts.items()}
    best = _weighed(p, text, 0)
    histories = _best_histories(window, f, p, text, show)
    if histories is not None:
        own = histories._probabilities_of(text)
        found = _weighed({**p, "histories": own}, text, histories.automaton.n_states)
        if found.bits < best.bits - _LEAST_GAIN:
            best, p["histories"], parts["histories"] = found, own, histories
    alone = text.bits_per_symbol(p["window"])
    if best.bits > alone - _LEAST_GAIN:
        best = MixtureChoice({"window": 1.0}, 0, alone)
    names = [*best.weights]
    mixture = MixtureModel([parts[name] for name in names], [*best.weights.values()])
    found_each = contributions(mixture, text, np.stack([p[name] for name in names], axis=1))
    report = {c.part: {k: v for k, v in c._asdict().items() if k != "part"} for c in found_each}
    return best, report


def _best_histories(
    window: LanguageModel,
    f: SequenceFunction,
    p: dict[str, Floats],
    text: ScoredText,
    show: Callable[[str], None],
) -> LanguageModel | None:
    """The model of whole histories that makes the mixture best, by a part of the text; None: none does."""
    part, is_in_part = text.thinned(_ENOUGH)
    p = {name: own[is_in_part] for name, own in p.items()}
    best, bits = None, _weighed(p, part, 0).bits
    worse = 0
    for model in history_models(window, f, _NUMBERS):
        n = model.automaton.n_states
        found = _weighed({**p, "histories": model._probabilities_of(part)}, part, n)
        show(f"{n} states for whole histories: {found.bits:.4f} bits per symbol on dev")
        worse = 0 if found.bits < bits - _LEAST_GAIN else worse + 1
        if worse == 0:
            best, bits = model, found.bits
        if worse >= _WORSE:
            break
    return best


def history_models(window: LanguageModel, f: SequenceFunction, numbers: Sequence[int]) -> list[LanguageModel]:
    """Models of whole histories with numbers of states, as many as there can be."""
    automaton = history_automaton(f, max(numbers))
    if automaton is None:
        return []
    possible = sorted({min(n, automaton.n_states) for n in numbers})
    return [
        LanguageModel(automaton.truncate(n), window.window, history="whole", unseen=window.unseen)
        for n in possible
    ]


def _weighed(p: dict[str, Floats], text: ScoredText, n_history_states: int) -> MixtureChoice:
    """The weights of some parts by expectation-maximisation."""
    joint = np.stack([*p.values()], axis=1)
    weights = fit_weights(joint, text.weights, least=_LEAST_WEIGHT, tolerance=_TOLERANCE)
    kept = {name: float(w) for name, w in zip(p, weights, strict=True) if w > 0 or name == "window"}
    n = n_history_states if "histories" in kept else 0
    return MixtureChoice(kept, n, text.bits_per_symbol(joint @ weights))
