"""What there is to predict in a corpus, and the scores of all its contexts: one matrix product for many."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._utils.interruptible import interruptible
from .._utils.validation import argument_named, as_string
from ..automata.automaton import WeightedAutomaton
from ..counting._sample_weight import checked_weights
from ..sequences.corpus import Alphabet, Strings

__all__ = [
    "SKIP_UNSEEN",
    "Events",
    "Trie",
    "best_labels",
    "best_symbols",
    "context_symbols",
    "contexts_used",
    "flat_children",
    "predicted_symbols",
    "scores_by_level",
    "substring_trie",
]

Trie: TypeAlias = _core.Trie32 | _core.Trie64
Ids: TypeAlias = NDArray[np.integer[Any]]

SKIP_UNSEEN = "model.replace(unseen='skip')"
# Entries of the arrays that a chunk of contexts needs: 64 MB of float64.
_CHUNK_ENTRIES = 1 << 23
_FEW_PASSES = 8  # so many maxima are found faster by looking for each than by sorting


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
        """The events of a corpus, whose sequences get the alphabet's start symbol where they lack it."""
        with argument_named("corpus"):
            strings = corpus if isinstance(corpus, Strings) else Strings.from_sequences(corpus)
        by_sequence = None if sample_weight is None else checked_weights(sample_weight, len(strings))
        symbols, offsets = alphabet.encode(strings)
        if not skip_unseen and (symbols < 0).any():
            raise ValueError(_unseen_message(strings, symbols))
        if alphabet.start_id is not None:
            symbols, offsets = _with_start(symbols, offsets, alphabet.start_id)
        n_symbols = len(symbols)
        weights = None if by_sequence is None else np.repeat(by_sequence, np.diff(offsets))[symbols >= 0]
        symbols, offsets = _cut_at_unseen(symbols, offsets)
        trie = substring_trie(symbols, offsets, window)
        nodes = _core.trailing_windows(trie, symbols, offsets)
        if alphabet.start_id is not None:
            is_scored = symbols != alphabet.start_id
            nodes = nodes[is_scored]
            weights = None if weights is None else weights[is_scored]
        counts = np.bincount(nodes, weights, trie.n_nodes)
        if counts.sum() == 0:
            raise ValueError("corpus: there is no symbol to score; give a corpus with at least one")
        return Events(trie, counts, len(nodes), n_symbols - len(symbols))

    def bits_per_symbol(self, probabilities: NDArray[np.float64]) -> float:
        """Mean -log2 probability of the scored symbols, by what each node has as its probability."""
        scored = np.flatnonzero(self.counts)
        return float(-np.log2(probabilities[scored]) @ self.counts[scored] / self.counts.sum())


def _unseen_message(strings: Strings, symbols: NDArray[np.int32]) -> str:
    unseen = np.flatnonzero(symbols < 0)
    sequence = int(np.searchsorted(strings.offsets, unseen[0], side="right")) - 1
    position = int(unseen[0] - strings.offsets[sequence])
    label = strings[sequence][position]
    return (
        f"corpus: {len(unseen)} symbols are not in the model's alphabet, the first is {label!r}, "
        f"symbol {position + 1} of sequence {sequence + 1}; remove them, or use {SKIP_UNSEEN}"
    )


def _with_start(
    symbols: NDArray[np.int32], offsets: NDArray[np.int64], start_id: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Put the start symbol in front of the sequences that do not begin with it."""
    first = np.append(symbols, -1)[offsets[:-1]]
    missing = (first != start_id) | (np.diff(offsets) == 0)
    shift = np.concatenate([[0], np.cumsum(missing)])
    return np.insert(symbols, offsets[:-1][missing], start_id), offsets + shift


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
    start = alphabet.start_symbol
    if at_start and start is not None and labels[:1] != (start,):
        labels = (start, *labels)
    labels = labels[max(0, len(labels) - window + 1) :]
    symbols = [alphabet.get(label) for label in labels]
    unseen = [i for i, symbol in enumerate(symbols) if symbol < 0]
    if unseen:
        is_text_of_words = isinstance(context, str) and _has_words(alphabet)
        if not skip_unseen or (is_text_of_words and not any(label in alphabet for label in context)):
            remedy = (
                "a string is read as a tuple of characters; give the context's labels as a tuple or a list"
                if is_text_of_words
                else f"remove it, or use {SKIP_UNSEEN}"
            )
            raise ValueError(f"context: {labels[unseen[-1]]!r} is not in the alphabet; {remedy}")
        return symbols[unseen[-1] + 1 :]
    return symbols


def _has_words(alphabet: Alphabet) -> bool:
    """Whether a symbol is a text of several characters."""
    frame = (alphabet.start_symbol, alphabet.end_symbol)
    return any(isinstance(label, str) and len(label) > 1 and label not in frame for label in alphabet.labels)


def predicted_symbols(alphabet: Alphabet) -> NDArray[np.bool_]:
    """Which symbols can follow a context: all but a start symbol."""
    is_predicted = np.ones(len(alphabet), dtype=bool)
    if alphabet.start_id is not None:
        is_predicted[alphabet.start_id] = False
    return is_predicted


def substring_trie(symbols: NDArray[np.int32], offsets: NDArray[np.int64], max_length: int) -> Trie:
    """The trie of all substrings up to a length."""
    longest = max(1, len(symbols))  # the core's lengths have 64 bits
    trie, _ = _core.count_substrings(symbols, offsets, min(max_length, longest))
    return trie


def contexts_used(suffix: Ids, asked: Ids, with_shorter: bool) -> NDArray[np.bool_]:
    """Which nodes of a trie, given by its suffix links, are asked for or, if so wanted, a suffix of one."""
    used = np.zeros(len(suffix), dtype=bool)
    used[asked] = True
    new = asked if with_shorter else asked[:0]
    while len(new):
        shorter = np.unique(suffix[new])
        new = shorter[~used[shorter]]
        used[new] = True
    return used


def scores_by_level(
    automaton: WeightedAutomaton, trie: Trie, max_length: int, scored: NDArray[np.bool_]
) -> Iterator[tuple[Ids, NDArray[Any]]]:
    """Values of every one-symbol continuation of the strings of a trie.

    Parameters
    ----------
    automaton : WeightedAutomaton
    trie : Trie32 or Trie64
        Its ids are of the automaton's alphabet.
    max_length : int
        Strings longer than this are left out.
    scored : ndarray of bool, shape (n_nodes,)
        Which nodes are wanted.

    Yields
    ------
    nodes : ndarray of int
        Nodes of one length; the lengths rise from one part to the next.
    scores : ndarray, shape (len(nodes), n_symbols)
        ``scores[i, a]`` is the automaton's value of string i followed by symbol a.

    Notes
    -----
    The state of a string is that of its parent times the matrix of its last symbol. Nodes of one length and
    one last symbol go through one matrix product, in parts so that beside the states of one length, and
    those of the next unless it is the last, memory stays bounded.
    """
    states = automaton.initial[None]
    if scored[0]:
        yield np.array([0]), automaton.next_values(states)
    n_levels = len(trie.level_begin) - 1
    for length in range(1, min(max_length + 1, n_levels)):
        first, end = (int(node) for node in trie.level_begin[length : length + 2])
        parent_rows = trie.parent[first:end] - trie.level_begin[length - 1]
        is_last = length in (max_length, n_levels - 1)
        needed = (
            scored[first:end]
            if is_last
            else scored[first:end] | (np.diff(trie.child_begin[first : end + 1]) > 0)
        )
        new_states = np.empty((0 if is_last else end - first, automaton.n_states), automaton.dtype)
        for symbol, rows in _groups(trie.symbol[first:end], needed, _rows_at_a_time(automaton)):
            part = interruptible(automaton.apply, states[parent_rows[rows]], symbol)
            if not is_last:
                new_states[rows] = part
            wanted = scored[first + rows]
            if wanted.any():
                yield first + rows[wanted], automaton.next_values(part[wanted])
        states = new_states


def _rows_at_a_time(automaton: WeightedAutomaton) -> int:
    return max(1, _CHUNK_ENTRIES // max(automaton.n_states, automaton.n_symbols))


def _groups(symbols: Ids, needed: NDArray[np.bool_], n_rows: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """The needed rows grouped by symbol, in parts of at most `n_rows`."""
    rows = np.flatnonzero(needed)
    rows = rows[np.argsort(symbols[rows], kind="stable")]
    present, first = np.unique(symbols[rows], return_index=True)
    for symbol, begin, end in zip(present, first, np.append(first, len(rows))[1:], strict=True):
        for part in range(begin, end, n_rows):
            yield int(symbol), rows[part : min(part + n_rows, end)]


def flat_children(trie: Trie, nodes: Ids) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All children of many nodes.

    Returns
    -------
    rows : ndarray of int64
        For every child the place of its parent in `nodes`.
    children : ndarray of int64
        The children's nodes.
    """
    begin = trie.child_begin[nodes].astype(np.int64)
    n_children = trie.child_begin[nodes + 1] - begin
    rows = np.repeat(np.arange(len(nodes)), n_children)
    shift = begin - (np.cumsum(n_children) - n_children)
    return rows, np.arange(len(rows)) + shift[rows]


def best_symbols(
    probabilities: NDArray[np.float64], k: int, allowed: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """Ids of the likeliest symbols of many distributions, best first; equally likely ones by id.

    Parameters
    ----------
    probabilities : ndarray, shape (m, n_symbols)
        One distribution a row.
    k : int
        How many of each; fewer where there are fewer symbols.
    allowed : ndarray of bool, shape (n_symbols,), optional
        Which symbols may be chosen.

    Returns
    -------
    ndarray of int64, shape (m, k)

    Notes
    -----
    A few passes over the entries for a small k, else a sort of each row.
    """
    n_allowed = probabilities.shape[1] if allowed is None else int(np.count_nonzero(allowed))
    k = min(k, n_allowed)
    left = np.array(probabilities)
    if allowed is not None:
        left[:, ~allowed] = -np.inf
    if k > _FEW_PASSES:
        return np.argsort(-left, axis=1, kind="stable")[:, :k]
    best = np.empty((len(left), k), np.int64)
    for rank in range(k):
        best[:, rank] = left.argmax(axis=1)  # the first of equal ones
        left[np.arange(len(left)), best[:, rank]] = -np.inf
    return best


def best_labels(probabilities: NDArray[np.float64], k: int, alphabet: Alphabet) -> list[list[Hashable]]:
    """Labels of the `best_symbols` that can be predicted."""
    best = best_symbols(probabilities, k, predicted_symbols(alphabet))
    return [[alphabet.labels[symbol] for symbol in row] for row in best.tolist()]
