"""What a full block comes to with as many states as its rank: the function itself.

Let H = F B' be a full-rank factorization of the full block of f, a function with a support closed under
substrings. The columns of H_a are columns of H, or zero, so F F+ H_a = H_a, and F[p] A_a = (H_a B)[p], which
is F[p a] if p a is in the support and zero if not. So the automaton computes f(x) for every x that is as long
as the support's strings at most, zero where x was not seen; and its predictions can be had without an SVD,
for blocks of any size. The same holds for every block of the same rank.
"""

from __future__ import annotations

import numpy as np
from hankelmatch import Corpus, SequenceFunction
from hankelmatch._context_scores import Events

__all__ = ["default_floor", "longest_context_bits"]


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
