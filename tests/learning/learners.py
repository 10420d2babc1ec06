"""Learners that take no time."""

from __future__ import annotations

from hankelmatch.learner import SpectralLearner
from hankelmatch.sequences.sample import sample_text

SENTENCES = sample_text()[:300]


def plain_learner(*arguments, **options) -> SpectralLearner:
    """A learner whose automaton alone predicts."""
    return SpectralLearner(*arguments, **options, mixture=False)
