"""Edges in lists: ids, labels, weights."""

import numpy as np
import pytest
from hankelmatch import Matching, WeightedMatching, match_edges


def test_edges_given_as_lists_and_arrays():
    assert match_edges([0, 1, 1], [0, 0, 1]).size == 2
    assert match_edges(np.array([5]), np.array([7])).row_mate.tolist() == [-1] * 5 + [7]
    assert match_edges([0], [0], shape=(3, 2)).col_mate.tolist() == [0, -1]
    assert match_edges([], []).size == 0
    for dtype in (*"bBhHiIlLqQ", ">u2", ">i8"):
        ids = np.array([0, 1], dtype)
        assert match_edges(ids, ids[::-1]).row_mate.tolist() == [1, 0]
    with pytest.raises(ValueError, match="rows: ids are masked"):
        match_edges(np.ma.masked_equal([0, 1], 1), [0, 1])
    assert Matching([0, 1, -1], [0, 1], None).size == 2
    assert match_edges([], [], shape=(2, 2)).row_mate.tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("rows", "cols", "shape", "error"),
    [
        ([0, 1], [0], None, ValueError),
        ([-1], [0], None, ValueError),
        ([0], [-1], (1, 1), ValueError),
        ([2], [0], (2, 2), ValueError),
        ([0.5], [0], None, TypeError),
        ([0.5], ["a"], None, TypeError),
        (["a"], [0], (1, 1), ValueError),
        ([4_000_000_000_000, 7], [1, 2], None, ValueError),
        ([[]], [0], None, ValueError),
        ([[0, 1]], [[0, 1]], None, ValueError),
        ([[0], [0, 1]], [0, 0], None, ValueError),
        ([2**63], [0], None, ValueError),
        ([0], [0], 5, TypeError),
        ([0], [0], (2, "a"), TypeError),
        ([0], [0], (2.5, 3), TypeError),
        ([0], [0], (2, 2, 2), TypeError),
        ([], [], (-1, 3), ValueError),
    ],
)
def test_bad_edges(rows, cols, shape, error):
    with pytest.raises(error, match=r"^(rows|cols|shape) (and cols )?must"):
        match_edges(rows, cols, shape)


@pytest.mark.parametrize(
    ("people", "tasks"),
    [
        (["ann", "ann", "bob"], ["x", "y", "x"]),
        (np.array(["ann", "ann", "bob"]), np.array(["x", "y", "x"], object)),
        ([("ann", 1), ("ann", 1), ("bob", 2)], ["x", "y", "x"]),
        (["ann", "ann", "bob"], [7, 4_000_000_000_000, 7]),
        ([None, None, "bob"], ["x", "y", "x"]),
    ],
    ids=str,
)
def test_labels_of_any_kind(people, tasks):
    matching = match_edges(people, tasks)
    people, tasks = list(people), list(tasks)
    assert sorted(matching.labelled_pairs(), key=str) == sorted(
        [(people[1], tasks[1]), (people[2], tasks[2])], key=str
    )
    assert list(matching.row_labels) == [people[0], people[2]]
    assert list(matching.col_labels) == [tasks[0], tasks[1]]


def test_ids_have_numbers_for_labels():
    matching = match_edges([0, 2], [1, 0], shape=(3, 2))
    assert matching.labelled_pairs() == [(0, 1), (2, 0)]


def test_weights():
    rows, cols, weights = ["a", "a", "b", "b"], ["x", "y", "x", "y"], [3, 1, 4, 1.5]
    heaviest = match_edges(rows, cols, weights=weights)
    assert isinstance(heaviest, WeightedMatching)
    assert (heaviest.weight, heaviest.labelled_pairs()) == (5.0, [("a", "y"), ("b", "x")])
    lightest = match_edges(rows, cols, weights=weights, minimize=True)
    assert (lightest.weight, lightest.labelled_pairs()) == (4.5, [("a", "x"), ("b", "y")])
    assert match_edges([0, 0], [0, 0], weights=[1, 2]).weight == 3.0
    with pytest.raises(ValueError, match=r"^weights: the entry in row 'b', column 'y' is NaN"):
        match_edges(rows, cols, weights=[3, 1, 4, float("nan")])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"rows": [4_000_000_000_000, 7], "cols": [1, 2]},
            r"^rows must be .*id 4000000000000 .*np.unique\(rows",
        ),
        ({"rows": [1, 2], "cols": [4_000_000_000_000, 7]}, r"^cols must be .*id 4000000000000 .*strings"),
        ({"rows": ["a"], "cols": ["x"], "shape": (1, 1)}, "^shape must be left out"),
        ({"rows": ["a"], "cols": ["x"], "weights": [1, 2]}, "^weights: 1 numbers are needed"),
        ({"rows": ["a"], "cols": ["x"], "minimize": True}, "^minimize: there is nothing"),
        ({"rows": [0], "cols": [0], "weights": [1], "method": "push-relabel"}, "^method: with weights"),
        ({"rows": ["a"], "cols": ["x", "y"]}, "one id each for every edge"),
        ({"rows": [0.5], "cols": [0]}, "^rows must be integers or labels"),
        ({"rows": [0], "cols": [-1]}, "^cols must be ids from 0, not -1"),
        ({"rows": [5], "cols": [0], "shape": (3, 1)}, "^rows must be ids below 3, by the shape given, not 5"),
        ({"rows": np.array([{}, {}]), "cols": [0, 1]}, "^rows: labels must be hashable"),
    ],
)
def test_complaints(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        match_edges(**arguments)


def test_ids_far_apart_with_many_edges_or_a_shape_are_numbers():
    assert match_edges([10**5], [0]).size == 1
    assert match_edges([10**5], [0], shape=(10**6, 1)).row_mate.shape == (10**6,)


@pytest.mark.parametrize("unit", ["D", "ns"])
def test_dates_stay_what_they_are_and_none_may_be_missing(unit):
    days = np.array(["2020-01-02", "2020-01-01"], f"M8[{unit}]")
    found = match_edges(days, ["x", "y"]).labelled_pairs()
    assert found == [(days[0], "x"), (days[1], "y")]
    assert all(isinstance(day, np.datetime64) for day, _ in found)
    for missing in (np.array(["NaT"], f"M8[{unit}]"), np.array(["NaT"], f"m8[{unit}]")):
        with pytest.raises(ValueError, match="rows: entry 0 is NaT, which is no label"):
            match_edges(missing, [3])


@pytest.mark.parametrize("ends", [{1, 2, 3}, (i for i in range(3)), {1: 2}.keys(), iter([1])])
def test_ends_that_have_no_order_or_no_length_are_refused(ends):
    with pytest.raises(TypeError, match="rows: a list or an array is needed, the end of each edge in order"):
        match_edges(ends, [1, 2, 3])
    with pytest.raises(TypeError, match="cols: a list or an array is needed, the end of each edge in order"):
        match_edges([1, 2, 3], ends)
