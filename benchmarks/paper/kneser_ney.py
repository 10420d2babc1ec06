"""Interpolated modified Kneser-Ney n-gram model: the yardstick beside the automata.

    model = kneser_ney.fit(corpus, order=5)
    model.bits_per_symbol(test)
    model.probabilities_after(contexts)

The n-grams are the nodes of the library's substring trie; their counts, numbers of left extensions and
discounts are arrays over its nodes. Nothing is looped over but the orders.

References
----------
S. F. Chen, J. Goodman: An empirical study of smoothing techniques for language modeling. Computer Speech and
Language 13(4), 1999, section 3 (modified Kneser-Ney, interpolated, the discounts from counts of counts).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Literal

import numpy as np
from hankelmatch import _core
from hankelmatch._utils.validation import checked_whole
from hankelmatch.counting.sequence_function import refuse_unknown
from hankelmatch.prediction._events import Events, Trie, context_symbols
from hankelmatch.prediction._scoring import flat_children
from hankelmatch.prediction._smoothing import predicted_symbols
from hankelmatch.sequences.alphabet import Alphabet
from hankelmatch.sequences.corpus import Corpus
from hankelmatch.sequences.strings import Strings
from numpy.typing import NDArray

__all__ = ["KneserNey", "fit"]

Floats = NDArray[np.float64]

# Discounts of the counts 1, 2, and 3 and more, where a text is too small to estimate them.
_USUAL_DISCOUNTS = np.array([0.5, 1.0, 1.5])


def fit(corpus: Corpus, order: int, *, unseen: Literal["error", "skip"] = "error") -> KneserNey:
    """Estimate a model from a text.

    Parameters
    ----------
    corpus : Corpus
        The text. A start symbol of its alphabet is context only. Without one, the beginning of a sequence
        counts as one more left extension of what stands there.
    order : int
        Length of the longest n-grams, 1 or more: predictions look at the last ``order - 1`` symbols.
    unseen : {"error", "skip"}
        What to do with symbols to score or in contexts that are not in the alphabet, as in
        `hankelmatch.LanguageModel`.

    Raises
    ------
    ValueError
        If `order` is below 1, or the corpus has nothing to count.

    Notes
    -----
    Of an n-gram c a of the highest order, or one that begins with the start symbol, the count is what
    it is in the text; of any other it is the number of distinct symbols before it. With that count k, the
    sum K over all symbols, and the discounts D of the order,

        p(a | c) = max(k - D_min(k, 3), 0) / K + (the sum of what was discounted) / K * p(a | c without its
        first symbol),

    down to 1 / (number of symbols) below the empty context. D_k = k - (k + 1) n_1 / (n_1 + 2 n_2)
    n_(k+1) / n_k, with n_k the number of n-grams of the order whose count is k; 0.5, 1, 1.5 where one of them
    is zero or a discount comes out negative.

    Cost: that of counting the substrings, and a few passes over them.
    """
    order = checked_whole("order", order, 1)
    if not isinstance(corpus, Corpus):
        raise TypeError(f"corpus: a Corpus is needed, not {type(corpus).__name__}")
    if unseen not in ("error", "skip"):
        raise ValueError(f"unseen: {unseen!r} is unknown; choose 'error' or 'skip'")
    refuse_unknown(corpus, "corpus", "read it without the alphabet of another text")
    order = min(order, max(1, corpus.n_symbols))
    trie, counts = _core.count_substrings(corpus.symbols, corpus.offsets, order)
    adjusted = _adjusted_counts(trie, counts, corpus.alphabet.start_id)
    if adjusted[1:].sum() == 0:
        raise ValueError("corpus: there is no symbol to count; give a text with at least one")
    return KneserNey(trie, adjusted, corpus.alphabet, order, unseen)


class KneserNey:
    """What `fit` returns.

    Attributes
    ----------
    alphabet : Alphabet
        The symbols; a start symbol is never predicted.
    order : int
        Length of the longest n-grams.
    discounts : ndarray of float64, shape (order, 3)
        D of the counts 1, 2, and 3 and more, for every order from 1.
    """

    def __init__(
        self, trie: Trie, adjusted: NDArray[np.int64], alphabet: Alphabet, order: int, unseen: str
    ) -> None:
        self.alphabet = alphabet
        self.order = order
        self.unseen = unseen
        self.discounts = np.empty((order, 3))
        self._trie = trie
        self._is_predicted = predicted_symbols(alphabet)
        self._uniform = 1.0 / self._is_predicted.sum()
        parent = trie.parent.astype(np.int64)
        discount = np.zeros(trie.n_nodes)
        for length in range(1, len(trie.level_begin) - 1):
            level = slice(*trie.level_begin[length : length + 2])
            self.discounts[length - 1] = _estimated_discounts(adjusted[level])
            discount[level] = np.append(0.0, self.discounts[length - 1])[np.minimum(adjusted[level], 3)]
        discount = np.minimum(discount, adjusted)
        total = np.bincount(parent[1:], weights=adjusted[1:], minlength=trie.n_nodes)
        taken = np.bincount(parent[1:], weights=discount[1:], minlength=trie.n_nodes)
        # A context without a count leaves everything to the shorter one.
        self._backoff = np.divide(taken, total, out=np.ones(trie.n_nodes), where=total > 0)
        self._own = np.zeros(trie.n_nodes)
        np.divide(adjusted - discount, total[parent], out=self._own, where=adjusted > 0)
        self._own[0] = 0.0

    def __repr__(self) -> str:
        sizes = f"order {self.order}, {self._trie.n_nodes:,} n-grams of {len(self.alphabet)} symbols"
        return f"<KneserNey: {sizes}>"

    def bits_per_symbol(self, corpus: Strings | Iterable[Iterable[Hashable]]) -> float:
        """Mean -log2 probability of the symbols of a corpus, as `hankelmatch.LanguageModel` has it."""
        events = Events.of(corpus, self.alphabet, self.order, skip_unseen=self.unseen == "skip")
        return events.bits_per_symbol(self._node_probabilities(events.trie))

    def _node_probabilities(self, trie: Trie) -> Floats:
        """At every node c a of another text's trie, the probability of a after c."""
        nodes = self._trie.find(*trie.spell(np.arange(trie.n_nodes, dtype=trie.parent.dtype)))
        own = np.where(nodes >= 0, self._own[nodes], 0.0)
        backoff = np.where(nodes >= 0, self._backoff[nodes], 1.0)
        p = np.full(trie.n_nodes, self._uniform)
        for length in range(1, len(trie.level_begin) - 1):
            level = slice(*trie.level_begin[length : length + 2])
            p[level] = own[level] + backoff[trie.parent[level]] * p[trie.suffix[level]]
        return p

    def probabilities_after(self, contexts: Iterable[Iterable[Hashable]]) -> Floats:
        """The distributions of the symbols that follow contexts.

        Parameters
        ----------
        contexts : iterable of iterables of labels
            Each begins where its sequence begins; only the last ``order - 1`` symbols matter.

        Returns
        -------
        ndarray of float64, shape (n_contexts, n_symbols)
            By symbol id; every row sums to one. A start symbol has 0.

        Raises
        ------
        ValueError
            If a symbol is not in the alphabet and `unseen` is ``"error"``.
        """
        skip = self.unseen == "skip"
        cut = [context_symbols(c, self.alphabet, self.order, skip_unseen=skip) for c in contexts]
        p = np.tile(self._uniform * self._is_predicted, (len(cut), 1))
        for length in range(self.order):
            long_enough = np.flatnonzero([len(context) >= length for context in cut])
            symbols = np.array([cut[i][len(cut[i]) - length :] for i in long_enough], dtype=np.int32)
            nodes = self._trie.find(symbols.ravel(), length * np.arange(len(long_enough) + 1))
            known = nodes >= 0
            rows = long_enough[known]
            p[rows] *= self._backoff[nodes[known], None]
            places, children = flat_children(self._trie, nodes[known])
            p[rows[places], self._trie.symbol[children]] += self._own[children]
        return p


def _adjusted_counts(trie: Trie, counts: NDArray[np.int64], start_id: int | None) -> NDArray[np.int64]:
    """Occurrences at the highest order and after a start symbol, else left extensions; 0 for what ends in a
    start symbol, which is not predicted."""
    adjusted = np.array(counts)
    longest = int(trie.level_begin[-2])
    n_left = np.bincount(trie.suffix[1:], minlength=trie.n_nodes)[:longest]
    n_preceded = np.bincount(trie.suffix[1:], weights=counts[1:], minlength=trie.n_nodes)[:longest]
    adjusted[:longest] = n_left + (counts[:longest] > n_preceded)
    if start_id is not None:
        after_start = _begins_with(trie, start_id)
        adjusted[after_start] = counts[after_start]
        adjusted[trie.symbol == start_id] = 0
    adjusted[0] = 0
    return adjusted


def _begins_with(trie: Trie, symbol: int) -> NDArray[np.bool_]:
    """The nodes of strings that begin with a symbol."""
    begins = np.zeros(trie.n_nodes, dtype=bool)
    for length in range(1, len(trie.level_begin) - 1):
        level = slice(*trie.level_begin[length : length + 2])
        begins[level] = trie.symbol[level] == symbol if length == 1 else begins[trie.parent[level]]
    return begins


def _estimated_discounts(counts: NDArray[np.int64]) -> NDArray[Any]:
    """The discounts of the counts 1, 2, and 3 and more of one order."""
    n = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if not n.all():
        return _USUAL_DISCOUNTS
    k = np.arange(1, 4)
    discounts = k - (k + 1) * n[0] / (n[0] + 2 * n[1]) * n[1:] / n[:-1]
    return discounts if (discounts > 0).all() else _USUAL_DISCOUNTS
