"""What all models of the next symbol share: predictions, rankings, scores and samples."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.files import Saved
from .._utils.validation import argument_named, checked_whole, listed, random_generator
from ..sequences._boundary_symbols import completed
from ..sequences.alphabet import Alphabet, has_characters
from ..sequences.strings import Strings, as_strings
from ._events import ScoredText, context_symbols
from ._scoring import best_labels
from ._smoothing import Floats

Unseen: TypeAlias = Literal["error", "skip"]
_Model = TypeVar("_Model", bound="NextSymbolModel")


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
        """2 to the power of the bits per symbol."""
        return float(2**self.bits_per_symbol)


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


class Walk(Protocol):
    """A model that reads a sequence symbol by symbol."""

    def read(self, symbol: int) -> None:
        """Go on by one symbol."""

    def distribution(self) -> Floats:
        """The distribution of the next symbol, by id."""


class NextSymbolModel(Saved, ABC):
    """A distribution of the next symbol for every context. Subclasses say what it is; the rest is here."""

    unseen: Unseen

    @property
    @abstractmethod
    def alphabet(self) -> Alphabet:
        """Labels of the symbols."""

    @property
    @abstractmethod
    def _reach(self) -> int:
        """One more than the number of last symbols of a context that matter."""

    @abstractmethod
    def _walk(self) -> Walk:
        """A walk from the empty context, in the middle of a sequence."""

    @abstractmethod
    def _distributions(self, contexts: list[list[int]]) -> Floats:
        """The distributions after contexts of ids, shape (n_contexts, n_symbols)."""

    @abstractmethod
    def _probabilities_of(self, text: ScoredText) -> Floats:
        """The probability of each scored symbol of a text, in its order."""

    # ------------------------------------------------------------------------------------- predictions

    def next_symbol_probabilities(self, context: Iterable[Hashable], *, at_start: bool = True) -> Floats:
        """The distribution of the symbol that follows a context.

        Parameters
        ----------
        context : iterable of labels
            The symbols before; a `str` stands for its characters.
        at_start : bool, optional
            Whether the context begins where its sequence begins, so that the alphabet's start symbol goes in
            front. False: it is from the middle of a sequence.

        Returns
        -------
        ndarray of float64, shape (n_symbols,)
            By symbol id; sums to one. A start symbol has 0.

        Raises
        ------
        ValueError
            If a symbol is not in the alphabet and `unseen` is ``"error"``.
        """
        walk = self._walk()
        for symbol in self._context_ids(context, at_start):
            walk.read(symbol)
        return walk.distribution()

    def probabilities_after(self, contexts: Iterable[Iterable[Hashable]], *, at_start: bool = True) -> Floats:
        """`next_symbol_probabilities` of many contexts at once.

        Parameters
        ----------
        contexts : iterable of iterables of labels
            The contexts.
        at_start : bool, optional
            As for `next_symbol_probabilities`.

        Returns
        -------
        ndarray of float64, shape (n_contexts, n_symbols)
        """
        many = listed("contexts", contexts, "a list of contexts")
        return self._distributions([self._context_ids(context, at_start) for context in many])

    @overload
    def rank(
        self,
        context: Iterable[Hashable],
        k: int = 5,
        *,
        at_start: bool = True,
        with_probabilities: Literal[False] = False,
    ) -> list[Hashable]: ...
    @overload
    def rank(
        self,
        context: Iterable[Hashable],
        k: int = 5,
        *,
        at_start: bool = True,
        with_probabilities: Literal[True],
    ) -> list[tuple[Hashable, float]]: ...
    def rank(
        self,
        context: Iterable[Hashable],
        k: int = 5,
        *,
        at_start: bool = True,
        with_probabilities: bool = False,
    ) -> list[Hashable] | list[tuple[Hashable, float]]:
        """The `k` likeliest next symbols, best first; equally likely ones by id.

        Parameters
        ----------
        context, at_start
            As for `next_symbol_probabilities`.
        k : int, optional
            How many labels, 1 or more; fewer are returned if the alphabet has fewer.
        with_probabilities : bool, optional
            Return pairs of a label and its probability.

        Returns
        -------
        list of labels, or of (label, float)
        """
        k = checked_whole("k", k, 1)
        probabilities = self.next_symbol_probabilities(context, at_start=at_start)
        labels = best_labels(probabilities[None], k, self.alphabet)[0]
        return self._with_probabilities(labels, probabilities) if with_probabilities else labels

    @overload
    def rankings(
        self,
        contexts: Iterable[Iterable[Hashable]],
        k: int = 5,
        *,
        at_start: bool = True,
        with_probabilities: Literal[False] = False,
    ) -> list[list[Hashable]]: ...
    @overload
    def rankings(
        self,
        contexts: Iterable[Iterable[Hashable]],
        k: int = 5,
        *,
        at_start: bool = True,
        with_probabilities: Literal[True],
    ) -> list[list[tuple[Hashable, float]]]: ...
    def rankings(
        self,
        contexts: Iterable[Iterable[Hashable]],
        k: int = 5,
        *,
        at_start: bool = True,
        with_probabilities: bool = False,
    ) -> list[list[Hashable]] | list[list[tuple[Hashable, float]]]:
        """`rank` of many contexts, as `hankelmatch.ndcg` wants them."""
        k = checked_whole("k", k, 1)
        distributions = self.probabilities_after(contexts, at_start=at_start)
        labels = best_labels(distributions, k, self.alphabet)
        if not with_probabilities:
            return labels
        return [self._with_probabilities(*pair) for pair in zip(labels, distributions, strict=True)]

    def _with_probabilities(
        self, labels: list[Hashable], probabilities: Floats
    ) -> list[tuple[Hashable, float]]:
        return [(label, float(probabilities[self.alphabet.id(label)])) for label in labels]

    @overload
    def sample(
        self,
        seed: int | np.random.Generator | None = None,
        *,
        max_length: int = 1000,
        prefix: Iterable[Hashable] = (),
        as_text: Literal[False] = False,
    ) -> tuple[Hashable, ...]: ...
    @overload
    def sample(
        self,
        seed: int | np.random.Generator | None = None,
        *,
        max_length: int = 1000,
        prefix: Iterable[Hashable] = (),
        as_text: Literal[True],
    ) -> str: ...
    def sample(
        self,
        seed: int | np.random.Generator | None = None,
        *,
        max_length: int = 1000,
        prefix: Iterable[Hashable] = (),
        as_text: bool = False,
    ) -> tuple[Hashable, ...] | str:
        """A random sequence.

        Parameters
        ----------
        seed : int or numpy Generator, optional
            The same seed gives the same sequence.
        max_length : int, optional
            Stop after so many symbols, those of the prefix among them, if there was no end symbol before.
        prefix : iterable of labels, optional
            How the sequence begins; a `str` stands for its characters.
        as_text : bool, optional
            Return a str: characters side by side, other labels with blanks between, no end symbol.

        Returns
        -------
        tuple of labels, or str
            Without the start symbol, with the end symbol; the prefix is a part of it.
        """
        max_length = checked_whole("max_length", max_length, 0)
        rng = random_generator("seed", seed)
        end, start = self.alphabet.end_id, self.alphabet.start_id
        with argument_named("prefix", "context"):
            given = context_symbols(
                prefix, self.alphabet, sys.maxsize, at_start=False, skip_unseen=self.unseen == "skip"
            )
        given = given[1:] if given[:1] == [start] else given
        walk = self._walk()
        for symbol in given if start is None else [start, *given]:
            walk.read(symbol)
        drawn = [*given]
        while len(drawn) < max_length and (not drawn or drawn[-1] != end):
            cumulative = np.cumsum(walk.distribution())
            drawn.append(int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")))
            walk.read(drawn[-1])
        if as_text:
            return self._as_text(drawn[:-1] if drawn and drawn[-1] == end else drawn)
        return tuple(self.alphabet.labels[symbol] for symbol in drawn)

    def _as_text(self, symbols: list[int]) -> str:
        blank = "" if has_characters(self.alphabet) else " "
        return blank.join(str(self.alphabet.labels[symbol]) for symbol in symbols)

    def _context_ids(self, context: Iterable[Hashable], at_start: bool) -> list[int]:
        """Ids of the symbols of a context that matter."""
        skip = self.unseen == "skip"
        return context_symbols(context, self.alphabet, self._reach, at_start=at_start, skip_unseen=skip)

    # ------------------------------------------------------------------------------------------ scores

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
        """2 to the power of the bits per symbol.

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
        unknown_id = self.alphabet.unknown_id
        if unknown or unknown_id is None:
            return float(2 ** self._bits_of(text))
        known = text.symbols[text.is_scored] != unknown_id
        weights = np.ones(text.n_scored) if text.weights is None else text.weights
        if not weights[known].sum() > 0:
            raise ValueError("corpus: all its symbols are unknown; give one with symbols of the alphabet")
        with np.errstate(divide="ignore"):
            bits = -np.log2(self._probabilities_of(text)[known])
        return float(2 ** np.average(bits, weights=weights[known]))

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
