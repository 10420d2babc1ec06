"""Recovery of automata from Hankel blocks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hankelmatch.automata.automaton import WeightedAutomaton
from hankelmatch.automata.recovery import learn_automaton
from hankelmatch.automata.svd import truncated_svd
from hankelmatch.counting.sequence_function import SequenceFunction
from hankelmatch.hankel.basis import Basis, length_basis
from hankelmatch.hankel.blocks import hankel_blocks
from hankelmatch.sequences.alphabet import Alphabet

from .. import reference
from .examples import sparse_blocks

FIGURE_1 = {(), tuple("aab"), tuple("b"), tuple("bb"), tuple("c"), tuple("ca"), tuple("cb")}


def values_at_length(wa: WeightedAutomaton, length: int) -> np.ndarray:
    """Values of all strings of a length: states after every first half times weights of every second half."""
    states, weights = wa.initial[None], wa.final[:, None]
    for _ in range(length // 2):
        states = np.concatenate([states @ A for A in wa.transitions])
    for _ in range(length - length // 2):
        weights = np.concatenate([A @ weights for A in wa.transitions], axis=1)
    return states @ weights


def learn_exactly(wa: WeightedAutomaton, length: int, **options) -> WeightedAutomaton:
    """Learn from the exact values on all prefixes and suffixes up to a length."""
    basis = reference.all_strings(wa.alphabet.labels, length)
    blocks = reference.blocks_by_hand(wa, basis, basis, wa.alphabet)
    return learn_automaton(blocks, **options)


@pytest.mark.parametrize(
    ("n_states", "n_symbols", "length"),
    [(1, 2, 1), (2, 2, 2), (5, 2, 4), (8, 2, 4), (3, 3, 2), (8, 3, 3), (6, 4, 2), (8, 5, 2)],
)
@pytest.mark.parametrize("method", ["dense", "lanczos", "randomized"])
def test_exact_statistics_give_the_target_back(n_states, n_symbols, length, method):
    target = reference.random_automaton(n_states, n_symbols, seed=n_states)
    learned = learn_exactly(target, length, n_states=n_states, method=method)
    assert learned.n_states == n_states
    assert learned.alphabet == target.alphabet
    for t in range(11):
        assert np.abs(values_at_length(learned, t) - values_at_length(target, t)).max() <= 1e-8


@pytest.mark.parametrize(("n_states", "n_symbols", "length"), [(3, 2, 2), (5, 3, 2), (8, 2, 4), (8, 5, 2)])
def test_exact_from_every_complete_basis(n_states, n_symbols, length):
    """All strings up to a length, or as many of them as there are states, drawn at random; f as a whole."""
    target = reference.random_automaton(n_states, n_symbols, seed=n_symbols)
    strings = reference.all_strings(target.alphabet.labels, 2 * length + 1)
    f = SequenceFunction.from_strings(strings, target.values_of(strings), target.alphabet)
    short = reference.all_strings(target.alphabet.labels, length)
    rng = np.random.default_rng(0)
    drawn = [[short[i] for i in rng.choice(len(short), n_states, replace=False)] for _ in range(2)]
    for basis in (length_basis(f, length), Basis(*drawn)):
        learned = learn_automaton(hankel_blocks(f, basis))
        assert learned.n_states == n_states
        for t in range(11):
            assert np.abs(values_at_length(learned, t) - values_at_length(target, t)).max() <= 1e-8


def test_figure_1():
    basis = [
        [(), ("a",), ("a", "a"), ("a", "a", "b"), ("c",)],
        [(), ("b",), ("a", "b"), ("a", "a", "b"), ("a",)],
    ]
    blocks = reference.blocks_by_hand(lambda x: float(x in FIGURE_1), *basis, Alphabet("abc"))
    learned = learn_automaton(blocks)
    assert learned.n_states == 5
    for x in FIGURE_1:
        assert learned(x) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("n", [1, 3, 10])
def test_truncating_equals_learning_with_fewer_states(n):
    blocks = sparse_blocks()
    svd = truncated_svd(blocks.H)
    large = learn_automaton(blocks, svd=svd)
    small = large.truncate(n)
    assert small.n_states == n
    for a in range(large.n_symbols):
        np.testing.assert_array_equal(small.transitions[a].shape, (n, n))
        np.testing.assert_allclose(small.transitions[a], large.transitions[a][:n, :n], atol=1e-10)
    learned = learn_automaton(blocks, n, svd=svd)
    strings = reference.all_strings(range(4), 4)
    np.testing.assert_allclose(small.values_of(strings), learned.values_of(strings), atol=1e-8)


@pytest.mark.parametrize("shrinkage", [0.0, 0.01, 3, np.float32(0.5)])
def test_shrinkage_is_ridge_regression_in_the_balanced_factorisation(shrinkage):
    blocks = sparse_blocks()
    svd = truncated_svd(blocks.H)
    root = np.sqrt(svd.singular_values)
    F, B = svd.U * root, svd.V * root
    solve = np.linalg.solve(F.T @ F + float(shrinkage) * np.eye(len(root)), F.T)
    right_inverse = B @ np.linalg.inv(B.T @ B)
    ridge = WeightedAutomaton(
        blocks.h_suffix @ right_inverse,
        solve @ blocks.h_prefix,
        [solve @ matrix.toarray() @ right_inverse for matrix in blocks.H_sigma],
        blocks.alphabet,
    )
    wa = learn_automaton(blocks, svd=svd, shrinkage=shrinkage)
    strings = reference.all_strings(range(4), 4)
    np.testing.assert_allclose(wa.values_of(strings), ridge.values_of(strings), rtol=1e-6, atol=1e-9)
    smaller = learn_automaton(blocks, 5, svd=svd, shrinkage=shrinkage)
    np.testing.assert_allclose(wa.truncate(5).values_of(strings), smaller.values_of(strings), atol=1e-9)


@pytest.mark.parametrize("dtype", [int, complex, np.float16, np.longdouble, "nonsense"])
def test_automata_are_learned_in_float32_or_float64_alone(dtype):
    with pytest.raises(ValueError, match=r"dtype: .* given; float32 or float64 can be used"):
        learn_automaton(sparse_blocks(), 2, dtype=dtype)


def test_learning_what_float32_cannot_hold_is_refused():
    f = SequenceFunction.from_dict({"": 1e-60, "a": 1.0, "aa": 1e60})
    with pytest.raises(ValueError, match="an entry is NaN or infinite in float32"):
        learn_automaton(hankel_blocks(f, length_basis(f, 0)), dtype=np.float32)


def test_what_nothing_can_be_learned_from_is_refused():
    with pytest.raises(ValueError, match="svd: of a"):
        learn_automaton(sparse_blocks(), svd=truncated_svd(np.eye(2)))
    f = SequenceFunction.from_dict({"ab": 1.0})
    with pytest.raises(ValueError, match="blocks: H is zero; give a basis"):
        learn_automaton(hankel_blocks(f, Basis(["zz"], ["yy"])))
    blocks = hankel_blocks(f, Basis([""], [""]))
    with pytest.raises(ValueError, match="method: 'dense' given beside an SVD"):
        learn_automaton(blocks, svd=truncated_svd(blocks.H), method="dense")
    for shrinkage in (-1.0, math.nan, math.inf, "auto", None, 10**400, np.longdouble("1e400")):
        with pytest.raises(ValueError, match="shrinkage: a finite number from 0 is needed, not "):
            learn_automaton(sparse_blocks(), shrinkage=shrinkage)
    with pytest.raises(TypeError, match="svd: what truncated_svd"):
        learn_automaton(sparse_blocks(), svd=(np.eye(2), np.ones(2), np.eye(2)))
