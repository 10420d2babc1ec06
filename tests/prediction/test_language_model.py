"""Language models against a slow reference that follows the definitions literally."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hankelmatch._utils.files import load_arrays, save_arrays
from hankelmatch.automata.automaton import WeightedAutomaton
from hankelmatch.automata.recovery import learn_automaton
from hankelmatch.counting.in_memory import substring_expectations
from hankelmatch.hankel.basis import matching_basis
from hankelmatch.hankel.blocks import hankel_blocks
from hankelmatch.interop.spice import read_spice, read_spice_targets
from hankelmatch.learner import SpectralLearner
from hankelmatch.prediction._scoring import best_symbols
from hankelmatch.prediction.language_model import LanguageModel
from hankelmatch.prediction.ndcg import ndcg
from hankelmatch.prediction.selection import bits_for_options, bits_for_states, probabilities_for_options
from hankelmatch.sequences.alphabet import Alphabet
from hankelmatch.sequences.corpus import Corpus, read_text
from hankelmatch.sequences.strings import Strings
from hypothesis import given, settings
from hypothesis import strategies as st

from .. import reference

OPTIONS = [
    {"contexts": "longest", "floor": 0.01},
    {"contexts": "mixed", "floor": 0.0},
    {"contexts": "mixed", "floor": 0.02, "mixing": 0.7},
]


def random_model(seed: int, *, start: bool, window: int, **options) -> LanguageModel:
    """A model over a, b, the end symbol and perhaps the start symbol; scores of either sign."""
    labels = ["a", "<s>", "b", "</s>"] if start else ["a", "b", "</s>"]
    alphabet = Alphabet(labels, end_symbol="</s>", start_symbol="<s>" if start else None)
    wa = reference.random_automaton(3, len(labels), seed)
    wa = WeightedAutomaton(wa.initial, wa.final, wa.transitions, alphabet, n_sequences=20)
    return LanguageModel(wa, window, **options)


def reference_options(model: LanguageModel) -> dict:
    return {
        "contexts": model.contexts,
        "floor": model.floor,
        "mixing": model.mixing,
        "n_sequences": model.n_sequences,
    }


def sequences_for(model: LanguageModel, texts: list[str]) -> list[tuple]:
    """Texts with the end symbol, and with the start symbol if the model has one."""
    head = ("<s>",) if model.alphabet.start_id is not None else ()
    return [(*head, *text, "</s>") for text in texts]


def by_reference(model: LanguageModel, context: tuple) -> list[float]:
    """Probabilities by id of the reference."""
    cut = context[len(context) - min(len(context), model.window - 1) :]
    expected = reference.next_probabilities(model.automaton, cut, **reference_options(model))
    return [expected.get(label, 0.0) for label in model.alphabet.labels]


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


def test_small_chunks_change_nothing(monkeypatch):
    """Contexts are worked out in parts; the parts' size must not show."""
    model = random_model(4, start=True, window=4)
    sequences = sequences_for(model, ["abba", "bab", "", "aab"])
    contexts = ["", "a", "abba", "ba", "bb"]
    whole = model.bits_per_symbol(sequences), model.probabilities_after(contexts)
    monkeypatch.setattr("hankelmatch._utils.chunks.CHUNK_ENTRIES", 5)
    assert model.bits_per_symbol(sequences) == pytest.approx(whole[0], rel=1e-12)
    np.testing.assert_allclose(model.probabilities_after(contexts), whole[1], rtol=1e-12)


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


@pytest.mark.parametrize("sample_weight", [None, [1.0, 2.5, 0.0]])
def test_bits_for_options(sample_weight):
    model = random_model(2, start=True, window=3)
    sequences = sequences_for(model, ["abba", "b", "aab"])
    options = [{}, {"mixing": 20}, {"contexts": "longest"}, {"floor": 0.1, "n_sequences": 3.0}]
    expected = [
        model.replace(**changes).bits_per_symbol(sequences, sample_weight=sample_weight)
        for changes in options
    ]
    assert bits_for_options(model, sequences, options, sample_weight=sample_weight) == expected
    assert len(set(expected)) == len(options)
    with pytest.raises(ValueError, match="options: window; choose from contexts, floor"):
        bits_for_options(model, sequences, [{"window": 2}])


def test_bits_for_states():
    model = random_model(5, start=False, window=3)
    sequences = sequences_for(model, ["abba", "bab"])
    seen = []
    bits = bits_for_states(model, sequences, [1, 3, 2], lambda n, b: seen.append((n, b)))
    expected = [
        model.replace(automaton=model.automaton.truncate(n)).bits_per_symbol(sequences) for n in (1, 3, 2)
    ]
    assert bits == pytest.approx(expected, rel=1e-12)
    assert seen == list(zip((1, 3, 2), bits, strict=True))


@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_probabilities_for_options(monkeypatch, chunk):
    """What every option gives by itself, in parts that follow each other."""
    model = random_model(3, start=True, window=4)
    contexts = ["", "a", "ab", "bab", "abab", "ab"]
    monkeypatch.setattr("hankelmatch._utils.chunks.CHUNK_ENTRIES", chunk)
    parts = list(probabilities_for_options(model, contexts, OPTIONS))
    rows = np.concatenate([part for part, _ in parts])
    assert sorted(rows.tolist()) == list(range(len(contexts)))
    for i, options in enumerate(OPTIONS):
        together = np.concatenate([probabilities[i] for _, probabilities in parts])
        alone = [model.replace(**options).next_symbol_probabilities(context) for context in contexts]
        np.testing.assert_allclose(together, np.array(alone)[rows], rtol=1e-12)
    with pytest.raises(ValueError, match="options: window; choose from contexts, floor"):
        probabilities_for_options(model, contexts, [{"window": 3}])


@given(st.integers(0, 99), st.integers(0, 6), st.integers(1, 8), st.integers(1, 9))
def test_best_symbols_are_those_of_a_stable_sort(seed, n_rows, n_symbols, k):
    rng = np.random.default_rng(seed)
    probabilities = rng.integers(0, 4, (n_rows, n_symbols)) / 4
    allowed = rng.random(n_symbols) < 0.8
    order = np.argsort(-probabilities, axis=1, kind="stable").reshape(n_rows, n_symbols)
    expected = [[a for a in row if allowed[a]][:k] for row in order.tolist()]
    assert best_symbols(probabilities, k, allowed).tolist() == expected
    assert best_symbols(probabilities, k).tolist() == order[:, :k].tolist()


def test_defaults():
    wa = reference.random_automaton(2, 5, 0)
    unknown = LanguageModel(wa, 3)
    assert (unknown.contexts, unknown.floor) == ("longest", 1e-7)
    known = LanguageModel(wa, 3, n_sequences=50)
    assert (known.contexts, known.floor) == ("mixed", 0.25 / 5 / 50)
    assert known.replace(mixing=2.0).replace(floor=0.1).floor == 0.1
    assert random_model(0, start=True, window=3).floor == 0.25 / 3 / 20
    assert "window 3, mixed contexts" in repr(known)


def test_float32_scores_are_close():
    model = random_model(6, start=True, window=4)
    sequences = sequences_for(model, ["abba", "bab", "", "aab"])
    single = model.replace(automaton=model.automaton.astype(np.float32))
    assert single.bits_per_symbol(sequences) == pytest.approx(model.bits_per_symbol(sequences), rel=1e-4)


@pytest.mark.parametrize("options", OPTIONS)
def test_save_and_load_exact_to_the_bit(tmp_path, options):
    model = random_model(7, start=True, window=4, n_sequences=3.3, unseen="skip", **options)
    model.save(tmp_path / "model.npz")
    loaded = LanguageModel.load(tmp_path / "model.npz")
    for name in ("window", "contexts", "floor", "mixing", "n_sequences", "unseen"):
        assert getattr(loaded, name) == getattr(model, name)
    np.testing.assert_array_equal(
        loaded.next_symbol_probabilities("ab"), model.next_symbol_probabilities("ab")
    )
    with pytest.raises(ValueError, match="holds a language model, not a weighted automaton"):
        WeightedAutomaton.load(tmp_path / "model.npz")


def test_no_negative_or_empty_totals():
    """Where the automaton is negative on everything, the predictions are still distributions."""
    wa = WeightedAutomaton([-1.0], [1.0], {"a": [[0.5]], "b": [[0.5]]}, n_sequences=4)
    for contexts in ("longest", "mixed"):
        model = LanguageModel(wa, 3, contexts=contexts)
        np.testing.assert_allclose(model.next_symbol_probabilities("ab"), [0.5, 0.5])
        assert model.bits_per_symbol(["abab"]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 0}, "window: a whole number from 1 is needed, not 0"),
        ({"window": 2.5}, "window: a whole number from 1 is needed, not 2.5"),
        ({"window": "3"}, "window: a whole number from 1 is needed, not '3'"),
        ({"contexts": ""}, "contexts: '' is unknown"),
        ({"contexts": "both"}, "contexts: 'both' is unknown"),
        ({"contexts": "mixed"}, "n_sequences: None"),
        *[
            ({name: value}, f"{name}: .*a finite number above 0 is needed, not {value!r}")
            for name in ("n_sequences", "mixing", "floor")
            for value in (-1, 0.0, math.nan, math.inf, "3", True)
        ],
        (
            {"floor": math.nan, "contexts": "mixed", "n_sequences": 2},
            "floor: a finite number from 0 is needed, not nan",
        ),
        ({"unseen": "ignore"}, "unseen: 'ignore'"),
    ],
)
def test_constructor_errors(options, message):
    with pytest.raises(ValueError, match=message):
        LanguageModel(reference.random_automaton(2, 2, 0), **{"window": 3, **options})


def test_an_alphabet_of_a_start_symbol_alone_is_refused():
    alphabet = Alphabet(["<s>"], start_symbol="<s>")
    with pytest.raises(ValueError, match="automaton: its alphabet has no symbol to predict"):
        LanguageModel(WeightedAutomaton([1.0], [1.0], [[[1.0]]], alphabet), 2)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("contexts", ["mixed", "longest"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_automaton_that_overflows_is_an_error_not_nan(contexts, sign):
    wa = WeightedAutomaton([sign], [1.0], {"a": [[1e200]], "b": [[1.0]]}, n_sequences=2)
    model = LanguageModel(wa, 5, contexts=contexts)
    for predict in (
        lambda: model.next_symbol_probabilities("aa"),
        lambda: model.probabilities_after(["b", "aa"]),
        lambda: model.bits_per_symbol(["aab"]),
    ):
        with pytest.raises(ValueError, match="automaton: its values grow too large for floating point"):
            predict()


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_fewer_than_one_label_cannot_be_ranked(k):
    model = random_model(0, start=True, window=3)
    for rank in (
        lambda: model.rank("ab", k),
        lambda: model.rankings(["ab"], k),
        lambda: model.rankings([], k),
    ):
        with pytest.raises(ValueError, match="k: a whole number from 1 is needed"):
            rank()


def test_arguments_of_sample_are_named():
    model = random_model(0, start=True, window=3)
    assert model.sample(0, max_length=0) == ()
    for max_length in (-1, math.nan, 2.5, 10**12):
        with pytest.raises(ValueError, match="max_length: a whole number from 0 to 1000000000 is needed"):
            model.sample(0, max_length=max_length)
    for seed in (-1, "x"):
        with pytest.raises(ValueError, match="seed: a whole number from 0 or a numpy Generator is needed"):
            model.sample(seed)


def test_a_wide_window_costs_nothing_where_contexts_are_short():
    wide, narrow = (random_model(0, start=True, window=window) for window in (30_000_000, 4))
    began = time.process_time()
    found = wide.probabilities_after(["ab"])
    assert time.process_time() - began < 1.0  # going through the window takes 30 s
    np.testing.assert_allclose(found, narrow.probabilities_after(["ab"]))
    unbounded = wide.replace(window=2**70)
    np.testing.assert_allclose(unbounded.probabilities_after(["ab", ""])[:1], found)
    assert unbounded.bits_per_symbol(["ab"]) == pytest.approx(narrow.bits_per_symbol(["ab"]))


@pytest.mark.parametrize(
    "damage",
    [
        {"options": None},
        {"options": {}},
        {"options": {"temperature": 1.0}},
        {"options": {"window": "3"}},
        {"options": {"contexts": []}},
        {"options": {"mixing": None}},
        {"options": {"floor": [1]}},
    ],
)
def test_damaged_options_are_refused(tmp_path, damage):
    path = tmp_path / "model.npz"
    random_model(0, start=True, window=3).save(path)
    header, arrays = load_arrays(path, "language model", 1)
    options = {**header["options"], **damage["options"]} if damage["options"] else damage["options"]
    content = {k: v for k, v in header.items() if k not in ("kind", "version")}
    save_arrays(path, "language model", 1, {**content, "options": options}, arrays)
    with pytest.raises(ValueError, match=r"path: .*model.npz' is damaged"):
        LanguageModel.load(path)


def test_a_file_without_options_is_refused(tmp_path):
    path = tmp_path / "model.npz"
    save_arrays(path, "language model", 1, *random_model(0, start=True, window=3).automaton._to_arrays())
    with pytest.raises(ValueError, match=r"path: .*model.npz' is damaged"):
        LanguageModel.load(path)


def test_unseen_symbols_and_empty_corpora_are_errors():
    model = random_model(8, start=True, window=3)
    with pytest.raises(
        ValueError, match=r"2 symbols are not in .* first is 'x', symbol 2 of sequence 2; remove"
    ):
        model.bits_per_symbol([("a", "</s>"), ("a", "x", "y", "</s>")])
    with pytest.raises(ValueError, match="context: 'x' is not in the alphabet"):
        model.rank("ax")
    assert model.rank("xabab")  # outside the window
    for nothing in ([], [()], [("<s>",)]):
        with pytest.raises(ValueError, match="no symbol to score"):
            model.bits_per_symbol(nothing, ends=False)


def test_contexts_of_all_lengths_at_once():
    model = random_model(9, start=False, window=1)
    assert model.probabilities_after([]).shape == (0, 3)
    np.testing.assert_allclose(model.probabilities_after(["", "ab"]), [by_reference(model, ())] * 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "contexts", "shrinkage", "bits"),
    [
        ("paper", "longest", 0, 1.760),
        ("heavy", "longest", 4, 1.724),
        ("heavy", "mixed", 0, 1.692),
    ],
)
def test_penn_treebank(data_dir, method, contexts, shrinkage, bits):
    """The paper's own set-up (it reports 1.741), and the default one; n is chosen on the valid part."""
    start = contexts == "mixed"
    parts = {"alphabet": None}
    for part in ("train", "valid", "test"):
        path = data_dir / "ptb" / f"ptb.char.{part}.txt"
        parts[part] = read_text(path, unit="token", start_symbol=start, alphabet=parts["alphabet"])
        parts["alphabet"] = parts["train"].alphabet
    f = substring_expectations(parts["train"], 5)
    blocks = hankel_blocks(f, matching_basis(f, method=method))
    automaton = learn_automaton(blocks, shrinkage=shrinkage / f.n_sequences, dtype=np.float32)
    model = LanguageModel(automaton, 5, contexts=contexts)
    numbers = [1300, automaton.n_states]
    dev_bits = bits_for_states(model, parts["valid"], numbers)
    chosen = model.replace(automaton=automaton.truncate(numbers[int(np.argmin(dev_bits))]))
    assert chosen.bits_per_symbol(parts["test"]) <= bits


def test_spice_verbs(data_dir):
    """Problem 4 of SPiCe at T = 5: mixed contexts with a start symbol rank better than the longest one."""
    folder = data_dir / "spice"
    train = read_spice(folder / "train" / "4.spice.train", start_symbol=True)
    prefixes = list(read_spice(folder / "prefixes" / "4.spice.prefix.public", end_symbol=False))
    targets = read_spice_targets(folder / "targets" / "4.spice.target.public", len(prefixes))
    f = substring_expectations(train, 5)
    model = LanguageModel(learn_automaton(hankel_blocks(f, matching_basis(f)), 300), 5, unseen="skip")
    longest = model.replace(contexts="longest")
    mixed_score = ndcg(model.rankings(prefixes), targets)
    assert mixed_score >= 0.60
    assert mixed_score >= ndcg(longest.rankings(prefixes), targets) + 0.01


def test_a_sentence_as_the_context_of_a_model_of_words():
    corpus = Corpus.from_sequences([["the", "old", "man"], ["the", "cat"]] * 5, end_symbol=True)
    f = substring_expectations(corpus, 3)
    model = LanguageModel(learn_automaton(hankel_blocks(f, matching_basis(f)), 2), 3, contexts="longest")
    with pytest.raises(ValueError, match="as a tuple or a list"):
        model.rank("the old")
    with pytest.raises(ValueError, match="remove it"):
        model.rank(("the", "dog"))


def test_the_weight_of_the_shorter_context_may_be_as_large_as_numbers_are():
    learner = SpectralLearner(3, 2).fit(["abab", "ab", "bba"] * 3)
    alone = learner.model_.replace(mixing=1e12).next_symbol_probabilities("ab")
    np.testing.assert_allclose(learner.model_.replace(mixing=1e308).next_symbol_probabilities("ab"), alone)
    assert np.isfinite(learner.model_.replace(mixing=1e308).bits_per_symbol(["abab"]))


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


def test_a_window_that_is_too_long_is_warned_of_once():
    automaton = SpectralLearner(max_length=2, n_states=2, mixture=False).fit(["abab", "ba"]).automaton_
    with pytest.warns(UserWarning, match="values of longer ones are guesses"):
        model = LanguageModel(automaton, 5)
    assert model.replace(mixing=2.0).window == 5
    with pytest.warns(UserWarning, match="values of longer ones are guesses"):
        model.replace(window=4)
