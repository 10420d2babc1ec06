"""What there is to predict in a corpus, and which symbols of a context matter."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._utils.process.blas_threads import blas_threads_for
from .._utils.validation import argument_named, as_string, check_flag
from ..counting._sample_weight import checked_weights
from ..sequences._boundary_symbols import completed
from ..sequences.alphabet import Alphabet, refuse_ambiguous
from ..sequences.strings import Strings, as_strings

Trie: TypeAlias = _core.Trie32 | _core.Trie64

SKIP_UNSEEN = "unseen='skip' of the learner, or model.replace(unseen='skip')"


@dataclass(frozen=True, eq=False)
class ScoredText:
    """A text as a model reads it, and which of its symbols are scored.

    Attributes
    ----------
    symbols : ndarray of int32
        Ids, those of a start symbol among them. What follows a symbol outside the alphabet is a sequence of
        its own.
    offsets : ndarray of int64
        Where each sequence begins.
    is_scored : ndarray of bool, shape (len(symbols),)
        False for a start symbol.
    weights : ndarray of float64, shape (n_scored,), or None
        How often each scored symbol counts.
    n_skipped : int
        Symbols that are not in the alphabet.
    """

    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    is_scored: NDArray[np.bool_]
    weights: NDArray[np.float64] | None
    n_skipped: int

    @staticmethod
    def of(
        corpus: Strings | Iterable[Iterable[Hashable]],
        alphabet: Alphabet,
        *,
        skip_unseen: bool,
        sample_weight: ArrayLike | None = None,
        ends: bool = True,
    ) -> ScoredText:
        """The text of a corpus, whose sequences get the alphabet's boundary symbols where they lack them.

        Where `ends` is False they get no end symbol: they have been cut off.
        """
        strings = as_strings("corpus", corpus)
        check_flag("ends", ends)
        by_sequence = None if sample_weight is None else checked_weights(sample_weight, len(strings))
        symbols, offsets = alphabet.encode(strings)
        if not skip_unseen and (symbols < 0).any():
            raise ValueError(_unseen_message(strings, symbols))
        end_id = alphabet.end_id if ends else None
        symbols, offsets = completed(symbols, offsets, end_id, alphabet.start_id)
        n_symbols = len(symbols)
        weights = None if by_sequence is None else np.repeat(by_sequence, np.diff(offsets))[symbols >= 0]
        symbols, offsets = _cut_at_unseen(symbols, offsets)
        is_scored = np.ones(len(symbols), bool)
        if alphabet.start_id is not None:
            is_scored = symbols != alphabet.start_id
            weights = None if weights is None else weights[is_scored]
        if not is_scored.any() or (weights is not None and weights.sum() == 0):
            raise ValueError("corpus: there is no symbol to score; give a corpus with at least one")
        return ScoredText(symbols, offsets, is_scored, weights, n_symbols - len(symbols))

    @property
    def n_scored(self) -> int:
        """Number of scored symbols."""
        return int(self.is_scored.sum())

    def thinned(self, n_enough: int) -> tuple[ScoredText, NDArray[np.bool_]]:
        """Every k-th sequence, with k such that about so many scored symbols are left, or all of them; and
        which of the scored symbols those are."""
        n_sequences = len(self.offsets) - 1
        is_kept = np.arange(n_sequences) % max(1, self.n_scored // n_enough) == 0
        lengths = np.diff(self.offsets)
        here = np.repeat(is_kept, lengths)
        offsets = np.append(0, np.cumsum(lengths[is_kept]))
        kept = here[self.is_scored]
        weights = None if self.weights is None else self.weights[kept]
        if not kept.any() or (weights is not None and weights.sum() == 0):
            return self, np.ones(self.n_scored, bool)
        return replace(
            self, symbols=self.symbols[here], offsets=offsets, is_scored=self.is_scored[here], weights=weights
        ), kept

    def windows(self, length: int) -> tuple[Trie, NDArray[Any]]:
        """The trie of all substrings up to a length, and for each scored symbol the node of the longest
        that ends with it."""
        trie = substring_trie(self.symbols, self.offsets, length)
        return trie, _core.trailing_windows(trie, self.symbols, self.offsets)[self.is_scored]

    def bits_per_symbol(self, probabilities: NDArray[np.float64]) -> float:
        """Mean -log2 probability of the scored symbols; infinite if one has probability 0."""
        with np.errstate(divide="ignore"):
            bits = -np.log2(probabilities)
        if self.weights is None:
            return float(bits.mean())
        used = self.weights > 0
        with blas_threads_for(2 * len(bits)):
            return float(bits[used] @ self.weights[used] / self.weights.sum())


@dataclass(frozen=True, eq=False)
class Events:
    """What there is to predict in a corpus: every distinct (context, symbol) as a trie node, with its count.

    Attributes
    ----------
    trie : Trie32 or Trie64
        The substrings of the corpus up to the window.
    counts : ndarray of int64 or float64, shape (n_nodes,)
        How many scored symbols of the corpus have this node as their context and themselves; the sum of their
        sequences' weights, if they have some.
    n_scored : int
        Number of scored symbols.
    n_skipped : int
        Symbols that are not scored because they are not in the alphabet.
    """

    trie: Trie
    counts: NDArray[Any]
    n_scored: int
    n_skipped: int

    @staticmethod
    def of(
        corpus: Strings | Iterable[Iterable[Hashable]],
        alphabet: Alphabet,
        window: int,
        *,
        skip_unseen: bool,
        sample_weight: ArrayLike | None = None,
    ) -> Events:
        """The events of a corpus, as `ScoredText.of` reads it."""
        text = ScoredText.of(corpus, alphabet, skip_unseen=skip_unseen, sample_weight=sample_weight)
        return Events.of_text(text, window)

    @staticmethod
    def of_text(text: ScoredText, window: int) -> Events:
        """The events of a text."""
        trie, nodes = text.windows(window)
        counts = np.bincount(nodes, text.weights, trie.n_nodes)
        return Events(trie, counts, text.n_scored, text.n_skipped)

    def bits_per_symbol(self, probabilities: NDArray[np.float64]) -> float:
        """Mean -log2 probability of the scored symbols, by what each node has as its probability."""
        scored = np.flatnonzero(self.counts)
        bits = -np.log2(probabilities[scored])
        with blas_threads_for(2 * len(bits)):
            return float(bits @ self.counts[scored] / self.counts.sum())


def _unseen_message(strings: Strings, symbols: NDArray[np.int32]) -> str:
    unseen = np.flatnonzero(symbols < 0)
    sequence = int(np.searchsorted(strings.offsets, unseen[0], side="right")) - 1
    position = int(unseen[0] - strings.offsets[sequence])
    label = strings[sequence][position]
    return (
        f"corpus: {len(unseen)} symbols are not in the model's alphabet, the first is {label!r}, "
        f"symbol {position + 1} of sequence {sequence + 1}; remove them, or use {SKIP_UNSEEN}"
    )


def _cut_at_unseen(
    symbols: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Leave out the symbols -1; what follows one is a sequence of its own."""
    seen = symbols >= 0
    if seen.all():
        return symbols, offsets
    n_seen_before = np.concatenate([[0], np.cumsum(seen)])
    cuts = np.concatenate([n_seen_before[offsets], n_seen_before[np.flatnonzero(~seen)]])
    return symbols[seen], np.unique(cuts)


def context_symbols(
    context: Iterable[Hashable], alphabet: Alphabet, window: int, *, at_start: bool = True, skip_unseen: bool
) -> list[int]:
    """Ids of the symbols that matter of a context: the last ``window - 1``.

    It gets the alphabet's start symbol where it lacks it, if it stands at the start of its sequence; a symbol
    that is not in the alphabet is refused, or cuts off what is before it.
    """
    labels = as_string("context", context)
    check_flag("at_start", at_start)
    start = alphabet.start_symbol
    with argument_named("context", "label"):
        if at_start and start is not None and _ids(labels[:1], alphabet) != [alphabet.start_id]:
            labels = (start, *labels)
        labels = labels[max(0, len(labels) - window + 1) :]
        symbols = _ids(labels, alphabet)
    unseen = [i for i, symbol in enumerate(symbols) if symbol < 0]
    if unseen:
        refuse_ambiguous("context", context, labels, alphabet)
        if not skip_unseen:
            raise ValueError(
                f"context: {labels[unseen[-1]]!r} is not in the alphabet; remove it, or use {SKIP_UNSEEN}"
            )
        return symbols[unseen[-1] + 1 :]
    return symbols


def _ids(labels: tuple[Hashable, ...], alphabet: Alphabet) -> list[int]:
    return [-1 if isinstance(label, list) else alphabet.get(label) for label in labels]


def substring_trie(symbols: NDArray[np.int32], offsets: NDArray[np.int64], max_length: int) -> Trie:
    """The trie of all substrings up to a length."""
    longest = max(1, len(symbols))  # the core's lengths have 64 bits
    trie, _ = _core.count_substrings(symbols, offsets, min(max_length, longest))
    return trie
