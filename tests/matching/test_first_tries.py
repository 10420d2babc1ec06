"""What somebody tries first who has not read much: it works, or the message says what does."""

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import (
    BipartiteGraph,
    best_matchings,
    bipartite_graph,
    bottleneck_matching,
    driver_nodes,
    dulmage_mendelsohn,
    hall_violator,
    match,
    match_edges,
    match_with_capacities,
    maximum_weight_matching,
)

WISHES = {"ann": ["x"], "bob": ["x", "y"], "cy": ["y"]}


@pytest.mark.parametrize("graph", [[[4, 1], [2, 0]], [("a", "x"), ("b", "y")], {("a", "x")}, ((1, 2),)])
def test_lists_are_named_with_what_to_call(graph):
    for function in (match, maximum_weight_matching, match_with_capacities, driver_nodes):
        with pytest.raises(TypeError, match=r"np\.array\(graph\).*match_edges\(\*zip\(\*graph\)\)"):
            function(graph)


def test_the_number_of_best_matchings_is_k():
    costs = np.array([[1.0, 2.0], [3.0, 5.0]])
    with pytest.raises(ValueError, match=r"give k=5"):
        best_matchings(costs, 5)
    assert len(list(best_matchings(costs, k=5))) == len(list(islice(best_matchings(costs), 5))) == 2
    assert [m.weight for m in best_matchings(costs, k=1)] == [m.weight for m in best_matchings(costs)][:1]
    assert not list(best_matchings(costs, k=0))


def test_weights_and_capacities_by_name():
    assert match(WISHES, row_weights={"cy": 2, "ann": 1}).labelled_pairs() == [("ann", "x"), ("cy", "y")]
    assert match(WISHES, row_weights={"bob": 1}, col_weights={"y": 3}).row_mate[1] != -1
    found = match_with_capacities(WISHES, {"bob": 2}, {"x": 2, "y": 2})
    assert found.size == 4
    assert found.row_capacities.tolist() == [1, 2, 1]
    by_weight = match_with_capacities({"a": {"x": 5, "y": 1}}, {"a": 2}, objective="sum")
    assert by_weight.weight == 6
    numbers = sp.csr_array(np.ones((3, 1)))
    assert match(numbers, row_weights={2: 1}).labelled_pairs() == [(2, 0)]
    for call, message in (
        (lambda: match(WISHES, row_weights={"dan": 1}), "^row_weights: the graph has no row 'dan'"),
        (lambda: match(WISHES, col_weights={"z": 1}), "^col_weights: the graph has no column 'z'"),
        (lambda: match_with_capacities(WISHES, 1, {"z": 1}), "^col_capacities: the graph has no column 'z'"),
        (lambda: match_with_capacities(WISHES, {"ann": -1}), "^row_capacities: whole numbers"),
        (lambda: match_with_capacities(WISHES, {"ann": None}), "^row_capacities: the numbers of a dict"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            call()


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.coo_matrix, sp.dok_array, np.asarray])
def test_names_for_a_matrix(form):
    matrix = form(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 0.0], [0.0, 4.0, 0.0]]))
    graph = BipartiteGraph(matrix, ["e1", "e2", "e3"], ("x", "y", ("z", 1)))
    assert match(graph).labelled_pairs()[0] == ("e1", "x")
    assert maximum_weight_matching(graph).labelled_pairs() == [("e1", "x"), ("e3", "y")]
    dm = dulmage_mendelsohn(graph)
    assert dm.labelled(dm.overdetermined) == (["e2", "e3"], ["y"])
    assert hall_violator(graph).row_labels.tolist() == ["e2", "e3"]
    assert match_with_capacities(graph, 2, {"y": 2}).size == 3
    assert bipartite_graph(graph).col_labels.tolist() == ["x", "y", ("z", 1)]


def test_names_for_a_matrix_are_checked():
    matrix = sp.csr_array(np.ones((2, 3)))
    for graph, error, message in (
        (BipartiteGraph(matrix, ["a"], ["x", "y", "z"]), ValueError, r"^graph: row_labels: 2 are needed"),
        (
            BipartiteGraph(matrix, ["a", "b"], np.ones((3, 1))),
            ValueError,
            r"^graph: col_labels: 3 are needed",
        ),
        (BipartiteGraph(matrix, "ab", ["x", "y", "z"]), TypeError, r"^graph: row_labels must be a list"),
        (BipartiteGraph(matrix, ["a", "b"], None), TypeError, r"^graph: col_labels must be a list"),
        (BipartiteGraph([[1, 2, 3]], ["a"], ["x", "y", "z"]), TypeError, r"^graph: biadjacency must be"),
    ):
        for function in (match, maximum_weight_matching, match_with_capacities, bipartite_graph):
            with pytest.raises(error, match=message):
                function(graph)


def test_bad_weights_are_reported_by_name():
    costs = {"ann": {"x": 3, "y": 9}, "bob": {"z": 1, "x": float("nan")}}
    for function in (maximum_weight_matching, bottleneck_matching, best_matchings):
        with pytest.raises(ValueError, match=r"^graph: the entry in row 'bob', column 'x' is NaN"):
            function(costs)
    with pytest.raises(ValueError, match=r"row 'bob', column 'x' is NaN"):
        match_with_capacities(costs, objective="sum")
    with pytest.raises(ValueError, match=r"row 'b', column 'y' is -inf"):
        match_edges(["a", "b"], ["x", "y"], weights=[1, -np.inf], minimize=True)
    with pytest.raises(ValueError, match=r"row 1, column 0 is NaN"):
        maximum_weight_matching(sp.csr_array([[1.0, 2.0], [np.nan, 0.0]]))


def test_labels_of_several_types_stay_what_they_are():
    assert match_edges([1, "a", 2.5], [("x", 1), "y", "1"]).labelled_pairs() == [
        (1, ("x", 1)),
        ("a", "y"),
        (2.5, "1"),
    ]
    assert match_edges(["1", 1], ["x", "y"]).size == 2


@pytest.mark.parametrize("missing", [float("nan"), np.float64("nan")])
def test_missing_labels_are_refused(missing):
    with pytest.raises(ValueError, match=r"^rows: entry 1 is nan, which is no label"):
        match_edges(["a", missing], ["x", "y"])
    with pytest.raises(ValueError, match=r"^cols: entry 0 is"):
        match_edges(["a", "b"], [missing, "y"])


def test_what_is_printed_says_what_was_found():
    costs = {"ann": {"x": 3, "y": 9}, "bob": {"x": 4}}
    assert repr(match(costs)) == "<Matching of size 2 of 2 rows and 2 columns>"
    found = maximum_weight_matching(costs, minimize=True)
    assert repr(found) == "<WeightedMatching of size 2 of 2 rows and 2 columns, weight 13>"
    assert repr(bottleneck_matching(costs)).endswith("2 columns, bottleneck 9>")
    assert repr(match_with_capacities(costs)) == "<CapacityMatching of 2 edges of 2 rows and 2 columns>"
    assert repr(match_with_capacities(costs, objective="sum")).endswith(", weight 13>")


class TestPandas:
    """Tables that are no tables of edges, and series."""

    pd = pytest.importorskip("pandas")

    def test_matrices_of_costs_are_not_taken_for_edges(self):
        pd = self.pd
        costs = pd.DataFrame([[4, 1, 3], [2, 0, 5], [3, 2, 2]], ["ann", "bob", "cy"], ["x", "y", "z"])
        with pytest.raises(ValueError, match=r"table\.to_numpy\(\), or table\.T\.to_dict\(\)"):
            maximum_weight_matching(costs)
        with pytest.raises(ValueError, match=r"has 4: .*table\.to_numpy\(\)"):
            maximum_weight_matching(costs.assign(w=1))
        with pytest.raises(TypeError, match=r"^graph: column 'x' must hold the ends of edges"):
            maximum_weight_matching(costs.reset_index(drop=True) + 0.5)
        found = maximum_weight_matching(costs.T.to_dict(), minimize=True)
        assert found.labelled_pairs() == [("ann", "y"), ("bob", "x"), ("cy", "z")]
        assert maximum_weight_matching(costs.to_numpy(), minimize=True).weight == found.weight
        edges = pd.DataFrame({"a": [1, 2], "b": [5, 5]}, ["first", "second"])
        assert match(edges.reset_index(drop=True)).size == 1
        assert match(edges.astype(str)).size == 1

    def test_missing_labels_are_refused(self):
        pd = self.pd
        for column in (
            ["x", None],
            [1, np.nan],
            pd.array([1, None], dtype="Int64"),
            pd.to_datetime(["20200101", None]),
        ):
            with pytest.raises(
                ValueError, match=r"^graph: column 'a': entry 1 is (nan|None|NaT|<NA>), which"
            ):
                match(pd.DataFrame({"a": column, "b": ["p", "q"]}))
        assert match(pd.DataFrame({"a": [1.0, 2.0], "b": ["p", "q"]})).size == 2

    def test_networks_as_tables(self):
        edges = self.pd.DataFrame({"from": ["a", "b", "b"], "to": ["b", "c", "d"]})
        drivers = driver_nodes(edges)
        expected = driver_nodes({"a": ["b"], "b": ["c", "d"]})
        assert drivers.labels.tolist() == expected.labels.tolist() == ["a", "b", "c", "d"]
        assert drivers.nodes.tolist() == expected.nodes.tolist()
        numbers = driver_nodes(self.pd.DataFrame({"from": [7, 8], "to": [8, 9]}))
        assert numbers.labels[numbers.nodes].tolist() == [7]
        mixed = driver_nodes(self.pd.DataFrame({"from": [7, 8], "to": ["x", "y"]}))
        assert mixed.labels.tolist() == [7, 8, "x", "y"]

    def test_series_go_by_their_names(self):
        series = self.pd.Series([2, 1], ["cy", "ann"])
        assert match(WISHES, row_weights=series).labelled_pairs() == [("ann", "x"), ("cy", "y")]
        assert match(WISHES, row_weights=self.pd.Series([1, 0, 2])).labelled_pairs() == [
            ("ann", "x"),
            ("cy", "y"),
        ]


def test_a_series_is_no_table_of_edges():
    pandas = pytest.importorskip("pandas")
    series = (
        pandas.DataFrame({"row": ["a", "a"], "col": ["x", "y"], "n": [1, 2]})
        .groupby(["row", "col"])["n"]
        .sum()
    )
    with pytest.raises(TypeError, match="reset_index"):
        match(series)
    assert match(series.reset_index()).size == 1
