"""Sums, means and draws over all strings of a probabilistic automaton, and the likeliest path of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...sequences.labels import cumulative
from ._passes import Parameters

_Floats: TypeAlias = NDArray[np.float64]

_LONGEST_SAMPLE = 1 << 20


def drawn_strings(
    parameters: Parameters, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """So many strings, drawn all together, a symbol at a time: symbols and offsets."""
    initial, final, transitions = parameters
    n_states = len(initial)
    # Outcomes of a state: symbol a and next state j at a * n_states + j; the end is last.
    outcomes = np.concatenate([*transitions, final[:, None]], axis=1)
    cumulated = np.cumsum(outcomes, axis=1) / outcomes.sum(axis=1, keepdims=True)
    states = rng.choice(n_states, n, p=initial)
    going = np.arange(n)
    written: list[tuple[NDArray[Any], NDArray[Any]]] = []
    while len(going):
        if len(written) == _LONGEST_SAMPLE:
            raise ValueError("a string does not end within a million symbols; final weights are too small")
        drawn = _drawn(cumulated, states[going], rng)
        symbols, after = np.divmod(drawn, n_states)
        goes_on = symbols < len(transitions)
        going, symbols = going[goes_on], symbols[goes_on]
        states[going] = after[goes_on]
        written.append((going, symbols))
    lengths = np.zeros(n, np.int64)
    for who, _ in written:
        lengths[who] += 1
    offsets = cumulative(lengths)
    flat = np.empty(offsets[-1], np.int32)
    for t, (who, symbols) in enumerate(written):
        flat[offsets[who] + t] = symbols
    return flat, offsets


def _drawn(cumulated: _Floats, states: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """An outcome for each state, by the cumulated probabilities of its row."""
    uniform = rng.random(len(states))
    drawn = np.empty(len(states), np.int64)
    by_state = np.argsort(states, kind="stable")
    first_of_state = np.flatnonzero(np.diff(states[by_state], prepend=-1))
    for rows in np.split(by_state, first_of_state[1:]):
        drawn[rows] = np.searchsorted(cumulated[states[rows[0]]], uniform[rows], side="right")
    return np.minimum(drawn, cumulated.shape[1] - 1)


def total_mass(parameters: Parameters) -> float:
    """The sum of the probabilities of all strings."""
    reached, step = _reached_part(parameters)
    return float(parameters.initial[reached] @ _closing(step, parameters.final[reached]))


def expected_length(parameters: Parameters) -> float:
    """The mean length of a string, where all of them end."""
    reached, step = _reached_part(parameters)
    return float(parameters.initial[reached] @ np.linalg.solve(np.eye(len(step)) - step, step.sum(axis=1)))


def is_deterministic(parameters: Parameters) -> bool:
    """Whether a string has one path of states at most."""
    reached, _ = _reached_part(parameters)
    one_start = np.count_nonzero(parameters.initial) == 1
    return bool(one_start and (np.count_nonzero(parameters.transitions[:, reached], axis=2) <= 1).all())


def entropy_of_paths(parameters: Parameters) -> float:
    """The entropy of the paths of states and symbols in nats; of the strings where each has one path."""
    reached, step = _reached_part(parameters)
    outcomes = np.concatenate([*parameters.transitions, parameters.final[:, None]], axis=1)[reached]
    logs = np.log(outcomes, out=np.zeros_like(outcomes), where=outcomes > 0)
    local = -(outcomes * logs).sum(axis=1)
    visits = np.linalg.solve(np.eye(len(step)) - step.T, parameters.initial[reached])
    return float(visits @ local)


def most_likely_path(parameters: Parameters, symbols: Sequence[int]) -> tuple[NDArray[np.int64], float]:
    """The states that a string of ids most likely went through, and the logarithm of their probability."""
    with np.errstate(divide="ignore"):
        best, final = np.log(parameters.initial), np.log(parameters.final)
        steps = {a: np.log(parameters.transitions[a]) for a in set(symbols)}
    came_from = []
    for a in symbols:
        scores = best[:, None] + steps[a]
        came_from.append(scores.argmax(axis=0))
        best = scores.max(axis=0)
    last = int((best + final).argmax())
    states = [last]
    for origins in reversed(came_from):
        states.append(int(origins[states[-1]]))
    return np.array(states[::-1], np.int64), float((best + final)[last])


def _reached_part(parameters: Parameters) -> tuple[NDArray[np.int64], _Floats]:
    """The states that can be reached from those to begin in, and the moves between them."""
    step = parameters.transitions.sum(axis=0)
    found = parameters.initial > 0
    while True:
        more = found | (found @ (step > 0))
        if (more == found).all():
            reached = np.flatnonzero(found)
            return reached, step[np.ix_(reached, reached)]
        found = more


def _closing(step: _Floats, final: _Floats) -> _Floats:
    """The probability to end at last, from each state."""
    ends = final > 0
    while True:  # states from which an end can be reached; the others have probability 0
        more = ends | ((step > 0) @ ends)
        if (more == ends).all():
            break
        ends = more
    ending = np.zeros(len(final))
    kept = np.flatnonzero(ends)
    ending[kept] = np.linalg.solve(np.eye(len(kept)) - step[np.ix_(kept, kept)], final[kept])
    return ending
