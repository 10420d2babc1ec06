"""Mixtures of next-symbol models."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils.validation import check_choice, checked_number, checked_shares, listed
from ...sequences.alphabet import Alphabet
from ...sequences.strings import Strings
from .._events import ScoredText
from .._next_symbols import NextSymbolModel, Walk
from .._smoothing import Floats
from ..distributions.probabilistic_automaton import ProbabilisticAutomaton
from ..language_model import LanguageModel
from ._text_distributions import Single, text_distributions
from .from_automaton import history_model
from .log_linear import fit_exponents, logarithms, product_of_powers
from .n_grams import KneserNeyModel
from .weights import fit_weights

Combination: TypeAlias = Literal["linear", "log-linear"]
Part: TypeAlias = Single | ProbabilisticAutomaton

_MOST_ENTRIES = 1 << 24  # of a part's distributions at held-out events: 64 MB; exponents are few

_PARTS: dict[str, type[LanguageModel] | type[KneserNeyModel]] = {
    part.kind: part for part in (LanguageModel, KneserNeyModel)
}


class Contribution(NamedTuple):
    """What one part of a mixture does for a text.

    Attributes
    ----------
    part : str
        What it is.
    weight : float
        Its weight.
    bits_alone : float
        Bits per symbol of the part by itself; infinite if it takes a symbol to be impossible.
    bits_without : float
        Bits per symbol of the mixture without it, the other weights in their proportions, or as they are in
        a log-linear mixture; infinite where nothing is left.
    """

    part: str
    weight: float
    bits_alone: float
    bits_without: float


class MixtureModel(NextSymbolModel):
    """Predicts the next symbol by what several models predict: their weighted mean, arithmetic or geometric.

    Its methods are those of `LanguageModel`. Windowed automata, whole histories, probabilistic automata and
    n-grams are good at different things, and their mean is better than the best of them on most texts.

    Parameters
    ----------
    models : iterable of LanguageModel, KneserNeyModel or ProbabilisticAutomaton
        The parts, of one alphabet. A `ProbabilisticAutomaton` predicts from the whole history; its own
        alphabet lacks the end symbol and the start symbol, which the others' then have.
    weights : array_like of float, shape (n_models,), optional
        Not negative. Linear ones are divided by their sum, log-linear ones are exponents and stay as they
        are. Equal, with sum 1, by default; `fit` finds the best on held-out text.
    combination : {"linear", "log-linear"}, optional
        How the parts are combined, see Notes.

    Attributes
    ----------
    models : tuple of LanguageModel or KneserNeyModel
        The parts, probabilistic automata as language models.
    weights : ndarray of float64, shape (n_models,)
        Their weights; linear ones sum to 1. A part of weight 0 costs no time.
    combination : str

    Raises
    ------
    ValueError
        If there is no model, their alphabets or `unseen` differ, or the weights or the combination do not
        fit.
    TypeError
        If a model is of another class.

    Notes
    -----
    With the parts' distributions p_k after a context c:

    * Linear [1]_: p(a | c) = sum over k of w_k p_k(a | c), likely where one part says so.
    * Log-linear [2]_: p(a | c) is proportional to the product over k of p_k(a | c)^(w_k), likely where all
      parts say so; where they leave no symbol possible, their mean. Parts that know different things sharpen
      one another: their exponents may sum to more than 1.

    A mixture takes the time and memory of all its parts. The probability of one symbol by a log-linear one
    takes those of all symbols.

    References
    ----------
    .. [1] F. Jelinek, R. L. Mercer: Interpolated estimation of Markov source parameters from sparse data.
       Pattern Recognition in Practice (1980).
    .. [2] D. Klakow: Log-linear interpolation of language models. ICSLP 1998.

    Examples
    --------
    >>> from hankelmatch import Corpus, KneserNeyModel, MixtureModel
    >>> text = Corpus.from_sequences(["abab", "ab", "ababab"], end_symbol=True, start_symbol=True)
    >>> models = [KneserNeyModel(text, order) for order in (1, 2, 3)]
    >>> mixture = MixtureModel(models).fit(["ababab", "abab"])
    >>> mixture.weights.round(2).tolist(), mixture.rank("a", k=1)
    ([0.0, 0.0, 1.0], ['b'])
    """

    kind = "mixture model"
    combination: Combination = "linear"  # of pickles that lack it

    def __init__(
        self,
        models: Iterable[Part],
        weights: ArrayLike | None = None,
        *,
        combination: Combination = "linear",
    ) -> None:
        given = listed("models", models, "a list of models")
        self.models: tuple[Single, ...] = _of_one_alphabet(given)
        check_choice("combination", combination, ("linear", "log-linear"))
        self.combination = combination
        self.weights: Floats = checked_shares("models", len(given), weights)
        if combination == "log-linear" and weights is not None:
            self.weights = np.array(weights, dtype=np.float64)
        self.unseen = self.models[0].unseen
        if any(model.unseen != self.unseen for model in self.models):
            raise ValueError("models: some refuse symbols that are not in the alphabet, others skip them")

    @property
    def alphabet(self) -> Alphabet:
        """Labels of the symbols."""
        return self.models[0].alphabet

    def __repr__(self) -> str:
        parts = ", ".join(f"{w:.3g} of {name}" for w, name in zip(self.weights, self.names, strict=True))
        kind = "" if self.combination == "linear" else "log-linear, "
        return f"<MixtureModel: {kind}{parts}>"

    @property
    def names(self) -> list[str]:
        """What each part is, in a few words."""
        return [_name(model) for model in self.models]

    def replace(self, **changes: object) -> MixtureModel:
        """A mixture with some options of its parts changed, of each part that has them.

        Parameters
        ----------
        **changes
            Any of unseen, contexts and mixing, as `LanguageModel` has them.

        Raises
        ------
        ValueError
            For any other name, and for values that a part refuses.
        """
        for name in changes:
            if name not in ("unseen", "contexts", "mixing"):
                raise ValueError(f"changes: {name!r} given; choose from unseen, contexts, mixing")
        only_unseen = {name: value for name, value in changes.items() if name == "unseen"}
        return MixtureModel(
            [model.replace(**(changes if _has_window(model) else only_unseen)) for model in self.models],
            self.weights,
            combination=self.combination,
        )

    def fit(
        self,
        corpus: Strings | Iterable[Iterable[Hashable]],
        *,
        sample_weight: ArrayLike | None = None,
        least: float = 0.0,
    ) -> MixtureModel:
        """The mixture of the same parts, combined in the same way, whose weights make a text likeliest.

        Parameters
        ----------
        corpus : Corpus, Strings or iterable of sequences of labels
            Held-out text: of what the parts have learned from, all would trust the one that learned it by
            heart.
        sample_weight : array_like of float, shape (n_sequences,), optional
            How often each sequence counts.
        least : float, optional
            Parts that get less weight get none.

        Returns
        -------
        MixtureModel
            Another object; parts without weight are left out.

        Notes
        -----
        The likelihood is concave in the weights. Linear ones: expectation-maximisation, from equal weights.
        Log-linear ones: Newton's method on the distributions of all symbols, of a longer text after so many
        of its sequences that each part has about 1.7e7 probabilities.
        """
        least = checked_number("least", least)
        text = self._scored_text(corpus, sample_weight)
        if self.combination == "linear":
            weights = fit_weights(self.part_probabilities(text), text.weights, least=least)
        else:
            weights = self._fitted_exponents(text, least)
        kept = np.flatnonzero(weights)
        return MixtureModel([self.models[k] for k in kept], weights[kept], combination=self.combination)

    def _fitted_exponents(self, text: ScoredText, least: float) -> Floats:
        part, _ = text.thinned(enough_events(len(self.alphabet)))
        logs = np.stack(part_logarithms(self.models, part))
        return fit_exponents(logs, part.symbols[part.is_scored], part.weights, least=least)

    def contributions(
        self, corpus: Strings | Iterable[Iterable[Hashable]], *, sample_weight: ArrayLike | None = None
    ) -> list[Contribution]:
        """What each part does for a text.

        Parameters
        ----------
        corpus : Strings or iterable of sequences of labels
            As for `fit`.
        sample_weight : array_like of float, shape (n_sequences,), optional
            As for `fit`.

        Returns
        -------
        list of Contribution
            In the order of `models`.
        """
        text = self._scored_text(corpus, sample_weight)
        return contributions(self, text, self.part_probabilities(text))

    def part_probabilities(self, text: ScoredText) -> Floats:
        """The probability of each scored symbol by each part, shape (n_scored, n_models)."""
        return np.stack([model._probabilities_of(text) for model in self.models], axis=1)

    @property
    def _used(self) -> list[tuple[float, Single]]:
        """The parts with a weight above 0."""
        return [(float(w), model) for w, model in zip(self.weights, self.models, strict=True) if w > 0]

    @property
    def _reach(self) -> int:
        return max(model._reach for _, model in self._used)

    def _walk(self) -> Walk:
        return _MixtureWalk(self, [model._walk() for _, model in self._used])

    def _distributions(self, contexts: list[list[int]]) -> Floats:
        found = []
        for _, model in self._used:
            cut = [context[max(0, len(context) - model._reach + 1) :] for context in contexts]
            found.append(model._distributions(cut))
        return self._combined(found)

    def _combined(self, distributions: Sequence[Floats]) -> Floats:
        """One distribution of those by the parts with a weight, or one a row."""
        weights = [weight for weight, _ in self._used]
        if self.combination == "log-linear":
            return product_of_powers(distributions, weights)
        total = weights[0] * distributions[0]
        for weight, own in zip(weights[1:], distributions[1:], strict=True):
            total += weight * own
        return total

    def _probabilities_of(self, text: ScoredText) -> Floats:
        if self.combination == "log-linear":
            return self._log_linear_probabilities_of(text)
        total = np.zeros(text.n_scored)
        for weight, model in self._used:
            total += weight * model._probabilities_of(text)
        return total

    def _log_linear_probabilities_of(self, text: ScoredText) -> Floats:
        symbols = text.symbols[text.is_scored]
        result = np.empty(text.n_scored)
        for rows, found in text_distributions([model for _, model in self._used], text):
            result[rows] = self._combined(found)[np.arange(len(rows)), symbols[rows]]
        return result

    def _to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return self._joint_arrays([model._to_arrays() for model in self.models])

    def _to_exact_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return self._joint_arrays([model._to_exact_arrays() for model in self.models])

    def _joint_arrays(
        self, parts: list[tuple[dict[str, Any], dict[str, NDArray[Any]]]]
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        headers, arrays = [], {"weights": self.weights}
        for place, (model, (header, own)) in enumerate(zip(self.models, parts, strict=True)):
            headers.append({"kind": model.kind, **header})
            arrays |= {f"{place}.{name}": array for name, array in own.items()}
        return {"parts": headers, "combination": self.combination}, arrays

    @classmethod
    def _from_arrays(
        cls: type[MixtureModel], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> MixtureModel:
        models = []
        for place, part in enumerate(header["parts"]):
            if part["kind"] not in _PARTS:
                raise ValueError(f"part {place} is a {part['kind']!r}, which no mixture of this version has")
            prefix = f"{place}."
            own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
            models.append(_PARTS[part["kind"]]._from_arrays(part, own))
        # Files from before there was a choice are of linear mixtures.
        return cls(models, arrays["weights"], combination=header.get("combination", "linear"))


class _MixtureWalk:
    """All parts read the same symbols."""

    def __init__(self, mixture: MixtureModel, walks: Sequence[Walk]) -> None:
        self._mixture = mixture
        self._walks = walks

    def read(self, symbol: int) -> None:
        for walk in self._walks:
            walk.read(symbol)

    def distribution(self) -> Floats:
        return self._mixture._combined([walk.distribution() for walk in self._walks])


def enough_events(n_symbols: int) -> int:
    """At how many held-out events distributions of so many symbols are kept to fit exponents."""
    return max(1, _MOST_ENTRIES // n_symbols)


def part_logarithms(models: Sequence[Single], text: ScoredText) -> list[NDArray[np.float32]]:
    """The logarithms of each model's distributions at the scored symbols, shape (n_scored, n_symbols)."""
    logs = [np.empty((text.n_scored, len(models[0].alphabet)), np.float32) for _ in models]
    for rows, found in text_distributions(models, text):
        for own, distributions in zip(logs, found, strict=True):
            own[rows] = logarithms(distributions)
    return logs


def contributions(mixture: MixtureModel, text: ScoredText, p: Floats) -> list[Contribution]:
    """What each part does for a text, by the probabilities of its symbols by each part."""
    found = []
    for k, (name, weight) in enumerate(zip(mixture.names, mixture.weights, strict=True)):
        alone = text.bits_per_symbol(p[:, k])
        without = text.bits_per_symbol(_without(mixture, k, text, p))
        found.append(Contribution(name, float(weight), alone, without))
    return found


def _without(mixture: MixtureModel, k: int, text: ScoredText, p: Floats) -> Floats:
    """The probabilities of a text's symbols by a mixture without one of its parts."""
    others = np.delete(mixture.weights, k)
    left = others.sum()
    if not left > 0:
        return np.zeros(len(p))
    if mixture.combination == "linear":
        return np.asarray(np.delete(p, k, axis=1) @ (others / left))
    models = [model for place, model in enumerate(mixture.models) if place != k]
    return MixtureModel(models, others, combination="log-linear")._probabilities_of(text)


def _has_window(model: Single) -> bool:
    """Whether it has contexts of several lengths, to be mixed."""
    return isinstance(model, LanguageModel) and model.history == "window"


def _of_one_alphabet(given: Sequence[object]) -> tuple[Single, ...]:
    """The parts, probabilistic automata as language models of the others' alphabet."""
    known = [model for model in given if isinstance(model, LanguageModel | KneserNeyModel)]
    parts: list[Single] = []
    for model in given:
        if isinstance(model, ProbabilisticAutomaton):
            alphabet = known[0].alphabet if known else None
            unseen = known[0].unseen if known else "error"
            parts.append(history_model(model, alphabet).replace(unseen=unseen))
        elif isinstance(model, LanguageModel | KneserNeyModel):
            parts.append(model)
        else:
            raise TypeError(
                "models: LanguageModel, KneserNeyModel and ProbabilisticAutomaton can be mixed, not "
                f"{type(model).__name__}"
            )
    if any(part.alphabet != parts[0].alphabet for part in parts):
        raise ValueError("models: their alphabets differ; learn all from corpora of one alphabet")
    return tuple(parts)


def _name(model: Single) -> str:
    if isinstance(model, KneserNeyModel):
        return f"n-grams of order {model.order}"
    n = f"{model.automaton.n_states:,} states"
    return f"whole histories, {n}" if model.history == "whole" else f"window {model.window}, {n}"
