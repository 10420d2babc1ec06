"""Maximum matchings, of any sparse matrix or of a prefix-suffix graph, and their certificates."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._utils.sparse_formats import too_large
from .._utils.validation import Pattern, random_generator, steady_pattern
from .graphs import Graph, Ids, is_hankel, known_graph, pattern_of
from .preferred import preferring_mates
from .readers.tables import Labels, by_label

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

    Who stays free, by name:

    >>> matching = match({"ann": ["x", "y"], "bob": ["x"], "cy": ["x"]})
    >>> matching.row_labels[matching.row_mate == -1].tolist()
    ['cy']
    """

    def __init__(
        self,
        row_mate: Ids,
        col_mate: Ids,
        graph: Graph,
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
        value = self._value()
        return "<{} of size {} of {} rows and {} columns{}>".format(
            type(self).__name__,
            self.size,
            len(self.row_mate),
            len(self.col_mate),
            f", {value}" if value else "",
        )

    def _value(self) -> str:
        """What else is worth printing."""
        return ""

    def pairs(self) -> tuple[Ids, Ids]:
        """Give the edges as two arrays, the matched rows by increasing id and their columns.

        Returns
        -------
        rows, cols : ndarray of int
        """
        rows = np.flatnonzero(self.row_mate != -1).astype(self.row_mate.dtype)
        return rows, self.row_mate[rows]

    @property
    def row_labels(self) -> Labels:
        """What the rows stand for, if the graph has names for them; else their numbers."""
        labels = getattr(self._graph, "row_labels", None)
        return np.arange(len(self.row_mate)) if labels is None else labels

    @property
    def col_labels(self) -> Labels:
        """What the columns stand for, if the graph has names for them; else their numbers."""
        labels = getattr(self._graph, "col_labels", None)
        return np.arange(len(self.col_mate)) if labels is None else labels

    def labelled_pairs(self) -> list[tuple[Hashable, Hashable]]:
        """Give the edges by the names of their ends, as graphs of other libraries and tables have them.

        Returns
        -------
        list of (row, column)
        """
        rows, cols = self.pairs()
        return list(zip(self.row_labels[rows].tolist(), self.col_labels[cols].tolist(), strict=True))

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

    def is_valid(self, graph: Graph) -> bool:
        """Whether this is a matching of a graph: every pair is an edge, and rows and columns agree.

        Parameters
        ----------
        graph : graph of any kind that `match` takes

        Returns
        -------
        bool
        """
        pattern = pattern_of(graph)
        return _core.is_valid_matching(*pattern, *mates_in(self, pattern))

    def is_maximum(self, graph: Graph) -> bool:
        """Whether this is a matching of a graph, and none is larger.

        Parameters
        ----------
        graph : graph of any kind that `match` takes

        Returns
        -------
        bool

        Notes
        -----
        O(nodes + edges): one breadth-first search for an augmenting path.
        """
        pattern = pattern_of(graph)
        return _core.is_maximum_matching(*pattern, *mates_in(self, pattern))


def match(
    graph: Graph,
    method: str = "auto",
    initial: Matching | None = None,
    *,
    row_weights: ArrayLike | Mapping[Hashable, float] | None = None,
    col_weights: ArrayLike | Mapping[Hashable, float] | None = None,
    seed: int | np.random.Generator | None = None,
) -> Matching:
    """Find a maximum matching of the rows with the columns of a sparse matrix, or of another kind of graph.

    Parameters
    ----------
    graph : sparse array or matrix, PrefixSuffixGraph, or another kind of graph
        Every stored entry of a sparse matrix is an edge between its row and its column, explicit zeros and
        NaN too. Entries may repeat and need not be sorted. It is not modified, and not copied if it is CSR
        with int32 or int64 indices and no other thread of Python runs. Of a numpy array the nonzero entries
        are edges. Graphs of networkx, igraph and rustworkx, tables of edges and dicts are
        read as `bipartite_graph` does; ``matching.labelled_pairs()`` then has their names.
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
    row_weights, col_weights : array_like of float, or dict, optional
        How much it is worth to match each row, and each column: one number for each, or a dict from names to
        numbers, 0 for names left out. Of all maximum matchings one is found whose rows are worth most
        together, and of those one whose columns are. With ``method="auto"`` only.
    seed : int or numpy.random.Generator, optional
        Draws one of the maximum matchings at random, with weights one of the best: rows, and each row's
        edges, are taken in random order. Each of them has a positive probability, but not the same one. The
        same seed draws the same matching. With ``method="auto"`` only.

    Returns
    -------
    Matching

    Raises
    ------
    TypeError
        If `graph` is no graph of a known kind.
    ValueError
        If its arrays contradict one another, `method` is unknown, `initial` has another shape, there is not
        one weight for each row or column, or a graph of another library is not bipartite.

    Notes
    -----
    The GIL is released, and Ctrl-C stops it.

    With weights, rows are matched greedily from the heaviest on, which is right since the rows that a
    matching can cover are the independent sets of a matroid [1]_; columns likewise; and some maximum matching
    covers the best rows together with the best columns [2]_. The cost is that of method
    ``"augmenting-path"``, of three such calls for both sides; with `seed` a permutation of the edges comes on
    top.

    From two million edges on, the indices of a matrix are checked on several threads, which takes a fifth off
    a tall matrix of five million entries that is easy to match. Searches keep to one: the result is the same
    every time.

    Another thread may change a matrix during a call: the answer is then one for some state between, or an
    error, but nothing breaks. For that the index arrays are copied where other threads of Python run. On
    graphs that are hard to match the copy takes 1 or 2 per cent of the call, on easy ones up to a half.

    Arrays of 1.6 MiB and more, those of the result too, lie on memory pages of 2 MiB of their own, where the
    system has such pages, and take at most a quarter more than they need. Of what is freed, up to 64 MiB stay
    with the process for later calls.

    ``"heavy"`` on a closed support: the prefixes of length T / 2 and the suffixes of (T - 1) / 2 start with
    their heaviest string of length T where that is free, the search of ``"hankel"`` makes that maximum, and
    then these and shorter ones, one after another, move to heavier strings whose other end is free. On Penn
    Treebank characters its sum of log counts is 96 and 93 per cent of the greatest at T = 5 and 7, where
    ``"auto"`` has 37 and 34, and 85 per cent at T = 6, for ``"auto"``'s 49: for even T fewer ends are free.

    References
    ----------
    .. [1] J. Edmonds, D. R. Fulkerson, "Transversals and matroid partition", J. Res. Nat. Bur. Standards 69B
           (1965), 147-153.
    .. [2] N. S. Mendelsohn, A. L. Dulmage, "Some generalizations of the problem of distinct
           representatives", Canad. J. Math. 10 (1958), 230-241.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import match
    >>> match(csr_array([[1, 1], [1, 0]])).row_mate
    array([1, 0], dtype=int32)
    >>> match(csr_array([[1], [1], [1]]), row_weights=[2, 7, 5]).row_mate
    array([-1,  0, -1], dtype=int32)
    """
    method = checked_method(method)
    graph = known_graph(graph, weighted=False)
    if row_weights is not None or col_weights is not None or seed is not None:
        return _match_by_preference(
            graph, method, initial, row_weights=row_weights, col_weights=col_weights, seed=seed
        )
    return _match_by_method(graph, method, initial)


def checked_method(method: str) -> str:
    """Give the method's name, which may be written with underscores.

    Raises
    ------
    TypeError, ValueError
        With the choices, if it is none.
    """
    if not isinstance(method, str):
        raise TypeError(f"method: the name of a matcher is needed, not {method!r}")
    method = method.replace("_", "-")
    if method not in HANKEL_METHODS:
        raise ValueError(
            f"method: one of {', '.join(METHODS)} is needed, or for a prefix-suffix graph one of "
            f"{', '.join(HANKEL_METHODS[len(METHODS) :])}, not {method!r}"
        )
    return method


def _match_by_method(graph: Any, method: str, initial: Matching | None) -> Matching:
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
    if initial is not None and (len(initial.row_mate), len(initial.col_mate)) != pattern[:2]:
        raise ValueError("initial: one mate for each row and column of the graph is needed")
    mates = (None, None) if initial is None else mates_in(initial, pattern)
    size, row_mate, col_mate = mates_of(pattern, method, *mates)
    return Matching(row_mate, col_mate, graph, size=size)


def _match_by_preference(
    graph: Any,
    method: str,
    initial: Matching | None,
    *,
    row_weights: ArrayLike | Mapping[Hashable, float] | None,
    col_weights: ArrayLike | Mapping[Hashable, float] | None,
    seed: int | np.random.Generator | None,
) -> Matching:
    if method != "auto" or initial is not None:
        what = "initial" if method == "auto" else f"method {method!r}"
        raise ValueError(f"seed, row_weights, col_weights: they choose the matching; leave out {what}")
    rng = None if seed is None else random_generator("seed", seed)
    pattern = steady_pattern(pattern_of(graph))
    row_array = None if row_weights is None else by_label("row_weights", row_weights, graph, pattern, 0.0)
    col_array = None if col_weights is None else by_label("col_weights", col_weights, graph, pattern, 0.0)
    return Matching(*preferring_mates(pattern, row_array, col_array, rng), graph)


def _match_with_strings(graph: Any, method: str) -> Matching:
    if not is_hankel(graph):
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


def mates_of(
    pattern: Pattern, method: str = "auto", row_mate: Any = None, col_mate: Any = None
) -> tuple[int, Ids, Ids]:
    """The size of a maximum matching and its mates, found from those of a smaller one or from none.

    Raises
    ------
    MemoryError
        If there is no room for it.
    """
    try:
        return _core.match(*pattern, method, row_mate, col_mate)
    except MemoryError:
        raise too_large("graph", pattern[:2]) from None


def mates_in(matching: Matching, pattern: Pattern) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both arrays in the index type of the graph."""
    dtype = pattern.indices.dtype
    return _as_mates(matching.row_mate, dtype), _as_mates(matching.col_mate, dtype)


def _as_mates(mates: Ids, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Numbers that no index of this type can be become -2, which is no mate and no sign for "none" either."""
    if mates.dtype.kind not in "iu":
        raise TypeError(f"matching: mates must be integers, not {mates.dtype}")
    if mates.ndim != 1:
        raise ValueError(f"matching: mates must have 1 dimension, not {mates.ndim}")
    if not np.can_cast(mates.dtype, dtype):
        mates = np.where((mates >= -1) & (mates <= np.iinfo(dtype).max), mates, -2)
    return np.ascontiguousarray(mates, dtype)


def _complement(ids: Ids, mates: Ids) -> Ids:
    absent = np.ones(len(mates), dtype=bool)
    absent[ids] = False
    return np.flatnonzero(absent).astype(ids.dtype)


def _read_only(array: Ids) -> Ids:
    """A view that cannot be written; the caller's own array stays as it is."""
    view = np.asarray(array).view()
    view.setflags(write=False)
    return view
