"""Predictions from whole histories: a state is carried along a sequence and rescaled at each step."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.chunks import chunks
from ..automata.automaton import WeightedAutomaton
from ._events import ScoredText
from ._smoothing import Floats

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
        raised = np.maximum(scores, 0.0, dtype=np.float64)
        raised[:, self.empty == 0] = 0.0
        total = raised.sum(axis=1, keepdims=True)
        if not np.isfinite(total).all():
            raise ValueError(
                "automaton: its values grow too large for floating point in a step; use one with fewer states"
            )
        own = np.divide(raised, total, out=np.tile(self.empty, (len(raised), 1)), where=total > 0)
        return np.asarray((1.0 - self.share) * own + self.share * self.empty)


class HistoryWalk:
    """Reads symbols, and keeps one state."""

    def __init__(self, automaton: WeightedAutomaton, way: HistorySmoothing) -> None:
        self._automaton = automaton
        self._way = way
        self._state = rescaled(automaton.initial[None])

    def read(self, symbol: int) -> None:
        self._state = rescaled(self._automaton.apply(self._state, symbol))

    def distribution(self) -> Floats:
        return self._way.of_scores(self._automaton.next_values(self._state))[0]


def history_distributions(
    automaton: WeightedAutomaton, way: HistorySmoothing, contexts: Sequence[Sequence[int]]
) -> Floats:
    """The distributions after whole contexts of ids, one a row."""
    symbols = np.array([symbol for context in contexts for symbol in context], np.int32)
    offsets = np.cumsum([0, *map(len, contexts)], dtype=np.int64)
    ends = offsets[1:] + np.arange(len(contexts))
    wanted = np.zeros(len(symbols) + len(contexts), bool)
    wanted[ends] = True
    row = np.cumsum(wanted) - 1
    result = np.empty((len(contexts), automaton.n_symbols))
    for places, states in _states_at(automaton, symbols, offsets, wanted):
        for part in chunks(len(places), automaton.n_symbols):
            result[row[places[part]]] = way.of_scores(automaton.next_values(states[part]))
    return result


def history_probabilities(automaton: WeightedAutomaton, way: HistorySmoothing, text: ScoredText) -> Floats:
    """The probability of each scored symbol of a text, in its order."""
    lengths = np.diff(text.offsets)
    wanted = np.zeros(len(text.symbols) + len(lengths), bool)
    shift = np.repeat(np.arange(len(lengths)), lengths)
    wanted[np.flatnonzero(text.is_scored) + shift[text.is_scored]] = True
    row = np.cumsum(wanted) - 1
    symbol = text.symbols[text.is_scored]
    result = np.empty(text.n_scored)
    for places, states in _states_at(automaton, text.symbols, text.offsets, wanted):
        for part in chunks(len(places), automaton.n_symbols):
            rows = row[places[part]]
            own = way.of_scores(automaton.next_values(states[part]))
            result[rows] = own[np.arange(len(rows)), symbol[rows]]
    return result


def _states_at(
    automaton: WeightedAutomaton,
    symbols: NDArray[np.int32],
    offsets: NDArray[np.int64],
    wanted: NDArray[np.bool_],
) -> Iterator[tuple[NDArray[np.int64], _States]]:
    """States at the wanted places of sequences, many at a time.

    Sequence s has length + 1 places from offsets[s] + s on: before its first symbol, before the second, and
    so on, and at its end. All sequences go on by one symbol together, the longest first.
    """
    lengths = np.diff(offsets)
    order = np.argsort(-lengths, kind="stable")
    lengths, begin = lengths[order], offsets[:-1][order]
    first_place = begin + order
    states = np.repeat(rescaled(automaton.initial[None]), len(order), axis=0)
    waiting: list[tuple[NDArray[np.int64], _States]] = []
    n_waiting = 0
    for step in range(int(lengths.max(initial=-1)) + 1):
        places = first_place[: len(states)] + step
        here = np.flatnonzero(wanted[places])
        waiting.append((places[here], states[here]))
        n_waiting += len(here)
        if n_waiting * automaton.n_states >= _BUFFERED:
            yield _joined(waiting)
            waiting, n_waiting = [], 0
        going = int(np.searchsorted(-lengths, -step, side="left"))  # those that are longer
        if going:
            states = rescaled(_after(automaton, states[:going], symbols[begin[:going] + step]))
    if n_waiting:
        yield _joined(waiting)


def _after(automaton: WeightedAutomaton, states: _States, symbols: NDArray[np.int32]) -> _States:
    if len(symbols) == 1:
        return automaton.apply(states, int(symbols[0]))
    return automaton.apply_each(states, symbols)


def _joined(parts: list[tuple[NDArray[np.int64], _States]]) -> tuple[NDArray[np.int64], _States]:
    places, states = zip(*parts, strict=True)
    return np.concatenate(places), np.concatenate(states)


def rescaled(states: _States) -> _States:
    """Each row divided by its largest entry without sign; a row of zeros as it is."""
    largest = np.abs(states).max(axis=1, keepdims=True, initial=0)
    return np.divide(states, largest, out=np.zeros_like(states), where=largest > 0)
