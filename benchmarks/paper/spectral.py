"""Learning and scoring as the paper does: an automaton from a block, its number of states chosen on dev."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from hankelmatch import (
    Basis,
    Corpus,
    LanguageModel,
    PrefixSuffixGraph,
    SequenceFunction,
    hankel_blocks,
    learn_automaton,
    prefix_suffix_graph,
    substring_expectations,
    truncated_svd,
)
from hankelmatch.language_model import Contexts, bits_for_states

from .compression import Compressed, full_automaton

__all__ = ["Clock", "Statistics", "block_result", "choose_states", "full_block_result", "numbers_of_states"]

# Shares of the rank that are tried as numbers of states, and between which of them the best one's
# neighbourhood is searched once more.
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.96, 1.0)


class Statistics(NamedTuple):
    """What is counted once for all blocks of a text."""

    f: SequenceFunction
    graph: PrefixSuffixGraph

    @classmethod
    def of(cls, corpus: Corpus, max_length: int) -> Statistics:
        """Expectations of the substrings up to a length, and their graph."""
        f = substring_expectations(corpus, max_length)
        return cls(f, prefix_suffix_graph(f))


class Clock:
    """Seconds of the steps of a method, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        """Do a step, and keep how long it took."""
        begin = time.perf_counter()
        result = work()
        self.seconds[name] = time.perf_counter() - begin
        return result

    @property
    def total(self) -> float:
        """Of all steps."""
        return sum(self.seconds.values())


def numbers_of_states(most: int) -> list[int]:
    """The numbers of states that are tried where up to `most` are possible."""
    return sorted({max(1, round(most * share)) for share in _SHARES})


def choose_states(
    model: LanguageModel, dev: Corpus, numbers: Sequence[int] | None = None
) -> tuple[LanguageModel, dict[str, Any]]:
    """The model with the number of states that predicts dev best, and what each of them came to."""
    numbers = numbers_of_states(model.automaton.n_states) if numbers is None else list(numbers)
    bits = bits_for_states(model, dev, numbers)
    best = int(np.argmin(bits))
    chosen = model.replace(automaton=model.automaton.truncate(numbers[best]))
    tried = dict(zip(map(str, numbers), bits, strict=True))
    return chosen, {"n_states": numbers[best], "dev_bits": bits[best], "dev_bits_by_states": tried}


def block_result(
    statistics: Statistics,
    select: Callable[[PrefixSuffixGraph], Basis],
    dev: Corpus,
    test: Corpus,
    contexts: Contexts,
) -> dict[str, Any]:
    """A sub-block from its selection to bits per symbol of test.

    Which numbers of states are possible, and the bits of each, come from an exact SVD of the compressed
    block, whatever its size. The seconds are those of the usual road: the basis is selected, the matrices are
    filled, `truncated_svd` finds as many triplets as there are states in the end, by the fastest of its
    methods, and the automaton is recovered.
    """
    f, graph = statistics
    clock = Clock()
    basis = clock.time("selection", lambda: select(graph))
    blocks = clock.time("blocks", lambda: hankel_blocks(f, basis, graph=graph))
    compressed = Compressed.of_blocks(blocks)
    svd = compressed.expand(compressed.svd())
    automaton = learn_automaton(blocks, svd=svd, dtype=np.float32)
    chosen, result = choose_states(LanguageModel(automaton, f.max_length, contexts=contexts), dev)
    result |= {"size": max(basis.shape), "rank": svd.n_states, "test_bits": chosen.bits_per_symbol(test)}
    del svd, automaton, chosen
    usual = clock.time("svd", lambda: truncated_svd(blocks.H, result["n_states"]))
    clock.time("recovery", lambda: learn_automaton(blocks, svd=usual, dtype=np.float32))
    return result | {"seconds": clock.total, "seconds_by_step": clock.seconds, "svd": usual.method}


def full_block_result(
    statistics: Statistics,
    dev: Corpus,
    test: Corpus,
    contexts: Contexts,
    most_states: int | None = None,
) -> dict[str, Any]:
    """The full block, by way of its compression; `most_states` where not all triplets can be computed."""
    clock = Clock()
    compressed = clock.time("compression", lambda: compress_full_block(statistics.graph))
    svd = clock.time("svd", lambda: compressed.svd(most_states))
    automaton = clock.time("recovery", lambda: full_automaton(statistics.f, compressed, svd))
    chosen, result = choose_states(LanguageModel(automaton, statistics.f.max_length, contexts=contexts), dev)
    return result | {
        "size": statistics.graph.n_prefixes,
        "rank": svd.n_states if most_states is None else None,
        "core": len(compressed.core),
        "most_states": svd.n_states,
        "test_bits": chosen.bits_per_symbol(test),
        "seconds": clock.total,
        "seconds_by_step": clock.seconds,
        "svd": f"compressed, {svd.method}",
    }


def compress_full_block(graph: PrefixSuffixGraph) -> Compressed:
    """The whole Hankel matrix, compressed."""
    return Compressed.of(graph.to_csr(weighted=True), graph.prefixes.lengths, graph.suffixes.lengths)
