"""What several models predict after every context of a text: whole distributions, a part at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..._utils.chunks import chunks
from .._events import ScoredText, Trie
from .._histories import Histories, scored_states
from .._smoothing import Floats
from ..language_model import LanguageModel
from .n_grams import KneserNeyModel

Single: TypeAlias = LanguageModel | KneserNeyModel
_Rows: TypeAlias = NDArray[np.int64]


def text_distributions(models: Sequence[Single], text: ScoredText) -> Iterator[tuple[_Rows, list[Floats]]]:
    """The distributions of models of one alphabet after every context of a text.

    Yields
    ------
    rows : ndarray of int64
        Which of the scored symbols; each comes once, and there are so few that memory stays bounded.
    distributions : list of ndarray of float64, shape (len(rows), n_symbols)
        Of each model, what it predicts there.

    Notes
    -----
    Equal contexts within a window are computed once in each part. Whole histories are read symbol by symbol,
    all sequences side by side, and give the order of the rows where there are some.
    """
    readers = [_reader(model, text) for model in models]
    histories = [history for history in map(_whole_history, models) if history is not None]
    if histories:
        most = max(history.automaton.n_states for history in histories)
        steps = zip(*(scored_states(history, text, most) for history in histories), strict=True)
        for found in steps:
            rows = found[0][0]
            states = iter(own for _, own in found)
            of_histories = iter(history.distributions(next(states)) for history in histories)
            yield rows, [next(of_histories) if reader is None else reader(rows) for reader in readers]
        return
    order = _by_context(models, text)
    for part in chunks(text.n_scored, len(models[0].alphabet)):
        yield order[part], [reader(order[part]) for reader in readers if reader is not None]


def _whole_history(model: Single) -> Histories | None:
    if isinstance(model, LanguageModel) and model.history == "whole":
        return model._history()
    return None


def _reader(model: Single, text: ScoredText) -> Any:
    """A function of rows; None for whole histories."""
    if isinstance(model, LanguageModel) and model.history == "whole":
        return None
    trie, nodes = text.windows(model._reach)
    contexts = trie.parent[nodes]

    def read(rows: _Rows) -> Floats:
        distinct, place = np.unique(contexts[rows], return_inverse=True)
        return np.asarray(model._distributions(_spelled(trie, distinct))[place])

    return read


def distinct_contexts(model: Single, text: ScoredText) -> tuple[list[list[int]], NDArray[np.int64]]:
    """The distinct contexts within a model's window, as ids, and which of them each scored symbol has."""
    trie, nodes = text.windows(model._reach)
    distinct, place = np.unique(trie.parent[nodes], return_inverse=True)
    return _spelled(trie, distinct), place


def _spelled(trie: Trie, nodes: NDArray[Any]) -> list[list[int]]:
    """The strings of nodes of a trie, as lists of ids."""
    symbols, offsets = trie.spell(nodes)
    ids, bounds = symbols.tolist(), offsets.tolist()
    return [ids[begin:end] for begin, end in pairwise(bounds)]


def _by_context(models: Sequence[Single], text: ScoredText) -> _Rows:
    """The scored symbols, those with one context side by side."""
    trie, nodes = text.windows(max(model._reach for model in models))
    return np.argsort(trie.parent[nodes], kind="stable")
