"""The rank of large sparse matrices, exactly up to a small dense rest.

A column with a single entry is a pivot that elimination need not touch the other rows for: the row and the
column can be taken out, and the rank of what is left is one less. So can a row with a single entry. Of the
Hankel matrix of a text with many rare substrings, little is left after all of them are gone, one after the
other; and the rest is compressed by the lengths of its strings before its singular values are counted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .compression import Compressed, core_size

__all__ = ["Rank", "peel", "rank"]

Ids = NDArray[np.int64]


class Rank(NamedTuple):
    """What is known of a rank: it is `at_least`, and equal to that if `core` is small enough to know it."""

    at_least: int
    pivots: int  # rows and columns taken out
    core: int  # longer side of the dense matrix that is left, at most
    is_exact: bool


def rank(H: Any, row_lengths: Ids, column_lengths: Ids, largest_core: int) -> Rank:
    """The rank of a sparse matrix whose rows and columns are strings of the given lengths.

    Parameters
    ----------
    H : csr_array
        No explicit zeros.
    row_lengths, column_lengths : ndarray of int
    largest_core : int
        Longest side of a dense matrix whose singular values may be computed.
    """
    pivots, rows, columns = peel(H)
    if len(rows) == 0:
        return Rank(pivots, pivots, 0, True)
    rest = H[rows][:, columns]
    lengths = row_lengths[rows], column_lengths[columns]
    core = core_size(rest, *lengths)
    if core > largest_core:
        return Rank(pivots, pivots, core, False)
    return Rank(pivots + Compressed.of(rest, *lengths).rank(), pivots, core, True)


def peel(H: Any) -> tuple[int, Ids, Ids]:
    """Take out rows and columns by their single entries, as long as there are any.

    Returns
    -------
    pivots : int
        Number of pairs taken out.
    rows, columns : ndarray of int64
        Those that are left and not empty.
    """
    rows, columns = _Lines(sp.csr_array(H)), _Lines(sp.csr_array(H.T))
    pivots, n_taken = 0, 1
    while n_taken > 0:
        n_taken = sum(_take_singles(*sides) for sides in ((columns, rows), (rows, columns)))
        pivots += n_taken
    return pivots, rows.left(), columns.left()


class _Lines:
    """The rows of a matrix, or its columns: which are left, and how many of their entries."""

    def __init__(self, matrix: sp.csr_array) -> None:
        self.matrix = matrix
        self.is_left = np.ones(matrix.shape[0], dtype=bool)
        self.n_entries = np.diff(matrix.indptr).astype(np.int64)
        # The sum of where they are: where the entry is, once there is only one.
        owners = np.repeat(np.arange(matrix.shape[0]), self.n_entries)
        self.place_sum = np.zeros(matrix.shape[0], np.int64)
        np.add.at(self.place_sum, owners, matrix.indices)

    def left(self) -> Ids:
        """Those that are left and not empty."""
        return np.flatnonzero(self.is_left & (self.n_entries > 0))


def _take_singles(lines: _Lines, others: _Lines) -> int:
    """Take out the partners of the lines with single entries, and so the entries themselves."""
    single = np.flatnonzero(lines.is_left & (lines.n_entries == 1))
    partners = np.unique(lines.place_sum[single])
    others.is_left[partners] = False
    entries = others.matrix[partners]
    owners = np.repeat(partners, np.diff(entries.indptr))
    np.subtract.at(lines.n_entries, entries.indices, 1)
    np.subtract.at(lines.place_sum, entries.indices, owners)
    return len(partners)
