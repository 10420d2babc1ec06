"""What a full block comes to with as many states as its rank: the function itself.

Let H = F B' be a full-rank factorization of the full block of f, a function with a support closed under
substrings. The columns of H_a are columns of H, or zero, so F F+ H_a = H_a, and F[p] A_a = (H_a B)[p], which
is F[p a] if p a is in the support and zero if not. So the automaton computes f(x) for every x that is as long
as the support's strings at most, zero where x was not seen; and its predictions can be had without an SVD,
for blocks of any size. The same holds for every block of the same rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hankelmatch import Corpus, SequenceFunction, WeightedAutomaton
from hankelmatch._context_scores import Events
from numpy.typing import NDArray

__all__ = ["AllStates", "default_floor", "longest_context_bits"]


class AllStates(WeightedAutomaton):
    """The automaton of the full block with as many states as its rank, for predictions.

    Every state that it can reach is a row F[p], or zero, so a state is kept as the number of p among the
    strings of f, -1 for zero: as an array with one column, where other automata have one for each state.

    Parameters
    ----------
    f : SequenceFunction
        With a support closed under substrings, as `hankelmatch.substring_expectations` has it.

    Examples
    --------
    >>> from hankelmatch import LanguageModel, substring_expectations
    >>> f = substring_expectations(["aab", "ab"], max_length=3)
    >>> automaton = AllStates(f)
    >>> automaton.next_values(automaton.apply(automaton.initial[None], 0)).tolist()  # of aa and ab
    [[0.5, 1.0]]
    >>> LanguageModel(automaton, 3).rank("aa", k=1)
    ['b']
    """

    def __init__(self, f: SequenceFunction) -> None:
        self._alphabet = f.alphabet
        self._n_sequences = f.n_sequences
        self._initial = np.zeros(1, np.int64)
        self._trie = f._trie
        self._values = f.values()
        # One number for each parent and symbol, in the order of the nodes: the children of a node by symbol.
        self._keys = self._trie.parent[1:].astype(np.int64) * self.n_symbols + self._trie.symbol[1:]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the numbers of strings."""
        return self._initial.dtype

    def __repr__(self) -> str:
        return f"<AllStates: {len(self._values)} strings, {self.n_symbols} symbols>"

    def apply(self, states: NDArray[Any], symbol: int) -> NDArray[Any]:
        """States after one more symbol, the same for all."""
        return self._children(states[:, 0], np.full(len(states), symbol))[:, None]

    def next_values(self, states: NDArray[Any]) -> NDArray[Any]:
        """Value of every one-symbol continuation."""
        begin = self._trie.child_begin.astype(np.int64)
        nodes = states[:, 0]
        first, end = (np.where(nodes >= 0, begin[nodes + shift], 0) for shift in (0, 1))
        n_children = end - first
        rows = np.repeat(np.arange(len(nodes)), n_children)
        children = np.arange(len(rows)) + (first - np.cumsum(n_children) + n_children)[rows]
        values = np.zeros((len(nodes), self.n_symbols))
        values[rows, self._trie.symbol[children]] = self._values[children]
        return values

    def _children(self, nodes: NDArray[np.int64], symbols: NDArray[np.int64]) -> NDArray[np.int64]:
        """The nodes of strings with one more symbol, -1 where there is none."""
        wanted = nodes * self.n_symbols + symbols
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        found = (nodes >= 0) & (self._keys[places] == wanted)
        return np.where(found, places + 1, -1)


def default_floor(f: SequenceFunction) -> float:
    """The floor that `hankelmatch.LanguageModel` takes where there is no start symbol."""
    return 0.25 / ((f.n_sequences or 1) * len(f.alphabet))


def longest_context_bits(f: SequenceFunction, corpus: Corpus, max_length: int) -> float:
    """Bits per symbol of a corpus, predicted by the values of f from the last T - 1 symbols, as in the paper.

    Parameters
    ----------
    f : SequenceFunction
        Over an alphabet without a start symbol.
    corpus : Corpus
    max_length : int
        T.
    """
    events = Events.of(corpus, f.alphabet, max_length, skip_unseen=False)
    scored = np.flatnonzero(events.counts)
    scored = scored[scored > 0]
    contexts = events.trie.parent[scored]
    floor = default_floor(f)
    known = _nodes_of(f, events, scored), _nodes_of(f, events, contexts)
    raised = np.maximum(_values(f.values(), known[0]), floor)
    above = np.maximum(f.values()[1:], floor) - floor  # of every string with a context
    totals = np.bincount(f._trie.parent[1:], above, minlength=len(f)) + floor * len(f.alphabet)
    total = np.where(known[1] >= 0, totals[np.maximum(known[1], 0)], floor * len(f.alphabet))
    counts = events.counts[scored]
    return float(-np.log2(raised / total) @ counts / counts.sum())


def _nodes_of(f: SequenceFunction, events: Events, nodes: np.ndarray) -> np.ndarray:
    """The strings of some of the corpus's nodes among those of f, -1 where f is zero."""
    width = events.trie.parent.dtype
    return f._trie.find(*events.trie.spell(np.ascontiguousarray(nodes, width), False))


def _values(values: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    return np.where(nodes >= 0, values[np.maximum(nodes, 0)], 0.0)
