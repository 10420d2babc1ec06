"""What all models of the next symbol share: predictions, rankings and samples."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Hashable, Iterable
from typing import Literal, Protocol, overload

import numpy as np

from .._utils.validation import (
    MOST_DRAWN,
    argument_named,
    check_flag,
    checked_whole,
    random_generator,
)
from ..sequences.alphabet import has_characters
from ..sequences.labels import as_list
from ._events import context_symbols
from ._scoring import best_labels
from ._smoothing import Floats
from ._text_scores import TextModel


class Walk(Protocol):
    """A model that reads a sequence symbol by symbol."""

    def read(self, symbol: int) -> None:
        """Go on by one symbol."""

    def distribution(self) -> Floats:
        """The distribution of the next symbol, by id."""


class NextSymbolModel(TextModel):
    """A distribution of the next symbol for every context. Subclasses say what it is; the rest is here."""

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
        with argument_named("contexts"):
            many = as_list(contexts)
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
        check_flag("with_probabilities", with_probabilities)
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
        check_flag("with_probabilities", with_probabilities)
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
        max_length = checked_whole("max_length", max_length, 0, MOST_DRAWN)
        rng = random_generator("seed", seed)
        check_flag("as_text", as_text)
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
