"""The n-gram model against the definition, written out with dictionaries."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hankelmatch import (
    Corpus,
    KneserNeyModel,
    SequenceFunction,
    load_model,
    read_text,
    substring_expectations,
)
from hankelmatch._utils.files import load_arrays, save_arrays
from hypothesis import given
from hypothesis import strategies as st

from ..reference import predicted_labels, scored_positions


class Reference:
    """Modified Kneser-Ney by the textbook."""

    def __init__(self, sequences, alphabet, order):
        self.labels, self.start, self.order = predicted_labels(alphabet), alphabet.start_symbol, order
        found = Counter()
        left = {}
        for sequence in sequences:
            for i, j in itertools.combinations(range(len(sequence) + 1), 2):
                if j - i <= order:
                    found[tuple(sequence[i:j])] += 1
                    before = sequence[i - 1] if i else "the beginning"
                    left.setdefault(tuple(sequence[i:j]), set()).add(before)
        self.counts = {}
        for gram, count in found.items():
            if gram[-1] != self.start:
                is_raw = len(gram) == order or gram[0] == self.start
                self.counts[gram] = count if is_raw else len(left[gram])
        self.discounts = [self.estimate(length) for length in range(1, order + 1)]

    def estimate(self, length):
        of_order = [count for gram, count in self.counts.items() if len(gram) == length]
        n = [of_order.count(k) for k in range(1, 5)]
        if 0 in n:
            return [0.5, 1.0, 1.5]
        y = n[0] / (n[0] + 2 * n[1])
        discounts = [k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3)]
        return discounts if min(discounts) > 0 else [0.5, 1.0, 1.5]

    def probability(self, context, label):
        counts = {a: self.counts.get((*context, a), 0) for a in self.labels}
        shorter = self.probability(context[1:], label) if context else 1 / len(self.labels)
        total = sum(counts.values())
        if total == 0:
            return shorter
        by_count = self.discounts[len(context)]
        taken = {a: min(count, by_count[min(count, 3) - 1]) if count else 0 for a, count in counts.items()}
        return (counts[label] - taken[label]) / total + sum(taken.values()) / total * shorter


def distribution(reference, context):
    own = tuple(context)
    if reference.start is not None and own[:1] != (reference.start,):
        own = (reference.start, *own)
    own = own[max(0, len(own) - reference.order + 1) :]
    return [reference.probability(own, label) for label in reference.labels]


texts = st.lists(st.text("abc", max_size=8), min_size=1, max_size=12)
frames = st.tuples(st.booleans(), st.booleans())


@pytest.mark.slow
@given(texts, frames, st.integers(1, 4))
def test_is_what_the_definition_says(sequences, frame, order):
    end, start = frame
    corpus = Corpus.from_sequences([*sequences, "abc"], end_symbol=end, start_symbol=start)
    model = KneserNeyModel(corpus, order)
    reference = Reference(list(corpus), corpus.alphabet, model.order)
    contexts = ["", "a", "ab", "cba", "abcabc"]
    found = model.probabilities_after(contexts)
    for row, context in zip(found, contexts, strict=True):
        np.testing.assert_allclose(row[: len(reference.labels)], distribution(reference, context), rtol=1e-9)
        assert math.isclose(row.sum(), 1.0, rel_tol=1e-9)
    test = Corpus.from_sequences(["abcab", "", "ccc"], corpus.alphabet, end_symbol=end, start_symbol=start)
    bits = [
        -math.log2(reference.probability(context, label))
        for sequence in test
        for context, label in scored_positions(sequence, corpus.alphabet, model.order)
    ]
    assert math.isclose(model.bits_per_symbol(test), sum(bits) / len(bits), rel_tol=1e-9)


def test_discounts_are_estimated_where_the_text_allows():
    rng = np.random.default_rng(0)
    corpus = Corpus.from_sequences(rng.integers(0, 12, (60, 30)), end_symbol=-1, start_symbol=-2)
    model = KneserNeyModel(corpus, 3)
    reference = Reference(list(corpus), corpus.alphabet, 3)
    np.testing.assert_allclose(model.discounts, reference.discounts, rtol=1e-12)
    assert not np.allclose(model.discounts[1], [0.5, 1.0, 1.5])
    np.testing.assert_allclose(
        model.probabilities_after([[3, 4, 5]])[0, :-1], distribution(reference, [3, 4, 5]), rtol=1e-9
    )


def test_symbols_of_other_texts_are_refused_or_skipped():
    corpus = Corpus.from_sequences(["abab", "ba"], end_symbol=True, start_symbol=True)
    with pytest.raises(ValueError, match="not in the model's alphabet"):
        KneserNeyModel(corpus, 2).bits_per_symbol(["az"])
    with pytest.raises(ValueError, match="not in the alphabet"):
        KneserNeyModel(corpus, 2).probabilities_after(["az"])
    model = KneserNeyModel(corpus, 3, unseen="skip")
    assert math.isfinite(model.bits_per_symbol(["az"]))
    reference = Reference(list(corpus), corpus.alphabet, 3)
    behind = [reference.probability(("b",), label) for label in reference.labels]
    np.testing.assert_allclose(model.probabilities_after(["aazb"])[0, :-1], behind)


@given(texts, frames, st.integers(1, 4), st.integers(0, 2))
def test_counted_substrings_serve_every_order(sequences, frame, order, more):
    end, start = frame
    corpus = Corpus.from_sequences([*sequences, "abc"], end_symbol=end, start_symbol=start)
    counted = KneserNeyModel(substring_expectations(corpus, order + more), order)
    read = KneserNeyModel(corpus, order)
    contexts = ["", "a", "ab", "cba", "abcabc"]
    np.testing.assert_array_equal(counted.discounts, read.discounts)
    np.testing.assert_array_equal(counted.probabilities_after(contexts), read.probabilities_after(contexts))
    assert counted.bits_per_symbol([*sequences, "cab"]) == read.bits_per_symbol([*sequences, "cab"])
    assert counted.n_grams == read.n_grams


def test_weighted_sequences_count_as_often_as_they_say():
    repeated = Corpus.from_sequences(["abab", "abab", "ba"], end_symbol=True)
    once = Corpus.from_sequences(["abab", "ba"], end_symbol=True)
    by_weight = substring_expectations(once, 3, sample_weight=[2.0, 1.0])
    expected = KneserNeyModel(repeated, 3).probabilities_after(["", "ab", "b"])
    np.testing.assert_allclose(KneserNeyModel(by_weight, 3).probabilities_after(["", "ab", "b"]), expected)
    halved = KneserNeyModel(substring_expectations(once, 3, sample_weight=[0.3, 0.4]), 3)
    np.testing.assert_allclose(halved.probabilities_after(["", "ab", "b"]).sum(axis=1), 1)


@given(texts, frames, st.integers(1, 4))
def test_save_and_load(tmp_path_factory, sequences, frame, order):
    end, start = frame
    corpus = Corpus.from_sequences([*sequences, "abc"], end_symbol=end, start_symbol=start)
    model = KneserNeyModel(substring_expectations(corpus, 4), order, unseen="skip")
    path = tmp_path_factory.mktemp("models") / "n-grams.npz"
    model.save(path)
    for loaded in (KneserNeyModel.load(path), load_model(path)):
        assert (loaded.order, loaded.unseen, loaded.alphabet) == (model.order, "skip", corpus.alphabet)
        np.testing.assert_array_equal(loaded.discounts, model.discounts)
        contexts = ["", "a", "ab", "cba", "abcabc"]
        np.testing.assert_array_equal(
            loaded.probabilities_after(contexts), model.probabilities_after(contexts)
        )


@pytest.mark.parametrize("damage", [{"n_children": [1, 5]}, {"symbol": [7]}, {"adjusted": [0, -1]}])
def test_damaged_files_are_refused(tmp_path, damage):
    path = tmp_path / "n-grams.npz"
    KneserNeyModel(Corpus.from_sequences(["abab"]), 2).save(path)
    header, arrays = load_arrays(path, "n-gram model", 1)
    save_arrays(path, "n-gram model", 1, header, arrays | {k: np.array(v) for k, v in damage.items()})
    with pytest.raises(ValueError, match="damaged"):
        KneserNeyModel.load(path)


def test_it_has_the_interface_of_a_language_model():
    corpus = Corpus.from_sequences(["abab", "abc", "cab"] * 4, end_symbol=True, start_symbol=True)
    model = KneserNeyModel(corpus, 3)
    for context in ("", "a", "ab", "cabcab"):
        one = model.next_symbol_probabilities(context)
        np.testing.assert_array_equal(one, model.probabilities_after([context])[0])
        best = corpus.alphabet.labels[int(one.argmax())]
        assert model.rank(context, 1) == [best]
        assert model.rankings([context], 1) == [[best]]
    middle = model.next_symbol_probabilities("b", at_start=False)
    np.testing.assert_array_equal(middle, model.probabilities_after(["b"], at_start=False)[0])
    draws = [model.sample(seed) for seed in range(400)]
    assert draws[3] == model.sample(3)
    begins = np.mean([draw[0] == "a" for draw in draws])
    expected = model.next_symbol_probabilities("")[corpus.alphabet.id("a")]
    assert abs(begins - expected) < 5 * np.sqrt(expected * (1 - expected) / len(draws))
    weighted = model.bits_per_symbol(["ab", "c"], sample_weight=[2, 1])
    assert weighted == pytest.approx(model.bits_per_symbol(["ab", "ab", "c"]), rel=1e-12)
    assert model.replace(unseen="skip").score(["az"]).n_skipped == 1
    with pytest.raises(ValueError, match="unseen alone"):
        model.replace(order=2)


def test_bad_arguments_are_named():
    corpus = Corpus.from_sequences(["ab"])
    with pytest.raises(ValueError, match="order: a whole number from 1"):
        KneserNeyModel(corpus, 0)
    with pytest.raises(TypeError, match="corpus: a Corpus or a SequenceFunction is needed"):
        KneserNeyModel(["ab"], 2)
    with pytest.raises(ValueError, match="corpus: a function of all substrings"):
        KneserNeyModel(SequenceFunction.from_dict({"ab": 0.5}), 2)
    with pytest.raises(ValueError, match="corpus: a value of the function is -"):
        KneserNeyModel(SequenceFunction.from_dict({"": 1.0, "a": -0.5}, n_sequences=2), 2)
    with pytest.raises(ValueError, match="unseen"):
        KneserNeyModel(corpus, 2, unseen="forget")
    with pytest.raises(ValueError, match="no symbol"):
        KneserNeyModel(Corpus.from_sequences([""], corpus.alphabet), 2)
    with pytest.raises(ValueError, match="no symbol"):
        KneserNeyModel(corpus, 2).bits_per_symbol([])


def test_penn_treebank_characters(data_dir):
    """An independent program has 1.686 at order 5."""
    parts = data_dir / "ptb"
    train = read_text(parts / "ptb.char.train.txt", unit="token", start_symbol=True)
    test = read_text(parts / "ptb.char.test.txt", unit="token", alphabet=train.alphabet)
    assert KneserNeyModel(train, 5).bits_per_symbol(test) == pytest.approx(1.686, abs=0.0015)
