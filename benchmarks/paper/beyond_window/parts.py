"""The models of the mixtures: n-grams of symbols and of classes, automata of a window, and beyond it.

In the order in which they are learned, one after another: what they predict is kept, they are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from hankelmatch import (
    Corpus,
    KneserNeyModel,
    LanguageModel,
    ProbabilisticAutomaton,
    SequenceFunction,
    substring_expectations,
)
from hankelmatch.prediction._smoothing import Floats
from hankelmatch.prediction.distributions._baum_welch import baum_welch
from hankelmatch.prediction.distributions._gibbs import drawn_automata
from hankelmatch.prediction.distributions._hankel_start import prefix_tree
from hankelmatch.prediction.distributions.learn import CONCENTRATION, first_parameters, training_sample
from hankelmatch.prediction.mixtures._whole_histories import CompleteBlock
from hankelmatch.prediction.mixtures.from_automaton import history_model

from ..all_states import AllStates
from ..results import Bench
from ..spice_search import MIXINGS, Kind, Training, possible_states
from .classes import ClassCounts, ClassModel

__all__ = ["KINDS", "LONGEST", "Part", "every_part", "n_gram_parts"]

KINDS = ("n-grams", "class n-grams", "all states", "window", "histories", "probabilistic")
LONGEST = 10  # substrings that are counted for n-grams and for automata with all states
N_CLASSES = (30, 80, 200, 1000)  # at most half of the symbols
CLASS_ORDERS = (3, 5, 7)
ALL_STATES_LENGTHS = (3, 4, 5, 6, 8, 10)
WINDOWS = (4, 6)  # lengths for the automata of a block
WINDOW_STATES = (200, 1000)
WINDOW_SHRINKAGE = 16.0  # occurrences that are added to their singular values
HISTORY_LENGTHS = (5, 7)
HISTORY_STATES = (16, 32, 64, 128, 256)
MOST_HISTORY_PARAMETERS = 64_000_000  # of an automaton for whole histories: all states and symbols
PROBABILISTIC_STATES = (40, 80, 160)
N_STEPS = 60  # of Baum-Welch at most, stopped on a tenth of the strings
N_LAST_STEPS = 5  # on all strings
N_STARTS = 2
N_SWEEPS = 120
MOST_PARAMETERS = 1_000_000  # of a probabilistic automaton: all states and symbols
MOST_WORK = 6_000_000_000  # of a step: the square of the states for every symbol of the text


class Part(NamedTuple):
    """A model of the mixture, or several that count as one."""

    kind: str
    name: str
    models: Sequence[Any]

    def distributions(self, prefixes: Sequence[Sequence[Any]]) -> Floats:
        """The probability of every symbol after each prefix."""
        return np.asarray(sum(m.probabilities_after(prefixes) for m in self.models) / len(self.models))


def every_part(corpus: Corpus, f: SequenceFunction, bench: Bench) -> Iterator[Part]:
    """All that are not too large, by a text with start and end symbol and its substrings' expectations."""
    yield from n_gram_parts(f)
    yield from _class_parts(corpus, bench.seed)
    automaton = AllStates(f)
    for length in ALL_STATES_LENGTHS:
        for mixing in MIXINGS:
            model = LanguageModel(automaton, length, contexts="mixed", mixing=mixing)
            yield Part("all states", f"all states, T = {length}, C = {mixing:g}", [model])
    yield from _window_parts(corpus, bench.seed)
    for length in HISTORY_LENGTHS:
        yield from _history_parts(substring_expectations(corpus, length), length)
    yield from _probabilistic_parts(corpus, bench.seed, bench.quick, bench.say)


def n_gram_parts(f: SequenceFunction) -> Iterator[Part]:
    """N-grams of all orders."""
    for order in range(2, LONGEST + 1):
        yield Part("n-grams", f"n-grams of order {order}", [KneserNeyModel(f, order)])


def _class_parts(corpus: Corpus, seed: int) -> Iterator[Part]:
    for n in N_CLASSES:
        if 2 * n <= len(corpus.alphabet):
            counts = ClassCounts(corpus, n, max(CLASS_ORDERS), seed)
            for order in CLASS_ORDERS:
                name = f"n-grams of order {order} of {n} classes"
                yield Part("class n-grams", name, [ClassModel(counts, order)])


def _window_parts(corpus: Corpus, seed: int) -> Iterator[Part]:
    training = Training(corpus, seed)
    for length in WINDOWS:
        grid = [(n,) for n in WINDOW_STATES]
        numbers = [n for part in possible_states(training.blocks(length), grid) for n in part]
        shrunk = training.trained(length, numbers[-1]).shrunk(WINDOW_SHRINKAGE)
        for n in sorted({min(n, shrunk.n_states) for n in numbers}):
            for mixing in MIXINGS:
                options = Kind("mixed", mixing).options(corpus)
                name = f"T = {length}, {n} states, C = {mixing:g}"
                yield Part("window", name, [LanguageModel(shrunk.truncate(n), length, **options)])


def _history_parts(f: SequenceFunction, length: int) -> Iterator[Part]:
    most = math.isqrt(MOST_HISTORY_PARAMETERS // len(f.alphabet))
    block = CompleteBlock.of(f, min(most, HISTORY_STATES[-1]))
    if block is None:
        return
    automaton = block.automaton()
    for n in sorted({min(n, automaton.n_states) for n in HISTORY_STATES}):
        model = LanguageModel(automaton.truncate(n), length, history="whole")
        yield Part("histories", f"histories, T = {length}, {n} states", [model])


def _probabilistic_parts(
    corpus: Corpus, seed: int, quick: bool, say: Callable[[str], None]
) -> Iterator[Part]:
    alphabet = corpus.alphabet
    strings = Corpus.from_sequences([x[1:-1] for x in corpus])  # without end and start symbol
    for n in PROBABILISTIC_STATES[:1] if quick else PROBABILISTIC_STATES:
        if n * n * len(alphabet) > MOST_PARAMETERS or n * n * corpus.n_symbols > MOST_WORK:
            continue
        say(f"probabilistic automata with {n} states")
        for name, automata in _learned(strings, n, seed):
            models = [history_model(automaton, alphabet) for automaton in automata]
            yield Part("probabilistic", f"{n} states, {name}", models)


def _learned(strings: Corpus, n_states: int, seed: int) -> Iterator[tuple[str, list[ProbabilisticAutomaton]]]:
    """Results of Baum-Welch from some starts, and the automata of two chains that begin there."""
    whole = training_sample("strings", strings)
    order = np.random.default_rng(seed).permutation(len(whole.weights))
    n_out = len(order) // 10
    fitted, held_out = whole.take(np.sort(order[n_out:])), whole.take(np.sort(order[:n_out]))
    tree = prefix_tree(fitted)
    starts = []
    for number in range(N_STARTS):
        first = first_parameters(tree, n_states, len(strings.alphabet), number, seed)
        found = baum_welch(fitted, first, N_STEPS, CONCENTRATION, held_out)
        starts.append(baum_welch(whole, found.parameters, N_LAST_STEPS, CONCENTRATION).parameters)
    drawn = drawn_automata(
        whole,
        starts,
        n_sweeps=N_SWEEPS,
        n_left_out=N_SWEEPS // 2,
        seed=seed,
        show=lambda line: None,
    )
    named = {"Baum-Welch": starts} | {f"chain {k}": chain for k, chain in enumerate(drawn)}
    for name, automata in named.items():
        yield name, [ProbabilisticAutomaton(*one, alphabet=strings.alphabet) for one in automata]
