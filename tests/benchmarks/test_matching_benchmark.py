"""The benchmark of the matchers: what it writes it reads, and its comparison with the best code known."""

import itertools
import multiprocessing

import pytest

from benchmarks.builds import this_python
from benchmarks.matching import asked
from benchmarks.matching.__main__ import instances, parse_arguments
from benchmarks.matching.asked import ASKED
from benchmarks.matching.best_known import BEST_KNOWN, compare
from benchmarks.matching.families import FAMILIES, uniform
from benchmarks.matching.report import Result, read_csv, write_csv
from benchmarks.matching.solvers import Solver, Timing, timed
from benchmarks.timing import best_seconds, median_seconds, within


def result(name, auto, scipy):
    return Result(name, (5, 7), 11, 1e-5, {"auto": auto, "scipy": scipy, "networkx": Timing()})


def test_results_are_read_as_they_were_written(tmp_path):
    results = [
        result("road 490000", Timing(5, 0.02), Timing(5, 0.5)),
        result("hilo 100000", Timing(5, 0.01), Timing(None, 10.0)),
    ]
    write_csv(tmp_path / "a.csv", results[:1])
    write_csv(tmp_path / "b.csv", results[1:])
    assert read_csv([tmp_path / "a.csv", tmp_path / "b.csv"]) == results


def test_speed_ups_over_scipy_are_compared():
    road, path, hilo = compare(
        [
            result("road 490000", Timing(5, 0.02), Timing(5, 0.58)),
            result("path 100000", Timing(5, 0.02), Timing(None, 6.9)),
            result("hilo 100000", Timing(5, 0.015), Timing(None, 10.0)),
            result("a matrix of which nothing is known", Timing(5, 0.01), Timing(5, 0.01)),
        ]
    )
    assert road.times == pytest.approx(1.0)
    assert not road.is_bound
    assert path.times == pytest.approx(2.0)
    assert path.is_bound  # scipy took longer, so the speed-up is greater and this smaller
    assert hilo.times == pytest.approx(0.5)


def test_every_family_that_is_compared_is_measured():
    names = {f"{family.name} {size}" for family in FAMILIES for size in family.sizes}
    assert {name for name in BEST_KNOWN if not name.startswith("text")} <= names


def test_asked_factors_are_put_beside_those_reached(capsys, monkeypatch):
    small = [asked.Asked(factor, "random degree 5", 200, "shuffled", True) for factor in (1e-9, 1e9)]
    monkeypatch.setattr(asked, "ASKED", [*small, asked.Asked(1e-9, "torus", 50)])
    assert asked.compare_with_asked(this_python(), this_python(), None) == 1
    _, fast, behind, torus, summary = capsys.readouterr().out.splitlines()
    assert fast.startswith("random degree 5 200, shuffled ^T")
    assert torus.startswith("torus 50 ")
    assert [line.endswith("behind") for line in (fast, behind, torus)] == [False, True, False]
    assert summary == "1 behind by more than 1.3 times"
    assert {line.family for line in ASKED} <= {family.name for family in FAMILIES}


@pytest.mark.parametrize(
    ("most", "budget", "best", "n_runs"), [(3, 100, 1, 3), (3, 3, 3, 1), (3, 3.5, 1, 2), (2, 0, 3, 1)]
)
def test_runs_are_repeated_within_their_budget(most, budget, best, n_runs):
    ticks = itertools.accumulate([0.0, 3.0, 0.0, 1.0, 0.0, 2.0])
    runs = itertools.count(1)
    assert best_seconds(lambda: next(runs), most, budget, ticks.__next__) == (best, n_runs)


def test_rows_and_columns_are_left_out(monkeypatch):
    monkeypatch.setattr("sys.argv", ["matching", "--left-out", "30", "--size", "100", "--only", "path"])
    rows, columns = instances(parse_arguments())
    assert [rows.name, columns.name] == ["path 100, 70 % of rows", "path 100, 70 % of columns"]
    assert [rows.graph.shape, columns.graph.shape] == [(70, 100), (100, 70)]
    assert rows.graph.nnz > 0


@pytest.mark.parametrize("wrong", ["0", "100", "-3", "half"])
def test_not_all_is_left_out(wrong, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["matching", f"--left-out={wrong}"])
    with pytest.raises(SystemExit):
        parse_arguments()
    assert "is not a whole number from 1 to 99" in capsys.readouterr().err


def test_the_median_is_of_all_runs():
    calls = []
    assert median_seconds(lambda: calls.append(1), 3) >= 0
    assert len(calls) == 3


forks = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="the system has no fork"
)


@forks
def test_a_process_is_ended_at_its_limit():
    assert within(5.0, lambda: lambda: (1, "done")) == (1, "done")
    assert within(0.1, lambda: lambda: next(i for i in itertools.count() if i < 0)) is None


@forks
@pytest.mark.parametrize(
    ("solve", "size"), [(lambda: 7, 7), (lambda: sum(1 for _ in itertools.count()), None)]
)
def test_a_solver_is_timed_or_passes_its_limit(solve, size):
    timing = timed(Solver("some", "scipy", lambda graph: solve), uniform(5, 5, 2), 0.2)
    assert timing.size == size
    assert timing.seconds == 0.2 if size is None else timing.seconds < 0.2
    assert timed(Solver("some", "scipy", lambda graph: solve, 9), uniform(5, 5, 2), 0.2) == Timing()
