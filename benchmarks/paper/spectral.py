"""Learning and scoring as the paper does: an automaton from a block, its number of states chosen on dev."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from hankelmatch import (
    Basis,
    Corpus,
    KneserNeyModel,
    LanguageModel,
    PrefixSuffixGraph,
    SequenceFunction,
    hankel_blocks,
    learn_automaton,
    prefix_suffix_graph,
    substring_expectations,
    truncated_svd,
)
from hankelmatch.prediction._smoothing import Contexts

from .all_states import AllStates
from .choices import choose_all, choose_states, coarse_numbers, numbers_of_states
from .compression import Compressed, full_automaton, whole_matrix
from .results import Bench
from .texts import Parts, Text

__all__ = ["Clock", "Statistics", "Study"]


class Statistics(NamedTuple):
    """What is counted once for all blocks of a text."""

    f: SequenceFunction
    graph: PrefixSuffixGraph

    @classmethod
    def of(cls, corpus: Corpus, max_length: int) -> Statistics:
        """Expectations of the substrings up to a length, and their graph."""
        f = substring_expectations(corpus, max_length)
        return cls(f, prefix_suffix_graph(f))


class Study:
    """A text and T: read, and its substrings counted, when they are first needed."""

    def __init__(self, bench: Bench, text: Text, max_length: int, *, start_symbol: bool = False) -> None:
        self.settings = {**text.settings(bench), "max_length": max_length}
        self.max_length = max_length
        self._read = partial(text.read, bench, start_symbol)

    @cached_property
    def parts(self) -> Parts:
        """The text."""
        return self._read()

    @cached_property
    def statistics(self) -> Statistics:
        """The substrings of its training part."""
        return Statistics.of(self.parts.train, self.max_length)

    def forget(self) -> None:
        """Free the memory of what can be read and counted again."""
        for name in ("parts", "statistics"):
            self.__dict__.pop(name, None)

    def block(
        self,
        select: Callable[[PrefixSuffixGraph], Basis],
        contexts: Contexts,
        most_states: int | None = None,
        *,
        shrunk: bool = False,
    ) -> dict[str, Any]:
        """A sub-block from its selection to bits per symbol: see `block_result`."""
        return block_result(self.statistics, select, self.parts, contexts, most_states, shrunk=shrunk)

    def full_block(self, contexts: Contexts, most_states: int | None = None) -> dict[str, Any]:
        """The full block likewise: see `full_block_result`."""
        return full_block_result(self.statistics, self.parts, contexts, most_states)

    def all_states(self) -> dict[str, Any]:
        """The full block with as many states as its rank, by the longest context: see `all_states`."""
        f, graph = self.statistics
        model = LanguageModel(AllStates(f), self.max_length, contexts="longest")
        return {"size": graph.n_prefixes, **self.parts.bits(model)}

    def n_grams(self) -> dict[str, Any]:
        """The Kneser-Ney model of order T."""
        clock = Clock()
        train = self.parts.train
        model = clock.time("fit", lambda: KneserNeyModel(train, self.max_length))
        return {**self.parts.bits(model), "seconds": clock.total}


class Clock:
    """Seconds of the steps of a method, by name; of all of them also the seconds of processor time."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.processor = 0.0

    def copy(self) -> Clock:
        """One that goes on from here."""
        other = Clock()
        other.seconds.update(self.seconds)
        other.processor = self.processor
        return other

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        """Do a step, and keep how long it took."""
        begin, processor = time.perf_counter(), time.process_time()
        result = work()
        self.seconds[name] = time.perf_counter() - begin
        self.processor += time.process_time() - processor
        return result

    @property
    def total(self) -> float:
        """Of all steps."""
        return sum(self.seconds.values())


def block_result(
    statistics: Statistics,
    select: Callable[[PrefixSuffixGraph], Basis],
    parts: Parts,
    contexts: Contexts,
    most_states: int | None = None,
    *,
    shrunk: bool = False,
) -> dict[str, Any]:
    """A sub-block from its selection to bits per symbol of test.

    Which numbers of states are possible, and the bits of each, come from an exact SVD of the compressed
    block, whatever its size. The seconds are those of the usual road: the basis is selected, the matrices are
    filled, `truncated_svd` finds as many triplets as there are states in the end, by the fastest of its
    methods, and the automaton is recovered. With `most_states` there is but one SVD, the usual one, with so
    many triplets, and the rank stays unknown if it is larger. What is chosen on dev: see `choose_all`.
    """
    f, graph = statistics
    clock = Clock()
    basis = clock.time("selection", lambda: select(graph))
    blocks = clock.time("blocks", lambda: hankel_blocks(f, basis, graph=graph))
    is_cut = most_states is not None and most_states < min(basis.shape)
    if is_cut:
        svd = clock.time("svd", lambda: truncated_svd(blocks.H, most_states))
    else:
        compressed = Compressed.of_blocks(blocks)
        svd = compressed.expand(compressed.svd())

    def learn(shrinkage: float) -> LanguageModel:
        in_f = shrinkage / (f.n_sequences or 1.0)
        automaton = clock.time(
            "recovery", lambda: learn_automaton(blocks, svd=svd, shrinkage=in_f, dtype=np.float32)
        )
        return LanguageModel(automaton, f.max_length, contexts=contexts)

    numbers = coarse_numbers(svd.n_states) if is_cut else numbers_of_states(svd.n_states)
    model, result = choose_all(learn, parts.dev, numbers, shrunk=shrunk)
    result |= {
        "size": max(basis.shape),
        "rank": None if is_cut else svd.n_states,
        "most_states": svd.n_states,
        "test_bits": model.bits_per_symbol(parts.test),
    }
    if not is_cut:
        del svd, model
        svd = clock.time("svd", lambda: truncated_svd(blocks.H, result["n_states"]))
        clock.time("recovery", lambda: learn_automaton(blocks, svd=svd, dtype=np.float32))
    return result | {"seconds": clock.total, "seconds_by_step": clock.seconds, "svd": svd.method}


def full_block_result(
    statistics: Statistics,
    parts: Parts,
    contexts: Contexts,
    most_states: int | None = None,
) -> dict[str, Any]:
    """The full block, by way of its compression; `most_states` where not all triplets can be computed."""
    clock = Clock()
    compressed = clock.time("compression", lambda: compress_full_block(statistics.graph))
    svd = clock.time("svd", lambda: compressed.svd(most_states))
    automaton = clock.time("recovery", lambda: full_automaton(statistics.f, compressed, svd))
    is_cut = most_states is not None and svd.n_states >= most_states
    numbers = coarse_numbers(svd.n_states) if is_cut else numbers_of_states(svd.n_states)
    model = LanguageModel(automaton, statistics.f.max_length, contexts=contexts)
    chosen, result = choose_states(model, parts.dev, numbers)
    return result | {
        "size": statistics.graph.n_prefixes,
        "rank": None if is_cut else svd.n_states,
        "core": max(compressed.core.shape),
        "most_states": svd.n_states,
        "test_bits": chosen.bits_per_symbol(parts.test),
        "seconds": clock.total,
        "seconds_by_step": clock.seconds,
        "svd": f"compressed, {svd.method}",
    }


def compress_full_block(graph: PrefixSuffixGraph) -> Compressed:
    """The whole Hankel matrix, compressed."""
    return Compressed.of(*whole_matrix(graph))
