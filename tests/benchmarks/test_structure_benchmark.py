"""The benchmark of what is built on matchings, on small graphs: it runs, and its results agree."""

import pytest

from benchmarks.structure.__main__ import networkx_functions, ranked, vertex_covers


def test_ranked_matchings(capsys):
    rows = ranked(6, 3, 1)
    assert [row["meaning"] for row in rows] == ["times one assignment (at most 10)"] * 2
    assert "3 best of 6 x 6" in capsys.readouterr().out


def test_every_function_of_the_backend_is_compared():
    pytest.importorskip("networkx")
    rows = [*networkx_functions(60, 1), *vertex_covers(60, 1)]
    names = {row["name"].rpartition(": ")[2] for row in rows}
    assert len(names) == 6
    assert {"max_weight_matching", "to_vertex_cover"} <= names
