"""Mixtures of next-symbol models."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils.validation import checked_number, checked_shares, listed
from ...sequences.alphabet import Alphabet
from ...sequences.strings import Strings
from .._events import ScoredText
from .._next_symbols import NextSymbolModel, Walk
from .._smoothing import Floats
from ..distributions.probabilistic_automaton import ProbabilisticAutomaton
from ..language_model import LanguageModel
from .from_automaton import history_model
from .n_grams import KneserNeyModel
from .weights import fit_weights

Single: TypeAlias = LanguageModel | KneserNeyModel
Part: TypeAlias = Single | ProbabilisticAutomaton

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
        Bits per symbol of the mixture without it, the other weights in their proportions; infinite where
        nothing is left.
    """

    part: str
    weight: float
    bits_alone: float
    bits_without: float


class MixtureModel(NextSymbolModel):
    """Predicts the next symbol by a weighted mean of what several models predict.

    Its methods are those of `LanguageModel`. Windowed automata, whole histories, probabilistic automata and
    n-grams are good at different things, and their mean is better than the best of them on most texts.

    Parameters
    ----------
    models : iterable of LanguageModel, KneserNeyModel or ProbabilisticAutomaton
        The parts, of one alphabet. A `ProbabilisticAutomaton` predicts from the whole history; its own
        alphabet lacks the end symbol and the start symbol, which the others' then have.
    weights : array_like of float, shape (n_models,), optional
        Not negative; they are divided by their sum. Equal by default; `fit` finds the best on held-out text.

    Attributes
    ----------
    models : tuple of LanguageModel or KneserNeyModel
        The parts, probabilistic automata as language models.
    weights : ndarray of float64, shape (n_models,)
        Their weights, which sum to 1. A part of weight 0 costs no time.

    Raises
    ------
    ValueError
        If there is no model, their alphabets or `unseen` differ, or the weights do not fit.
    TypeError
        If a model is of another class.

    Notes
    -----
    A mixture takes the time and memory of all its parts.

    References
    ----------
    .. [1] F. Jelinek, R. L. Mercer: Interpolated estimation of Markov source parameters from sparse data.
       Pattern Recognition in Practice (1980).

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

    def __init__(self, models: Iterable[Part], weights: ArrayLike | None = None) -> None:
        given = listed("models", models, "a list of models")
        self.models: tuple[Single, ...] = _of_one_alphabet(given)
        self.weights: Floats = checked_shares("models", len(given), weights)
        self.unseen = self.models[0].unseen
        if any(model.unseen != self.unseen for model in self.models):
            raise ValueError("models: some refuse symbols that are not in the alphabet, others skip them")

    @property
    def alphabet(self) -> Alphabet:
        """Labels of the symbols."""
        return self.models[0].alphabet

    def __repr__(self) -> str:
        parts = ", ".join(f"{w:.3g} of {name}" for w, name in zip(self.weights, self.names, strict=True))
        return f"<MixtureModel: {parts}>"

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
        """
        for name in changes:
            if name not in ("unseen", "contexts", "mixing"):
                raise ValueError(f"changes: {name!r} given; choose from unseen, contexts, mixing")
        only_unseen = {name: value for name, value in changes.items() if name == "unseen"}
        return MixtureModel(
            [
                model.replace(**(changes if isinstance(model, LanguageModel) else only_unseen))
                for model in self.models
            ],
            self.weights,
        )

    def fit(
        self,
        corpus: Strings | Iterable[Iterable[Hashable]],
        *,
        sample_weight: ArrayLike | None = None,
        least: float = 0.0,
    ) -> MixtureModel:
        """The mixture of the same parts whose weights make a text likeliest.

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
        Expectation-maximisation, from equal weights; the likelihood is concave in them.
        """
        checked_number("least", least)
        text = self._scored_text(corpus, sample_weight)
        weights = fit_weights(self.part_probabilities(text), text.weights, least=least)
        kept = np.flatnonzero(weights)
        return MixtureModel([self.models[k] for k in kept], weights[kept])

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
        weights = np.array([weight for weight, _ in self._used])
        return _MixtureWalk([model._walk() for _, model in self._used], weights)

    def _distributions(self, contexts: list[list[int]]) -> Floats:
        total = np.zeros((len(contexts), len(self.alphabet)))
        for weight, model in self._used:
            cut = [context[max(0, len(context) - model._reach + 1) :] for context in contexts]
            total += weight * model._distributions(cut)
        return total

    def _probabilities_of(self, text: ScoredText) -> Floats:
        total = np.zeros(text.n_scored)
        for weight, model in self._used:
            total += weight * model._probabilities_of(text)
        return total

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
        return {"parts": headers}, arrays

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
        return cls(models, arrays["weights"])


class _MixtureWalk:
    """All parts read the same symbols."""

    def __init__(self, walks: Sequence[Walk], weights: Floats) -> None:
        self._walks = walks
        self._weights = weights

    def read(self, symbol: int) -> None:
        for walk in self._walks:
            walk.read(symbol)

    def distribution(self) -> Floats:
        return np.asarray(self._weights @ np.stack([walk.distribution() for walk in self._walks]))


def contributions(mixture: MixtureModel, text: ScoredText, p: Floats) -> list[Contribution]:
    """What each part does for a text, by the probabilities of its symbols by each part."""
    found = []
    for k, (name, weight) in enumerate(zip(mixture.names, mixture.weights, strict=True)):
        others = np.delete(mixture.weights, k)
        left = others.sum()
        without = np.delete(p, k, axis=1) @ (others / left) if left > 0 else np.zeros(len(p))
        found.append(
            Contribution(name, float(weight), text.bits_per_symbol(p[:, k]), text.bits_per_symbol(without))
        )
    return found


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
