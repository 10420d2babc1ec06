"""Small sparse matrices of every format, right ones and such as contradict themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from hankelmatch import match, maximum_bipartite_matching, structural_rank
from hankelmatch.matching.maximum import METHODS

from ._slow import Edge, maximum_size

CASES = 1_000_000
FORMATS = ("csr", "csr", "csc", "coo", "bsr", "dia", "lil", "dok")
ARRAYS = {
    "csr": ("indptr", "indices", "data"),
    "csc": ("indptr", "indices", "data"),
    "bsr": ("indptr", "indices", "data"),
    "coo": ("row", "col", "data"),
    "dia": ("offsets", "data"),
    "lil": ("rows", "data"),
}
REFUSALS = (TypeError, ValueError)  # what a wrong argument may raise


def attack(seed: int, count: int) -> Iterator[str]:
    """Match right matrices and compare; match wrong ones, which are refused or answered rightly."""
    rng = np.random.default_rng(seed)
    for case in range(count):
        matrix, edges = random_matrix(rng)
        method = str(rng.choice(METHODS))
        what = f"case {case}, {matrix.format}, {matrix.shape}, {method}"
        if rng.random() < 0.25:
            damage = damaged(matrix, rng)
            yield from (f"{what}, {damage}: {line}" for line in refused_or_right(matrix, method))
        else:
            yield from (f"{what}: {line}" for line in wrong_answers(matrix, edges, method))


def random_matrix(rng: np.random.Generator) -> tuple[Any, set[Edge]]:
    """A matrix of a random format and its stored entries; some are zeros, some are repeated."""
    shape = tuple(int(n) for n in rng.integers(0, 8, 2))
    n_entries = int(rng.integers(0, 20)) if min(shape) else 0
    rows, cols = (rng.integers(0, max(n, 1), n_entries) for n in shape)
    dtype = rng.choice([np.int32, np.int64])
    ones = np.ones(n_entries)
    kind = str(rng.choice(FORMATS))
    if kind in ("bsr", "dia") and not min(shape):
        kind = "coo"
    matrix: Any = sp.coo_array((ones, (rows.astype(dtype), cols.astype(dtype))), shape=shape)
    if kind == "csr" and rng.random() < 0.7:  # repeated entries, in any order
        order = rng.permutation(n_entries)
        order = order[np.argsort(rows[order], kind="stable")]
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))]).astype(dtype)
        matrix = sp.csr_array((ones, cols[order].astype(dtype), indptr), shape=shape)
    elif kind == "bsr":
        matrix = matrix.tobsr(blocksize=(1, 1))  # larger blocks have zeros that are entries
    else:
        matrix = matrix.asformat(kind)
    return matrix, set(zip(rows.tolist(), cols.tolist(), strict=True))


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
    if structural_rank(matrix.tocsc()) != right:
        yield "the structural rank is wrong"
    if (maximum_bipartite_matching(matrix.tocoo(), "column") >= 0).sum() != right:
        yield "scipy's name gives another size"
