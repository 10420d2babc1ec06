"""String, prefix and substring automata into one another, and automata as small as can be."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    WeightedAutomaton,
    convert_automaton,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    minimal_automaton,
    prefix_probabilities,
    spectral_radius,
    string_probabilities,
    substring_expectations,
)
from hypothesis import given
from hypothesis import strategies as st

from .. import reference

KINDS = ("string", "prefix", "substring")


def probabilistic(n_states: int, n_symbols: int, seed: int) -> WeightedAutomaton:
    """The probabilities of strings that end with probability above 0.3 after each symbol."""
    rng = np.random.default_rng(seed)
    transitions = rng.random((n_symbols, n_states, n_states))
    final = 0.3 + 0.6 * rng.random(n_states)
    transitions *= ((1 - final) / transitions.sum(axis=(0, 2)))[:, None]
    return WeightedAutomaton(
        rng.dirichlet(np.ones(n_states)), final, transitions, Alphabet("abc"[:n_symbols])
    )


def summed(automaton, x, kind, length=12):
    """By the definition, over all strings up to a length around x."""
    labels = automaton.alphabet.labels
    around = [u for n in range(length + 1) for u in itertools.product(labels, repeat=n)]
    after = automaton.values_of([(*x, *v) for v in around]).sum()
    if kind == "prefix":
        return after
    by_length = [
        automaton.values_of([(*u, *x, *v) for u in around if len(u) == n for v in around if len(v) < 7])
        for n in range(7)
    ]
    return sum(values.sum() for values in by_length)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_sums_are_those_of_the_definition(seed):
    automaton = probabilistic(3, 2, seed)
    for kind in ("prefix", "substring"):
        converted = convert_automaton(automaton, "string", kind)
        for x in ("", "a", "ba"):
            assert converted(x) == pytest.approx(summed(automaton, x, kind), rel=0.1)
            assert converted(x) >= summed(automaton, x, kind)
    assert convert_automaton(automaton, "string", "prefix")("") == pytest.approx(1.0)


@given(st.integers(1, 6), st.integers(1, 3), st.integers(0, 99), st.permutations(KINDS))
def test_every_way_round_ends_where_it_began(n_states, n_symbols, seed, kinds):
    automaton = probabilistic(n_states, n_symbols, seed)
    strings = reference.all_strings("abc"[:n_symbols], 3)
    values = automaton.values_of(strings)
    turned = automaton
    for source, target in itertools.pairwise([*kinds, kinds[0]]):
        turned = convert_automaton(turned, source, target)
    np.testing.assert_allclose(turned.values_of(strings), values, rtol=1e-9, atol=1e-12)
    assert turned.alphabet == automaton.alphabet


@given(st.integers(1, 6), st.integers(0, 99), st.text("ab", max_size=4))
def test_what_goes_on_adds_up(n_states, seed, x):
    """A prefix ends or goes on, and a substring stands at the beginning or behind a symbol."""
    f = probabilistic(n_states, 2, seed)
    prefix, substring = (convert_automaton(f, "string", kind) for kind in ("prefix", "substring"))
    assert prefix(x) == pytest.approx(f(x) + prefix(x + "a") + prefix(x + "b"))
    assert substring(x) == pytest.approx(prefix(x) + substring("a" + x) + substring("b" + x))


def test_what_is_counted_agrees_with_what_is_converted():
    """Of a finite sample all three functions are exact, and so are their automata."""
    corpus = ["abb", "ab", "b", "", "abb", "ba"]
    counted = {
        "string": string_probabilities(corpus),
        "prefix": prefix_probabilities(corpus),
        "substring": substring_expectations(corpus, 10),
    }
    automata = {kind: learn_automaton(hankel_blocks(f, matching_basis(f))) for kind, f in counted.items()}
    for source, target in itertools.permutations(KINDS, 2):
        converted = convert_automaton(automata[source], source, target)
        for x, value in counted[target].items():
            assert converted(x) == pytest.approx(value, abs=1e-8)
        assert converted.n_sequences == 6


def drawn(automaton, rng):
    """A string with the automaton's probabilities."""
    string, state = [], automaton.initial
    while True:
        weights = np.append(
            [(state @ matrix).sum() for matrix in automaton.transitions], state @ automaton.final
        )
        symbol = rng.choice(len(weights), p=weights / weights.sum())
        if symbol == automaton.n_symbols:
            return "".join(string)
        string.append(automaton.alphabet.labels[symbol])
        state = state @ automaton.transitions[symbol]


def test_probabilities_are_found_from_substrings_of_a_sample():
    target = probabilistic(2, 2, 3)
    rng = np.random.default_rng(0)
    f = substring_expectations([drawn(target, rng) for _ in range(4000)], 4)
    learned = learn_automaton(hankel_blocks(f, matching_basis(f)), 2)
    strings = convert_automaton(learned, "substring", "string")
    for x in reference.all_strings("ab", 2):
        assert strings(x) == pytest.approx(target(x), abs=0.02)
    assert convert_automaton(strings, "string", "prefix")("") == pytest.approx(1.0, abs=0.02)


def test_precision_is_kept():
    automaton = probabilistic(3, 2, 0).astype(np.float32)
    converted = convert_automaton(automaton, "string", "substring")
    assert converted.dtype == minimal_automaton(automaton).dtype == np.float32
    assert converted.transitions is automaton.transitions


def test_what_is_known_of_the_sample_is_kept():
    automaton = WeightedAutomaton([1.0], [0.2], {"a": [[0.5]]}, n_sequences=4, max_length=3)
    for other in (minimal_automaton(automaton), convert_automaton(automaton, "string", "prefix")):
        assert (other.n_sequences, other.max_length) == (4, 3)


@pytest.mark.parametrize("weight", [0.5, 0.6])
def test_sums_that_do_not_converge_are_refused(weight):
    growing = WeightedAutomaton([1.0], [1.0], {"a": [[weight]], "b": [[0.5]]})
    assert spectral_radius(growing) == pytest.approx(weight + 0.5)
    for source, target in itertools.product(KINDS, KINDS):
        with pytest.raises(
            ValueError, match=r"automaton: the spectral radius .* is 1(\.1)?; below 1 is needed"
        ):
            convert_automaton(growing, source, target)


def test_a_radius_may_be_complex():
    turning = WeightedAutomaton([1.0, 0.0], [0.0, 1.0], {"a": [[0.0, 0.9], [-0.9, 0.0]]})
    assert spectral_radius(turning) == pytest.approx(0.9)
    assert spectral_radius(WeightedAutomaton([], [], np.zeros((1, 0, 0)))) == 0.0


def test_wrong_arguments_are_named():
    automaton = probabilistic(2, 2, 0)
    with pytest.raises(
        ValueError, match="source: 'strings' is unknown; choose one of string, prefix, substring"
    ):
        convert_automaton(automaton, "strings", "prefix")
    with pytest.raises(ValueError, match="target: None is unknown"):
        convert_automaton(automaton, "string", None)
    for function in (spectral_radius, minimal_automaton, lambda x: convert_automaton(x, "string", "prefix")):
        with pytest.raises(TypeError, match="automaton: a WeightedAutomaton is needed, not int"):
            function(3)
    for tol in (-1.0, 1.0, float("nan")):
        with pytest.raises(ValueError, match="tol: a number from 0 to below 1"):
            minimal_automaton(automaton, tol)


# ------------------------------------------------------------------------------------------ minimal automata


def swollen(automaton: WeightedAutomaton, n_unreached: int, n_useless: int, seed: int) -> WeightedAutomaton:
    """The same function with states that no string leads to, states that lead nowhere, in another basis."""
    rng = np.random.default_rng(seed)
    n, k, m = automaton.n_states, n_unreached, n_useless
    size = n + k + m
    matrices = np.zeros((automaton.n_symbols, size, size))
    for a in range(automaton.n_symbols):
        matrices[a][:n, :n] = automaton.transitions[a]
        matrices[a][n : n + k, : n + k] = (
            rng.standard_normal((k, n + k)) / size
        )  # from the unreached: anywhere
        matrices[a][:, n + k :] = rng.standard_normal((size, m)) / size  # to the useless: from anywhere
        matrices[a][n + k :, : n + k] = 0.0
    initial = np.concatenate([automaton.initial, np.zeros(k), rng.standard_normal(m)])
    final = np.concatenate([automaton.final, rng.standard_normal(k), np.zeros(m)])
    Q = np.linalg.qr(rng.standard_normal((size, size)))[0] if size else np.zeros((0, 0))
    return WeightedAutomaton(initial @ Q, final @ Q, Q.T @ matrices @ Q, automaton.alphabet)


@pytest.mark.slow
@given(st.integers(0, 6), st.integers(1, 3), st.integers(0, 4), st.integers(0, 4), st.integers(0, 99))
def test_states_that_do_not_matter_go(n_states, n_symbols, n_unreached, n_useless, seed):
    target = reference.random_automaton(n_states, n_symbols, seed)
    large = swollen(target, n_unreached, n_useless, seed)
    small = minimal_automaton(large)
    strings = reference.all_strings(target.alphabet.labels, 4)
    np.testing.assert_allclose(small.values_of(strings), target.values_of(strings), atol=1e-9)
    assert small.n_states <= n_states
    if n_symbols > 1:
        assert small.n_states == n_states


@pytest.mark.parametrize("seed", range(5))
def test_as_many_states_as_the_hankel_matrix_has_rank(seed):
    """The sum of two automata, one of them twice: 3 + 2 + 2 states, rank 5."""
    one, two = reference.random_automaton(3, 2, seed), reference.random_automaton(2, 2, seed + 50)
    parts = (one, two, two)
    matrices = np.zeros((2, 7, 7))
    for a in range(2):
        for begin, part in zip((0, 3, 5), parts, strict=True):
            end = begin + part.n_states
            matrices[a][begin:end, begin:end] = part.transitions[a]
    total = WeightedAutomaton(
        np.concatenate([p.initial for p in parts]),
        np.concatenate([p.final for p in parts]),
        matrices,
        one.alphabet,
    )
    strings = reference.all_strings("ab", 3)
    hankel = np.reshape(total.values_of([(*p, *s) for p in strings for s in strings]), (15, 15))
    small = minimal_automaton(total)
    assert small.n_states == np.linalg.matrix_rank(hankel) == 5
    np.testing.assert_allclose(small.values_of(strings), total.values_of(strings), atol=1e-10)
    assert minimal_automaton(small).n_states == 5


def test_the_zero_function_needs_no_state():
    zero = WeightedAutomaton([1.0, 0.0], [0.0, 1.0], {"a": np.eye(2)})
    assert minimal_automaton(zero).n_states == 0
    assert minimal_automaton(zero)("aa") == 0.0
    assert minimal_automaton(WeightedAutomaton([0.0], [1.0], {"a": [[1.0]]})).n_states == 0


def test_symbols_kept_as_factors_are_minimised_alike():
    corpus = [[i, (i * 7) % 40, 3] for i in range(40)]
    f = substring_expectations(corpus, 3)
    automaton = learn_automaton(hankel_blocks(f, matching_basis(f)))
    assert (automaton.transitions.dense_slot < 0).any()
    small = minimal_automaton(automaton)
    strings = list(f.strings())[:200]
    np.testing.assert_allclose(small.values_of(strings), automaton.values_of(strings), atol=1e-9)


@pytest.mark.parametrize(
    ("initial", "final"),
    [
        ([1e200, 0.0], [1e-200, 1.0]),
        ([1e160, 0.0], [1.0, 0.0]),
        ([1e-170, 0.0], [1.0, 0.0]),
        ([1e-300], [1e300]),
    ],
)
def test_minimal_automata_of_weights_whose_squares_over_or_underflow(initial, final):
    matrix = np.array([[0.5, 0.0], [0.1, 0.2]])[: len(initial), : len(initial)]
    automaton = WeightedAutomaton(initial, final, {"a": matrix})
    found = minimal_automaton(automaton)
    for string in ("", "a", "aa", "aaaa"):
        assert found(string) == pytest.approx(automaton(string), rel=1e-12)
    assert found.n_states == 1


def test_a_function_that_cancels_to_zero_has_no_state():
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    automaton = WeightedAutomaton(rotation[0], rotation[1], {"a": np.eye(3) * 0.5})
    assert minimal_automaton(automaton).n_states == 0
