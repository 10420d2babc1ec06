"""Next-symbol prediction with a weighted automaton."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.files import load_arrays, named_damage, save_arrays
from .._utils.validation import (
    check_choice,
    check_type,
    checked_n_sequences,
    checked_number,
    checked_whole,
    listed,
    random_generator,
)
from ..automata.automaton import WeightedAutomaton
from ..sequences.alphabet import Alphabet
from ..sequences.strings import Strings
from ._events import Events, context_symbols
from ._scoring import best_labels, bits_of, probabilities_of
from ._smoothing import Contexts, Floats, Smoothing, default_floor, predicted_symbols

Unseen: TypeAlias = Literal["error", "skip"]

_KIND = "language model"
_VERSION = 1
_OPTIONS = ("window", "contexts", "floor", "mixing", "n_sequences", "unseen")


@dataclass(frozen=True)
class CorpusScore:
    """How well a model predicts a corpus.

    Attributes
    ----------
    bits_per_symbol : float
        Mean -log2 probability of the scored symbols.
    n_scored : int
        Number of scored symbols: all but start symbols and symbols that are not in the alphabet.
    n_skipped : int
        Number of symbols that are not in the alphabet.
    """

    bits_per_symbol: float
    n_scored: int
    n_skipped: int


class LanguageModel:
    """Predicts the next symbol from the symbols before it, by a weighted automaton.

    The automaton computes expected numbers of occurrences of substrings. The score of symbol a after context
    c is the automaton's value of the string c a. The context of a symbol is the part of its sequence before
    it, cut to the last ``window - 1`` symbols.

    Parameters
    ----------
    automaton : WeightedAutomaton
        Computes the expectation of a substring, as learned from `substring_expectations`.
    window : int
        Length T of the longest substrings that the automaton was learned from.
    contexts : {"mixed", "longest"}, optional
        How the scores become probabilities, see Notes. By default ``"mixed"`` if the number of training
        sequences is known, else ``"longest"``.
    floor : float, optional
        Scores below it, negative ones too, are raised to it. By default a quarter of an occurrence
        in the training text, shared by all symbols that can be predicted: 0.25 / (`n_sequences` x symbols);
        1e-7 if the number of sequences is unknown. It may be 0 with mixed contexts.
    mixing : float, optional
        C of the mixed contexts: how many occurrences the next shorter context's prediction is worth, for each
        different symbol that was seen after a context.
    n_sequences : int, optional
        Number N of training sequences; by default ``automaton.n_sequences``.
    unseen : {"error", "skip"}, optional
        What to do with symbols that are not in the alphabet: raise ValueError, or skip them. A skipped
        symbol is not scored, and the contexts of later symbols begin after it.

    Raises
    ------
    ValueError
        If an option is out of its range, mixed contexts are asked for without a number of sequences, or the
        alphabet has no symbol but a start symbol. Predictions raise it where the automaton's values are too
        large for floating point.

    Notes
    -----
    With f the automaton's function and the sums over all symbols but the start symbol:

    * Longest context, the paper's predictor: p(a) = max(f(c a), floor) / sum over b of max(f(c b), floor).
    * Mixed contexts: with c_w the last w symbols, F_w(a) = N max(f(c_w a), floor), M_w the sum of F_w and t_w
      that of min(F_w, 1), about how many different symbols were seen after c_w: q_0 = F_0 + 0.5 normalised,
      q_w = (F_w + C t_w q_(w-1)) / (M_w + C t_w), or q_(w-1) where that is 0 / 0, and p = q_w for the whole
      context. A frequent context predicts by itself; a rare one, or one with many different successors, by
      the shorter one (Witten and Bell's method C [1]_, where C = 1). A floor above 0 shares 1 / (1 + C) of
      the prediction after an unseen context evenly among all symbols; with a floor of 0 samples read better.

    A start symbol of the alphabet is context only: it is never predicted and never scored. A sequence that
    does not begin with it gets it in front.

    The defaults did best on held-out text, T = 5, the paper's matching, in bits per symbol at the best
    number of states. Penn Treebank characters: longest contexts 1.770, mixed 1.752; with a start symbol
    1.744 and 1.725. War and Peace as one stream: 2.056 and 1.960. Part-of-speech tags: 2.643 and 2.585,
    with a start symbol 2.603 and 2.530. So contexts are mixed, and a start symbol is worth having. C = 1.5 is
    the best on the first, within 0.003 bits of it on the second and within 0.03 on the tags, where more is
    better, as it is for larger T. A shorter context that is worth 3 occurrences, however many different
    symbols were seen, is worse by 0.006, 0.013 and 0.02. A floor in place of 0 gains 0.006 on the second and
    0.009 on the tags with mixed contexts. With the longest context four times as much would gain 0.003, 0.013
    and 0.03, but ties at the floor spoil rankings (0.02 of NDCG on verbs of 33 symbols).
    `python -m benchmarks.paper conditioning` measures these and others: lowering counts because they are
    uncertain, and scaling the block's rows and columns, helped on none of the three texts.

    References
    ----------
    .. [1] I. H. Witten, T. C. Bell: The zero-frequency problem: estimating the probabilities of novel events
       in adaptive text compression. IEEE Transactions on Information Theory 37 (1991).

    Examples
    --------
    Expectations of an unending coin with twice as many a's as b's:

    >>> coin = WeightedAutomaton([1.0], [1.0], {"a": [[2 / 3]], "b": [[1 / 3]]})
    >>> model = LanguageModel(coin, window=3)
    >>> model.next_symbol_probabilities("ab").round(4)
    array([0.6667, 0.3333])
    >>> model.rank("ab", k=1)
    ['a']
    >>> round(model.bits_per_symbol(["aab", "aba"]), 4)
    0.9183
    """

    def __init__(
        self,
        automaton: WeightedAutomaton,
        window: int,
        *,
        contexts: Contexts | None = None,
        floor: float | None = None,
        mixing: float = 1.5,
        n_sequences: float | None = None,
        unseen: Unseen = "error",
    ) -> None:
        check_type("automaton", automaton, WeightedAutomaton, "a WeightedAutomaton")
        self.automaton = automaton
        self.window = checked_whole("window", window, 1)
        self.n_sequences = automaton.n_sequences if n_sequences is None else n_sequences
        if contexts is None:
            contexts = "longest" if self.n_sequences is None else "mixed"
        self.contexts: Contexts = contexts
        self.mixing = mixing
        self.unseen: Unseen = unseen
        self._check_options()
        self.floor = default_floor(self.n_sequences, self.alphabet) if floor is None else floor
        self._check_floor()

    def _check_options(self) -> None:
        if not predicted_symbols(self.alphabet).any():
            raise ValueError("automaton: its alphabet has no symbol to predict; give one with some")
        check_choice("contexts", self.contexts, ("mixed", "longest"))
        check_choice("unseen", self.unseen, ("error", "skip"))
        if self.n_sequences is None and self.contexts == "mixed":
            raise ValueError("n_sequences: None given; mixed contexts need the number of training sequences")
        checked_n_sequences(self.n_sequences)
        checked_number("mixing", self.mixing, above=True)

    def _check_floor(self) -> None:
        checked_number("floor", self.floor, above=self.contexts == "longest")

    @property
    def alphabet(self) -> Alphabet:
        """The automaton's alphabet."""
        return self.automaton.alphabet

    @property
    def smoothing(self) -> Smoothing:
        """How the options turn the automaton's values into probabilities."""
        is_predicted = predicted_symbols(self.alphabet)
        return Smoothing(self.contexts, self.floor, self.mixing, self.n_sequences, is_predicted)

    def __repr__(self) -> str:
        return (
            f"<LanguageModel: {self.automaton.n_states} states, {len(self.alphabet)} symbols, "
            f"window {self.window}, {self.contexts} contexts>"
        )

    def replace(self, **changes: object) -> LanguageModel:
        """A model with some options changed.

        Parameters
        ----------
        **changes
            Any parameters of the class.
        """
        options: dict[str, Any] = {name: getattr(self, name) for name in _OPTIONS}
        options |= {"automaton": self.automaton, **changes}
        return type(self)(**options)

    def next_symbol_probabilities(self, context: Iterable[Hashable], *, at_start: bool = True) -> Floats:
        """The distribution of the symbol that follows a context.

        Parameters
        ----------
        context : iterable of labels
            The symbols before; a `str` stands for its characters. Only the last ``window - 1`` matter.
        at_start : bool, optional
            Whether the context begins where its sequence begins, so that the alphabet's start symbol goes in
            front. False: it is from the middle of a sequence.

        Returns
        -------
        ndarray of float64, shape (n_symbols,)
            By symbol id; sums to one. A start symbol has 0.

        Raises
        ------
        ValueError
            If a symbol is not in the alphabet and `unseen` is ``"error"``.
        """
        states = self.automaton.initial[None]
        for symbol in self._context_ids(context, at_start):
            states = self._states_after(states, symbol)
        return self._distribution(states)

    def rank(self, context: Iterable[Hashable], k: int = 5, *, at_start: bool = True) -> list[Hashable]:
        """The `k` likeliest next symbols, best first; equally likely ones by id.

        Parameters
        ----------
        context, at_start
            As for `next_symbol_probabilities`.
        k : int, optional
            How many labels, 1 or more; fewer are returned if the alphabet has fewer.
        """
        k = checked_whole("k", k, 1)
        probabilities = self.next_symbol_probabilities(context, at_start=at_start)
        return best_labels(probabilities[None], k, self.alphabet)[0]

    def sample(
        self, seed: int | np.random.Generator | None = None, *, max_length: int = 1000
    ) -> tuple[Hashable, ...]:
        """A random sequence.

        Parameters
        ----------
        seed : int or numpy Generator, optional
            The same seed gives the same sequence.
        max_length : int, optional
            Stop after so many symbols, if there was no end symbol before.

        Returns
        -------
        tuple of labels
            Without the start symbol, with the end symbol.
        """
        max_length = checked_whole("max_length", max_length, 0)
        rng = random_generator("seed", seed)
        states = self.automaton.initial[None]
        if self.alphabet.start_id is not None:
            states = self._states_after(states, self.alphabet.start_id)
        drawn: list[int] = []
        while len(drawn) < max_length and (not drawn or drawn[-1] != self.alphabet.end_id):
            cumulative = np.cumsum(self._distribution(states))
            drawn.append(int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")))
            states = self._states_after(states, drawn[-1])
        return tuple(self.alphabet.labels[symbol] for symbol in drawn)

    def _context_ids(self, context: Iterable[Hashable], at_start: bool) -> list[int]:
        """Ids of the symbols of a context that matter."""
        skip = self.unseen == "skip"
        return context_symbols(context, self.alphabet, self.window, at_start=at_start, skip_unseen=skip)

    def _events(
        self, corpus: Strings | Iterable[Iterable[Hashable]], sample_weight: ArrayLike | None = None
    ) -> Events:
        """What there is to predict in a corpus."""
        skip = self.unseen == "skip"
        return Events.of(corpus, self.alphabet, self.window, skip_unseen=skip, sample_weight=sample_weight)

    def _states_after(self, states: NDArray[Any], symbol: int) -> NDArray[Any]:
        """States of the last 0, 1, 2, ... symbols after one more; at most as many as the window."""
        longer = self.automaton.apply(states[: self.window - 1], symbol)
        return np.concatenate([self.automaton.initial[None], longer])

    def _distribution(self, states: NDArray[Any]) -> Floats:
        """The prediction from the states of the last 0, 1, 2, ... symbols."""
        way = self.smoothing
        return way.of_lengths(self.automaton.next_values(states if way.is_mixed else states[-1:]))

    def probabilities_after(self, contexts: Iterable[Iterable[Hashable]], *, at_start: bool = True) -> Floats:
        """`next_symbol_probabilities` of many contexts, sharing the work where they share substrings.

        Parameters
        ----------
        contexts : iterable of iterables of labels
            The contexts.
        at_start : bool, optional
            As for `next_symbol_probabilities`.

        Returns
        -------
        ndarray of float64, shape (n_contexts, n_symbols)
        """
        many = listed("contexts", contexts, "a list of contexts")
        ids = [self._context_ids(context, at_start) for context in many]
        result = np.empty((len(many), len(self.alphabet)))
        for part, (distributions,) in probabilities_of(self.automaton, self.window, [self.smoothing], ids):
            result[part] = distributions
        return result

    def rankings(
        self, contexts: Iterable[Iterable[Hashable]], k: int = 5, *, at_start: bool = True
    ) -> list[list[Hashable]]:
        """`rank` of many contexts, as `hankelmatch.evaluation.ndcg` wants them."""
        k = checked_whole("k", k, 1)
        return best_labels(self.probabilities_after(contexts, at_start=at_start), k, self.alphabet)

    def bits_per_symbol(
        self, corpus: Strings | Iterable[Iterable[Hashable]], *, sample_weight: ArrayLike | None = None
    ) -> float:
        """Mean -log2 probability of the symbols of a corpus, ends of sequences included.

        Parameters
        ----------
        corpus : Corpus, Strings or iterable of sequences of labels
            Whole sequences, read by label: it may have another alphabet.
        sample_weight : array_like of float, shape (n_sequences,), optional
            How often each sequence counts: not negative, 1 by default.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If there is nothing to score, or a symbol is not in the alphabet and `unseen` is ``"error"``.

        Notes
        -----
        Each distinct context is computed once: for m of them and n states, a product of an m x n and an
        n x n matrix, in the automaton's precision.
        """
        return self.score(corpus, sample_weight=sample_weight).bits_per_symbol

    def score(
        self, corpus: Strings | Iterable[Iterable[Hashable]], *, sample_weight: ArrayLike | None = None
    ) -> CorpusScore:
        """As `bits_per_symbol`, with the numbers of symbols scored and skipped."""
        events = self._events(corpus, sample_weight)
        (bits,) = bits_of(self.automaton, self.window, [self.smoothing], events)
        return CorpusScore(bits, events.n_scored, events.n_skipped)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to an ``.npz`` file, exact to the bit, without pickle; the labels must be str or int."""
        header, arrays = self.automaton._to_arrays()
        options = {name: getattr(self, name) for name in _OPTIONS}
        save_arrays(path, _KIND, _VERSION, {**header, "options": options}, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LanguageModel:
        """Load what `save` saved."""
        header, arrays = load_arrays(path, _KIND, _VERSION)
        with named_damage(path):
            options = header["options"]
            if set(options) != set(_OPTIONS):
                raise ValueError(f"its options must be {', '.join(_OPTIONS)}, not {', '.join(options)}")
            return cls(WeightedAutomaton._from_arrays(header, arrays), **options)
