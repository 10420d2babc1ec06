"""A learner for the tests that read what it has learned."""

from __future__ import annotations

import pytest
from hankelmatch.learner import SpectralLearner

from .learners import SENTENCES, plain_learner


@pytest.fixture(scope="session")
def learner() -> SpectralLearner:
    return plain_learner(max_length=3).fit(SENTENCES)
