"""Language models against a slow reference that follows the definitions literally."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hankelmatch.automata.automaton import WeightedAutomaton
from hankelmatch.learner import SpectralLearner
from hankelmatch.prediction._scoring import best_symbols
from hankelmatch.prediction.language_model import LanguageModel
from hankelmatch.sequences.alphabet import Alphabet
from hankelmatch.sequences.corpus import Corpus
from hankelmatch.sequences.strings import Strings
from hypothesis import given, settings
from hypothesis import strategies as st

from .. import reference
from .language_models import OPTIONS, by_reference, random_model, reference_options, sequences_for

texts = st.lists(st.text("ab", max_size=6), min_size=1, max_size=5)
models = st.builds(
    lambda seed, start, window, options: random_model(seed, start=start, window=window, **options),
    st.integers(0, 99),
    st.booleans(),
    st.integers(1, 5),
    st.sampled_from(OPTIONS),
)


@settings(max_examples=100, deadline=None)
@given(models, texts)
def test_bits_against_the_reference(model, texts):
    sequences = sequences_for(model, texts)
    expected = reference.bits_per_symbol(model.automaton, sequences, model.window, **reference_options(model))
    assert model.bits_per_symbol(sequences) == pytest.approx(expected, rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(models, texts)
def test_predictions_against_the_reference(model, contexts):
    head = ("<s>",) if model.alphabet.start_id is not None else ()
    expected = np.array([by_reference(model, (*head, *context)) for context in contexts])
    one_by_one = [model.next_symbol_probabilities(context) for context in contexts]
    np.testing.assert_allclose(one_by_one, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.probabilities_after(contexts), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.sum(one_by_one, axis=1), 1.0)
    explicit = [model.next_symbol_probabilities((*head, *context)) for context in contexts]
    np.testing.assert_array_equal(explicit, one_by_one)
    assert model.rankings(contexts, 2) == [model.rank(context, 2) for context in contexts]


@settings(max_examples=50, deadline=None)
@given(models, st.lists(st.text("abxy", max_size=6), min_size=1, max_size=5))
def test_skipping_unseen_symbols(model, texts):
    model = model.replace(unseen="skip")
    sequences = sequences_for(model, texts)
    expected = reference.bits_per_symbol(model.automaton, sequences, model.window, **reference_options(model))
    score = model.score(sequences)
    assert score.bits_per_symbol == pytest.approx(expected, rel=1e-9)
    assert score.n_skipped == sum(text.count("x") + text.count("y") for text in texts)
    assert score.n_scored == sum(len(text) + 1 for text in texts) - score.n_skipped
    for text in texts:
        after_unseen = text[max(text.rfind("x"), text.rfind("y")) + 1 :]
        if after_unseen == text:
            continue
        at_once = model.probabilities_after([text])[0]
        np.testing.assert_allclose(at_once, by_reference(model, tuple(after_unseen)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("options", OPTIONS)
def test_start_symbol_is_put_in_front_where_it_is_missing(options):
    model = random_model(1, start=True, window=4, **options)
    plain = [("a", "b", "</s>"), (), ("</s>",)]
    assert model.score(plain) == model.score([("<s>", *sequence) for sequence in plain])
    middle = model.next_symbol_probabilities("ab", at_start=False)
    np.testing.assert_allclose(middle, by_reference(model, ("a", "b")))
    assert not np.allclose(middle, model.next_symbol_probabilities("ab"))


def test_start_symbol_is_never_predicted():
    model = random_model(2, start=True, window=3, contexts="mixed")
    assert model.next_symbol_probabilities("ab")[model.alphabet.start_id] == 0.0
    assert set(model.rank("ab", 10)) == {"a", "b", "</s>"}
    for seed in range(20):
        assert "<s>" not in model.sample(seed)


def test_corpora_are_read_by_label():
    model = random_model(3, start=False, window=3)
    corpus = Corpus.from_sequences(["ba", "abb"], end_symbol=True)
    other = Alphabet(["</s>", "b", "a", "z"], end_symbol="</s>")
    assert model.bits_per_symbol(corpus.reencode(other)) == model.bits_per_symbol(corpus)


def test_sequences_are_scored_alike_in_whatever_form_they_come():
    model = random_model(3, start=True, window=3)
    rows = [["a", "b"], ["b"], []]
    forms = [
        rows,
        Strings.from_sequences(rows),
        Corpus.from_sequences(rows),
        Corpus.from_sequences(rows, end_symbol=True),
        Corpus.from_sequences(rows, end_symbol=True, start_symbol=True),
        [["<s>", *row, "</s>"] for row in rows],
    ]
    scores = [model.score(form) for form in forms]
    assert {score.n_scored for score in scores} == {6}
    assert len({round(score.bits_per_symbol, 9) for score in scores}) == 1
    assert model.score(rows, ends=False).n_scored == 3
    by_hand = [
        model.next_symbol_probabilities(row[:i])[model.alphabet.id(label)]
        for row in rows
        for i, label in enumerate([*row, "</s>"])
    ]
    assert scores[0].bits_per_symbol == pytest.approx(-np.log2(by_hand).mean())


def test_contexts_of_all_lengths_at_once():
    model = random_model(9, start=False, window=1)
    assert model.probabilities_after([]).shape == (0, 3)
    np.testing.assert_allclose(model.probabilities_after(["", "ab"]), [by_reference(model, ())] * 2)


def test_small_chunks_change_nothing(monkeypatch):
    """Contexts are worked out in parts; the parts' size must not show."""
    model = random_model(4, start=True, window=4)
    sequences = sequences_for(model, ["abba", "bab", "", "aab"])
    contexts = ["", "a", "abba", "ba", "bb"]
    whole = model.bits_per_symbol(sequences), model.probabilities_after(contexts)
    monkeypatch.setattr("hankelmatch._utils.chunks.CHUNK_ENTRIES", 5)
    assert model.bits_per_symbol(sequences) == pytest.approx(whole[0], rel=1e-12)
    np.testing.assert_allclose(model.probabilities_after(contexts), whole[1], rtol=1e-12)


def test_float32_scores_are_close():
    model = random_model(6, start=True, window=4)
    sequences = sequences_for(model, ["abba", "bab", "", "aab"])
    single = model.replace(automaton=model.automaton.astype(np.float32))
    assert single.bits_per_symbol(sequences) == pytest.approx(model.bits_per_symbol(sequences), rel=1e-4)


@given(st.integers(0, 99), st.integers(0, 6), st.integers(1, 8), st.integers(1, 9))
def test_best_symbols_are_those_of_a_stable_sort(seed, n_rows, n_symbols, k):
    rng = np.random.default_rng(seed)
    probabilities = rng.integers(0, 4, (n_rows, n_symbols)) / 4
    allowed = rng.random(n_symbols) < 0.8
    order = np.argsort(-probabilities, axis=1, kind="stable").reshape(n_rows, n_symbols)
    expected = [[a for a in row if allowed[a]][:k] for row in order.tolist()]
    assert best_symbols(probabilities, k, allowed).tolist() == expected
    assert best_symbols(probabilities, k).tolist() == order[:, :k].tolist()


def test_sample_follows_the_distribution():
    coin = WeightedAutomaton([1.0], [1.0], {"a": [[0.7]], "b": [[0.2]], "</s>": [[0.1]]})
    alphabet = Alphabet(coin.alphabet.labels, end_symbol="</s>")
    coin = WeightedAutomaton(coin.initial, coin.final, coin.transitions, alphabet)
    model = LanguageModel(coin, 2)
    drawn = [label for seed in range(300) for label in model.sample(seed)]
    assert drawn.count("</s>") == 300
    assert drawn.count("a") / len(drawn) == pytest.approx(0.7, abs=0.05)
    assert model.sample(7) == model.sample(7)
    assert len(model.sample(1, max_length=3)) <= 3


def test_defaults():
    wa = reference.random_automaton(2, 5, 0)
    unknown = LanguageModel(wa, 3)
    assert (unknown.contexts, unknown.floor) == ("longest", 1e-7)
    known = LanguageModel(wa, 3, n_sequences=50)
    assert (known.contexts, known.floor) == ("mixed", 0.25 / 5 / 50)
    assert known.replace(mixing=2.0).replace(floor=0.1).floor == 0.1
    assert random_model(0, start=True, window=3).floor == 0.25 / 3 / 20
    assert "window 3, mixed contexts" in repr(known)


def test_no_negative_or_empty_totals():
    """Where the automaton is negative on everything, the predictions are still distributions."""
    wa = WeightedAutomaton([-1.0], [1.0], {"a": [[0.5]], "b": [[0.5]]}, n_sequences=4)
    for contexts in ("longest", "mixed"):
        model = LanguageModel(wa, 3, contexts=contexts)
        np.testing.assert_allclose(model.next_symbol_probabilities("ab"), [0.5, 0.5])
        assert model.bits_per_symbol(["abab"]) == pytest.approx(1.0)


def test_the_weight_of_the_shorter_context_may_be_as_large_as_numbers_are():
    learner = SpectralLearner(3, 2).fit(["abab", "ab", "bba"] * 3)
    alone = learner.model_.replace(mixing=1e12).next_symbol_probabilities("ab")
    np.testing.assert_allclose(learner.model_.replace(mixing=1e308).next_symbol_probabilities("ab"), alone)
    assert np.isfinite(learner.model_.replace(mixing=1e308).bits_per_symbol(["abab"]))


def test_a_wide_window_costs_nothing_where_contexts_are_short():
    wide, narrow = (random_model(0, start=True, window=window) for window in (30_000_000, 4))
    began = time.process_time()
    found = wide.probabilities_after(["ab"])
    assert time.process_time() - began < 1.0  # going through the window takes 30 s
    np.testing.assert_allclose(found, narrow.probabilities_after(["ab"]))
    unbounded = wide.replace(window=2**70)
    np.testing.assert_allclose(unbounded.probabilities_after(["ab", ""])[:1], found)
    assert unbounded.bits_per_symbol(["ab"]) == pytest.approx(narrow.bits_per_symbol(["ab"]))


def test_a_window_that_is_too_long_is_warned_of_once():
    automaton = SpectralLearner(max_length=2, n_states=2, mixture=False).fit(["abab", "ba"]).automaton_
    with pytest.warns(UserWarning, match="values of longer ones are guesses"):
        model = LanguageModel(automaton, 5)
    assert model.replace(mixing=2.0).window == 5
    with pytest.warns(UserWarning, match="values of longer ones are guesses"):
        model.replace(window=4)
