"""What table 3 does with one problem of the competition: try on public prefixes, choose, rank private ones.

Nothing here reads a private target.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from hankelmatch import (
    Corpus,
    HankelBlocks,
    KneserNeyModel,
    LanguageModel,
    TruncatedSVD,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
    match,
    matching_basis,
    ndcg,
    substring_expectations,
    truncated_svd,
)
from hankelmatch.interop.spice import SpiceTest
from hankelmatch.prediction._scoring import best_labels
from hankelmatch.prediction._smoothing import shared_floor
from hankelmatch.prediction.selection import probabilities_for_options
from hankelmatch.sequences.alphabet import Alphabet
from numpy.typing import NDArray

from .all_states import AllStates
from .spectral import Clock, Statistics

__all__ = [
    "FLOORS",
    "KINDS",
    "MIXINGS",
    "SHRINKAGES",
    "Component",
    "Trained",
    "Training",
    "mixed_rankings",
    "try_all_states",
    "try_kneser_ney",
    "try_length",
    "try_rest",
]

Floats = NDArray[np.float64]
Rankings = list[list[Any]]

RANKED = 5
# Floors that are tried: occurrences in the training text, shared by all symbols; the first is the library's
# own, with which lengths and numbers of states are compared. The tiny one leaves few ties.
FLOORS = {"longest": (0.25, 1.0, 1e-6), "mixed": (0.25, 0.0)}
# Added to singular values, in occurrences in the training text.
SHRINKAGES = (0.0, 4.0, 16.0, 64.0)
# Weights of the next shorter context, where contexts are mixed.
MIXINGS = (1.5, 6.0)
# What keeps a training below 5 minutes and 3 GB: entries of the left singular vectors; and the side of the
# largest block of which more than half of all triplets are computed, as that takes a full SVD.
_MOST_ENTRIES = 45_000_000
_FULL_SIDE = 2000
_LANCZOS_SIDE = 20_000
_LEAST_GAIN = 0.002  # of a part of the grid, a fraction of the standard error, for the next part to be tried
# Of a randomized SVD: a second one changed public scores of problem 5 by less than 0.001 (T = 7, 1,000 and
# 2,000 states), and takes two fifths of the time.
_SUBSPACE_ITERATIONS = 1


class Component(NamedTuple):
    """One model of a mixture.

    An automaton; or one with all states, which needs no SVD and of which n_states is 0 here; or a Kneser-Ney
    model of order max_length.
    """

    kind: Literal["automaton", "all states", "n-grams"]
    max_length: int
    n_states: int = 0
    mixing: float = 0.0


class Trained(NamedTuple):
    """An automaton, how many states were asked for, the singular values, and the time of every step."""

    n_states: int
    automaton: WeightedAutomaton
    singular_values: Floats
    clock: Clock

    def shrunk(self, shrinkage: float) -> WeightedAutomaton:
        """What `learn_automaton` makes with a shrinkage, in occurrences: F+ has other factors in its rows."""
        in_f = shrinkage / (self.automaton.n_sequences or 1.0)
        kept = self.singular_values / (self.singular_values + in_f)
        kept = kept.astype(self.automaton.dtype)
        transitions = self.automaton.transitions
        return WeightedAutomaton(
            self.automaton.initial,
            kept * self.automaton.final,
            replace(transitions, dense=kept[:, None] * transitions.dense, left=kept * transitions.left),
            self.automaton.alphabet,
            n_sequences=self.automaton.n_sequences,
        )


class Training:
    """Trains automata for one training text.

    The largest of each length is kept, as is what was made last: later steps need them again.
    """

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self.corpus = corpus
        self.seed = seed
        self._blocks: tuple[int, HankelBlocks, Clock] | None = None
        self._largest: dict[int, Trained] = {}
        self._last: tuple[int, Trained] | None = None

    def blocks(self, max_length: int) -> HankelBlocks:
        """The Hankel blocks of the matching, for substrings up to a length."""
        return self._blocks_and_clock(max_length)[0]

    def trained(self, max_length: int, n_states: int) -> Trained:
        """The automaton of a length and a number of states."""
        kept = [self._largest.get(max_length)]
        kept += [self._last[1]] if self._last is not None and self._last[0] == max_length else []
        for trained in kept:
            if trained is not None and trained.n_states == n_states:
                return trained
        self._last = None  # before another takes memory
        is_largest = kept[0] is None or kept[0].n_states < n_states
        if is_largest:
            self._largest.pop(max_length, None)
        trained = self._trained(max_length, n_states)
        if is_largest:
            self._largest[max_length] = trained
        else:
            self._last = max_length, trained
        return trained

    def _trained(self, max_length: int, n_states: int) -> Trained:
        blocks, counted = self._blocks_and_clock(max_length)
        clock = counted.copy()
        svd = clock.time("svd", lambda: self._svd(blocks.H, n_states))
        automaton = clock.time("recovery", lambda: learn_automaton(blocks, svd=svd, dtype=np.float32))
        return Trained(n_states, automaton, svd.singular_values, clock)

    def _svd(self, H: Any, n_states: int) -> TruncatedSVD:
        # Singular values of large blocks of words hardly differ: Lanczos takes long to separate them.
        method = "randomized" if min(H.shape) > _LANCZOS_SIDE else "auto"
        return truncated_svd(H, n_states, method, seed=self.seed, n_iterations=_SUBSPACE_ITERATIONS)

    def _blocks_and_clock(self, max_length: int) -> tuple[HankelBlocks, Clock]:
        if self._blocks is None or self._blocks[0] != max_length:
            clock = Clock()
            f, graph = clock.time("counting", lambda: Statistics.of(self.corpus, max_length))
            matching = clock.time("matching", lambda: match(graph))
            basis = matching_basis(graph, matching=matching)
            blocks = clock.time("blocks", lambda: hankel_blocks(f, basis, graph=graph))
            self._blocks = max_length, blocks, clock
        return self._blocks[1:]


def possible_states(blocks: HankelBlocks, grid: Sequence[Sequence[int]]) -> list[list[int]]:
    """The parts of the grid with the numbers that the block has, and that do not take too long."""
    side = min(blocks.H.shape)
    most = min(side if side <= _FULL_SIDE else side // 2, _MOST_ENTRIES // max(blocks.H.shape))
    parts = [[n for n in part if n <= most] for part in grid]
    return [part for part in parts if part] or [[most]]


class Kind(NamedTuple):
    """A way to use contexts; the mixing weight is 0 for the longest context alone."""

    contexts: Literal["longest", "mixed"]
    mixing: float = 0.0

    def options(self, corpus: Corpus, floor: float | None = None) -> dict[str, Any]:
        """Options of a model, by default with the first of the floors."""
        occurrences = FLOORS[self.contexts][0] if floor is None else floor
        mixing = {"mixing": self.mixing} if self.mixing else {}
        in_f = shared_floor(occurrences, corpus.n_sequences, corpus.alphabet)
        return {"contexts": self.contexts, "floor": in_f, **mixing}


# By the names that results have them under.
KINDS = {"longest": Kind("longest"), **{f"mixed, C = {c:g}": Kind("mixed", c) for c in MIXINGS}}
_MIXED = {name: kind for name, kind in KINDS.items() if kind.contexts == "mixed"}


def try_length(
    training: Training, max_length: int, grid: Sequence[Sequence[int]], public: SpiceTest
) -> dict[str, Any]:
    """Public scores for a length of substrings: numbers of states and kinds of contexts.

    The grid's parts hold ever larger numbers; one is gone into where for one of the kinds the largest number
    before it is the best, and the last part was worth its while.

    Returns
    -------
    dict
        ``"n_states"``: the numbers tried; ``"largest"``: how many the SVD was asked for, of which all these
        are the first; ``"ndcg"``: for each kind their scores;
        ``"target_probabilities"``: for each of the mixed kinds what each number says of every event, for
        mixtures; and sizes and seconds.
    """
    numbers: list[int] = []
    tried: dict[str, list[float]] = {name: [] for name in KINDS}
    probabilities: dict[str, list[list[float]]] = {name: [] for name in _MIXED}
    clock = Clock()
    n_before = asked = 0
    for part in possible_states(training.blocks(max_length), grid):
        if numbers and not any(still_rises(scores, n_before) for scores in tried.values()):
            break
        n_before, asked = len(numbers), part[-1]
        _, largest, _, clock = training.trained(max_length, part[-1])
        # A block may have a lower rank than its side.
        for n in sorted({min(n, largest.n_states) for n in part}.difference(numbers)):
            model = LanguageModel(largest.truncate(n), max_length)
            options = {name: kind.options(training.corpus) for name, kind in KINDS.items()}
            scores, p = scored(model, options, public)
            numbers.append(n)
            for name, score in scores.items():
                tried[name].append(score)
            for name, own in probabilities.items():
                own.append(p[name].tolist())
    return {
        "n_states": numbers,
        "largest": asked,
        "ndcg": tried,
        "target_probabilities": probabilities,
        "rows": max(training.blocks(max_length).H.shape),
        "seconds_by_step": clock.seconds,
    }


def still_rises(scores: Sequence[float], n_before: int) -> bool:
    """Whether the last score is the best, and by enough above the first `n_before`."""
    return scores[-1] == max(scores) and scores[-1] - max(scores[:n_before], default=0.0) > _LEAST_GAIN


def scored(
    model: LanguageModel, options: dict[str, dict[str, Any]], test: SpiceTest
) -> tuple[dict[str, float], dict[str, Floats]]:
    """NDCG5 of every set of options, and what each says of every event."""
    rankings: dict[str, Rankings] = {name: [[]] * len(test.prefixes) for name in options}
    events = Events(test, model.alphabet)
    p = {name: np.empty(len(events.symbols)) for name in options}
    for part, distributions in probabilities_for_options(model, test.prefixes, list(options.values())):
        for name, distribution in zip(options, distributions, strict=True):
            for row, ranking in zip(part, best_labels(distribution, RANKED, model.alphabet), strict=True):
                rankings[name][row] = ranking
            events.look_up(part, distribution, p[name])
    return {name: ndcg(own, test.targets, RANKED) for name, own in rankings.items()}, p


class Events:
    """The symbols that follow test prefixes: rows, symbols and how often, in three arrays."""

    def __init__(self, test: SpiceTest, alphabet: Alphabet) -> None:
        flat = [(row, alphabet.id(a), p) for row, t in enumerate(test.targets) for a, p in t.items() if p > 0]
        self.rows = np.array([row for row, _, _ in flat])
        self.symbols = np.array([symbol for _, symbol, _ in flat])
        self.counts = np.array([count for _, _, count in flat])

    def look_up(self, prefixes: NDArray[np.int64], distributions: Floats, p: Floats) -> None:
        """Put into `p` the probabilities of the events of some prefixes, by their distributions."""
        place = np.full(self.rows[-1] + 1, -1)
        place[prefixes] = np.arange(len(prefixes))
        there = place[self.rows] >= 0
        p[there] = distributions[place[self.rows[there]], self.symbols[there]]


def try_all_states(corpus: Corpus, max_lengths: Sequence[int], public: SpiceTest) -> dict[str, Any]:
    """Public scores of automata with all states, and what each says of every event, for the mixed kinds.

    The substrings are counted once, up to the longest length; less of them is used by a smaller window.
    """
    clock = Clock()
    automaton = clock.time("counting", lambda: all_states(corpus, max(max_lengths)))
    result: dict[str, Any] = {"max_lengths": list(max_lengths), "seconds": clock.total}
    result["ndcg"] = {name: [] for name in _MIXED}
    result["target_probabilities"] = {name: [] for name in _MIXED}
    options = {name: kind.options(corpus) for name, kind in _MIXED.items()}
    for max_length in max_lengths:
        scores, p = scored(LanguageModel(automaton, max_length), options, public)
        for name in _MIXED:
            result["ndcg"][name].append(scores[name])
            result["target_probabilities"][name].append(p[name].tolist())
    return result


def try_kneser_ney(corpus: Corpus, orders: Iterable[int], public: SpiceTest) -> dict[str, Any]:
    """Public scores of n-gram models, and what each says of every event."""
    result: dict[str, Any] = {"orders": list(orders), "ndcg": [], "target_probabilities": [], "seconds": []}
    events = Events(public, corpus.alphabet)
    for order in result["orders"]:
        clock = Clock()
        model = clock.time("fit", lambda order=order: KneserNeyModel(corpus, order))
        distributions = model.probabilities_after(public.prefixes)
        p = np.empty(len(events.symbols))
        events.look_up(np.arange(len(distributions)), distributions, p)
        result["ndcg"].append(
            ndcg(best_labels(distributions, RANKED, corpus.alphabet), public.targets, RANKED)
        )
        result["target_probabilities"].append(p.tolist())
        result["seconds"].append(clock.total)
    return result


def with_window(automaton: Any, window: int, **options: Any) -> LanguageModel:
    """A model that may look further back than the automaton's strings, if public prefixes want it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="max_length: ")
        return LanguageModel(automaton, window, **options)


def try_rest(
    training: Training, component: Component, kind: Kind, public: SpiceTest, private: Corpus
) -> dict[str, Any]:
    """Train the chosen automaton, choose floor, window and shrinkage on public prefixes, rank private ones.

    Windows from 2 symbols, that is contexts of one, to two more than the substrings that were counted. More
    shrinkage is tried as long as it helps.
    """
    trained = training.trained(component.max_length, component.n_states)
    clock = trained.clock
    floors = FLOORS[kind.contexts]
    tried: list[tuple[float, int, float, float]] = []

    def choice_order(choice: tuple[float, int, float, float]) -> tuple[float, float, int, bool]:
        # What the automaton was made for, and the library's own floor, unless another is better.
        score, window, floor, shrinkage = choice
        return score, -shrinkage, -abs(window - component.max_length), floor == floors[0]

    for shrinkage in SHRINKAGES:
        automaton = trained.shrunk(shrinkage) if shrinkage else trained.automaton
        for window in range(2, component.max_length + 3):
            options = {str(x): kind.options(training.corpus, x) for x in floors}
            scores, _ = scored(with_window(automaton, window), options, public)
            tried += [(score, window, float(floor), shrinkage) for floor, score in scores.items()]
        if max(tried, key=choice_order)[-1] != shrinkage:
            break
    _, window, floor, shrinkage = max(tried, key=choice_order)
    automaton = trained.shrunk(shrinkage) if shrinkage else trained.automaton
    best = with_window(automaton, window, **kind.options(training.corpus, floor))
    return {
        "window": window,
        "floor": floor,
        "shrinkage": shrinkage,
        "tried": tried,
        "public": best.rankings(public.prefixes, RANKED),
        "private": best.rankings(private, RANKED),
        "seconds": clock.processor,
        "seconds_by_step": clock.seconds,
    }


def mixed_rankings(
    training: Training,
    mixtures: dict[str, dict[Component, float]],
    largest: dict[int, int],
    n_gram_corpus: Corpus,
    parts: dict[str, Corpus],
) -> dict[str, Any]:
    """Rankings of mixtures' distributions, for every part of the prefixes, by the weights of each mixture.

    The automata of one length are the leading parts of one with the `largest` number of states of that
    length, so each length is trained once for all mixtures; of the distributions only the sums are kept.
    """
    shapes = {name: (len(prefixes), len(training.corpus.alphabet)) for name, prefixes in parts.items()}
    totals = {m: {name: np.zeros(shape) for name, shape in shapes.items()} for m in mixtures}
    seconds = dict.fromkeys(mixtures, 0.0)
    components = {component for weights in mixtures.values() for component in weights}
    for model, alike, took in trained_models(training, components, largest, n_gram_corpus):
        for m, weights in mixtures.items():
            seconds[m] += took if any(c in weights for c in alike) else 0.0
        for name, prefixes in parts.items():
            for part, distributions in distributions_of(model, alike, training.corpus, prefixes):
                for component, own in zip(alike, distributions, strict=True):
                    for m, weights in mixtures.items():
                        totals[m][name][part] += weights.get(component, 0.0) * own
    alphabet = training.corpus.alphabet
    return {
        m: {
            **{name: best_labels(total, RANKED, alphabet) for name, total in own.items()},
            "seconds": seconds[m],
        }
        for m, own in totals.items()
    }


def distributions_of(
    model: LanguageModel | KneserNeyModel, alike: list[Component], corpus: Corpus, prefixes: Corpus
) -> Iterator[tuple[Any, Sequence[Floats]]]:
    """For a part of the prefixes at a time, the distributions of components that differ in their mixing."""
    if isinstance(model, LanguageModel):
        options = [Kind("mixed", component.mixing).options(corpus) for component in alike]
        yield from probabilities_for_options(model, prefixes, options)
    else:
        # A start symbol is the last of its alphabet and never predicted, so those without one fit too.
        yield slice(None), [model.probabilities_after(prefixes)[:, : len(corpus.alphabet)]]


def trained_models(
    training: Training, components: Iterable[Component], largest: dict[int, int], n_gram_corpus: Corpus
) -> Iterator[tuple[LanguageModel | KneserNeyModel, list[Component], float]]:
    """The models of mixtures, those of components that differ in their mixing alone once, and the seconds of
    processor time that its training took, if it was not a part of one before.
    """
    whole: WeightedAutomaton | None = None
    before: tuple[str, int] = ("", 0)
    ordered = sorted(components, reverse=True)
    for _, group in itertools.groupby(ordered, key=lambda c: c[:3]):
        alike = list(group)
        kind, max_length, n_states = alike[0][:3]
        clock = Clock()
        if kind == "n-grams":
            counted = clock.time("fit", lambda n=max_length: KneserNeyModel(n_gram_corpus, n))
            yield counted, alike, clock.processor
            continue
        # All that have all states are made of the substrings up to the longest length, which comes first.
        family = (kind, max_length if kind == "automaton" else 0)
        if family != before:
            before, whole = family, None  # before another takes memory
            if kind == "automaton":
                _, whole, _, clock = training.trained(max_length, largest[max_length])
            else:
                whole = clock.time("counting", lambda n=max_length: all_states(training.corpus, n))
        assert whole is not None
        automaton = whole.truncate(n_states) if kind == "automaton" else whole
        yield LanguageModel(automaton, max_length), alike, clock.processor


def all_states(corpus: Corpus, max_length: int) -> AllStates:
    """The automaton with all states for substrings up to a length."""
    return AllStates(substring_expectations(corpus, max_length))
