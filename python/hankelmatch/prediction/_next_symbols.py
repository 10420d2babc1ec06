"""What all models of the next symbol share: predictions, rankings, scores and samples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._utils.files import Saved
from .._utils.validation import checked_whole, listed, random_generator
from ..sequences.alphabet import Alphabet
from ..sequences.strings import Strings
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
    """

    bits_per_symbol: float
    n_scored: int
    n_skipped: int


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

    def rank(self, context: Iterable[Hashable], k: int = 5, *, at_start: bool = True) -> list[Hashable]:
        """The `k` likeliest next symbols, best first; equally likely ones by id.

        Parameters
        ----------
        context, at_start
            As for `next_symbol_probabilities`.
        k : int, optional
            How many labels, 1 or more; fewer are returned if the alphabet has fewer.
        """
        k = checked_whole("k", k, 1)
        probabilities = self.next_symbol_probabilities(context, at_start=at_start)
        return best_labels(probabilities[None], k, self.alphabet)[0]

    def rankings(
        self, contexts: Iterable[Iterable[Hashable]], k: int = 5, *, at_start: bool = True
    ) -> list[list[Hashable]]:
        """`rank` of many contexts, as `hankelmatch.ndcg` wants them."""
        k = checked_whole("k", k, 1)
        return best_labels(self.probabilities_after(contexts, at_start=at_start), k, self.alphabet)

    def sample(
        self, seed: int | np.random.Generator | None = None, *, max_length: int = 1000
    ) -> tuple[Hashable, ...]:
        """A random sequence.

        Parameters
        ----------
        seed : int or numpy Generator, optional
            The same seed gives the same sequence.
        max_length : int, optional
            Stop after so many symbols, if there was no end symbol before.

        Returns
        -------
        tuple of labels
            Without the start symbol, with the end symbol.
        """
        max_length = checked_whole("max_length", max_length, 0)
        rng = random_generator("seed", seed)
        walk = self._walk()
        if self.alphabet.start_id is not None:
            walk.read(self.alphabet.start_id)
        drawn: list[int] = []
        while len(drawn) < max_length and (not drawn or drawn[-1] != self.alphabet.end_id):
            cumulative = np.cumsum(walk.distribution())
            drawn.append(int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")))
            walk.read(drawn[-1])
        return tuple(self.alphabet.labels[symbol] for symbol in drawn)

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
        return CorpusScore(self._bits_of(text), text.n_scored, text.n_skipped)

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
