"""N-gram models in the ARPA format, read back by a reader of a few lines."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hankelmatch import Corpus, KneserNeyModel
from hankelmatch.interop.arpa import write_arpa


def read(path):
    """Probabilities and back-off weights by n-gram; checks the counts of the header."""
    head, *parts = path.read_text(encoding="utf-8").split("\n\n")
    counts = [int(line.split("=")[1]) for line in head.splitlines()[1:]]
    tables = {}
    for length, part in enumerate(parts[:-1], 1):
        title, *lines = part.splitlines()
        assert title == f"\\{length}-grams:"
        assert len(lines) == counts[length - 1]
        for line in lines:
            p, words, *backoff = line.split("\t")
            tables[tuple(words.split(" "))] = 10 ** float(p), 10 ** float(backoff[0]) if backoff else 1.0
    assert parts[-1] == "\\end\\\n"
    return tables


def probability(tables, context, word):
    if (*context, word) in tables:
        return tables[(*context, word)][0]
    backoff = tables[context][1] if context in tables else 1.0
    return backoff * probability(tables, context[1:], word)


@pytest.mark.parametrize("frame", [{}, {"end_symbol": True}, {"end_symbol": True, "start_symbol": True}])
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_the_file_predicts_as_the_model_does(tmp_path, frame, order):
    rng = np.random.default_rng(order)
    text = Corpus.from_sequences(
        ["".join(rng.choice(list("aab"), rng.integers(1, 7))) for _ in range(15)], **frame
    )
    model = KneserNeyModel(text, order)
    path = tmp_path / "model.arpa"
    write_arpa(path, model)
    tables = read(path)
    begin = ("<s>",) if "start_symbol" in frame else ()
    for length in range(5):
        for context in itertools.product("ab", repeat=length):
            p = model.next_symbol_probabilities(context)
            last = (*begin, *context)[max(0, len(begin) + length - model.order + 1) :]
            found = [probability(tables, last, word) for word in map(str, model.alphabet.labels)]
            expected = [0 if label == "<s>" else x for label, x in zip(model.alphabet.labels, p, strict=True)]
            np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-90)


def test_blanks_and_unknown_symbols_have_names(tmp_path):
    text = Corpus.from_sequences(["a b", "a\tc"], end_symbol="END").with_unknown_symbol(2, "?")
    path = tmp_path / "model.arpa"
    write_arpa(path, KneserNeyModel(text, 1))
    assert {words for (words,) in read(path)} == {"a", "</s>", "<unk>"}
    write_arpa(path, KneserNeyModel(Corpus.from_sequences(["a b", "a\tc"]), 1))
    assert {words for (words,) in read(path)} == {"a", "b", "c", "<U+0020>", "<U+0009>"}


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(TypeError, match="model: a KneserNeyModel is needed"):
        write_arpa(tmp_path / "m.arpa", 3)
    text = Corpus.from_sequences([["1", 1]])
    with pytest.raises(ValueError, match="model: two labels of its alphabet would be written alike"):
        write_arpa(tmp_path / "m.arpa", KneserNeyModel(text, 1))
