"""Backend of networkx: ``nx.bipartite.maximum_matching(G, backend="hankelmatch")`` and related functions.

Found by networkx through the entry points in pyproject.toml; see "Backends" in networkx's documentation. The
functions take and return what networkx's own do. Where those take graphs that are not bipartite, such graphs
go back to networkx.
"""

import contextlib
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from itertools import chain
from typing import Any, ClassVar, NamedTuple, NoReturn, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..matching.graphs import edge_weights, networkx_edges, two_sides
from ..matching.maximum import Matching, match
from ..matching.readers.tables import Integers
from ..matching.weighted import maximum_weight_matching

Node = Hashable
_Adjacency: TypeAlias = Mapping[Node, Collection[Node]]


class _Graph:
    """What networkx hands to the backend's functions: its own graph, read where it is."""

    __networkx_backend__: ClassVar[str] = "hankelmatch"

    def __init__(self, graph: Any) -> None:
        self.networkx_graph = graph

    def is_directed(self) -> bool:
        return bool(self.networkx_graph.is_directed())

    def is_multigraph(self) -> bool:
        return bool(self.networkx_graph.is_multigraph())


class _Biadjacency(NamedTuple):
    """The edges from the left nodes to the right ones, of the two sides that networkx finds."""

    left: list[Node]
    right: list[Node]
    matrix: sp.csr_array  # weights, or ones

    def pairs(self, matching: Matching) -> list[tuple[Node, Node]]:
        rows, cols = matching.pairs()
        return [(self.left[r], self.right[c]) for r, c in zip(rows.tolist(), cols.tolist(), strict=True)]


class _NotBipartiteError(Exception):
    """The graph has edges within a side."""


def _biadjacency(graph: _Graph, top_nodes: Iterable[Node] | None, weight: str | None = None) -> _Biadjacency:
    """Read the graph with networkx's rules, and its exceptions."""
    import networkx as nx  # noqa: PLC0415, optional

    try:
        return _read(graph, top_nodes, weight, must_be_connected=True)
    except _NotBipartiteError as error:
        raise nx.NetworkXError(f"Graph is not bipartite{error}.") from None


def _read(
    graph: _Graph, top_nodes: Iterable[Node] | None, weight: str | None, *, must_be_connected: bool = False
) -> _Biadjacency:
    owner = _owner(graph)
    if owner.is_directed() or owner.is_multigraph():
        return _read_by_edges(owner, top_nodes, weight, must_be_connected=must_be_connected)
    adjacency = dict(owner.adjacency())
    if top_nodes is not None:
        return _read_from_top(adjacency, set(top_nodes), weight)
    top, n_parts = _left_nodes(adjacency)
    if must_be_connected:
        _require_connected(n_parts)
    return _read_from_top(adjacency, top, weight)


def _read_by_edges(
    owner: Any, top_nodes: Iterable[Node] | None, weight: str | None, *, must_be_connected: bool
) -> _Biadjacency:
    """Read a directed graph or a multigraph; a directed edge from the right counts as its reverse."""
    nodes, sources, targets, weights = networkx_edges(owner, weight)
    if top_nodes is None:
        once = slice(None) if owner.is_directed() else sources <= targets
        try:
            is_left, n_parts = two_sides(len(nodes), sources[once], targets[once])
        except ValueError:
            raise _NotBipartiteError from None
        if must_be_connected:
            _require_connected(n_parts)
    else:
        is_left = _sides_from_top(nodes, sources, targets, set(top_nodes))
    number = np.where(is_left, np.cumsum(is_left), np.cumsum(~is_left)) - 1
    from_left = is_left[sources]
    if owner.is_directed():
        rows = number[np.where(from_left, sources, targets)]
        cols = number[np.where(from_left, targets, sources)]
    else:
        rows, cols, weights = number[sources[from_left]], number[targets[from_left]], weights[from_left]
    sides = is_left.tolist()
    left = [node for node, on_left in zip(nodes, sides, strict=True) if on_left]
    right = [node for node, on_left in zip(nodes, sides, strict=True) if not on_left]
    matrix = sp.csr_array(sp.coo_array((weights, (rows, cols)), shape=(len(left), len(right))))
    return _Biadjacency(left, right, matrix)


def _sides_from_top(
    nodes: list[Node], sources: Integers, targets: Integers, top: set[Node]
) -> NDArray[np.bool_]:
    is_left = np.fromiter((node in top for node in nodes), bool, count=len(nodes))
    inside = np.flatnonzero(is_left[sources] == is_left[targets])
    if len(inside):
        raise _NotBipartiteError(f": node {nodes[targets[inside[0]]]!r} has a neighbour on its own side")
    return is_left


def _require_connected(n_parts: int) -> None:
    if n_parts > 1:
        import networkx as nx  # noqa: PLC0415, optional

        raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")


def _read_from_top(adjacency: dict[Node, Any], top: set[Node], weight: str | None) -> _Biadjacency:
    """Look at each edge once only, from its left end."""
    left = [node for node in adjacency if node in top]
    right = [node for node in adjacency if node not in top]
    if len(left) != len(top):
        import networkx as nx  # noqa: PLC0415, optional

        missing = next(node for node in top if node not in adjacency)
        raise nx.NodeNotFound(f"top_nodes: node {missing!r} is not in the graph")
    right_id = dict(zip(right, range(len(right)), strict=True))
    neighbours = [adjacency[node] for node in left]
    indptr = np.cumsum([0, *map(len, neighbours)])
    try:
        columns = map(right_id.__getitem__, chain.from_iterable(neighbours))
        indices = np.fromiter(columns, np.int64, count=indptr[-1])
    except KeyError as error:
        raise _NotBipartiteError(f": node {error} has a neighbour on its own side") from None
    data = np.ones(len(indices)) if weight is None else edge_weights(neighbours, weight)
    return _Biadjacency(left, right, sp.csr_array((data, indices, indptr), shape=(len(left), len(right))))


def _owner(graph: _Graph) -> Any:
    """networkx's graph. What networkx keeps of our view of it is dropped: a second call would warn of it."""
    owner = graph.networkx_graph
    cache = getattr(owner, "__networkx_cache__", None)
    if cache:
        with contextlib.suppress(AttributeError):
            cache.get("backends", {}).pop("hankelmatch", None)
    return owner


def _both_ways(pairs: list[tuple[Node, Node]]) -> dict[Node, Node]:
    return dict(chain(pairs, ((right, left) for left, right in pairs)))


def hopcroft_karp_matching(graph: _Graph, top_nodes: Iterable[Node] | None = None) -> dict[Node, Node]:
    """Find a maximum matching, as a dict from each matched node of either side to its mate."""
    sides = _biadjacency(graph, top_nodes)
    return _both_ways(sides.pairs(match(sides.matrix)))


def minimum_weight_full_matching(
    graph: _Graph, top_nodes: Iterable[Node] | None = None, weight: str | None = "weight"
) -> dict[Node, Node]:
    """Match all nodes of the smaller side at the least weight, as a dict from each node to its mate."""
    sides = _biadjacency(graph, top_nodes, weight)
    matching = maximum_weight_matching(sides.matrix, minimize=True)
    if matching.size < min(sides.matrix.shape):
        raise ValueError("cost matrix is infeasible: no full matching exists")
    return _both_ways(sides.pairs(matching))


def max_weight_matching(
    graph: _Graph, maxcardinality: bool = False, weight: str | None = "weight"
) -> set[tuple[Node, Node]]:
    """Find a heaviest matching, of any size or of the largest, as a set of pairs."""
    try:
        sides = _read(graph, None, weight)
    except _NotBipartiteError:
        return _by_networkx("max_weight_matching", graph, maxcardinality=maxcardinality, weight=weight)
    matching = maximum_weight_matching(sides.matrix, maximum_cardinality=bool(maxcardinality))
    return set(sides.pairs(matching))


def to_vertex_cover(
    graph: _Graph, matching: Mapping[Node, Node], top_nodes: Iterable[Node] | None = None
) -> set[Node]:
    """Find a minimum vertex cover from a maximum matching: Konig's proof.

    Nodes that alternating paths from free left nodes reach are found in networkx's own dicts, whole levels of
    a breadth-first search at a time: copying the graph would take longer.
    """
    owner = _owner(graph)
    if owner.is_directed():
        owner = owner.to_undirected(as_view=True)
    adjacency: _Adjacency = dict(owner.adjacency())
    left = _connected_left(adjacency) if top_nodes is None else set(top_nodes).intersection(adjacency)
    _check(adjacency, left, matching)
    level = left - matching.keys()
    rows, cols = set(level), set[Node]()
    while level:
        found = _neighbours(adjacency, level) - cols
        cols |= found
        try:
            level = set(map(matching.__getitem__, found)) - rows
        except KeyError as error:
            raise ValueError(f"matching: it is no maximum one; node {error} could be matched too") from None
        rows |= level
    return (left - rows) | cols


def _left_nodes(adjacency: _Adjacency) -> tuple[set[Node], int]:
    """The nodes at an even distance from the first of their connected part, and the number of parts."""
    sides: tuple[set[Node], set[Node]] = (set(), set())
    n_parts = 0
    for first in adjacency:
        if first in sides[0] or first in sides[1]:
            continue
        n_parts += 1
        level, is_right = {first}, False
        while level:
            sides[is_right].update(level)
            is_right = not is_right
            level = _neighbours(adjacency, level) - sides[is_right]
    if not sides[0].isdisjoint(sides[1]):
        raise _NotBipartiteError
    return sides[0], n_parts


def _connected_left(adjacency: _Adjacency) -> set[Node]:
    import networkx as nx  # noqa: PLC0415, optional

    try:
        left, n_parts = _left_nodes(adjacency)
    except _NotBipartiteError:
        raise nx.NetworkXError("Graph is not bipartite.") from None
    _require_connected(n_parts)
    return left


def _neighbours(adjacency: _Adjacency, nodes: Iterable[Node]) -> set[Node]:
    return set().union(*map(adjacency.__getitem__, nodes))


def _check(adjacency: _Adjacency, left: set[Node], matching: Mapping[Node, Node]) -> None:
    """Refuse edges within a side, and pairs that are no edges, in one pass over the left nodes."""
    n_edges = n_pairs = 0
    for node in left:
        neighbours = adjacency[node]
        if not left.isdisjoint(neighbours):
            _refuse_edge_within(node)
        n_edges += len(neighbours)
        if node in matching:
            n_pairs += 1
            mate = matching[node]
            if mate not in neighbours or matching.get(mate) != node:
                _refuse_pair(node, mate)
    right = adjacency.keys() - left
    if sum(map(len, map(adjacency.__getitem__, right))) != n_edges:
        _refuse_edge_within(next(node for node in right if not right.isdisjoint(adjacency[node])))
    if len(matching) != 2 * n_pairs:
        alone = ((node, mate) for node, mate in matching.items() if node not in left and mate not in left)
        _refuse_pair(*next(alone, next(iter(matching.items()))))


def _refuse_edge_within(node: Node) -> NoReturn:
    import networkx as nx  # noqa: PLC0415, optional

    raise nx.NetworkXError(f"Graph is not bipartite: node {node!r} has a neighbour on its own side.")


def _refuse_pair(node: Node, mate: Node) -> NoReturn:
    raise ValueError(
        f"matching: {node!r}: {mate!r} is no edge of the graph, or is not there in both directions"
    )


def min_edge_cover(
    graph: _Graph, matching_algorithm: Callable[..., Any] | None = None
) -> set[tuple[Node, Node]]:
    """Find the fewest edges that touch every node, as a set of pairs."""
    if matching_algorithm is not None:
        return _by_networkx("min_edge_cover", graph, matching_algorithm=matching_algorithm)
    try:
        return set(_edge_cover(_read(graph, None, None)))
    except _NotBipartiteError:
        return _by_networkx("min_edge_cover", graph)


def bipartite_min_edge_cover(
    graph: _Graph, matching_algorithm: Callable[..., Any] | None = None
) -> set[tuple[Node, Node]]:
    """Find the fewest edges that touch every node of a connected bipartite graph, each in both directions."""
    if matching_algorithm is not None:
        import networkx as nx  # noqa: PLC0415, optional

        own = nx.bipartite.min_edge_cover.orig_func
        cover: set[tuple[Node, Node]] = own(_owner(graph), matching_algorithm=matching_algorithm)
        return cover
    if len(_owner(graph)) == 0:
        return set()
    pairs = _edge_cover(_biadjacency(graph, None))
    return {*pairs, *((right, left) for left, right in pairs)}


def _edge_cover(sides: _Biadjacency) -> list[tuple[Node, Node]]:
    """A maximum matching, and any edge for each node that is left free: Gallai 1959."""
    matrix = sides.matrix
    transposed = matrix.tocsc()
    if not (np.diff(matrix.indptr).all() and np.diff(transposed.indptr).all()):
        import networkx as nx  # noqa: PLC0415, optional

        raise nx.NetworkXException("Graph has a node with no edge incident on it, so no edge cover exists.")
    matching = match(matrix)
    free_rows = np.flatnonzero(matching.row_mate == -1)
    free_cols = np.flatnonzero(matching.col_mate == -1)
    rows = [*free_rows.tolist(), *transposed.indices[transposed.indptr[free_cols]].tolist()]
    cols = [*matrix.indices[matrix.indptr[free_rows]].tolist(), *free_cols.tolist()]
    return sides.pairs(matching) + [(sides.left[r], sides.right[c]) for r, c in zip(rows, cols, strict=True)]


def _by_networkx(name: str, graph: _Graph, **options: Any) -> Any:
    """networkx's own function, for graphs that are not bipartite."""
    import networkx as nx  # noqa: PLC0415, optional

    return getattr(nx, name).orig_func(_owner(graph), **options)


_FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "hopcroft_karp_matching": (
        hopcroft_karp_matching,
        "A maximum matching by the automatic choice of method.",
    ),
    "eppstein_matching": (hopcroft_karp_matching, "A maximum matching by the automatic choice of method."),
    "minimum_weight_full_matching": (
        minimum_weight_full_matching,
        "Shortest augmenting paths, no dense matrix.",
    ),
    "max_weight_matching": (
        max_weight_matching,
        "Bipartite graphs by shortest augmenting paths; others as ever.",
    ),
    "to_vertex_cover": (to_vertex_cover, ""),
    "min_edge_cover": (min_edge_cover, "Bipartite graphs by a maximum matching; others as ever."),
    "bipartite_min_edge_cover": (bipartite_min_edge_cover, ""),
}


class _Backend:
    """The namespace that networkx looks functions up in."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _FUNCTIONS:
            raise AttributeError(name)
        return _FUNCTIONS[name][0]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_FUNCTIONS]

    @staticmethod
    def convert_from_nx(graph: Any, **_: Any) -> _Graph:
        return _Graph(graph)

    @staticmethod
    def convert_to_nx(result: Any, **_: Any) -> Any:
        return result.networkx_graph if isinstance(result, _Graph) else result


backend = _Backend()


def backend_info() -> dict[str, Any]:
    """The functions that networkx can dispatch here."""
    return {
        "backend_name": "hankelmatch",
        "project": "hankelmatch",
        "package": "hankelmatch",
        "short_summary": "Bipartite matchings in compiled code.",
        "functions": {
            name: {"additional_docs": docs} if docs else {} for name, (_, docs) in _FUNCTIONS.items()
        },
    }
