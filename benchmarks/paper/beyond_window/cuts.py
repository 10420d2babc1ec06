"""How the competition drew its test prefixes, as factors on what every model says of the next symbol.

* *Cuts.* A test prefix is the beginning of a sequence that is cut at one of its places, all of them as
  likely, the place before the end among them. A training text counts every place of every sequence instead.
  So a symbol is the likelier in a test, the shorter the sequences are that go on with it: by the mean of
  1 / (number of places) over these. For the end after k symbols that is 1 / (k + 1).
* *New sequences.* Where a training text holds no sequence twice, as lists of words do, a test holds none of
  them again. After p, a symbol x must be likelier then by the chance that a sequence that begins with p x is
  a new one, which is 1 less the probabilities of all training sequences that begin so.

The factors are logarithms, for a log-linear mixture to weigh: public prefixes decide what they count, and
nothing where they are wrong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence

import numpy as np
from hankelmatch import Corpus, KneserNeyModel
from hankelmatch.prediction._smoothing import Floats
from numpy.typing import NDArray

__all__ = ["FACTORS", "PrefixFactors"]

FACTORS = ("cut", "new", "end")
_PRIOR = 20.0  # occurrences of a symbol at a place, shared by all symbols there
_LEAST_NEW = 0.02  # chance that a sequence is new; models make training sequences too likely

Prefixes = Sequence[Sequence[Hashable]]


class PrefixFactors:
    """The factors of one problem, by its training text.

    Parameters
    ----------
    corpus : Corpus
        The training text, with start and end symbol.
    model : KneserNeyModel
        Of the same text, for the probabilities of its sequences.
    """

    def __init__(self, corpus: Corpus, model: KneserNeyModel) -> None:
        self._alphabet = corpus.alphabet
        self._cut = _cut_factors(corpus)
        self._sequences, self._rests = _sequences_and_rests(corpus, model)

    def __call__(self, prefixes: Prefixes, candidates: NDArray[np.int64]) -> NDArray[np.float32]:
        """For each prefix and each of its candidate symbols, by number, the logarithms of `FACTORS`."""
        factors = np.empty((*candidates.shape, len(FACTORS)), np.float32)
        end = self._alphabet.end_id
        for row, (prefix, symbols) in enumerate(zip(prefixes, candidates, strict=True)):
            ids = tuple(self._alphabet.id(label) for label in prefix)
            is_end = symbols == end
            cut = self._cut[min(len(ids), len(self._cut) - 1)][symbols]
            factors[row, :, 0] = np.log(np.where(is_end, 1.0 / (len(ids) + 1), cut))
            factors[row, :, 1] = np.log(np.maximum(1.0 - self._known(ids)[symbols], _LEAST_NEW))
            factors[row, :, 2] = is_end
        return factors

    def _known(self, prefix: tuple[int, ...]) -> Floats:
        """For each symbol after the prefix, the chance of all training sequences that go on so."""
        n, k = len(self._alphabet), len(prefix)
        first, last = bisect_left(self._sequences, prefix), bisect_left(self._sequences, (*prefix, n))
        symbols = [own[k] for own in self._sequences[first:last]]
        chances = np.exp([rest[k + 1] for rest in self._rests[first:last]])
        return np.bincount(np.array(symbols, np.int64), chances, minlength=n)


def _cut_factors(corpus: Corpus) -> Floats:
    """The mean of 1 / (number of places) by place and symbol; the last row is for places beyond."""
    n_places = np.diff(corpus.offsets) - 1  # no cut before the start symbol
    places = np.arange(corpus.n_symbols) - np.repeat(corpus.offsets[:-1], n_places + 1) - 1
    weights = np.repeat(1.0 / n_places, n_places + 1)
    inside = places >= 0
    shape = (int(n_places.max()) + 1, len(corpus.alphabet))
    codes = places[inside] * shape[1] + corpus.symbols[inside]
    counts, sums = (
        np.bincount(codes, own, minlength=shape[0] * shape[1]).reshape(shape)
        for own in (None, weights[inside])
    )
    at_place = np.append(sums.sum(axis=1)[:-1] / counts.sum(axis=1)[:-1], 1.0 / shape[0])
    return np.asarray((sums + _PRIOR * at_place[:, None]) / (counts + _PRIOR))


def _sequences_and_rests(corpus: Corpus, model: KneserNeyModel) -> tuple[list[tuple[int, ...]], list[Floats]]:
    """Distinct sequences without their start symbol, sorted, and for each place the log-probability of the
    rest, with a 0 after the last.
    """
    starts, symbols = corpus.offsets[:-1] + 1, corpus.symbols
    scored = model.symbol_log_probabilities(corpus)
    rests = {
        tuple(symbols[start:stop].tolist()): np.append(own[::-1].cumsum()[::-1], 0.0)
        for start, stop, own in zip(starts, corpus.offsets[1:], scored, strict=True)
    }
    ordered = sorted(rests)
    return ordered, [rests[own] for own in ordered]
