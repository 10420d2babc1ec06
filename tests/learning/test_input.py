"""What the learner takes and refuses: parameters, sequences, boundary symbols, contexts."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hankelmatch._utils.progress import Progress
from hankelmatch.counting.in_memory import substring_expectations
from hankelmatch.hankel.basis import Basis
from hankelmatch.interop.spice import read_spice
from hankelmatch.learner import SpectralLearner
from hankelmatch.sequences.corpus import Corpus
from hankelmatch.sequences.strings import Strings

from .learners import SENTENCES


def test_end_and_start_symbols_are_put_around_sequences_in_whatever_form_they_come():
    rows = [[1, 2, 1], [2, 1]] * 3
    assert SpectralLearner(2, 3).fit(rows).function_.alphabet.labels == (1, 2, "</s>", "<s>")
    assert SpectralLearner(2, 3, start_symbol=False).fit(rows).function_.alphabet.labels == (1, 2, "</s>")
    bits = []
    for form in (
        rows,
        Strings.from_sequences(rows),
        Corpus.from_sequences(rows),
        Corpus.from_sequences(rows, end_symbol=True),
        Corpus.from_sequences(rows, start_symbol=True),
        [["<s>", *row, "</s>"] for row in rows],
    ):
        learner = SpectralLearner(2, 3).fit(form)
        assert learner.function_.alphabet.labels[:2] == (1, 2)
        assert (learner.model_.alphabet.end_symbol, learner.model_.alphabet.start_symbol) == ("</s>", "<s>")
        bits += [learner.score(rows), learner.score(form)]
    assert np.ptp(bits) < 1e-6
    assert SpectralLearner(2, 3, end_symbol=0).fit(rows).predict([[2, 1]])[0] in (0, 1, 2)


def test_the_recipe_for_spice_has_a_start_symbol(tmp_path):
    path = tmp_path / "train"
    path.write_text("3 2\n3 0 1 0\n2 1 0\n1 0\n", encoding="ascii")
    learner = SpectralLearner(2, 3).fit(read_spice(path))
    assert (learner.model_.alphabet.end_symbol, learner.model_.alphabet.start_symbol) == (-1, "<s>")
    marked = SpectralLearner(2, 3, start_symbol=-2).fit(read_spice(path, start_symbol=True))
    assert learner.score(read_spice(path)) == pytest.approx(marked.score(read_spice(path)))


def test_a_stream_stays_as_it_is():
    stream = Corpus.from_sequences(["ababba" * 5])
    assert SpectralLearner(2, 3).fit(stream).function_.alphabet == stream.alphabet
    assert SpectralLearner(2, 3, end_symbol="$").fit(stream).function_.alphabet.labels == ("a", "b", "$")


@pytest.mark.parametrize(
    ("parameters", "corpus", "message"),
    [
        (
            {"start_symbol": False},
            Corpus.from_sequences(["ab", "ba"], start_symbol=True),
            "start_symbol: False given, but the corpus has '<s>' already, which stays; read the text with "
            "start_symbol=False, or give the learner start_symbol='<s>'",
        ),
        (
            {"end_symbol": "$"},
            Corpus.from_sequences(["ab", "ba"], end_symbol=True),
            r"end_symbol: '\$' given, but the corpus has '</s>' already, which stays",
        ),
        (
            {},
            substring_expectations(Corpus.from_sequences(["ab", "ba"], end_symbol=True), 2),
            "start_symbol: True given, but the counts in corpus have none; count a text with "
            "start_symbol=True, or give the learner start_symbol=False",
        ),
    ],
)
def test_a_boundary_symbol_that_cannot_be_had_is_warned_of(parameters, corpus, message):
    with pytest.warns(UserWarning, match=message) as caught:
        SpectralLearner(2, 3, **parameters).fit(corpus)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("parameters", "corpus", "message"),
    [
        ({"basis": "best"}, SENTENCES, "basis: 'best' is unknown; choose one of matching"),
        ({"contexts": "both"}, SENTENCES, "contexts: 'both' is unknown"),
        ({"max_length": 0}, SENTENCES, "max_length: a whole number from 1"),
        ({"n_states": 0}, SENTENCES, "n_states: 0 given"),
        ({"n_states": "many"}, SENTENCES, "n_states: 'many' given"),
        ({"n_states": []}, SENTENCES, r"n_states: \[\] given"),
        ({"n_states": 2.5}, SENTENCES, "n_states: 2.5 given"),
        ({"n_states": True}, SENTENCES, "n_states: True given"),
        ({"max_states": 0}, SENTENCES, "max_states: a whole number from 1"),
        ({"svd": "fast"}, SENTENCES, "'fast' is unknown"),
        ({}, ["ab", "c"], "corpus: 2 sequences of 7 symbols are too few to hold out a tenth"),
        ({}, [], "corpus: there is no sequence in it; give at least one to learn from"),
        ({"n_states": 3}, [], "corpus: there is no sequence in it"),
        ({"n_states": 3, "end_symbol": False, "start_symbol": False}, [""], "it has no symbols"),
    ],
)
def test_what_cannot_be_learned_is_refused(parameters, corpus, message):
    with pytest.raises(ValueError, match=message):
        SpectralLearner(**parameters).fit(corpus)


def test_nothing_to_predict_with_before_fit():
    with pytest.raises(ValueError, match="call fit first"):
        SpectralLearner().predict("a")


def test_parameters_are_read_and_set_by_name():
    learner = SpectralLearner(max_length=4, contexts="mixed")
    parameters = learner.get_params()
    assert parameters["max_length"] == 4
    clone = SpectralLearner(**parameters)
    assert clone.get_params() == parameters
    assert clone.set_params(n_states=7) is clone
    assert repr(clone) == "SpectralLearner(max_length=4, n_states=7, contexts='mixed')"
    assert copy.deepcopy(clone).get_params() == clone.get_params()
    with pytest.raises(ValueError, match="'size' is no parameter of SpectralLearner; there are max_length"):
        clone.set_params(size=3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_length": "3"}, "max_length: a whole number from 1 is needed, not '3'"),
        ({"max_length": None}, "max_length: a whole number from 1 is needed, not None"),
        ({"min_count": 0}, "min_count: a whole number from 1"),
        ({"basis_size": 1.5}, "basis_size: a whole number from 1"),
        ({"seed": -1}, "seed: a whole number from 0 is needed, not -1"),
        ({"svd": "best"}, "svd: 'best' is unknown; choose one of auto, dense"),
        ({"unseen": "ask"}, "unseen: 'ask' is unknown; choose one of error, skip"),
        ({"contexts": None}, "contexts: None is unknown"),
        ({"method": None}, "method: None is unknown; choose one of auto, .*heavy"),
        ({"method": "nonsense"}, "method: 'nonsense' is unknown"),
        ({"mixing": float("nan")}, "mixing: 'auto' or a finite number above 0 is needed, not nan"),
        ({"mixing": None}, "mixing: .* is needed, not None"),
        ({"shrinkage": -1}, "shrinkage: 'auto' or a finite number from 0 is needed, not -1"),
        ({"shrinkage": "much"}, "shrinkage: .* is needed, not 'much'"),
        ({"shrinkage": 10**400}, "shrinkage: .* is needed, not 10*"),
        ({"floor": 10**400}, "floor: .* is needed, not 10*"),
        ({"floor": float("inf")}, "floor: None or a finite number from 0 is needed, not inf"),
        ({"floor": -1.0}, "floor: .* is needed, not -1.0"),
        ({"floor": 0, "contexts": "longest"}, "floor: None or a finite number above 0 is needed, not 0"),
        ({"basis": "top-norm", "basis_size": 0}, "basis_size: a whole number from 1 is needed, not 0"),
        ({"basis": "length", "basis_size": -1}, "basis_size: a whole number from 0 is needed, not -1"),
        ({"dtype": int}, "dtype: <class 'int'> given; float32 or float64 can be used"),
        ({"dtype": "complex"}, "dtype: 'complex' given"),
        ({"n_states": np.array([2, 0])}, "n_states: .* given; give 'auto', or numbers from 1 up"),
    ],
)
def test_parameters_are_checked_before_the_work(parameters, message):
    report = Progress()
    with pytest.raises(ValueError, match=message):
        SpectralLearner(**parameters).fit(SENTENCES, progress=report)
    assert report.report == {}


def test_numbers_of_states_may_be_an_array():
    learner = SpectralLearner(2, np.array([2, 4])).fit(SENTENCES)
    assert {n for _, n in learner.tried_} == {2, 4}
    assert repr(learner) == "SpectralLearner(max_length=2, n_states=array([2, 4]))"


def test_a_length_beyond_every_text_means_all():
    assert SpectralLearner(10**20, 2).fit(["ab", "ba"]).predict("a") in ("b", "</s>")


def test_a_basis_that_the_text_lacks_is_refused():
    basis = Basis([("z", "z")], [("y", "y")])
    with pytest.raises(ValueError, match="H is zero; give a basis"):
        SpectralLearner(2, 1, basis).fit(["ab"])


def test_what_was_learned_survives_a_fit_that_fails():
    learner = SpectralLearner(2, 2).fit(["abab", "ba"])
    before = learner.__dict__.copy()
    learner.basis = (["q"], ["q"])
    with pytest.raises(ValueError, match="H is zero"):
        learner.fit(["xyx", "yy"])
    assert learner.__dict__ == before | {"basis": learner.basis}


def test_a_fitted_learner_can_be_copied_and_pickled(learner):
    for twin in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        assert twin.predict("The") == learner.predict("The")
        assert list(twin.function_.items()) == list(learner.function_.items())


@pytest.mark.parametrize("contexts", [5, np.array([1, 2])])
def test_what_is_no_context_is_refused(contexts):
    learner = SpectralLearner(2, 2).fit([[1, 2], [2, 1]])
    with pytest.raises(TypeError, match="contexts: a str or a tuple of symbols is one context"):
        learner.predict(contexts)
    assert len(learner.predict(np.array([[1, 2], [2, 1]]))) == 2
    # After each of these letters there is one symbol only, so that rounding cannot choose another.
    assert SpectralLearner(2, 4).fit(["abc"]).predict(np.array(["a", "b"])) == ["b", "c"]


def test_an_empty_text_to_choose_on_is_refused():
    with pytest.raises(ValueError, match=r"^dev: there is no symbol"):
        SpectralLearner(2).fit(["abab"] * 3, [])


def test_classes_are_ignored_but_a_corpus_is_text_to_choose_on():
    sequences, dev = ["abab", "ba", "aab"] * 10, Corpus.from_sequences(["abba"], end_symbol=True)
    plain = SpectralLearner(3).fit(sequences)
    for y in (["spam", "ham", "spam"] * 10, [0, 1, 0] * 10, None):
        assert SpectralLearner(3).fit(sequences, y).tried_ == plain.tried_
    chosen = SpectralLearner(3).fit(sequences, dev=dev)
    for text in (dev, ["abba"]):
        assert SpectralLearner(3).fit(sequences, text).tried_ == chosen.tried_ != plain.tried_
    with pytest.raises(ValueError, match="y: text to choose on is given beside dev"):
        SpectralLearner(3).fit(sequences, dev, dev=dev)


def test_a_word_is_no_context_of_characters():
    learner = SpectralLearner(3, 2, unseen="skip").fit([["the", "cat"], ["a", "dog"]])
    with pytest.raises(ValueError, match=r"contexts: a list of words as .* may be one context or many"):
        learner.predict(["the"])
    assert learner.predict(("the",)) == "cat"


def test_what_is_said_of_the_number_of_states(capsys):
    for n_states, said in (
        (2, "2, as asked for"),
        (10_000, ", all there are"),
        ("auto", ", best on held-out text of "),
    ):
        learner = SpectralLearner(2, n_states, unseen="skip", verbose=True)
        learner.fit(SENTENCES[:50], dev=SENTENCES[50:60])
        assert said in capsys.readouterr().err
