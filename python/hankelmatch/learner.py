"""All stages in one object: from sequences to a language model."""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Iterable, Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._utils.deprecation import renamed_keywords
from ._utils.estimator import Estimator, not_fitted
from ._utils.optional import Table, as_table
from ._utils.progress import Progress
from ._utils.validation import check_type, numbers_in
from .automata.automaton import WeightedAutomaton
from .automata.svd import TruncatedSVD
from .counting.sequence_function import SequenceFunction
from .hankel.basis import Basis, BasisLike
from .hankel.blocks import HankelBlocks
from .hankel.graph import PrefixSuffixGraph
from .learning.fitting import Fitting
from .learning.parameters import Choices, are_classes, check_parameters
from .learning.search import Trial
from .learning.stages import Setting
from .learning.texts import Sequences, held_out_text, hold_out, many_contexts, training_text
from .matching.maximum import Matching
from .prediction.language_model import LanguageModel
from .prediction.mixtures.choice import MixtureChoice
from .prediction.mixtures.mixture import MixtureModel
from .prediction.selection import HeldOut

_RENAMED = {"matching_method": "method"}  # parameters of 0.1.0


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
        Number of states, or numbers to choose from on held-out text. "auto" begins with 1 and doubles while
        held-out text says that it pays, see Notes; then it tries numbers between the best and its neighbours.
    basis : {"matching", "full", "length", "random-cuts", "top-norm"}, Basis, or (prefixes, suffixes)
        Prefixes and suffixes of the block; see `matching_basis`. "matching" is the paper's.
    min_count : int
        Substrings that occur less often are left out, as in `substring_expectations`.
    min_symbol_count : int
        Symbols of the training text that occur less often become the unknown symbol ``"<unk>"``, as which
        symbols that only other texts have are read then; see `Corpus.with_unknown_symbol`. 1: there is none.
    basis_size : int, optional
        For "length" the length, by default ``max_length // 2``; for "random-cuts" and "top-norm" the number
        of prefixes and suffixes, by default as many as "matching" would give.
    method : str
        The matcher, as in `match`: "auto" is the fastest, "paper" the paper's. "heavy" takes longer, though
        far less than the SVD, and predicts better: tags at T = 5 by 0.017 bits.
    max_states : int, optional
        Most states that "auto" tries, and most for whole histories. By default the numeric rank of the block,
        while the automaton's matrices take no more than 2 GiB, and 256 for whole histories.
    max_seconds : float, optional
        "auto" begins nothing more that would end, as far as it can be foreseen, more than so many seconds
        after the call of `fit`. The refit comes after that. By default there is no limit, so that the result
        depends on the data alone.
    contexts : {"auto", "mixed", "longest"}
        How the automaton's scores become probabilities, see `LanguageModel`: by the longest context alone,
        as in the paper, or by all lengths mixed. "auto" takes what predicts held-out text best, compared up
        to 64 states; "mixed" if there is none.
    mixing : float or "auto"
        Weight of the shorter context where contexts are mixed. "auto": what predicts held-out text best, of a
        few at each number of states and of many at the last; 1.5 if there is none.
    floor : float, optional
        Least score of a symbol, see `LanguageModel`. By default its default; where the longest context alone
        predicts, what predicts held-out text best, from 0.3 to 10 times that.
    shrinkage : float or "auto"
        Added to the singular values where the recovery divides by them, see `learn_automaton`, in occurrences
        in the training text. "auto": at each number of states up to 1,024 as much as held-out text wants,
        from 0 to 256 by factors of 4, at the last one by factors of 2; then what it was there. 0 if there is
        no held-out text.
    refit : bool
        Where `fit` itself has held out a part of the sequences: learn again from all of them, once all is
        chosen. The model is better for it (PAutomaC's perplexity by .007 in the median), but no score on
        text that it has not seen is left: ``dev_bits_`` is that of the model before.
    mixture : bool
        Mix the automaton's predictions with those of n-grams and of whole histories, linearly or
        log-linearly, by weights that make held-out text likeliest, so that the model is no worse than an
        n-gram model there; see `MixtureModel`. False, or without held-out text: the automaton alone predicts,
        within the window, as in the paper.
    unseen : {"error", "skip"}
        What to do with symbols to predict that the training text lacks. Use "skip" for cross-validation: a
        fold may lack a rare symbol.
    svd : {"auto", "dense", "lanczos", "randomized"}
        As in `truncated_svd`.
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
    classes_ : tuple of labels
        The symbols, in the order of the columns of `predict_proba`.
    window_model_ : LanguageModel
        Predicts with it.
    model_ : LanguageModel or MixtureModel
        Predicts; it is the former, or a mixture of it with others. Its method `save` saves it, and
        `load_model` loads it.
    mixture_ : MixtureChoice or None
        The weights of "window", "histories" and "n-grams" in ``model_``, how they are combined, and the
        number of states and the ridge for whole histories; None if nothing was held out to choose them on, or
        `mixture` is False.
    n_states_ : int
        Number of states.
    shrinkage_ : float
        How far its singular values were shrunk, in occurrences.
    dev_bits_ : float or None
        Bits per symbol of the held-out text by the model that was learned without it, before `refit`; None if
        nothing was held out.
    is_refitted_ : bool
        Whether ``model_`` was learned again from all sequences, those held out among them.
    tried_ : dict of (str, int) to float
        Bits per symbol of the held-out text by contexts and number of states: the best over the shrinkage and
        the weight or floor that were tried with them.
    trials_ : list of Trial
        Each automaton and use of it that was tried, in order, with ``contexts``, ``n_states``, ``shrinkage``,
        ``options``, ``bits`` and ``seconds``. `tried_table` has them as a table.
    stopped_by_ : str or None
        What ended the search: "held-out text", "rank", "max_states", "time" or "memory"; None if there was
        none.
    report_ : dict of str to dict
        For every stage its sizes and seconds.

    Notes
    -----
    To choose without held-out text, `fit` holds out a tenth of the sequences (the last tenth of a single
    sequence), and after the choice it learns from all of them (`refit`). What it tries is measured on that
    tenth: ``dev_bits_`` belongs to the model that has not seen it, ``model_`` to all of the text. Where you
    give text to choose on, it is not learned from, unless you pass it in `refit_on`.

    "auto" doubles the number of states. At each number it shrinks the singular values more and more, while
    that helps. Two doublings in a row up to 128 states, or one beyond, that save less than a twentieth of a
    per cent of the bits end it; so does the rank, `max_states` or `max_seconds`. Beyond 1,024 states more
    triplets are computed only if the mixture with n-grams, too, saves that by the last doubling; not where
    `mixture` is False. Of numbers of states that predict within a hundredth of a per cent of the best the
    least is taken. The SVD goes along: 128 triplets of a block with more than 1,000 rows and columns, then
    four times as many up to 1,024, then twice.

    In searches and pipelines of scikit-learn, give plain sequences, to which the learner adds end and start
    symbols, and `n_states` as a number: with "auto" each fold holds out a part of its own.

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
    classes_: tuple[Hashable, ...]
    window_model_: LanguageModel
    model_: LanguageModel | MixtureModel
    mixture_: MixtureChoice | None
    n_states_: int
    shrinkage_: float
    dev_bits_: float | None
    is_refitted_: bool
    tried_: dict[tuple[str, int], float]
    trials_: list[Trial]
    stopped_by_: str | None
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
        min_symbol_count: int = 1,
        basis_size: int | None = None,
        method: str = "heavy",
        max_states: int | None = None,
        max_seconds: float | None = None,
        contexts: str = "auto",
        mixing: float | str = "auto",
        floor: float | None = None,
        shrinkage: float | str = "auto",
        refit: bool = True,
        mixture: bool = True,
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
        self.min_symbol_count = min_symbol_count
        self.basis_size = basis_size
        self.method = method
        self.max_states = max_states
        self.max_seconds = max_seconds
        self.contexts = contexts
        self.mixing = mixing
        self.floor = floor
        self.shrinkage = shrinkage
        self.refit = refit
        self.mixture = mixture
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
        refit_on: Sequences | None = None,
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
        refit_on : Corpus or iterable of sequences, optional
            What to learn from in the end, once all is chosen on `dev`: as `corpus` and `dev` together, say.
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
        begin = time.monotonic()
        check_parameters(self.get_params())
        if y is not None and not are_classes(y, corpus):
            if dev is not None:
                raise ValueError("y: text to choose on is given beside dev; leave it out")
            dev = cast("Sequences", y)
        progress = Progress.on_stderr(self.verbose) if progress is None else progress
        check_type("progress", progress, Progress, "a Progress")
        training = training_text(corpus, self.end_symbol, self.start_symbol, sample_weight)
        if self.min_symbol_count > 1:
            training = training.with_unknown_symbol(self.min_symbol_count)
        whole = None
        if refit_on is not None:
            if dev is None:
                raise ValueError("refit_on: it is for text to choose on that is given as dev; leave it out")
            whole = training_text(refit_on, self.end_symbol, self.start_symbol, None, "refit_on")
            if self.min_symbol_count > 1:
                whole = whole.with_unknown_symbol(self.min_symbol_count)
        held_out: HeldOut | None = None if dev is None else held_out_text(dev)
        if held_out is None and len(numbers_in(self.n_states)) != 1:
            whole = training if self.refit else None
            training, held_out = hold_out(training, self.seed)
        given = self.get_params()
        deadline = math.inf if self.max_seconds is None else begin + self.max_seconds
        fitting = Fitting(Setting.of(given), Choices.of(given), progress, deadline)
        fitting.run(training, held_out, whole)
        self._keep(fitting, progress)  # if Ctrl-C came before, what was learned earlier stays whole
        return self

    def _keep(self, fitting: Fitting, progress: Progress) -> None:
        hankel = fitting.hankel
        self.function_, self.graph_, self.matching_ = hankel.function, hankel.graph, hankel.matching
        self.basis_, self.blocks_, self.svd_ = hankel.basis, hankel.blocks, fitting.svd
        self.automaton_, self.classes_ = fitting.automaton, fitting.automaton.alphabet.labels
        self.model_, self.window_model_ = fitting.model, fitting.window_model
        self.n_states_, self.shrinkage_ = fitting.automaton.n_states, fitting.choice.shrinkage
        self.mixture_, self.dev_bits_ = fitting.mixture, fitting.dev_bits
        self.tried_, self.trials_, self._choice = fitting.tried(), fitting.trials, fitting.choice
        self.is_refitted_, self.stopped_by_ = fitting.is_refitted, fitting.stopped_by
        self.report_ = progress.report

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
        if isinstance(contexts, (str, tuple)):
            return model.rank(contexts, k=1)[0]
        return [ranking[0] for ranking in model.rankings(many_contexts(contexts, model.alphabet), k=1)]

    def predict_proba(
        self, contexts: Iterable[Hashable] | Iterable[Iterable[Hashable]]
    ) -> NDArray[np.float64]:
        """Probabilities of all next symbols.

        Parameters
        ----------
        contexts : str, tuple, or iterable of contexts
            As for `predict`.

        Returns
        -------
        ndarray of float64, shape (n_contexts, n_symbols)
            Column i belongs to ``classes_[i]``; a row sums to 1. One context gives one row.
        """
        model = self._fitted()
        if isinstance(contexts, (str, tuple)):
            return model.next_symbol_probabilities(contexts)[None]
        return model.probabilities_after(many_contexts(contexts, model.alphabet))

    def tried_table(self) -> Table:
        """All that was tried on held-out text, as a table.

        Returns
        -------
        pandas.DataFrame, or dict of str to list
            The latter where pandas is not installed. Columns: ``contexts``, ``n_states``, ``shrinkage``,
            ``mixing`` and ``floor_share`` (None where it does not apply or was given), ``bits_per_symbol``,
            ``seconds``, and ``is_chosen``; a row for each entry of ``trials_``.
        """
        self._fitted()
        columns: dict[str, list[object]] = {
            "contexts": [trial.contexts for trial in self.trials_],
            "n_states": [trial.n_states for trial in self.trials_],
            "shrinkage": [trial.shrinkage for trial in self.trials_],
            "mixing": [trial.options.get("mixing") for trial in self.trials_],
            "floor_share": [trial.options.get("floor_share") for trial in self.trials_],
            "bits_per_symbol": [trial.bits for trial in self.trials_],
            "seconds": [trial.seconds for trial in self.trials_],
            "is_chosen": [trial == self._choice for trial in self.trials_],
        }
        return as_table(columns)

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

    def _fitted(self) -> LanguageModel | MixtureModel:
        if not hasattr(self, "model_"):
            raise not_fitted("this SpectralLearner has not learned anything yet; call fit first")
        return self.model_
