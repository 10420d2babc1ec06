"""Small sparse matrices of every format, right ones and such as contradict themselves."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from hankelmatch import (
    best_matchings,
    bottleneck_matching,
    driver_nodes,
    dulmage_mendelsohn,
    hall_violator,
    heavy_matching,
    match,
    maximum_bipartite_matching,
    maximum_matching_edges,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
    structural_rank,
)
from hankelmatch.matching.maximum import METHODS

from ._slow import Edge, maximum_size

CASES = 1_000_000
FORMATS = (*["csr"] * 8, "csc", "csc", "coo", "coo", "bsr", "dia", "lil", "dok")
ARRAYS = {
    "csr": ("indptr", "indices", "data"),
    "csc": ("indptr", "indices", "data"),
    "bsr": ("indptr", "indices", "data"),
    "coo": ("row", "col", "data"),
    "dia": ("offsets", "data"),
    "lil": ("rows", "data"),
}
OTHERS: tuple[Callable[[Any], Any], ...] = (
    best_matchings,
    bottleneck_matching,
    driver_nodes,
    dulmage_mendelsohn,
    hall_violator,
    heavy_matching,
    maximum_bipartite_matching,
    maximum_matching_edges,
    maximum_weight_matching,
    min_weight_full_bipartite_matching,
    structural_rank,
)
REFUSALS = (TypeError, ValueError)  # what a wrong argument may raise


def attack(seed: int, count: int) -> Iterator[str]:
    """Match right matrices and compare; match wrong ones, which are refused or answered rightly."""
    rng = np.random.default_rng(seed)
    for case in range(count):
        matrix, edges = random_matrix(rng)
        method = METHODS[int(rng.integers(len(METHODS)))]
        what = f"case {case}, {matrix.format}, {matrix.shape}, {method}"
        if rng.random() < 0.25:
            damage = damaged(matrix, rng)
            if rng.random() < 0.5:
                yield from (f"{what}, {damage}: {line}" for line in refused_or_right(matrix, method))
            else:
                function = OTHERS[int(rng.integers(len(OTHERS)))]
                yield from (f"{what}, {damage}: {line}" for line in refused_or_done(function, matrix))
        else:
            yield from (f"{what}: {line}" for line in wrong_answers(matrix, edges, method))
            if case % 8 == 0:
                yield from (f"{what}: {line}" for line in wrong_sizes(matrix, edges))


def random_matrix(rng: np.random.Generator) -> tuple[Any, set[Edge]]:
    """A matrix of a random format and its stored entries; some are zeros, some are repeated."""
    shape = tuple(int(n) for n in rng.integers(0, 8, 2))
    n_entries = int(rng.integers(0, 20)) if min(shape) else 0
    rows, cols = (rng.integers(0, max(n, 1), n_entries) for n in shape)
    dtype = (np.int32, np.int64)[int(rng.integers(2))]
    ones = np.ones(n_entries)
    edges = set(zip(rows.tolist(), cols.tolist(), strict=True))
    kind = FORMATS[int(rng.integers(len(FORMATS)))]
    if kind in ("bsr", "dia") and not min(shape):
        kind = "coo"
    if kind == "csr":  # repeated entries, in any order
        order = np.argsort(rows, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))]).astype(dtype)
        return sp.csr_array((ones, cols[order].astype(dtype), indptr), shape=shape), edges
    matrix: Any = sp.coo_array((ones, (rows.astype(dtype), cols.astype(dtype))), shape=shape)
    if kind == "bsr":
        return blocks(matrix, rng)
    return matrix.asformat(kind), edges


def blocks(matrix: Any, rng: np.random.Generator) -> tuple[Any, set[Edge]]:
    """The matrix in blocks that fit into it; every place of a block is an entry, also one with a zero."""
    height, width = (int(rng.choice([d for d in range(1, n + 1) if n % d == 0])) for n in matrix.shape)
    made = matrix.tobsr(blocksize=(height, width))
    tops = np.repeat(np.arange(matrix.shape[0] // height), np.diff(made.indptr)) * height
    edges = {
        (top + i, left + j)
        for top, left in zip(tops.tolist(), (made.indices * width).tolist(), strict=True)
        for i in range(height)
        for j in range(width)
    }
    return made, edges


def damaged(matrix: Any, rng: np.random.Generator) -> str:
    """Make one of a matrix's arrays contradict the others, and say how."""
    if matrix.format not in ARRAYS:
        return "as it is"
    name = str(rng.choice(ARRAYS[matrix.format]))
    array = np.array(getattr(matrix, name))
    ways: dict[str, Any] = {
        "shorter": lambda: array[: len(array) // 2],
        "longer": lambda: np.concatenate([array, array, array]),
        "empty": lambda: array[:0],
        "none": lambda: None,
        "negative": lambda: array - 3,
        "beyond": lambda: array + 5,
        "huge": lambda: array * 0 + (2**31 - 1 if array.dtype == np.int32 else 2**62),
        "backwards": lambda: array[::-1],
        "floats": lambda: array.astype(np.float64) + 0.5,
        "two dimensions": lambda: np.stack([array, array]),
        "strings": lambda: array.astype(str),
        "list": array.tolist,
    }
    if array.dtype == object:
        ways = {name: ways[name] for name in ("shorter", "longer", "empty", "none", "backwards")}
    way = str(rng.choice(list(ways)))
    try:
        setattr(matrix, name, ways[way]())
    except (TypeError, ValueError, AttributeError, IndexError):  # scipy refused it itself
        return "as it is"
    return f"{name} {way}"


def refused_or_right(matrix: Any, method: str) -> Iterator[str]:
    """A damaged matrix is refused, or what is found is a matching."""
    try:
        matching = match(matrix, method)
    except REFUSALS:
        return
    except Exception as error:
        yield f"{type(error).__name__}: {error}"
        return
    rows, cols = matching.pairs()
    if len(set(cols.tolist())) != len(rows) or matching.row_mate.shape != (matrix.shape[0],):
        yield "what was found is no matching"


def refused_or_done(function: Callable[[Any], Any], matrix: Any) -> Iterator[str]:
    """Another function of a damaged matrix returns something, or refuses it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(matrix)
    except REFUSALS:
        return
    except Exception as error:
        yield f"{function.__name__}: {type(error).__name__}: {error}"


def wrong_answers(matrix: Any, edges: set[Edge], method: str) -> Iterator[str]:
    """What is wrong with the matching of a right matrix."""
    matching = match(matrix, method)
    rows, cols = matching.pairs()
    pairs = set(zip(rows.tolist(), cols.tolist(), strict=True))
    right = maximum_size(matrix.shape[0], edges)
    if not pairs <= edges or len(pairs) != matching.size:
        yield "pairs are no entries"
    if matching.size != right:
        yield f"size {matching.size} is not {right}"
    cover_rows, cover_cols = (set(nodes.tolist()) for nodes in matching.minimum_vertex_cover())
    if len(cover_rows) + len(cover_cols) != right:
        yield "the cover has another size"
    if any(row not in cover_rows and col not in cover_cols for row, col in edges):
        yield "the cover leaves an edge out"


def wrong_sizes(matrix: Any, edges: set[Edge]) -> Iterator[str]:
    """What is wrong with what scipy's names give for a right matrix."""
    right = maximum_size(matrix.shape[0], edges)
    if structural_rank(matrix.tocsc()) != right:
        yield "the structural rank is wrong"
    if (maximum_bipartite_matching(matrix.tocoo(), "column") >= 0).sum() != right:
        yield "scipy's name gives another size"
