"""Predictions of one automaton, its values used in one or several ways: they are worked out once for all."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..sequences.strings import Strings
from ._context_scores import (
    Events,
    context_symbols,
    contexts_used,
    flat_children,
    scores_by_level,
    substring_trie,
)
from ._smoothing import Conditioning, Floats

if TYPE_CHECKING:
    from .language_model import LanguageModel

__all__ = ["bits_of", "context_of", "events_of", "probabilities_of"]

# Entries of the distributions that are worked out at a time: 64 MB.
_CHUNK_ENTRIES = 1 << 23


def events_of(
    model: LanguageModel,
    corpus: Strings | Iterable[Iterable[Hashable]],
    sample_weight: ArrayLike | None = None,
) -> Events:
    """What a model has to predict in a corpus."""
    skip = model.unseen == "skip"
    return Events.of(corpus, model.alphabet, model.window, skip_unseen=skip, sample_weight=sample_weight)


def context_of(model: LanguageModel, context: Iterable[Hashable], at_start: bool) -> list[int]:
    """Ids of the symbols of a context that matter to a model."""
    skip = model.unseen == "skip"
    return context_symbols(context, model.alphabet, model.window, at_start=at_start, skip_unseen=skip)


def bits_of(model: LanguageModel, ways: Sequence[Conditioning], events: Events) -> list[float]:
    """Bits per symbol of a corpus by its events, for each way to use the values of a model's automaton."""
    trie = events.trie
    q = [np.zeros(trie.n_nodes) for _ in ways]
    is_context = np.diff(trie.child_begin) > 0
    for nodes, scores in scores_by_level(model.automaton, trie, model.window - 1, is_context):
        rows, children = flat_children(trie, nodes)
        for way, own in zip(ways, q, strict=True):
            shorter = own[trie.suffix[children]] if nodes[0] else None
            own[children] = way.of_symbols(scores, rows, trie.symbol[children], shorter)
    return [events.bits_per_symbol(own) for own in q]


def probabilities_of(
    model: LanguageModel, ways: Sequence[Conditioning], contexts: Iterable[Iterable[Hashable]], at_start: bool
) -> Iterator[tuple[NDArray[np.int64], list[Floats]]]:
    """Each way's distributions for a part of the contexts at a time; before the first, all are checked."""
    return _by_parts(model, ways, [context_of(model, context, at_start) for context in contexts])


def _by_parts(
    model: LanguageModel, ways: Sequence[Conditioning], contexts: list[list[int]]
) -> Iterator[tuple[NDArray[np.int64], list[Floats]]]:
    """The same for contexts that are cut to the window already."""
    # Contexts with the same last symbols come together: they share most of the work.
    order = sorted(range(len(contexts)), key=lambda i: contexts[i][::-1])
    step = max(1, _CHUNK_ENTRIES // (len(model.alphabet) * model.window))
    for first in range(0, len(order), step):
        part = order[first : first + step]
        yield np.array(part), _probabilities_at_once(model, ways, [contexts[i] for i in part])


def _probabilities_at_once(
    model: LanguageModel, ways: Sequence[Conditioning], contexts: list[list[int]]
) -> list[Floats]:
    """Each way's distributions after contexts, by way of their trie."""
    symbols = np.array([symbol for context in contexts for symbol in context], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, contexts)], dtype=np.int64)
    trie = substring_trie(symbols, offsets, max(1, model.window - 1))
    asked = trie.find(symbols, offsets)
    scored = contexts_used(trie.suffix, asked, with_shorter=any(way.is_mixed for way in ways))
    rows = np.cumsum(scored) - 1
    q = [np.empty((int(scored.sum()), len(model.alphabet))) for _ in ways]
    for nodes, scores in scores_by_level(model.automaton, trie, model.window - 1, scored):
        for way, own in zip(ways, q, strict=True):
            shorter = own[rows[trie.suffix[nodes]]] if way.is_mixed and nodes[0] else None
            own[rows[nodes]] = way.of_contexts(scores, shorter)
    return [own[rows[asked]] for own in q]
