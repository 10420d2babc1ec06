"""Automata drawn from the posterior, given strings: collapsed Gibbs sampling of states."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from ... import _core
from ._baum_welch import maximised
from ._passes import Parameters, Structure, TrainingSample

_Floats: TypeAlias = NDArray[np.float64]

SAMPLE_EVERY = 20  # sweeps between automata that are kept
_FIRST_CONCENTRATION = 0.1
_LEAST_CONCENTRATION, _MOST_CONCENTRATION = 1e-4, 10.0
_CONCENTRATION_STEPS = 5


def drawn_automata(
    sample: TrainingSample,
    starts: Sequence[Parameters],
    *,
    n_sweeps: int,
    n_left_out: int,
    seed: int,
    show: Callable[[str], None],
    structure: Structure = "free",
) -> list[list[Parameters]]:
    """For each chain the automata after every 20 sweeps, without those of its first `n_left_out` sweeps.

    Chain k begins with states drawn from ``starts[k]`` given the strings, each repeated as often as its
    weight says, rounded up. The Dirichlet prior of all choices has one concentration, which is made likelier
    whenever an automaton is looked at.
    """
    symbols, offsets = _repeated(sample)
    chains = _core.StateChains(symbols, offsets)
    for k, start in enumerate(starts):
        chains.add(*start, _FIRST_CONCENTRATION, (int(seed) + k) % 2**64, structure == "hidden-markov")
    concentrations = [_FIRST_CONCENTRATION] * len(starts)
    kept: list[list[Parameters]] = [[] for _ in starts]
    for swept in range(SAMPLE_EVERY, n_sweeps + 1, SAMPLE_EVERY):
        show(f"{swept} of {n_sweeps} sweeps")
        chains.sweep(SAMPLE_EVERY)
        for k, start in enumerate(starts):
            initial, final, transitions = chains.uses(k)
            counts = Parameters(initial, final, transitions.reshape(start.transitions.shape))
            concentrations[k] = likelier_concentration(counts, concentrations[k], structure)
            chains.set_concentration(k, concentrations[k])
            if swept > n_left_out:
                kept[k].append(maximised(counts, concentrations[k], structure))
    return kept


def likelier_concentration(counts: Parameters, concentration: float, structure: Structure) -> float:
    """The concentration of symmetric Dirichlet priors that makes counts likelier, when these are integrated.

    Five steps of the fixed-point iteration of T. Minka: Estimating a Dirichlet distribution (2000), for all
    choices together. Cost: O(n_symbols n_states^2).
    """
    choices = _choices(counts, structure)
    c = concentration
    for _ in range(_CONCENTRATION_STEPS):
        gains = sum(float((digamma(rows + c) - digamma(c)).sum()) for rows in choices)
        losses = sum(_loss(rows, c) for rows in choices)
        c = min(max(c * gains / losses, _LEAST_CONCENTRATION), _MOST_CONCENTRATION)
    return c


def _loss(rows: _Floats, c: float) -> float:
    n = rows.shape[1]
    return n * float((digamma(rows.sum(axis=1) + n * c) - digamma(n * c)).sum())


def _choices(counts: Parameters, structure: Structure) -> list[_Floats]:
    """Counts of what is chosen at random: tables with a row for each chooser."""
    initial, final, transitions = counts
    if structure == "free":
        by_state = transitions.transpose(1, 0, 2).reshape(len(final), -1)
        return [initial[None], np.column_stack([final, by_state])]
    ends = np.column_stack([final, transitions.sum(axis=(0, 2))])
    return [initial[None], ends, transitions.sum(axis=2).T, transitions.sum(axis=0)]


def _repeated(sample: TrainingSample) -> tuple[np.ndarray, np.ndarray]:
    """The strings, each as often as its weight says."""
    times = np.ceil(sample.weights).astype(np.int64)
    if (times == 1).all():
        return sample.symbols, sample.offsets
    lengths = np.repeat(np.diff(sample.offsets), times)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    begin = np.repeat(sample.offsets[:-1], times)
    places = np.arange(offsets[-1]) + np.repeat(begin - offsets[:-1], lengths)
    return sample.symbols[places], offsets
