"""Old names of parameters: they work, and warn."""

import inspect
import pickle
import re

import hankelmatch
import pytest
from hankelmatch import SpectralLearner
from hankelmatch._utils.deprecation import REMOVED_IN, new_names, renamed_keywords


def test_an_old_keyword_works_and_warns():
    @renamed_keywords(colour="color")
    def paint(*, color="red"):
        return color

    with pytest.warns(DeprecationWarning, match="colour is now color"):
        assert paint(colour="blue") == "blue"
    assert paint(color="green") == "green"
    assert [*inspect.signature(paint).parameters] == ["color"]


def test_a_warning_names_the_version_in_which_the_old_name_goes():
    with pytest.warns(DeprecationWarning, match=f"goes in version {re.escape(REMOVED_IN)}"):
        new_names({"colour": 1}, {"colour": "color"})


def test_old_names_are_there_until_then_and_no_longer():
    def numbers(version):
        return [int(part) for part in version.split(".")]

    assert numbers(hankelmatch.__version__)[:2] < numbers(REMOVED_IN)[:2], (
        "remove the old names, and this promise"
    )


def test_old_and_new_keyword_together_are_refused():
    with pytest.raises(TypeError, match="colour: it is the old name of color"):
        new_names({"colour": 1, "color": 2}, {"colour": "color"})


def test_the_learner_takes_the_old_name_of_its_method():
    with pytest.warns(DeprecationWarning, match="matching_method is now method") as caught:
        learner = SpectralLearner(matching_method="paper")
    assert caught[0].filename == __file__
    assert learner.method == learner.get_params()["method"] == "paper"
    with pytest.warns(DeprecationWarning, match="matching_method is now method"):
        assert learner.set_params(matching_method="auto").method == "auto"
    assert "matching_method" not in learner.get_params()


def test_the_state_of_an_old_learner_gets_the_new_name():
    learner = SpectralLearner(method="paper")
    old = {("matching_method" if name == "method" else name): value for name, value in vars(learner).items()}
    restored = SpectralLearner.__new__(SpectralLearner)
    restored.__setstate__(old)
    assert restored.get_params() == learner.get_params()
    assert pickle.loads(pickle.dumps(restored)).method == "paper"
