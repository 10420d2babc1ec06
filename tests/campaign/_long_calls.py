"""Calls that take about a second of processor time each, and reach every long loop of the core."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from hankelmatch import (
    Alphabet,
    Corpus,
    best_matchings,
    bottleneck_matching,
    driver_nodes,
    dulmage_mendelsohn,
    hall_violator,
    hankel_blocks,
    heavy_matching,
    match,
    matching_basis,
    maximum_matching_edges,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
    prefix_suffix_graph,
    read_text,
    substring_expectations,
)


def long_calls(folder: Path, size: float = 1.0) -> dict[str, Callable[[], object]]:
    """The calls by their names; `size` 1 takes about a second each. Files are put into a folder."""
    return {**calls_of_matrices(size), **calls_of_weights(size), **calls_of_texts(folder, size)}


def random_matrix(n: int, degree: int, seed: int = 0) -> Any:
    """A square matrix with random entries, as a CSR array; some are repeated."""
    rng = np.random.default_rng(seed)
    cols = rng.integers(0, n, degree * n).astype(np.int32)
    return sp.csr_array(
        (rng.random(degree * n), cols, np.arange(n + 1, dtype=np.int32) * degree), shape=(n, n)
    )


def calls_of_matrices(size: float) -> dict[str, Callable[[], object]]:
    """Matchings without weights, and what is made from them."""
    matrix = random_matrix(int(2_000_000 * size), 4)
    smaller = random_matrix(int(400_000 * size), 4)
    columns, entries = smaller.tocsc(), smaller.tocoo()
    return {
        "match": lambda: match(matrix),
        "match columns": lambda: match(columns, "hopcroft-karp"),
        "match entries": lambda: match(entries, "push-relabel"),
        "blocks": lambda: dulmage_mendelsohn(matrix),
        "edges": lambda: (maximum_matching_edges(smaller), driver_nodes(smaller)),
        "violator": lambda: hall_violator(matrix),
    }


def calls_of_weights(size: float) -> dict[str, Callable[[], object]]:
    """Matchings with weights."""
    matrix = random_matrix(int(100_000 * size), 30)
    large = random_matrix(int(600_000 * size), 4)
    rng = np.random.default_rng(1)
    dense = rng.random((int(2_500 * size),) * 2)
    n = int(50_000 * size)
    sparse = sp.coo_array((large.data[: 4 * n], rng.integers(0, n, (2, 4 * n))), shape=(n, n)).tocsr()
    assigned = sp.csr_array(dense[:400, :400])
    return {
        "weights": lambda: maximum_weight_matching(sparse),
        "heavy": lambda: heavy_matching(large),
        "full": lambda: min_weight_full_bipartite_matching(sp.csr_array(dense)),
        "bottleneck": lambda: bottleneck_matching(matrix),
        "best": lambda: list(itertools.islice(best_matchings(assigned), 20)),
    }


def calls_of_texts(folder: Path, size: float) -> dict[str, Callable[[], object]]:
    """Reading, counting, the prefix-suffix graph and what is made from it."""
    rng = np.random.default_rng(0)
    texts = [list(text) for text in rng.integers(0, 50, (int(150_000 * size), 30)).tolist()]
    symbols = rng.integers(0, 4, int(30_000_000 * size)).astype(np.int32)
    corpus = Corpus(symbols, np.array([0, len(symbols)]), Alphabet("abcd"))
    path = folder / "tokens.txt"
    lines = "".join(" ".join(map(str, text)) + "\n" for text in texts[:50_000])
    path.write_text(lines * 20, encoding="utf-8")
    few, fewer = (
        Corpus(part, np.array([0, len(part)]), corpus.alphabet) for part in (symbols[::40], symbols[::80])
    )
    f = substring_expectations(fewer, 14)
    graph = prefix_suffix_graph(f)
    basis = matching_basis(f)
    return {
        "sequences": lambda: Corpus.from_sequences(texts, end_symbol=True),
        "tokens": lambda: read_text(path, "token"),
        "short counts": lambda: substring_expectations(corpus, 12),
        "long counts": lambda: substring_expectations(few, 40),
        "graph": lambda: prefix_suffix_graph(f).to_csr(),
        "heavy graph": lambda: match(graph, "heavy"),
        "paper's graph": lambda: match(graph, "paper"),
        "basis": lambda: matching_basis(f),
        "Hankel blocks": lambda: hankel_blocks(f, basis),
    }
