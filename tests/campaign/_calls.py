"""Calls of the package that reach every part of the core, for attacks on what they run in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from hankelmatch import (
    Corpus,
    dulmage_mendelsohn,
    hankel_blocks,
    heavy_matching,
    match,
    matching_basis,
    maximum_weight_matching,
    prefix_suffix_graph,
    substring_expectations,
)


def calls(size: int = 1) -> dict[str, Callable[[], object]]:
    """Eight calls by their names; `size` 1 takes under a millisecond each, and more grows in proportion."""
    rng = np.random.default_rng(0)
    n = 200 * size
    rows, cols = rng.integers(0, n, (2, 4 * n))
    matrix = sp.csr_array(sp.coo_array((rng.random(4 * n), (rows, cols)), shape=(n, n)))
    columns = matrix.tocsc()
    texts = [rng.integers(0, 4, 30).tolist() for _ in range(20 * size)]
    corpus = Corpus.from_sequences(texts, end_symbol=True)
    f = substring_expectations(corpus, 4)
    graph = prefix_suffix_graph(f)
    basis = matching_basis(f)
    return {
        "match": lambda: match(matrix),
        "match columns": lambda: match(columns, "hopcroft-karp"),
        "blocks": lambda: dulmage_mendelsohn(matrix),
        "weights": lambda: (maximum_weight_matching(matrix), heavy_matching(matrix)),
        "corpus": lambda: Corpus.from_sequences(texts, end_symbol=True),
        "counts": lambda: substring_expectations(corpus, 6),
        "graph": lambda: (match(prefix_suffix_graph(f)), match(graph, "heavy")),
        "Hankel blocks": lambda: hankel_blocks(f, basis),
    }
