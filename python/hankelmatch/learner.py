"""All stages in one object: from sequences to a language model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Sized
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._utils.deprecation import renamed_keywords
from ._utils.estimator import Estimator, not_fitted
from ._utils.progress import Progress
from ._utils.validation import (
    check_choice,
    check_type,
    checked_number,
    checked_whole,
    is_whole,
)
from .automata.automaton import WeightedAutomaton, checked_precision
from .automata.recovery import learn_automaton
from .automata.svd import SVD_METHODS, TruncatedSVD
from .counting.sequence_function import SequenceFunction
from .hankel.basis import Basis, BasisLike, as_basis
from .hankel.blocks import HankelBlocks
from .hankel.graph import PrefixSuffixGraph
from .learning.stages import BASES, Setting, build_blocks, factorize
from .learning.texts import Sequences, held_out_text, hold_out, training_text
from .matching.maximum import HANKEL_METHODS, Matching
from .prediction.language_model import LanguageModel
from .prediction.selection import (
    FLOOR_SHARES,
    MIXINGS,
    Choice,
    HeldOut,
    best_options,
    search_shrinkage,
    search_states,
)
from .sequences.corpus import Corpus

_CHOICES = {
    "method": HANKEL_METHODS,
    "contexts": ("auto", "mixed", "longest"),
    "svd": SVD_METHODS,
    "unseen": ("error", "skip"),
}
_WHOLE_NUMBERS = {"max_length": 1, "min_count": 1, "basis_size": 0, "max_states": 1, "seed": 0}  # from
_OPTIONAL = ("basis_size", "max_states")  # may be None
_RENAMED = {"matching_method": "method"}  # parameters of 0.1.0
_FULL_RANK_SIDE = 2000  # up to this side of the block every singular triplet is computed
_MOST_STATES = 1000  # of a larger block


class SpectralLearner(Estimator):
    """Learns a weighted automaton from sequences, and predicts next symbols with it.

    It counts substrings, finds a maximum matching of the prefix-suffix graph, takes the matched prefixes and
    suffixes as the basis of a Hankel block, factorises the block, and recovers the automaton with the number
    of states that predicts held-out text best. It has the interface of a scikit-learn estimator and does not
    need that package.

    Parameters
    ----------
    max_length : int
        T, the length of the longest substrings that are counted. Predictions use the last T - 1 symbols, or
        fewer if no substring that was counted is so long.
    n_states : int, "auto", or sequence of int
        Number of states, or numbers to choose from on held-out text. "auto" tries numbers in a geometric grid
        up to the numeric rank of the block (or `max_states`), then between the best one and its neighbours.
    basis : {"matching", "full", "length", "random-cuts", "top-norm"}, Basis, or (prefixes, suffixes)
        Prefixes and suffixes of the block; see `matching_basis`. "matching" is the paper's.
    min_count : int
        Substrings that occur less often are left out, as in `substring_expectations`.
    basis_size : int, optional
        For "length" the length, by default ``max_length // 2``; for "random-cuts" and "top-norm" the number
        of prefixes and suffixes, by default as many as "matching" would give.
    method : str
        The matcher, as in `match`: "auto" is the fastest, "paper" the paper's. "heavy" takes longer, but far
        less than the SVD. With many states it predicts held-out text as well as "auto", or better if the
        singular values are shrunk; with the best number of states, a fifth of all, 0.017 bits better on tags
        at T = 5.
    max_states : int, optional
        Most states that "auto" tries. By default the numeric rank of a block with at most 2,000 rows or
        columns, and 1,000 for a larger one; more take longer and may predict better, above all for T > 5.
    contexts : {"auto", "mixed", "longest"}
        How the automaton's scores become probabilities, see `LanguageModel`: by the longest context alone,
        as in the paper, or by all lengths mixed. "auto" takes what predicts held-out text best, compared at
        a few numbers of states; "mixed" if there is none.
    mixing : float or "auto"
        Weight of the shorter context where contexts are mixed. "auto": what predicts held-out text best, with
        the number of states chosen before; 1.5 if there is none.
    floor : float, optional
        Least score of a symbol, see `LanguageModel`. By default its default; where the longest context alone
        predicts, what predicts held-out text best, from 0.3 to 10 times that.
    shrinkage : float or "auto"
        Added to the singular values where the recovery divides by them, see `learn_automaton`, in occurrences
        in the training text. "auto": 0.5, 1, 2 and so on to 128, as long as held-out text is predicted
        better, with the number of states chosen before or the largest that was tried; 0 if there is none.
    unseen : {"error", "skip"}
        What to do with symbols to predict that the training text lacks. Use "skip" for cross-validation: a
        fold may lack a rare symbol.
    svd : {"auto", "dense", "lanczos", "randomized"}
        Method of the factorisation, as in `truncated_svd`.
    end_symbol, start_symbol : bool or label
        Symbols to close and open sequences with; both improve predictions. Every sequence gets them where it
        lacks them, be it of a list, a `Corpus` or `Strings`; only a `Corpus` of a single sequence without an
        end symbol is taken for a stream, and gets those alone for which a label is given. A `UserWarning`
        says where the choice cannot be honoured: a `Corpus` with another symbol, or counts of substrings.
    dtype : {"float32", "float64"}
        Precision in which the automaton is kept.
    seed : int
        Seed of all random choices: held-out sequences, random cuts, start vectors of an iterative SVD.
    verbose : bool
        Report each stage on the standard error stream.

    Attributes
    ----------
    function_ : SequenceFunction
        Expected number of occurrences of every substring.
    graph_ : PrefixSuffixGraph
        Its prefixes and suffixes.
    matching_ : Matching or None
        A maximum matching; None where the basis does not need one.
    basis_ : Basis
        Prefixes and suffixes of the block.
    blocks_ : HankelBlocks
        The block, and those of every symbol.
    svd_ : TruncatedSVD
        Factorisation of the block, which serves every number of states.
    automaton_ : WeightedAutomaton
        The automaton, with ``n_states_`` states.
    model_ : LanguageModel
        Predicts with it; save and load it by its methods.
    n_states_ : int
        Number of states.
    shrinkage_ : float
        How far its singular values were shrunk, in occurrences.
    dev_bits_ : float or None
        Bits per symbol on the held-out text; None if nothing was held out.
    tried_ : dict of (str, int) to float
        The same for all that was tried before the shrinkage and the weight or the floor were chosen, by
        contexts and number of states.
    report_ : dict of str to dict
        For every stage its sizes and seconds.

    Notes
    -----
    To choose the number of states without held-out text, `fit` holds out a tenth of the sequences (the last
    tenth of a single sequence). It learns the model from the rest and does not learn again from everything,
    so ``dev_bits_`` is the score of the model you get.

    With the searches and pipelines of scikit-learn, give plain sequences, to which the learner adds end and
    start symbols, and `n_states` as a number: with "auto" each fold holds out a part of its own.

    Examples
    --------
    >>> from hankelmatch import SpectralLearner
    >>> learner = SpectralLearner(max_length=3, n_states=5).fit(["abab", "ab", "ababab"])
    >>> learner.predict("a"), learner.predict(["aba", "abab"])
    ('b', ['b', 'a'])
    >>> learner.score(["abab"]) < 0
    True
    """

    function_: SequenceFunction
    graph_: PrefixSuffixGraph
    matching_: Matching | None
    basis_: Basis
    blocks_: HankelBlocks
    svd_: TruncatedSVD
    automaton_: WeightedAutomaton
    model_: LanguageModel
    n_states_: int
    shrinkage_: float
    dev_bits_: float | None
    tried_: dict[tuple[str, int], float]
    report_: dict[str, dict[str, object]]

    _renamed = _RENAMED

    @renamed_keywords(**_RENAMED)
    def __init__(
        self,
        max_length: int = 5,
        n_states: int | str | Sequence[int] = "auto",
        basis: str | BasisLike = "matching",
        *,
        min_count: int = 1,
        basis_size: int | None = None,
        method: str = "heavy",
        max_states: int | None = None,
        contexts: str = "auto",
        mixing: float | str = "auto",
        floor: float | None = None,
        shrinkage: float | str = "auto",
        unseen: str = "error",
        svd: str = "auto",
        end_symbol: bool | Hashable = True,
        start_symbol: bool | Hashable = True,
        dtype: DTypeLike = "float32",
        seed: int = 0,
        verbose: bool = False,
    ) -> None:
        self.max_length = max_length
        self.n_states = n_states
        self.basis = basis
        self.min_count = min_count
        self.basis_size = basis_size
        self.method = method
        self.max_states = max_states
        self.contexts = contexts
        self.mixing = mixing
        self.floor = floor
        self.shrinkage = shrinkage
        self.unseen = unseen
        self.svd = svd
        self.end_symbol = end_symbol
        self.start_symbol = start_symbol
        self.dtype = dtype
        self.seed = seed
        self.verbose = verbose

    def fit(
        self,
        corpus: Sequences | SequenceFunction,
        y: object = None,
        *,
        dev: Sequences | None = None,
        sample_weight: ArrayLike | None = None,
        progress: Progress | None = None,
    ) -> SpectralLearner:
        """Learn from sequences, or from substrings that have been counted already.

        Parameters
        ----------
        corpus : Corpus, iterable of sequences, or SequenceFunction
            The sequences to learn from, each a str or an iterable of labels. Or the expected number of
            occurrences of every substring, from `count_text` or `SequenceFunction.from_parquet`.
        y : optional
            Classes, one for each sequence, are ignored, as scikit-learn expects. A `Corpus`, or a different
            number of sequences than `corpus` has, is taken as `dev`.
        dev : Corpus or iterable of sequences, optional
            Held-out text on which to choose; if there is none, a part of `corpus` is taken, see Notes of
            the class.
        sample_weight : array_like of float, shape (n_sequences,), optional
            How often each sequence of `corpus` counts, in learning and where a part of it is held out: not
            negative, 1 by default. Whole numbers do as repeated sequences do.
        progress : Progress, optional
            Gets the reports in place of the standard error stream.

        Returns
        -------
        SpectralLearner
            Itself.

        Raises
        ------
        ValueError
            If a parameter is out of its range, the corpus is empty or too small to hold some of it out, or
            the weights are not fit, as in `substring_expectations`.
        TypeError
            If `corpus` or `dev` is no list of sequences.
        """
        self._check_parameters()
        if y is not None and not _are_classes(y, corpus):
            if dev is not None:
                raise ValueError("y: text to choose on is given beside dev; leave it out")
            dev = cast("Sequences", y)
        progress = Progress.on_stderr(self.verbose) if progress is None else progress
        check_type("progress", progress, Progress, "a Progress")
        training = training_text(corpus, self.end_symbol, self.start_symbol, sample_weight)
        held_out: HeldOut | None = None if dev is None else held_out_text(dev)
        if held_out is None and len(self._numbers()) != 1:
            training, held_out = hold_out(training, self.seed)
        before = self.__dict__.copy()
        try:
            self.report_ = progress.report
            hankel = build_blocks(training, self._setting(), progress)
            self.function_, self.graph_, self.matching_ = hankel.function, hankel.graph, hankel.matching
            self.basis_, self.blocks_ = hankel.basis, hankel.blocks
            n_wanted = self._most_states(min(self.blocks_.H.shape))
            self.svd_ = factorize(self.blocks_, n_wanted, self._setting(), progress)
            self._choose(held_out, progress)
        except BaseException:  # Ctrl-C too: what was learned before stays whole
            self.__dict__ = before
            raise
        return self

    def _setting(self) -> Setting:
        return Setting(
            max_length=self.max_length,
            min_count=self.min_count,
            basis=self.basis,
            basis_size=self.basis_size,
            method=self.method,
            svd=self.svd,
            seed=self.seed,
        )

    def _check_parameters(self) -> None:
        """Check the parameters of all stages before the first begins."""
        if isinstance(self.basis, (Basis, tuple)):
            as_basis(self.basis)
        else:
            check_choice("basis", self.basis, BASES)
        for name, choices in _CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        for name, least in _WHOLE_NUMBERS.items():
            value = getattr(self, name)
            if value is not None or name not in _OPTIONAL:
                checked_whole(name, value, least)
        numbers = self._numbers()
        if not self._is_auto("n_states") and not (numbers and all(is_whole(n) and n >= 1 for n in numbers)):
            raise ValueError(f"n_states: {self.n_states!r} given; give 'auto', or numbers from 1 up")
        for name in ("mixing", "shrinkage"):
            if not self._is_auto(name):
                checked_number(name, getattr(self, name), above=name == "mixing", instead="'auto' or ")
        if self.floor is not None:
            checked_number("floor", self.floor, above=self._is("contexts", "longest"), instead="None or ")
        if self._is("basis", "random-cuts") or self._is("basis", "top-norm"):
            checked_whole("basis_size", 1 if self.basis_size is None else self.basis_size, 1)
        checked_precision(self.dtype)

    def _is(self, name: str, choice: str) -> bool:
        value = getattr(self, name)
        return isinstance(value, str) and value == choice  # an array would compare by entries

    def _is_auto(self, name: str) -> bool:
        return self._is(name, "auto")

    def _numbers(self) -> list[Any]:
        """The numbers of states to choose from as they were given; none for "auto"."""
        if isinstance(self.n_states, str):
            return []
        if isinstance(self.n_states, np.ndarray):
            return [*self.n_states.ravel()]
        return [*self.n_states] if isinstance(self.n_states, Sequence) else [self.n_states]

    def _most_states(self, shortest: int) -> int | None:
        """How many singular triplets to compute; None: all."""
        if self._numbers():
            return int(max(self._numbers()))
        if self.max_states is None:
            return None if shortest <= _FULL_RANK_SIDE else _MOST_STATES
        return min(self.max_states, shortest)

    def _choose(self, dev: HeldOut | None, progress: Progress) -> None:
        """Set the model: what is best on `dev` in the number of states, contexts, shrinkage and options."""
        with progress.stage("states") as stage:
            self.shrinkage_ = 0.0 if self._is_auto("shrinkage") else float(self.shrinkage)
            self.n_states_, self.dev_bits_, self.tried_ = self.svd_.n_states, None, {}
            contexts = self._kinds(dev)[0]
            options: Mapping[str, Any] = {}
            if dev is not None:
                contexts, choice = self._best(dev, stage.show)
                self.n_states_, self.shrinkage_, options, self.dev_bits_ = choice
            model = self._learn(self.shrinkage_, contexts).replace(**options)
            self.automaton_ = model.automaton.truncate(self.n_states_)
            self.model_ = model.replace(automaton=self.automaton_)
            stage.done(
                self._choice_text(),
                states=self.n_states_,
                contexts=contexts,
                shrinkage=self.shrinkage_,
                mixing=self.model_.mixing,
                floor=self.model_.floor,
                dev_bits_per_symbol=self.dev_bits_,
            )

    def _best(self, dev: HeldOut, show: Callable[[str], None]) -> tuple[str, Choice]:
        """The kind of contexts and all else that is best on `dev`, one choice after the other."""
        kinds = self._kinds(dev)
        largest = self._learn(self.shrinkage_, kinds[0])
        models = {kind: largest.replace(contexts=kind) for kind in kinds}
        self.tried_ = search_states([*models.values()], dev, self._numbers(), show)
        kind, n = min(self.tried_, key=lambda tried: self.tried_[tried])
        options = self._options_of(models[kind])
        chosen = models[kind].replace(automaton=largest.automaton.truncate(n))
        choice = Choice(n, self.shrinkage_, *best_options(chosen, dev, options))
        if self._is_auto("shrinkage"):
            del largest, models, chosen  # their memory is needed for the next
            numbers = sorted({n, max(n for _, n in self.tried_)})
            learn = partial(self._learn, contexts=kind)
            choice = search_shrinkage(choice, learn, dev, numbers=numbers, options=options, show=show)
        return kind, choice

    def _options_of(self, model: LanguageModel) -> list[dict[str, float]]:
        """Options of a model to choose from, once its contexts and number of states are known; one at least.

        Long contexts are rare, and want to be mixed with more of the shorter ones: on Penn Treebank
        characters 1.5 is the best mixing weight at T = 5, 3 at T = 6 and 6 at T = 7, with all states.
        """
        if model.contexts == "mixed":
            return [{"mixing": mixing} for mixing in MIXINGS] if self._is_auto("mixing") else [{}]
        return [{"floor": share * model.floor} for share in FLOOR_SHARES] if self.floor is None else [{}]

    def _kinds(self, dev: HeldOut | None) -> list[str]:
        if self.contexts != "auto":
            return [self.contexts]
        return ["mixed"] if dev is None or self.floor == 0 else ["mixed", "longest"]

    def _learn(self, shrinkage: float, contexts: Any) -> LanguageModel:
        """The model of the largest automaton; the shrinkage in occurrences."""
        n_sequences = self.function_.n_sequences
        assert n_sequences is not None  # _count refuses it
        shrinkage = min(shrinkage / n_sequences, float(np.finfo(float).max))  # weights may be tiny
        automaton = learn_automaton(self.blocks_, svd=self.svd_, shrinkage=shrinkage, dtype=self.dtype)
        unseen: Any = self.unseen
        window = max(1, self.function_.max_length)  # the automaton knows nothing of longer strings
        model = LanguageModel(automaton, window, contexts=contexts, floor=self.floor, unseen=unseen)
        return model if self._is_auto("mixing") else model.replace(mixing=self.mixing)

    def _choice_text(self) -> str:
        contexts = f"{self.model_.contexts} contexts"
        shrunk = f", shrunk by {self.shrinkage_:g}" if self.shrinkage_ else ""
        if self.dev_bits_ is None:
            return f"{self.n_states_:,}{shrunk}, {contexts}"
        grid = sorted({n for _, n in self.tried_})
        n = f"{self.n_states_:,}"
        if len(grid) > 1:
            n += f", best on dev of {len(grid)} numbers from {grid[0]:,} to {grid[-1]:,}"
        elif n_asked := self._numbers():
            n += ", as asked for" if self.n_states_ == n_asked[0] else ", all there are"
        if self.model_.contexts == "mixed":
            contexts += f", the shorter weighing {self.model_.mixing:g}"
        else:
            contexts += f", floor {self.model_.floor:.2g}"
        return f"{n}{shrunk}; {contexts}"

    def predict(
        self, contexts: Iterable[Hashable] | Iterable[Iterable[Hashable]]
    ) -> Hashable | list[Hashable]:
        """The likeliest next symbol.

        Parameters
        ----------
        contexts : str, tuple, or iterable of contexts
            A `str` or a tuple is one context, from the beginning of its sequence; anything else is many.

        Returns
        -------
        label or list of labels
            One for each context. More than the first: ``learner.model_.rank(context, k)``.
        """
        model = self._fitted()
        is_single = isinstance(contexts, np.ndarray) and contexts.ndim < 2 and contexts.dtype.kind not in "OU"
        if is_single or not isinstance(contexts, Iterable):
            raise TypeError(
                "contexts: a str or a tuple of symbols is one context, a list of contexts is many; "
                f"not {contexts!r}"
            )
        if isinstance(contexts, (str, tuple)):
            return model.rank(contexts, k=1)[0]
        many = cast("Iterable[Iterable[Hashable]]", contexts)
        return [ranking[0] for ranking in model.rankings(many, k=1)]

    def score(self, corpus: Sequences, y: None = None, *, sample_weight: ArrayLike | None = None) -> float:
        """How well a corpus is predicted: minus the bits per symbol, so that more is better.

        Parameters
        ----------
        corpus : Corpus or iterable of sequences
            What to predict. Sequences get the end and start symbol of the training text where they lack them.
        y : None
            Ignored; there so that scikit-learn can call this.
        sample_weight : array_like of float, shape (n_sequences,), optional
            How often each sequence counts.

        Returns
        -------
        float
            Mean log2 probability of a symbol.
        """
        return -self._fitted().bits_per_symbol(corpus, sample_weight=sample_weight)

    def _fitted(self) -> LanguageModel:
        if not hasattr(self, "model_"):
            raise not_fitted("this SpectralLearner has not learned anything yet; call fit first")
        return self.model_


def _are_classes(y: Any, corpus: Any) -> bool:
    """Whether y has one entry for each sequence, as scikit-learn's classes do, and is no corpus."""
    if y is corpus or isinstance(y, Corpus) or not (isinstance(y, Sized) and isinstance(corpus, Sized)):
        return False
    return not isinstance(corpus, SequenceFunction) and len(y) == len(corpus)
