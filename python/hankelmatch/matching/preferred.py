"""Which of several maximum matchings: one at random, or one that covers given rows and columns first."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._utils.validation import Pattern, checked_pattern, real_array
from .graphs import Ids


def shuffled(pattern: Pattern, rng: np.random.Generator) -> tuple[Pattern, Ids, Ids]:
    """Give the graph with rows and the edges of each row in random order, and the old number of every row."""
    order = rng.permutation(pattern.n_rows)
    indptr = pattern.indptr.astype(np.int64)
    edges = rng.permutation(int(indptr[-1]) if len(indptr) else 0)
    rows = np.searchsorted(indptr, edges, side="right") - 1
    place = np.empty(pattern.n_rows, np.int64)
    place[order] = np.arange(pattern.n_rows)
    by_row = np.argsort(place[rows], kind="stable")
    lengths = np.diff(indptr)[order]
    new_indptr = np.concatenate(([0], np.cumsum(lengths))).astype(pattern.indptr.dtype)
    new_indices = pattern.indices[edges[by_row]]
    return checked_pattern((pattern.n_rows, pattern.n_cols), new_indptr, new_indices), order, place


def preferring_mates(
    pattern: Pattern,
    row_weights: ArrayLike | None,
    col_weights: ArrayLike | None,
    seed: np.random.Generator | None,
) -> tuple[Ids, Ids]:
    """Find a maximum matching whose rows weigh as much as can be, and at once its columns.

    The rows that some matching covers are the independent sets of a matroid (Edmonds and Fulkerson), so the
    greedy order is right: rows by weight, and a row that was matched stays so. Likewise for columns; and some
    maximum matching covers the best rows and the best columns together (Mendelsohn and Dulmage).

    With a seed each of these matchings M can come out: it does where, of rows with equal weights, M's come
    first, each with its edge of M first. The edge's column is free when the row's turn comes, and is taken.
    """
    row_mate = _greedy(pattern, _checked(row_weights, "row_weights", pattern.n_rows), seed)
    if col_weights is None:
        return row_mate, _inverse(row_mate, pattern.n_cols)
    weights = _checked(col_weights, "col_weights", pattern.n_cols)
    transposed = Pattern(pattern.n_cols, pattern.n_rows, *_core.transpose(*pattern))
    col_mate = _greedy(transposed, weights, seed)
    if row_weights is None:
        return _inverse(col_mate, pattern.n_rows), col_mate
    both = _restricted(pattern, row_mate >= 0, col_mate >= 0)
    if seed is not None:
        row_mate = _greedy(both, None, seed)
        return row_mate, _inverse(row_mate, pattern.n_cols)
    _, row_mate, col_mate = _core.match(*both, "auto", None, None)
    return row_mate, col_mate


def _greedy(pattern: Pattern, weights: NDArray[np.float64] | None, rng: np.random.Generator | None) -> Ids:
    """Rows from the heaviest to the lightest, those of one weight in random order or as they are."""
    order: Ids = np.arange(pattern.n_rows)
    if rng is not None:
        pattern, order, _ = shuffled(pattern, rng)
    if weights is not None:
        by_weight = np.argsort(-weights[order], kind="stable")
        pattern, order = _with_rows(pattern, by_weight), order[by_weight]
    _, found, _ = _core.match(*pattern, "augmenting-path", None, None)
    row_mate: Ids = np.empty_like(found)
    row_mate[order] = found
    return row_mate


def _with_rows(pattern: Pattern, rows: Ids) -> Pattern:
    ones = np.ones(len(pattern.indices), np.int8)
    matrix = sp.csr_array((ones, pattern.indices, pattern.indptr), shape=(pattern.n_rows, pattern.n_cols))
    chosen = matrix[rows]
    dtype = pattern.indices.dtype
    return pattern._replace(indptr=chosen.indptr.astype(dtype), indices=chosen.indices.astype(dtype))


def _restricted(pattern: Pattern, rows: NDArray[np.bool_], cols: NDArray[np.bool_]) -> Pattern:
    """The edges between these rows and these columns."""
    n_edges = int(pattern.indptr[-1])
    row_of = np.repeat(np.arange(pattern.n_rows), np.diff(pattern.indptr))
    indices = pattern.indices[:n_edges]
    kept = rows[row_of] & cols[indices]
    indptr = np.concatenate(([0], np.cumsum(kept)))[pattern.indptr].astype(pattern.indptr.dtype)
    return pattern._replace(indptr=indptr, indices=indices[kept])


def _inverse(mates: Ids, n: int) -> Ids:
    inverse = np.full(n, -1, mates.dtype)
    matched = np.flatnonzero(mates != -1)
    inverse[mates[matched]] = matched
    return inverse


def _checked(weights: ArrayLike | None, argument: str, n: int) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    array = real_array(argument, weights).astype(np.float64)
    if array.shape != (n,):
        raise ValueError(f"{argument}: {n} numbers are needed, not an array of shape {array.shape}")
    if np.isnan(array).any():
        raise ValueError(f"{argument}: number {int(np.flatnonzero(np.isnan(array))[0])} is NaN")
    return array
