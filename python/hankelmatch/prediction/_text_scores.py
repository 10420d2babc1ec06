"""What all models say of texts: scores, perplexity, log-probabilities, and predictions as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.files import Saved
from .._utils.validation import argument_named, check_flag
from ..sequences._boundary_symbols import completed
from ..sequences.alphabet import Alphabet
from ..sequences.strings import Strings, as_strings
from ._events import ScoredText
from ._smoothing import Floats

Unseen: TypeAlias = Literal["error", "skip"]


@dataclass(frozen=True)
class CorpusScore:
    """How well a model predicts a corpus.

    Attributes
    ----------
    bits_per_symbol : float
        Mean -log2 probability of the scored symbols.
    n_scored : int
        Number of scored symbols: all but start symbols and symbols that are not in the alphabet.
    n_skipped : int
        Number of symbols that are not in the alphabet.
    n_unknown : int
        Number of scored symbols that are the alphabet's unknown symbol, or were read as it.
    """

    bits_per_symbol: float
    n_scored: int
    n_skipped: int
    n_unknown: int = 0

    @property
    def perplexity(self) -> float:
        """2 to the power of the bits per symbol; infinite beyond float64."""
        return _perplexity(self.bits_per_symbol)


def _perplexity(bits: float) -> float:
    """2 to the power of the bits; infinite beyond float64."""
    with np.errstate(over="ignore"):
        return float(np.power(2.0, bits))


class Predictions(NamedTuple):
    """What a model says of each symbol of a corpus, one after another.

    Attributes
    ----------
    symbols : ndarray of int32, shape (n_symbols,)
        Ids of the symbols that were predicted: all but start symbols.
    offsets : ndarray of int64, shape (n_sequences + 1,)
        Sequence i is ``symbols[offsets[i]:offsets[i + 1]]``.
    probabilities : ndarray of float64, shape (n_symbols,)
        Of each symbol, after those before it.
    """

    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    probabilities: Floats


class TextModel(Saved, ABC):
    """A probability of every symbol of a text after those before it. Subclasses say which."""

    unseen: Unseen

    @property
    @abstractmethod
    def alphabet(self) -> Alphabet:
        """Labels of the symbols."""

    @abstractmethod
    def _probabilities_of(self, text: ScoredText) -> Floats:
        """The probability of each scored symbol of a text, in its order."""

    def bits_per_symbol(
        self,
        corpus: Strings | Iterable[Iterable[Hashable]],
        *,
        sample_weight: ArrayLike | None = None,
        ends: bool = True,
    ) -> float:
        """Mean -log2 probability of the symbols of a corpus, ends of sequences included.

        Parameters
        ----------
        corpus : Corpus, Strings or iterable of sequences of labels
            Whole sequences, read by label: it may have another alphabet. Each gets the model's end and start
            symbol where it lacks them, so that lists and a `Corpus` are scored alike.
        sample_weight : array_like of float, shape (n_sequences,), optional
            How often each sequence counts: not negative, 1 by default.
        ends : bool, optional
            False: the sequences have been cut off, and get no end symbol.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If there is nothing to score, or a symbol is not in the alphabet and `unseen` is ``"error"``.
        """
        return self.score(corpus, sample_weight=sample_weight, ends=ends).bits_per_symbol

    def score(
        self,
        corpus: Strings | Iterable[Iterable[Hashable]],
        *,
        sample_weight: ArrayLike | None = None,
        ends: bool = True,
    ) -> CorpusScore:
        """As `bits_per_symbol`, with the numbers of symbols scored and skipped."""
        text = self._scored_text(corpus, sample_weight, ends=ends)
        unknown_id = self.alphabet.unknown_id
        n_unknown = 0 if unknown_id is None else int(np.count_nonzero(text.symbols == unknown_id))
        return CorpusScore(self._bits_of(text), text.n_scored, text.n_skipped, n_unknown)

    def perplexity(
        self,
        corpus: Strings | Iterable[Iterable[Hashable]],
        *,
        sample_weight: ArrayLike | None = None,
        ends: bool = True,
        unknown: bool = True,
    ) -> float:
        """2 to the power of the bits per symbol; infinite beyond float64.

        Parameters
        ----------
        corpus, sample_weight, ends
            As for `bits_per_symbol`.
        unknown : bool, optional
            Whether symbols outside the alphabet count that are read as its unknown symbol. Those of an
            alphabet without one never count; `unseen` decides whether they are an error or are skipped.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            As `bits_per_symbol`, or if nothing but unknown symbols is there to score.
        """
        text = self._scored_text(corpus, sample_weight, ends=ends)
        check_flag("unknown", unknown)
        unknown_id = self.alphabet.unknown_id
        if unknown or unknown_id is None:
            return _perplexity(self._bits_of(text))
        known = text.symbols[text.is_scored] != unknown_id
        weights = np.ones(text.n_scored) if text.weights is None else text.weights
        if not weights[known].sum() > 0:
            raise ValueError("corpus: all its symbols are unknown; give one with symbols of the alphabet")
        with np.errstate(divide="ignore"):
            bits = -np.log2(self._probabilities_of(text)[known])
        return _perplexity(float(np.average(bits, weights=weights[known])))

    def symbol_log_probabilities(
        self, sequences: Strings | Iterable[Iterable[Hashable]], *, ends: bool = True
    ) -> list[Floats]:
        """Natural logarithm of the probability of each symbol of sequences, after the symbols before it.

        Parameters
        ----------
        sequences : Corpus, Strings or iterable of sequences of labels
            As for `bits_per_symbol`.
        ends : bool, optional
            Whether the end symbol follows each sequence that lacks it.

        Returns
        -------
        list of ndarray of float64
            For each sequence one for every symbol but the start symbol, the end symbol's last. NaN for a
            symbol that is not in the alphabet, where `unseen` is ``"skip"``.
        """
        with argument_named("sequences", "corpus"):
            found = self.predictions(sequences, ends=ends, unscored=True)
        with np.errstate(divide="ignore"):
            logarithms = np.log(found.probabilities)
        n = len(found.offsets) - 1
        return [logarithms[found.offsets[i] : found.offsets[i + 1]] for i in range(n)]

    def log_probability(
        self, sequences: Strings | Iterable[Iterable[Hashable]], *, ends: bool = True
    ) -> Floats:
        """Natural logarithms of the probabilities of whole sequences: the sums over their symbols.

        Parameters
        ----------
        sequences, ends
            As for `symbol_log_probabilities`.

        Returns
        -------
        ndarray of float64, shape (n_sequences,)
            Skipped symbols count for nothing.
        """
        by_symbol = self.symbol_log_probabilities(sequences, ends=ends)
        return np.array([np.nansum(own) for own in by_symbol], dtype=np.float64)

    def predictions(
        self,
        corpus: Strings | Iterable[Iterable[Hashable]],
        *,
        ends: bool = True,
        unscored: bool = False,
    ) -> Predictions:
        """What the model says of each symbol of a corpus, as arrays.

        Parameters
        ----------
        corpus : Corpus, Strings or iterable of sequences of labels
            As for `bits_per_symbol`.
        ends : bool, optional
            Whether the end symbol follows each sequence that lacks it.
        unscored : bool, optional
            Keep symbols that are skipped, with probability NaN and id -1.

        Returns
        -------
        Predictions

        Examples
        --------
        >>> from hankelmatch import LanguageModel, WeightedAutomaton
        >>> coin = WeightedAutomaton([1.0], [1.0], {"a": [[2 / 3]], "b": [[1 / 3]]})
        >>> found = LanguageModel(coin, 2).predictions(["ab", "a"])
        >>> found.symbols.tolist(), found.probabilities.round(3).tolist(), found.offsets.tolist()
        ([0, 1, 0], [0.667, 0.333, 0.667], [0, 2, 3])
        """
        strings = as_strings("corpus", corpus)
        check_flag("unscored", unscored)
        text = self._scored_text(strings, ends=ends)
        symbols, offsets = completed(
            *self.alphabet.encode(strings), self.alphabet.end_id if ends else None, self.alphabet.start_id
        )
        is_scored = symbols >= 0
        kept = np.ones(len(symbols), bool) if unscored else is_scored
        if self.alphabet.start_id is not None:
            is_scored &= symbols != self.alphabet.start_id
            kept &= symbols != self.alphabet.start_id
        probabilities = np.full(len(symbols), np.nan)
        probabilities[is_scored] = self._probabilities_of(text)
        n_before = np.concatenate([[0], np.cumsum(kept)])
        return Predictions(symbols[kept], n_before[offsets], probabilities[kept])

    def _bits_of(self, text: ScoredText) -> float:
        return text.bits_per_symbol(self._probabilities_of(text))

    def _scored_text(
        self,
        corpus: Strings | Iterable[Iterable[Hashable]],
        sample_weight: ArrayLike | None = None,
        *,
        ends: bool = True,
    ) -> ScoredText:
        """What there is to predict in a corpus."""
        skip = self.unseen == "skip"
        return ScoredText.of(corpus, self.alphabet, skip_unseen=skip, sample_weight=sample_weight, ends=ends)
