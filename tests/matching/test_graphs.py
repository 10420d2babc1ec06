"""Every kind of graph gives the same matching, with its own names."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import (
    best_matchings,
    bipartite_graph,
    bottleneck_matching,
    driver_nodes,
    dulmage_mendelsohn,
    hall_violator,
    match,
    match_with_capacities,
    maximum_matching_edges,
    maximum_weight_matching,
)
from hankelmatch.matching.graphs import two_sides

EDGES = [("ann", "x", 3.0), ("ann", "y", 1.0), ("bob", "x", 4.0), ("cy", "y", 1.5), ("cy", "z", 2.0)]
LIGHTEST = [("ann", "y"), ("bob", "x"), ("cy", "z")]
ROWS, COLS = ["ann", "bob", "cy"], ["x", "y", "z"]


def as_matrix():
    values = [w for *_, w in EDGES]
    ends = [ROWS.index(r) for r, _, _ in EDGES], [COLS.index(c) for _, c, _ in EDGES]
    return sp.coo_array((values, ends), shape=(3, 3))


def as_networkx():
    nx = pytest.importorskip("networkx")
    graph = nx.Graph()
    graph.add_nodes_from(ROWS, bipartite=0)
    graph.add_nodes_from(COLS, bipartite=1)
    graph.add_weighted_edges_from([(b, a, w) for a, b, w in EDGES])
    return graph


def as_networkx_without_sides():
    nx = pytest.importorskip("networkx")
    graph = nx.Graph()
    graph.add_weighted_edges_from(EDGES)
    return graph


def as_directed_networkx():
    nx = pytest.importorskip("networkx")
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(EDGES)
    return graph


def as_networkx_multigraph():
    nx = pytest.importorskip("networkx")
    graph = nx.MultiGraph()
    graph.add_weighted_edges_from(EDGES)
    return graph


def as_igraph():
    igraph = pytest.importorskip("igraph")
    names = [*ROWS, *COLS]
    graph = igraph.Graph.Bipartite(
        [0, 0, 0, 1, 1, 1], [(names.index(a), names.index(b)) for a, b, _ in EDGES]
    )
    graph.vs["name"] = names
    graph.es["weight"] = [w for *_, w in EDGES]
    return graph


def as_rustworkx():
    rustworkx = pytest.importorskip("rustworkx")
    graph = rustworkx.PyGraph()
    ids = {name: graph.add_node(name) for name in [*ROWS, "gone", *COLS]}
    graph.remove_node(ids["gone"])
    graph.add_edges_from([(ids[a], ids[b], w) for a, b, w in EDGES])
    return graph


def as_table(library):
    columns = dict(zip(("person", "task", "cost"), zip(*EDGES, strict=True), strict=True))
    return pytest.importorskip(library).DataFrame({name: list(values) for name, values in columns.items()})


class PlainTable:
    """The least that makes a table of edges."""

    columns = ("person", "task", "cost")

    def __init__(self, edges=EDGES):
        self.edges = edges

    def __dataframe__(self):
        raise NotImplementedError

    def __getitem__(self, name):
        return [edge[self.columns.index(name)] for edge in self.edges]


KINDS = {
    "networkx": as_networkx,
    "networkx without sides": as_networkx_without_sides,
    "directed networkx": as_directed_networkx,
    "networkx multigraph": as_networkx_multigraph,
    "igraph": as_igraph,
    "rustworkx": as_rustworkx,
    "pandas": lambda: as_table("pandas"),
    "polars": lambda: as_table("polars"),
    "table": PlainTable,
    "dict of lists": lambda: {r: [c for a, c, _ in EDGES if a == r] for r in ROWS},
    "dict of dicts": lambda: {r: {c: w for a, c, w in EDGES if a == r} for r in ROWS},
}


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_kept(kind):
    graph = KINDS[kind]()
    weights = kind != "dict of lists"
    assert sorted(match(graph).labelled_pairs()) == LIGHTEST
    lightest = maximum_weight_matching(graph, minimize=True)
    assert sorted(lightest.labelled_pairs()) == LIGHTEST
    assert lightest.weight == (7.0 if weights else 3.0)
    assert lightest.is_optimal(graph)
    known = bipartite_graph(graph)
    assert sorted(known.row_labels) == ROWS
    assert sorted(known.col_labels) == COLS
    assert (known.biadjacency.sum() == 11.5) == weights


@pytest.mark.parametrize("kind", KINDS)
def test_every_function_takes_every_graph(kind):
    graph = KINDS[kind]()
    form = dulmage_mendelsohn(graph)
    rows, cols = form.labelled(form.well_determined)
    assert (sorted(rows), sorted(cols)) == (ROWS, COLS)
    assert maximum_matching_edges(graph).is_unique
    assert hall_violator(graph) is None
    assert next(best_matchings(graph)).size == bottleneck_matching(graph).size == 3
    assert len(match_with_capacities(graph, 2, 2).labelled_pairs()) == 5
    assert match(graph, seed=0).is_maximum(graph)


FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix])
def test_every_sparse_format(form, make):
    graph = make(as_matrix()).asformat(form)
    expected = [(ROWS.index(a), COLS.index(b)) for a, b in LIGHTEST]
    assert match(graph).labelled_pairs() == expected
    assert maximum_weight_matching(graph, minimize=True).weight == 7.0
    assert maximum_matching_edges(graph).is_unique
    assert bottleneck_matching(graph).bottleneck == 4.0
    assert bipartite_graph(graph).row_labels.tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32])
def test_dense_arrays(dtype):
    assert match(as_matrix().toarray().astype(dtype)).labelled_pairs() == [(0, 1), (1, 0), (2, 2)]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_what_todense_gives():
    costs = sp.csr_matrix([[1, 9], [4, 6]]).todense()
    assert bottleneck_matching(costs).bottleneck == 6
    assert maximum_weight_matching(costs, minimize=True, limit=5).weight == 1


def test_which_nodes_are_rows():
    nx = pytest.importorskip("networkx")
    graph = nx.path_graph(["a", "b", "c"])
    assert bipartite_graph(graph).row_labels.tolist() == ["a", "c"]
    assert bipartite_graph(graph, rows=["b"]).row_labels.tolist() == ["b"]
    graph.edges["a", "b"]["cost"] = 7
    assert bipartite_graph(graph, weight="cost").biadjacency.sum() == 8
    assert bipartite_graph(graph, weight=None).biadjacency.sum() == 2
    with pytest.raises(ValueError, match=r"^rows: the graph has no node 'z'"):
        bipartite_graph(graph, rows=["z"])
    with pytest.raises(ValueError, match=r"^graph: it is not bipartite with these rows: 'b' - 'c'"):
        bipartite_graph(graph, rows=["a"])
    with pytest.raises(TypeError, match=r"^rows: labels must be hashable"):
        bipartite_graph(graph, rows=[[]])
    with pytest.raises(ValueError, match=r"^rows: a dict says itself what its rows are; leave them out"):
        bipartite_graph({"a": ["b"]}, rows=["b"])
    with pytest.raises(TypeError, match=r"^graph: labels must be hashable"):
        bipartite_graph({"a": [[]]})
    with pytest.raises(ValueError, match=r"^graph: it is not bipartite: it has a cycle of odd length"):
        match(nx.cycle_graph(5))


def test_networks():
    nx = pytest.importorskip("networkx")
    star = nx.DiGraph([("hub", i) for i in range(4)])
    drivers = driver_nodes(star)
    assert len(drivers.nodes) == 4
    assert drivers.labels[drivers.always].tolist() == ["hub"]
    assert len(driver_nodes(star.to_undirected()).nodes) == 3
    by_matrix = driver_nodes(nx.to_scipy_sparse_array(star))
    assert by_matrix.nodes.tolist() == drivers.nodes.tolist()
    assert driver_nodes({"hub": [0, 1, 2, 3]}).nodes.tolist() == drivers.nodes.tolist()
    cycle = driver_nodes(nx.cycle_graph(3, create_using=nx.DiGraph))
    assert (len(cycle.nodes), len(cycle.sometimes)) == (1, 3)
    with pytest.raises(ValueError, match=r"^graph: a square matrix is needed.* 2 x 3"):
        driver_nodes(np.ones((2, 3)))


def test_directed_networks_of_other_libraries():
    edges = [(0, 1), (0, 2), (2, 3)]
    igraph, rustworkx = (pytest.importorskip(name) for name in ("igraph", "rustworkx"))
    theirs = [igraph.Graph(4, edges, directed=True), rustworkx.PyDiGraph()]
    theirs[1].extend_from_edge_list(edges)
    for graph in theirs:
        assert driver_nodes(graph).nodes.tolist() == driver_nodes({0: [1, 2], 2: [3]}).nodes.tolist()


@pytest.mark.parametrize(
    ("graph", "error"),
    [
        (None, "graph must be sparse, or another kind of graph: a scipy sparse array.*; not NoneType"),
        ([[1, 0]], "not list"),
        ("csr", "not str"),
        ({"a": "xy"}, "the columns of 'a' must be a list, a set or a dict"),
        ({"a": 3}, "the columns of 'a'"),
        (np.array([["a"]]), "a numpy array must hold numbers"),
        (np.ones(3), "2 dimensions"),
    ],
)
def test_other_things_are_refused(graph, error):
    with pytest.raises((TypeError, ValueError), match=error):
        match(graph)


def test_tables_of_more_columns_and_weights_that_are_no_numbers_are_refused():
    table = PlainTable()
    table.columns = ("person", "task", "cost", "day")
    with pytest.raises(ValueError, match=r"two columns.* this one has 4: choose them, as in table\[\["):
        match(table)
    with pytest.raises(TypeError, match="the weights of a dict's edges must be real numbers"):
        maximum_weight_matching({"a": {"x": "dear"}})


@pytest.mark.parametrize("weight", [None, "heavy"])
def test_matchings_need_no_weights(weight):
    nx = pytest.importorskip("networkx")
    graph = nx.Graph([("a", "x", {"weight": weight})])
    table = PlainTable([("a", "x", weight)])
    for given in (graph, nx.MultiGraph(graph), {"a": {"x": weight}}, table):
        matching = match(given)
        assert matching.labelled_pairs() == [("a", "x")]
        assert matching.is_maximum(given)
        assert match_with_capacities(given, 2).is_maximum(given)
        assert match(given, seed=0).size == dulmage_mendelsohn(given).matching.size == 1
        assert hall_violator(given) is None
        assert maximum_matching_edges(given).matching.size == 1
        with pytest.raises(TypeError, match="must be real numbers"):
            maximum_weight_matching(given)
    for given in (nx.DiGraph([("a", "x", {"weight": weight})]), {"a": {"x": weight}}, table):
        assert driver_nodes(given).nodes.tolist() == [0]
    assert bipartite_graph({"a": {"x": 5.0}}, weight=None).biadjacency.sum() == 1


@pytest.mark.parametrize("make", [iter, dict.fromkeys, set, lambda columns: (c for c in columns)])
def test_columns_of_a_dict_are_read_once(make):
    graph = {"a": make(["x", "y"]), "b": make(["x"])}
    assert sorted(match(graph).labelled_pairs()) == [("a", "y"), ("b", "x")]
    drivers = driver_nodes({"a": make(["x", "y"]), "b": make(["x"])})
    assert sorted(drivers.labels[drivers.nodes].tolist()) == ["a", "b"]


def test_large_numbers_stay_the_labels_that_they_are():
    graph = bipartite_graph({2**63: [1], -1: [2]})
    assert graph.row_labels.tolist() == [2**63, -1]
    assert bipartite_graph({2**63: [1], 2: [2]}).row_labels.tolist() == [2**63, 2]
    pd = pytest.importorskip("pandas")
    ends = {"a": [2**53, 2**53 + 1], "b": np.array([2**53 + 1, 5], np.uint64)}
    assert driver_nodes(pd.DataFrame(ends)).labels.tolist() == [2**53, 2**53 + 1, 5]


def test_tables_with_a_name_twice_are_refused():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame([["a", "x"], ["b", "y"]], columns=["node", "node"])
    with pytest.raises(ValueError, match=r"different names for its columns, not \['node', 'node'\]; rename"):
        match(table)
    assert match(table.set_axis(["row", "column"], axis=1)).size == 2
    twice = pd.Series([1.0, 2.0], index=["a", "a"])
    with pytest.raises(ValueError, match="row_weights: a name occurs twice in the series"):
        match({"a": ["x"]}, row_weights=twice)


def test_dates_of_a_table_stay_dates():
    pd = pytest.importorskip("pandas")
    days = pd.to_datetime(["2020-01-01", "2020-01-02"]).as_unit("ns")
    table = pd.DataFrame({"day": days, "task": ["x", "y"]})
    assert match(table).labelled_pairs() == list(zip(days.to_numpy(), ["x", "y"], strict=True))
    both = driver_nodes(pd.DataFrame({"day": days, "next": days + pd.Timedelta("1D")}))
    assert both.labels.tolist() == [*days.to_numpy(), np.datetime64("2020-01-03")]


def test_nothing_is_imported_for_it():
    import subprocess  # noqa: PLC0415

    code = (
        "import sys, hankelmatch as hm; hm.match({'a': ['x']}); "
        "print({'networkx', 'igraph', 'rustworkx', 'pandas', 'polars', 'pyomo'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "set()"


def test_sides_of_random_graphs():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(1, 9))
        side = rng.random(n) < 0.5
        ends = rng.integers(0, n, (2, 10))
        ends = ends[:, side[ends[0]] != side[ends[1]]]
        found, n_parts = two_sides(n, *ends)
        assert (found[ends[0]] != found[ends[1]]).all()
        parts = sp.csgraph.connected_components(sp.coo_array((np.ones(ends.shape[1]), ends), shape=(n, n)))[1]
        assert n_parts == len(set(parts.tolist()))
        assert all(found[np.flatnonzero(parts == part)[0]] for part in set(parts.tolist()))
