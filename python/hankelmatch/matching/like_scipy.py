"""The functions that `scipy.sparse.csgraph` has too, under its names."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
import scipy.sparse as sp

from .. import _core
from .._utils.types import GraphLike
from .._utils.validation import as_pattern
from .maximum import Ids

_MOST_INT32 = np.iinfo(np.int32).max


def maximum_bipartite_matching(graph: GraphLike, perm_type: Literal["row", "column"] = "row") -> Ids:
    """Find a maximum matching; a drop-in replacement for `scipy.sparse.csgraph.maximum_bipartite_matching`.

    Parameters
    ----------
    graph : sparse array or matrix in CSR, CSC or COO format
        Every stored entry is an edge between its row and its column, explicit zeros too. Not to be changed by
        another thread meanwhile.
    perm_type : {'row', 'column'}
        ``'row'``: return the row matched to each column; ``'column'``: the column matched to each row. As in
        scipy, any other value means ``'row'``.

    Returns
    -------
    perm : ndarray of int32
        -1 where there is none. (int64 if there are 2^31 rows or columns.)

    Raises
    ------
    TypeError
        If `graph` is not sparse, or in another format.
    ValueError
        If its arrays contradict one another.

    See Also
    --------
    match : both directions at once, the certificate, a choice of methods.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import maximum_bipartite_matching
    >>> graph = csr_array([[0, 0, 1], [1, 1, 0]])
    >>> maximum_bipartite_matching(graph, perm_type="column")
    array([2, 0], dtype=int32)
    >>> maximum_bipartite_matching(graph, perm_type="row")
    array([ 1, -1,  0], dtype=int32)
    """
    if _is_unusual(graph):
        raise TypeError("graph must be in CSC, CSR, or COO format.")
    _, row_mate, col_mate = _core.match(*as_pattern(graph), "auto", None, None)
    perm: Ids = row_mate if perm_type == "column" else col_mate
    if perm.dtype == np.int32 or max(len(row_mate), len(col_mate)) > _MOST_INT32:
        return perm
    return perm.astype(np.int32)


def structural_rank(graph: GraphLike) -> np.int64:
    """Compute the structural rank; a drop-in replacement for `scipy.sparse.csgraph.structural_rank`.

    It is the size of a maximum matching, and the largest rank of any matrix with this pattern.

    Parameters
    ----------
    graph : sparse array or matrix
        Every stored entry counts, explicit zeros too. Formats other than CSR, CSC and COO warn, as in
        scipy. Not to be changed by another thread meanwhile.

    Returns
    -------
    rank : numpy.int64

    Raises
    ------
    TypeError
        If `graph` is not sparse.
    ValueError
        If its arrays contradict one another.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import structural_rank
    >>> int(structural_rank(csr_array([[0, 1, 2], [0, 1, 0], [0, 3, 0]])))
    2
    """
    if _is_unusual(graph):
        warnings.warn(
            "Input matrix should be in CSC, CSR, or COO matrix format",
            sp.SparseEfficiencyWarning,
            stacklevel=2,
        )
    size, _, _ = _core.match(*as_pattern(graph), "auto", None, None)
    return np.int64(size)


def _is_unusual(graph: GraphLike) -> bool:
    """Whether it is one of scipy's sparse matrices in a format that its own functions do not take."""
    return sp.issparse(graph) and getattr(graph, "format", None) not in ("csr", "csc", "coo")
