"""Files of language models: exact to the bit, and refused where they are damaged."""

from __future__ import annotations

import numpy as np
import pytest
from hankelmatch._utils.files import load_arrays, save_arrays
from hankelmatch.automata.automaton import WeightedAutomaton
from hankelmatch.prediction.language_model import LanguageModel

from .language_models import OPTIONS, random_model


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
