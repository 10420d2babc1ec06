"""N-grams of classes of symbols: the next class by modified Kneser-Ney, then the symbol by its share of it.

The classes are clusters of symbols with like neighbours, after P. F. Brown and others: Class-based n-gram
models of natural language. Computational Linguistics 18, 1992; found by k-means in place of their search.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import scipy.sparse as sp
from hankelmatch import Corpus, KneserNeyModel, SequenceFunction, substring_expectations, truncated_svd
from hankelmatch.prediction._smoothing import Floats
from hankelmatch.sequences.alphabet import Alphabet
from numpy.typing import NDArray

__all__ = ["ClassCounts", "ClassModel"]

_UNSEEN = 0.1  # occurrences that every symbol gets within its class
_DIMENSIONS = 60
_ROUNDS = 30  # of k-means


class ClassCounts:
    """The classes of a text's symbols, and the text's substrings as strings of classes.

    Parameters
    ----------
    corpus : Corpus
        The text, with start and end symbol, which are classes of their own.
    n_classes : int
        Of the other symbols.
    longest : int
        Length of the substrings.
    seed : int
        Of the clustering.
    """

    def __init__(self, corpus: Corpus, n_classes: int, longest: int, seed: int) -> None:
        self.alphabet: Alphabet = corpus.alphabet
        counts = np.bincount(corpus.symbols, minlength=len(self.alphabet)) + _UNSEEN
        self.class_of = _classes(corpus, n_classes, seed)
        self.share = counts / np.bincount(self.class_of, counts)[self.class_of]
        start, end = (self.class_of[i] for i in (self.alphabet.start_id, self.alphabet.end_id))
        classes = Alphabet(range(n_classes + 2), int(end), int(start))
        mapped = Corpus(self.class_of[corpus.symbols].astype(np.int32), corpus.offsets, classes)
        self.f: SequenceFunction = substring_expectations(mapped, longest)


class ClassModel:
    """Predicts the next symbol by the n-grams of classes."""

    def __init__(self, counts: ClassCounts, order: int) -> None:
        self._counts = counts
        self._model = KneserNeyModel(counts.f, order)

    def probabilities_after(self, prefixes: Iterable[Iterable[Hashable]]) -> Floats:
        """For each prefix the probability of every symbol."""
        class_of, index = self._counts.class_of, self._counts.alphabet.id
        mapped = [[int(class_of[index(label)]) for label in prefix] for prefix in prefixes]
        return np.asarray(self._model.probabilities_after(mapped)[:, class_of] * self._counts.share)


def _classes(corpus: Corpus, n_classes: int, seed: int) -> NDArray[np.int64]:
    """The class of every symbol: k-means of directions, from the most frequent symbols as first centres."""
    alphabet = corpus.alphabet
    own = np.setdiff1d(np.arange(len(alphabet)), [alphabet.start_id, alphabet.end_id])
    occurrences = np.bincount(corpus.symbols, minlength=len(alphabet))[own]
    points, masses = _directions(corpus, seed)[own], np.sqrt(occurrences)
    centres = points[np.argsort(-occurrences, kind="stable")[:n_classes]]
    for _ in range(_ROUNDS):
        nearest = (points @ centres.T - (centres**2).sum(axis=1) / 2).argmax(axis=1)
        members = sp.csr_array((masses, (nearest, np.arange(len(own)))), (n_classes, len(own)))
        sizes = members.sum(axis=1)
        centres = np.where(sizes[:, None] > 0, members @ points / np.maximum(sizes, 1e-9)[:, None], centres)
    class_of = np.empty(len(alphabet), np.int64)
    class_of[own] = nearest
    class_of[[alphabet.end_id, alphabet.start_id]] = n_classes, n_classes + 1
    return class_of


def _directions(corpus: Corpus, seed: int) -> Floats:
    """For every symbol a unit vector, from the counts of its neighbours on either side."""
    n, symbols = len(corpus.alphabet), corpus.symbols
    left, right = symbols[:-1], symbols[1:]
    within = left != corpus.alphabet.end_id
    follow = sp.csr_array((np.ones(within.sum()), (left[within], right[within])), shape=(n, n))
    follow.sum_duplicates()
    scaled = sp.csr_array(sp.hstack([_scaled(follow), _scaled(sp.csr_array(follow.T))]))
    svd = truncated_svd(scaled, min(_DIMENSIONS, n - 2), seed=seed)
    points = svd.U * svd.singular_values
    return np.asarray(points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-12))


def _scaled(counts: sp.csr_array) -> sp.csr_array:
    """Roots of counts, as frequent neighbours say less, over powers of the sums of rows and columns."""
    rows, columns = (np.maximum(counts.sum(axis=axis), 1.0) for axis in (1, 0))
    return sp.diags_array(rows**-0.5) @ counts.sqrt() @ sp.diags_array(columns**-0.25)
