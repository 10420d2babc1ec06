"""What people expect of a predictor, and what misled them: every call says what it takes, and what it did."""

from __future__ import annotations

import importlib
import math
import pickle
import sys

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    Corpus,
    HankelBlocks,
    LanguageModel,
    SequenceFunction,
    SpectralLearner,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
    match,
    matching_basis,
    substring_expectations,
)
from hankelmatch._utils.files import save_arrays
from hankelmatch.automata import automaton as automaton_module
from hankelmatch.cli import main
from hankelmatch.prediction._text_scores import CorpusScore
from hankelmatch.sequences import sample_text

WORDS = [["the", "cat", "sat"], ["the", "dog", "sat"], ["a", "cat", "ran"], ["the", "cat", "ran"]] * 5


@pytest.fixture(scope="module")
def words() -> SpectralLearner:
    return SpectralLearner(3, 5).fit(WORDS)


@pytest.fixture(scope="module")
def letters() -> SpectralLearner:
    return SpectralLearner(3, 5).fit(["abab", "ab", "ababab", "ba"])


# ------------------------------------------------------------------------------ what may mean two things


def test_a_list_of_texts_is_not_one_string_of_characters(letters):
    for function in (letters.automaton_, letters.function_):
        assert function("ab") == function(["a", "b"]) == function(("a", "b"))
        with pytest.raises(ValueError, match=r"string: 'ab' in it is no symbol of the alphabet, but a text"):
            function(["ab"])
        assert function("xyz") == function(["x"]) == function(["xy"]) == 0.0
    with pytest.raises(ValueError, match="context: 'ab' in it is no symbol of the alphabet, but a text"):
        letters.model_.rank(["ab", "ba"])


def test_a_text_is_no_string_of_words(words):
    for function in (words.automaton_, words.function_):
        assert function(("the", "cat")) == function(["the", "cat"]) != 0
        with pytest.raises(
            ValueError, match="string: 'the' would be read as characters, but the alphabet has"
        ):
            function("the")
        assert function("a") == function(("a",))  # a word that is a character
    for unseen in ("error", "skip"):
        model = words.model_.replace(unseen=unseen)
        for text in ("the", "a cat"):
            with pytest.raises(ValueError, match=f"context: '{text}' would be read as characters"):
                model.rank(text)
        assert model.rank(("the",)) == model.rank(["the"])


def test_one_context_or_many(words, letters):
    with pytest.raises(
        ValueError, match=r"contexts: a list of words as \['the', 'cat'\] may be one context or"
    ):
        words.predict(["the", "cat"])
    assert words.predict([("the", "cat"), ("the",)]) == [
        words.predict(("the", "cat")),
        words.predict(("the",)),
    ]
    assert letters.predict(["ab", "a"]) == [letters.predict("ab"), letters.predict("a")]
    with pytest.raises(ValueError, match=r"context: \['the', 'cat'\] in it is no symbol .* many strings"):
        words.model_.rank([["the", "cat"], ["the"]])
    with pytest.raises(ValueError, match=r"context: .* in it is no symbol"):
        words.model_.next_symbol_probabilities([("the", "cat")])


# ------------------------------------------------------------------------------------------ the length T


def test_the_automaton_carries_the_length_of_the_strings_that_it_was_learned_from(tmp_path):
    f = substring_expectations(["abab", "ba"], 2)
    automaton = learn_automaton(hankel_blocks(f, matching_basis(f)))
    assert automaton.max_length == automaton.truncate(1).max_length == 2
    assert automaton.astype("float32").max_length == 2
    assert LanguageModel(automaton).max_length == LanguageModel(automaton).window == 2
    automaton.save(tmp_path / "a.npz")
    assert WeightedAutomaton.load(tmp_path / "a.npz").max_length == 2
    with pytest.warns(
        UserWarning, match="max_length: 50 given, but the automaton was learned from strings of"
    ) as w:
        model = LanguageModel(automaton, 50)
    assert w[0].filename == __file__
    assert model.window == 50
    with pytest.warns(UserWarning, match="window: 50 given"):
        LanguageModel(automaton, window=50)
    assert LanguageModel(automaton, window=1).replace(max_length=2).window == 2
    with pytest.raises(TypeError, match="window: it is another name of max_length, which is given too"):
        LanguageModel(automaton, 2, window=2)
    with pytest.raises(TypeError, match="max_length: the automaton does not know"):
        LanguageModel(WeightedAutomaton([1.0], [1.0], {"a": [[0.5]]}))


# ------------------------------------------------------------------------------------- the small errors


def test_a_method_may_be_written_with_underscores():
    graph = {"a": ["x"], "b": ["x", "y"]}
    assert match(graph, method="hopcroft_karp").size == 2
    assert matching_basis({"ab": 1.0}, method="hopcroft_karp").shape == matching_basis({"ab": 1.0}).shape
    assert SpectralLearner(2, 2, method="hopcroft_karp").fit(["ab", "ba"]).matching_.size > 0


def test_matrices_by_label(letters):
    automaton, blocks = letters.automaton_, letters.blocks_
    for label in ("a", "b", "</s>"):
        symbol = automaton.alphabet.id(label)
        assert np.array_equal(automaton.transitions[label], automaton.transitions[symbol])
        assert (blocks.H_sigma[label] != blocks.H_sigma[blocks.alphabet.id(label)]).nnz == 0
    for matrices in (automaton.transitions, blocks.H_sigma):
        with pytest.raises(KeyError, match="'z' is not in the alphabet"):
            matrices["z"]
    numbers = WeightedAutomaton([1.0], [1.0], {7: [[0.5]], 0: [[0.25]]})
    assert numbers.transitions[0].item() == 0.5  # an id
    own = HankelBlocks.from_matrices(np.eye(2), {"a": np.eye(2)})
    assert own.H_sigma["a"].nnz == 2


def test_a_function_is_made_of_values():
    f = SequenceFunction({"": 1.0, "ab": 0.5}, n_sequences=2)
    assert (f("ab"), f.n_sequences, len(f)) == (0.5, 2, 2)
    with pytest.raises(
        TypeError, match=r"values: a mapping .* a corpus is counted by substring_expectations"
    ):
        SequenceFunction(["ab"])


def test_a_corpus_of_sequences_names_its_constructor():
    with pytest.raises(TypeError, match=r"Corpus.from_sequences\(sequences\) takes sequences of labels"):
        Corpus(["ab"])


def test_the_module_of_the_name_of_a_function_is_there_for_what_it_had():
    module = importlib.import_module("hankelmatch.dulmage_mendelsohn")
    with pytest.warns(DeprecationWarning, match="is now in hankelmatch.matching"):
        assert module.DulmageMendelsohn is sys.modules["hankelmatch"].DulmageMendelsohn


def test_weights_too_small_are_refused_by_their_name():
    with pytest.raises(
        ValueError, match=r"sample_weight: their sum is .*; it must be above 5e-309 and at most"
    ):
        SpectralLearner(2, 2).fit(["ab"], sample_weight=[1e-320])


def test_the_learner_and_the_basis_choose_the_same_matching(letters):
    basis = matching_basis(letters.function_)
    assert list(basis.prefixes) == list(letters.basis_.prefixes)
    assert list(basis.suffixes) == list(letters.basis_.suffixes)


# -------------------------------------------------------------------------------- probabilities and samples


def test_probabilities_of_all_next_symbols(words, letters):
    proba = words.predict_proba([("the",), ("a", "cat")])
    assert proba.shape == (2, len(words.classes_))
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert [words.classes_[i] for i in proba.argmax(axis=1)] == words.predict([("the",), ("a", "cat")])
    np.testing.assert_allclose(letters.predict_proba("ab")[0], letters.model_.next_symbol_probabilities("ab"))
    assert not hasattr(SpectralLearner(), "classes_")


def test_rankings_with_probabilities(letters):
    model = letters.model_
    ranked = model.rank("ab", 2, with_probabilities=True)
    assert [label for label, _ in ranked] == model.rank("ab", 2)
    p = model.next_symbol_probabilities("ab")
    assert [value for _, value in ranked] == [p[model.alphabet.id(label)] for label, _ in ranked]
    many = model.rankings(["ab", ""], 2, with_probabilities=True)
    assert [[label for label, _ in row] for row in many] == model.rankings(["ab", ""], 2)


def test_log_probabilities_of_symbols_and_sequences(letters):
    model, rows = letters.model_, ["ab", "", "bab"]
    by_symbol = model.symbol_log_probabilities(rows)
    for row, found in zip(rows, by_symbol, strict=True):
        labels = [*row, "</s>"]
        expected = [
            math.log(model.next_symbol_probabilities(row[:i])[model.alphabet.id(label)])
            for i, label in enumerate(labels)
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(model.log_probability(rows), [own.sum() for own in by_symbol])
    total = sum(own.sum() for own in by_symbol)
    n = sum(map(len, by_symbol))
    assert -total / n / math.log(2) == pytest.approx(model.bits_per_symbol(rows))
    assert model.perplexity(rows) == pytest.approx(math.exp(-total / n))
    assert model.score(rows).perplexity == pytest.approx(model.perplexity(rows))
    assert [len(own) for own in model.symbol_log_probabilities(rows, ends=False)] == [2, 0, 3]


def test_a_perplexity_beyond_float64_is_infinite(letters, monkeypatch):
    assert CorpusScore(1023.0, 1, 0).perplexity == 2.0**1023
    assert CorpusScore(1024.0, 1, 0).perplexity == math.inf
    monkeypatch.setattr(type(letters.model_), "_bits_of", lambda *_: 1500.0)
    assert letters.model_.perplexity(["ab"]) == math.inf


def test_predictions_as_arrays(letters):
    model = letters.model_
    found = model.predictions(["ab", "b"])
    labels = [model.alphabet.labels[i] for i in found.symbols]
    assert labels == ["a", "b", "</s>", "b", "</s>"]
    assert found.offsets.tolist() == [0, 3, 5]
    assert -np.log2(found.probabilities).mean() == pytest.approx(model.bits_per_symbol(["ab", "b"]))
    assert np.exp(model.log_probability(["b"])[0]) == pytest.approx(found.probabilities[3:].prod())
    skipping = model.replace(unseen="skip")
    assert skipping.predictions(["azb"]).offsets.tolist() == [0, 3]
    assert np.isnan(skipping.symbol_log_probabilities(["azb"])[0]).tolist() == [False, True, False, False]


def test_samples_that_begin_with_a_prefix(words, letters):
    for seed in range(5):
        sample = letters.model_.sample(seed, prefix="ab", max_length=12)
        assert sample[:2] == ("a", "b")
        assert len(sample) <= 12
        text = letters.model_.sample(seed, prefix="ab", max_length=12, as_text=True)
        assert text == "".join(sample).removesuffix("</s>")
        sentence = words.model_.sample(seed, prefix=("the",), as_text=True)
        assert sentence.startswith("the ")
        assert "</s>" not in sentence
    assert letters.model_.sample(0, prefix=("<s>", "a"), max_length=1) == ("a",)
    assert letters.model_.sample(3) == letters.model_.sample(3, prefix=())
    with pytest.raises(ValueError, match="prefix: 'z' is not in the alphabet"):
        letters.model_.sample(0, prefix="z")


# ------------------------------------------------------------------------------------- an unknown symbol


def test_rare_symbols_become_the_unknown_one_and_so_do_new_ones(tmp_path):
    corpus = Corpus.from_sequences(WORDS, end_symbol=True).with_unknown_symbol(6)
    assert corpus.alphabet.labels == ("cat", "ran", "sat", "the", "</s>", "<unk>")
    assert corpus[1] == ("the", "<unk>", "sat", "</s>")
    assert corpus.alphabet.unknown_symbol == "<unk>"
    assert corpus.alphabet.get("new") == corpus.alphabet.id("new") == corpus.alphabet.unknown_id == 5
    assert "new" not in corpus.alphabet
    assert Alphabet.from_json(corpus.alphabet.to_json()) == corpus.alphabet
    for kind in (["the", "new"], np.array(["the", "new"]), ("the", "new")):
        assert Corpus.from_sequences([kind], corpus.alphabet)[0] == ("the", "<unk>", "</s>")
    other = Corpus.from_sequences([["new", "the"]]).reencode(corpus.alphabet)
    assert other[0] == ("<unk>", "the")
    digits = Corpus.from_sequences([np.array([1, 2, 1])]).with_unknown_symbol(2, -5)
    assert digits.alphabet.encode([np.array([1, 9])])[0].tolist() == [0, 1]
    text = Corpus.from_sequences(["aab"]).with_unknown_symbol(2)
    assert text.alphabet.encode(["az"])[0].tolist() == [0, 1]
    with pytest.raises(ValueError, match="unknown_symbol: '</s>' is the end or start symbol too"):
        Alphabet(["a", "</s>"], "</s>", None, "</s>")


def test_a_text_that_has_the_unknown_symbol_already():
    corpus = Corpus.from_sequences([["a", "<unk>", "b"], ["a", "b"]]).with_unknown_symbol(1)
    assert corpus.alphabet.labels == ("a", "b", "<unk>")
    assert corpus[0] == ("a", "<unk>", "b")


def test_a_learner_with_an_unknown_symbol(tmp_path):
    learner = SpectralLearner(3, 4, min_symbol_count=6).fit(WORDS)
    model = learner.model_
    assert model.alphabet.unknown_symbol == "<unk>"
    assert learner.predict(("the", "zebra")) == learner.predict(("the", "dog"))
    score = model.score([["the", "zebra", "sat"]])
    assert (score.n_scored, score.n_skipped, score.n_unknown) == (4, 0, 1)
    everything = model.perplexity([["the", "zebra", "sat"]])
    known = model.perplexity([["the", "zebra", "sat"]], unknown=False)
    logs = model.symbol_log_probabilities([["the", "zebra", "sat"]])[0]
    assert everything == pytest.approx(math.exp(-logs.mean()))
    assert known == pytest.approx(math.exp(-logs[[0, 2, 3]].mean()))
    with pytest.raises(ValueError, match="corpus: all its symbols are unknown"):
        model.perplexity([["zebra"]], ends=False, unknown=False)
    model.save(tmp_path / "m.npz")
    assert LanguageModel.load(tmp_path / "m.npz").score([["zebra"]]).n_unknown == 1
    with pytest.raises(ValueError, match="min_symbol_count: 2 given, but corpus has been counted already"):
        SpectralLearner(3, 4, min_symbol_count=2, start_symbol=False, end_symbol=False).fit(
            substring_expectations(WORDS, 3)
        )


# --------------------------------------------------------------------------------------- what was tried


def test_what_was_tried_as_a_table(monkeypatch):
    learner = SpectralLearner(3).fit(WORDS)
    columns = learner.tried_table()
    names = [
        "contexts",
        "n_states",
        "shrinkage",
        "mixing",
        "floor_share",
        "bits_per_symbol",
        "seconds",
        "is_chosen",
    ]
    assert list(columns) == names
    assert len(columns["bits_per_symbol"]) == len(learner.trials_)
    chosen = [bits for bits, yes in zip(columns["bits_per_symbol"], columns["is_chosen"], strict=True) if yes]
    assert len(set(chosen)) == 1
    assert learner.dev_bits_ <= chosen[0] * (1 + 1e-12)  # a sum in another order
    assert chosen[0] <= min(columns["bits_per_symbol"]) * (1 + 1e-4)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(learner.tried_table(), dict)


def test_a_plot_on_axes_of_ones_own():
    pyplot = pytest.importorskip("matplotlib.figure")
    from hankelmatch.plot import plot_states  # noqa: PLC0415 - matplotlib is optional

    figure = pyplot.Figure()
    left, right = figure.subplots(1, 2)
    learner = SpectralLearner(3).fit(WORDS)
    assert plot_states(learner, ax=right) is figure
    assert right.lines
    assert not left.lines
    with pytest.raises(TypeError, match="ax: axes of matplotlib are needed"):
        plot_states(learner, ax=3)


# ---------------------------------------------------------------------------------------- sizes of files


def test_a_large_model_is_saved_small_and_predicts_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(automaton_module, "_COMPACT_FROM", 1000)
    sentences = sample_text()[:400]
    learner = SpectralLearner(4, 150).fit(sentences[:300])
    model, path = learner.model_, tmp_path / "model.npz"
    model.save(path, exact=True)
    exact_size = path.stat().st_size
    exact = LanguageModel.load(path)
    np.testing.assert_array_equal(exact.automaton.transitions["a"], model.automaton.transitions["a"])
    model.save(path)
    assert path.stat().st_size < exact_size / 3
    small = LanguageModel.load(path)
    kept = sentences[:50]
    assert small.bits_per_symbol(kept) == pytest.approx(model.bits_per_symbol(kept), abs=1e-3)
    assert small.automaton.dtype == model.automaton.dtype
    assert (small.alphabet, small.window, small.mixing) == (model.alphabet, model.window, model.mixing)
    assert small.automaton.transitions.nbytes == model.automaton.transitions.nbytes
    model.automaton.astype("float64").save(tmp_path / "a.npz")
    assert (tmp_path / "a.npz").stat().st_size < exact_size / 2
    wide = WeightedAutomaton.load(tmp_path / "a.npz")
    assert wide.dtype == np.float64
    assert wide("the") == pytest.approx(model.automaton("the"), rel=1e-3)
    again = pickle.loads(pickle.dumps(model))  # without what it was learned from
    again.save(path)
    assert path.stat().st_size == pytest.approx(exact_size, rel=0.01)


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_small_files_hold_values_of_any_size(tmp_path, monkeypatch, scale):
    monkeypatch.setattr(automaton_module, "_COMPACT_FROM", 1000)
    counted = substring_expectations(sample_text()[:200], 4)
    f = SequenceFunction.from_strings(counted.strings(), counted.values() * scale)
    automaton = learn_automaton(hankel_blocks(f, matching_basis(f)), 100)
    automaton.save(tmp_path / "a.npz")
    automaton.save(tmp_path / "exact.npz", exact=True)
    assert (tmp_path / "a.npz").stat().st_size < (tmp_path / "exact.npz").stat().st_size / 2
    loaded = WeightedAutomaton.load(tmp_path / "a.npz")
    assert automaton("the") > scale / 1e6
    assert loaded("the") == pytest.approx(automaton("the"), rel=1e-3, abs=0)


def test_a_damaged_small_model_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(automaton_module, "_COMPACT_FROM", 1000)
    model = SpectralLearner(4, 100).fit(sample_text()[:200]).model_
    damages = {
        "compact_columns": lambda array: array * 0 + 60_000,
        "compact_row_sizes": lambda array: array[:-1],
        "compact_offsets": lambda array: array[:-1],
        "compact_rows": lambda array: array[:-1],
        "compact_right": lambda array: array[:, :-1],
    }
    for name, damage in damages.items():
        header, arrays = model._to_arrays()
        damaged = {**arrays, name: damage(arrays[name])}
        save_arrays(tmp_path / "m.npz", "language model", 1, header, damaged)
        with pytest.raises(ValueError, match=r"path: .*m.npz' is damaged"):
            LanguageModel.load(tmp_path / "m.npz")


def test_learn_reports_the_size_of_the_file(tmp_path, capsys):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(sample_text()[:100]), encoding="utf-8")
    model = tmp_path / "model.npz"
    assert main(["learn", str(path), "--max-length", "2", "--states", "9", "-o", str(model)]) == 0
    assert f"saved to {model}, 0.0 MB" in capsys.readouterr().out
