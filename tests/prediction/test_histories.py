"""Predictions from whole histories against states carried along one symbol at a time."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    Corpus,
    KneserNeyModel,
    LanguageModel,
    ProbabilisticAutomaton,
    SequenceFunction,
    WeightedAutomaton,
    hankel_blocks,
    length_basis,
    substring_expectations,
)
from hankelmatch.prediction import _histories
from hankelmatch.prediction.mixtures._whole_histories import CompleteBlock
from hankelmatch.prediction.mixtures.from_automaton import history_model
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .. import reference
from .baum_welch_reference import random_parameters


def random_model(seed: int, *, start: bool, **options) -> LanguageModel:
    labels = ["a", "<s>", "b", "</s>"] if start else ["a", "b", "</s>"]
    alphabet = Alphabet(labels, end_symbol="</s>", start_symbol="<s>" if start else None)
    wa = reference.random_automaton(3, len(labels), seed)
    wa = WeightedAutomaton(wa.initial, wa.final, wa.transitions, alphabet, n_sequences=20)
    return LanguageModel(wa, 2, history="whole", **options)


def expected_distribution(model: LanguageModel, context: tuple) -> np.ndarray:
    """By the definition, step by step, without any rescaling: contexts are short."""
    wa, alphabet = model.automaton, model.alphabet
    empty = model.replace(history="window", window=1).next_symbol_probabilities("", at_start=False)
    is_predicted = np.arange(len(alphabet)) != alphabet.start_id

    def scores(state: np.ndarray) -> np.ndarray:
        return np.array([state @ wa.transitions[a] @ wa.final for a in range(len(alphabet))])

    state = wa.initial
    for label in context:
        a = alphabet.id(label)
        own, total = scores(state)[a], scores(state)[is_predicted].sum()
        is_known = total > 0 and (1 - model.floor) * own > model.floor * empty[a] * total
        state = (state if is_known else wa.initial) @ wa.transitions[a]
    raised = np.where(is_predicted, np.maximum(scores(state), 0.0), 0.0)
    own = raised / raised.sum() if raised.sum() > 0 else empty
    return (1 - model.floor) * own + model.floor * empty


models = st.builds(
    lambda seed, start, floor: random_model(seed, start=start, floor=floor),
    st.integers(0, 99),
    st.booleans(),
    st.sampled_from([None, 0.2, 1.0]),
)
texts = st.lists(st.text("ab", max_size=7), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(models, texts)
def test_predictions_against_the_definition(model, contexts):
    head = ("<s>",) if model.alphabet.start_id is not None else ()
    expected = np.array([expected_distribution(model, (*head, *context)) for context in contexts])
    one_by_one = [model.next_symbol_probabilities(context) for context in contexts]
    np.testing.assert_allclose(one_by_one, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.probabilities_after(contexts), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(models, texts, st.sampled_from([1, 7, 1 << 22]))
def test_bits_against_the_definition(model, texts, buffered):
    head = ("<s>",) if model.alphabet.start_id is not None else ()
    bits = []
    for text in texts:
        string = (*head, *text, "</s>")
        for t in range(len(head), len(string)):
            p = expected_distribution(model, string[:t])[model.alphabet.id(string[t])]
            bits.append(-math.log2(p) if p > 0 else math.inf)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_histories, "_BUFFERED", buffered)
        found = model.bits_per_symbol([(*head, *text, "</s>") for text in texts])
    assert found == pytest.approx(sum(bits) / len(bits), rel=1e-9)


@pytest.mark.slow
@given(
    texts=st.lists(st.text("abz", max_size=6), min_size=1, max_size=12),
    weights=st.lists(st.integers(0, 3), min_size=12, max_size=12),
    n_enough=st.integers(1, 40),
)
def test_a_part_of_a_text_is_every_so_many_sequences(texts, weights, n_enough):
    model = random_model(1, start=True, unseen="skip")
    weighed = [*weights[: len(texts)]]
    assume(sum(weighed))
    text = model._scored_text(texts, weighed)
    part, kept = text.thinned(n_enough)
    every = max(1, text.n_scored // n_enough)
    # Products of fewer rows may round otherwise.
    np.testing.assert_allclose(model._probabilities_of(part), model._probabilities_of(text)[kept], rtol=1e-12)
    np.testing.assert_array_equal(part.weights, text.weights[kept])
    assert part.n_scored == kept.sum() > 0
    if part is not text:
        assert len(part.offsets) == 1 + -(-(len(text.offsets) - 1) // every)


@pytest.mark.slow
def test_long_histories_do_not_fade():
    """Values of 4,000 symbols are below what a float can hold; the predictions do not change."""
    coin = WeightedAutomaton([0.7, 0.3], [1.0, 1.0], {"a": np.diag([0.3, 0.1]), "b": np.diag([0.2, 0.4])})
    model = LanguageModel(coin, 2, history="whole", floor=0.0)
    assert coin("ab" * 2000) == 0.0
    np.testing.assert_allclose(model.next_symbol_probabilities("ab" * 2000), [0.6, 0.4], rtol=1e-12)
    long = model.bits_per_symbol(["ab" * 4000])
    assert long == pytest.approx(-math.log2(0.6) / 2 - math.log2(0.4) / 2, rel=1e-3)
    small = LanguageModel(coin.astype("float32"), 2, history="whole", floor=0.0)
    np.testing.assert_allclose(small.next_symbol_probabilities("ab" * 2000), [0.6, 0.4], rtol=1e-6)


def test_a_state_without_a_future_predicts_as_the_empty_context():
    wa = WeightedAutomaton([1.0, 0.0], [1.0, 1.0], {"a": np.diag([0.5, 0.0]), "b": np.zeros((2, 2))})
    model = LanguageModel(wa, 2, history="whole")
    empty = model.replace(history="window", window=1).next_symbol_probabilities("")
    np.testing.assert_array_equal(model.next_symbol_probabilities("b"), empty)
    np.testing.assert_array_equal(model.probabilities_after(["ab", "b"]), [empty, empty])


def test_a_whole_history_sees_beyond_the_window():
    """Two hidden states that stay long: each symbol says a little of which it is, all together much."""
    move = 0.98 * np.array([[0.96, 0.04], [0.04, 0.96]])
    emit = {"a": np.array([0.8, 0.2]), "b": np.array([0.2, 0.8])}
    source = ProbabilisticAutomaton(
        [0.5, 0.5], [0.02, 0.02], {label: share[:, None] * move for label, share in emit.items()}
    )
    frame = {"end_symbol": "</s>", "start_symbol": "<s>"}
    train = Corpus.from_sequences(list(source.sample(4000, 0)), **frame)
    test = Corpus.from_sequences(list(source.sample(500, 1)), alphabet=train.alphabet, **frame)
    f = substring_expectations(train, 5)
    automaton = CompleteBlock.of(f, 3).automaton()
    whole = LanguageModel(automaton, 5, history="whole")
    best = history_model(source, train.alphabet).bits_per_symbol(test)
    assert best < whole.bits_per_symbol(test) < best + 0.003
    by_window = min(KneserNeyModel(f, order).bits_per_symbol(test) for order in (2, 3, 4, 5))
    assert whole.bits_per_symbol(test) < by_window - 0.005


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999), st.integers(1, 3), st.integers(3, 6))
def test_a_scaled_complete_block_recovers_an_automaton(seed, n_states, max_length):
    """Exact values of all strings up to a length, and the function beyond it."""
    rng = np.random.default_rng(seed)
    source = ProbabilisticAutomaton(
        *random_parameters(n_states, 2, rng, ending=0.3), alphabet=Alphabet("ab")
    ).to_weighted()
    strings = [x for t in range(max_length + 1) for x in itertools.product("ab", repeat=t)]
    f = SequenceFunction.from_strings(strings, source.values_of(strings), n_sequences=1)
    learned = CompleteBlock.of(f, n_states).automaton()
    longer = ["ab" * 5, "bbb" * 3, "a" * 8]
    rank = np.linalg.matrix_rank(hankel_blocks(f, length_basis(f, (max_length - 1) // 2)).H.toarray(), 1e-9)
    if learned.n_states == rank:
        np.testing.assert_allclose(learned.values_of(longer), source.values_of(longer), rtol=1e-4, atol=1e-12)


@pytest.mark.parametrize("ridge", [0.0, 0.5, 3.0])
def test_a_ridge_is_the_regression_of_its_definition(ridge):
    f = substring_expectations(["abab", "ab", "bba", "aab", "b"] * 3, 5)
    block = CompleteBlock.of(f, 4)
    F, B = block.svd.U * block.svd.singular_values, block.svd.V
    inverse = np.linalg.inv(F.T @ F + (ridge * block.noise) ** 2 * np.eye(F.shape[1])) @ F.T
    automaton = block.automaton(ridge)
    np.testing.assert_allclose(automaton.initial, block.blocks.h_suffix @ B)
    np.testing.assert_allclose(automaton.final, inverse @ block.blocks.h_prefix)
    for label, matrix in zip(f.alphabet.labels, automaton.transitions, strict=True):
        np.testing.assert_allclose(matrix, inverse @ block.blocks.H_sigma[label] @ B, atol=1e-12)
    np.testing.assert_allclose(block.automaton(ridge).truncate(2).final, automaton.final[:2])


def test_the_noise_of_a_block_is_what_chance_gives():
    """Symbols drawn one by one: beside the first, all singular values are chance; overlaps add to them."""
    labels = [chr(97 + a) for a in range(20)]
    rng = np.random.default_rng(0)
    f = substring_expectations([[labels[a] for a in rng.integers(20, size=50)] for _ in range(400)], 3)
    block = CompleteBlock.of(f, 20)
    d = block.svd.singular_values
    assert d[0] == pytest.approx(1, abs=0.1)
    assert 0.5 * block.noise < d[1] < 2 * block.noise
    assert block.n_above_noise == sum(value > block.noise / 2 for value in d)
    more = substring_expectations([[labels[a] for a in rng.integers(20, size=50)] for _ in range(1600)], 3)
    assert CompleteBlock.of(more, 20).noise == pytest.approx(block.noise / 2, rel=0.01)


def test_a_ridge_keeps_states_of_noise_from_harm():
    move = 0.95 * np.array([[0.9, 0.1], [0.2, 0.8]])
    emit = {"a": np.array([0.7, 0.1]), "b": np.array([0.2, 0.3]), "c": np.array([0.1, 0.6])}
    source = ProbabilisticAutomaton(
        [0.5, 0.5], [0.05, 0.05], {label: share[:, None] * move for label, share in emit.items()}
    )
    frame = {"end_symbol": "</s>", "start_symbol": "<s>"}
    train = Corpus.from_sequences(list(source.sample(1000, 0)), **frame)
    test = Corpus.from_sequences(list(source.sample(300, 1)), alphabet=train.alphabet, **frame)
    block = CompleteBlock.of(substring_expectations(train, 5), 15)

    def bits(ridge: float, n_states: int) -> float:
        automaton = block.automaton(ridge, np.float32).truncate(n_states)
        return LanguageModel(automaton, 5, history="whole").bits_per_symbol(test)

    assert bits(1.0, 15) < bits(1.0, 4) + 0.001
    assert bits(0.0, 15) > bits(0.0, 4) + 0.01


def test_short_substrings_have_no_whole_histories():
    assert CompleteBlock.of(substring_expectations(["abab"], 2), 3) is None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999), st.integers(1, 4), st.integers(1, 3), st.booleans())
def test_a_probabilistic_automaton_predicts_what_it_says(seed, n_states, n_symbols, framed):
    rng = np.random.default_rng(seed)
    automaton = ProbabilisticAutomaton(
        *random_parameters(n_states, n_symbols, rng, ending=0.1), alphabet=Alphabet("abc"[:n_symbols])
    )
    labels = [*"abc"[:n_symbols], "."]
    alphabet = (
        Alphabet([*labels, "^"], end_symbol=".", start_symbol="^")
        if framed
        else Alphabet(labels, end_symbol=".")
    )
    model = history_model(automaton, alphabet)
    contexts = ["", "a", "aa", "a" * 50]
    found = model.probabilities_after(contexts)[:, : n_symbols + 1]
    np.testing.assert_allclose(found, automaton.next_symbol_probabilities(contexts), rtol=1e-9, atol=1e-15)
    strings = ["", "aa", "a" * 20]
    head = ("^",) if framed else ()
    bits = model.bits_per_symbol([(*head, *string, ".") for string in strings])
    n = sum(len(string) + 1 for string in strings)
    expected = -automaton.log_probability(strings).sum() / math.log(2) / n
    assert bits == pytest.approx(expected, rel=1e-9)


def test_a_probabilistic_automaton_needs_labels_and_an_end():
    coin = ProbabilisticAutomaton([1.0], [0.5], {"a": [[0.5]]})
    assert history_model(coin).rank("a", 2) == ["a", "</s>"]
    with pytest.raises(ValueError, match="alphabet: an end symbol"):
        history_model(coin, Alphabet("a"))
    with pytest.raises(ValueError, match="a"):
        history_model(coin, Alphabet(["b", "."], end_symbol="."))


def test_samples_follow_whole_histories():
    """Only strings of one letter have a probability."""
    wa = ProbabilisticAutomaton([0.5, 0.5], [0.2, 0.2], {"a": np.diag([0.8, 0.0]), "b": np.diag([0.0, 0.8])})
    model = history_model(wa)
    drawn = [model.sample(seed) for seed in range(60)]
    assert {len(set(draw[:-1])) for draw in drawn} <= {0, 1}
    assert {draw[0] for draw in drawn} == {"a", "b", "</s>"}


def test_options_and_files(tmp_path):
    model = random_model(3, start=True)
    assert model.floor == 1e-3
    windowed = model.replace(history="window")
    assert windowed.floor == 0.25 / (20 * 3)  # a share no more
    assert windowed.replace(history="whole", floor=0.5).floor == 0.5
    assert "whole" in repr(model)
    assert "whole" not in repr(windowed)
    model.replace(floor=0.25).save(tmp_path / "model.npz")
    loaded = LanguageModel.load(tmp_path / "model.npz")
    assert (loaded.history, loaded.floor) == ("whole", 0.25)
    np.testing.assert_array_equal(
        loaded.probabilities_after(["abab"]), model.replace(floor=0.25).probabilities_after(["abab"])
    )
    with pytest.raises(ValueError, match="history: 'half' is unknown"):
        model.replace(history="half")
    with pytest.raises(ValueError, match=r"floor: 1\.5 given"):
        model.replace(floor=1.5)
    assert model.replace(floor=0).bits_per_symbol(["ab"]) > 0
