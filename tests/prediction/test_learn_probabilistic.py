"""Baum-Welch in the core against numpy and against all paths; starts, Gibbs sampling, what is learned."""

import numpy as np
import pytest
from hankelmatch import Alphabet, ProbabilisticAutomaton, _core, learn_probabilistic_automaton
from hankelmatch.prediction.distributions._baum_welch import baum_welch, beyond, maximised
from hankelmatch.prediction.distributions._gibbs import drawn_automata, likelier_concentration
from hankelmatch.prediction.distributions._hankel_start import hankel_start, prefix_tree
from hankelmatch.prediction.distributions._passes import Parameters, TrainingSample
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from .baum_welch_reference import (
    PrefixTree,
    expected_counts_by_paths,
    random_parameters,
    random_strings,
)


def flat(strings):
    symbols = np.array([a for x in strings for a in x], np.int32)
    return symbols, np.cumsum([0, *map(len, strings)]).astype(np.int64)


def assert_same_counts(found, expected, rtol):
    assert found[0] == pytest.approx(expected[0], rel=rtol)
    for mine, theirs in zip(found[1], expected[1:], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol * max(1, abs(theirs).max()))


@pytest.mark.slow
@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 9999))
def test_expected_counts_are_sums_over_paths(n_states, n_symbols, seed):
    rng = np.random.default_rng(seed)
    strings = [x[:4] for x in random_strings(6, n_symbols, 2, rng)]
    weights = rng.uniform(0.1, 2, len(strings))
    parameters = random_parameters(n_states, n_symbols, rng)
    by_paths = expected_counts_by_paths(strings, weights, *parameters)
    found = TrainingSample(*flat(strings), weights).expected_counts(Parameters(*parameters))
    assert_same_counts(found, by_paths, 1e-9)
    in_numpy = PrefixTree(strings, weights).expected_counts(*parameters)
    assert_same_counts((in_numpy[0], in_numpy[1:]), by_paths, 1e-9)


@pytest.mark.parametrize("n_states", [1, 7, 8, 9, 24])
@pytest.mark.parametrize("trie_nodes", [1, 50, 4096])
def test_the_core_agrees_with_numpy_however_the_sample_is_cut(n_states, trie_nodes):
    rng = np.random.default_rng(n_states)
    strings = random_strings(300, 4, 6, rng)
    weights = rng.uniform(0, 2, len(strings))
    parameters = random_parameters(n_states, 4, rng)
    sample = _core.Sample(*flat(strings), trie_nodes)
    log_likelihood, *counts = sample.expected_counts(weights, *parameters)
    counts[2] = counts[2].reshape(parameters[2].shape)
    tree = PrefixTree(strings, weights)
    expected = tree.expected_counts(*parameters)
    assert_same_counts((log_likelihood, counts), expected, 1e-10)
    log_likelihood, *counts = sample.expected_counts(weights, *parameters, single=True)
    counts[2] = counts[2].reshape(parameters[2].shape)
    assert_same_counts((log_likelihood, counts), expected, 1e-5)
    assert weights @ sample.log_probabilities(*parameters) == pytest.approx(expected[0])
    assert len(tree.prefixes) <= sample.n_nodes <= (1 + 300) * (1 + max(map(len, strings)))


def test_logarithms_of_prefixes_are_those_of_strings():
    rng = np.random.default_rng(3)
    strings = random_strings(50, 3, 4, rng)
    parameters = random_parameters(5, 3, rng)
    sample = _core.Sample(*flat(strings), 20)
    found = sample.prefix_log_probabilities(*parameters)
    prefixes = [x[: t + 1] for x in strings for t in range(len(x) + 1)]
    whole = [t == len(x) for x in strings for t in range(len(x) + 1)]
    ones = np.ones(5)
    begun = _core.Sample(*flat(prefixes)).log_probabilities(parameters[0], ones, parameters[2])
    ended = _core.Sample(*flat(prefixes)).log_probabilities(*parameters)
    np.testing.assert_allclose(found, np.where(whole, ended, begun), rtol=1e-12)


def test_strings_of_probability_0_add_nothing():
    initial, final = np.array([1.0, 0.0]), np.array([0.5, 1.0])
    transitions = np.array([[[0.5, 0.0], [0.0, 0.0]], np.zeros((2, 2))])
    sample = TrainingSample(*flat([(0, 0), (1,), (0, 1), ()]))
    found, counts = sample.expected_counts(Parameters(initial, final, transitions))
    assert found == pytest.approx(3 * np.log(0.5) + np.log(0.5))
    np.testing.assert_allclose(counts.transitions[0], [[2.0, 0.0], [0.0, 0.0]])
    assert not counts.transitions[1].any()
    logs = sample.log_probabilities(Parameters(initial, final, transitions))
    np.testing.assert_array_equal(np.isfinite(logs), [True, False, False, True])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("structure", ["free", "hidden-markov"])
@pytest.mark.parametrize(("single", "rounding"), [(False, 1e-12), (True, 1e-6)])
def test_no_step_makes_the_sample_less_likely(seed, single, rounding, structure):
    rng = np.random.default_rng(seed)
    sample = TrainingSample(*flat(random_strings(100, 3, 5, rng)), rng.uniform(0.5, 2, 100))
    parameters = maximised(Parameters(*random_parameters(4, 3, rng)), 0.0, structure)
    before = -np.inf
    for _ in range(40):
        log_likelihood, counts = sample.expected_counts(parameters, single=single)
        assert log_likelihood >= before - rounding * abs(log_likelihood)
        before = log_likelihood
        parameters = maximised(counts, 0.0, structure)
        np.testing.assert_allclose(parameters.final + parameters.transitions.sum(axis=(0, 2)), 1)


@pytest.mark.parametrize("structure", ["free", "hidden-markov"])
def test_over_relaxed_steps_lead_further(structure):
    rng = np.random.default_rng(8)
    sample = TrainingSample(*flat(random_strings(400, 3, 6, rng)))
    for _ in range(3):
        start = Parameters(*random_parameters(5, 3, rng))
        reached = {
            over_relaxed: [
                sample.mean_log_probability(
                    baum_welch(
                        sample, start, n, 0.0, structure=structure, over_relaxed=over_relaxed
                    ).parameters
                )
                for n in (1, 10, 20, 40)
            ]
            for over_relaxed in (False, True)
        }
        assert reached[True][0] == reached[False][0]
        assert (np.diff(reached[True]) >= -1e-6).all()
        assert reached[True][2] > reached[False][2] + 0.002
        assert reached[True][2] > reached[False][3]


def factors_beside_the_end(begin, end):
    """Logarithms, of states 0 and 2."""
    transitions = end.transitions[:, [0, 2]] / begin.transitions[:, [0, 2]]
    final = end.final[[0, 2]] / begin.final[[0, 2]]
    return np.log(transitions) - np.log(final)[:, None]


@pytest.mark.parametrize("structure", ["free", "hidden-markov"])
@pytest.mark.parametrize("power", [1.0, 2.5, 30.0])
def test_beyond_a_step_multiplies_by_powers_of_its_factors(structure, power):
    rng = np.random.default_rng(4)
    begin = maximised(Parameters(*random_parameters(3, 2, rng)), 0.0, structure)
    begin.transitions[0, 1] = 0
    found = maximised(Parameters(*(x * rng.uniform(0.9, 1.1, x.shape) for x in begin)), 0.0, structure)
    found.transitions[0, 1] = 0
    after = beyond(begin, found, power)
    np.testing.assert_allclose(after.final + after.transitions.sum(axis=(0, 2)), 1)
    assert after.initial.sum() == pytest.approx(1)
    assert not after.transitions[0, 1].any()
    moved, step = (factors_beside_the_end(begin, x) for x in (after, found))
    np.testing.assert_allclose(moved, power * step, atol=1e-9)
    if structure == "hidden-markov":  # symbols and next states are still chosen apart
        by_symbol = after.transitions[:, 0] / after.transitions[:, 0].sum(axis=1, keepdims=True)
        assert np.ptp(by_symbol, axis=0).max() < 1e-12


def test_a_deterministic_language_is_learned():
    strings = ["ab" * n for n in (0, 1, 1, 2, 0, 3, 1, 0)] * 40
    automaton = learn_probabilistic_automaton(strings, 2, max_steps=300)
    assert automaton.score(strings) == pytest.approx(
        2 * np.log(0.5), abs=1e-3
    )  # one ab a string, in the mean
    assert automaton("a") < 1e-4
    assert automaton.total_mass() == pytest.approx(1, abs=1e-9)


def test_what_was_drawn_from_an_automaton_is_learned_nearly_as_well():
    rng = np.random.default_rng(1)
    true = ProbabilisticAutomaton(*random_parameters(3, 3, rng, ending=0.1), Alphabet("abc"))
    corpus, test = true.sample(3000, seed=0), true.sample(2000, seed=1)
    loss = {}
    for start in ("hankel", "random"):
        learned = learn_probabilistic_automaton(corpus, 3, start=start, max_steps=100)
        loss[start] = true.score(test) - learned.score(test)
    assert max(loss.values()) < 0.05
    dev = true.sample(500, seed=2)
    options = {"n_starts": 3, "dev": dev, "max_steps": 40}
    best = learn_probabilistic_automaton(corpus, 3, **options)
    mean = learn_probabilistic_automaton(corpus, 3, average=True, **options)
    assert mean.n_states == 9
    assert true.score(test) - max(best.score(test), mean.score(test)) < 0.05
    single = [learn_probabilistic_automaton(corpus, 3, seed=0, dev=dev, max_steps=40)]
    assert best.score(dev) >= single[0].score(dev)


def test_weights_are_repeated_sequences():
    strings, weights = ["ab", "a", "abb", ""], [3, 1, 0, 2]
    repeated = [x for x, w in zip(strings, weights, strict=True) for _ in range(w)]
    start = ProbabilisticAutomaton(*random_parameters(2, 2, np.random.default_rng(0)), Alphabet("ab"))
    options = {"start": start, "max_steps": 5}
    ours = learn_probabilistic_automaton(strings, 2, sample_weight=weights, **options)
    theirs = learn_probabilistic_automaton(repeated, 2, **options)
    for mine, other in zip(ours.parameters, theirs.parameters, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-9)


def test_the_hankel_start_knows_prefixes_apart():
    """In a's and b's by turns, the prefixes that end in a are one cluster, all others another."""
    strings = [("ab" * 9)[:n] for n in range(12)] * 40
    symbols, offsets = flat([tuple("ab".index(x) for x in string) for string in strings])
    tree = prefix_tree(TrainingSample(symbols, offsets))
    assert tree.through[0] == len(strings)
    start = hankel_start(tree, 2, 2, 2, np.random.default_rng(0))
    np.testing.assert_allclose(start.final + start.transitions.sum(axis=(0, 2)), 1)
    first, second = (int(start.initial.argmax()), int(start.initial.argmin()))
    assert start.transitions[0, first, second] > 0.5
    assert start.transitions[1, second, first] > 0.5


def test_hidden_markov_parameters_are_shares_of_the_counts():
    rng = np.random.default_rng(0)
    counts = Parameters(rng.uniform(size=3), rng.uniform(size=3), rng.uniform(size=(2, 3, 3)))
    found = maximised(counts, 0.25, "hidden-markov")
    for i in range(3):
        n_next = counts.transitions[:, i].sum()
        ends = (counts.final[i] + 0.25) / (counts.final[i] + n_next + 0.5)
        assert found.final[i] == pytest.approx(ends)
        for a, j in np.ndindex(2, 3):
            symbol = (counts.transitions[a, i].sum() + 0.25) / (n_next + 0.5)
            state = (counts.transitions[:, i, j].sum() + 0.25) / (n_next + 0.75)
            assert found.transitions[a, i, j] == pytest.approx((1 - ends) * symbol * state)
    unused = maximised(Parameters(np.ones(1), np.zeros(1), np.zeros((2, 1, 1))), 0.0, "hidden-markov")
    assert (unused.final.tolist(), unused.transitions.any()) == ([1.0], False)


def choices_along(string, path, n_states, n_symbols, structure):
    """The tables of counts that the choices along a path add to."""
    if structure == "free":
        tables = [np.zeros((1, n_states)), np.zeros((n_states, n_symbols * n_states + 1))]
    else:
        shapes = [(1, n_states), (n_states, 2), (n_states, n_symbols), (n_states, n_states)]
        tables = [np.zeros(shape) for shape in shapes]
    tables[0][0, path[0]] += 1
    for a, i, j in zip(string, path, path[1:], strict=False):
        if structure == "free":
            tables[1][i, 1 + a * n_states + j] += 1
        else:
            tables[1][i, 1] += 1
            tables[2][i, a] += 1
            tables[3][i, j] += 1
    tables[1][path[-1], 0] += 1
    return tables


def marginal_log_likelihood(tables, concentration):
    """Of counts, with a symmetric Dirichlet prior for each row integrated out."""
    return sum(
        (gammaln(rows + concentration) - gammaln(concentration)).sum()
        - (gammaln((rows + concentration).sum(axis=1)) - gammaln(rows.shape[1] * concentration)).sum()
        for rows in tables
    )


@pytest.mark.parametrize("structure", ["free", "hidden-markov"])
@pytest.mark.parametrize("string", [(0, 0, 0), (0, 1, 1)])
def test_gibbs_visits_paths_as_often_as_they_are_likely(structure, string):
    """One string, two states: how often the chain has each count is the posterior probability of it."""
    concentration, n_symbols, n_visits = 0.4, max(string) + 1, 6000
    sample = TrainingSample(*flat([string]))
    start = Parameters(*random_parameters(2, n_symbols, np.random.default_rng(1)))
    chains = _core.StateChains(sample.symbols, sample.offsets)
    chains.add(*start, concentration, 3, structure == "hidden-markov")
    expected: dict[bytes, float] = {}
    for path in np.ndindex(*[2] * (len(string) + 1)):
        uses = choices_along(string, path, 2, n_symbols, "free")
        tables = choices_along(string, path, 2, n_symbols, structure)
        key = np.concatenate([table.ravel() for table in uses]).tobytes()
        expected[key] = expected.get(key, 0.0) + np.exp(marginal_log_likelihood(tables, concentration))
    visits = dict.fromkeys(expected, 0)
    for _ in range(n_visits):
        chains.sweep(3)
        initial, final, transitions = chains.uses(0)
        by_state = transitions.reshape(n_symbols, 2, 2).transpose(1, 0, 2).reshape(2, -1)
        visits[np.concatenate([initial, np.column_stack([final, by_state]).ravel()]).tobytes()] += 1
    for key, likelihood in expected.items():
        assert visits[key] / n_visits == pytest.approx(likelihood / sum(expected.values()), abs=0.03)


@pytest.mark.parametrize("structure", ["free", "hidden-markov"])
def test_the_likeliest_concentration_is_approached(structure):
    rng = np.random.default_rng(5)
    path, string = rng.integers(0, 4, 301), rng.integers(0, 3, 300) * rng.integers(0, 2, 300)
    tables = choices_along(string, path, 4, 3, structure)
    uses = choices_along(string, path, 4, 3, "free")
    transitions = uses[1][:, 1:].reshape(4, 3, 4).transpose(1, 0, 2)
    counts = Parameters(uses[0][0], uses[1][:, 0], transitions)
    values = np.geomspace(0.01, 10, 2000)
    likeliest = values[np.argmax([marginal_log_likelihood(tables, c) for c in values])]
    found, before = 0.1, -np.inf
    for _ in range(100):
        likelihood = marginal_log_likelihood(tables, found)
        assert likelihood >= before - 1e-9
        found, before = likelier_concentration(counts, found, structure), likelihood
    assert found == pytest.approx(likeliest, rel=0.01)


@pytest.mark.parametrize("structure", ["free", "hidden-markov"])
def test_chains_are_reproducible(structure):
    sample = TrainingSample(*flat(random_strings(50, 3, 4, np.random.default_rng(0))))
    start = Parameters(*random_parameters(4, 3, np.random.default_rng(1)))
    options = {"n_sweeps": 40, "n_left_out": 0, "seed": 7, "structure": structure, "show": lambda text: None}
    first, second = (drawn_automata(sample, [start] * 2, **options) for _ in range(2))
    assert [len(chain) for chain in first] == [2, 2]
    for one, other in zip(first, second, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine.transitions, theirs.transitions)
            np.testing.assert_allclose(mine.final + mine.transitions.sum(axis=(0, 2)), 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_states": 0}, "n_states: a whole number from 1 to 10000 is needed"),
        ({"corpus": []}, "corpus: there is no sequence"),
        ({"start": "best"}, "start: 'best' given"),
        ({"structure": "chain"}, "structure: 'chain' is unknown; choose one of free, hidden-markov"),
        ({"n_starts": 0}, "n_starts: a whole number from 1"),
        ({"concentration": -1}, "concentration"),
        ({"dev": ["x"]}, "dev: every sequence has a symbol outside the alphabet"),
        ({"sample_weight": [1.0]}, "sample_weight: one for each of the 2 sequences"),
        (
            {"start": ProbabilisticAutomaton([1], [0.5], {"a": [[0.5]]})},
            "start: an automaton with 2 states and the 2 labels of corpus",
        ),
    ],
)
def test_what_learning_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        learn_probabilistic_automaton(**{"corpus": ["ab", "b"], "n_states": 2, **arguments})


def test_arrays_that_do_not_fit_are_refused_by_the_core():
    sample = _core.Sample(np.array([0, 2], np.int32), np.array([0, 2], np.int64))
    good = (np.ones(1), np.ones(1), np.ones((3, 1, 1)))
    with pytest.raises(ValueError, match="the sample has symbols that the automaton lacks"):
        sample.log_probabilities(good[0], good[1], np.ones((2, 1, 1)))
    with pytest.raises(ValueError, match="shapes"):
        sample.log_probabilities(np.ones(2), np.ones(1), good[2])
    with pytest.raises(ValueError, match="weights: one for each string"):
        sample.expected_counts(np.ones(2), *good)
    with pytest.raises(ValueError, match="symbols below 0"):
        _core.Sample(np.array([-1], np.int32), np.array([0, 1], np.int64))
    chains = _core.StateChains(np.array([0, 2], np.int32), np.array([0, 2], np.int64))
    with pytest.raises(ValueError, match="concentration: a positive number"):
        chains.add(*good, 0.0, 1, False)
    with pytest.raises(IndexError, match="chain"):
        chains.uses(0)
    with pytest.raises(IndexError, match="chain"):
        chains.set_concentration(0, 1.0)
    chains.add(*good, 1.0, 1, True)
    with pytest.raises(ValueError, match="concentration: a positive number"):
        chains.set_concentration(0, 0.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_states": 10**30}, "n_states: a whole number from 1 to 10000 is needed"),
        ({"n_states": 2, "seed": None}, "seed: a whole number from 0 is needed, not None"),
        ({"n_states": 2, "seed": -1}, "seed: a whole number from 0 is needed, not -1"),
    ],
)
def test_numbers_that_cannot_be_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        learn_probabilistic_automaton(["ab"], **options)
