"""What version 0.1.0 wrote, and how its modules were called: all of it still loads.

`written_by_0_1_0` holds what d824d80 wrote of the five sentences below: a pickle of one object of each class,
and the files of an automaton, a model and a function on strings.
"""

import importlib
import pickle
import re
from pathlib import Path

import hankelmatch
import numpy as np
import pytest
from hankelmatch import LanguageModel, SequenceFunction, SpectralLearner, WeightedAutomaton, match

WRITTEN = Path(__file__).resolve().parents[1] / "written_by_0_1_0"
SENTENCES = ["abab", "aab", "ba", "abba", "bab"] * 4
NEXT_SYMBOLS = [0.27802554, 0.19082202, 0.53115244, 0.0]  # after "ab"


@pytest.fixture
def objects():
    with pytest.warns(DeprecationWarning, match="is now in hankelmatch"):
        return pickle.loads((WRITTEN / "objects.pickle").read_bytes())


def test_pickles_load_as_the_classes_of_today(objects):
    for name, thing in objects.items():
        assert type(thing) is getattr(hankelmatch, type(thing).__name__), name


def test_what_pickles_hold_can_be_used(objects):
    assert objects["function"]("ab") == pytest.approx(1.0)
    assert objects["automaton"]("ab") == pytest.approx(0.9925811139586632)
    assert objects["model"].next_symbol_probabilities("ab") == pytest.approx(NEXT_SYMBOLS)
    assert match(objects["graph"]).size == len(objects["basis"].prefixes)
    assert objects["matching"].size == 2
    assert objects["weighted"].weight == 6.0
    assert objects["form"].n_blocks == 1
    assert objects["blocks"].H.shape == (len(objects["basis"].prefixes), len(objects["basis"].suffixes))
    assert len(objects["corpus"]) == len(SENTENCES)
    assert np.isfinite(objects["learner"].score(SENTENCES))
    assert isinstance(objects["learner"], SpectralLearner)
    objects["learner"].fit(SENTENCES)
    assert len(objects["svd"].singular_values) == 4
    assert len(objects["ranked"].prefixes) == len(objects["ranked"].suffixes)


def test_files_load():
    assert WeightedAutomaton.load(WRITTEN / "automaton.npz")("ab") == pytest.approx(0.9925811139586632)
    assert SequenceFunction.load(WRITTEN / "function.npz")("ab") == pytest.approx(1.0)
    model = LanguageModel.load(WRITTEN / "model.npz")
    assert model.next_symbol_probabilities("ab") == pytest.approx(NEXT_SYMBOLS)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("corpus", "read_text"),
        ("corpus", "sample_text"),
        ("spice", "write_spice_rankings"),
        ("graph", "prefix_suffix_graph"),
        ("model_choice", "bits_for_options"),
    ],
)
def test_an_old_name_of_a_module_says_where_its_names_are(module, name):
    old = importlib.import_module(f"hankelmatch.{module}")
    message = f"hankelmatch.{module} is now in (hankelmatch.*); import {name} from there"
    with pytest.warns(DeprecationWarning, match=message) as warnings:
        thing = getattr(old, name)
    new = importlib.import_module(re.match(message, str(warnings[0].message))[1])
    assert getattr(new, name) is thing
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = old.nothing


def test_an_old_module_does_not_hide_the_function_of_its_name():
    importlib.import_module("hankelmatch.dulmage_mendelsohn")
    assert callable(hankelmatch.dulmage_mendelsohn)
    assert hankelmatch.dulmage_mendelsohn.__name__ == "dulmage_mendelsohn"
