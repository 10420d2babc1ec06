"""Learning probabilistic automata from strings."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._utils.validation import argument_named, check_choice, check_flag, checked_number, checked_whole
from ...counting._sample_weight import checked_weights
from ...sequences.alphabet import Alphabet
from ...sequences.strings import Strings
from ._baum_welch import Learned, baum_welch, random_start
from ._hankel_start import PrefixTree, continuation_length, hankel_start, prefix_tree
from ._over_strings import Sequences, encoded, training_strings
from ._passes import STRUCTURES, Parameters, Structure, TrainingSample
from .probabilistic_automaton import ProbabilisticAutomaton

STARTS = ("hankel", "random")
MOST_STEPS = 200
CONCENTRATION = 1e-3
MOST_STARTS = 10_000  # as each gives an automaton, and these are all kept
MOST_STATES = 10_000  # as matrices of all pairs; so many would take 800 MB a symbol


def learn_probabilistic_automaton(
    corpus: Sequences,
    n_states: int,
    *,
    dev: Sequences | None = None,
    structure: Structure = "free",
    start: str | ProbabilisticAutomaton = "hankel",
    n_starts: int = 1,
    average: bool = False,
    max_steps: int = MOST_STEPS,
    concentration: float = CONCENTRATION,
    sample_weight: ArrayLike | None = None,
    seed: int = 0,
) -> ProbabilisticAutomaton:
    """Learn a probabilistic automaton with a number of states from strings, by Baum-Welch.

    Parameters
    ----------
    corpus : Strings or iterable of sequences
        What to learn from. No end symbol is needed; those that a `Corpus` has are left out.
    n_states : int
        Number of states, at most 10,000.
    dev : Strings or iterable of sequences, optional
        Held-out strings on which to stop and to choose among starts; without them `max_steps` steps are made,
        and the start is chosen whose result makes the corpus likeliest.
    structure : {"free", "hidden-markov"}
        "free": a state chooses the symbol and the next state together. "hidden-markov": it chooses them apart
        from one another, and whether the string ends; with far fewer parameters.
    start : {"hankel", "random"} or ProbabilisticAutomaton
        "hankel": clusters of frequent prefixes with like continuations, see Notes. Or an automaton with
        `n_states` states and the labels of `corpus`.
    n_starts : int
        How many starts, 1 to 10,000, each with random numbers of its own; 1 where the start is an automaton.
    average : bool
        Return the mixture of the results of all starts, with ``n_starts * n_states`` states, whose
        probabilities are their means, in place of the best. At most 10,000 states.
    max_steps : int
        Steps of expectation-maximisation at most.
    concentration : float
        Added to every expected count: Dirichlet priors of 1 + concentration. With 0 a step never makes the
        corpus less likely, and what is impossible once stays so.
    sample_weight : array_like of float, shape (n_sequences,), optional
        How often each sequence counts, 1 by default.
    seed : int
        For the starts.

    Returns
    -------
    ProbabilisticAutomaton
        With the labels of `corpus`.

    Raises
    ------
    ValueError
        If there is no sequence, a parameter is out of its range, or `start` does not fit.

    See Also
    --------
    StringDistribution : chooses the number of states, and averages over many automata.

    Notes
    -----
    The start takes the rows of the Hankel matrix of the most frequent prefixes: how often each string of up
    to three symbols follows, and how often it is then the end. The rows are scaled as in correspondence
    analysis, projected on their leading singular vectors and clustered. Each cluster is a state; the counts
    of p and pa give its transitions, a fifth of which is spread at random. On PAutomaC's problems 24, 31 and
    45, learned from nine tenths, it led to 0.005, 0.05 and 0.01 above the best perplexity that is possible,
    random starts to 0.017, 0.10 and 0.018.

    Cost of a step: 3 n_states^2 multiplications for each distinct prefix, in the core, on all cores. Memory:
    the strings, sorted; forward and backward vectors of 2,048 prefixes for each core; 2 to 16 sums of the
    size of the transitions.

    References
    ----------
    .. [1] L. Rabiner: A tutorial on hidden Markov models and selected applications in speech recognition.
       Proceedings of the IEEE 77 (1989).
    .. [2] M. Greenacre: Theory and applications of correspondence analysis. Academic Press, 1984.

    Examples
    --------
    >>> from hankelmatch import learn_probabilistic_automaton
    >>> automaton = learn_probabilistic_automaton(["ab", "abab", "ab", ""] * 25, n_states=2)
    >>> automaton.log_probability(["ab", "ba"]).round(2).tolist()[0] > -1.5
    True
    >>> round(automaton.total_mass(), 9)
    1.0
    """
    n_states = checked_whole("n_states", n_states, 1, MOST_STATES)
    check_flag("average", average)
    n_starts = checked_whole("n_starts", n_starts, 1, MOST_STATES // n_states if average else MOST_STARTS)
    checked_whole("max_steps", max_steps, 0)
    checked_whole("seed", seed, 0)
    concentration = checked_number("concentration", concentration)
    check_choice("structure", structure, STRUCTURES)
    with argument_named("corpus"):
        strings = training_strings(corpus)
    sample = training_sample("corpus", strings, sample_weight)
    with argument_named("dev"):
        held_out = None if dev is None else training_sample("dev", encoded(dev, strings.alphabet))
    starts = _starts(start, n_starts, sample, n_states=n_states, alphabet=strings.alphabet, seed=seed)
    learned = [
        baum_welch(sample, first, max_steps, concentration, held_out, structure=structure) for first in starts
    ]
    automata = [ProbabilisticAutomaton(*one.parameters, alphabet=strings.alphabet) for one in learned]
    if average:
        return ProbabilisticAutomaton.mixture(automata)
    return automata[_best(learned, sample)]


def training_sample(argument: str, strings: Strings, weights: ArrayLike | None = None) -> TrainingSample:
    """The strings of weight above 0 that have known symbols only."""
    if not len(strings):
        raise ValueError(f"{argument}: there is no sequence; give at least one")
    values = np.ones(len(strings)) if weights is None else checked_weights(weights, len(strings))
    kept = values > 0
    bad = np.searchsorted(strings.offsets, np.flatnonzero(strings.symbols < 0), side="right") - 1
    kept[bad] = False
    if not kept.any():
        raise ValueError(f"{argument}: every sequence has a symbol outside the alphabet, or weight 0")
    if not kept.all():
        strings, values = strings.take(kept), values[kept]
    return TrainingSample(strings.symbols, strings.offsets, values)


def first_parameters(tree: PrefixTree, n_states: int, n_symbols: int, number: int, seed: int) -> Parameters:
    """Start number 0, 1, 2, ...: they take continuations of the longest length and one less in turn."""
    rng = np.random.default_rng([seed, n_states, number])
    length = continuation_length(n_symbols)
    return hankel_start(tree, n_states, n_symbols, max(1, length - number % 2), rng)


def _starts(
    start: str | ProbabilisticAutomaton,
    n_starts: int,
    sample: TrainingSample,
    *,
    n_states: int,
    alphabet: Alphabet,
    seed: int,
) -> list[Parameters]:
    if isinstance(start, ProbabilisticAutomaton):
        if start.n_states != n_states or start.alphabet != alphabet:
            raise ValueError(
                f"start: an automaton with {n_states} states and the {len(alphabet)} labels of corpus is "
                f"needed, not {start!r}"
            )
        return [start.parameters]
    if not isinstance(start, str) or start not in STARTS:
        raise ValueError(f"start: {start!r} given; 'hankel', 'random' or a ProbabilisticAutomaton is needed")
    if start == "random":
        generators = [np.random.default_rng([seed, n_states, k]) for k in range(n_starts)]
        return [random_start(n_states, len(alphabet), rng) for rng in generators]
    tree = prefix_tree(sample)
    return [first_parameters(tree, n_states, len(alphabet), k, seed) for k in range(n_starts)]


def _best(learned: list[Learned], sample: TrainingSample) -> int:
    if len(learned) == 1:
        return 0
    scores: NDArray[np.float64] = np.array([one.held_out for one in learned])
    if not np.isfinite(scores).any():
        scores = np.array([sample.mean_log_probability(one.parameters) for one in learned])
    return int(scores.argmax())
