"""Graphs as people have them, matrices, graphs of other libraries, tables of edges: as sparse matrices.

Nothing here imports another library: whoever hands over a graph has imported it.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from .._utils.sparse_formats import checked_csr, too_large
from .._utils.validation import Pattern, as_pattern, check_type, checked_pattern, is_sparse, listed
from .readers.tables import (
    Integers,
    Labels,
    distinct_labels,
    is_table,
    joined,
    label_array,
    numbers,
    table_columns,
)

Graph: TypeAlias = object  # whatever `known_graph` knows
Ids: TypeAlias = NDArray[np.integer]

_KNOWN = (
    "a scipy sparse array, a numpy array of 2 dimensions, a graph of networkx, igraph or rustworkx, a table "
    "of edges (pandas, polars), or a dict from rows to their columns"
)


class BipartiteGraph(NamedTuple):
    """A bipartite graph with a name for each row and column, as `bipartite_graph` makes it.

    Every function of this package that takes a graph takes it. Make one yourself to give names to the rows
    and columns of a matrix.

    Attributes
    ----------
    biadjacency : csr_array
        An entry for each edge: its weight, or 1. Functions also take sparse arrays of other formats here.
    row_labels, col_labels : ndarray
        What rows and columns stand for: ``row_labels[i]`` is the name of row i. Functions also take lists.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import BipartiteGraph, match
    >>> jacobian = csr_array([[2.0, 1.0], [3.0, 0.0]])
    >>> match(BipartiteGraph(jacobian, ["mass", "heat"], ["flow", "speed"])).labelled_pairs()
    [('mass', 'speed'), ('heat', 'flow')]
    """

    biadjacency: sp.csr_array
    row_labels: Labels
    col_labels: Labels


class Network(NamedTuple):
    """A directed graph on one set of nodes, as a square matrix: an entry in row i, column j for i -> j."""

    adjacency: sp.csr_array
    labels: Labels | None


class _Edges(NamedTuple):
    """The edges of a graph whose sides are not known yet, by numbers of nodes."""

    labels: Labels
    sources: Integers
    targets: Integers
    weights: NDArray[np.float64]
    is_row: NDArray[np.bool_] | None  # where the graph itself says it
    is_directed: bool


def bipartite_graph(
    graph: Graph, rows: Iterable[Hashable] | None = None, weight: str | None = "weight"
) -> BipartiteGraph:
    """Read a bipartite graph of another library, a table of edges, or a dict.

    `match` and its relatives do this by themselves; call it to say which nodes are the rows, or which
    attribute of the edges is their weight.

    Parameters
    ----------
    graph : graph, table or dict
        * A graph of networkx, igraph or rustworkx. Its edges' directions do not count.
        * A table of edges of pandas, polars or another library with one of their exchange
          protocols (``__dataframe__``, ``__arrow_c_stream__``): two columns, the ends
          of each edge, and perhaps a third, its weight.
        * A dict from each row to its columns; or to a dict from its columns to weights.
        * A scipy sparse array or a numpy array (nonzero entries are edges): the labels are numbers.
    rows : iterable of hashable, optional
        The nodes that are rows. By default the graph's own word counts (networkx: nodes with
        ``bipartite=0``; igraph: ``type`` False); where it has none, the first node of each connected part and
        all at an even distance from it are rows.
    weight : str or None
        The attribute that holds the weights of edges in networkx or igraph; 1 where it is missing. None: all
        are 1, those of tables, dicts and rustworkx too, whatever these have as weights.

    Returns
    -------
    BipartiteGraph

    Raises
    ------
    TypeError
        If `graph` is nothing of the above.
    ValueError
        If it is not bipartite, or not with these rows; or if `rows` are given for a dict, a table or a
        matrix, which have rows of their own.

    Notes
    -----
    O(nodes + edges).

    Examples
    --------
    >>> from hankelmatch import bipartite_graph, match
    >>> graph = bipartite_graph({"ann": ["x", "y"], "bob": ["x"]})
    >>> match(graph).labelled_pairs()
    [('ann', 'y'), ('bob', 'x')]
    """
    check_type("weight", weight, (str, type(None)), "the name of an attribute or None")
    found = _with_own_rows(graph, weighted=weight is not None)
    if found is None:
        return _from_edges(_edges_of(graph, weight), rows)
    if rows is not None:
        raise ValueError(f"rows: a {type(graph).__name__} says itself what its rows are; leave them out")
    return found


def _with_own_rows(graph: Any, *, weighted: bool) -> BipartiteGraph | None:
    """The graph, if it is of a kind that keeps rows and columns apart."""
    if isinstance(graph, BipartiteGraph):
        return _checked_labels(graph)
    if is_sparse(graph) or isinstance(graph, np.ndarray):
        matrix = _biadjacency(graph)
        try:
            return BipartiteGraph(matrix, *map(np.arange, matrix.shape))
        except MemoryError:
            raise too_large("graph", matrix.shape) from None
    if isinstance(graph, Mapping):
        return _from_mapping(graph, weighted=weighted)
    return _from_table(graph, weighted=weighted) if is_table(graph) else None


def network(source: Any, argument: str = "network") -> Network:
    """Read a directed graph: a square matrix, a graph of another library, or a dict from nodes to targets."""
    if is_sparse(source) or isinstance(source, np.ndarray):
        matrix = _biadjacency(source)
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(
                f"{argument}: a square matrix is needed, a row and a column for each node, not "
                f"{matrix.shape[0]} x {matrix.shape[1]}"
            )
        return Network(matrix, None)
    if isinstance(source, Mapping):
        _require_lists(source, "targets")
        pairs = [(node, target) for node, targets in source.items() for target in targets]
        ids = _numbers(chain(source, (t for _, t in pairs)))
        ends = np.array([[ids[a], ids[b]] for a, b in pairs], np.int64).reshape(-1, 2)
        return Network(_matrix(ends[:, 0], ends[:, 1], None, (len(ids), len(ids))), label_array(list(ids)))
    if is_table(source):
        columns, names, _ = table_columns(source, weighted=False)
        labels, places = distinct_labels(joined(*columns), " and ".join(names))
        heads, tails = places.reshape(2, -1)
        return Network(_matrix(heads, tails, None, (len(labels), len(labels))), labels)
    edges = _edges_of(source, None)
    sources, targets = edges.sources, edges.targets
    if not edges.is_directed:
        sources, targets = np.concatenate((sources, targets)), np.concatenate((targets, sources))
    n = len(edges.labels)
    return Network(_matrix(sources, targets, None, (n, n)), edges.labels)


def known_graph(graph: Any, *, weighted: bool = True) -> Any:
    """Give what `pattern_of` reads: a sparse matrix, a prefix-suffix graph, or a BipartiteGraph.

    Where weights do not matter, edges may have anything in their place.
    """
    if is_sparse(graph) or is_hankel(graph):
        return graph
    if isinstance(graph, np.ndarray):
        return _biadjacency(graph)
    return bipartite_graph(graph, weight="weight" if weighted else None)


def _checked_labels(graph: BipartiteGraph) -> BipartiteGraph:
    """The graph with its labels as arrays, one for each row and column."""
    matrix = graph.biadjacency
    if not (is_sparse(matrix) or isinstance(matrix, np.ndarray)):
        raise TypeError(f"graph: biadjacency must be a sparse or numpy array, not {type(matrix).__name__}")
    sides = zip(("row", "col"), (graph.row_labels, graph.col_labels), matrix.shape, strict=True)
    labels = [_one_for_each(f"graph: {side}_labels", given, n) for side, given, n in sides]
    if (
        is_sparse(matrix)
        and matrix.format == "csr"
        and labels[0] is graph.row_labels
        and labels[1] is graph.col_labels
    ):
        return graph
    return BipartiteGraph(_biadjacency(matrix), *labels)


def _one_for_each(what: str, labels: Any, n: int) -> Labels:
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise TypeError(f"{what} must be a list or an array of names, not {labels!r}")
    array = labels if isinstance(labels, np.ndarray) else label_array(list(labels))
    if array.shape != (n,):
        raise ValueError(f"{what}: {n} are needed, one for each, not shape {array.shape}")
    return array


def is_hankel(graph: Any) -> bool:
    """Whether it is a prefix-suffix graph."""
    return not is_sparse(graph) and hasattr(graph, "to_csr")


def pattern_of(graph: Any) -> Pattern:
    """Give the rows' neighbours, of any graph."""
    if not is_sparse(graph):
        graph = known_graph(graph, weighted=False)
        if is_hankel(graph):
            return checked_pattern(graph.shape, *graph._edges)
        if isinstance(graph, BipartiteGraph):
            graph = graph.biadjacency
    return as_pattern(graph)


def two_sides(n_nodes: int, sources: NDArray[Any], targets: NDArray[Any]) -> tuple[NDArray[np.bool_], int]:
    """Give which nodes are on the side of the first node of their connected part, and the number of parts.

    Raises
    ------
    ValueError
        If a cycle of odd length makes that impossible.

    Notes
    -----
    Parts of the graph with every node doubled, each edge from one copy to the other: the copies of a node lie
    in one part just where it is on a cycle of odd length. O(nodes + edges).
    """
    dtype = np.int32 if 2 * n_nodes <= np.iinfo(np.int32).max else np.int64  # else scipy copies them
    sources, targets = sources.astype(dtype), targets.astype(dtype)
    ends = (np.concatenate((sources, sources + n_nodes)), np.concatenate((targets + n_nodes, targets)))
    doubled = sp.coo_array((np.ones(2 * len(sources), np.int8), ends), shape=(2 * n_nodes, 2 * n_nodes))
    _, part = connected_components(doubled, directed=False)
    here, there = part[:n_nodes], part[n_nodes:]
    if (here == there).any():
        raise ValueError("graph: it is not bipartite: it has a cycle of odd length")
    _, first, which = np.unique(np.minimum(here, there), return_index=True, return_inverse=True)
    return here == here[first][which], len(first)


def _from_edges(edges: _Edges, rows: Iterable[Hashable] | None) -> BipartiteGraph:
    n = len(edges.labels)
    if rows is not None:
        wanted = _numbers(listed("rows", rows, "a list of nodes"), "rows").keys()
        is_row = np.fromiter((label in wanted for label in edges.labels.tolist()), bool, count=n)
        if is_row.sum() != len(wanted):
            missing = next(iter(wanted - set(edges.labels.tolist())))
            raise ValueError(f"rows: the graph has no node {missing!r}")
    elif edges.is_row is not None:
        is_row = edges.is_row
    else:
        is_row, _ = two_sides(n, edges.sources, edges.targets)
    inside = np.flatnonzero(is_row[edges.sources] == is_row[edges.targets])
    if len(inside):
        a, b = edges.labels[[edges.sources[inside[0]], edges.targets[inside[0]]]]
        raise ValueError(
            f"graph: it is not bipartite with these rows: {a!r} - {b!r} is an edge within one side"
        )
    forward = is_row[edges.sources]
    number = np.where(is_row, np.cumsum(is_row), np.cumsum(~is_row)) - 1
    heads = number[np.where(forward, edges.sources, edges.targets)]
    tails = number[np.where(forward, edges.targets, edges.sources)]
    shape = (int(is_row.sum()), int(n - is_row.sum()))
    matrix = _matrix(heads, tails, edges.weights, shape)
    return BipartiteGraph(matrix, edges.labels[is_row], edges.labels[~is_row])


def _from_mapping(source: Mapping[Any, Any], *, weighted: bool) -> BipartiteGraph:
    _require_lists(source, "columns")
    lists = [others if isinstance(others, Mapping) else list(others) for others in source.values()]
    cols = _numbers(chain.from_iterable(lists))
    indptr = np.cumsum([0, *map(len, lists)])
    indices = np.array([cols[label] for label in chain.from_iterable(lists)], np.int64)
    values = chain.from_iterable(
        others.values() if weighted and isinstance(others, Mapping) else [1] * len(others) for others in lists
    )
    data = numbers(list(values), "graph: the weights of a dict's edges")
    matrix = sp.csr_array((data, indices, indptr), shape=(len(lists), len(cols)))
    return BipartiteGraph(matrix, label_array(list(source)), label_array(list(cols)))


def _numbers(labels: Iterable[Any], argument: str = "graph") -> dict[Any, int]:
    """The number of each label, by first appearance."""
    try:
        return {label: i for i, label in enumerate(dict.fromkeys(labels))}
    except TypeError as error:
        raise TypeError(f"{argument}: labels must be hashable: {error}") from None


def _require_lists(source: Mapping[Any, Any], what: str) -> None:
    for node, others in source.items():
        if isinstance(others, (str, bytes)) or not isinstance(others, Iterable):
            raise TypeError(f"graph: the {what} of {node!r} must be a list, a set or a dict, not {others!r}")


def _from_table(table: Any, *, weighted: bool) -> BipartiteGraph:
    ends, names, weights = table_columns(table, weighted=weighted)
    (row_labels, rows), (col_labels, cols) = map(distinct_labels, ends, names)
    matrix = _matrix(rows, cols, weights, (len(row_labels), len(col_labels)))
    return BipartiteGraph(matrix, row_labels, col_labels)


def _biadjacency(matrix: Any) -> sp.csr_array:
    if isinstance(matrix, np.ndarray):
        if matrix.ndim != 2:
            raise ValueError(f"graph must have 2 dimensions, rows and columns, not {matrix.ndim}")
        if matrix.dtype.kind not in "biufc":
            raise TypeError(f"graph: a numpy array must hold numbers, not {matrix.dtype}")
        return sp.csr_array(np.ma.filled(matrix, 0))
    return checked_csr(matrix.to_scipy_sparse() if hasattr(matrix, "to_scipy_sparse") else matrix)


def _matrix(rows: Any, cols: Any, weights: Any, shape: tuple[int, int]) -> sp.csr_array:
    data = np.ones(len(rows), np.float64) if weights is None else weights
    return sp.csr_array(sp.coo_array((data, (rows, cols)), shape=shape))


def _edges_of(graph: Any, weight: str | None) -> _Edges:
    readers: dict[str, Callable[[Any, str | None], _Edges]] = {
        "networkx": _edges_of_networkx,
        "igraph": _edges_of_igraph,
        "rustworkx": _edges_of_rustworkx,
    }
    for kind in type(graph).__mro__:
        reader = readers.get(kind.__module__.partition(".")[0])
        if reader:
            return reader(graph, weight)
    remedy = (
        "; of rows of numbers make np.array(graph), for a list of edges call match_edges(*zip(*graph))"
        if isinstance(graph, (list, tuple, set, frozenset))
        else ""
    )
    raise TypeError(
        f"graph must be sparse, or another kind of graph: {_KNOWN}; not {type(graph).__name__}{remedy}"
    )


def networkx_edges(
    graph: Any, weight: str | None
) -> tuple[list[Hashable], Integers, Integers, NDArray[np.float64]]:
    """Give nodes, ends of edges and weights as networkx lists neighbours: undirected edges twice."""
    neighbours = [adjacent for _, adjacent in graph.adjacency()]
    ids = dict(zip(graph, range(len(neighbours)), strict=True))
    lengths = np.fromiter(map(len, neighbours), np.int64, count=len(neighbours))
    n_pairs = int(lengths.sum())
    targets = np.fromiter(map(ids.__getitem__, chain.from_iterable(neighbours)), np.int64, count=n_pairs)
    sources = np.repeat(np.arange(len(ids)), lengths)
    if not graph.is_multigraph():
        weights = np.ones(n_pairs) if weight is None else edge_weights(neighbours, weight)
        return list(ids), sources, targets, weights
    parallel = list(chain.from_iterable(adjacent.values() for adjacent in neighbours))
    repeats = np.fromiter(map(len, parallel), np.int64, count=n_pairs)
    sources, targets = np.repeat(sources, repeats), np.repeat(targets, repeats)
    return list(ids), sources, targets, edge_weights(parallel, weight)


def edge_weights(
    neighbours: Iterable[Mapping[Any, Mapping[str | None, Any]]], weight: str | None
) -> NDArray[np.float64]:
    """Give an attribute of edges, 1 where it is missing, in the order of networkx's dicts."""
    attributes = chain.from_iterable(adjacent.values() for adjacent in neighbours)
    return numbers([data.get(weight, 1) for data in attributes], f"graph: the attribute {weight!r} of edges")


def _edges_of_networkx(graph: Any, weight: str | None) -> _Edges:
    nodes, sources, targets, weights = networkx_edges(graph, weight)
    if not graph.is_directed():
        once = sources <= targets
        sources, targets, weights = sources[once], targets[once], weights[once]
    sides = [data.get("bipartite") for _, data in graph.nodes(data=True)]
    is_row = np.array([side == 0 for side in sides], bool) if all(s in (0, 1) for s in sides) else None
    return _Edges(label_array(nodes), sources, targets, weights, is_row, graph.is_directed())


def _edges_of_igraph(graph: Any, weight: str | None) -> _Edges:
    ends = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    values = graph.es[weight] if weight in graph.es.attributes() else np.ones(len(ends))
    weights = numbers(values, f"graph: the attribute {weight!r} of edges")
    attributes = graph.vs.attributes()
    labels = label_array(graph.vs["name"]) if "name" in attributes else np.arange(graph.vcount())
    is_row = ~np.array(graph.vs["type"], bool) if "type" in attributes else None
    return _Edges(labels, ends[:, 0], ends[:, 1], weights, is_row, graph.is_directed())


def _edges_of_rustworkx(graph: Any, weight: str | None) -> _Edges:
    """Payloads of nodes are labels where they are hashable and distinct; numbers on edges are weights."""
    indices = list(graph.node_indices())
    number = {index: i for i, index in enumerate(indices)}
    ends = np.array([(number[a], number[b]) for a, b in graph.edge_list()], np.int64).reshape(-1, 2)
    payloads = list(graph.nodes())
    try:
        distinct = len(set(payloads)) == len(payloads)
    except TypeError:
        distinct = False
    values = list(graph.edges())
    are_weights = weight is not None and all(isinstance(value, (int, float)) for value in values)
    weights = np.array(values, np.float64) if are_weights else np.ones(len(values))
    directed = type(graph).__name__.startswith("PyDi")
    labels = label_array(payloads if distinct else indices)
    return _Edges(labels, ends[:, 0], ends[:, 1], weights, None, directed)
