"""What a language model cannot be made of or asked for is refused by name."""

from __future__ import annotations

import math

import pytest
from hankelmatch.automata.automaton import WeightedAutomaton
from hankelmatch.automata.recovery import learn_automaton
from hankelmatch.counting.in_memory import substring_expectations
from hankelmatch.hankel.basis import matching_basis
from hankelmatch.hankel.blocks import hankel_blocks
from hankelmatch.prediction.language_model import LanguageModel
from hankelmatch.sequences.alphabet import Alphabet
from hankelmatch.sequences.corpus import Corpus

from .. import reference
from .language_models import random_model


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


def test_a_sentence_as_the_context_of_a_model_of_words():
    corpus = Corpus.from_sequences([["the", "old", "man"], ["the", "cat"]] * 5, end_symbol=True)
    f = substring_expectations(corpus, 3)
    model = LanguageModel(learn_automaton(hankel_blocks(f, matching_basis(f)), 2), 3, contexts="longest")
    with pytest.raises(ValueError, match="as a tuple or a list"):
        model.rank("the old")
    with pytest.raises(ValueError, match="remove it"):
        model.rank(("the", "dog"))


def test_what_was_the_default_is_that_of_the_new_model():
    model = random_model(1, start=True, window=3)
    more = model.replace(n_sequences=4000)
    assert more.floor == LanguageModel(model.automaton, 3, n_sequences=4000).floor == model.floor / 200
    assert more.replace(contexts="longest").n_sequences == 4000
    assert random_model(1, start=True, window=3, floor=0.1).replace(n_sequences=4000).floor == 0.1
