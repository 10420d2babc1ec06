"""Next-symbol prediction with a weighted automaton."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.validation import (
    check_choice,
    check_type,
    checked_n_sequences,
    checked_number,
    checked_whole,
    warn_user,
)
from ..automata.automaton import WeightedAutomaton
from ..sequences.alphabet import Alphabet
from ..sequences.strings import Strings
from ._events import Events, ScoredText
from ._histories import Histories, HistorySmoothing, HistoryWalk, history_distributions, history_probabilities
from ._next_symbols import NextSymbolModel, Walk
from ._scoring import bits_of, node_probabilities, probabilities_of
from ._smoothing import Contexts, Floats, Smoothing, default_floor, predicted_symbols
from ._text_scores import Unseen

History: TypeAlias = Literal["window", "whole"]

_OPTIONS = ("window", "contexts", "floor", "mixing", "n_sequences", "unseen")
_LATER_OPTIONS = {"history": "window"}  # what files of 0.1.0 stand for
_WHOLE_FLOOR = 1e-3


class LanguageModel(NextSymbolModel):
    """Predicts the next symbol from the symbols before it, by a weighted automaton.

    The automaton computes expected numbers of occurrences of substrings. The score of symbol a after context
    c is the automaton's value of the string c a. The context of a symbol is the part of its sequence before
    it, cut to the last ``max_length - 1`` symbols; or all of it, with ``history="whole"``.

    Parameters
    ----------
    automaton : WeightedAutomaton
        Computes the expectation of a substring, as learned from `substring_expectations`.
    max_length : int, optional
        Length T of the longest strings to score: predictions use the last T - 1 symbols. By default
        ``automaton.max_length``, the length of the longest substrings that it was learned from.
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
    n_sequences : float, optional
        Number N of training sequences, or the sum of their weights; by default ``automaton.n_sequences``.
    unseen : {"error", "skip"}, optional
        What to do with symbols that are not in the alphabet: raise ValueError, or skip them. A skipped
        symbol is not scored, and the contexts of later symbols begin after it.
    history : {"window", "whole"}, optional
        "whole": the context is the whole sequence before, see Notes; `contexts` and `mixing` then matter no
        more, and `floor` is a share, by default 0.001.
    window : int, optional
        Another name of `max_length`.

    Raises
    ------
    ValueError
        If an option is out of its range, mixed contexts are asked for without a number of sequences, or the
        alphabet has no symbol but a start symbol. Predictions raise it where the automaton's values are too
        large for floating point.
    TypeError
        If `automaton` is of another class, or the length T is given twice or not known.

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

    * Whole history: with s the state after everything before, divided by its largest entry at each symbol,
      p(a) = (1 - floor) max(s A_a final, 0) / (the sum of these) + floor q_0(a), with q_0 the prediction of
      the empty context, which also stands alone where nothing is above 0. Where a symbol comes that the
      state gave less than the floor does, the history begins anew with it. No score is raised to a number of
      its own: after long histories all are small. Automata with few states have the best whole histories;
      one with many follows the text's accidents, unless they are damped as `SpectralLearner` does it, by
      ridge regression. Cost: O(n_states^2) a symbol, and one matrix product for each symbol at each place of
      many sequences.

    A start symbol of the alphabet is context only: it is never predicted and never scored. A sequence that
    does not begin with it gets it in front; one to score that does not end with the end symbol gets that too.

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

    kind = "language model"
    history: History = "window"  # of pickles of 0.1.0, which lack it

    def __init__(
        self,
        automaton: WeightedAutomaton,
        max_length: int | None = None,
        *,
        contexts: Contexts | None = None,
        floor: float | None = None,
        mixing: float = 1.5,
        n_sequences: float | None = None,
        unseen: Unseen = "error",
        history: History = "window",
        window: int | None = None,
    ) -> None:
        check_type("automaton", automaton, WeightedAutomaton, "a WeightedAutomaton")
        self.automaton = automaton
        self.window = _checked_window(automaton, max_length, window)
        self.n_sequences = automaton.n_sequences if n_sequences is None else n_sequences
        if contexts is None:
            contexts = "longest" if self.n_sequences is None else "mixed"
        self.contexts: Contexts = contexts
        self.mixing = mixing
        self.unseen = unseen
        self.history = history
        self._check_options()
        self.floor = self._default_floor() if floor is None else floor
        self._check_floor()

    def _check_options(self) -> None:
        if not predicted_symbols(self.alphabet).any():
            raise ValueError("automaton: its alphabet has no symbol to predict; give one with some")
        check_choice("contexts", self.contexts, ("mixed", "longest"))
        check_choice("unseen", self.unseen, ("error", "skip"))
        check_choice("history", self.history, ("window", "whole"))
        if self.n_sequences is None and self.contexts == "mixed":
            raise ValueError("n_sequences: None given; mixed contexts need the number of training sequences")
        self.n_sequences = checked_n_sequences(self.n_sequences)
        self.mixing = checked_number("mixing", self.mixing, above=True)

    def _default_floor(self) -> float:
        is_whole = self.history == "whole"
        return _WHOLE_FLOOR if is_whole else default_floor(self.n_sequences, self.alphabet)

    def _check_floor(self) -> None:
        is_whole = self.history == "whole"
        self.floor = checked_number("floor", self.floor, above=self.contexts == "longest" and not is_whole)
        if is_whole and self.floor > 1:
            raise ValueError(f"floor: {self.floor} given; for whole histories it is a share, 1 at most")

    @property
    def alphabet(self) -> Alphabet:
        """The automaton's alphabet."""
        return self.automaton.alphabet

    @property
    def max_length(self) -> int:
        """Length T of the longest strings to score."""
        return self.window

    @property
    def smoothing(self) -> Smoothing:
        """How the options turn the automaton's values into probabilities, within a window."""
        is_whole = self.history == "whole"
        floor = default_floor(self.n_sequences, self.alphabet) if is_whole else self.floor
        is_predicted = predicted_symbols(self.alphabet)
        return Smoothing(self.contexts, floor, self.mixing, self.n_sequences, is_predicted)

    def __repr__(self) -> str:
        return (
            f"<LanguageModel: {self.automaton.n_states} states, {len(self.alphabet)} symbols, "
            f"{'whole histories' if self.history == 'whole' else self._window_text()}>"
        )

    def _window_text(self) -> str:
        return f"window {self.window}, {self.contexts} contexts"

    def replace(self, **changes: object) -> LanguageModel:
        """A model with some options changed.

        Parameters
        ----------
        **changes
            Any parameters of the class.

        Raises
        ------
        TypeError
            If the class has no parameter of that name.
        ValueError
            For values that the class refuses.
        """
        options: dict[str, Any] = {name: getattr(self, name) for name in (*_OPTIONS, *_LATER_OPTIONS)}
        # What was the default is that of the new model; and for other histories a floor means something else.
        if self.n_sequences == self.automaton.n_sequences:
            options["n_sequences"] = None
        if self.floor == self._default_floor() or changes.get("history", self.history) != self.history:
            options["floor"] = None
        if changes.get("max_length") is not None:
            del options["window"]
        options |= {"automaton": self.automaton, **changes}
        if not changes.keys() & {"automaton", "max_length", "window"}:
            options["window"] = None if self.automaton.max_length is not None else self.window
            model = type(self)(**options)
            model.window = self.window  # a warning, if it is too long, came when it was given
            return model
        return type(self)(**options)

    @property
    def _reach(self) -> int:
        return self.window if self.history == "window" else sys.maxsize

    def _walk(self) -> Walk:
        if self.history == "whole":
            return HistoryWalk(self._history())
        return _WindowWalk(self.automaton, self.window, self.smoothing)

    def _history(self) -> Histories:
        empty = self.automaton.next_values(self.automaton.initial[None])
        return Histories(self.automaton, HistorySmoothing(self.smoothing.of_lengths(empty), self.floor))

    def _events(
        self, corpus: Strings | Iterable[Iterable[Hashable]], sample_weight: ArrayLike | None = None
    ) -> Events:
        """What there is to predict in a corpus."""
        skip = self.unseen == "skip"
        return Events.of(corpus, self.alphabet, self.window, skip_unseen=skip, sample_weight=sample_weight)

    def _distributions(self, contexts: list[list[int]]) -> Floats:
        if self.history == "whole":
            return history_distributions(self._history(), contexts)
        result = np.empty((len(contexts), len(self.alphabet)))
        for part, (own,) in probabilities_of(self.automaton, self.window, [self.smoothing], contexts):
            result[part] = own
        return result

    def _bits_of(self, text: ScoredText) -> float:
        if self.history == "whole":
            return super()._bits_of(text)
        (bits,) = bits_of(self.automaton, self.window, [self.smoothing], Events.of_text(text, self.window))
        return bits

    def _probabilities_of(self, text: ScoredText) -> Floats:
        if self.history == "whole":
            return history_probabilities(self._history(), text)
        trie, nodes = text.windows(self.window)
        (by_node,) = node_probabilities(self.automaton, self.window, [self.smoothing], trie)
        return by_node[nodes]

    def _to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return self._with_options(*self.automaton._to_arrays())

    def _to_exact_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return self._with_options(*self.automaton._to_exact_arrays())

    def _with_options(
        self, header: dict[str, Any], arrays: dict[str, NDArray[Any]]
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        options = {name: getattr(self, name) for name in (*_OPTIONS, *_LATER_OPTIONS)}
        return {**header, "options": options}, arrays

    @classmethod
    def _from_arrays(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> LanguageModel:
        options = _LATER_OPTIONS | header["options"]
        if set(options) != {*_OPTIONS, *_LATER_OPTIONS}:
            raise ValueError(f"its options must be {', '.join(_OPTIONS)}, not {', '.join(options)}")
        return cls(WeightedAutomaton._from_arrays(header, arrays), **options)


def _checked_window(automaton: WeightedAutomaton, max_length: int | None, window: int | None) -> int:
    """The length of the longest strings to score, by either name; that of the automaton by default."""
    if max_length is not None and window is not None:
        raise TypeError("window: it is another name of max_length, which is given too; leave it out")
    name, given = ("max_length", max_length) if window is None else ("window", window)
    known = automaton.max_length
    if given is None:
        if known is None:
            raise TypeError(
                "max_length: the automaton does not know the length of the strings that it was learned from; "
                "give it"
            )
        return max(1, known)
    length = checked_whole(name, given, 1)
    if known is not None and length > max(1, known):
        warn_user(
            f"{name}: {length} given, but the automaton was learned from strings of length {known} at most, "
            "and its values of longer ones are guesses; leave it out"
        )
    return length


class _WindowWalk:
    """Reads symbols, and keeps the states of the last 0, 1, 2, ... of them, at most as many as the window."""

    def __init__(self, automaton: WeightedAutomaton, window: int, way: Smoothing) -> None:
        self._automaton = automaton
        self._window = window
        self._way = way
        self._states: NDArray[Any] = automaton.initial[None]

    def read(self, symbol: int) -> None:
        longer = self._automaton.apply(self._states[: self._window - 1], symbol)
        self._states = np.concatenate([self._automaton.initial[None], longer])

    def distribution(self) -> Floats:
        states = self._states if self._way.is_mixed else self._states[-1:]
        return self._way.of_lengths(self._automaton.next_values(states))
