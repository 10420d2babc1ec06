"""Supplement B: what the paper's two ideas gain, on synthetic Hankel graphs of growing size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from hankelmatch import (
    Alphabet,
    PrefixSuffixGraph,
    SequenceFunction,
    match,
    prefix_suffix_graph,
    substring_expectations,
)
from scipy.sparse.csgraph import maximum_bipartite_matching

from ..scale.generate import Generator, seed_text
from ..timing import median_seconds
from .results import Bench, Column, Table

__all__ = ["run"]

MAX_LENGTH = 7
TEXT_SIZES = (10_000, 100_000, 1_000_000, 4_000_000)
STRING_NUMBERS = (1_000, 10_000, 100_000, 400_000)
LONGEST_STRING = 12
LABELS = 20
QUICK_SHARE = 20  # a quick run has graphs so many times as small
MOST_EDGES_FOR_SCIPY = 20_000_000
FEW_EDGES = 2_000_000  # beyond, fewer runs
METHODS = {
    "random": "augmenting paths",
    "longest": "longest first",
    "random_shifted": "shifted pairs",
    "longest_shifted": "both (the paper)",
    "shortest": "shortest first",
    "hopcroft_karp": "Hopcroft-Karp",
    "scipy": "scipy",
    "ours": "`match`",
}
COLUMNS = (
    Column("graph", "graph"),
    Column("edges", "edges", ",d"),
    Column("size", "matching", ",d"),
    *(Column(key, title, ",.2f") for key, title in METHODS.items()),
)
NOTES = [
    "Milliseconds, medians of up to five runs. The first four: depth-first search for augmenting paths from "
    "the prefixes in random order; from the longest prefix first; in random order with shifted pairs; both, "
    "which is the paper's procedure. Those and `shortest first` share one search on the list of edges, which "
    "has what the paper's may have lacked: a cursor that finds a free neighbour at once, and dead ends that "
    "are never entered again. `match` is the default; on graphs of substrings it makes no list of edges.",
    "Texts: all substrings up to T of a text drawn from an n-gram model of English. Strings: distinct random "
    f"strings of up to {LONGEST_STRING} symbols out of {LABELS}, Zipf's law, and none of their substrings.",
]


def run(bench: Bench) -> list[Table]:
    """Every method on every graph."""
    rows = []
    for name, make in graphs(bench):
        settings = {"graph": name, "methods": list(METHODS)}
        result = bench.cached(name, settings, lambda make=make: measured(make(), bench.seed))
        rows.append({"graph": name, **result})
    return [Table("matching-speed", "Speed of maximum matching on Hankel graphs", COLUMNS, rows, NOTES)]


def graphs(bench: Bench) -> Iterator[tuple[str, Callable[[], PrefixSuffixGraph]]]:
    """Names, and how to make them."""
    share = QUICK_SHARE if bench.quick else 1
    for size in TEXT_SIZES:
        yield f"text of {size // share:,}, T = {MAX_LENGTH}", partial(text_graph, size // share, bench.seed)
    for number in STRING_NUMBERS:
        yield f"{number // share:,} strings", partial(string_graph, number // share, bench.seed)


def text_graph(n_symbols: int, seed: int) -> PrefixSuffixGraph:
    """All substrings of a generated text."""
    return prefix_suffix_graph(
        substring_expectations(Generator(seed_text(None)).draw(n_symbols, seed), MAX_LENGTH)
    )


def string_graph(n_strings: int, seed: int) -> PrefixSuffixGraph:
    """Distinct random strings."""
    random = np.random.default_rng(seed)
    weights = 1.0 / np.arange(1, LABELS + 1)
    symbols = random.choice(LABELS, (2 * n_strings, LONGEST_STRING), p=weights / weights.sum())
    lengths = random.integers(1, LONGEST_STRING + 1, len(symbols))
    symbols[np.arange(LONGEST_STRING) >= lengths[:, None]] = -1
    distinct = random.permutation(np.unique(symbols, axis=0))[:n_strings]
    strings = [row[row >= 0] for row in distinct]
    alphabet = Alphabet(range(LABELS))
    return prefix_suffix_graph(SequenceFunction.from_strings(strings, np.ones(len(strings)), alphabet))


def measured(graph: PrefixSuffixGraph, seed: int) -> dict[str, Any]:
    """Milliseconds of every method; all must agree on the size."""
    shortest_first = np.arange(graph.n_prefixes)
    longest_first = shortest_first[::-1]
    random = np.random.default_rng(seed).permutation(graph.n_prefixes)
    pattern = graph.to_csr()
    search = graph._match_paper
    methods: dict[str, Callable[[], np.ndarray[Any, Any]]] = {
        "random": lambda: search(random, shifted_pairs=False)[0],
        "longest": lambda: search(longest_first, shifted_pairs=False)[0],
        "random_shifted": lambda: search(random)[0],
        "longest_shifted": lambda: search(longest_first)[0],
        "shortest": lambda: search(shortest_first, shifted_pairs=False)[0],
        "hopcroft_karp": lambda: match(pattern, "hopcroft-karp").row_mate,
        "ours": lambda: match(graph).row_mate,
    }
    if pattern.nnz <= MOST_EDGES_FOR_SCIPY:
        methods["scipy"] = lambda: maximum_bipartite_matching(pattern)
    sizes = {name: int(np.count_nonzero(find() >= 0)) for name, find in methods.items()}
    if len(set(sizes.values())) != 1:
        raise AssertionError(f"the methods disagree on the size of a maximum matching: {sizes}")
    runs = 5 if pattern.nnz <= FEW_EDGES else 3
    milliseconds = {name: 1e3 * median_seconds(find, runs) for name, find in methods.items()}
    return {
        "prefixes": graph.n_prefixes,
        "suffixes": graph.n_suffixes,
        "edges": pattern.nnz,
        "size": sizes["ours"],
        **milliseconds,
    }
