"""The n-gram model of the benchmarks against the definition, written out with dictionaries."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hankelmatch import Corpus, read_text
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.paper import kneser_ney

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


@given(texts, frames, st.integers(1, 4))
def test_is_what_the_definition_says(sequences, frame, order):
    end, start = frame
    corpus = Corpus.from_sequences([*sequences, "abc"], end_symbol=end, start_symbol=start)
    model = kneser_ney.fit(corpus, order)
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
    model = kneser_ney.fit(corpus, 3)
    reference = Reference(list(corpus), corpus.alphabet, 3)
    np.testing.assert_allclose(model.discounts, reference.discounts, rtol=1e-12)
    assert not np.allclose(model.discounts[1], [0.5, 1.0, 1.5])
    np.testing.assert_allclose(
        model.probabilities_after([[3, 4, 5]])[0, :-1], distribution(reference, [3, 4, 5]), rtol=1e-9
    )


def test_symbols_of_other_texts_are_refused_or_skipped():
    corpus = Corpus.from_sequences(["abab", "ba"], end_symbol=True, start_symbol=True)
    with pytest.raises(ValueError, match="not in the model's alphabet"):
        kneser_ney.fit(corpus, 2).bits_per_symbol(["az"])
    with pytest.raises(ValueError, match="not in the alphabet"):
        kneser_ney.fit(corpus, 2).probabilities_after(["az"])
    model = kneser_ney.fit(corpus, 3, unseen="skip")
    assert math.isfinite(model.bits_per_symbol(["az"]))
    reference = Reference(list(corpus), corpus.alphabet, 3)
    behind = [reference.probability(("b",), label) for label in reference.labels]
    np.testing.assert_allclose(model.probabilities_after(["aazb"])[0, :-1], behind)


def test_bad_arguments_are_named():
    corpus = Corpus.from_sequences(["ab"])
    with pytest.raises(ValueError, match="order: a whole number from 1"):
        kneser_ney.fit(corpus, 0)
    with pytest.raises(TypeError, match="corpus: a Corpus is needed"):
        kneser_ney.fit(["ab"], 2)
    with pytest.raises(ValueError, match="unseen"):
        kneser_ney.fit(corpus, 2, unseen="forget")
    with pytest.raises(ValueError, match="no symbol"):
        kneser_ney.fit(Corpus.from_sequences([""], corpus.alphabet), 2)
    with pytest.raises(ValueError, match="no symbol"):
        kneser_ney.fit(corpus, 2).bits_per_symbol([])


def test_penn_treebank_characters(data_dir):
    """An independent program has 1.686 at order 5."""
    parts = data_dir / "ptb"
    train = read_text(parts / "ptb.char.train.txt", unit="token", start_symbol=True)
    test = read_text(parts / "ptb.char.test.txt", unit="token", alphabet=train.alphabet)
    assert kneser_ney.fit(train, 5).bits_per_symbol(test) == pytest.approx(1.686, abs=0.0015)
