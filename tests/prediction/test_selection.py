"""Many options or numbers of states at once: what each gives by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hankelmatch.prediction.selection import bits_for_options, bits_for_states, probabilities_for_options

from .language_models import OPTIONS, random_model, sequences_for


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


def test_whole_histories_are_refused():
    model = random_model(2, start=True, window=3).replace(history="whole")
    sequences = sequences_for(model, ["abba", "b"])
    for share in (
        lambda: bits_for_options(model, sequences, [{"mixing": 1.0}]),
        lambda: bits_for_states(model, sequences, [1]),
        lambda: list(probabilities_for_options(model, sequences, [{"mixing": 1.0}])),
    ):
        with pytest.raises(ValueError, match=r'^model: its history is "whole"'):
            share()


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
