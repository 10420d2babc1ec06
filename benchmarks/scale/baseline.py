"""The road from a text to its matching as numpy and scipy offer it: the yardstick."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching


def count(corpus, max_length):
    """For every length the sorted distinct packed substrings and their counts, by numpy.unique."""
    bits = len(corpus.alphabet).bit_length()
    if bits * max_length > 64:
        raise ValueError("the baseline packs substrings in 64 bits")
    ids = corpus.symbols.astype(np.uint64)
    left = np.repeat(corpus.offsets[1:], np.diff(corpus.offsets)) - np.arange(len(ids))
    keys, levels = np.zeros(len(ids), np.uint64), [np.zeros(1, np.uint64)]
    counts = [np.array([len(ids) + len(corpus)])]
    for length in range(1, max_length + 1):
        keys = keys[: len(ids) - length + 1] << np.uint64(bits) | ids[length - 1 :]
        distinct, occurrences = np.unique(keys[left[: len(keys)] >= length], return_counts=True)
        levels.append(distinct)
        counts.append(occurrences)
    return bits, levels, counts


def graph(bits, levels, counts):
    """Every cut of every substring, its two ends found by binary search; entries are the counts."""
    begin = np.concatenate([[0], np.cumsum([len(level) for level in levels])]).astype(np.int32)
    rows, columns, values = [], [], []
    for length, level in enumerate(levels):
        for cut in range(length + 1):
            shift = np.uint64(bits * (length - cut))
            prefix, suffix = level >> shift, level & ((np.uint64(1) << shift) - np.uint64(1))
            rows.append(begin[cut] + np.searchsorted(levels[cut], prefix).astype(np.int32))
            columns.append(
                begin[length - cut] + np.searchsorted(levels[length - cut], suffix).astype(np.int32)
            )
            values.append(counts[length])
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return csr_array(entries, shape=(begin[-1], begin[-1]))


def match(matrix):
    """Size of the maximum matching."""
    return int((maximum_bipartite_matching(matrix) >= 0).sum())
