"""Counts of what follows frequent prefixes, smoothed by a mixture, against the definitions word by word."""

from collections import Counter
from functools import reduce

import numpy as np
import pytest
from hankelmatch.prediction.distributions._passes import Parameters, TrainingSample, logarithms
from hankelmatch.prediction.distributions._prefix_counts import Mixture, SmoothedCounts, frequent_prefixes
from hankelmatch.prediction.distributions._whole_strings import total_mass
from hypothesis import given
from hypothesis import strategies as st

from tests import reference

from .baum_welch_reference import random_parameters, random_strings

N_SYMBOLS = 3


def flat(strings):
    symbols = np.array([a for x in strings for a in x], np.int32)
    return symbols, np.cumsum([0, *map(len, strings)]).astype(np.int64)


def random_mixture(rng, sizes=(1, 3, 2)):
    automata = [Parameters(*random_parameters(n, N_SYMBOLS, rng, ending=0.3)) for n in sizes]
    return Mixture(automata, rng.dirichlet(np.ones(len(sizes))))


def labels(prefixes):
    """The prefixes as tuples."""
    found = [()]
    for parent, symbol in zip(prefixes.parents[1:], prefixes.symbols[1:], strict=True):
        found.append((*found[parent], symbol))
    return found


def prefix_probability(mixture, string):
    total = 0.0
    for weight, (initial, _, transitions) in zip(mixture.weights, mixture.automata, strict=True):
        total += weight * reduce(lambda state, a, t=transitions: state @ t[a], string, initial).sum()
    return total


def by_chain_rule(strings, kept, mixture, concentration, string):
    """The probability of a string, symbol by symbol: by counts after `kept` prefixes, else as mixed."""
    probability = 1.0
    for t in range(len(string) + 1):
        before, whole = string[:t], t == len(string)
        if whole:
            in_mixture = np.exp(logarithms(mixture.automata, *flat([string])))[:, 0] @ mixture.weights
            expected = in_mixture / prefix_probability(mixture, before)
            count = sum(x == string for x in strings)
        else:
            expected = prefix_probability(mixture, string[: t + 1]) / prefix_probability(mixture, before)
            count = sum(x[: t + 1] == string[: t + 1] for x in strings)
        if before in kept:
            total = sum(x[:t] == before for x in strings)
            expected = (count + concentration * expected) / (total + concentration)
        probability *= expected
    return probability


@given(st.integers(0, 9999), st.sampled_from([1, 2, 5, 20, 1000]))
def test_the_most_frequent_prefixes_and_what_follows_them(seed, most):
    rng = np.random.default_rng(seed)
    strings = random_strings(40, N_SYMBOLS, 3, rng)
    weights = rng.integers(0, 3, len(strings)).astype(float)
    times, followers = Counter(), Counter()
    for string, weight in zip(map(tuple, strings), weights, strict=True):
        for t in range(len(string) + 1):
            times[string[:t]] += weight
            followers[string[:t], string[t] if t < len(string) else N_SYMBOLS] += weight
    candidates = [x for x, n in times.items() if n > 1 or not x]
    expected = sorted(candidates, key=lambda x: (-times[x], len(x), x))[:most]
    found = frequent_prefixes(TrainingSample(*flat(strings), weights), N_SYMBOLS, most)
    assert labels(found) == sorted(expected, key=lambda x: (len(x), x))
    for k, prefix in enumerate(labels(found)):
        assert found.counts[k].tolist() == [followers[prefix, a] for a in range(N_SYMBOLS + 1)]
        for a, child in enumerate(found.children[k]):
            longer = (*prefix, a)
            assert labels(found)[child] == longer if child >= 0 else longer not in expected


@given(st.integers(0, 9999), st.sampled_from([1, 4, 1000]), st.sampled_from([0.5, 20.0, np.inf]))
def test_smoothed_probabilities_are_those_of_the_chain_rule(seed, most, concentration):
    rng = np.random.default_rng(seed)
    strings = [tuple(x) for x in random_strings(40, N_SYMBOLS, 3, rng)]
    mixture = random_mixture(rng)
    prefixes = frequent_prefixes(TrainingSample(*flat(strings)), N_SYMBOLS, most)
    smoothed = SmoothedCounts(prefixes, mixture, concentration)
    asked = [*reference.all_strings(range(N_SYMBOLS), 2), *strings[:5]]
    in_mixture = np.exp(logarithms(mixture.automata, *flat(asked))).T @ mixture.weights
    found = in_mixture * np.exp(smoothed.log_factors(*flat(asked)))
    kept = set(labels(prefixes)) if np.isfinite(concentration) else set()
    expected = [by_chain_rule(strings, kept, mixture, concentration, x) for x in asked]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert smoothed.total_mass() == pytest.approx(1, abs=1e-9)

    initial, final, transitions = whole = smoothed.automaton()
    np.testing.assert_allclose(np.exp(logarithms([whole], *flat(asked))[0]), found, rtol=1e-9)
    np.testing.assert_allclose(final + transitions.sum(axis=(0, 2)), 1, rtol=1e-12)
    assert initial.sum() == 1


def test_mass_that_an_automaton_loses_is_missing():
    """One state of the mixture goes on for ever; the sum is solved for once more, in one automaton."""
    endless = Parameters(np.array([0.5, 0.5]), np.array([0.4, 0.0]), np.array([[[0.6, 0.0], [0.0, 1.0]]]))
    prefixes = frequent_prefixes(TrainingSample(*flat([(), (), (0,), (0,)])), 1)
    smoothed = SmoothedCounts(prefixes, Mixture([endless], np.ones(1)), 2.0)
    assert smoothed.total_mass() == pytest.approx(total_mass(smoothed.automaton()), abs=1e-12)
    assert 0.6 < smoothed.total_mass() < 0.9


def test_strings_drawn_have_their_probabilities():
    rng = np.random.default_rng(3)
    strings = [tuple(x) for x in random_strings(200, N_SYMBOLS, 2, rng)]
    smoothed = SmoothedCounts(
        frequent_prefixes(TrainingSample(*flat(strings)), N_SYMBOLS, 9), random_mixture(rng), 30.0
    )
    n = 40_000
    drawn = Counter(map(tuple, smoothed.drawn(n, rng)))
    asked = reference.all_strings(range(N_SYMBOLS), 3)
    probabilities = np.exp(logarithms([smoothed.automaton()], *flat(asked))[0])
    errors = np.sqrt(probabilities * (1 - probabilities) / n)
    assert (np.abs(np.array([drawn[x] for x in asked]) / n - probabilities) < 5 * errors + 1e-4).all()
    assert smoothed.drawn(0, rng) == []


def test_a_long_string_seen_twice():
    """Probabilities below the least float: the tree keeps logarithms."""
    rng = np.random.default_rng(5)
    long = tuple(rng.integers(0, N_SYMBOLS, 3000))
    mixture = random_mixture(rng)
    smoothed = SmoothedCounts(frequent_prefixes(TrainingSample(*flat([long, long])), N_SYMBOLS), mixture, 1.0)
    factor = smoothed.log_factors(*flat([long]))[0]
    assert factor > 500
    assert smoothed.total_mass() == pytest.approx(1, abs=1e-9)
