"""The estimator of distributions over strings: automata averaged over starts and over posterior samples."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ..._utils.estimator import Estimator, not_fitted
from ..._utils.progress import Progress
from ..._utils.validation import argument_named, check_type, checked_whole, is_whole
from ...sequences.alphabet import Alphabet
from ...sequences.corpus import Corpus
from ...sequences.strings import Strings
from ._baum_welch import Learned, baum_welch
from ._gibbs import SAMPLE_EVERY, drawn_automata
from ._hankel_start import PrefixTree, prefix_tree
from ._passes import Parameters, TrainingSample, logarithms
from .learn import CONCENTRATION, MOST_STEPS, first_parameters, training_sample
from .probabilistic_automaton import ProbabilisticAutomaton

_Floats: TypeAlias = NDArray[np.float64]
_Strings: TypeAlias = Strings | Iterable[Iterable[Hashable]]

_HELD_OUT = 0.1
_LEAST_SEQUENCES = 20  # to hold some of them out
_NUMBERS = (5, 10, 20, 40, 80, 160, 320, 640)
_CHAIN_CONCENTRATIONS = (0.1, 0.02)  # by turns; the first is better where there is less text for each state
_LAST_STEPS = 10  # of expectation-maximisation, on all sequences
_LEAST_WEIGHT = 0.01  # of a group of automata that is kept
_STANDARD_ERRORS = 2.0  # by which more states must be better to be taken
_HEAVY = 1e9  # multiplications of a pass; with fewer each number of states has two starts


class _Group(NamedTuple):
    """Automata that have one weight together, the concentration of the chain that drew them, or None."""

    automata: list[Parameters]
    concentration: float | None


class StringDistribution(Estimator):
    """Learns a distribution over strings from strings: positive probabilities that sum to 1.

    A mixture of probabilistic automata. Some are learned by Baum-Welch from several starts, the others are
    samples from the posterior, by collapsed Gibbs sampling that begins there; held-out strings choose the
    number of states and the weights. Has the habits of a scikit-learn estimator but does not need that
    package.

    Parameters
    ----------
    n_states : int, "auto" or sequence of int
        Number of states of each automaton, or what to choose from on held-out strings. "auto": 5, 10, 20 and
        so on up to `max_states`, until more are worse, then between the best and its neighbours; fewer are
        taken if they are worse by less than two standard errors.
    max_states : int
        Most states that "auto" considers.
    n_starts : int
        How many starts Baum-Welch has with the number of states chosen.
    n_chains : int
        How many chains of Gibbs sampling, from the best results; 0 for none. Two use two cores.
    n_sweeps : int
        How often a chain draws all states anew: once with some strings held out, once with all of them. Each
        20 sweeps, but for the first third, give an automaton.
    max_steps : int
        Steps of Baum-Welch at most.
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
        Number of states of each automaton.
    dev_log_probability_ : float or None
        Mean log-probability of the held-out strings before the last fit; None if nothing was held out.
    tried_ : dict of int to float
        The same for the best of one or two starts with each number of states.
    report_ : dict of str to dict
        For every stage its sizes and seconds.

    Notes
    -----
    Where no held-out strings are given, a tenth of the sequences is held out; with fewer than 20 sequences
    nothing is, then `n_states` must be a number and all weights are equal. After the choice everything is
    fitted once more, to all sequences.

    Cost: 3 n_states^2 multiplications for each distinct prefix and step; O(n_states) for each symbol and
    sweep. 20,000 strings of 8 symbols take about a minute on two cores, 100,000 a few minutes.

    References
    ----------
    .. [1] C. Shibata, R. Yoshinaka: Marginalizing out transition probabilities for several subclasses of
       PFAs. JMLR Workshop and Conference Proceedings 21 (2012).
    .. [2] S. Verwer, R. Eyraud, C. de la Higuera: PAutomaC: a probabilistic automata and hidden Markov models
       learning competition. Machine Learning 96 (2014).

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
    tried_: dict[int, float]
    report_: dict[str, dict[str, object]]

    def __init__(
        self,
        n_states: int | str | Sequence[int] = "auto",
        *,
        max_states: int = 160,
        n_starts: int = 4,
        n_chains: int = 2,
        n_sweeps: int = 400,
        max_steps: int = MOST_STEPS,
        seed: int = 0,
        verbose: bool = False,
    ) -> None:
        self.n_states = n_states
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
        sequences: _Strings,
        y: object = None,
        *,
        dev: _Strings | None = None,
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
            How often each sequence counts, 1 by default; whole numbers unless `n_chains` is 0.
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
            strings = sequences if isinstance(sequences, Strings) else Corpus.from_sequences(sequences)
        whole = training_sample("sequences", strings, sample_weight)
        if self.n_chains and not np.array_equal(whole.weights, np.round(whole.weights)):
            raise ValueError("sample_weight: chains need whole numbers; give such, or n_chains=0")
        fitted, held_out = self._held_out(strings, whole, dev)
        if dev is not None and held_out is not None:
            whole = fitted.joined(held_out)
        found = _Fit(self, len(strings.alphabet), fitted, held_out, progress)
        groups, weights = found.last_fit(whole)
        self.alphabet_, self.n_states_, self.tried_ = strings.alphabet, found.n_states, found.tried
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
        for name, least in (
            ("max_states", 1),
            ("n_starts", 1),
            ("n_chains", 0),
            ("max_steps", 1),
            ("seed", 0),
        ):
            checked_whole(name, getattr(self, name), least)
        checked_whole("n_sweeps", self.n_sweeps, 2 * SAMPLE_EVERY)
        numbers = self._numbers()
        if not numbers or not all(is_whole(n) and n >= 1 for n in numbers):
            raise ValueError(f"n_states: {self.n_states!r} given; give 'auto', or numbers from 1 up")

    def _numbers(self) -> list[int]:
        """The numbers of states to try first."""
        if isinstance(self.n_states, str):
            small = [n for n in _NUMBERS if n <= self.max_states]
            return (small or [self.max_states]) if self.n_states == "auto" else []
        return [self.n_states] if is_whole(self.n_states) else list(self.n_states)  # type: ignore[arg-type, list-item]

    def _held_out(
        self, strings: Strings, whole: TrainingSample, dev: _Strings | None
    ) -> tuple[TrainingSample, TrainingSample | None]:
        if dev is not None:
            with argument_named("dev"):
                return whole, training_sample("dev", Strings.from_sequences(dev, strings.alphabet))
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

    def log_probability(self, sequences: _Strings) -> _Floats:
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
            symbols, offsets = self.alphabet_.encode(sequences)
        each = logarithms([part.parameters for part in automata], symbols, offsets)
        return np.asarray(logsumexp(each, axis=0, b=self.weights_[:, None]))

    def score(self, sequences: _Strings, y: object = None) -> float:
        """The mean natural logarithm of the probabilities of some strings."""
        found = self.log_probability(sequences)
        if not len(found):
            raise ValueError("sequences: there is none; give at least one")
        return float(found.mean())

    def perplexity(self, sequences: _Strings) -> float:
        """exp(-score): the perplexity of a string, not of a symbol."""
        return float(np.exp(-self.score(sequences)))

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
        return self.to_automaton().sample(n_sequences, seed)

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


def _best_of(learned: Sequence[Learned]) -> Learned:
    return max(learned, key=lambda one: one.held_out)


class _Fit:
    """The stages of one fit, in their order."""

    def __init__(
        self,
        options: StringDistribution,
        n_symbols: int,
        fitted: TrainingSample,
        held_out: TrainingSample | None,
        progress: Progress,
    ) -> None:
        self._options = options
        self._n_symbols = n_symbols
        self._sample = fitted
        self._dev = held_out
        self._progress = progress
        self._tree: PrefixTree = prefix_tree(fitted)
        self.tried: dict[int, float] = {}
        self.held_out_score: float | None = None
        first = self._choose_states()
        learned = self._more_starts(first)
        self._groups = [_Group([one.parameters], None) for one in learned]
        self._groups += self._chains(learned)
        self._weights = self._weigh()

    def _learn(self, n_states: int, number: int) -> Learned:
        start = first_parameters(self._tree, n_states, self._n_symbols, number, self._options.seed)
        return baum_welch(self._sample, start, self._options.max_steps, CONCENTRATION, self._dev)

    def _choose_states(self) -> list[Learned]:
        """The results of the first starts with the number of states chosen."""
        found: dict[int, list[Learned]] = {}
        with self._progress.stage("states") as stage:
            for n in self._candidates(found):
                stage.show(f"{n} states")
                heavy = self._sample.n_nodes * n * n > _HEAVY
                n_starts = min(1 if heavy else 2, self._options.n_starts)
                found[n] = [self._learn(n, number) for number in range(n_starts)]
            self.n_states = self._fewest(found)
            if self._dev is not None:
                self.tried = {n: _best_of(found[n]).held_out for n in sorted(found)}
            tried = ", ".join(map(str, sorted(found)))
            stage.done(f"{self.n_states} of {tried}", n_states=self.n_states, prefixes=self._sample.n_nodes)
        return found[self.n_states]

    def _candidates(self, found: dict[int, list[Learned]]) -> Iterator[int]:
        """Numbers of states; reads what was found for those before."""
        numbers = sorted(set(self._options._numbers()))
        auto = isinstance(self._options.n_states, str)
        best = numbers[0]
        for n in numbers:
            yield n
            best = max(found, key=lambda k: _best_of(found[k]).held_out)
            if auto and n >= 2 * best:
                break
        if auto:
            between = (round(best / np.sqrt(2)), round(best * np.sqrt(2)))
            yield from (n for n in between if 1 <= n <= self._options.max_states and n not in found)

    def _fewest(self, found: dict[int, list[Learned]]) -> int:
        """The least number of states that is not clearly worse on the held-out strings than the best."""
        if self._dev is None or len(found) == 1:
            return min(found)
        share = self._dev.weights / self._dev.total_weight
        logs = {n: self._dev.log_probabilities(_best_of(found[n]).parameters) for n in found}
        best = max(logs, key=lambda n: float(share @ logs[n]))
        for n in sorted(found):
            loss = logs[best] - logs[n]
            mean = float(share @ loss)
            error = np.sqrt(share @ (loss - mean) ** 2 / len(loss))
            if mean <= _STANDARD_ERRORS * error:
                return n
        return best

    def _more_starts(self, learned: list[Learned]) -> list[Learned]:
        """Results of several starts, the best first."""
        with self._progress.stage("starts") as stage:
            for number in range(len(learned), self._options.n_starts):
                stage.show(f"{number} of {self._options.n_starts}")
                learned.append(self._learn(self.n_states, number))
            learned.sort(key=lambda one: -one.held_out)
            stage.done(f"{len(learned)}, {sum(one.n_steps for one in learned)} steps", starts=len(learned))
        return learned

    def _chains(self, learned: list[Learned]) -> list[_Group]:
        options = self._options
        if not options.n_chains:
            return []
        starts = [learned[k % len(learned)].parameters for k in range(options.n_chains)]
        priors = [_CHAIN_CONCENTRATIONS[k % len(_CHAIN_CONCENTRATIONS)] for k in range(options.n_chains)]
        if self._dev is None:
            return [_Group([start], prior) for start, prior in zip(starts, priors, strict=True)]
        with self._progress.stage("chains") as stage:
            drawn = self._drawn(self._sample, starts, priors, stage.show)
            stage.done(f"{len(drawn)}, {options.n_sweeps} sweeps each", chains=len(drawn))
        return [_Group(automata, prior) for automata, prior in zip(drawn, priors, strict=True)]

    def _drawn(
        self,
        sample: TrainingSample,
        starts: list[Parameters],
        priors: list[float],
        show: Callable[[str], None],
    ) -> list[list[Parameters]]:
        n_sweeps, seed = self._options.n_sweeps, self._options.seed
        return drawn_automata(
            sample, starts, priors, n_sweeps=n_sweeps, n_left_out=n_sweeps // 3, seed=seed, show=show
        )

    def _weigh(self) -> _Floats:
        """Weights of the groups: one step of expectation-maximisation on the held-out strings.

        Before it, all starts together have the weight of a chain. More steps lead to what makes these strings
        likeliest, often the starts alone; but for strings more frequent than most of these, the chains are
        better (PAutomaC's problem 31: .051 above the optimum with all steps).
        """
        n_starts = sum(group.concentration is None for group in self._groups)
        weights = np.array([1 / n_starts if g.concentration is None else 1.0 for g in self._groups])
        weights /= weights.sum()
        if self._dev is None:
            return weights
        each = np.stack([_mean_logarithm(self._dev, group.automata) for group in self._groups])
        share = self._dev.weights / self._dev.total_weight
        joint = each + np.log(weights)[:, None]
        weights = np.exp(joint - logsumexp(joint, axis=0)) @ share
        self.held_out_score = float(logsumexp(each, axis=0, b=weights[:, None]) @ share)
        return weights

    def last_fit(self, whole: TrainingSample) -> tuple[list[_Group], _Floats]:
        """The groups with a weight that matters, fitted to all strings."""
        kept = np.flatnonzero(self._weights >= min(_LEAST_WEIGHT, self._weights.max()))
        groups = [self._groups[k] for k in kept]
        with self._progress.stage("last fit") as stage:
            chains = [k for k, group in enumerate(groups) if group.concentration is not None]
            for k, group in enumerate(groups):
                if group.concentration is None:
                    stage.show("Baum-Welch")
                    again = baum_welch(whole, group.automata[0], _LAST_STEPS, CONCENTRATION)
                    groups[k] = _Group([again.parameters], None)
            if chains:
                starts = [groups[k].automata[-1] for k in chains]
                priors = [float(groups[k].concentration or 0) for k in chains]
                drawn = self._drawn(whole, starts, priors, stage.show)
                for k, automata in zip(chains, drawn, strict=True):
                    groups[k] = _Group(automata, groups[k].concentration)
            n_automata = sum(len(group.automata) for group in groups)
            stage.done(f"{n_automata} automata of {self.n_states} states", automata=n_automata)
        return groups, self._weights[kept]


def _mean_logarithm(sample: TrainingSample, automata: list[Parameters]) -> _Floats:
    """Logarithms of the strings' mean probabilities."""
    each = np.stack([sample.log_probabilities(parameters) for parameters in automata])
    return np.asarray(logsumexp(each, axis=0) - np.log(len(automata)))
