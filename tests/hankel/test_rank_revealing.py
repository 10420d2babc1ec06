"""Complete and minimal bases: exact for automata, and honest about ranks."""

import math

import numpy as np
import pytest
from hankelmatch import (
    Basis,
    SequenceFunction,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    substring_expectations,
)
from hankelmatch.hankel.rank_revealing import complete_basis, reduce_basis
from hankelmatch.sequences.alphabet import Alphabet

from tests.reference import all_strings, random_automaton

FIGURE_1 = SequenceFunction.from_dict(dict.fromkeys(["", "aab", "b", "bb", "c", "ca", "cb"], 1.0))


def probabilistic_automaton(n_states, n_symbols, seed):
    """Transitions and stopping are probabilities: nearly dependent rows."""
    rng = np.random.default_rng(seed)
    transitions = rng.random((n_symbols, n_states, n_states))
    final = rng.random(n_states) / 2
    total = transitions.sum(axis=(0, 2)) + final
    return WeightedAutomaton(
        rng.dirichlet(np.ones(n_states)),
        final / total,
        transitions / total[:, None],
        Alphabet("abcde"[:n_symbols]),
    )


def length_needed(n_states, n_symbols):
    """The least odd length whose prefixes and suffixes, each up to its half, outnumber the states."""
    half = 0
    while sum(n_symbols**k for k in range(half + 1)) < n_states + 2:
        half += 1
    return 2 * half + 1


@pytest.mark.parametrize("batch", range(20))
@pytest.mark.parametrize("make", [random_automaton, probabilistic_automaton])
def test_automata_come_back_with_a_basis_of_their_own_size(make, batch):
    for seed in range(5 * batch, 5 * batch + 5):
        n_states, n_symbols = 2 + seed % 19, 2 + seed // 19 % 4
        target = make(n_states, n_symbols, seed)
        strings = all_strings(target.alphabet.labels, length_needed(n_states, n_symbols))
        values = target.values_of(strings)
        f = SequenceFunction.from_strings(strings, values, target.alphabet)
        start = Basis([()], [()]) if seed % 2 else matching_basis(f)
        basis = reduce_basis(f, complete_basis(f, start))
        assert basis.shape == (n_states, n_states)
        learned = learn_automaton(hankel_blocks(f, basis))
        assert np.abs(learned.values_of(strings) - values).max() <= 1e-8 * np.abs(values).max()


def test_steps_show_the_ranks():
    target = random_automaton(3, 2, 0)
    strings = all_strings("ab", 7)
    f = SequenceFunction.from_strings(strings, target.values_of(strings), target.alphabet)
    complete = complete_basis(f, Basis([()], [()]))
    first, last = complete.steps[0], complete.steps[-1]
    assert (first.n_prefixes, first.n_suffixes, first.structural_rank, first.numeric_rank) == (1, 1, 1, 1)
    assert first.residual > 1e-3
    assert last.residual < 1e-12
    assert last.numeric_rank == complete.numeric_rank == 3
    assert last.gap == last.structural_rank - 3
    reduced = reduce_basis(f, complete)
    assert [step.numeric_rank for step in reduced.steps] == [3, 3]
    assert reduced.steps[-1].gap == 0


def test_a_function_that_is_zero_elsewhere_has_a_finite_rank():
    complete = complete_basis(FIGURE_1, Basis([""], [""]), known_length=math.inf)
    whole = hankel_blocks(FIGURE_1, matching_basis(FIGURE_1)).H.toarray()
    assert complete.numeric_rank == np.linalg.matrix_rank(whole) == 5
    reduced = reduce_basis(FIGURE_1, complete)
    assert reduced.shape == (5, 5)


def test_completing_keeps_what_is_given_and_is_the_same_every_time():
    target = random_automaton(4, 2, 1)
    strings = all_strings("ab", 7)
    f = SequenceFunction.from_strings(strings, target.values_of(strings), target.alphabet)
    start = Basis(["ab", "b"], ["a", "bb"])
    complete = complete_basis(f, start)
    assert list(complete.prefixes)[:2] == [("a", "b"), ("b",)]
    assert list(complete.suffixes)[:2] == [("a",), ("b", "b")]
    assert complete_basis(f, start) == complete


def test_prefixes_too_long_to_be_known_are_left_out():
    f = SequenceFunction.from_dict({"a" * n: 0.5**n for n in range(6)})
    complete = complete_basis(f, Basis(["aaaa", ""], [""]))
    assert list(complete.prefixes) == [()]


def test_an_empty_basis_and_a_constant():
    f = SequenceFunction.from_dict({"": 2.0})
    complete = complete_basis(f, Basis([], []))
    assert complete.shape == (1, 1)
    assert reduce_basis(f, Basis(["a"], ["a"])).shape == (0, 0)


def test_reducing_a_matched_block_keeps_its_rank():
    f = substring_expectations(["abracadabra", "abba", "cadaver", "bravado"], 4)
    basis = matching_basis(f)
    reduced = reduce_basis(f, basis)
    rank = np.linalg.matrix_rank(hankel_blocks(f, basis).H.toarray())
    assert reduced.shape == (rank, rank)
    assert np.linalg.matrix_rank(hankel_blocks(f, reduced).H.toarray()) == rank


@pytest.mark.parametrize("tol", [-1e-9, 1.0, float("nan")])
def test_tolerances_out_of_range_are_refused(tol):
    for function in (reduce_basis, complete_basis):
        with pytest.raises(ValueError, match="tol"):
            function(FIGURE_1, Basis([""], [""]), tol)


def test_lengths_below_zero_are_refused():
    with pytest.raises(ValueError, match="known_length"):
        complete_basis(FIGURE_1, Basis([""], [""]), known_length=-1)


@pytest.mark.parametrize("scale", [1e-290, 1e-170, 1e170, 1e290])
def test_the_scale_of_the_function_changes_nothing(scale):
    f = substring_expectations(["abab", "abba", "bbab", "aabbabbaba"], 5)
    other = SequenceFunction.from_strings(f.strings(), f.values() * scale)
    basis = Basis([""], [""])
    assert complete_basis(other, basis).shape == complete_basis(f, basis).shape
    basis = matching_basis(f)
    assert reduce_basis(other, basis).shape == reduce_basis(f, basis).shape


def test_values_that_vanish_beside_others_do_no_harm():
    f = {"": 1e-320, "a": 1e-320, "b": 1.0, "ab": 1.0}
    complete = complete_basis(f, ([""], [""]), known_length=float("inf"))
    assert complete.numeric_rank == 3
