"""What table 3 does with one problem of the competition: try on public prefixes, choose, rank private ones.

Nothing here reads a private target.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from hankelmatch import (
    Corpus,
    HankelBlocks,
    LanguageModel,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
    match,
    matching_basis,
    ndcg,
    truncated_svd,
)
from hankelmatch._context_scores import best_symbols
from hankelmatch.corpus import Alphabet
from hankelmatch.language_model import probabilities_for_options
from hankelmatch.spice import SpiceTest
from numpy.typing import NDArray

from . import kneser_ney
from .spectral import Clock, Statistics

__all__ = ["FLOORS", "Component", "Training", "mixed_rankings", "try_kneser_ney", "try_length", "try_rest"]

Floats = NDArray[np.float64]
Rankings = list[list[Any]]

RANKED = 5
# Floors that are tried: occurrences in the training text, shared by all symbols; the first is the library's
# own, with which lengths and numbers of states are compared. The tiny one leaves few ties.
FLOORS = {"longest": (0.25, 1.0, 1e-6), "mixed": (0.25, 0.0)}
# What keeps a training below 5 minutes and 3 GB: entries of the left singular vectors; and the side of the
# largest block of which more than half of all triplets are computed, as that takes a full SVD.
_MOST_ENTRIES = 45_000_000
_FULL_SIDE = 2000


class Component(NamedTuple):
    """One model of a mixture: an automaton, or where n_states is 0 a Kneser-Ney model of order max_length."""

    max_length: int
    n_states: int


class Training:
    """Trains automata for one training text; the last one is kept, as the next step may ask for it again."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self.corpus = corpus
        self.seed = seed
        self._kept: tuple[Component, WeightedAutomaton, Clock] | None = None

    def blocks(self, max_length: int, clock: Clock) -> HankelBlocks:
        """The Hankel blocks of the matching, for substrings up to a length."""
        f, graph = clock.time("counting", lambda: Statistics.of(self.corpus, max_length))
        matching = clock.time("matching", lambda: match(graph))
        basis = matching_basis(graph, matching=matching)
        return clock.time("blocks", lambda: hankel_blocks(f, basis, graph=graph))

    def learn(self, blocks: HankelBlocks, n_states: int, clock: Clock) -> WeightedAutomaton:
        """The automaton of the blocks, with at most so many states."""
        svd = clock.time("svd", lambda: truncated_svd(blocks.H, n_states, seed=self.seed))
        return clock.time("recovery", lambda: learn_automaton(blocks, svd=svd, dtype=np.float32))

    def automaton(self, component: Component) -> tuple[WeightedAutomaton, Clock]:
        """The automaton of a length and a number of states, and the seconds that its training took."""
        if self._kept is None or self._kept[0] != component:
            self._kept = None
            clock = Clock()
            blocks = self.blocks(component.max_length, clock)
            self._kept = component, self.learn(blocks, component.n_states, clock), clock
        return self._kept[1:]


def possible_states(blocks: HankelBlocks, grid: Sequence[int]) -> list[int]:
    """The numbers of the grid that the block has, and that do not take too long."""
    side = min(blocks.H.shape)
    most = min(side if side <= _FULL_SIDE else side // 2, _MOST_ENTRIES // max(blocks.H.shape))
    return [n for n in grid if n <= most] or [min(most, grid[0])]


def options_with(corpus: Corpus, contexts: str, floor: float) -> dict[str, Any]:
    """Options of a model for a kind of contexts and a floor in occurrences shared by all symbols."""
    n_symbols = len(corpus.alphabet) - (corpus.alphabet.start_id is not None)
    return {"contexts": contexts, "floor": floor / (corpus.n_sequences * n_symbols)}


def usual_options(corpus: Corpus) -> dict[str, dict[str, Any]]:
    """Every kind of contexts with the first of its floors."""
    return {contexts: options_with(corpus, contexts, floors[0]) for contexts, floors in FLOORS.items()}


def try_length(training: Training, max_length: int, grid: Sequence[int], public: SpiceTest) -> dict[str, Any]:
    """Public scores for a length of substrings: every number of states and kind of contexts.

    Returns
    -------
    dict
        ``"n_states"``: the numbers tried; ``"ndcg"``: for each kind their scores;
        ``"target_probabilities"``: for each number what the mixed contexts say of every event, for mixtures;
        and sizes and seconds.
    """
    clock = Clock()
    blocks = training.blocks(max_length, clock)
    largest = training.learn(blocks, possible_states(blocks, grid)[-1], clock)
    numbers = sorted({min(n, largest.n_states) for n in possible_states(blocks, grid)})
    options = usual_options(training.corpus)
    tried: dict[str, list[float]] = {name: [] for name in options}
    probabilities = []
    for n in numbers:
        model = LanguageModel(largest.truncate(n), max_length)
        scores, p = scored(model, options, public)
        probabilities.append(p.tolist())
        for name, score in scores.items():
            tried[name].append(score)
    return {
        "n_states": numbers,
        "ndcg": tried,
        "target_probabilities": probabilities,
        "rows": blocks.H.shape[0],
        "seconds_by_step": clock.seconds,
    }


def scored(
    model: LanguageModel, options: dict[str, dict[str, Any]], test: SpiceTest
) -> tuple[dict[str, float], Floats]:
    """NDCG5 of every set of options, and what the mixed contexts say of every event."""
    rankings: dict[str, Rankings] = {name: [] for name in options}
    events = Events(test, model.alphabet)
    p = np.empty(len(events.symbols))
    for part, distributions in probabilities_for_options(model, test.prefixes, list(options.values())):
        for name, distribution in zip(options, distributions, strict=True):
            rankings[name] += ranked(distribution, model.alphabet)
            if name == "mixed":
                events.look_up(distribution, part.start, p)
    return {name: ndcg(own, test.targets, RANKED) for name, own in rankings.items()}, p


class Events:
    """The symbols that follow test prefixes: rows, symbols and how often, in three arrays."""

    def __init__(self, test: SpiceTest, alphabet: Alphabet) -> None:
        flat = [(row, alphabet.id(a), p) for row, t in enumerate(test.targets) for a, p in t.items() if p > 0]
        self.rows = np.array([row for row, _, _ in flat])
        self.symbols = np.array([symbol for _, symbol, _ in flat])
        self.counts = np.array([count for _, _, count in flat])

    def look_up(self, distributions: Floats, first: int, p: Floats) -> None:
        """Put into `p` the probabilities of the events of the rows from `first` on."""
        begin, end = np.searchsorted(self.rows, [first, first + len(distributions)])
        part = slice(begin, end)
        p[part] = distributions[self.rows[part] - first, self.symbols[part]]


def ranked(distributions: Floats, alphabet: Alphabet) -> Rankings:
    """The likeliest labels of every row."""
    may_follow = np.arange(len(alphabet)) != (-1 if alphabet.start_id is None else alphabet.start_id)
    best = best_symbols(distributions, RANKED, may_follow)
    return [[alphabet.labels[symbol] for symbol in row] for row in best.tolist()]


def try_kneser_ney(corpus: Corpus, orders: Iterable[int], public: SpiceTest) -> dict[str, Any]:
    """Public scores of n-gram models, and what each says of every event."""
    result: dict[str, Any] = {"orders": list(orders), "ndcg": [], "target_probabilities": [], "seconds": []}
    events = Events(public, corpus.alphabet)
    for order in result["orders"]:
        clock = Clock()
        model = clock.time("fit", lambda order=order: kneser_ney.fit(corpus, order))
        distributions = model.probabilities_after(public.prefixes)
        p = np.empty(len(events.symbols))
        events.look_up(distributions, 0, p)
        result["ndcg"].append(ndcg(ranked(distributions, corpus.alphabet), public.targets, RANKED))
        result["target_probabilities"].append(p.tolist())
        result["seconds"].append(clock.total)
    return result


def try_rest(
    training: Training, component: Component, contexts: str, public: SpiceTest, private: Corpus
) -> dict[str, Any]:
    """Train the chosen automaton alone, choose floor and window on public prefixes, and rank private ones.

    Windows from 2 symbols, that is contexts of one, to two more than the substrings that were counted.
    """
    automaton, clock = training.automaton(component)
    tried: list[tuple[float, int, float]] = []
    for window in range(2, component.max_length + 3):
        model = LanguageModel(automaton, window)
        options = {str(x): options_with(training.corpus, contexts, x) for x in FLOORS[contexts]}
        scores, _ = scored(model, options, public)
        tried += [(score, window, float(floor)) for floor, score in scores.items()]
    # What the automaton was made for, and the library's own floor, unless another is better.
    _, window, floor = max(
        tried, key=lambda t: (t[0], -abs(t[1] - component.max_length), t[2] == FLOORS[contexts][0])
    )
    best = LanguageModel(automaton, window, **options_with(training.corpus, contexts, floor))
    return {
        "window": window,
        "floor": floor,
        "tried": tried,
        "public": best.rankings(public.prefixes, RANKED),
        "private": best.rankings(private, RANKED),
        "seconds": clock.total,
        "seconds_by_step": clock.seconds,
    }


def mixed_rankings(
    training: Training,
    weights: dict[Component, float],
    kneser_ney_corpus: Corpus,
    parts: dict[str, Corpus],
) -> dict[str, Any]:
    """Rankings of a mixture's distributions, for every part of the prefixes.

    The automata of one length are the leading parts of the largest of them, so each length is trained once;
    the sum of the distributions is all that is kept.
    """
    totals = {
        name: np.zeros((len(prefixes), len(training.corpus.alphabet))) for name, prefixes in parts.items()
    }
    seconds = 0.0
    for model, weight, took in mixture_models(training, weights, kneser_ney_corpus):
        seconds += took
        for name, prefixes in parts.items():
            add_distributions(totals[name], model, weight, prefixes)
    rankings = {name: ranked(total, training.corpus.alphabet) for name, total in totals.items()}
    return {**rankings, "seconds": seconds}


def add_distributions(
    total: Floats, model: LanguageModel | kneser_ney.KneserNey, weight: float, prefixes: Corpus
) -> None:
    """Add a model's distributions after prefixes, times its weight."""
    if isinstance(model, LanguageModel):
        for part, (distributions,) in probabilities_for_options(model, prefixes, [{}]):
            total[part] += weight * distributions
    else:
        # A start symbol is the last of its alphabet and never predicted, so those without one fit too.
        total += weight * model.probabilities_after(prefixes)[:, : total.shape[1]]


def mixture_models(
    training: Training, weights: dict[Component, float], kneser_ney_corpus: Corpus
) -> Iterator[tuple[LanguageModel | kneser_ney.KneserNey, float, float]]:
    """The models of a mixture, their weights, and the seconds of training; one length at a time in memory."""
    options = usual_options(training.corpus)["mixed"]
    for max_length, group in itertools.groupby(sorted(weights), key=lambda c: c.max_length):
        members = list(group)
        most = max(component.n_states for component in members)
        automaton, clock = training.automaton(Component(max_length, most)) if most else (None, Clock())
        took = clock.total
        for component in members:
            if component.n_states == 0 or automaton is None:
                clock = Clock()
                counted = clock.time("fit", lambda n=max_length: kneser_ney.fit(kneser_ney_corpus, n))
                yield counted, weights[component], clock.total
                continue
            smaller = automaton.truncate(min(component.n_states, automaton.n_states))
            yield LanguageModel(smaller, max_length, **options), weights[component], took
            took = 0.0
