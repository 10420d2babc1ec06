"""What all distributions over strings share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...sequences.alphabet import Alphabet
from ...sequences.corpus import Corpus
from ...sequences.strings import Strings

Sequences: TypeAlias = Strings | Iterable[Iterable[Hashable]]


def plain_strings(sequences: Sequences, alphabet: Alphabet | None = None) -> Sequences:
    """Leave out the end and start symbols of encoded strings: distributions know where a string ends.

    Those that `alphabet`, a model's, has as symbols of its own stay.
    """
    if not isinstance(sequences, Strings):
        return sequences
    given = sequences.alphabet
    own = {label for label in (given.end_symbol, given.start_symbol) if label is not None}
    own -= set() if alphabet is None else set(alphabet.labels)
    if not own:
        return sequences
    stays = np.array([label not in own for label in given.labels])
    ids = np.append(np.where(stays, np.cumsum(stays) - 1, -1), -1)  # the last one of unknown symbols
    kept = np.append(stays, True)[sequences.symbols]
    labels = [label for label in given.labels if label not in own]
    return type(sequences)(
        ids[sequences.symbols[kept]],
        np.append(0, np.cumsum(kept))[sequences.offsets],
        Alphabet(labels, unknown_symbol=given.unknown_symbol),
    )


def training_strings(sequences: Sequences) -> Strings:
    """Strings to learn from, with the alphabet that they have or use."""
    plain = plain_strings(sequences)
    strings = plain if isinstance(plain, Strings) else Corpus.from_sequences(plain)
    if len(strings) and not len(strings.alphabet):
        raise ValueError("sequences: they have no symbol; give at least one that is not empty")
    return strings


def encoded(sequences: Sequences, alphabet: Alphabet) -> Strings:
    """Strings in a model's alphabet."""
    return Strings.from_sequences(plain_strings(sequences, alphabet), alphabet)


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
        """exp(-score): the perplexity of a string, not of a symbol; infinite where one is impossible.

        So it is beyond float64, where strings have a probability below 1e-308.
        """
        with np.errstate(over="ignore"):
            return float(np.exp(-self.score(sequences)))
