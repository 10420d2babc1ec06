"""What all maximum matchings of a graph have in common, and why some rows or nodes stay out."""

from collections.abc import Hashable
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order

from .._utils.validation import Pattern, steady_pattern
from .block_triangular import DulmageMendelsohn, dulmage_mendelsohn
from .graphs import Graph, Ids, known_graph, network, pattern_of
from .maximum import Matching, match
from .readers.tables import Labels

Mask: TypeAlias = NDArray[np.bool_]


class MatchingEdges(NamedTuple):
    """The edges that maximum matchings use, as `maximum_matching_edges` returns them.

    Attributes
    ----------
    in_some, in_every : csr_array of bool
        The edges in at least one maximum matching, and those in all of them.
    matching : Matching
        One maximum matching.
    """

    in_some: sp.csr_array
    in_every: sp.csr_array
    matching: Matching

    @property
    def is_unique(self) -> bool:
        """Whether there is one maximum matching only."""
        return bool(self.in_some.nnz == self.in_every.nnz)

    def labelled(self, edges: sp.csr_array) -> list[tuple[Hashable, Hashable]]:
        """Give edges, those of `in_some` or `in_every`, by the names of their ends.

        Parameters
        ----------
        edges : csr_array

        Returns
        -------
        list of (row, column)
        """
        ends = edges.tocoo()
        rows, cols = self.matching.row_labels[ends.row], self.matching.col_labels[ends.col]
        return list(zip(rows.tolist(), cols.tolist(), strict=True))


class HallViolator(NamedTuple):
    """Rows that together have too few columns, as `hall_violator` returns them.

    Attributes
    ----------
    rows : ndarray of int
        One more than columns.
    cols : ndarray of int
        All columns with an edge to one of the rows.
    row_labels, col_labels : ndarray
        Their names, or numbers if the graph has none.
    """

    rows: Ids
    cols: Ids
    row_labels: Labels
    col_labels: Labels


class DriverNodes(NamedTuple):
    """Where to control a network, as `driver_nodes` returns it.

    Attributes
    ----------
    nodes : ndarray of int
        A smallest set of driver nodes.
    always, sometimes, never : ndarray of int
        Nodes in all smallest sets; in some but not all; in none.
    labels : ndarray
        What every node of the network is called: ``labels[nodes]`` are the drivers' names.
    matching : Matching
        Of nodes (rows) with the nodes that they drive (columns).
    """

    nodes: Ids
    always: Ids
    sometimes: Ids
    never: Ids
    labels: Labels
    matching: Matching


def maximum_matching_edges(graph: Graph, method: str = "auto") -> MatchingEdges:
    """Find which edges are in some maximum matching, and which in every one.

    Parameters
    ----------
    graph : sparse array or matrix, PrefixSuffixGraph, or another kind of graph
        As for `match`.
    method : str
        How to find a maximum matching, as for `match`.

    Returns
    -------
    MatchingEdges

    Raises
    ------
    TypeError, ValueError
        As for `match`.

    Notes
    -----
    An edge is in some maximum matching if both its ends are in one diagonal block of the Dulmage-Mendelsohn
    decomposition [1]_, and in every one if it is such a block by itself in the square part. O(nodes + edges)
    after the matching. This is how solvers of constraints filter "all different" [2]_.

    References
    ----------
    .. [1] A. Pothen, C.-J. Fan, "Computing the block triangular form of a sparse matrix", ACM Trans. Math.
           Softw. 16 (1990), 303-324.
    .. [2] J.-C. Regin, "A filtering algorithm for constraints of difference in CSPs", AAAI 1994, 362-367.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import maximum_matching_edges
    >>> edges = maximum_matching_edges(csr_array([[1, 1, 0], [1, 1, 1], [0, 0, 1]]))
    >>> edges.in_some.toarray().astype(int)
    array([[1, 1, 0],
           [1, 1, 0],
           [0, 0, 1]])
    >>> edges.labelled(edges.in_every)
    [(2, 2)]
    >>> edges.is_unique
    False

    Names, of a graph that has them:

    >>> edges = maximum_matching_edges({"ann": ["x", "y"], "bob": ["x"]})
    >>> rows, cols = edges.in_every.nonzero()
    >>> edges.matching.row_labels[rows].tolist(), edges.matching.col_labels[cols].tolist()
    (['ann', 'bob'], ['y', 'x'])
    """
    graph = known_graph(graph, weighted=False)
    form = dulmage_mendelsohn(graph, method)
    pattern = steady_pattern(pattern_of(graph))
    row_block, col_block = _block_numbers(form)
    block = np.repeat(row_block, np.diff(pattern.indptr))
    indices = pattern.indices[: len(block)]
    inside = col_block[indices] == block
    return MatchingEdges(
        _marked(pattern, inside), _marked(pattern, inside & _is_alone(form)[block]), form.matching
    )


def _block_numbers(form: DulmageMendelsohn) -> tuple[Ids, Ids]:
    """Give the diagonal block of each row and column."""
    numbers = []
    for order, ends in ((form.row_order, form.row_blocks), (form.col_order, form.col_blocks)):
        number = np.empty_like(order)
        number[order] = np.repeat(np.arange(form.n_blocks, dtype=order.dtype), np.diff(ends))
        numbers.append(number)
    return numbers[0], numbers[1]


def _is_alone(form: DulmageMendelsohn) -> Mask:
    """Which blocks are a row and a column of the square part."""
    n_rows, n_cols = np.diff(form.row_blocks), np.diff(form.col_blocks)
    begin = form.row_blocks[:-1]
    is_square = (begin >= form.row_parts[1]) & (begin < form.row_parts[2])
    alone: Mask = is_square & (n_rows == 1) & (n_cols == 1)
    return alone


def _marked(pattern: Pattern, kept: Mask) -> sp.csr_array:
    """Some entries of a pattern, each once."""
    indptr = np.concatenate(([0], np.cumsum(kept)))[pattern.indptr]
    indices = pattern.indices[: len(kept)][kept]
    marked = sp.csr_array(
        (np.ones(len(indices), bool), indices, indptr), shape=(pattern.n_rows, pattern.n_cols)
    )
    marked.sum_duplicates()
    return marked


def hall_violator(graph: Graph, method: str = "auto") -> HallViolator | None:
    """Find out why not all rows can be matched: rows that together have too few columns.

    Parameters
    ----------
    graph : sparse array or matrix, PrefixSuffixGraph, or another kind of graph
        As for `match`. For columns give the transpose.
    method : str
        How to find a maximum matching, as for `match`.

    Returns
    -------
    HallViolator or None
        None if all rows can be matched. Otherwise a set that is minimal: any of its rows left out, the others
        can all be matched.

    Raises
    ------
    TypeError, ValueError
        As for `match`.

    Notes
    -----
    All rows can be matched just if every set of rows has at least as many columns (Hall [1]_). What
    alternating paths from one free row reach is a smallest set that has not; there are other such sets if
    several rows stay free (`dulmage_mendelsohn`'s overdetermined part has all of them). O(nodes + edges)
    after the matching.

    References
    ----------
    .. [1] P. Hall, "On representatives of subsets", J. London Math. Soc. 10 (1935), 26-30.

    Examples
    --------
    >>> from hankelmatch import hall_violator
    >>> shifts = {"ann": ["mon", "tue"], "bob": ["tue"], "cy": ["tue"], "di": ["mon", "wed"]}
    >>> violator = hall_violator(shifts)
    >>> violator.row_labels.tolist(), violator.col_labels.tolist()
    (['bob', 'cy'], ['tue'])
    """
    graph = known_graph(graph, weighted=False)
    matching = match(graph, method)
    free = np.flatnonzero(matching.row_mate == -1)
    if len(free) == 0:
        return None
    rows = _reached_from(steady_pattern(pattern_of(graph)), matching, int(free[0]))
    cols = matching.row_mate[rows]
    rows, cols = np.sort(rows), np.sort(cols[cols != -1])
    return HallViolator(rows, cols, matching.row_labels[rows], matching.col_labels[cols])


def _reached_from(pattern: Pattern, matching: Matching, row: int) -> Ids:
    """The rows on alternating paths from a free row: from each row to the mates of its columns."""
    indices = pattern.indices[: pattern.indptr[-1]]
    target = matching.col_mate[indices]
    kept = target != -1
    indptr = np.concatenate(([0], np.cumsum(kept)))[pattern.indptr]
    n = pattern.n_rows
    steps = sp.csr_array((np.ones(int(kept.sum()), np.int8), target[kept], indptr), shape=(n, n))
    reached = breadth_first_order(steps, row, directed=True, return_predecessors=False)
    return reached.astype(pattern.indices.dtype)


def driver_nodes(graph: Graph, method: str = "auto") -> DriverNodes:
    """Find the fewest nodes of a directed network from which all of it can be controlled.

    Parameters
    ----------
    graph : square sparse or numpy array, directed graph of networkx, igraph or rustworkx, table or dict
        An entry in row i and column j, or an edge i -> j, says that node i acts on node j. A table of edges
        has two columns, from and to. A dict goes from nodes to the nodes that they act on. Edges without a
        direction act both ways.
    method : str
        How to find a maximum matching, as for `match`.

    Returns
    -------
    DriverNodes

    Raises
    ------
    TypeError
        If `graph` is no graph of a known kind.
    ValueError
        If a matrix is not square.

    Notes
    -----
    For linear dynamics with generic weights the nodes that no maximum matching of sources with targets
    reaches need an input of their own [1]_; if it reaches all, one node must still be driven, and any one
    will do. A node that nothing acts on is a driver always; one outside the underdetermined part of the
    Dulmage-Mendelsohn decomposition never; the others sometimes [2]_. O(nodes + edges) after the matching.

    References
    ----------
    .. [1] Y.-Y. Liu, J.-J. Slotine, A.-L. Barabasi, "Controllability of complex networks", Nature 473 (2011),
           167-173.
    .. [2] T. Jia, Y.-Y. Liu, E. Csoka, M. Posfai, J.-J. Slotine, A.-L. Barabasi, "Emergence of bimodality in
           controlling complex networks", Nature Communications 4 (2013), 2002.

    Examples
    --------
    >>> from hankelmatch import driver_nodes
    >>> drivers = driver_nodes({"a": ["b"], "b": ["c", "d"]})
    >>> drivers.labels[drivers.nodes].tolist(), drivers.labels[drivers.sometimes].tolist()
    (['a', 'd'], ['c', 'd'])
    """
    adjacency, labels = network(graph, "graph")
    n = adjacency.shape[0]
    form = dulmage_mendelsohn(adjacency, method)
    nodes = np.sort(form.unmatched.cols)
    has_source = np.zeros(n, np.bool_)
    has_source[adjacency.indices] = True
    sometimes = np.zeros(n, np.bool_)
    sometimes[form.underdetermined.cols] = True
    always = ~has_source
    if len(nodes) == 0 and n > 0:  # a perfect matching: any node
        nodes, sometimes = np.zeros(1, form.col_order.dtype), np.ones(n, np.bool_)
        always[:] = n == 1
    sometimes &= ~always
    kinds = [np.flatnonzero(kind) for kind in (always, sometimes, ~always & ~sometimes)]
    names = np.arange(n) if labels is None else labels
    return DriverNodes(nodes, kinds[0], kinds[1], kinds[2], names, form.matching)
