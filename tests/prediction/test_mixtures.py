"""Mixtures of next-symbol models: the means of their parts, with weights that held-out text chooses."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    Corpus,
    KneserNeyModel,
    LanguageModel,
    MixtureModel,
    ProbabilisticAutomaton,
    hankel_blocks,
    learn_automaton,
    load_model,
    matching_basis,
    substring_expectations,
)
from hankelmatch.prediction.mixtures import mixture as mixture_module
from hankelmatch.prediction.mixtures._log_linear_trial import try_log_linear
from hankelmatch.prediction.mixtures._text_distributions import text_distributions
from hankelmatch.prediction.mixtures.choice import MixtureChoice
from hankelmatch.prediction.mixtures.log_linear import (
    _likelihood,
    fit_exponents,
    log_probabilities_of,
    product_of_powers,
)
from hankelmatch.prediction.mixtures.weights import fit_weights
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
SEQUENCES = ["abab", "ab", "ababab", "bba", "aab", "b"] * 5
TRAIN = Corpus.from_sequences(SEQUENCES, end_symbol=True, start_symbol=True)
F = substring_expectations(TRAIN, 3)
AUTOMATON = learn_automaton(hankel_blocks(F, matching_basis(F)))
COIN = ProbabilisticAutomaton([1.0], [0.25], {"a": [[0.5]], "b": [[0.25]]})
WINDOW = LanguageModel(AUTOMATON, 3)
WHOLE = LanguageModel(AUTOMATON.truncate(2), 3, history="whole")
N_GRAMS = KneserNeyModel(F, 3)
PARTS = [WINDOW, WHOLE, N_GRAMS, COIN]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=4),
    st.lists(st.text("ab", max_size=6), min_size=1, max_size=4),
    st.integers(0, 99),
)
def test_predictions_are_means(places, contexts, seed):
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(places)))
    mixture = MixtureModel([PARTS[k] for k in places], weights)
    # A probabilistic automaton alone has the usual frame.
    expected = sum(
        w * model.probabilities_after(contexts) for w, model in zip(weights, mixture.models, strict=True)
    )
    np.testing.assert_allclose(mixture.probabilities_after(contexts), expected, rtol=1e-12)
    one_by_one = [mixture.next_symbol_probabilities(context) for context in contexts]
    np.testing.assert_allclose(one_by_one, expected, rtol=1e-9)
    np.testing.assert_allclose(np.sum(one_by_one, axis=1), 1)
    bits = []
    for context in contexts:
        string = (*context, mixture.alphabet.end_symbol)
        for t in range(len(string)):
            p = mixture.next_symbol_probabilities(string[:t])[mixture.alphabet.id(string[t])]
            bits.append(-math.log2(p))
    end = mixture.alphabet.end_symbol
    text = Corpus.from_sequences(contexts, end_symbol=end)
    assert mixture.bits_per_symbol(text) == pytest.approx(sum(bits) / len(bits), rel=1e-9)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=4),
    st.lists(st.text("ab", max_size=6), min_size=1, max_size=4),
    st.integers(0, 99),
)
def test_log_linear_predictions_are_normalised_products_of_powers(places, contexts, seed):
    exponents = np.random.default_rng(seed).uniform(0.1, 1.5, len(places))
    mixture = MixtureModel([PARTS[k] for k in places], exponents, combination="log-linear")
    np.testing.assert_array_equal(mixture.weights, exponents)
    for context in contexts:
        parts = [model.next_symbol_probabilities(context) for model in mixture.models]
        powers = [
            math.prod(p[a] ** w for p, w in zip(parts, exponents, strict=True)) for a in range(len(parts[0]))
        ]
        expected = [power / sum(powers) for power in powers]
        np.testing.assert_allclose(mixture.next_symbol_probabilities(context), expected, rtol=1e-9)
        np.testing.assert_allclose(mixture.probabilities_after([context])[0], expected, rtol=1e-9)
    bits = []
    for context in contexts:
        string = (*context, mixture.alphabet.end_symbol)
        for t in range(len(string)):
            p = mixture.next_symbol_probabilities(string[:t])[mixture.alphabet.id(string[t])]
            bits.append(-math.log2(p) if p > 0 else math.inf)
    assert mixture.bits_per_symbol(contexts) == pytest.approx(np.mean(bits), rel=1e-9)


def test_where_no_symbol_is_possible_by_all_parts_their_mean_stands():
    p, q = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.2, 0.8]])
    np.testing.assert_allclose(product_of_powers([p, q], [1.0, 1.0]), [[0.5, 0.5], [0.2, 0.8]])


@pytest.mark.parametrize("places", [[0, 2], [1], [0, 1, 2, 3]])
def test_distributions_of_a_text_are_those_after_its_contexts(places, monkeypatch):
    monkeypatch.setattr("hankelmatch._utils.chunks.CHUNK_ENTRIES", 40)  # several parts
    mixture = MixtureModel([PARTS[k] for k in places])
    text = mixture._scored_text(["abba", "", "ab"])
    contexts = ["", "a", "ab", "abb", "abba", "", "", "a", "ab"]
    seen = np.zeros(text.n_scored, int)
    for rows, found in text_distributions(mixture.models, text):
        seen[rows] += 1
        for model, own in zip(mixture.models, found, strict=True):
            expected = model.probabilities_after([contexts[row] for row in rows])
            np.testing.assert_allclose(own, expected, rtol=1e-6)
    assert (seen == 1).all()


def random_logarithms(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    logs = np.log(rng.dirichlet(np.ones(4), size=(3, 25)))
    return logs, rng.integers(4, size=25), rng.random(25)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 999))
def test_gradient_and_curvature_are_those_of_differences(seed):
    logs, symbols, counts = random_logarithms(seed)
    shares = counts / counts.sum()
    at = np.random.default_rng(seed).uniform(0, 1, 3)
    found = _likelihood(logs, symbols, shares, at)
    assert found.value == pytest.approx(shares @ log_probabilities_of(logs, symbols, at))
    for k, step in enumerate(1e-5 * np.eye(3)):
        above, below = (_likelihood(logs, symbols, shares, at + sign * step) for sign in (1, -1))
        assert found.gradient[k] == pytest.approx((above.value - below.value) / 2e-5, abs=1e-6)
        np.testing.assert_allclose(
            found.curvature[k], (below.gradient - above.gradient) / 2e-5, rtol=1e-4, atol=1e-6
        )


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999))
def test_exponents_are_at_the_maximum(seed):
    """No exponent above 0 has a slope, none at 0 would rise; the start does not matter."""
    logs, symbols, counts = random_logarithms(seed)
    exponents = fit_exponents(logs, symbols, counts, tolerance=1e-12)
    gradient = _likelihood(logs, symbols, counts / counts.sum(), exponents).gradient
    assert (exponents >= 0).all()
    assert (gradient < 1e-4).all()
    np.testing.assert_allclose(gradient[exponents > 0], 0, atol=1e-4)
    elsewhere = fit_exponents(logs, symbols, counts, start=np.array([1.0, 0.0, 2.0]), tolerance=1e-12)
    np.testing.assert_allclose(elsewhere, exponents, atol=1e-3)


def test_parts_with_small_exponents_are_left_out():
    logs, symbols, counts = random_logarithms(3)
    exponents = fit_exponents(logs, symbols, counts)
    least = float(np.sort(exponents)[1]) + 1e-3
    strong = fit_exponents(logs, symbols, counts, least=least)
    assert ((strong == 0) | (strong >= least)).all()
    with pytest.raises(ValueError, match="least: 100 leaves no models"):
        fit_exponents(logs, symbols, counts, least=100)


def independent_parts() -> tuple[MixtureModel, Corpus]:
    """Each symbol depends on the one before and on the one before that, apart: a product of two parts."""
    rng = np.random.default_rng(0)
    near, far = rng.dirichlet(np.ones(5), size=(2, 5)) + 0.02
    sequences = []
    for _ in range(300):
        sequence = [0, 0]
        while len(sequence) < 40:
            p = near[sequence[-1]] * far[sequence[-2]]
            sequence.append(int(rng.choice(5, p=p / p.sum())))
        sequences.append("".join("abcde"[a] for a in sequence))
    train = Corpus.from_sequences(sequences[:250], end_symbol=True, start_symbol=True)
    parts = [KneserNeyModel(train, order) for order in (1, 2, 3)]
    return MixtureModel(parts, combination="log-linear"), Corpus.from_sequences(sequences[250:])


def test_held_out_text_chooses_the_exponents(monkeypatch):
    mixture, dev = independent_parts()
    fitted = mixture.fit(dev)
    assert fitted.combination == "log-linear"
    best = fitted.bits_per_symbol(dev)
    assert best <= min(model.bits_per_symbol(dev) for model in mixture.models) + 1e-6
    for factor in (0.9, 1.1):
        other = MixtureModel(fitted.models, factor * fitted.weights, combination="log-linear")
        assert best < other.bits_per_symbol(dev)
    twice = [*dev, *dev[:10]]
    weighted = mixture.fit(dev, sample_weight=[2.0] * 10 + [1.0] * 40)
    np.testing.assert_allclose(weighted.weights, mixture.fit(twice).weights, atol=1e-3)
    monkeypatch.setattr(mixture_module, "_MOST_ENTRIES", 3000)  # so every fifth sequence or so is enough
    np.testing.assert_allclose(mixture.fit(dev).weights.sum(), fitted.weights.sum(), atol=0.3)


def test_contributions_to_a_log_linear_mixture():
    dev = ["abab", "ab", "bba"]
    mixture = MixtureModel([WINDOW, N_GRAMS], [0.5, 0.8], combination="log-linear")
    window, n_grams = mixture.contributions(dev)
    alone = MixtureModel([WINDOW], [0.5], combination="log-linear")
    assert n_grams.bits_without == pytest.approx(alone.bits_per_symbol(dev))
    assert (window.weight, window.bits_alone) == (0.5, pytest.approx(WINDOW.bits_per_symbol(dev)))


def test_a_trial_is_of_what_it_says():
    mixture = MixtureModel([WINDOW, N_GRAMS])
    text = mixture._scored_text(["abab", "ab", "bba", "abba"] * 5)
    lines: list[str] = []
    trial, is_tried = try_log_linear({"window": WINDOW, "n-grams": N_GRAMS}, text, lines.append)
    assert is_tried.all()
    assert lines[0].startswith("log-linear, mixing 1.5: ")
    model = MixtureModel(trial.parts.values(), trial.exponents, combination="log-linear")
    p = model._probabilities_of(text)
    assert trial.bits == pytest.approx(text.bits_per_symbol(p), rel=1e-5)
    assert trial.saves_enough(0.7 * p)
    assert not trial.saves_enough(p)
    report = trial.report()
    window = trial.parts["window"]
    assert [*report] == [f"window 3, {AUTOMATON.n_states} states", "n-grams of order 3"]
    first = report[f"window 3, {AUTOMATON.n_states} states"]
    assert first["bits_alone"] == pytest.approx(window.bits_per_symbol(["abab", "ab", "bba", "abba"] * 5))


def test_a_log_linear_choice_is_built():
    choice = MixtureChoice(
        {"window": 0.5, "histories": 0.1, "n-grams": 0.7}, 2, 0.0, 1.0, "log-linear", mixing=0.25
    )
    longer = substring_expectations(TRAIN, 5)
    window = LanguageModel(learn_automaton(hankel_blocks(longer, matching_basis(longer))))
    model = choice.build(window, longer)
    assert isinstance(model, MixtureModel)
    assert model.combination == "log-linear"
    np.testing.assert_array_equal(model.weights, [0.5, 0.1, 0.7])
    assert (model.models[0].mixing, model.models[1].automaton.n_states) == (0.25, 2)


def test_held_out_text_chooses_the_weights():
    mixture = MixtureModel(PARTS)
    dev = Corpus.from_sequences(["abab", "ab", "bba"], end_symbol=True)
    fitted = mixture.fit(dev)
    best = fitted.bits_per_symbol(dev)
    assert best <= min(model.bits_per_symbol(dev) for model in mixture.models) + 1e-4
    rng = np.random.default_rng(0)
    for weights in rng.dirichlet(np.ones(4), 60):  # the maximum of a concave function
        assert MixtureModel(PARTS, weights).bits_per_symbol(dev) >= best - 1e-4
    few = mixture.fit(dev, least=0.3)
    assert len(few.models) < 4
    assert few.weights.min() >= 0.3
    twice = mixture.fit(dev, sample_weight=[2, 1, 0])
    as_often = mixture.fit(Corpus.from_sequences(["abab", "abab", "ab"], end_symbol=True))
    np.testing.assert_allclose(twice.weights, as_often.weights, atol=1e-6)


def test_contributions_say_what_each_part_does():
    dev = Corpus.from_sequences(["abab", "ab", "bba"], end_symbol=True)
    mixture = MixtureModel([WINDOW, N_GRAMS], [0.25, 0.75])
    window, n_grams = mixture.contributions(dev)
    assert (window.part, n_grams.part) == (f"window 3, {AUTOMATON.n_states} states", "n-grams of order 3")
    assert (window.weight, n_grams.weight) == (0.25, 0.75)
    assert window.bits_alone == n_grams.bits_without == pytest.approx(WINDOW.bits_per_symbol(dev))
    assert n_grams.bits_alone == window.bits_without == pytest.approx(N_GRAMS.bits_per_symbol(dev))
    (alone,) = MixtureModel([WINDOW]).contributions(dev)
    assert alone.bits_without == math.inf


def test_save_and_load(tmp_path):
    mixture = MixtureModel(PARTS, [0.1, 0.2, 0.3, 0.4])
    mixture.save(tmp_path / "mixture.npz")
    product = MixtureModel(PARTS, [0.1, 0.2, 0.9, 0.4], combination="log-linear")
    product.save(tmp_path / "product.npz")
    loaded = load_model(tmp_path / "product.npz")
    assert repr(loaded) == repr(product)
    assert repr(product).startswith("<MixtureModel: log-linear, 0.1 of window 3")
    np.testing.assert_array_equal(loaded.probabilities_after(["ab"]), product.probabilities_after(["ab"]))
    for loaded in (MixtureModel.load(tmp_path / "mixture.npz"), load_model(tmp_path / "mixture.npz")):
        assert isinstance(loaded, MixtureModel)
        assert repr(loaded) == repr(mixture)
        np.testing.assert_array_equal(loaded.weights, mixture.weights)
        np.testing.assert_array_equal(
            loaded.probabilities_after(["", "ab"]), mixture.probabilities_after(["", "ab"])
        )
    WINDOW.save(tmp_path / "window.npz")
    assert isinstance(load_model(tmp_path / "window.npz"), LanguageModel)
    with pytest.raises(ValueError, match="holds a language model, not a mixture model"):
        MixtureModel.load(tmp_path / "window.npz")
    AUTOMATON.save(tmp_path / "automaton.npz")
    with pytest.raises(ValueError, match="holds a weighted automaton, not a language model or"):
        load_model(tmp_path / "automaton.npz")


def test_a_model_of_an_older_version_loads():
    model = load_model(ROOT / "written_by_0_1_0" / "model.npz")
    assert isinstance(model, LanguageModel)
    assert model.history == "window"


def test_samples_and_options():
    mixture = MixtureModel(PARTS)
    assert mixture.sample(5) == mixture.sample(5)
    assert mixture.sample(5)[-1] == TRAIN.alphabet.end_symbol
    skipping = mixture.replace(unseen="skip", contexts="longest")
    assert skipping.score(["az"]).n_skipped == 1
    assert skipping.models[0].contexts == "longest"
    with_histories = MixtureModel([WINDOW, COIN]).replace(contexts="mixed", mixing=2.0)
    assert [model.mixing for model in with_histories.models] == [2.0, 1.5]  # whole histories have no contexts
    product = MixtureModel(PARTS, combination="log-linear")
    assert product.replace(unseen="skip").combination == "log-linear"
    assert product.sample(5)[-1] == TRAIN.alphabet.end_symbol
    with pytest.raises(ValueError, match="not in the model's alphabet"):
        mixture.score(["az"])
    with pytest.raises(ValueError, match="changes: 'floor' given"):
        mixture.replace(floor=0.1)


def test_wrong_parts_are_refused():
    with pytest.raises(ValueError, match="models: there is none"):
        MixtureModel([])
    with pytest.raises(TypeError, match="models: LanguageModel"):
        MixtureModel([3])
    with pytest.raises(ValueError, match="weights: 2 numbers"):
        MixtureModel([WINDOW, N_GRAMS], [1.0])
    with pytest.raises(ValueError, match="weights: 2 numbers"):
        MixtureModel([WINDOW, N_GRAMS], [1.0, -1.0], combination="log-linear")
    with pytest.raises(ValueError, match="combination: 'geometric'"):
        MixtureModel([WINDOW, N_GRAMS], combination="geometric")
    other = KneserNeyModel(Corpus.from_sequences(["xy"]), 2)
    with pytest.raises(ValueError, match="models: their alphabets differ"):
        MixtureModel([WINDOW, other])
    with pytest.raises(ValueError, match="models: some refuse"):
        MixtureModel([WINDOW, N_GRAMS.replace(unseen="skip")])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 999), st.integers(1, 30), st.integers(1, 4))
def test_weights_are_at_the_maximum(seed, n_events, n_models):
    """At the maximum of the likelihood no part's gradient is above that of those with weight."""
    rng = np.random.default_rng(seed)
    p, counts = rng.random((n_events, n_models)), rng.random(n_events)
    weights = fit_weights(p, counts, tolerance=1e-12)
    gradient = (counts / counts.sum() / (p @ weights)) @ p
    assert weights.sum() == pytest.approx(1)
    assert gradient.max() <= 1 + 1e-3


def test_alphabets_in_another_order_differ():
    other = Alphabet(["b", "a", "</s>", "<s>"], end_symbol="</s>", start_symbol="<s>")
    model = KneserNeyModel(Corpus.from_sequences(SEQUENCES, other), 2)
    with pytest.raises(ValueError, match="alphabets differ"):
        MixtureModel([N_GRAMS, model])
