"""Maximum matchings, of any sparse matrix or of a prefix-suffix graph, and their certificates."""

from __future__ import annotations

import operator
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._utils.types import GraphLike
from .._utils.validation import Pattern, as_pattern, checked_pattern, is_sparse

Ids: TypeAlias = NDArray[np.integer]

METHODS = ("auto", "augmenting-path", "hopcroft-karp", "push-relabel")  # for any graph
HANKEL_METHODS = (*METHODS, "hankel", "paper", "weighted", "heavy")  # for prefix-suffix graphs


class Matching:
    """A maximum matching, as `match` returns it.

    Attributes
    ----------
    size : int
        The number of edges. For a matrix this is its structural rank.
    row_mate : ndarray of int
        The column of each row, -1 where there is none. Read-only.
    col_mate : ndarray of int
        The row of each column, -1 where there is none. Read-only.
    n_edges_seen : int or None
        How many edges the matcher looked at, where it counts them (method ``"hankel"``).

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import match
    >>> matching = match(csr_array([[1, 1, 0], [0, 1, 0], [1, 1, 0]]))
    >>> matching.size
    2
    >>> rows, cols = matching.minimum_vertex_cover()
    >>> rows, cols
    (array([], dtype=int32), array([0, 1], dtype=int32))
    """

    def __init__(
        self,
        row_mate: Ids,
        col_mate: Ids,
        graph: GraphLike,
        *,
        size: int | None = None,
        cover: tuple[Ids, Ids] | None = None,
        n_edges_seen: int | None = None,
    ) -> None:
        self.row_mate = _read_only(row_mate)
        self.col_mate = _read_only(col_mate)
        if size is None:
            size = len(cover[0]) + len(cover[1]) if cover else int(np.count_nonzero(self.row_mate != -1))
        self.size = size
        self.n_edges_seen = n_edges_seen
        self._graph = graph
        self._cover = cover

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for value in state.values():  # numpy's copies can be written
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __repr__(self) -> str:
        return f"<Matching of size {self.size} of {len(self.row_mate)} rows and {len(self.col_mate)} columns>"

    def pairs(self) -> tuple[Ids, Ids]:
        """Give the edges as two arrays, the matched rows by increasing id and their columns.

        Returns
        -------
        rows, cols : ndarray of int
        """
        rows = np.flatnonzero(self.row_mate != -1).astype(self.row_mate.dtype)
        return rows, self.row_mate[rows]

    def minimum_vertex_cover(self) -> tuple[Ids, Ids]:
        """Find rows and columns that touch every edge, as many together as the matching has edges.

        It is the certificate of the matching: every edge of a matching needs a node of its own in any cover,
        so no matching is larger and no cover is smaller.

        Returns
        -------
        rows, cols : ndarray of int
            Ids in increasing order; ``len(rows) + len(cols) == size``.

        Raises
        ------
        ValueError
            If the graph has been changed since, so that the matching is not a maximum one of it any more.

        Notes
        -----
        O(nodes + edges); nothing where the matcher found the cover with the matching, as method
        ``"hankel"`` does but for texts of short sentences.

        References
        ----------
        .. [1] D. Konig, "Grafok es matrixok", Matematikai es Fizikai Lapok 38 (1931), 116-119.
        """
        if self._cover is not None:
            return self._cover[0].copy(), self._cover[1].copy()
        pattern = pattern_of(self._graph)
        return _core.minimum_vertex_cover(*pattern, *mates_in(self, pattern))

    def maximum_independent_set(self) -> tuple[Ids, Ids]:
        """Find as many rows and columns as there can be without an edge between any two of them.

        Returns
        -------
        rows, cols : ndarray of int
            Ids in increasing order: all that are not in `minimum_vertex_cover`.

        Raises
        ------
        ValueError
            As for `minimum_vertex_cover`.
        """
        rows, cols = self.minimum_vertex_cover()
        return _complement(rows, self.row_mate), _complement(cols, self.col_mate)

    def is_valid(self, graph: GraphLike) -> bool:
        """Whether this is a matching of a graph: every pair is an edge, and rows and columns agree.

        Parameters
        ----------
        graph : sparse array or matrix, or PrefixSuffixGraph

        Returns
        -------
        bool
        """
        pattern = pattern_of(graph)
        return _core.is_valid_matching(*pattern, *mates_in(self, pattern))

    def is_maximum(self, graph: GraphLike) -> bool:
        """Whether this is a matching of a graph, and none is larger.

        Parameters
        ----------
        graph : sparse array or matrix, or PrefixSuffixGraph

        Returns
        -------
        bool

        Notes
        -----
        O(nodes + edges): one breadth-first search for an augmenting path.
        """
        pattern = pattern_of(graph)
        return _core.is_maximum_matching(*pattern, *mates_in(self, pattern))


def match(graph: GraphLike, method: str = "auto", initial: Matching | None = None) -> Matching:
    """Find a maximum matching of the rows with the columns of a sparse matrix, or of a prefix-suffix graph.

    Parameters
    ----------
    graph : sparse array or matrix, or PrefixSuffixGraph
        Every stored entry is an edge between its row and its column, explicit zeros and NaN too. Entries may
        repeat and need not be sorted. It is not modified, and not copied if it is CSR with int32 or int64
        indices; do not change it from another thread meanwhile.
    method : str
        ``"auto"``, ``"augmenting-path"``, ``"hopcroft-karp"``, ``"push-relabel"``; for a prefix-suffix graph
        also ``"paper"`` and, if its support is closed under substrings, ``"hankel"``, which never makes the
        list of edges and which ``"auto"`` takes then. All find the same size; they differ in time, and in
        which of several maximum matchings they find. ``"auto"`` is fast on every kind of graph that we know
        of: searches that get lost are given up. For a prefix-suffix graph, ``"weighted"`` finds the maximum
        matching with the greatest product of values of f, exactly (see `maximum_weight_matching`), and
        ``"heavy"`` prefers great values in little more time than none: where the support is closed under
        substrings, those of the longest strings, which makes blocks of high numeric rank, else as
        `heavy_matching` does for their product.
    initial : Matching, optional
        A matching to start from, such as the one found before the graph was changed: pairs that are not edges
        any more are dropped, and only free rows are worked on.

    Returns
    -------
    Matching

    Raises
    ------
    TypeError
        If `graph` is not sparse.
    ValueError
        If its arrays contradict one another, `method` is unknown, or `initial` has another shape.

    Notes
    -----
    The GIL is released, and Ctrl-C stops it.

    From a million edges on, ``"auto"`` makes the transpose on a second thread while it counts neighbours on
    the first, if it comes to that, and from two million on the indices are checked on several. Searches keep
    to one: the result is the same every time. On two cores the first took 30 per cent off random graphs of a
    million rows and degree 2, and 4 per cent or less, down to nothing, elsewhere; the second made checks
    three times as fast, a fifth of the whole for a tall matrix of five million entries, easy to match.

    ``"heavy"`` on a closed support: the prefixes of length T / 2 and the suffixes of (T - 1) / 2 start with
    their heaviest string of length T where that is free, the search of ``"hankel"`` makes that maximum, and
    then these and shorter ones, one after another, move to heavier strings whose other end is free. On Penn
    Treebank characters its sum of log counts is 96 and 93 per cent of the greatest at T = 5 and 7, where
    ``"auto"`` has 37 and 34, and 85 per cent at T = 6, for ``"auto"``'s 49: for even T fewer ends are free.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import match
    >>> match(csr_array([[1, 1], [1, 0]])).row_mate
    array([1, 0], dtype=int32)
    """
    if not isinstance(method, str):
        raise TypeError(f"method: the name of a matcher is needed, not {method!r}")
    if method not in HANKEL_METHODS:
        raise ValueError(
            f"method: one of {', '.join(METHODS)} is needed, or for a prefix-suffix graph one of "
            f"{', '.join(HANKEL_METHODS[len(METHODS) :])}, not {method!r}"
        )
    if initial is not None and not isinstance(initial, Matching):
        raise TypeError(f"initial: a Matching is needed, not {type(initial).__name__}")
    if initial is not None and method not in METHODS:
        raise ValueError(
            f"initial: method {method!r} starts from nothing; method 'auto' takes an initial matching"
        )
    if method in ("paper", "weighted", "heavy"):
        return _match_with_strings(graph, method)
    if method == "hankel" or (method == "auto" and initial is None and _is_closed_hankel(graph)):
        return _match_as_hankel(graph)
    if method in ("augmenting-path", "hopcroft-karp") and initial is None and _is_closed_hankel(graph):
        return _match_implicitly(graph, method)
    pattern = pattern_of(graph)
    mates = (None, None) if initial is None else mates_in(initial, pattern)
    size, row_mate, col_mate = _core.match(*pattern, method, *mates)
    return Matching(row_mate, col_mate, graph, size=size)


def match_edges(
    rows: ArrayLike, cols: ArrayLike, shape: tuple[int, int] | None = None, method: str = "auto"
) -> Matching:
    """Find a maximum matching of a graph given by its edges.

    Parameters
    ----------
    rows, cols : array_like of int
        The two ends of each edge. Edges may repeat and come in any order.
    shape : tuple of two ints, optional
        The numbers of rows and of columns; by default as many as the ids need.
    method : str
        As for `match`.

    Returns
    -------
    Matching

    Raises
    ------
    TypeError
        If the ids are not integers, or `shape` is not two of them.
    ValueError
        If `rows` and `cols` differ in length or are no lists, or an id is negative or does not fit into
        `shape`.

    Examples
    --------
    >>> from hankelmatch import match_edges
    >>> match_edges([0, 0, 1], [0, 1, 0]).row_mate
    array([1, 0])
    """
    rows, cols = _ids(rows, "rows"), _ids(cols, "cols")
    if len(rows) != len(cols):
        raise ValueError(
            f"rows and cols must have one id each for every edge, not {len(rows)} and {len(cols)}"
        )
    needed = (int(rows.max()) + 1, int(cols.max()) + 1) if len(rows) else (0, 0)
    shape = needed if shape is None else _checked_shape(shape)
    for name, ids, bound in (("rows", rows, shape[0]), ("cols", cols, shape[1])):
        if len(ids) and not 0 <= ids.min() <= ids.max() < bound:
            raise ValueError(f"{name} must be at least 0 and less than {bound}")
    return match(sp.coo_array((np.ones(len(rows), np.int8), (rows, cols)), shape=shape), method)


def _is_hankel(graph: Any) -> bool:
    return not is_sparse(graph) and hasattr(graph, "to_csr")


def pattern_of(graph: Any) -> Pattern:
    """The rows' neighbours, of a matrix or of a prefix-suffix graph."""
    if _is_hankel(graph):
        return checked_pattern(graph.shape, *graph._edges)
    return as_pattern(graph)


def _match_with_strings(graph: Any, method: str) -> Matching:
    if not _is_hankel(graph):
        remedy = (
            "a plain matrix has no shifted pairs"
            if method == "paper"
            else "see maximum_weight_matching for matrices"
        )
        raise ValueError(f"method {method!r} needs a PrefixSuffixGraph: {remedy}")
    row_mate, col_mate, *cover = graph._match_paper() if method == "paper" else graph._match_by_weight(method)
    return Matching(row_mate, col_mate, graph, cover=tuple(cover) or None)


def _is_closed_hankel(graph: Any) -> bool:
    return bool(getattr(graph, "is_closed", False))


def _match_implicitly(graph: Any, method: str) -> Matching:
    row_mate, col_mate = graph._match_implicit(method)
    return Matching(row_mate, col_mate, graph)


def _match_as_hankel(graph: Any) -> Matching:
    if not _is_closed_hankel(graph):
        raise ValueError(
            "method 'hankel' is for prefix-suffix graphs of a support that is closed under substrings; "
            "method 'auto' takes any graph"
        )
    row_mate, col_mate, rows, cols, n_edges_seen = graph._match_hankel()
    return Matching(row_mate, col_mate, graph, cover=(rows, cols), n_edges_seen=n_edges_seen)


def mates_in(matching: Matching, pattern: Pattern) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both arrays in the index type of the graph."""
    dtype = pattern.indices.dtype
    return _as_mates(matching.row_mate, dtype), _as_mates(matching.col_mate, dtype)


def _as_mates(mates: Ids, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Numbers that no index of this type can be become -2, which is no mate and no sign for "none" either."""
    if mates.dtype.kind not in "iu":
        raise TypeError(f"matching: mates must be integers, not {mates.dtype}")
    if not np.can_cast(mates.dtype, dtype):
        mates = np.where((mates >= -1) & (mates <= np.iinfo(dtype).max), mates, -2)
    return np.ascontiguousarray(mates, dtype)


def _ids(ids: Any, name: str) -> Ids:
    if np.ma.is_masked(ids):
        raise ValueError(f"{name}: ids are masked; leave such edges out")
    try:
        array = np.atleast_1d(np.asarray(ids))
    except ValueError:
        raise ValueError(f"{name} must have 1 dimension; its entries differ in length") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must have 1 dimension, not {array.ndim}")
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, not {array.dtype}")
    if array.max() > np.iinfo(np.int64).max - 1:
        raise ValueError(f"{name} must be less than 2^63 - 1, not {array.max()}")
    return array


def _checked_shape(shape: Any) -> tuple[int, int]:
    needed = "shape must be two whole numbers from 0, of rows and of columns"
    try:
        n_rows, n_cols = map(operator.index, shape)
    except (TypeError, ValueError):
        raise TypeError(f"{needed}, not {shape!r}") from None
    if min(n_rows, n_cols) < 0:
        raise ValueError(f"{needed}, not {shape!r}")
    return n_rows, n_cols


def _complement(ids: Ids, mates: Ids) -> Ids:
    absent = np.ones(len(mates), dtype=bool)
    absent[ids] = False
    return np.flatnonzero(absent).astype(ids.dtype)


def _read_only(array: Ids) -> Ids:
    """A view that cannot be written; the caller's own array stays as it is."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view
