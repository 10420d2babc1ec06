"""What all distributions over strings share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...sequences.strings import Strings

Sequences: TypeAlias = Strings | Iterable[Iterable[Hashable]]


class OverStrings:
    """Scores of strings by their log-probabilities."""

    @abstractmethod
    def log_probability(self, sequences: Sequences) -> NDArray[np.float64]:
        """Natural logarithms of the probabilities of strings."""

    def score(self, sequences: Sequences, y: object = None) -> float:
        """The mean natural logarithm of the probabilities of some strings; `y` is ignored."""
        found = self.log_probability(sequences)
        if not len(found):
            raise ValueError("sequences: there is none; give at least one")
        return float(found.mean())

    def perplexity(self, sequences: Sequences) -> float:
        """exp(-score): the perplexity of a string, not of a symbol; infinite where one is impossible."""
        return float(np.exp(-self.score(sequences)))
