"""The backend of networkx: what networkx's own tests ask, and the same answers as networkx."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

nx = pytest.importorskip("networkx")

from hankelmatch.interop import networkx as backend_module  # noqa: E402


def random_bipartite(rng, *, integers=True):
    graph = nx.bipartite.random_graph(
        *(int(n) for n in rng.integers(1, 7, 2)), 0.5, seed=int(rng.integers(10**6))
    )
    for _, _, data in graph.edges(data=True):
        data["weight"] = int(rng.integers(-3, 6)) if integers else float(rng.normal())
    return graph


def largest_part(graph):
    return graph.subgraph(max(nx.connected_components(graph), key=len)).copy()


def test_networkx_own_tests_pass_through_the_backend():
    environment = os.environ | {"NETWORKX_TEST_BACKEND": "hankelmatch", "NETWORKX_FALLBACK_TO_NX": "True"}
    tests = [
        f"networkx.algorithms.{name}"
        for name in (
            "bipartite.tests.test_matching",
            "bipartite.tests.test_covering",
            "tests.test_matching",
            "tests.test_covering",
        )
    ]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", *tests]
    result = subprocess.run(command, env=environment, cwd=os.sep, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert " passed" in result.stdout


def test_maximum_matchings_and_covers():
    graph = nx.path_graph(["a", 1, "b", 2, "c"])
    for name in ("maximum_matching", "hopcroft_karp_matching", "eppstein_matching"):
        mates = getattr(nx.bipartite, name)(graph.copy(), top_nodes=["a", "b", "c"], backend="hankelmatch")
        assert len(mates) == 4
        assert all(mates[mates[node]] == node and graph.has_edge(node, mates[node]) for node in mates)
    cover = nx.bipartite.to_vertex_cover(graph.copy(), mates, ["a", "b", "c"], backend="hankelmatch")
    assert cover == {1, 2}
    assert set(backend_module.backend_info()["functions"]) <= set(dir(backend_module.backend))
    with pytest.raises(nx.AmbiguousSolution):
        nx.bipartite.maximum_matching(nx.empty_graph(2), backend="hankelmatch")
    with pytest.raises(nx.NetworkXError, match="not bipartite"):
        nx.bipartite.maximum_matching(nx.path_graph(3), top_nodes=[0, 1], backend="hankelmatch")
    with pytest.raises(nx.NodeNotFound, match=r"^top_nodes: node 9 is not in the graph"):
        nx.bipartite.maximum_matching(nx.path_graph(3), top_nodes=[0, 2, 9], backend="hankelmatch")
    with pytest.raises(nx.NetworkXError, match="not bipartite"):
        nx.bipartite.maximum_matching(nx.cycle_graph(3), backend="hankelmatch")


@pytest.mark.parametrize("maxcardinality", [None, False, True])
def test_heaviest_matchings_weigh_what_networkx_says(maxcardinality):
    """`maxcardinality` is False unless asked for, as in networkx."""
    rng = np.random.default_rng(1)
    options = {} if maxcardinality is None else {"maxcardinality": maxcardinality}
    for i in range(100):
        graph = random_bipartite(rng, integers=i % 2 == 0)
        ours = nx.max_weight_matching(graph, backend="hankelmatch", **options)
        theirs = nx.max_weight_matching(graph, **options)
        assert nx.is_matching(graph, ours)
        weights = [sum(graph.edges[e]["weight"] for e in pairs) for pairs in (ours, theirs)]
        assert weights[0] == pytest.approx(weights[1])
        assert not maxcardinality or len(ours) == len(theirs)


def test_graphs_that_are_not_bipartite_go_back_to_networkx():
    graph = nx.complete_graph(5)
    assert len(nx.max_weight_matching(graph, maxcardinality=True, backend="hankelmatch")) == 2
    assert len(nx.min_edge_cover(graph, backend="hankelmatch")) == 3


def test_full_matchings_at_least_weight():
    rng = np.random.default_rng(2)
    n_full = 0
    for i in range(100):
        graph = largest_part(random_bipartite(rng, integers=i % 2 == 0))
        if len(graph) == 1:
            continue  # networkx has no answer
        weights = []
        for backend in ("networkx", "hankelmatch"):
            try:
                mates = nx.bipartite.minimum_weight_full_matching(graph, backend=backend)
            except ValueError:
                weights.append(None)
                continue
            weights.append(sum(graph.edges[e]["weight"] for e in mates.items()) / 2)
            assert all(mates[mates[node]] == node for node in mates)
        assert weights[0] == weights[1] or weights[0] == pytest.approx(weights[1])
        n_full += weights[0] is not None
    assert n_full > 20
    unit = nx.complete_bipartite_graph(2, 3)
    assert len(nx.bipartite.minimum_weight_full_matching(unit, weight=None, backend="hankelmatch")) == 4


def test_edge_covers_are_smallest():
    rng = np.random.default_rng(3)
    for _ in range(60):
        graph = largest_part(random_bipartite(rng))
        if len(graph) == 1:
            with pytest.raises(nx.NetworkXException, match="no edge cover"):
                nx.min_edge_cover(graph, backend="hankelmatch")
            continue
        cover = nx.min_edge_cover(graph, backend="hankelmatch")
        assert nx.is_edge_cover(graph, cover)
        assert len(cover) == len(nx.min_edge_cover(graph))
        both = nx.bipartite.min_edge_cover(graph, backend="hankelmatch")
        assert len(both) == 2 * len(cover)
        assert {(v, u) for u, v in both} == both


def test_a_second_call_does_not_warn_of_a_cache_and_sees_changes():
    graph = nx.path_graph(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            assert len(nx.bipartite.maximum_matching(graph, backend="hankelmatch")) == 4
            assert len(nx.max_weight_matching(graph, backend="hankelmatch")) == 2
    graph[1][2]["weight"] = 9  # not seen by networkx's own bookkeeping
    assert nx.max_weight_matching(graph, backend="hankelmatch") in ({(1, 2)}, {(2, 1)})


@st.composite
def bipartite_graphs(draw):
    """A graph of networkx of any kind, its left nodes, and a maximum matching."""
    n_left, n_right = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    cells = st.tuples(st.integers(0, n_left - 1), st.integers(0, n_right - 1))
    edges = draw(st.lists(cells, max_size=14)) if n_left and n_right else []
    graph = draw(st.sampled_from([nx.Graph, nx.MultiGraph, nx.DiGraph]))()
    left = [f"l{i}" for i in range(n_left)]
    graph.add_nodes_from(left + list(range(n_right)))
    graph.add_edges_from((f"l{i}", j) for i, j in edges)
    mates = nx.bipartite.hopcroft_karp_matching(nx.Graph(graph), left)
    return graph, left, mates


@given(bipartite_graphs())
def test_vertex_covers_are_covers_as_small_as_the_matching(given_graph):
    graph, left, mates = given_graph
    cover = nx.bipartite.to_vertex_cover(graph, mates, left, backend="hankelmatch")
    assert len(cover) == len(mates) // 2
    assert all(a in cover or b in cover for a, b in graph.edges())
    if graph and nx.is_connected(nx.Graph(graph)):
        again = nx.bipartite.to_vertex_cover(graph, mates, backend="hankelmatch")
        assert len(again) == len(cover)
        assert all(a in again or b in again for a, b in graph.edges())


@pytest.mark.parametrize(
    ("edges", "mates", "top", "error", "message"),
    [
        ([(0, "a")], {}, [0], ValueError, "'a' could be matched too"),
        ([(0, "a"), (1, "a")], {0: "a", "a": 1, 1: "a"}, [0, 1], ValueError, "0: 'a'"),
        ([(0, "a"), (1, "a")], {0: "a"}, [0, 1], ValueError, "both directions"),
        ([(0, "a"), (1, "b")], {0: "b", "b": 0}, [0, 1], ValueError, "no edge"),
        ([(0, "a"), (0, "b")], {"a": "b", "b": "a"}, [0], ValueError, "no edge"),
        ([(0, "a"), (0, "b")], {0: "a", "a": 0, "z": 0}, [0], ValueError, "no edge"),
        ([(0, "a"), ("a", "b")], {0: "a", "a": 0}, [0], nx.NetworkXError, "'a' has a neighbour|'b' has a"),
        ([(0, 1), (1, "a")], {1: "a", "a": 1}, [0, 1], nx.NetworkXError, "own side"),
        ([(0, 1), (1, 2), (2, 0)], {0: 1, 1: 0}, None, nx.NetworkXError, "not bipartite"),
        ([(0, 1), (2, 3)], {0: 1, 1: 0, 2: 3, 3: 2}, None, nx.AmbiguousSolution, "Disconnected"),
    ],
)
def test_vertex_covers_refuse_what_is_no_maximum_matching_of_the_graph(edges, mates, top, error, message):
    with pytest.raises(error, match=message):
        nx.bipartite.to_vertex_cover(nx.Graph(edges), mates, top, backend="hankelmatch")
