"""Cheapest assignments of dense matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._utils.validation import check_flag, dense_array, is_sparse

__all__ = ["linear_sum_assignment"]


def linear_sum_assignment(
    cost_matrix: ArrayLike, maximize: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Assign the rows of a dense matrix to columns at the least total cost: scipy's function of that name.

    A drop-in replacement for `scipy.optimize.linear_sum_assignment`.

    Parameters
    ----------
    cost_matrix : array-like of shape (n_rows, n_cols)
        Costs, as float64 or what converts to it safely. Infinite costs, or those of -infinity where the
        greatest total is looked for, are never used.
    maximize : bool
        Whether to find the greatest total instead.

    Returns
    -------
    row_ind, col_ind : ndarray of int64, of shape (min(n_rows, n_cols),)
        The pairs, by row. Of several assignments with the same total it is any one, the same every time.

    Raises
    ------
    TypeError
        If the costs are complex, strings or objects, or `cost_matrix` is sparse.
    ValueError
        If `cost_matrix` does not have two dimensions; has NaN, or a cost that is infinitely good; or if
        neither all rows nor all columns can be assigned at finite cost.

    See Also
    --------
    min_weight_full_bipartite_matching : for sparse matrices.
    maximum_weight_matching : for sparse matrices of any structural rank, with duals.

    Notes
    -----
    Column reduction and bidding rows, then a shortest augmenting path for each row left [1]_, which reads
    whole rows of the matrix in vector instructions. O(n^2 m) for n <= m rows and columns in the worst case;
    often a few passes over the matrix. The GIL is released, and Ctrl-C stops it.

    References
    ----------
    .. [1] R. Jonker, A. Volgenant: A shortest augmenting path algorithm for dense and sparse linear
       assignment problems. Computing 38 (1987), 325-340.

    Examples
    --------
    >>> from hankelmatch import linear_sum_assignment
    >>> rows, cols = linear_sum_assignment([[4, 1, 3], [2, 0, 5], [3, 2, 2]])
    >>> [int(col) for col in cols]
    [1, 0, 2]
    """
    if is_sparse(cost_matrix):
        raise TypeError(
            "cost_matrix: a dense matrix is needed; for sparse ones use min_weight_full_bipartite_matching"
        )
    check_flag("maximize", maximize, or_number=True)
    costs = dense_array("cost_matrix", cost_matrix)
    if costs.ndim != 2:
        raise ValueError(f"expected a matrix (2-D array), got a {costs.ndim} array")
    costs = costs.astype(np.float64, casting="safe", copy=False)
    if maximize:
        costs = -costs
    n_rows, n_cols = costs.shape
    if n_rows <= n_cols:
        return np.arange(n_rows), _core.dense_assignment(np.ascontiguousarray(costs))
    row_of = _core.dense_assignment(np.ascontiguousarray(costs.T))
    order = np.argsort(row_of)
    return row_of[order], order
