"""Heaviest matchings of sparse matrices, with the dual variables that prove them, as MC64 gives them."""

from __future__ import annotations

import warnings
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import _core
from .._utils.types import GraphLike
from .._utils.validation import Pattern, as_pattern, check_type, checked_number, is_sparse
from .maximum import Ids, Matching

Objective: TypeAlias = Literal["sum", "product"]
Floats: TypeAlias = NDArray[np.float64]
WeightedPattern: TypeAlias = "tuple[Pattern, Floats]"

_MOST_INT32 = np.iinfo(np.int32).max


class WeightedMatching(Matching):
    """A heaviest matching with the numbers that prove it, as `maximum_weight_matching` returns it.

    The weight w of an edge is its entry, or the logarithm of its size if the objective is ``"product"``. The
    duals are at least 0, and 0 for what is unmatched, and for every edge (i, j)::

        row_dual[i] + col_dual[j] + cardinality_dual >= w(i, j)

    with equality for the pairs of the matching. So no matching of this size is heavier, and if
    `cardinality_dual` is 0 none of any size.

    Attributes
    ----------
    size, row_mate, col_mate
        As in `Matching`.
    weight : float
        The sum of the weights: of the entries, or for ``"product"`` of the logarithms of their sizes.
    row_dual, col_dual : ndarray of float64
        Dual variables of rows and columns.
    cardinality_dual : float
        Dual variable of the matching's size: 0 if matchings of any size were compared.
    objective : {'sum', 'product'}

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import maximum_weight_matching
    >>> graph = csr_array([[4.0, 3.0], [3.0, 0.5]])
    >>> matching = maximum_weight_matching(graph, "product")
    >>> matching.row_mate, round(float(np.exp(matching.weight)), 9)
    (array([1, 0], dtype=int32), 9.0)
    >>> scaled = matching.row_scaling[:, None] * graph.toarray() * matching.col_scaling
    >>> bool(np.allclose(scaled[[0, 1], matching.row_mate], 1)), bool(scaled.max() <= 1 + 1e-12)
    (True, True)
    """

    def __init__(
        self,
        row_mate: Ids,
        col_mate: Ids,
        graph: GraphLike,
        *,
        row_dual: Floats,
        col_dual: Floats,
        cardinality_dual: float,
        objective: Objective,
        maximum_cardinality: bool,
    ) -> None:
        super().__init__(row_mate, col_mate, graph)
        for dual in (row_dual, col_dual):
            dual.flags.writeable = False
        self.row_dual = row_dual
        self.col_dual = col_dual
        self.cardinality_dual = cardinality_dual + 0.0  # never -0.0
        self.objective = objective
        self._maximum_cardinality = maximum_cardinality
        self.weight = float(row_dual.sum() + col_dual.sum() + self.size * cardinality_dual)

    def is_optimal(self, graph: GraphLike, tolerance: float = 1e-9) -> bool:
        """Whether this is a heaviest matching of a graph, by its duals alone.

        Parameters
        ----------
        graph : sparse array or matrix, or PrefixSuffixGraph
        tolerance : float
            How far the duals may miss what they promise, relative to the largest weight or dual in size.

        Returns
        -------
        bool
            False too if it is no maximum matching of this graph where that was asked for.

        Raises
        ------
        TypeError, ValueError
            As for `maximum_weight_matching`, or if `tolerance` is no number from 0.

        Notes
        -----
        O(nodes + edges). Complementary slackness: see the class.
        """
        tolerance = checked_number("tolerance", tolerance)
        pattern, weights = weighted_pattern(graph, self.objective)
        dtype = pattern.indices.dtype
        row_mate = self.row_mate.astype(dtype, copy=False)
        col_mate = self.col_mate.astype(dtype, copy=False)
        if self._maximum_cardinality and not _core.is_maximum_matching(*pattern, row_mate, col_mate):
            return False
        duals = (self.row_dual, self.col_dual, self.cardinality_dual)
        return _core.is_optimal_matching(*pattern, weights, row_mate, col_mate, *duals, tolerance)

    @property
    def row_scaling(self) -> Floats:
        """For the product, r of MC64's scaling: r[i] |a[i, j]| c[j] is at most 1, and 1 where matched."""
        row, _ = self._log_scalings()
        return np.exp(row)

    @property
    def col_scaling(self) -> Floats:
        """For the product: c of MC64's scaling; see `row_scaling`."""
        _, col = self._log_scalings()
        return np.exp(col)

    def _log_scalings(self) -> tuple[Floats, Floats]:
        if self.objective != "product":
            raise AttributeError('only matchings for the objective "product" have scalings')
        row, col = (-dual - self.cardinality_dual / 2 for dual in (self.row_dual, self.col_dual))
        # One factor may be moved from the columns to the rows; this one makes their means equal, lest either
        # overflow.
        shift = (col.mean() - row.mean()) / 2 if len(row) and len(col) else 0.0
        return row + shift, col - shift


def maximum_weight_matching(
    graph: GraphLike, objective: Objective = "sum", maximum_cardinality: bool = True
) -> WeightedMatching:
    """Find the heaviest maximum matching of a sparse matrix, exactly.

    Parameters
    ----------
    graph : sparse array or matrix, or PrefixSuffixGraph
        Any shape and any structural rank; the entries, real, finite and at most 2^960 in size, may be
        negative. Every stored entry is an edge, an explicit zero too (but see `objective`); repeated entries
        are added. It is not modified. The entry of a prefix-suffix graph's edge (p, s) is f(ps).
    objective : {'sum', 'product'}
        The weight of a matching: the sum of its entries, or the product of their sizes. A product has no use
        for zeros, so there explicit zeros are no edges.
    maximum_cardinality : bool
        If False, matchings of any size are compared, so entries that do not add (or multiply) to the weight,
        at most 0 (or 1 in size), are not used.

    Returns
    -------
    WeightedMatching
        The same every time; of several heaviest matchings it is any one.

    Raises
    ------
    TypeError
        If `graph` is not sparse, its entries are not real numbers, or `maximum_cardinality` is not a bool.
    ValueError
        If its arrays contradict one another, an entry is NaN, infinite or too large, or `objective` is
        unknown.

    See Also
    --------
    heavy_matching : nearly as heavy, in the time of a few passes over the entries.
    min_weight_full_bipartite_matching : the same under scipy's name.

    Notes
    -----
    Shortest augmenting paths, with bidding rows first (Jonker and Volgenant), on the edges with one end in a
    minimum vertex cover: the problem is as small as the matching, and needs no dummy columns where some rows
    stay unmatched. O(n (m + n log n)) for n = the size of the matching and m edges, in the worst case; a few
    passes over the edges on most graphs. Weights are float64; sums of integers below 2^53 are exact. The GIL
    is released, and Ctrl-C stops it.

    References
    ----------
    .. [1] I. S. Duff, J. Koster: On algorithms for permuting large entries to the diagonal of a sparse
       matrix. SIAM J. Matrix Anal. Appl. 22 (2001), 973-996.
    .. [2] R. Jonker, A. Volgenant: A shortest augmenting path algorithm for dense and sparse linear
       assignment problems. Computing 38 (1987), 325-340.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import maximum_weight_matching
    >>> graph = csr_array([[5, 4, 0], [4, 0, 0], [0, 0, 0]])
    >>> matching = maximum_weight_matching(graph)
    >>> matching.size, matching.weight, matching.row_mate
    (2, 8.0, array([ 1,  0, -1], dtype=int32))
    >>> matching.is_optimal(graph)
    True
    """
    check_type("maximum_cardinality", maximum_cardinality, (bool, np.bool_), "True or False")
    pattern, weights = weighted_pattern(graph, objective)
    row_mate, col_mate, row_dual, col_dual, cardinality_dual = _core.maximum_weight_matching(
        *pattern, weights, bool(maximum_cardinality)
    )
    return WeightedMatching(
        row_mate,
        col_mate,
        graph,
        row_dual=row_dual,
        col_dual=col_dual,
        cardinality_dual=cardinality_dual,
        objective=objective,
        maximum_cardinality=maximum_cardinality,
    )


def heavy_matching(graph: GraphLike, objective: Objective = "sum") -> Matching:
    """Find a maximum matching that prefers heavy edges: the heaviest first, then augmenting paths.

    Parameters
    ----------
    graph : sparse array or matrix, or PrefixSuffixGraph
        As in `maximum_weight_matching`.
    objective : {'sum', 'product'}
        Whether an entry itself or its size says how heavy it is.

    Returns
    -------
    Matching
        A maximum one. The heaviest edges are taken first of those that a maximum matching may have; without
        negative weights that start has at least half of the weight of any maximum matching. Paths that make
        it maximum may lose some of it.

    Raises
    ------
    TypeError, ValueError
        As for `maximum_weight_matching`.

    Notes
    -----
    A maximum matching is found first: none has an edge between two nodes of its vertex cover, so those are
    left out. Instead of sorting the edges rows propose to columns, which keep the best (Gale and Shapley):
    that finds the same in few passes over the edges. Where it would take over 16, they are sorted.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import heavy_matching
    >>> heavy_matching(csr_array([[5, 4, 0], [0, 3, 2]])).row_mate
    array([0, 1], dtype=int32)
    """
    pattern, weights = weighted_pattern(graph, objective)
    row_mate, col_mate = _core.heavy_matching(*pattern, weights)
    return Matching(row_mate, col_mate, graph)


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
    maximum_weight_matching : for matrices of any structural rank, with duals.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import min_weight_full_bipartite_matching
    >>> rows, cols = min_weight_full_bipartite_matching(csr_array([[3, 1, 4], [2, 1, 0]]))
    >>> [int(c) for c in cols]
    [1, 0]
    """
    given: Any = biadjacency
    if hasattr(given, "to_scipy_sparse"):
        given = given.to_scipy_sparse()
    if not sp.issparse(given):
        raise TypeError("graph must be sparse")
    if given.format not in ("csr", "csc", "coo"):
        raise TypeError("graph must be in CSC, CSR, or COO format.")
    pairs = _match_as_it_is(given, maximize=bool(maximize))
    if pairs is not None:
        return pairs
    pattern, weights = _entries(given)
    if not maximize:
        weights = -weights
    if not weights.all():
        warnings.warn("explicit zero weights are removed before matching", UserWarning, stacklevel=2)
    if (weights == np.inf).any():
        best, worst = ("inf", "-inf") if maximize else ("-inf", "inf")
        raise ValueError(
            f"biadjacency: an entry is {best}, which nothing outweighs; give finite weights, or {worst} "
            "where there is no edge"
        )
    pattern, weights = _select(pattern, weights, (weights != 0) & (weights != -np.inf))
    largest = np.abs(weights).max(initial=0.0)
    if np.isfinite(largest):
        weights = np.ldexp(weights, min(0, 900 - int(np.frexp(largest)[1])))  # so that sums do not overflow
    row_mate, *_ = _core.maximum_weight_matching(*pattern, weights, True)
    rows = np.flatnonzero(row_mate >= 0)
    if len(rows) < min(biadjacency.shape):
        raise ValueError("no full matching exists")
    return rows, row_mate[rows].astype(np.int64 if pattern.n_cols > _MOST_INT32 else np.int32)


def _match_as_it_is(graph: Any, *, maximize: bool) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Match a matrix whose arrays the core takes as they are; None for others."""
    if graph.format != "csr" or graph.ndim != 2:
        return None
    n_rows, n_cols = graph.shape
    try:
        return _core.full_matching(n_rows, n_cols, graph.indptr, graph.indices, graph.data, maximize)
    except TypeError:  # arrays of other types
        return None


def weighted_pattern(graph: Any, objective: str) -> WeightedPattern:
    """Give the edges of a graph and their weights; a product's weights are logarithms."""
    if not (isinstance(objective, str) and objective in ("sum", "product")):
        raise ValueError(f'objective: "sum" or "product" is needed, not {objective!r}')
    if not is_sparse(graph) and hasattr(graph, "to_csr"):
        pattern, entries = _entries(graph.to_csr(weighted=True))
    else:
        pattern, entries = _entries(graph)
    if objective == "sum":
        return pattern, entries
    sizes = np.abs(entries)
    pattern, sizes = _select(pattern, sizes, sizes != 0)
    return pattern, np.log(sizes)


def _entries(graph: Any) -> WeightedPattern:
    """Give the stored entries as float64, repeated ones added."""
    pattern = as_pattern(graph)
    sparse = graph.to_scipy_sparse() if hasattr(graph, "to_scipy_sparse") else graph
    if sparse.dtype.kind not in "bifu":
        raise TypeError(f"graph: its entries must be real numbers, not {sparse.dtype}")
    # Repeats are added in float64: small integers would wrap.
    csr = sparse if sparse.format == "csr" else sparse.astype(np.float64).tocsr()
    if csr.data.ndim != 1 or len(csr.data) < len(csr.indices):
        raise ValueError(
            f"graph: entries of shape {csr.data.shape} for {len(csr.indices)} indices; one for each is needed"
        )
    with np.errstate(over="ignore"):  # what becomes infinite is refused later
        data = np.ascontiguousarray(csr.data, dtype=np.float64)
    if _repeats(csr):
        csr = sp.csr_array((data, csr.indices, csr.indptr), shape=csr.shape, copy=True)
        csr.sum_duplicates()
        data = csr.data
    if csr is not graph:
        pattern = as_pattern(csr)
    return pattern, data


def _repeats(csr: Any) -> bool:
    """Whether some row is unsorted or has repeats. Arrays that are not valid are left to the core."""
    indptr = csr.indptr
    valid = len(indptr) == csr.shape[0] + 1 and indptr[0] == 0 and indptr[-1] <= len(csr.indices)
    return bool(valid and (indptr[1:] >= indptr[:-1]).all() and not csr.has_canonical_format)


def _select(pattern: Pattern, weights: Floats, wanted: NDArray[np.bool_]) -> WeightedPattern:
    """Keep some entries only; nothing is copied if all are wanted."""
    if wanted.all():
        return pattern, weights
    n_before = np.concatenate(([0], np.cumsum(wanted)))
    indptr = n_before[np.minimum(pattern.indptr, len(wanted))].astype(pattern.indptr.dtype)
    kept = pattern._replace(indptr=indptr, indices=pattern.indices[: len(wanted)][wanted])
    return kept, weights[wanted]
