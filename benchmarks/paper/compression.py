"""Exact singular value decompositions of Hankel blocks of any size that are long and thin in parts.

A prefix of length l has suffixes of length T - l at most, so the long prefixes, which are nearly all rows of
a full block, have entries in few columns: those of length T in one, those of length T - 1 in as many as there
are symbols. The rows of a length, m of them with entries in k < m columns, are Q R with orthonormal columns
in Q (m x k) and R k x k. So H = Q_rows C Q_columns', where C, the core, has as many rows as there are short
prefixes and twice that at most, and the singular values of H are those of C. For the 143,010 substrings up to
T = 5 of Penn Treebank C has 1,774 rows; an SVD of it takes seconds, and nothing is approximated.

The automaton of a full block needs left singular vectors alone: H_a V = (H V)[rows p a] = (U D)[rows p a], so
A_a = D^-1 U[rows p]' U[rows p a] D over all prefixes p a that end in a; and these products are formed on the
compressed side too.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from hankelmatch import PrefixSuffixGraph, SequenceFunction, WeightedAutomaton
from hankelmatch.automata._transitions import Transitions
from hankelmatch.automata.svd import TruncatedSVD, numeric_rank, truncated_svd
from hankelmatch.hankel.blocks import HankelBlocks
from numpy.typing import NDArray

__all__ = ["Compressed", "core_size", "full_automaton", "whole_matrix"]

Floats = NDArray[np.float64]

# Groups with entries in more columns stay as they are: their Q would be as large as what it saves.
_WIDEST_Q = 5_000


@dataclass(frozen=True)
class Group:
    """Rows of one length: which, their places in the core, and Q (None where they were left as they are)."""

    rows: NDArray[np.int64]
    places: slice
    Q: Floats | None

    def expand(self, U: Floats) -> Floats:
        """The vectors of its rows, from those of the whole core."""
        inner = U[self.places]
        return inner if self.Q is None else self.Q @ inner


@dataclass(frozen=True)
class Side:
    """The rows of a matrix, or its columns, by their groups."""

    groups: list[Group]
    n_rows: int

    def expand(self, U: Floats) -> Floats:
        """The vectors of all rows."""
        whole = np.empty((self.n_rows, U.shape[1]))
        for group in self.groups:
            whole[group.rows] = group.expand(U)
        return whole


@dataclass(frozen=True)
class Compressed:
    """H = rows.Q C columns.Q', each Q block diagonal with orthonormal columns; the core C stays sparse."""

    rows: Side
    columns: Side
    core: sp.csr_array
    shape: tuple[int, int]

    @classmethod
    def of(cls, H: Any, row_lengths: NDArray[Any], column_lengths: NDArray[Any]) -> Compressed:
        """Compress a sparse matrix whose rows and columns are strings of these lengths."""
        rows, halfway = _compress_rows(sp.csr_array(H), row_lengths)
        columns, core = _compress_rows(sp.csr_array(halfway.T), column_lengths)
        return cls(rows, columns, sp.csr_array(core.T), H.shape)

    @classmethod
    def of_blocks(cls, blocks: HankelBlocks) -> Compressed:
        """Compress the block H of Hankel blocks."""
        return cls.of(blocks.H, blocks.basis.prefixes.lengths, blocks.basis.suffixes.lengths)

    def rank(self) -> int:
        """Numeric rank of H, as `numpy.linalg.matrix_rank` would count it."""
        return numeric_rank(scipy.linalg.svdvals(self.core.toarray()), self.shape)

    def svd(self, n_states: int | None = None) -> TruncatedSVD:
        """SVD of the core; all triplets of H that are not numerically zero, or the first ones."""
        svd = truncated_svd(self.core, n_states)
        return svd.truncate(max(1, numeric_rank(svd.singular_values, self.shape)))

    def expand(self, svd: TruncatedSVD) -> TruncatedSVD:
        """The triplets of H from those of the core."""
        U, d, V = svd
        return TruncatedSVD(self.rows.expand(U), d, self.columns.expand(V), svd.method, svd.tolerance)


def whole_matrix(graph: PrefixSuffixGraph) -> tuple[Any, NDArray[Any], NDArray[Any]]:
    """The Hankel matrix of all prefixes and suffixes, and their lengths."""
    return graph.to_csr(weighted=True), graph.prefix_lengths, graph.suffix_lengths


def core_size(H: Any, row_lengths: NDArray[Any], column_lengths: NDArray[Any]) -> int:
    """The longer side of a matrix's core, or a little more, before it is made."""
    H = sp.csr_array(H)
    column_groups = [np.flatnonzero(column_lengths == length) for length in np.unique(column_lengths)]
    n_rows, rows_reached = 0, np.zeros(len(column_groups), np.int64)  # what each group has entries in, then
    for length in np.unique(row_lengths):
        part = H[np.flatnonzero(row_lengths == length)]
        columns = np.unique(part.indices)
        n_kept = _n_compressed(part.shape[0], len(columns))
        n_rows += n_kept
        for group, own in enumerate(column_groups):
            if n_kept == part.shape[0]:
                rows_reached[group] += np.count_nonzero(np.diff(part[:, own].indptr))
            else:  # R is upper triangular
                places = np.flatnonzero(np.isin(columns, own))
                rows_reached[group] += places.max(initial=-1) + 1
    n_columns = sum(map(_n_compressed, map(len, column_groups), rows_reached.tolist()))
    return max(n_rows, n_columns)


def _n_compressed(n_rows: int, n_columns: int) -> int:
    """How many rows are left of a group that has entries in so many columns."""
    return n_columns if n_columns < n_rows and n_columns <= _WIDEST_Q else n_rows


def _compress_rows(H: sp.csr_array, lengths: NDArray[Any]) -> tuple[Side, sp.csr_array]:
    """The rows by groups, and the matrix that is left, Q'H."""
    groups, kept, begin = [], [], 0
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        part = H[rows]
        columns = np.unique(part.indices)
        Q = None
        if _n_compressed(len(rows), len(columns)) < len(rows):
            Q, R = scipy.linalg.qr(part[:, columns].toarray(), mode="economic", check_finite=False)
            part = _spread(R, columns, H.shape[1])
        groups.append(Group(rows, slice(begin, begin + part.shape[0]), Q))
        kept.append(part)
        begin += part.shape[0]
    return Side(groups, H.shape[0]), sp.csr_array(sp.vstack(kept, format="csr"))


def _spread(R: Floats, columns: NDArray[Any], n_columns: int) -> sp.csr_array:
    """R with its columns in their places among `n_columns`."""
    coo = sp.coo_array(R)
    return sp.csr_array((coo.data, (coo.row, columns[coo.col])), shape=(len(R), n_columns))


def full_automaton(
    f: SequenceFunction, compressed: Compressed, svd: TruncatedSVD, dtype: Any = np.float32
) -> WeightedAutomaton:
    """The automaton of the full block of a function whose support is closed under substrings.

    Parameters
    ----------
    f : SequenceFunction
        The function.
    compressed : Compressed
        Its full block, rows and columns in the order of f's strings.
    svd : TruncatedSVD
        Of the core.
    """
    U, d, V = svd
    trie = f._trie
    bounds = trie.level_begin
    groups = compressed.rows.groups  # one a length, so level by level, and rows in the order of the nodes
    matrices = np.zeros((len(f.alphabet), len(d), len(d)), dtype)
    for length, (shorter, longer) in enumerate(itertools.pairwise(groups)):
        level = slice(bounds[length + 1], bounds[length + 2])
        symbols, parents = trie.symbol[level], trie.parent[level] - bounds[length]
        for symbol in np.unique(symbols):
            ends = np.flatnonzero(symbols == symbol)
            product = _product(shorter, parents[ends], longer, ends, U)
            matrices[symbol] += product * (d / d[:, None])
    root = slice(0, 1)
    return WeightedAutomaton(
        (U[root] * d)[0].astype(dtype),
        V[root][0].astype(dtype),
        Transitions.from_matrices(matrices),
        f.alphabet,
        n_sequences=f.n_sequences,
    )


def _product(shorter: Group, p: NDArray[Any], longer: Group, pa: NDArray[Any], U: Floats) -> Floats:
    """U[rows p]' U[rows pa], each side expanded only where it has fewer rows than its Q has columns."""
    left, left_U = _side(shorter, p, U)
    right, right_U = _side(longer, pa, U)
    product = left.T @ right
    if left_U is not None:
        product = left_U.T @ product
    return product if right_U is None else product @ right_U


def _side(group: Group, rows: NDArray[Any], U: Floats) -> tuple[Floats, Floats | None]:
    """Two matrices whose product are the vectors of some rows of a group; the second may be left out."""
    inner = U[group.places]
    if group.Q is None:
        return inner[rows], None
    if len(rows) < group.Q.shape[1]:
        return group.Q[rows] @ inner, None
    return group.Q[rows], inner
