"""Backend of networkx: ``nx.bipartite.maximum_matching(G, backend="hankelmatch")`` and related functions.

Found by networkx through the entry points in pyproject.toml; see "Backends" in networkx's documentation.
"""

from collections.abc import Hashable, Iterable, Mapping
from itertools import chain
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from ..matching.maximum import Matching, match

Node = Hashable


class _Graph:
    """What networkx hands to the backend's functions: its own graph, read where it is."""

    __networkx_backend__: ClassVar[str] = "hankelmatch"

    def __init__(self, graph: Any) -> None:
        self.networkx_graph = graph

    def is_directed(self) -> bool:
        return bool(self.networkx_graph.is_directed())

    def is_multigraph(self) -> bool:
        return bool(self.networkx_graph.is_multigraph())


class _Biadjacency:
    """The edges from left to right nodes; networkx finds the two sides."""

    def __init__(self, graph: _Graph, top_nodes: Iterable[Node] | None) -> None:
        import networkx as nx  # noqa: PLC0415, optional

        left, right = nx.bipartite.sets(graph.networkx_graph, top_nodes)
        self.left, self.right = list(left), list(right)
        self.left_id = {node: i for i, node in enumerate(self.left)}
        self.right_id = {node: i for i, node in enumerate(self.right)}
        neighbours = [graph.networkx_graph.adj[node] for node in self.left]
        indptr = np.zeros(len(self.left) + 1, np.int64)
        np.cumsum([len(adjacent) for adjacent in neighbours], out=indptr[1:])
        try:
            columns = map(self.right_id.__getitem__, chain.from_iterable(neighbours))
            indices = np.fromiter(columns, np.int64, count=indptr[-1])
        except KeyError as error:
            raise nx.NetworkXError(
                f"Graph is not bipartite: node {error} has a neighbour on its own side."
            ) from None
        ones = np.ones(len(indices), np.int8)
        self.pattern = sp.csr_array((ones, indices, indptr), shape=(len(self.left), len(self.right)))


def hopcroft_karp_matching(graph: _Graph, top_nodes: Iterable[Node] | None = None) -> dict[Node, Node]:
    """Find a maximum matching, as a dict from each matched node of either side to its mate."""
    sides = _Biadjacency(graph, top_nodes)
    rows, cols = match(sides.pattern).pairs()
    pairs = [(sides.left[r], sides.right[c]) for r, c in zip(rows.tolist(), cols.tolist(), strict=True)]
    return dict(chain(pairs, ((right, left) for left, right in pairs)))


def to_vertex_cover(
    graph: _Graph, matching: Mapping[Node, Node], top_nodes: Iterable[Node] | None = None
) -> set[Node]:
    """Find a minimum vertex cover from a maximum matching."""
    sides = _Biadjacency(graph, top_nodes)
    row_mate = np.full(len(sides.left), -1)
    col_mate = np.full(len(sides.right), -1)
    for node, mate in matching.items():
        if node in sides.left_id:
            row, col = sides.left_id[node], sides.right_id[mate]
            row_mate[row], col_mate[col] = col, row
    rows, cols = Matching(row_mate, col_mate, sides.pattern).minimum_vertex_cover()
    return {sides.left[row] for row in rows} | {sides.right[col] for col in cols}


class _Backend:
    """The namespace that networkx looks functions up in."""

    hopcroft_karp_matching = staticmethod(hopcroft_karp_matching)
    eppstein_matching = staticmethod(hopcroft_karp_matching)
    to_vertex_cover = staticmethod(to_vertex_cover)

    @staticmethod
    def convert_from_nx(graph: Any, **_: Any) -> _Graph:
        return _Graph(graph)

    @staticmethod
    def convert_to_nx(result: Any, **_: Any) -> Any:
        return result.networkx_graph if isinstance(result, _Graph) else result


backend = _Backend()


def backend_info() -> dict[str, object]:
    """The functions that networkx can dispatch here."""
    maximum = "A maximum matching by hankelmatch's automatic choice of method."
    return {
        "backend_name": "hankelmatch",
        "project": "hankelmatch",
        "package": "hankelmatch",
        "short_summary": "Maximum bipartite matchings in compiled code.",
        "functions": {
            "hopcroft_karp_matching": {"additional_docs": maximum},
            "eppstein_matching": {"additional_docs": maximum},
            "to_vertex_cover": {},
        },
    }
