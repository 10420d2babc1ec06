"""Two builds of the package in turns, both of them this one, and the families of costs, on small matrices."""

from itertools import repeat

import numpy as np
import pytest

from benchmarks.builds import Build, compare_builds, interpreter, print_summary, this_python
from benchmarks.matching.families import FAMILIES
from benchmarks.scale import against
from benchmarks.weighted.assignment import in_turns, solvers_for
from benchmarks.weighted.families import DENSE, SPARSE


def test_builds_take_turns_and_agree(capsys):
    family = FAMILIES[0]
    with Build(this_python()) as ours, Build(this_python()) as other:
        row = compare_builds([ours, other], "small", "match", family.graph(50), {})
        unknown = compare_builds([ours, other], "small", "no_such_name", family.graph(50), {})
    assert row.error == ""
    assert row.found > 0
    assert row.ratio > 0
    assert "AttributeError" in unknown.error
    print_summary([row._replace(ours=3 * row.other), unknown])
    assert "slower: small 3.00 times" in capsys.readouterr().out


def test_a_python_is_found_in_its_environment(tmp_path):
    assert interpreter(this_python()) == this_python()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    assert interpreter(tmp_path) == tmp_path / "bin" / "python"
    with pytest.raises(FileNotFoundError, match="against"):
        interpreter(tmp_path / "bin")


def test_stages_of_a_text_are_timed_in_turns(tmp_path, capsys, monkeypatch):
    text = tmp_path / "text.txt"
    text.write_text("a b a _ a b\nb a _ b b a\n", encoding="utf-8")
    monkeypatch.setattr(against, "texts", lambda _data, _quick: [("small", [str(text), "word", "2"])])
    monkeypatch.setattr(against, "TURNS", 1)
    rows = against.compare(tmp_path, this_python(), quick=True)
    assert [row["name"] for row in rows[:4]] == [f"small: {s}" for s in ("read", "count", "graph", "match")]
    assert all(row["error"] == "" and row["found"] > 0 for row in rows)
    assert "small: blocks" in capsys.readouterr().out
    turns = [[{"seconds": 1.0, "found": 3}, {"seconds": 2.0, "found": 4}]]
    assert against.row("small", 9, turns).error == "RESULTS DIFFER: [3, 4]"


@pytest.mark.parametrize("family", [*SPARSE, *DENSE], ids=lambda family: family.name)
def test_solvers_agree_on_every_family_of_costs(family):
    matrix = family.make(30)
    assert isinstance(matrix, np.ndarray) or matrix.nnz > 30
    times = in_turns(solvers_for(family, matrix), 1.0, family.name)
    assert all(seconds is not None and seconds >= 0 for seconds in times.values())


def test_a_solver_that_does_not_end_is_stopped():
    times = in_turns({"ours": lambda: 2.0, "endless": lambda: float(sum(repeat(1)))}, 0.1, "none")
    assert times["ours"] is not None
    assert times["endless"] is None
