"""The interpolated modified Kneser-Ney n-gram model, with the interface of `LanguageModel`.

The n-grams are the nodes of a trie of substrings; their counts, numbers of left extensions and discounts are
arrays over its nodes. Nothing is looped over but the orders.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ..._utils.validation import check_choice, checked_whole
from ...counting.sequence_function import SequenceFunction, refuse_unknown
from ...sequences.alphabet import Alphabet
from ...sequences.corpus import Corpus
from .._events import ScoredText, Trie
from .._next_symbols import NextSymbolModel
from .._scoring import flat_children
from .._smoothing import Floats, predicted_symbols
from .._text_scores import Unseen

_Counts: TypeAlias = NDArray[np.float64]

# Discounts of the counts 1, 2, and 3 and more, where a text is too small to estimate them.
_USUAL_DISCOUNTS = np.array([0.5, 1.0, 1.5])
_WHOLE = 1e-6  # what a count may be off a whole number, where it comes out of a quotient


class KneserNeyModel(NextSymbolModel):
    """Predicts the next symbol by n-grams: interpolated modified Kneser-Ney.

    The yardstick beside automata, and a part of a `MixtureModel`. Its methods are those of `LanguageModel`.

    Parameters
    ----------
    corpus : Corpus or SequenceFunction
        The text to learn from. A start symbol of its alphabet is context only. Without one, the beginning of
        a sequence counts as one more left extension of what stands there. Or the expected number of
        occurrences of every substring, as `substring_expectations` counts it: then nothing is counted again.
    order : int
        Length of the longest n-grams, 1 or more: predictions look at the last ``order - 1`` symbols. No more
        than the longest substrings that were counted.
    unseen : {"error", "skip"}, optional
        What to do with symbols to score or in contexts that are not in the alphabet, as in `LanguageModel`.

    Attributes
    ----------
    order : int
        Length of the longest n-grams.
    discounts : ndarray of float64, shape (order, 3)
        D of the counts 1, 2, and 3 and more, for every order from 1.

    Raises
    ------
    ValueError
        If an option is out of its range, the corpus has nothing to count, or the function is none of
        substrings with a number of sequences, or has negative values.
    TypeError
        If `corpus` is neither.

    Notes
    -----
    Of an n-gram c a of the highest order, or one that begins with the start symbol, the count is what it is
    in the text; of any other it is the number of distinct symbols before it. With that count k, the sum K
    over all symbols, and the discounts D of the order,

        p(a | c) = max(k - D_min(k, 3), 0) / K + (the sum of what was discounted) / K * p(a | c without its
        first symbol),

    down to 1 / (number of symbols) below the empty context [1]_. D_k = k - (k + 1) n_1 / (n_1 + 2 n_2)
    n_(k+1) / n_k, with n_k the number of n-grams of the order whose count is k; 0.5, 1, 1.5 where one of them
    is zero or a discount comes out negative. Counts of weighted sequences are rounded up for that.

    Cost: that of counting the substrings, and a few passes over them.

    References
    ----------
    .. [1] S. F. Chen, J. Goodman: An empirical study of smoothing techniques for language modeling. Computer
       Speech and Language 13(4), 1999, section 3.

    Examples
    --------
    >>> from hankelmatch import Corpus, KneserNeyModel
    >>> text = Corpus.from_sequences(["abab", "ab", "ababab"], end_symbol=True, start_symbol=True)
    >>> model = KneserNeyModel(text, order=3)
    >>> model.rank("aba", k=1), round(model.bits_per_symbol(["abab"]), 2)
    (['b'], 0.66)
    """

    kind = "n-gram model"

    def __init__(self, corpus: Corpus | SequenceFunction, order: int, *, unseen: Unseen = "error") -> None:
        order = checked_whole("order", order, 1)
        check_choice("unseen", unseen, ("error", "skip"))
        if isinstance(corpus, Corpus):
            refuse_unknown(corpus, "corpus", "read it without the alphabet of another text")
            longest = min(order, max(1, corpus.n_symbols))  # the core's lengths have 64 bits
            trie, counts = _core.count_substrings(corpus.symbols, corpus.offsets, longest)
        elif isinstance(corpus, SequenceFunction):
            trie, counts = _occurrences(corpus)
        else:
            raise TypeError(
                "corpus: a Corpus or a SequenceFunction is needed, as Corpus.from_sequences and "
                f"substring_expectations make them, not {type(corpus).__name__}"
            )
        order = min(order, max(1, len(trie.level_begin) - 2))
        adjusted = _adjusted_counts(trie, counts.astype(np.float64), order, corpus.alphabet.start_id)
        if adjusted[1:].sum() == 0:
            raise ValueError("corpus: there is no symbol to count; give a text with at least one")
        self._set(trie, adjusted, corpus.alphabet, order, unseen)

    def _set(self, trie: Trie, adjusted: _Counts, alphabet: Alphabet, order: int, unseen: Unseen) -> None:
        """Take the counts of the first nodes of a trie, those of length 0 to `order`."""
        self._alphabet = alphabet
        self.order = order
        self.unseen = unseen
        self.discounts = np.empty((order, 3))
        self._trie = trie
        self._adjusted = adjusted
        self._is_predicted = predicted_symbols(alphabet)
        self._uniform = 1.0 / self._is_predicted.sum()
        n = len(adjusted)
        parent = trie.parent[:n].astype(np.int64)
        discount = np.zeros(n)
        whole = np.minimum(np.ceil(adjusted - _WHOLE), 5).astype(np.int64)  # more are all alike
        for length in range(1, min(order, len(trie.level_begin) - 2) + 1):
            level = slice(*trie.level_begin[length : length + 2])
            self.discounts[length - 1] = _estimated_discounts(whole[level])
            discount[level] = np.append(0.0, self.discounts[length - 1])[np.minimum(whole[level], 3)]
        discount = np.minimum(discount, adjusted)
        total = np.bincount(parent[1:], weights=adjusted[1:], minlength=n)
        taken = np.bincount(parent[1:], weights=discount[1:], minlength=n)
        # A context without a count leaves everything to the shorter one.
        self._backoff = np.divide(taken, total, out=np.ones(n), where=total > 0)
        self._own = np.zeros(n)
        np.divide(adjusted - discount, total[parent], out=self._own, where=adjusted > 0)
        self._own[0] = 0.0

    @property
    def alphabet(self) -> Alphabet:
        """The symbols; a start symbol is never predicted."""
        return self._alphabet

    @property
    def n_grams(self) -> int:
        """Number of distinct n-grams."""
        return len(self._adjusted) - 1

    def __repr__(self) -> str:
        return f"<KneserNeyModel: order {self.order}, {self.n_grams:,} n-grams>"

    def replace(self, **changes: object) -> KneserNeyModel:
        """A model with some options changed; there is `unseen` alone.

        Parameters
        ----------
        **changes
            ``unseen``, as the class has it.

        Raises
        ------
        ValueError
            For any other name, and for a value that the class refuses.
        """
        unseen = changes.pop("unseen", self.unseen)
        check_choice("unseen", unseen, ("error", "skip"))
        if changes:
            raise ValueError(f"changes: {', '.join(changes)} given; here unseen alone can be changed")
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, unseen=unseen)
        return other

    @property
    def _reach(self) -> int:
        return self.order

    def _walk(self) -> _NGramWalk:
        return _NGramWalk(self)

    def _distributions(self, contexts: list[list[int]]) -> Floats:
        p = np.tile(self._uniform * self._is_predicted, (len(contexts), 1))
        for length in range(self.order):
            long_enough = np.flatnonzero([len(context) >= length for context in contexts])
            cut = [contexts[i][len(contexts[i]) - length :] for i in long_enough]
            symbols = np.array(cut, dtype=np.int32).ravel()
            nodes = self._trie.find(symbols, length * np.arange(len(long_enough) + 1))
            known = nodes >= 0
            rows = long_enough[known]
            p[rows] *= self._backoff[nodes[known], None]
            places, children = flat_children(self._trie, nodes[known])
            p[rows[places], self._trie.symbol[children]] += self._own[children]
        return p

    def _probabilities_of(self, text: ScoredText) -> Floats:
        trie, nodes = text.windows(self.order)
        return self._node_probabilities(trie)[nodes]

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

    def __getstate__(self) -> dict[str, Any]:
        return {"alphabet": self._alphabet, "order": self.order, "unseen": self.unseen, **self._counts()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        trie = _trie_of(state["n_children"], state["symbol"])
        adjusted = state["adjusted"].astype(np.float64)
        self._set(trie, adjusted, state["alphabet"], state["order"], state["unseen"])

    def _counts(self) -> dict[str, NDArray[Any]]:
        """The n-grams as a trie, without its root's symbol, and their counts."""
        n = len(self._adjusted)
        whole = np.rint(self._adjusted).astype(np.int64)
        is_whole = bool((whole == self._adjusted).all())
        return {
            "n_children": _small(np.bincount(self._trie.parent[1:n], minlength=n)),
            "symbol": _small(self._trie.symbol[1:n]),
            "adjusted": _small(whole) if is_whole else self._adjusted,
        }

    def _to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        header = {"alphabet": self._alphabet.to_json(), "order": self.order, "unseen": self.unseen}
        return header, self._counts()

    @classmethod
    def _from_arrays(
        cls: type[KneserNeyModel], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> KneserNeyModel:
        alphabet = Alphabet.from_json(header["alphabet"])
        adjusted = arrays["adjusted"].astype(np.float64)
        trie = _trie_of(arrays["n_children"], arrays["symbol"])
        if trie.n_nodes != len(adjusted) or not (adjusted >= 0).all() or adjusted[1:].sum() <= 0:
            raise ValueError("its counts do not fit its n-grams")
        if len(trie.symbol) > 1 and not 0 <= trie.symbol[1:].min() <= trie.symbol.max() < len(alphabet):
            raise ValueError("it has symbols outside its alphabet")
        check_choice("unseen", header["unseen"], ("error", "skip"))
        model = object.__new__(cls)
        model._set(trie, adjusted, alphabet, checked_whole("order", header["order"], 1), header["unseen"])
        return model


class _NGramWalk:
    """Reads symbols, and keeps the last ones."""

    def __init__(self, model: KneserNeyModel) -> None:
        self._model = model
        self._symbols: list[int] = []

    def read(self, symbol: int) -> None:
        self._symbols = [*self._symbols, symbol][max(0, len(self._symbols) + 2 - self._model.order) :]

    def distribution(self) -> Floats:
        return self._model._distributions([self._symbols])[0]


def _occurrences(f: SequenceFunction) -> tuple[Trie, NDArray[Any]]:
    """The trie of a function of substrings, and how often each occurs."""
    if f.n_sequences is None or not f._is_closed:
        raise ValueError(
            "corpus: a function of all substrings of a text is needed, with its number of sequences; "
            "substring_expectations makes one"
        )
    counts = f._values * f.n_sequences
    if counts.min() < 0:
        raise ValueError(f"corpus: a value of the function is {counts.min():g}; occurrences are not negative")
    whole = np.rint(counts)
    return f._trie, np.where(np.abs(counts - whole) <= _WHOLE * np.maximum(1.0, whole), whole, counts)


def _adjusted_counts(trie: Trie, counts: _Counts, order: int, start_id: int | None) -> _Counts:
    """Occurrences at the highest order and after a start symbol, else left extensions; 0 for what ends in a
    start symbol, which is not predicted. For nodes of length up to `order`."""
    n_levels = min(order, len(trie.level_begin) - 2) + 1
    n = int(trie.level_begin[n_levels])
    longest = int(trie.level_begin[n_levels - 1])
    adjusted = counts[:n].copy()
    suffix = trie.suffix[1:n]
    n_left = np.bincount(suffix, minlength=n)[:longest]
    n_preceded = np.bincount(suffix, weights=counts[1:n], minlength=n)[:longest]
    adjusted[:longest] = n_left + (counts[:longest] > n_preceded + _WHOLE)
    if start_id is not None:
        after_start = _begins_with(trie, start_id, n_levels)
        adjusted[after_start] = counts[:n][after_start]
        adjusted[trie.symbol[:n] == start_id] = 0
    adjusted[0] = 0
    return adjusted


def _begins_with(trie: Trie, symbol: int, n_levels: int) -> NDArray[np.bool_]:
    """The nodes of strings that begin with a symbol."""
    begins = np.zeros(int(trie.level_begin[n_levels]), dtype=bool)
    for length in range(1, n_levels):
        level = slice(*trie.level_begin[length : length + 2])
        begins[level] = trie.symbol[level] == symbol if length == 1 else begins[trie.parent[level]]
    return begins


def _estimated_discounts(counts: NDArray[np.int64]) -> NDArray[Any]:
    """The discounts of the counts 1, 2, and 3 and more of one order, from its counts up to 5."""
    n = np.bincount(counts, minlength=6)[1:5].astype(np.float64)
    if not n.all():
        return _USUAL_DISCOUNTS
    k = np.arange(1, 4)
    discounts = k - (k + 1) * n[0] / (n[0] + 2 * n[1]) * n[1:] / n[:-1]
    return discounts if (discounts > 0).all() else _USUAL_DISCOUNTS


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers from 0 in the smallest type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def _trie_of(n_children: NDArray[Any], symbol: NDArray[Any]) -> Trie:
    """The trie of nodes in level order, from how many children each has and the last symbol of all but the
    root."""
    n = len(n_children)
    n_children = n_children.astype(np.int64)
    parent = np.repeat(np.arange(n), n_children)
    if len(parent) != n - 1 or len(symbol) != n - 1 or (parent > np.arange(n - 1)).any():
        raise ValueError("its n-grams are no trie")
    length = np.zeros(n, np.int64)
    begin, end = 0, 1
    while end < n:  # the children of one level are the next
        begin, end = end, end + int(n_children[begin:end].sum())
        length[begin:end] = length[begin - 1] + 1
    leaves = np.flatnonzero(n_children == 0)
    offsets = np.concatenate([[0], np.cumsum(length[leaves])])
    symbols = np.empty(offsets[-1], np.int32)
    node, place = leaves, offsets[1:] - 1
    while len(node := node[inside := node > 0]):
        place = place[inside]
        symbols[place] = symbol[node - 1]
        node, place = parent[node - 1], place - 1
    return _core.string_set(symbols, offsets)[0]
