"""Automata drawn from the posterior, given strings: collapsed Gibbs sampling of states."""

from collections.abc import Callable, Sequence

import numpy as np

from ... import _core
from ._passes import Parameters, TrainingSample

SAMPLE_EVERY = 20  # sweeps between automata that are kept


def drawn_automata(
    sample: TrainingSample,
    starts: Sequence[Parameters],
    concentrations: Sequence[float],
    *,
    n_sweeps: int,
    n_left_out: int,
    seed: int,
    show: Callable[[str], None],
) -> list[list[Parameters]]:
    """For each chain the automata after every 20 sweeps, without those of its first `n_left_out` sweeps.

    Chain k begins with states drawn from ``starts[k]`` given the strings, each repeated as often as its
    weight says, rounded up, and has a Dirichlet prior of ``concentrations[k]`` for each outcome.
    """
    symbols, offsets = _repeated(sample)
    chains = _core.StateChains(symbols, offsets)
    for k, (start, concentration) in enumerate(zip(starts, concentrations, strict=True)):
        chains.add(*start, concentration, seed + k)
    kept: list[list[Parameters]] = [[] for _ in starts]
    for swept in range(SAMPLE_EVERY, n_sweeps + 1, SAMPLE_EVERY):
        show(f"{swept} of {n_sweeps} sweeps")
        chains.sweep(SAMPLE_EVERY)
        if swept > n_left_out:
            for k, start in enumerate(starts):
                initial, final, transitions = chains.mean(k)
                kept[k].append(Parameters(initial, final, transitions.reshape(start.transitions.shape)))
    return kept


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
