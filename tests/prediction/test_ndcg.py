"""Normalised discounted cumulative gain and the reader of SPiCe's target files."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hankelmatch.interop.spice import read_spice_targets
from hankelmatch.prediction.ndcg import ndcg
from hypothesis import given
from hypothesis import strategies as st

PROBLEMS = [("0", "public", 1000)] + [
    (problem, part, n)
    for problem, sizes in {
        "4": (748, 748),
        "5": (4207, 4207),
        "8": (1738, 1738),
        "11": (4049, 4048),
        "13": (3318, 3319),
    }.items()
    for part, n in zip(("public", "private"), sizes, strict=True)
]


def test_by_hand():
    target = {"a": 0.5, "b": 0.3, "c": 0.2}
    best = 0.5 + 0.3 / math.log2(3) + 0.2 / 2
    assert ndcg([["a", "b", "c"]], [target]) == pytest.approx(1.0)
    assert ndcg([["c", "a"]], [target]) == pytest.approx((0.2 + 0.5 / math.log2(3)) / best)
    assert ndcg([["x", "c"]], [target]) == pytest.approx(0.2 / math.log2(3) / best)
    assert ndcg([[]], [target]) == 0.0


def test_repeated_label_scores_nothing_and_uses_its_rank_up():
    target = {1: 0.6, 2: 0.4}
    best = 0.6 + 0.4 / math.log2(3)
    assert ndcg([[1, 1, 2]], [target]) == pytest.approx((0.6 + 0.4 / 2) / best)


def test_only_k_ranks_count():
    target = dict.fromkeys(range(8), 1 / 8)
    assert ndcg([list(range(8))], [target], k=3) == pytest.approx(1.0)
    assert ndcg([[9, 9, 9, 0]], [target], k=3) == 0.0


def test_end_of_sequence_is_a_label():
    assert ndcg([[-1], [3, -1]], [{-1: 1.0}, {-1: 1.0}]) == pytest.approx((1 + 1 / math.log2(3)) / 2)


def test_per_prefix():
    scores = ndcg([["a"], ["b"]], [{"a": 1.0}, {"a": 1.0}], per_prefix=True)
    np.testing.assert_array_equal(scores, [1.0, 0.0])


@given(st.dictionaries(st.integers(-1, 9), st.floats(0.01, 1.0), min_size=1), st.permutations(range(-1, 10)))
def test_between_zero_and_one_and_best_by_probability(target, ranking):
    assert 0.0 <= ndcg([ranking], [target]) <= 1.0 + 1e-12
    assert ndcg([sorted(target, key=target.__getitem__, reverse=True)], [target]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("rankings", "targets", "k", "message"),
    [
        ([["a"]], [], 5, "one for every target"),
        ([], [], 5, "at least one prefix"),
        ([["a"]], [{"a": 1.0}], 0, "k: a whole number from 1 is needed, not 0"),
        ([["a"]], [{"a": 1.0}], 2.5, "k: a whole number from 1 is needed, not 2.5"),
        ([["a"], ["a"]], [{"a": 1.0}, {"a": 0.0}], 5, "prefix 1 has no label"),
        ([["a"]], [{"a": -1.0}], 5, "no finite number from 0"),
        ([["a"]], [{"a": "x"}], 5, "no finite number from 0"),
        ([["a"]], [{"a": math.nan}], 5, "no finite number from 0"),
    ],
)
def test_errors(rankings, targets, k, message):
    with pytest.raises(ValueError, match=message):
        ndcg(rankings, targets, k)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.0 3 1.0\n1.0 3\n", r":2: expected 'denominator"),
        ("1.0 3 1.0\n\n", r":2: expected 'denominator"),
        ("1.0 x 1.0\n", r":1: expected whole symbols"),
        ("1.0 3 0.5 3 0.5\n", r":1: a symbol occurs twice"),
        ("1.0 3 1.5\n", r":1: a probability is outside"),
        ("1.0 3 nan\n", r":1: a probability is outside"),
        ("0.9 3 1.0\n", r":1: denominator 0.9 is not"),
        ("1.0 \xe9 1.0\n", r":1: expected whole symbols"),
    ],
)
def test_malformed_target_files_name_the_line(tmp_path, text, message):
    path = tmp_path / "targets"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_spice_targets(path)


def test_too_few_target_lines(tmp_path):
    path = tmp_path / "targets"
    path.write_text("1.0 3 1.0\n")
    with pytest.raises(ValueError, match="1 lines for 2 prefixes"):
        read_spice_targets(path, 2)
    assert read_spice_targets(path, 0) == []
    for n_prefixes in (-1, 0.5):
        with pytest.raises(
            ValueError, match=f"n_prefixes: a whole number from 0 is needed, not {n_prefixes}"
        ):
            read_spice_targets(path, n_prefixes)


@pytest.mark.parametrize(("problem", "part", "n"), PROBLEMS)
def test_real_target_files(data_dir, problem, part, n):
    """The reader checks that every first number is the best gain at 5, so the best ranking scores 1."""
    targets = read_spice_targets(data_dir / "spice" / "targets" / f"{problem}.spice.target.{part}", n)
    assert len(targets) == n
    best = [sorted(target, key=target.__getitem__, reverse=True) for target in targets]
    assert ndcg(best, targets) == pytest.approx(1.0)
