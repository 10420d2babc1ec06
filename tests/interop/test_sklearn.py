"""The habits of a scikit-learn estimator, with scikit-learn itself."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hankelmatch import Basis, SpectralLearner
from hankelmatch.sequences.sample import sample_text

from benchmarks.grid_search import read_tags, search

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'hankelmatch[sklearn]'")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

SENTENCES = sample_text()[:120]
WORDS = [sentence.split() for sentence in SENTENCES]


def lower(sentences):
    return [sentence.lower() for sentence in sentences]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"n_states": [2, 4], "contexts": "longest"},
        {"n_states": np.array([2, 4])},
        {"basis": Basis(["", "a"], ["", "b"]), "n_states": 2},
        {"basis": (["", "a"], ["", "b"]), "seed": 3},
    ],
)
def test_clones_have_the_parameters_and_nothing_learned(parameters):
    learner = SpectralLearner(max_length=2, **parameters)
    fitted = clone(learner).fit(SENTENCES)
    twin = clone(fitted)
    assert repr(twin) == repr(learner)
    assert not hasattr(twin, "model_")
    assert twin.get_params().keys() == learner.get_params().keys()
    check_is_fitted(fitted)
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(twin)


@pytest.mark.slow
def test_classes_are_no_text_to_choose_on():
    scores = [
        cross_val_score(SpectralLearner(2, unseen="skip"), SENTENCES, y, cv=2).tolist()
        for y in (None, ["spam", "ham"] * 60, [0, 1] * 60)
    ]
    assert scores[0] == scores[1] == scores[2]


def test_a_learner_that_is_not_fitted_says_so_as_others_do():
    with pytest.raises(NotFittedError, match="call fit first"):
        SpectralLearner().predict("a")


def test_a_pipeline_prepares_and_learns():
    learner = SpectralLearner(2, 10, unseen="skip")
    pipeline = Pipeline([("lower", FunctionTransformer(lower)), ("learn", learner)])
    assert pipeline.set_params(learn__max_length=3) is pipeline
    fitted = pipeline.fit(SENTENCES)
    plain = SpectralLearner(3, 10, unseen="skip").fit(lower(SENTENCES))
    assert fitted.score(SENTENCES) == plain.score(lower(SENTENCES))
    assert fitted.predict(["TH"]) == plain.predict(["th"])
    weights = np.arange(len(SENTENCES))
    weighted = pipeline.fit(SENTENCES, learn__sample_weight=weights)
    assert weighted.score(SENTENCES) != plain.score(lower(SENTENCES))


@pytest.mark.parametrize("sequences", [SENTENCES, WORDS, [np.array([len(w) for w in s]) for s in WORDS]])
def test_scores_of_folds_are_minus_bits_per_symbol(sequences):
    learner = SpectralLearner(2, 5, unseen="skip")
    folds = KFold(3)
    scores = cross_val_score(learner, sequences, cv=folds)
    for score, (train, test) in zip(scores, folds.split(sequences), strict=True):
        fitted = SpectralLearner(2, 5, unseen="skip").fit([sequences[i] for i in train])
        held_out = [sequences[i] for i in test]
        assert score == pytest.approx(fitted.score(held_out))
        assert score < 0


def test_a_search_finds_the_best_and_learns_with_it():
    grid = {"max_length": [2, 3], "n_states": [2, 20]}
    found = GridSearchCV(SpectralLearner(unseen="skip"), grid, cv=2).fit(SENTENCES)
    assert found.best_score_ == max(found.cv_results_["mean_test_score"])
    again = SpectralLearner(unseen="skip", **found.best_params_).fit(SENTENCES)
    assert found.score(SENTENCES) == again.score(SENTENCES)
    assert found.predict("Th") == again.predict("Th")
    assert pickle.loads(pickle.dumps(found)).best_params_ == found.best_params_


def test_weights_are_cut_with_the_folds():
    weights = np.arange(len(SENTENCES)) % 3
    found = GridSearchCV(SpectralLearner(2, unseen="skip"), {"n_states": [5]}, cv=2)
    found.fit(SENTENCES, sample_weight=weights)
    again = SpectralLearner(2, 5, unseen="skip").fit(SENTENCES, sample_weight=weights)
    assert found.score(SENTENCES) == again.score(SENTENCES)


def test_a_parameter_that_is_none_is_refused():
    with pytest.raises(ValueError, match="'length' is no parameter of SpectralLearner"):
        SpectralLearner().set_params(length=3)


def test_part_of_speech_tags(data_dir):
    """A slice of what ``python -m benchmarks.grid_search`` does with all of it."""
    sentences = read_tags(data_dir / "pos" / "ewt.tags.train.txt")[:1500]
    found = search(sentences, {"max_length": [2, 4], "n_states": [3, 60]}, n_folds=2)
    assert found.best_params_ == {"max_length": 4, "n_states": 60}
    assert 2 < -found.best_score_ < 3
