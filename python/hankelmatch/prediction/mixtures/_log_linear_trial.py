"""Whether held-out text wants a log-linear mixture, and how little its windowed part is to be smoothed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._events import ScoredText
from .._scoring import probabilities_of
from .._smoothing import Floats
from ..language_model import LanguageModel
from ._text_distributions import Single, distinct_contexts
from .log_linear import fit_exponents, log_probabilities_of, logarithms
from .mixture import MixtureModel, enough_events, part_logarithms

_ENOUGH = 10_000  # events
_SHARES = (1 / 4, 1 / 16, 1 / 64)  # of the windowed model's own mixing, one after another
_LEAST_GAIN = 1e-4  # bits an event, for less mixing
_LEAST_EXPONENT = 0.01
_LEAST_SHARE = 1e-3  # of the bits: a log-linear mixture, which costs more, must save so much
_ERRORS = 2.0  # and so many standard errors


@dataclass(frozen=True, eq=False)
class LogLinearTrial:
    """A log-linear mixture, tried on a part of a held-out text.

    Attributes
    ----------
    parts : dict of str to model
        "window" first, perhaps with less mixing.
    logs : ndarray of float32, shape (n_parts, n_events, n_symbols)
        The logarithms of their distributions.
    text : ScoredText
        The part.
    mixing : float
        Of the window.
    exponents : ndarray of float64, shape (n_parts,)
    bits : float
        Per event, of which all have served to fit the exponents.
    """

    parts: dict[str, Single]
    logs: NDArray[np.float32]
    text: ScoredText
    mixing: float
    exponents: Floats
    bits: float

    @staticmethod
    def of(
        window: LanguageModel,
        others: dict[str, Single],
        logs: NDArray[np.float32],
        text: ScoredText,
        start: Floats | None,
    ) -> LogLinearTrial:
        """That of parts and the logarithms of their distributions; the search for exponents has a start."""
        symbols = text.symbols[text.is_scored]
        exponents = fit_exponents(logs, symbols, text.weights, start=start, least=_LEAST_EXPONENT)
        p = np.exp(log_probabilities_of(logs, symbols, exponents))
        parts = {"window": window, **others}
        return LogLinearTrial(parts, logs, text, window.mixing, exponents, text.bits_per_symbol(p))

    def saves_enough(self, linear: Floats) -> bool:
        """Whether it is better than a linear mixture, by the probabilities of the events by that.

        The exponents by which it is judged are fitted to the other half of the events.
        """
        symbols, weights = self.text.symbols[self.text.is_scored], self.text.weights
        crossed = np.empty(len(symbols))
        is_even = np.arange(len(symbols)) % 2 == 0
        for fitted, judged in ((is_even, ~is_even), (~is_even, is_even)):
            counts = None if weights is None else weights[fitted]
            exponents = fit_exponents(self.logs[:, fitted], symbols[fitted], counts, start=self.exponents)
            crossed[judged] = log_probabilities_of(self.logs[:, judged], symbols[judged], exponents)
        shares = np.full(len(symbols), 1 / len(symbols)) if weights is None else weights / weights.sum()
        saved = (crossed - np.log(linear)) / math.log(2)
        mean = float(shares @ saved)
        error = float(np.linalg.norm(shares * (saved - mean)))
        return mean > max(_ERRORS * error, _LEAST_SHARE * self.bits)

    def report(self) -> dict[str, dict[str, float]]:
        """What each part does for the events, as `Contribution` has it."""
        symbols = self.text.symbols[self.text.is_scored]
        everything = np.arange(len(self.parts))
        found = {}
        for k, name in enumerate(MixtureModel(self.parts.values()).names):
            only, others = (everything[mask] for mask in (everything == k, everything != k))
            found[name] = {"weight": float(self.exponents[k])}
            for key, kept, exponents in (
                ("bits_alone", only, np.ones(1)),
                ("bits_without", others, self.exponents[others]),
            ):
                p = np.exp(log_probabilities_of(self.logs[kept], symbols, exponents))
                found[name][key] = self.text.bits_per_symbol(p)
        return found


def try_log_linear(
    parts: dict[str, Single], text: ScoredText, show: Callable[[str], None]
) -> tuple[LogLinearTrial, NDArray[np.bool_]]:
    """The best log-linear mixture of some parts, "window" first, and which events of a text served to try it.

    The window is mixed less and less with shorter contexts, as long as that helps: the other parts smooth it.
    """
    window = parts["window"]
    assert isinstance(window, LanguageModel)
    part, is_in_part = text.thinned(min(_ENOUGH, enough_events(len(window.alphabet))))
    windows = [window]
    if window.contexts == "mixed":
        windows += [window.replace(mixing=window.mixing * share) for share in _SHARES]
    own = _logarithms_of_windows(windows, part)
    others = {name: model for name, model in parts.items() if name != "window"}
    logs_of_others = part_logarithms([*others.values()], part)
    best = None
    for window, logs in zip(windows, own, strict=True):
        start = None if best is None else best.exponents
        found = LogLinearTrial.of(window, others, np.stack([logs, *logs_of_others]), part, start)
        show(f"log-linear, mixing {window.mixing:g}: {found.bits:.4f} bits per symbol on dev")
        if best is not None and found.bits > best.bits - _LEAST_GAIN:
            break
        best = found
    assert best is not None
    return best, is_in_part


def _logarithms_of_windows(models: Sequence[LanguageModel], text: ScoredText) -> list[NDArray[np.float32]]:
    """As `part_logarithms`, of models that differ in how they smooth the values of one automaton."""
    contexts, place = distinct_contexts(models[0], text)
    logs = [np.empty((len(contexts), len(models[0].alphabet)), np.float32) for _ in models]
    ways = [model.smoothing for model in models]
    for rows, found in probabilities_of(models[0].automaton, models[0].window, ways, contexts):
        for own, distributions in zip(logs, found, strict=True):
            own[rows] = logarithms(distributions)
    return [own[place] for own in logs]
