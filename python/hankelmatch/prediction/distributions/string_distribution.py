"""The estimator of distributions over strings: automata averaged over starts and over posterior samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ..._utils.estimator import Estimator, not_fitted
from ..._utils.progress import Progress
from ..._utils.validation import (
    MOST_DRAWN,
    argument_named,
    check_choice,
    check_flag,
    check_type,
    checked_whole,
    is_whole,
    numbers_in,
    random_generator,
)
from ...sequences.alphabet import Alphabet
from ...sequences.corpus import Corpus
from ...sequences.labels import cumulative
from ...sequences.strings import Strings
from ._fit import Fit
from ._gibbs import SAMPLE_EVERY
from ._over_strings import OverStrings, Sequences, encoded, plain_strings, training_strings
from ._passes import STRUCTURES, Structure, TrainingSample, logarithms
from ._whole_strings import drawn_strings
from .learn import MOST_STARTS, MOST_STATES, training_sample
from .probabilistic_automaton import ProbabilisticAutomaton

_Floats: TypeAlias = NDArray[np.float64]

_HELD_OUT = 0.1
_MOST_STEPS = 400
_MOST_SWEEPS = 100_000  # of which a chain keeps 3,334 automata
_MOST_IN_CHAINS = 1 << 28  # symbols and ends: 5 GB
_LEAST_SEQUENCES = 20  # to hold some of them out
_NUMBERS = (5, 10, 20, 40, 80, 160, 320, 640)


class StringDistribution(OverStrings, Estimator):
    """Learns a distribution over strings from strings: positive probabilities that sum to 1.

    A mixture of probabilistic automata. Some are learned by Baum-Welch from several starts, the others are
    samples from the posterior, by collapsed Gibbs sampling that begins there; held-out strings choose the
    structure, the number of states and the weights. Has the habits of a scikit-learn estimator but does not
    need that package.

    Parameters
    ----------
    n_states : int, "auto" or sequence of int
        Number of states of each automaton, or what to choose from on held-out strings. "auto": 5, 10, 20 and
        so on up to `max_states`, until more are worse, then between the best and its neighbours. So far for
        single automata; fewer states are taken if they are worse by less than two standard errors. Then more
        of those tried, as long as the average over starts and chains is better by a standard error. The next
        is mixed with that if both together are.
    structure : {"auto", "free", "hidden-markov"}
        "free": a state chooses the symbol and the next state together. "hidden-markov": it chooses them apart
        from one another, and whether the string ends; with far fewer parameters. "auto": that of the two
        whose best single automaton makes the held-out strings likelier; without such strings "free".
    max_states : int
        Most states that "auto" considers.
    n_starts : int
        How many starts Baum-Welch has with the number of states chosen, 1 to 10,000; half as many where each
        is slow.
    n_chains : int
        How many chains of Gibbs sampling, at most 10,000, each from another result of Baum-Welch; 0 for none,
        half as many where these are slow. Two use two cores.
    n_sweeps : int
        How often a chain draws all states anew, 40 to 100,000: once with some strings held out, once with all
        of them. Each 20 sweeps, but for the first third, give an automaton.
    max_steps : int
        Over-relaxed steps of Baum-Welch at most [3]_.
    seed : int
        Of everything that is drawn at random.
    verbose : bool
        Report each stage on the standard error stream.

    Attributes
    ----------
    automata_ : list of ProbabilisticAutomaton
        The parts of the mixture.
    weights_ : ndarray of float64
        Their weights, which sum to 1.
    alphabet_ : Alphabet
        Labels of the strings.
    n_states_ : int
        Number of states of each automaton; the least where two are mixed. `report_["last fit"]` has both.
    dev_log_probability_ : float or None
        Mean log-probability of the held-out strings before the last fit; None if nothing was held out.
    structure_ : str
        The structure of each automaton.
    tried_ : dict of str to dict of int to float
        For each structure tried and each number of states the same for the best of one or two starts.
    report_ : dict of str to dict
        For every stage its sizes and seconds.

    Notes
    -----
    Where no held-out strings are given, a tenth of the sequences is held out; with fewer than 20 sequences
    nothing is, then `n_states` must be a number and all weights are equal. After the choice everything is
    fitted once more, to all sequences.

    Cost: 3 n_states^2 multiplications for each distinct prefix and step; O(n_states) for each symbol and
    sweep. 20,000 strings of 8 symbols take one to six minutes of a core, 100,000 nine to twenty-two.

    References
    ----------
    .. [1] C. Shibata, R. Yoshinaka: Marginalizing out transition probabilities for several subclasses of
       PFAs. JMLR Workshop and Conference Proceedings 21 (2012).
    .. [2] S. Verwer, R. Eyraud, C. de la Higuera: PAutomaC: a probabilistic automata and hidden Markov models
       learning competition. Machine Learning 96 (2014).
    .. [3] R. Salakhutdinov, S. Roweis: Adaptive overrelaxed bound optimization methods. ICML 2003.

    Examples
    --------
    >>> from hankelmatch import StringDistribution
    >>> strings = ["ab", "abab", "ab", "", "ababab"] * 40
    >>> model = StringDistribution(n_states=2, n_sweeps=60).fit(strings)
    >>> model.log_probability(["ab", "abab"]).round(1).tolist(), round(model.total_mass(), 9)
    ([-1.4, -2.0], 1.0)
    >>> model.score(strings) > -1.8, len(model.sample(3, seed=1))
    (True, 3)
    """

    automata_: list[ProbabilisticAutomaton]
    weights_: _Floats
    alphabet_: Alphabet
    n_states_: int
    dev_log_probability_: float | None
    structure_: Structure
    tried_: dict[Structure, dict[int, float]]
    report_: dict[str, dict[str, object]]

    def __init__(
        self,
        n_states: int | str | Sequence[int] = "auto",
        *,
        structure: Structure | Literal["auto"] = "auto",
        max_states: int = 160,
        n_starts: int = 6,
        n_chains: int = 6,
        n_sweeps: int = 200,
        max_steps: int = _MOST_STEPS,
        seed: int = 0,
        verbose: bool = False,
    ) -> None:
        self.n_states = n_states
        self.structure = structure
        self.max_states = max_states
        self.n_starts = n_starts
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.max_steps = max_steps
        self.seed = seed
        self.verbose = verbose

    # ------------------------------------------------------------------------------------------ learning

    def fit(
        self,
        sequences: Sequences,
        y: object = None,
        *,
        dev: Sequences | None = None,
        sample_weight: ArrayLike | None = None,
        progress: Progress | None = None,
    ) -> StringDistribution:
        """Learn from strings.

        Parameters
        ----------
        sequences : Strings or iterable of sequences
            What to learn from: plain sequences, without end symbols.
        y : ignored
            There for scikit-learn.
        dev : Strings or iterable of sequences, optional
            Held-out strings on which to choose; they are learned from too in the last fit.
        sample_weight : array_like of float, shape (n_sequences,), optional
            How often each sequence counts, 1 by default; unless `n_chains` is 0, whole numbers with which all
            sequences together have at most 2^28 symbols and ends.
        progress : Progress, optional
            Gets the reports in place of the standard error stream.

        Returns
        -------
        StringDistribution
            Itself.

        Raises
        ------
        ValueError
            If a parameter is out of its range, or there are too few sequences.
        """
        self._check_parameters()
        progress = Progress.on_stderr(self.verbose) if progress is None else progress
        check_type("progress", progress, Progress, "a Progress")
        with argument_named("sequences"):
            strings = training_strings(sequences)
        whole = training_sample("sequences", strings, sample_weight)
        if self.n_chains:
            _check_weights_for_chains(whole)
        fitted, held_out = self._held_out(strings, whole, dev)
        if dev is not None and held_out is not None:
            whole = fitted.joined(held_out)
        found = Fit(
            self,
            self._numbers(),
            len(strings.alphabet),
            fitted=fitted,
            held_out=held_out,
            progress=progress,
        )
        groups, weights = found.last_fit(whole)
        self.alphabet_, self.tried_ = strings.alphabet, found.tried
        self.n_states_, self.structure_ = found.n_states, found.structure
        self.dev_log_probability_ = found.held_out_score
        self.report_ = progress.report
        self.automata_ = [
            ProbabilisticAutomaton(*parameters, alphabet=strings.alphabet)
            for group in groups
            for parameters in group.automata
        ]
        shares = [w / len(g.automata) for g, w in zip(groups, weights, strict=True) for _ in g.automata]
        self.weights_ = np.array(shares) / np.sum(shares)
        return self

    def _check_parameters(self) -> None:
        checked_whole("max_states", self.max_states, 1)
        checked_whole("max_steps", self.max_steps, 1)
        checked_whole("seed", self.seed, 0)
        check_flag("verbose", self.verbose, or_number=True)
        checked_whole("n_starts", self.n_starts, 1, MOST_STARTS)
        checked_whole("n_chains", self.n_chains, 0, MOST_STARTS)
        checked_whole("n_sweeps", self.n_sweeps, 2 * SAMPLE_EVERY, _MOST_SWEEPS)
        numbers = self._numbers()
        if not numbers or not all(is_whole(n) and 1 <= n <= MOST_STATES for n in numbers):
            raise ValueError(
                f"n_states: {self.n_states!r} given; give 'auto', or numbers from 1 to {MOST_STATES}"
            )
        check_choice("structure", self.structure, ("auto", *STRUCTURES))

    def _numbers(self) -> list[int]:
        """The numbers of states to try first."""
        if isinstance(self.n_states, str):
            small = [n for n in _NUMBERS if n <= self.max_states]
            return (small or [self.max_states]) if self.n_states == "auto" else []
        return numbers_in(self.n_states)

    def _held_out(
        self, strings: Strings, whole: TrainingSample, dev: Sequences | None
    ) -> tuple[TrainingSample, TrainingSample | None]:
        if dev is not None:
            with argument_named("dev"):
                return whole, training_sample("dev", encoded(dev, strings.alphabet))
        n = len(whole.weights)
        if n < _LEAST_SEQUENCES:
            if len(self._numbers()) > 1:
                raise ValueError(
                    f"sequences: {n} are too few to hold some of them out, on which to choose the number of "
                    "states; give dev, or n_states as a number"
                )
            return whole, None
        order = np.random.default_rng(self.seed).permutation(n)
        n_out = max(1, round(_HELD_OUT * n))
        return whole.take(np.sort(order[n_out:])), whole.take(np.sort(order[:n_out]))

    # ----------------------------------------------------------------------------------------- predicting

    def log_probability(self, sequences: Sequences) -> _Floats:
        """Natural logarithms of the probabilities of strings.

        Parameters
        ----------
        sequences : Strings or iterable of sequences
            Read by label.

        Returns
        -------
        ndarray of float64, shape (n_sequences,)
            Finite for every string of the alphabet's symbols; minus infinity with another symbol.
        """
        automata = self._fitted()
        with argument_named("sequences"):
            symbols, offsets = self.alphabet_.encode(plain_strings(sequences, self.alphabet_))
        each = logarithms([part.parameters for part in automata], symbols, offsets)
        return np.asarray(logsumexp(each, axis=0, b=self.weights_[:, None]))

    def sample(self, n_sequences: int = 1, seed: int | np.random.Generator = 0) -> Corpus:
        """Draw strings.

        Parameters
        ----------
        n_sequences : int
            How many.
        seed : int or numpy.random.Generator
            The same seed draws the same strings.

        Returns
        -------
        Corpus
        """
        automata = self._fitted()
        n = checked_whole("n_sequences", n_sequences, 0, MOST_DRAWN)
        rng = random_generator("seed", seed)
        parts = rng.choice(len(automata), n, p=self.weights_)
        sizes = np.bincount(parts, minlength=len(automata)).tolist()
        drawn = [drawn_strings(part.parameters, k, rng) for part, k in zip(automata, sizes, strict=True)]
        offsets = cumulative(np.concatenate([np.diff(offsets) for _, offsets in drawn]))
        by_part = Corpus(np.concatenate([symbols for symbols, _ in drawn]), offsets, self.alphabet_)
        return by_part.take(np.argsort(np.argsort(parts, kind="stable")))

    def total_mass(self) -> float:
        """The sum of the probabilities of all strings, 1 but for rounding.

        It is solved for, see `ProbabilisticAutomaton.total_mass`.
        """
        automata = self._fitted()
        masses = [part.total_mass() for part in automata]
        return float(self.weights_ @ np.array(masses))

    def to_automaton(self) -> ProbabilisticAutomaton:
        """The whole mixture as one automaton, whose states are those of all its parts."""
        automata = self._fitted()
        return ProbabilisticAutomaton.mixture(automata, self.weights_)

    def _fitted(self) -> list[ProbabilisticAutomaton]:
        if not hasattr(self, "automata_"):
            raise not_fitted("this StringDistribution is not fitted yet; call fit(sequences) first")
        return self.automata_


def _check_weights_for_chains(sample: TrainingSample) -> None:
    """Each string is in a chain as often as its weight says."""
    if not np.array_equal(sample.weights, np.round(sample.weights)):
        raise ValueError("sample_weight: chains need whole numbers; give such, or n_chains=0")
    length = float(sample.weights @ (np.diff(sample.offsets) + 1))
    if length > _MOST_IN_CHAINS:
        raise ValueError(
            f"sample_weight: with each sequence as often as its weight says, chains would have {length:.3g} "
            f"symbols and ends, and {_MOST_IN_CHAINS} is the most; give smaller weights, or n_chains=0"
        )
