"""Weights of sequences: a weight of 2 stands for a repeated sequence."""

import itertools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._utils.validation import number_of_sequences, real_array
from ..sequences.corpus import Corpus

Trie = _core.Trie32 | _core.Trie64

_LEAST = 5e-309  # what divides by it, as a share of one occurrence, is finite
_MOST = 1e290  # times the symbols of any text it is finite


def checked_weights(sample_weight: ArrayLike, n_sequences: int) -> NDArray[np.float64]:
    """Weights of sequences as float64.

    Raises
    ------
    ValueError
        If there is not one for each sequence, one is negative, NaN or infinite, all are zero, or their sum
        is above 1e290.
    """
    weights = real_array("sample_weight", sample_weight).astype(np.float64)
    if weights.shape != (n_sequences,):
        raise ValueError(
            f"sample_weight: one for each of the {n_sequences} sequences is needed, not shape {weights.shape}"
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(f"sample_weight: number {bad[0]} is {weights[bad[0]]}; give finite numbers from 0")
    with np.errstate(over="ignore"):
        total = weights.sum()
    if n_sequences and not _LEAST < total <= _MOST:
        raise ValueError(
            f"sample_weight: their sum is {total:g}; it must be above {_LEAST if total else 0:g} and at most "
            f"{_MOST:g}"
        )
    return weights


def weighed(corpus: Corpus, sample_weight: ArrayLike) -> tuple[Corpus, NDArray[np.float64]]:
    """The sequences whose weight is not zero, and their weights."""
    weights = checked_weights(sample_weight, len(corpus))
    kept = np.flatnonzero(weights)
    return (corpus, weights) if len(kept) == len(corpus) else (corpus.take(kept), weights[kept])


def total_weight(weights: NDArray[np.float64]) -> float:
    """The sum of the weights, as a number of sequences."""
    return number_of_sequences(float(weights.sum()))


def weighted_counts(trie: Trie, corpus: Corpus, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Occurrences of every substring in a trie, each weighted by its sequence.

    All substrings that end at a symbol are suffixes of the longest one that ends there. So each symbol's
    weight goes to one node, and then, from the longest strings to the shortest, every node's sum goes on to
    its suffix. Linear in the text and the trie.
    """
    last = _core.trailing_windows(trie, corpus.symbols, corpus.offsets)
    counts = np.zeros(trie.n_nodes)
    counts += np.bincount(last, np.repeat(weights, corpus.lengths), trie.n_nodes)
    add_to_shorter(trie, trie.suffix, counts)
    counts[0] += weights.sum()  # the empty string occurs once more than there are symbols
    return counts


def add_to_shorter(trie: Trie, shorter_of: NDArray[Any], sums: NDArray[np.float64]) -> None:
    """Add every node's sum to that of a node one symbol shorter, the longest first. Linear in the trie."""
    begin = trie.level_begin.tolist()
    for level in range(len(begin) - 2, 0, -1):
        shorter, first, end = begin[level - 1 : level + 2]
        places = shorter_of[first:end] - shorter
        sums[shorter:first] += np.bincount(places, sums[first:end], first - shorter)


def pruned(trie: Trie, counts: NDArray[np.float64], min_count: float) -> tuple[Trie, NDArray[np.float64]]:
    """The trie of the strings that occur so often, and of the empty one, with their counts."""
    is_kept = counts >= min_count
    is_kept[0] = True
    for first, end in itertools.pairwise(trie.level_begin[1:].tolist()):
        # Sums of the same weights may differ in rounding: what is kept must be closed under substrings.
        is_kept[first:end] &= is_kept[trie.parent[first:end]] & is_kept[trie.suffix[first:end]]
    kept = np.flatnonzero(is_kept)
    if len(kept) == trie.n_nodes:
        return trie, counts
    nodes: Any = kept.astype(trie.level_begin.dtype)
    smaller, places = _core.string_set(*trie.spell(nodes))
    at_node = np.empty(len(kept))
    at_node[places] = counts[kept]
    return smaller, at_node
