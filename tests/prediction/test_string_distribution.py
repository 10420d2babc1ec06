"""The estimator of distributions over strings, and PAutomaC's score."""

import copy
import math
import pickle

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    Corpus,
    ProbabilisticAutomaton,
    StringDistribution,
    learn_probabilistic_automaton,
    pautomac_perplexity,
    read_pautomac,
    read_pautomac_solution,
)
from hankelmatch._utils.progress import Progress
from hankelmatch.prediction.distributions._fit import Fit

from tests import reference

from .baum_welch_reference import random_parameters

TRUE = ProbabilisticAutomaton(*random_parameters(3, 2, np.random.default_rng(4), ending=0.2), Alphabet("ab"))
QUICK = {"n_sweeps": 60, "max_steps": 40}


@pytest.fixture(scope="module")
def fitted():
    return StringDistribution(max_states=10, **QUICK).fit(TRUE.sample(2000, seed=0))


def test_it_is_a_distribution(fitted):
    strings = reference.all_strings("ab", 8)
    probabilities = np.exp(fitted.log_probability(strings))
    assert (probabilities > 0).all()
    assert fitted.total_mass() == pytest.approx(1, abs=1e-9)
    exact = np.exp(TRUE.log_probability(strings)).sum()
    assert probabilities.sum() == pytest.approx(exact, abs=0.01)
    whole = fitted.to_automaton()
    np.testing.assert_allclose(whole.log_probability(strings), fitted.log_probability(strings))
    assert whole.total_mass() == pytest.approx(1, abs=1e-9)
    assert fitted.weights_.sum() == pytest.approx(1)
    numbers = {part.n_states for part in fitted.automata_}
    assert fitted.n_states_ in numbers
    assert sorted(numbers) == fitted.report_["last fit"]["n_states"]


def test_it_comes_near_the_truth(fitted):
    test = TRUE.sample(3000, seed=1)
    assert 0 <= TRUE.score(test) - fitted.score(test) + 0.01 < 0.03
    assert fitted.perplexity(test) == pytest.approx(math.exp(-fitted.score(test)))
    assert set(fitted.tried_) == {"free", "hidden-markov"}
    assert all(set(tried) >= {5, 10} for tried in fitted.tried_.values())
    assert fitted.n_states_ in fitted.tried_[fitted.structure_]
    assert fitted.dev_log_probability_ is not None
    assert {"states", "starts", "chains", "last fit"} == set(fitted.report_)


def test_symbols_and_samples(fitted):
    assert fitted.log_probability(["abx", "c"]).tolist() == [-math.inf, -math.inf]
    drawn = fitted.sample(500, seed=2)
    assert drawn == fitted.sample(500, seed=2)
    assert drawn.alphabet == fitted.alphabet_ == Alphabet("ab")
    assert drawn.lengths.mean() == pytest.approx(TRUE.expected_length(), rel=0.2)
    assert len(fitted.sample(0)) == 0


def test_samples_have_the_probabilities_of_the_mixture(fitted):
    """Each string is drawn by one part; parts are in no order."""
    drawn = fitted.sample(20_000, seed=5)
    strings = ["", "a", "b", "ab", "ba"]
    for half in (drawn.take(np.arange(10_000)), drawn.take(np.arange(10_000, 20_000))):
        written = ["".join(string) for string in half]
        shares = [written.count(string) / 10_000 for string in strings]
        np.testing.assert_allclose(shares, np.exp(fitted.log_probability(strings)), atol=0.02)


def test_it_is_reproducible_and_may_be_pickled(fitted):
    strings = reference.all_strings("ab", 4)
    again = StringDistribution(max_states=10, **QUICK).fit(TRUE.sample(2000, seed=0))
    np.testing.assert_array_equal(again.log_probability(strings), fitted.log_probability(strings))
    loaded = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(loaded.log_probability(strings), fitted.log_probability(strings))


def test_parameters_as_scikit_learn_has_them():
    model = StringDistribution(4, n_chains=0, seed=3)
    other = StringDistribution().set_params(**model.get_params())
    assert other.get_params() == model.get_params()
    assert repr(model) == "StringDistribution(n_states=4, n_chains=0, seed=3)"
    with pytest.raises(ValueError, match="no parameter of StringDistribution"):
        model.set_params(states=3)


def test_clones_and_cross_validation():
    base = pytest.importorskip("sklearn.base")
    model = StringDistribution(4, n_chains=0, seed=3)
    assert base.clone(model).get_params() == model.get_params()

    selection = pytest.importorskip("sklearn.model_selection")
    strings = ["".join(x) for x in TRUE.sample(60, seed=3)]
    model = StringDistribution(2, n_chains=0, max_steps=5)
    scores = selection.cross_val_score(model, strings, cv=3)
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("options", [{"n_chains": 0}, {"n_chains": 1}, {"n_starts": 1}])
def test_few_sequences_need_a_number_of_states(options):
    strings = ["ab", "abab", "ab", "a"]
    model = StringDistribution(2, **options, **QUICK).fit(strings)
    assert model.dev_log_probability_ is None
    assert model.score(strings) > StringDistribution(1, n_chains=0, **QUICK).fit(strings).score(strings)
    with pytest.raises(ValueError, match="sequences: 4 are too few to hold some of them out"):
        StringDistribution(**options).fit(strings)
    chosen = StringDistribution([1, 2], **options, **QUICK).fit(strings, dev=["ab", "abab"])
    assert chosen.n_states_ in (1, 2)
    assert math.isfinite(chosen.dev_log_probability_)


def test_without_held_out_strings_each_start_and_each_chain_weighs_the_same():
    model = StringDistribution(2, n_starts=3, n_chains=1, **QUICK).fit(["ab", "abab", "ab", "a"])
    assert len(model.automata_) > 4
    np.testing.assert_allclose(model.weights_[:3], 1 / 4)
    assert model.weights_[3:].sum() == pytest.approx(1 / 4)


def test_weights_are_repeated_sequences():
    strings = ["ab", "abab", "b", ""] * 3
    weights = np.arange(12) % 3
    dev = ["ab", "b"]
    repeated = [x for x, w in zip(strings, weights, strict=True) for _ in range(w)]
    model = StringDistribution(2, n_chains=0, max_steps=10)
    ours = copy.copy(model).fit(strings, dev=dev, sample_weight=weights)
    theirs = copy.copy(model).fit(repeated, dev=dev)
    np.testing.assert_allclose(ours.log_probability(strings), theirs.log_probability(strings), rtol=1e-6)
    with pytest.raises(ValueError, match="sample_weight: chains need whole numbers"):
        StringDistribution(2).fit(strings, sample_weight=weights + 0.5)
    with pytest.raises(ValueError, match="sample_weight: with each sequence as often"):
        StringDistribution(2).fit(strings, sample_weight=np.full(12, 10**12))


def test_strings_without_symbols_are_refused():
    with pytest.raises(ValueError, match=r"^sequences: they have no symbol"):
        StringDistribution(2).fit([""] * 30)
    with pytest.raises(ValueError, match=r"^corpus: they have no symbol"):
        learn_probabilistic_automaton([""] * 30, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_states": 0}, "n_states: 0 given"),
        ({"n_states": "best"}, "n_states: 'best' given"),
        ({"n_states": []}, r"n_states: \[\] given"),
        ({"max_states": 0}, "max_states: a whole number from 1"),
        ({"n_sweeps": 10}, "n_sweeps: a whole number from 40"),
        ({"n_chains": -1}, "n_chains: a whole number from 0"),
        ({"seed": -1}, "seed: a whole number from 0"),
        ({"structure": "hmm"}, "structure: 'hmm' is unknown; choose one of auto, free, hidden-markov"),
    ],
)
def test_what_the_estimator_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        StringDistribution(**options).fit(["a"] * 30)


def test_what_is_no_list_of_strings_or_not_fitted():
    with pytest.raises(ValueError, match="not fitted yet"):
        StringDistribution().log_probability(["a"])
    with pytest.raises(TypeError, match="this is a single string"):
        StringDistribution(1).fit("abc")
    with pytest.raises(ValueError, match="sequences: there is no sequence"):
        StringDistribution(1).fit([])
    with pytest.raises(TypeError, match="progress: a Progress is needed"):
        StringDistribution(1).fit(["a"], progress=3)  # type: ignore[arg-type]
    progress = Progress()
    StringDistribution(1, n_chains=0, max_steps=2).fit(["a"], progress=progress)
    assert "last fit" in progress.report


@pytest.mark.parametrize(
    ("better", "tried", "taken"),
    [
        ([False, False], [2, 3], {2}),
        ([False, True], [2, 3], {2, 3}),
        ([True, False, True], [2, 3, 5], {3, 5}),
    ],
)
def test_more_states_are_taken_or_mixed_where_they_are_clearly_better(better, tried, taken, monkeypatch):
    """The next number is compared with the one before; at the first that is not better, both together are."""
    answers, averages, average = iter(better), [], Fit._average

    def kept(self, n_states, learned):
        averages.append(average(self, n_states, learned))
        return averages[-1]

    monkeypatch.setattr(Fit, "_average", kept)
    monkeypatch.setattr(Fit, "_clearly_better", lambda *_: next(answers))
    monkeypatch.setattr(Fit, "_fewest", lambda _, found: min(found))
    strings = TRUE.sample(200, seed=5)
    model = StringDistribution((2, 3, 5), n_starts=2, n_chains=1, n_sweeps=40, max_steps=10).fit(strings)
    assert [one.n_states for one in averages] == tried
    assert {part.n_states for part in model.automata_} == taken
    assert model.n_states_ == min(taken)
    assert model.report_["last fit"]["n_states"] == sorted(taken)
    assert model.total_mass() == pytest.approx(1, abs=1e-9)
    assert model.weights_.sum() == pytest.approx(1)
    assert sorted(model.tried_[model.structure_]) == [2, 3, 5]
    alone = [one.together.mean() for one in averages if one.n_states in taken]
    assert model.dev_log_probability_ >= min(alone)


@pytest.mark.parametrize(("error", "chosen"), [(np.inf, 2), (-np.inf, 5)])
def test_clearly_better_is_by_more_than_a_standard_error(error, chosen, monkeypatch):
    """It is so large that no other number of states is taken, or that every one is."""
    monkeypatch.setattr("hankelmatch.prediction.distributions._fit._mean_error", lambda *_: error)
    strings = TRUE.sample(200, seed=5)
    model = StringDistribution((2, 3, 5), n_starts=2, n_chains=1, n_sweeps=40, max_steps=10).fit(strings)
    assert model.n_states_ == chosen
    assert {part.n_states for part in model.automata_} == {chosen}
    assert model.dev_log_probability_ is not None


def hidden_markov_model(n_states, n_symbols, rng):
    symbols = rng.dirichlet(np.full(n_symbols, 0.3), n_states)
    states = rng.dirichlet(np.full(n_states, 0.3), n_states)
    transitions = 0.9 * symbols.T[:, :, None] * states
    alphabet = Alphabet("abcdefgh"[:n_symbols])
    return ProbabilisticAutomaton(
        np.full(n_states, 1 / n_states), np.full(n_states, 0.1), transitions, alphabet
    )


@pytest.mark.slow
def test_the_structure_is_found_by_held_out_strings():
    """Symbols and next states chosen apart from one another: a hidden Markov model, and each part is one."""
    true = hidden_markov_model(4, 6, np.random.default_rng(2))
    options = {"n_states": [4, 6], "n_chains": 2, "n_starts": 2, "n_sweeps": 60}
    model = StringDistribution(**options).fit(true.sample(2000, seed=0))
    assert model.structure_ == "hidden-markov"
    for part in model.automata_:
        table = part.parameters.transitions.transpose(1, 0, 2)
        for matrix in table:
            assert np.linalg.svd(matrix, compute_uv=False)[1:].max() < 1e-7
    free = StringDistribution(structure="free", **options).fit(true.sample(2000, seed=0))
    test = true.sample(3000, seed=1)
    assert free.score(test) < model.score(test) < true.score(test) + 0.01


# ------------------------------------------------------------------------------------------------ PAutomaC


def test_the_score_is_least_for_the_truth():
    rng = np.random.default_rng(0)
    true = rng.dirichlet(np.ones(20))
    best = pautomac_perplexity(true, true)
    assert best == pytest.approx(2 ** -(true @ np.log2(true)))
    for _ in range(20):
        assert pautomac_perplexity(rng.dirichlet(np.ones(20)), true) > best
    assert pautomac_perplexity(3 * true, 7 * true) == pytest.approx(best)
    assert pautomac_perplexity([1, 0], [0.5, 0.5]) == math.inf
    assert pautomac_perplexity([1, 0], [1, 0]) == 1.0
    assert pautomac_perplexity([5e-324, 1], [1, 0]) == math.inf  # 2^1074


def test_the_score_of_a_model():
    strings = ["a", "ab", "", "b"]
    probabilities = np.exp(TRUE.log_probability(strings))
    found = pautomac_perplexity(TRUE, [0.4, 0.3, 0.2, 0.1], strings)
    assert found == pytest.approx(pautomac_perplexity(probabilities, [4, 3, 2, 1]))
    for arguments, message in (
        ((TRUE, [1.0]), "sequences: a model needs the test strings"),
        (([1.0], [1.0], ["a"]), "sequences: given beside probabilities"),
        (([1.0, 2.0], [1.0]), "true: 1 probabilities for 2 strings"),
        (([-1.0], [1.0]), "model: numbers from 0"),
        (([1.0], [0.0]), "true: numbers from 0"),
    ):
        with pytest.raises(ValueError, match=message):
            pautomac_perplexity(*arguments)


def test_a_problem_of_the_competition(data_dir, tmp_path):
    """Problem 24 by Baum-Welch alone: .005 above the optimum with 10 states in an independent program."""
    import gzip  # noqa: PLC0415 - for this test

    folder = data_dir / "pautomac"
    if not folder.is_dir():
        pytest.skip("the data folder has no PAutomaC problems")
    train = tmp_path / "24.train"
    train.write_bytes(gzip.decompress((folder / "24.pautomac.train.gz").read_bytes()))
    corpus = read_pautomac(train, end_symbol=False)
    test = read_pautomac(folder / "24.pautomac.test", end_symbol=False, alphabet=corpus.alphabet)
    true = read_pautomac_solution(folder / "24.pautomac_solution.txt")
    model = StringDistribution(6, n_chains=0).fit(corpus)
    assert np.isfinite(model.log_probability(test)).all()
    assert 0 < pautomac_perplexity(model, true, test) - pautomac_perplexity(true, true) < 0.01


def test_end_and_start_symbols_of_a_corpus_are_left_out():
    words = ["ab", "abab", "ab", "", "ababab", "b"] * 20
    marked = Corpus.from_sequences(words, end_symbol=True, start_symbol=True)
    plain = learn_probabilistic_automaton(words, 2)
    learned = learn_probabilistic_automaton(marked, 2, dev=None)
    assert learned.alphabet.labels == plain.alphabet.labels
    np.testing.assert_array_equal(learned.log_probability(words), plain.log_probability(words))
    np.testing.assert_array_equal(plain.log_probability(marked), plain.log_probability(words))
    distribution = StringDistribution(n_states=2, n_chains=0).fit(marked, dev=marked)
    np.testing.assert_array_equal(distribution.log_probability(marked), distribution.log_probability(words))
    true = np.full(len(words), 1.0)
    scores = {pautomac_perplexity(model, true, marked) for model in (plain, plain.to_weighted())}
    assert max(scores) == pytest.approx(min(scores))


def test_an_end_symbol_that_a_model_writes_itself_stays():
    marked = Corpus.from_sequences(["a", "aa"], end_symbol=True)
    writes_it = ProbabilisticAutomaton([1.0], [0.5], {"a": [[0.25]], "</s>": [[0.25]]})
    np.testing.assert_allclose(writes_it.log_probability(marked), np.log([1 / 32, 1 / 128]))


def test_unknown_symbols_stay_where_end_symbols_are_left_out():
    marked = Corpus.from_sequences(["ab", "ac"], end_symbol=True)
    coin = ProbabilisticAutomaton([1.0], [0.5], {"a": [[0.25]], "b": [[0.25]]})
    assert coin.log_probability(marked).tolist() == [np.log(1 / 32), -np.inf]


@pytest.mark.parametrize("n_states", [2.5, iter([1]), 10**30, [], "many"])
def test_numbers_of_states_that_cannot_be_are_refused(n_states):
    with pytest.raises(ValueError, match=r"n_states: .* given; give 'auto', or numbers from 1 to 10000"):
        StringDistribution(n_states).fit(["ab"] * 30)
