"""What the compiled core does with probabilistic automata, for arrays as Python has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ...sequences.labels import cumulative

_Floats: TypeAlias = NDArray[np.float64]
_Symbols: TypeAlias = NDArray[np.int32]
_Offsets: TypeAlias = NDArray[np.int64]

Structure: TypeAlias = Literal["free", "hidden-markov"]
"""Whether a state chooses the symbol and the next state together or apart from one another."""
STRUCTURES: tuple[Structure, ...] = get_args(Structure)


class Parameters(NamedTuple):
    """The weights of an automaton of n states: shapes (n,), (n,) and (n_symbols, n, n), float64."""

    initial: _Floats
    final: _Floats
    transitions: _Floats


class TrainingSample:
    """Strings and their weights, sorted and put into tries once, for many passes.

    Symbols are ids from 0; `weights` are not negative.
    """

    def __init__(self, symbols: _Symbols, offsets: _Offsets, weights: _Floats | None = None) -> None:
        self.symbols = np.ascontiguousarray(symbols, np.int32)
        self.offsets = np.ascontiguousarray(offsets, np.int64)
        n = len(self.offsets) - 1
        self.weights = np.ones(n) if weights is None else np.ascontiguousarray(weights, np.float64)
        self._core = _core.Sample(self.symbols, self.offsets)

    @property
    def n_nodes(self) -> int:
        """Nodes of its tries: distinct prefixes, about."""
        return self._core.n_nodes

    @property
    def total_weight(self) -> float:
        return float(self.weights.sum())

    def take(self, places: NDArray[np.int64]) -> TrainingSample:
        """The strings of these numbers, with their weights."""
        lengths = np.diff(self.offsets)[places]
        offsets = cumulative(lengths)
        symbols = np.arange(offsets[-1]) + np.repeat(self.offsets[places] - offsets[:-1], lengths)
        return TrainingSample(self.symbols[symbols], offsets, self.weights[places])

    def joined(self, other: TrainingSample) -> TrainingSample:
        """The strings of both."""
        return TrainingSample(
            np.concatenate([self.symbols, other.symbols]),
            np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]]),
            np.concatenate([self.weights, other.weights]),
        )

    def mean_log_probability(self, parameters: Parameters) -> float:
        """The weighted mean of the strings' log-probabilities."""
        return float(self.weights @ self.log_probabilities(parameters) / self.total_weight)

    def log_probabilities(self, parameters: Parameters) -> _Floats:
        """The strings' natural logarithms of probabilities."""
        return self._core.log_probabilities(*parameters)

    def expected_counts(self, parameters: Parameters, *, single: bool = False) -> tuple[float, Parameters]:
        """The log-likelihood, and how often each weight is expected to be used, given the strings.

        `single`: in single precision, off by about 1e-6 of their size.
        """
        found, initial, final, transitions = self._core.expected_counts(self.weights, *parameters, single)
        return found, Parameters(initial, final, transitions.reshape(parameters.transitions.shape))


def logarithms(automata: Iterable[Parameters], symbols: _Symbols, offsets: _Offsets) -> _Floats:
    """For each automaton the log-probabilities of strings; minus infinity where a symbol is -1."""
    lengths, (known_symbols, known_offsets) = _cut_at_unknown(symbols, offsets)
    sample = _core.Sample(known_symbols, known_offsets)
    whole = lengths == np.diff(offsets)
    found = [np.where(whole, sample.log_probabilities(*parameters), -np.inf) for parameters in automata]
    return np.stack(found)


def prefix_logarithms(parameters: Parameters, symbols: _Symbols, offsets: _Offsets) -> _Floats:
    """For each string, flat, log-probabilities of its prefixes of length 1, 2, ..., then its own: length + 1
    entries. Minus infinity from a symbol -1 on.
    """
    lengths, cut = _cut_at_unknown(symbols, offsets)
    n_cut = np.repeat(lengths, lengths + 1)
    inside = np.arange(len(n_cut)) - np.repeat(cut[1][:-1] + np.arange(len(lengths)), lengths + 1)
    whole = np.repeat(lengths == np.diff(offsets), lengths + 1)
    kept = (inside < n_cut) | whole
    places = np.repeat(offsets[:-1] + np.arange(len(lengths)), lengths + 1) + inside
    found = np.full(len(symbols) + len(lengths), -np.inf)
    found[places[kept]] = _core.Sample(*cut).prefix_log_probabilities(*parameters)[kept]
    return found


def _cut_at_unknown(
    symbols: _Symbols, offsets: _Offsets
) -> tuple[NDArray[np.int64], tuple[_Symbols, _Offsets]]:
    """The lengths of the strings up to their first symbol -1, and the strings so cut."""
    lengths = np.diff(offsets)
    bad = np.flatnonzero(symbols < 0)
    if not len(bad):
        return lengths, (np.ascontiguousarray(symbols), np.ascontiguousarray(offsets))
    strings, first = np.unique(np.searchsorted(offsets, bad, side="right") - 1, return_index=True)
    shorter = lengths.copy()
    shorter[strings] = bad[first] - offsets[strings]
    inside = np.arange(len(symbols)) - np.repeat(offsets[:-1], lengths)
    return shorter, (symbols[inside < np.repeat(shorter, lengths)], cumulative(shorter))
