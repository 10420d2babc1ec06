"""scipy's functions on matchings by their names and contracts: drop-in replacements."""

import warnings
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .. import _core
from .._utils.types import GraphLike
from .._utils.validation import argument_named, as_pattern, check_flag
from .graphs import Ids
from .maximum import mates_of
from .weights import of_given, refuse, selected, stored_entries

_MOST_INT32 = np.iinfo(np.int32).max


def maximum_bipartite_matching(graph: GraphLike, perm_type: Literal["row", "column"] = "row") -> Ids:
    """Find a maximum matching; a drop-in replacement for `scipy.sparse.csgraph.maximum_bipartite_matching`.

    Parameters
    ----------
    graph : sparse array or matrix in CSR, CSC or COO format
        Every stored entry is an edge between its row and its column, explicit zeros too.
    perm_type : {'row', 'column'}
        ``'row'``: return the row matched to each column; ``'column'``: the column matched to each row. As in
        scipy, any other value means ``'row'``.

    Returns
    -------
    perm : ndarray of int32
        The mates, -1 where there is none; int64 if there are 2^31 rows or columns.

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
    _, row_mate, col_mate = mates_of(as_pattern(graph))
    perm: Ids = row_mate if isinstance(perm_type, str) and perm_type == "column" else col_mate
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
        scipy.

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
    size, _, _ = mates_of(as_pattern(graph))
    return np.int64(size)


def min_weight_full_bipartite_matching(biadjacency: GraphLike, maximize: bool = False) -> tuple[Ids, Ids]:
    """Match all rows, or all columns, at the least weight: scipy's function of that name, faster.

    A drop-in replacement for `scipy.sparse.csgraph.min_weight_full_bipartite_matching`.

    Parameters
    ----------
    biadjacency : sparse array or matrix in CSR, CSC or COO format
        Weights. As in scipy, explicit zeros are no edges, and warned about, nor are weights of inf, or of
        -inf where the greatest weight is looked for.
    maximize : bool
        Whether to find the greatest weight instead.

    Returns
    -------
    row_ind, col_ind : ndarray of int
        The pairs, by row.

    Raises
    ------
    TypeError
        If `biadjacency` is not sparse, or in another format.
    ValueError
        If neither all rows nor all columns can be matched at once, or a weight is NaN, or infinitely good.

    See Also
    --------
    maximum_weight_matching : for matrices of any structural rank, with duals (``minimize=True``).

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import min_weight_full_bipartite_matching
    >>> rows, cols = min_weight_full_bipartite_matching(csr_array([[3, 1, 4], [2, 1, 0]]))
    >>> [int(c) for c in cols]
    [1, 0]
    """
    check_flag("maximize", maximize, or_number=True)
    given: Any = biadjacency
    pairs = of_given(_core.full_matching, given, bool(maximize), argument="biadjacency")
    if pairs is not None:
        return _of_types(*pairs, given.shape)
    if hasattr(given, "to_scipy_sparse"):
        given = given.to_scipy_sparse()
    if not sp.issparse(given):
        raise TypeError("biadjacency must be sparse")
    if _is_unusual(given):
        raise TypeError("graph must be in CSC, CSR, or COO format.")
    with argument_named("biadjacency", "graph"):
        pattern, weights = stored_entries(given)
    if not weights.all():
        warnings.warn("explicit zero weights are removed before matching", UserWarning, stacklevel=2)
    none = np.zeros(len(weights), np.bool_)
    best, worst = (np.inf, -np.inf) if maximize else (-np.inf, np.inf)
    wrong = (np.isnan(weights), weights == best, none)
    refuse(pattern, weights, wrong, minimize=not maximize, argument="biadjacency")
    pattern, weights = selected(pattern, weights, (weights != 0) & (weights != worst))
    if not maximize:
        weights = -weights
    largest = np.abs(weights).max(initial=0.0)
    if np.isfinite(largest):
        weights = np.ldexp(weights, min(0, 900 - int(np.frexp(largest)[1])))  # so that sums do not overflow
    row_mate, *_ = _core.maximum_weight_matching(*pattern, weights, True)
    rows = np.flatnonzero(row_mate >= 0)
    if len(rows) < min(given.shape):
        raise ValueError("no full matching exists")
    return _of_types(rows, row_mate[rows], given.shape)


def _of_types(rows: Ids, cols: Ids, shape: tuple[int, ...]) -> tuple[Ids, Ids]:
    """The pairs in scipy's types: int64 for the side all of which is matched, and int32, if that holds its
    numbers, for the mates."""
    mates = np.int32 if max(shape) <= _MOST_INT32 else np.int64
    types = (np.int64, mates) if shape[0] <= shape[1] else (mates, np.int64)
    return rows.astype(types[0], copy=False), cols.astype(types[1], copy=False)


def _is_unusual(graph: GraphLike) -> bool:
    """Whether it is one of scipy's sparse matrices in a format that its own functions do not take."""
    return sp.issparse(graph) and getattr(graph, "format", None) not in ("csr", "csc", "coo")
