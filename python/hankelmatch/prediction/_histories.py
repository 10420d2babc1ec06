"""Predictions from whole histories: a state is carried along a sequence and rescaled at each step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.chunks import chunks
from .._utils.process.blas_threads import blas_threads_for
from ..automata.automaton import WeightedAutomaton
from ._events import ScoredText
from ._smoothing import Floats, row_sums

_States = NDArray[Any]

_BUFFERED = 1 << 22  # entries of states that wait for one product with the weights of the next symbols


@dataclass(frozen=True, eq=False)
class HistorySmoothing:
    """How scores after a whole history become probabilities.

    Attributes
    ----------
    empty : ndarray of float64, shape (n_symbols,)
        The prediction of the empty context; 0 for a start symbol.
    share : float
        Its share of every prediction.
    """

    empty: Floats
    share: float

    def of_scores(self, scores: _States) -> Floats:
        """Distributions from scores of any scale, one a row."""
        raised, total = self._raised(scores)
        raised[:, self.empty == 0] = 0.0
        own = np.tile(self.empty, (len(raised), 1))
        np.divide(raised, total[:, None], out=own, where=total[:, None] > 0)
        return np.asarray((1.0 - self.share) * own + self.share * self.empty)

    def of_symbols(self, scores: _States, symbols: NDArray[np.int32]) -> Floats:
        """The probability by each row of scores of one symbol, not the start symbol."""
        raised, total = self._raised(scores)
        own = self.empty[symbols]
        np.divide(raised[np.arange(len(symbols)), symbols], total, out=own, where=total > 0)
        return np.asarray((1.0 - self.share) * own + self.share * self.empty[symbols])

    def _raised(self, scores: _States) -> tuple[Floats, Floats]:
        """Scores above 0, and their sums without the start symbol's."""
        raised = np.maximum(scores, 0.0, dtype=np.float64)
        with blas_threads_for(2 * raised.size):
            total = np.asarray(raised @ (self.empty > 0))
        if not np.isfinite(total).all():
            raise ValueError(
                "automaton: its values grow too large for floating point in a step; use one with fewer states"
            )
        return raised, total


class Histories:
    """States of whole histories: how they go on, and what they predict."""

    def __init__(self, automaton: WeightedAutomaton, way: HistorySmoothing) -> None:
        self.automaton = automaton
        self._way = way
        self._totals = automaton.next_values(np.eye(automaton.n_states, dtype=automaton.dtype))[
            :, way.empty > 0
        ].sum(axis=1)

    def first(self, n: int) -> _States:
        """The states of so many empty histories."""
        return np.repeat(rescaled(self.automaton.initial[None]), n, axis=0)

    def after(self, states: _States, symbols: NDArray[np.int32]) -> _States:
        """The states after one more symbol each.

        Where the state gave the symbol less than the floor does, it knows nothing of such histories; then
        the history begins anew with the symbol.
        """
        new, way = self._applied(states, symbols), self._way
        with blas_threads_for(4 * states.size):
            values = np.asarray(new @ self.automaton.final, np.float64)
            totals = np.asarray(states @ self._totals, np.float64)
        lost = ~((1.0 - way.share) * values > way.share * way.empty[symbols] * totals) | ~(totals > 0)
        if lost.any():
            new[lost] = self._applied(self.first(int(lost.sum())), symbols[lost])
        return rescaled(new)

    def _applied(self, states: _States, symbols: NDArray[np.int32]) -> _States:
        if len(symbols) == 1:
            return self.automaton.apply(states, int(symbols[0]))
        return self.automaton.apply_each(states, symbols)

    def distributions(self, states: _States) -> Floats:
        """The predictions of states, one a row."""
        return self._way.of_scores(self.automaton.next_values(states))

    def probabilities(self, states: _States, symbols: NDArray[np.int32]) -> Floats:
        """The probability of one symbol by each state."""
        return self._way.of_symbols(self.automaton.next_values(states), symbols)


class HistoryWalk:
    """Reads symbols, and keeps one state."""

    def __init__(self, history: Histories) -> None:
        self._history = history
        self._state = history.first(1)

    def read(self, symbol: int) -> None:
        self._state = self._history.after(self._state, np.array([symbol], np.int32))

    def distribution(self) -> Floats:
        return self._history.distributions(self._state)[0]


def history_distributions(history: Histories, contexts: Sequence[Sequence[int]]) -> Floats:
    """The distributions after whole contexts of ids, one a row."""
    symbols = np.array([symbol for context in contexts for symbol in context], np.int32)
    offsets = np.cumsum([0, *map(len, contexts)], dtype=np.int64)
    ends = offsets[1:] + np.arange(len(contexts))
    wanted = np.zeros(len(symbols) + len(contexts), bool)
    wanted[ends] = True
    row = np.cumsum(wanted) - 1
    n_symbols = history.automaton.n_symbols
    result = np.empty((len(contexts), n_symbols))
    for places, states in _states_at(history, symbols, offsets, wanted, history.automaton.n_states):
        for part in chunks(len(places), n_symbols):
            result[row[places[part]]] = history.distributions(states[part])
    return result


def history_probabilities(history: Histories, text: ScoredText) -> Floats:
    """The probability of each scored symbol of a text, in its order."""
    symbol = text.symbols[text.is_scored]
    result = np.empty(text.n_scored)
    for rows, states in scored_states(history, text, history.automaton.n_states):
        result[rows] = history.probabilities(states, symbol[rows])
    return result


def scored_states(
    history: Histories, text: ScoredText, n_states: int
) -> Iterator[tuple[NDArray[np.int64], _States]]:
    """The states before the scored symbols of a text, for some of them at a time, and which those are.

    Histories of one alphabet that are given the same `n_states`, the most of any, have the same parts.
    """
    lengths = np.diff(text.offsets)
    wanted = np.zeros(len(text.symbols) + len(lengths), bool)
    shift = np.repeat(np.arange(len(lengths)), lengths)
    wanted[np.flatnonzero(text.is_scored) + shift[text.is_scored]] = True
    row = np.cumsum(wanted) - 1
    for places, states in _states_at(history, text.symbols, text.offsets, wanted, n_states):
        for part in chunks(len(places), history.automaton.n_symbols):
            yield row[places[part]], states[part]


def _states_at(
    history: Histories,
    symbols: NDArray[np.int32],
    offsets: NDArray[np.int64],
    wanted: NDArray[np.bool_],
    n_states: int,
) -> Iterator[tuple[NDArray[np.int64], _States]]:
    """States at the wanted places of sequences, many at a time, about as many as fit with `n_states` each.

    Sequence s has length + 1 places from offsets[s] + s on: before its first symbol, before the second, and
    so on, and at its end. All sequences go on by one symbol together, the longest first.
    """
    lengths = np.diff(offsets)
    order = np.argsort(-lengths, kind="stable")
    lengths, begin = lengths[order], offsets[:-1][order]
    first_place = begin + order
    states = history.first(len(order))
    waiting: list[tuple[NDArray[np.int64], _States]] = []
    n_waiting = 0
    for step in range(int(lengths.max(initial=-1)) + 1):
        places = first_place[: len(states)] + step
        here = np.flatnonzero(wanted[places])
        waiting.append((places[here], states[here]))
        n_waiting += len(here)
        if n_waiting * n_states >= _BUFFERED:
            yield _joined(waiting)
            waiting, n_waiting = [], 0
        going = int(np.searchsorted(-lengths, -step, side="left"))  # those that are longer
        if going:
            states = history.after(states[:going], symbols[begin[:going] + step])
    if n_waiting:
        yield _joined(waiting)


def _joined(parts: list[tuple[NDArray[np.int64], _States]]) -> tuple[NDArray[np.int64], _States]:
    places, states = zip(*parts, strict=True)
    return np.concatenate(places), np.concatenate(states)


def rescaled(states: _States) -> _States:
    """Each row divided by the sum of its entries without signs; a row of zeros as it is."""
    sums = row_sums(np.abs(states))
    return np.asarray(states / np.where(sums > 0, sums, 1)[:, None])
