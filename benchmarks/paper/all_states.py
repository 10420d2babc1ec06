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
from hankelmatch import SequenceFunction, WeightedAutomaton
from hankelmatch.prediction._scoring import flat_children
from numpy.typing import NDArray

__all__ = ["AllStates"]


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
        known = np.flatnonzero(states[:, 0] >= 0)
        rows, children = flat_children(self._trie, states[known, 0])
        values = np.zeros((len(states), self.n_symbols))
        values[known[rows], self._trie.symbol[children]] = self._values[children]
        return values

    def _children(self, nodes: NDArray[np.int64], symbols: NDArray[np.int64]) -> NDArray[np.int64]:
        """The nodes of strings with one more symbol, -1 where there is none."""
        wanted = nodes * self.n_symbols + symbols
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        found = (nodes >= 0) & (self._keys[places] == wanted)
        return np.where(found, places + 1, -1)
