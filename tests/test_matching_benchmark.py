"""The benchmark of the matchers: what it writes it reads, and its comparison with the best code known."""

import pytest

from benchmarks.matching.best_known import BEST_KNOWN, compare
from benchmarks.matching.families import FAMILIES
from benchmarks.matching.report import Result, read_csv, write_csv
from benchmarks.matching.solvers import Timing


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
