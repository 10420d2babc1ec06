"""The competition's files."""

import math

import numpy as np
import pytest
from hankelmatch.interop.spice import (
    read_spice_rankings,
    read_spice_targets,
    read_spice_test,
    write_spice_rankings,
)
from hypothesis import given
from hypothesis import strategies as st


@given(st.lists(st.lists(st.integers(-1, 30), min_size=1, max_size=5, unique=True)))
def test_rankings_come_back(tmp_path_factory, rankings):
    path = tmp_path_factory.mktemp("rankings") / "4.spice.ranking"
    write_spice_rankings(path, rankings)
    assert read_spice_rankings(path) == rankings
    write_spice_rankings(path, [np.array(ranking) for ranking in rankings])
    assert read_spice_rankings(path) == rankings


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        ([[1], []], "number 1 has 0 symbols; give 1 to 5"),
        ([[1, 2, 3, 4, 5, 6]], "number 0 has 6 symbols"),
        ([[1, 2, 1]], "number 0 has a symbol twice"),
        ([[1], [2], [-2]], "-2 in number 2; symbols are whole numbers from -1"),
        ([["a"]], "'a' in number 0"),
        ([[True]], "True in number 0"),
        ([[1.0]], "1.0 in number 0"),
    ],
)
def test_wrong_rankings_are_refused_and_nothing_is_written(tmp_path, rankings, message):
    path = tmp_path / "4.spice.ranking"
    write_spice_rankings(path, [[3]])
    with pytest.raises(ValueError, match=f"rankings: .*{message}"):
        write_spice_rankings(path, rankings)
    assert path.read_text() == "3\n"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_damaged_rankings_are_named(tmp_path):
    path = tmp_path / "4.spice.ranking"
    path.write_text("1 2\n3 x\n")
    with pytest.raises(ValueError, match=r"4\.spice\.ranking:2: expected symbols as whole numbers"):
        read_spice_rankings(path)


def test_test_files_belong_together(tmp_path):
    prefixes, targets = tmp_path / "prefix", tmp_path / "target"
    prefixes.write_text("2 3\n2 0 2\n0 \n")
    targets.write_text("1.0 -1 1.0\n0.7 1 0.75\n")
    with pytest.raises(ValueError, match=r"target:2: denominator 0\.7 is not the best"):
        read_spice_test(prefixes, targets)
    targets.write_text("1.0 -1 1.0\n")
    with pytest.raises(ValueError, match="1 lines for 2 prefixes"):
        read_spice_test(prefixes, targets)


def test_an_empty_file_of_targets_is_refused(tmp_path):
    path = tmp_path / "target"
    path.write_text("")
    with pytest.raises(ValueError, match="target: the file is empty; give a file with a line for"):
        read_spice_targets(path)
    assert read_spice_targets(path, 0) == []


@pytest.mark.parametrize("part", ["public", "private"])
@pytest.mark.parametrize("problem", [4, 5, 8, 11, 13])
def test_real_files(data_dir, problem, part):
    folder = data_dir / "spice"
    test = read_spice_test(
        folder / f"prefixes/{problem}.spice.prefix.{part}", folder / f"targets/{problem}.spice.target.{part}"
    )
    assert len(test.prefixes) == len(test.targets) > 700
    assert test.prefixes.alphabet.end_symbol is None
    assert all(math.isclose(sum(target.values()), 1.0) for target in test.targets)


def test_rankings_that_are_no_lists_are_refused(tmp_path):
    for rankings, name in ((5, "rankings"), ([5], r"rankings\[0\]"), ([[1], 7], r"rankings\[1\]")):
        with pytest.raises(TypeError, match=f"^{name}: a list of"):
            write_spice_rankings(tmp_path / "r", rankings)
    assert not (tmp_path / "r").exists()
