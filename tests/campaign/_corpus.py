"""First inputs for the fuzz targets (cpp/fuzz), made by the campaign's own generators."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .texts import random_bytes

INPUTS = 200  # for each target
MOST_OPTIONS = 64  # of the first byte of a text: see fuzz_texts.cpp


def write_corpus(folder: Path, seed: int) -> None:
    """Write folders `texts` and `matchers`, a file for each input."""
    rng = np.random.default_rng(seed)
    for name, make in (("texts", random_text), ("matchers", random_graph)):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for i in range(INPUTS):
            (folder / name / f"{i:03}").write_bytes(make(rng))


def random_text(rng: np.random.Generator) -> bytes:
    """A byte of options, and some text."""
    text = b"".join(random_bytes(rng) for _ in range(int(rng.integers(1, 5))))
    return bytes([int(rng.integers(MOST_OPTIONS))]) + text


def random_graph(rng: np.random.Generator) -> bytes:
    """Rows and columns, steps of the index pointers, columns, and an odd byte (see fuzz_matchers.cpp)."""
    n_rows, n_cols = (int(n) for n in rng.integers(1, 32, 2))
    degrees = rng.integers(0, 8, n_rows + 1)
    cols = rng.integers(0, n_cols, int(degrees[1:].sum()))
    return bytes([n_rows, n_cols, *degrees.tolist(), *cols.tolist(), 1])
