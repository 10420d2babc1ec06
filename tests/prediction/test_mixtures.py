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
