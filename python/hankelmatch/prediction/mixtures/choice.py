"""Which parts a windowed automaton is mixed with, and by which weights, chosen on held-out text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...automata.automaton import WeightedAutomaton
from ...counting.sequence_function import SequenceFunction
from .._events import ScoredText
from .._smoothing import Floats
from ..language_model import LanguageModel
from ..selection import HeldOut
from ._log_linear_trial import LogLinearTrial, try_log_linear
from ._text_distributions import Single
from ._whole_histories import CompleteBlock
from .mixture import Combination, MixtureModel, contributions
from .n_grams import KneserNeyModel
from .weights import fit_weights

PARTS = ("window", "histories", "n-grams")

_NUMBERS = (16, 64, 256)  # of states for whole histories; with a ridge, too many do no harm
_OTHER_RIDGES = (0.5, 2.0)  # beside 1, with which the number is chosen
_ENOUGH = 10_000  # scored symbols, to choose among the numbers; all of them decide on the weights
_NEARLY = 1.5  # the most that there can be takes the place of a number that is so near
_LAST_TO_BEGIN = 64  # if no number up to here has helped, none will
_LEAST_WEIGHT = 0.01
_LEAST_GAIN = 1e-4  # bits a symbol; for less nothing is mixed
_TOLERANCE = 1e-7
_ALONE = 0.95  # a part with so much weight decides alone: a log-linear mixture is not tried


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
    history_ridge : float
        The ridge with which their automaton is recovered, in units of the noise of its block.
    combination : {"linear", "log-linear"}
        As `MixtureModel` has it.
    mixing : float or None
        That of the windowed part, where it is another than the windowed model's own: in a log-linear mixture
        the others smooth it.
    """

    weights: dict[str, float]
    n_history_states: int
    bits: float
    history_ridge: float = 0.0
    combination: Combination = "linear"
    mixing: float | None = None

    def build(self, window: LanguageModel, f: SequenceFunction) -> LanguageModel | MixtureModel:
        """The mixture of a windowed model and parts made from the substrings that it was learned from."""
        if self.mixing is not None:
            window = window.replace(mixing=self.mixing)
        parts: dict[str, Single] = {"window": window}
        if self.n_history_states:
            block = CompleteBlock.of(f, self.n_history_states)
            assert block is not None  # some text to choose on had one
            automaton = block.automaton(self.history_ridge, window.automaton.dtype)
            parts["histories"] = _history_model(window, automaton, self.n_history_states)
        if "n-grams" in self.weights:
            parts["n-grams"] = KneserNeyModel(f, window.window, unseen=window.unseen)
        if self.weights.keys() == {"window"} and self.combination == "linear":
            return window
        return self.of_parts(parts)

    def of_parts(self, parts: Mapping[str, Single]) -> MixtureModel:
        """The mixture of parts that have been made."""
        models, weights = [parts[name] for name in self.weights], [*self.weights.values()]
        return MixtureModel(models, weights, combination=self.combination)


def choose_mixture(
    window: LanguageModel,
    f: SequenceFunction,
    dev: HeldOut,
    show: Callable[[str], None] = lambda line: None,
    *,
    max_states: int | None = None,
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
    max_states : int, optional
        Most states for whole histories; 256 at most, and by default.

    Returns
    -------
    choice : MixtureChoice
        With the weights that make the text likeliest, and the number of states for whole histories that makes
        the linear mixture best. Log-linear where that saves enough of the bits of events that did not choose
        its exponents.
    report : dict of str to dict
        What each part does for the held-out text: its weight, its bits alone, and the mixture's without it.
    """
    text = window._scored_text(dev.corpus, dev.weights)
    parts: dict[str, Single] = {"window": window}
    if f._is_closed:
        parts["n-grams"] = KneserNeyModel(f, window.window, unseen=window.unseen)
    p = {name: model._probabilities_of(text) for name, model in parts.items()}
    best = _weighed(p, text)
    block = CompleteBlock.of(f, min(_NUMBERS[-1], max_states or _NUMBERS[-1]))
    histories = None if block is None else _best_histories(window, block, p, text, show)
    if histories is not None:
        parts["histories"] = histories.model
        own = histories.model._probabilities_of(text)
        found = _weighed({**p, "histories": own}, text, histories)
        if found.bits < best.bits - _LEAST_GAIN:
            best, p["histories"] = found, own
    alone = text.bits_per_symbol(p["window"])
    if best.bits > alone - _LEAST_GAIN:
        best = MixtureChoice({"window": 1.0}, 0, alone)
    joint = np.stack([p[name] for name in best.weights], axis=1)
    if max(best.weights.values()) < _ALONE:
        trial, is_in_part = try_log_linear(parts, text, show)
        if trial.saves_enough(joint[is_in_part] @ np.array([*best.weights.values()])):
            return _log_linear(trial, text, histories), trial.report()
    found_each = contributions(best.of_parts(parts), text, joint)
    report = {c.part: {k: v for k, v in c._asdict().items() if k != "part"} for c in found_each}
    return best, report


def _log_linear(trial: LogLinearTrial, text: ScoredText, histories: _Histories | None) -> MixtureChoice:
    """The choice of a log-linear mixture that has been tried."""
    exponents = zip(trial.parts, trial.exponents, strict=True)
    weights = {name: float(w) for name, w in exponents if w > 0 or name == "window"}
    choice = MixtureChoice(weights, 0, 0.0, 0.0, "log-linear", trial.mixing)
    if histories is not None and "histories" in weights:
        choice = replace(choice, n_history_states=histories.n_states, history_ridge=histories.ridge)
    return replace(choice, bits=choice.of_parts(trial.parts)._bits_of(text))


class _Histories(NamedTuple):
    """A model of whole histories, the ridge of its automaton, and the bits of a mixture with it."""

    model: LanguageModel
    ridge: float
    bits: float

    @property
    def n_states(self) -> int:
        return self.model.automaton.n_states


def _best_histories(
    window: LanguageModel,
    block: CompleteBlock,
    p: dict[str, Floats],
    text: ScoredText,
    show: Callable[[str], None],
) -> _Histories | None:
    """The model of whole histories that makes the mixture best, by a part of the text; None: none does."""
    part, is_in_part = text.thinned(_ENOUGH)
    p = {name: own[is_in_part] for name, own in p.items()}

    def learned(ridge: float) -> Callable[[int], _Histories]:
        automaton = block.automaton(ridge, window.automaton.dtype)

        def tried(n: int) -> _Histories:
            model = _history_model(window, automaton, n)
            bits = _weighed({**p, "histories": model._probabilities_of(part)}, part).bits
            show(f"{n} states for whole histories, ridge {ridge:g}: {bits:.4f} bits per symbol on dev")
            return _Histories(model, ridge, bits)

        return tried

    best = _best_number(learned(1.0), block.n_above_noise, _weighed(p, part).bits)
    if best is None:
        return None
    others = (learned(ridge)(best.n_states) for ridge in _OTHER_RIDGES)
    return min(best, *others, key=lambda found: found.bits)


def _best_number(tried: Callable[[int], _Histories], most: int, bits: float) -> _Histories | None:
    """The number of states that makes the mixture best, which has so many bits without; None: none does."""
    best = None
    for n in [n for n in _NUMBERS if n < most / _NEARLY] + [most]:
        found = tried(n)
        if found.bits < bits - _LEAST_GAIN:
            best, bits = found, found.bits
        elif best is not None or n >= _LAST_TO_BEGIN:
            break
    return best


def _history_model(window: LanguageModel, automaton: WeightedAutomaton, n_states: int) -> LanguageModel:
    """A model of whole histories, beside a windowed one."""
    smaller = automaton.truncate(min(n_states, automaton.n_states))
    return LanguageModel(smaller, window.window, history="whole", unseen=window.unseen)


def _weighed(p: dict[str, Floats], text: ScoredText, histories: _Histories | None = None) -> MixtureChoice:
    """The weights of some parts by expectation-maximisation."""
    joint = np.stack([*p.values()], axis=1)
    weights = fit_weights(joint, text.weights, least=_LEAST_WEIGHT, tolerance=_TOLERANCE)
    kept = {name: float(w) for name, w in zip(p, weights, strict=True) if w > 0 or name == "window"}
    bits = text.bits_per_symbol(joint @ weights)
    if histories is None or "histories" not in kept:
        return MixtureChoice(kept, 0, bits)
    return MixtureChoice(kept, histories.n_states, bits, histories.ridge)
