"""Probabilistic automata against brute force over all strings and all paths."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    Basis,
    ProbabilisticAutomaton,
    SequenceFunction,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
    to_openfst_text,
)
from hypothesis import given
from hypothesis import strategies as st

from tests import reference

from .baum_welch_reference import random_parameters

COIN = ProbabilisticAutomaton([1.0], [0.25], {"a": [[0.5]], "b": [[0.25]]})


def random_automaton(n_states, n_symbols, seed, ending=0.0):
    parameters = random_parameters(n_states, n_symbols, np.random.default_rng(seed), ending=ending)
    return ProbabilisticAutomaton(*parameters, Alphabet("abcd"[:n_symbols]))


def path_probabilities(automaton, string):
    """The probability of a string with every path of states."""
    ids = [automaton.alphabet.id(x) for x in string]
    for path in itertools.product(range(automaton.n_states), repeat=len(ids) + 1):
        steps = zip(ids, path, path[1:], strict=False)
        value = automaton.initial[path[0]] * automaton.final[path[-1]]
        yield path, value * math.prod(automaton.transitions[a, i, j] for a, i, j in steps)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 9999), st.text("abc", max_size=4))
def test_a_string_has_the_probability_of_its_paths(n_states, n_symbols, seed, string):
    automaton = random_automaton(n_states, n_symbols, seed)
    if not set(string) <= set(automaton.alphabet.labels):
        assert automaton.log_probability([string])[0] == -np.inf
        return
    paths = dict(path_probabilities(automaton, string))
    total = sum(paths.values())
    assert automaton(string) == pytest.approx(total, rel=1e-12)
    assert automaton.to_weighted()(string) == pytest.approx(total, rel=1e-12)
    states, log_probability = automaton.most_likely_states(string)
    assert math.exp(log_probability) == pytest.approx(max(paths.values()), rel=1e-12)
    assert paths[tuple(states.tolist())] == pytest.approx(max(paths.values()), rel=1e-12)


@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 9999))
def test_sums_over_all_strings_up_to_a_length(n_states, n_symbols, seed):
    """They fall short of 1, and of the probability of a prefix, by what longer strings have."""
    automaton = random_automaton(n_states, n_symbols, seed, ending=0.5)
    longest = 6
    strings = reference.all_strings(automaton.alphabet.labels, longest)
    probabilities = np.exp(automaton.log_probability(strings))
    rest = 0.5 ** (longest + 1)  # every state ends with 1/2 at least
    assert automaton.total_mass() == pytest.approx(1, abs=1e-12)
    assert 1 - rest <= probabilities.sum() <= 1 + 1e-12
    prefix = ("a", automaton.alphabet.labels[-1])
    begun = sum(p for p, x in zip(probabilities, strings, strict=True) if x[:2] == prefix)
    found = math.exp(automaton.prefix_log_probability([prefix])[0])
    assert found - rest <= begun <= found + 1e-12
    assert math.exp(automaton.prefix_log_probability([""])[0]) == pytest.approx(1)
    following = automaton.next_symbol_probabilities([prefix[:1]])[0]
    assert following.sum() == pytest.approx(1)
    first = math.exp(automaton.prefix_log_probability([prefix[:1]])[0])
    assert following[-2] == pytest.approx(found / first)
    assert following[-1] == pytest.approx(automaton(prefix[:1]) / first)
    lengths = np.array([len(x) for x in strings])
    assert probabilities @ lengths == pytest.approx(automaton.expected_length(), abs=rest * 20)


@pytest.mark.parametrize("seed", range(200))
def test_learned_from_exact_statistics_by_the_spectral_road(seed):
    """The probabilities of strings, factorised and recovered, are those of the automaton that made them."""
    rng = np.random.default_rng(seed)
    n_states = int(rng.integers(1, 6))
    automaton = random_automaton(n_states, 2, seed, ending=0.1)
    sides = reference.all_strings("ab", 3)
    strings = reference.all_strings("ab", 7)
    values = dict(zip(strings, np.exp(automaton.log_probability(strings)).tolist(), strict=True))
    blocks = hankel_blocks(SequenceFunction.from_dict(values), Basis(sides, sides))
    singular_values = np.linalg.svd(blocks.H.toarray(), compute_uv=False)
    n_learned = int(np.count_nonzero(singular_values > 1e-9 * singular_values[0]))
    learned = learn_automaton(blocks, n_learned)
    probabilities = [values[x] for x in strings]
    np.testing.assert_allclose(learned.values_of(strings), probabilities, rtol=0, atol=1e-8)
    longer = reference.all_strings("ab", 9)[len(strings) :]
    np.testing.assert_allclose(
        learned.values_of(longer), np.exp(automaton.log_probability(longer)), atol=1e-8
    )


def test_long_strings_do_not_underflow():
    string = "ab" * 5000
    expected = 5000 * math.log(0.5 * 0.25) + math.log(0.25)
    assert COIN.log_probability([string, "a"])[0] == pytest.approx(expected)
    assert COIN.prefix_log_probability([string])[0] == pytest.approx(expected - math.log(0.25))


def test_symbols_outside_the_alphabet():
    np.testing.assert_array_equal(COIN.log_probability(["ax", "a", "xa"]) == -np.inf, [True, False, True])
    prefixes = COIN.prefix_log_probability(["ax", "", "ab"])
    assert prefixes[0] == -np.inf
    np.testing.assert_allclose(prefixes[1:], [0.0, math.log(0.125)])
    assert COIN("axa") == 0.0
    assert len(COIN.log_probability([])) == 0
    with pytest.raises(ValueError, match="string: it has a symbol outside the alphabet"):
        COIN.most_likely_states("x")
    with pytest.raises(TypeError, match="sequences: this is a single string"):
        COIN.log_probability("ab")


def test_samples_have_the_automaton_s_frequencies():
    automaton = random_automaton(3, 2, 5, ending=0.3)
    drawn = automaton.sample(20_000, seed=1)
    assert drawn == automaton.sample(20_000, seed=1)
    assert drawn.lengths.mean() == pytest.approx(automaton.expected_length(), rel=0.05)
    strings = list(drawn)
    for string in reference.all_strings("ab", 2):
        p = automaton(string)
        assert strings.count(string) / 20_000 == pytest.approx(p, abs=5 * math.sqrt(p / 20_000) + 1e-9)
    estimated = automaton.entropy(20_000, seed=2)
    assert -automaton.score(drawn) == pytest.approx(estimated.nats, abs=6 * estimated.standard_error)
    assert automaton.perplexity(drawn) == pytest.approx(math.exp(-automaton.score(drawn)))
    assert automaton.perplexity(["ab" * 2000]) == math.inf  # e^900 is beyond float64


def test_the_likeliest_path_of_a_long_string_needs_little_memory():
    automaton = random_automaton(60, 2, 0)
    tracemalloc.start()
    states, _ = automaton.most_likely_states("ab" * 2000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(states) == 4001
    assert peak < 4000 * 60 * 60 * 8 / 4  # a quarter of a matrix for each symbol


def test_the_entropy_of_a_deterministic_automaton_is_exact():
    # Lengths are geometric: the entropy of a geometric distribution, and one coin for each symbol.
    nats, error = COIN.entropy()
    local = -sum(p * math.log(p) for p in (0.5, 0.25, 0.25))
    assert (nats, error) == (pytest.approx(4 * local), 0.0)


def test_strings_that_never_end_have_no_mass():
    automaton = ProbabilisticAutomaton([0.5, 0.5], [0.0, 0.5], {"a": [[1.0, 0.0], [0.0, 0.5]]})
    assert automaton.total_mass() == pytest.approx(0.5)
    assert automaton.expected_length() == math.inf


def test_a_mixture_is_an_automaton():
    other = random_automaton(2, 2, 3)
    mixture = ProbabilisticAutomaton.mixture([COIN, other], [1, 3])
    assert mixture.n_states == 3
    assert mixture("ab") == pytest.approx(0.25 * COIN("ab") + 0.75 * other("ab"))
    with pytest.raises(ValueError, match="automata: there is none"):
        ProbabilisticAutomaton.mixture([])
    with pytest.raises(ValueError, match="automata: their alphabets differ"):
        ProbabilisticAutomaton.mixture([COIN, random_automaton(1, 3, 0)])
    with pytest.raises(ValueError, match="weights: 2 numbers from 0"):
        ProbabilisticAutomaton.mixture([COIN, other], [1, -1])


def test_to_and_from_weighted_automata_and_files(tmp_path):
    automaton = random_automaton(3, 2, 8)
    again = ProbabilisticAutomaton.from_weighted(automaton.to_weighted())
    automaton.save(tmp_path / "x.npz")
    loaded = ProbabilisticAutomaton.load(tmp_path / "x.npz")
    for other in (again, loaded):
        assert other.alphabet == automaton.alphabet
        for mine, theirs in zip(automaton.parameters, other.parameters, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert to_openfst_text(automaton) == to_openfst_text(automaton.to_weighted())
    with pytest.raises(ValueError, match="initial: the probabilities sum to 2"):
        ProbabilisticAutomaton.from_weighted(WeightedAutomaton([2.0], [0.5], {"a": [[0.5]]}))
    with pytest.raises(TypeError, match="automaton: a WeightedAutomaton is needed"):
        ProbabilisticAutomaton.from_weighted(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("initial", "final", "matrix", "message"),
    [
        ([0.5], [0.5], [[0.5]], "initial: the probabilities sum to 0.5"),
        ([1.0], [0.4], [[0.5]], "transitions: those of state 0 and its final weight sum to 0.9"),
        ([1.0], [1.5], [[-0.5]], "transitions: -0.5 is there; probabilities from 0 to 1"),
        ([2.0, -1.0], [1, 1], [[0, 0], [0, 0]], "initial: -1 is there"),
        ([], [], np.zeros((0, 0)), "initial: there is no state"),
        ([1.0], [0.5, 0.5], [[0.5]], "initial: shape .*, and final has shape"),
        ([1.0], [math.nan], [[0.5]], "final: an entry is NaN"),
    ],
)
def test_weights_that_are_no_probabilities(initial, final, matrix, message):
    with pytest.raises(ValueError, match=message):
        ProbabilisticAutomaton(initial, final, {"a": matrix})


def test_an_impossible_path_is_refused():
    automaton = ProbabilisticAutomaton([1.0], [1.0], {"a": [[0.0]]})
    with pytest.raises(ValueError, match="string: its probability is 0"):
        automaton.most_likely_states("a")
    assert automaton.log_probability(["a", ""]).tolist() == [-math.inf, 0.0]
    assert automaton.next_symbol_probabilities(["a"]).tolist() == [[0.0, 1.0]]


def test_where_strings_need_not_end_there_is_no_entropy():
    endless = ProbabilisticAutomaton([1.0], [0.0], {"a": [[1.0]]})
    with pytest.raises(ValueError, match="not all strings end"):
        endless.entropy()
