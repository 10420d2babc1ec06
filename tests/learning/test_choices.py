"""What the learner chooses on held-out text."""

from __future__ import annotations

import numpy as np
import pytest
from hankelmatch.automata.recovery import learn_automaton
from hankelmatch.learner import SpectralLearner
from hankelmatch.learning import search, spectrum, texts
from hankelmatch.learning.stages import factorize
from hankelmatch.prediction.mixtures._log_linear_trial import LogLinearTrial
from hankelmatch.prediction.mixtures.n_grams import KneserNeyModel
from hankelmatch.sequences.corpus import Corpus

from .learners import SENTENCES, plain_learner


def test_few_states_are_enough_where_they_are():
    """The parity of the a's so far, of which two states know everything."""
    rng = np.random.default_rng(0)
    rows = [[*rng.choice(2, 10), None] for _ in range(800)]
    for row in rows:
        row[-1] = f"{sum(row[:10]) % 2} at the end"
    learner = plain_learner(4, min_count=2).fit(rows)
    numbers = sorted(n for _, n in learner.tried_)
    assert learner.n_states_ < 20
    assert learner.stopped_by_ in ("held-out text", "rank")
    assert max(numbers) <= 64


def test_the_search_ends_in_time():
    learner = plain_learner(3, max_seconds=0).fit(SENTENCES[:80])
    assert learner.stopped_by_ == "time"
    assert {n for _, n in learner.tried_} == {1}
    assert learner.n_states_ == 1
    assert plain_learner(3, max_seconds=3600, max_states=4).fit(SENTENCES[:80]).stopped_by_ == "max_states"


def test_more_triplets_are_computed_when_more_states_pay(monkeypatch):
    monkeypatch.setattr(spectrum, "_FULL_SIDE", 10)
    monkeypatch.setattr(spectrum, "_FIRST_TRIPLETS", 8)
    monkeypatch.setattr(spectrum, "_NEARLY_FULL_SIDE", 20)
    asked = []

    def recorded(blocks, n_wanted, setting, progress):
        asked.append(n_wanted)
        return factorize(blocks, n_wanted, setting, progress)

    monkeypatch.setattr(spectrum, "factorize", recorded)
    stepwise = plain_learner(3, refit=False, svd="lanczos").fit(SENTENCES)
    assert asked[:2] == [8, 32]
    assert asked[-1] is None or asked[-1] <= 4 * max(n for _, n in stepwise.tried_)
    monkeypatch.undo()
    at_once = plain_learner(3, refit=False).fit(SENTENCES)
    assert stepwise.dev_bits_ == pytest.approx(at_once.dev_bits_, abs=2e-4)


def test_a_stream_is_cut_into_pieces_for_the_mixture_alone(monkeypatch):
    stream = Corpus.from_sequences([" ".join(SENTENCES)])
    whole = SpectralLearner(3).fit(stream)
    monkeypatch.setattr(texts, "_PIECE", 100)
    cut = SpectralLearner(3).fit(stream)
    assert cut.tried_ == whole.tried_
    assert cut.dev_bits_ == pytest.approx(whole.dev_bits_, rel=0.02)
    corpus = Corpus.from_sequences(["a" * 250, "", "b" * 100])
    pieces = texts.in_pieces(texts.HeldOut(corpus, np.arange(3.0)), corpus.alphabet)
    assert [len(piece) for piece in pieces.corpus] == [100, 100, 50, 0, 100]
    assert pieces.weights.tolist() == [0, 0, 0, 1, 2]
    with_ends = Corpus.from_sequences(["a"], end_symbol=True).alphabet
    sentences = texts.HeldOut(corpus)
    assert texts.in_pieces(sentences, with_ends) is sentences


@pytest.mark.slow
def test_more_triplets_are_not_computed_where_they_help_the_mixture_too_little(monkeypatch):
    monkeypatch.setattr(spectrum, "_FULL_SIDE", 10)
    monkeypatch.setattr(spectrum, "_FIRST_TRIPLETS", 8)
    monkeypatch.setattr(spectrum, "_NEARLY_FULL_SIDE", 20)
    monkeypatch.setattr(search, "_MIXED_FROM", 8)
    mixed = SpectralLearner(4, refit=False, svd="lanczos").fit(SENTENCES)
    alone = SpectralLearner(4, refit=False, svd="lanczos", mixture=False).fit(SENTENCES)
    assert mixed.stopped_by_ == "held-out text"
    assert max(n for _, n in mixed.tried_) == 8  # where the n-grams have all the weight
    assert max(n for _, n in alone.tried_) >= 64
    assert mixed.dev_bits_ < alone.dev_bits_


def test_an_automaton_that_would_take_too_much_memory_is_not_tried(monkeypatch):
    monkeypatch.setattr(spectrum, "_MOST_BYTES", 30_000)
    learner = plain_learner(3).fit(SENTENCES)
    assert learner.stopped_by_ == "memory"
    assert max(n for _, n in learner.tried_) < 20
    assert plain_learner(3, max_states=32).fit(SENTENCES).stopped_by_ == "max_states"


@pytest.mark.parametrize("shrinkage", [0.25, 4.0, 1e300])
def test_a_damped_automaton_is_the_shrunk_one(learner, shrinkage):
    plain = learn_automaton(learner.blocks_, svd=learner.svd_)
    shrunk = learn_automaton(learner.blocks_, svd=learner.svd_, shrinkage=shrinkage)
    damped = spectrum.Damped(plain, learner.svd_.singular_values, shrinkage)
    states = np.random.default_rng(0).normal(size=(3, plain.n_states))
    for symbol in range(3):
        np.testing.assert_allclose(damped.apply(states, symbol), shrunk.apply(states, symbol), atol=1e-12)
    np.testing.assert_allclose(damped.next_values(states), shrunk.next_values(states), atol=1e-12)
    assert np.array_equal(damped.initial, shrunk.initial)


def test_the_mixing_weight_is_the_best_on_the_held_out_text_unless_it_is_given():
    train, dev = SENTENCES[:60], SENTENCES[60:90]
    learner = plain_learner(max_length=5, n_states=40, unseen="skip").fit(train, dev)
    given = plain_learner(max_length=5, n_states=40, unseen="skip", mixing=0.4).fit(train, dev)
    assert given.model_.mixing == 0.4
    assert learner.model_.mixing != 0.4  # so little text says nothing of long contexts
    assert learner.dev_bits_ < given.dev_bits_
    assert learner.dev_bits_ == pytest.approx(-learner.score(dev), rel=1e-6)
    assert plain_learner(max_length=3, n_states=5).fit(train).model_.mixing == 1.5  # nothing to choose on


def test_the_floor_of_longest_contexts_is_the_best_on_the_held_out_text_unless_it_is_given():
    train, dev = SENTENCES[:60], SENTENCES[60:90]
    options = {"max_length": 3, "n_states": 40, "contexts": "longest", "unseen": "skip", "shrinkage": 0}
    learner = plain_learner(**options).fit(train, dev)
    plain = learner.model_.replace(floor=None)
    assert learner.model_.floor != plain.floor
    assert learner.dev_bits_ == pytest.approx(-learner.score(dev), rel=1e-6)
    given = plain_learner(**options, floor=plain.floor).fit(train, dev)
    assert given.model_.floor == plain.floor
    assert given.dev_bits_ > learner.dev_bits_


@pytest.mark.slow
def test_the_shrinkage_is_the_best_on_the_held_out_text_unless_it_is_given():
    train, dev = SENTENCES[:200], SENTENCES[200:]
    options = {"max_length": 4, "n_states": 300, "contexts": "longest", "unseen": "skip"}
    learner = plain_learner(**options).fit(train, dev)
    bits = {}
    for shrinkage in (0, learner.shrinkage_ / 2, learner.shrinkage_, 2 * learner.shrinkage_):
        given = plain_learner(**options, shrinkage=shrinkage).fit(train, dev)
        assert given.shrinkage_ == shrinkage
        assert given.dev_bits_ == pytest.approx(-given.score(dev), rel=1e-6)
        bits[shrinkage] = given.dev_bits_
    assert learner.shrinkage_ >= 2
    assert learner.dev_bits_ == min(bits.values()) < bits[0] - 0.01
    assert learner.report_["states"]["shrinkage"] == learner.shrinkage_
    in_f = learner.shrinkage_ / learner.function_.n_sequences
    by_hand = learn_automaton(learner.blocks_, svd=learner.svd_, shrinkage=in_f)
    values = by_hand.truncate(learner.n_states_).values_of(SENTENCES)
    np.testing.assert_allclose(learner.automaton_.values_of(SENTENCES), values, rtol=0.01, atol=1e-6)


def test_the_mixture_is_no_worse_than_its_parts_on_the_held_out_text():
    learner = SpectralLearner(max_length=3, refit=False).fit(SENTENCES)
    dev = Corpus.from_sequences(SENTENCES, end_symbol=True, start_symbol=True).split([0.9, 0.1], 0)[1]
    n_grams = KneserNeyModel(learner.function_, 3)
    assert learner.dev_bits_ <= n_grams.bits_per_symbol(dev) + 1e-4
    assert learner.dev_bits_ <= learner.window_model_.bits_per_symbol(dev) + 1e-4
    assert learner.dev_bits_ == pytest.approx(learner.model_.bits_per_symbol(dev), rel=1e-6)
    parts = learner.report_["mixture"]["parts"]
    assert sum(part["weight"] for part in parts.values()) == pytest.approx(1)
    assert set(learner.mixture_.weights) <= {"window", "histories", "n-grams"}
    again = learner.mixture_.build(learner.window_model_, learner.function_)
    assert again.bits_per_symbol(dev) == learner.model_.bits_per_symbol(dev)
    alone = SpectralLearner(max_length=3, mixture=False, refit=False).fit(SENTENCES)
    assert alone.mixture_ is None
    assert alone.model_ is alone.window_model_
    assert alone.dev_bits_ == pytest.approx(learner.window_model_.bits_per_symbol(dev), rel=1e-6)


def test_whole_histories_are_mixed_in_where_they_help():
    """Two hidden states that stay long: what came long before helps."""
    rng = np.random.default_rng(0)
    sequences = []
    for _ in range(600):
        state, sequence = int(rng.integers(2)), []
        for _ in range(int(rng.integers(20, 60))):
            state = state if rng.random() < 0.97 else 1 - state
            sequence.append("ab"[int(rng.random() < 0.2) ^ state])
        sequences.append(sequence)
    learner = SpectralLearner(max_length=5, max_states=20).fit(sequences[:500], sequences[500:550])
    assert learner.mixture_.weights["histories"] > 0.5
    assert 2 < learner.mixture_.n_history_states <= 20
    small = SpectralLearner(max_length=5, max_states=2).fit(sequences[:500], sequences[500:550])
    assert small.mixture_.n_history_states == 2
    n_grams = KneserNeyModel(learner.function_, 5)
    test = Corpus.from_sequences(sequences[550:], learner.function_.alphabet, end_symbol=True)
    assert learner.score(test) > -n_grams.bits_per_symbol(test) + 0.01


def test_a_log_linear_mixture_is_chosen_where_held_out_text_says_so(monkeypatch):
    monkeypatch.setattr(LogLinearTrial, "saves_enough", lambda trial, linear: True)
    learner = SpectralLearner(max_length=3, refit=False).fit(SENTENCES)
    assert learner.mixture_.combination == learner.model_.combination == "log-linear"
    dev = Corpus.from_sequences(SENTENCES, end_symbol=True, start_symbol=True).split([0.9, 0.1], 0)[1]
    assert learner.dev_bits_ == pytest.approx(learner.model_.bits_per_symbol(dev), rel=1e-6)
    again = learner.mixture_.build(learner.window_model_, learner.function_)
    assert again.bits_per_symbol(dev) == learner.model_.bits_per_symbol(dev)
    assert "log-linear" in repr(learner.model_)


def test_a_mixture_is_learned_again_from_all_sequences_with_the_same_weights():
    before = SpectralLearner(max_length=3, refit=False).fit(SENTENCES)
    learner = SpectralLearner(max_length=3).fit(SENTENCES)
    assert learner.mixture_ == before.mixture_
    assert learner.function_.n_sequences == len(SENTENCES)
    n_grams = learner.model_.models[list(learner.mixture_.weights).index("n-grams")]
    assert n_grams.n_grams == len(learner.function_) - 1
    assert learner.score(SENTENCES) > before.score(SENTENCES)
    assert list(learner.report_)[-2:] == ["mixture", "refit"]


def test_huge_weights_of_sequences_do_no_harm():
    learner = SpectralLearner(max_length=3).fit(SENTENCES, sample_weight=[1e280] * len(SENTENCES))
    assert np.isfinite(learner.dev_bits_)


def test_tiny_weights_of_sequences_do_no_harm():
    weights = [1e-310] * 100
    learner = SpectralLearner(3, 10, unseen="skip").fit(
        SENTENCES[:100], SENTENCES[100:], sample_weight=weights
    )
    assert np.isfinite(learner.dev_bits_)
    assert (
        SpectralLearner(3, 10, shrinkage=1e308).fit(SENTENCES[:100], sample_weight=weights).shrinkage_
        == 1e308
    )


def test_of_a_shrunk_automaton_more_states_are_of_use():
    train, dev = SENTENCES[:200], SENTENCES[200:]
    learner = SpectralLearner(4, contexts="longest", unseen="skip").fit(train, dev)
    unshrunk = [trial for trial in learner.trials_ if trial.shrinkage == 0]
    fewer = min(unshrunk, key=lambda trial: trial.bits).n_states
    assert learner.shrinkage_ > 0
    assert learner.n_states_ > fewer
    assert learner.dev_bits_ == pytest.approx(-learner.score(dev), rel=1e-6)
