"""Expectation-maximisation of probabilistic automata (Baum-Welch), stopped on held-out strings.

Its steps may be over-relaxed: what a plain step multiplies a probability by is raised to a power. It grows as
long as the likelihood does; where that falls, the plain step is taken in place of the long one.

R. Salakhutdinov, S. Roweis: Adaptive overrelaxed bound optimization methods. ICML 2003.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._passes import Parameters, Structure, TrainingSample

_Floats: TypeAlias = NDArray[np.float64]

_LOOK_EVERY = 5  # steps between looks at the held-out strings
_PATIENCE = 20  # steps without a better look
_LEAST_GAIN = 1e-6  # nats a string and step; below it nothing changes that matters
_LEAST_SINGLE_GAIN = 1e-5  # below it, what single precision rounds away would count
_GROWTH, _MOST_POWER = 1.4, 30.0  # of over-relaxed steps
_MOST_LOGARITHM = 3.0  # of a plain step's factors; larger ones are not raised to the whole power


class Learned(NamedTuple):
    """Parameters, the number of steps that led there, and the mean log-probability of held-out strings."""

    parameters: Parameters
    n_steps: int
    held_out: float


def maximised(counts: Parameters, concentration: float, structure: Structure = "free") -> Parameters:
    """The parameters of a structure that make the counts likeliest, with so much added to each count.

    That is the mode of the posterior with a symmetric Dirichlet prior of 1 + concentration for each choice
    that is made at random, and its mean with a prior of `concentration`.
    """
    initial = counts.initial + concentration
    choose = _free if structure == "free" else _hidden_markov
    return Parameters(initial / initial.sum(), *choose(counts, concentration))


def _free(counts: Parameters, concentration: float) -> tuple[_Floats, _Floats]:
    """The end, or any symbol with any next state, is one choice."""
    final, transitions = counts.final + concentration, counts.transitions + concentration
    sums = final + transitions.sum(axis=(0, 2))
    idle = sums <= 0  # a state that no string uses, without a prior: it ends
    final = np.where(idle, 1.0, final)
    sums = np.where(idle, 1.0, sums)
    return final / sums, transitions / sums[:, None]


def _hidden_markov(counts: Parameters, concentration: float) -> tuple[_Floats, _Floats]:
    """The end or a symbol is one choice, which symbol another, and the next state a third."""
    final, n_next = counts.final + concentration, counts.transitions.sum(axis=(0, 2)) + concentration
    sums = final + n_next
    final = np.where(sums > 0, final / np.where(sums > 0, sums, 1.0), 1.0)
    symbols = _shares(counts.transitions.sum(axis=2).T + concentration)
    states = _shares(counts.transitions.sum(axis=0) + concentration)
    return final, np.ascontiguousarray(symbols.T[:, :, None] * ((1 - final)[:, None] * states))


def _shares(counts: _Floats) -> _Floats:
    """Each row divided by its sum; uniform where that is 0."""
    sums = counts.sum(axis=1, keepdims=True)
    return np.where(sums > 0, counts / np.where(sums > 0, sums, 1.0), 1 / counts.shape[1])


def baum_welch(
    sample: TrainingSample,
    start: Parameters,
    n_steps: int,
    concentration: float,
    held_out: TrainingSample | None = None,
    *,
    structure: Structure = "free",
    over_relaxed: bool = False,
) -> Learned:
    """Steps of expectation-maximisation from a start, of which the nearest with the structure is taken.

    At most `n_steps`; with held-out strings the best of the parameters looked at, the start among them, and
    no more than 20 steps beyond it. Steps are in single precision as long as they gain enough. Over-relaxed,
    each step begins beyond the parameters that the one before it found; those found are what is looked at.
    """
    begin, before, single, power = maximised(start, 0.0, structure), -np.inf, True, 1.0
    first = -np.inf if held_out is None else held_out.mean_log_probability(begin)
    best, found = Learned(begin, 0, first), begin
    for step in range(1, n_steps + 1):
        log_likelihood, counts = sample.expected_counts(begin, single=single)
        if log_likelihood < before and power > 1:  # the last step was too long
            begin, power = found, 1.0
            continue
        found = maximised(counts, concentration, structure)
        gain = (log_likelihood - before) / sample.total_weight
        converged = not single and gain < _LEAST_GAIN
        single = single and gain > _LEAST_SINGLE_GAIN
        before = log_likelihood
        power = min(_GROWTH * power, _MOST_POWER) if over_relaxed else 1.0
        begin = found if power == 1 else beyond(begin, found, power)
        if held_out is None:
            best = Learned(found, step, -np.inf)
        elif step % _LOOK_EVERY == 0 or step == n_steps or converged:
            score = held_out.mean_log_probability(found)
            if score > best.held_out:
                best = Learned(found, step, score)
        if converged or (held_out is not None and step - best.n_steps >= _PATIENCE):
            break
    return best


def beyond(begin: Parameters, found: Parameters, power: float) -> Parameters:
    """Parameters beyond what a step found: its factors to a power, and each state's sum 1 again.

    What is a product stays one, so the structure is kept. Cost: that of a logarithm for each parameter.
    """
    initial, final, transitions = (_times_power(a, b, power - 1) for a, b in zip(begin, found, strict=True))
    sums = final + transitions.sum(axis=(0, 2))
    return Parameters(initial / initial.sum(), final / sums, transitions / sums[:, None])


def _times_power(begin: _Floats, found: _Floats, power: float) -> _Floats:
    """What was found, times the step's factors to a power; 0 stays 0."""
    factors = np.divide(found, begin, out=np.ones_like(found), where=(begin > 0) & (found > 0))
    logarithms = np.clip(np.log(factors), -_MOST_LOGARITHM, _MOST_LOGARITHM)
    return np.asarray(found * np.exp(power * logarithms))


def random_start(n_states: int, n_symbols: int, rng: np.random.Generator) -> Parameters:
    """Uniform initial weights; the outcomes of each state uniform on the simplex."""
    outcomes = rng.dirichlet(np.ones(n_symbols * n_states + 1), n_states)
    transitions = outcomes[:, :-1].reshape(n_states, n_symbols, n_states).transpose(1, 0, 2)
    initial = rng.dirichlet(np.full(n_states, 5.0))
    return Parameters(initial, outcomes[:, -1].copy(), np.ascontiguousarray(transitions))
