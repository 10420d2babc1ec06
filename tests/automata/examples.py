"""Automata and blocks that several tests take."""

from __future__ import annotations

import numpy as np
from hankelmatch.sequences.alphabet import Alphabet

from .. import reference

SMALL = {"initial": [1.0, 0.0], "final": [0.0, 1.0], "transitions": [[[1.0, 1.0], [0.0, 1.0]], np.eye(2)]}


def sparse_blocks(n_symbols: int = 30, seed: int = 0):
    """Blocks of a sparse function, in which some H_a have many rows, some few, some none."""
    rng = np.random.default_rng(seed)
    alphabet = Alphabet(range(n_symbols))
    f: dict = {}
    for _ in range(400):
        x = tuple(np.minimum(rng.geometric(0.3, rng.integers(0, 5)) - 1, n_symbols - 2).tolist())
        for i in range(len(x) + 1):
            for j in range(i, len(x) + 1):
                f[x[i:j]] = f.get(x[i:j], 0.0) + 1.0
    basis = sorted({x[: len(x) // 2] for x in f} | {x[len(x) // 2 :] for x in f}, key=lambda x: (len(x), x))
    return reference.blocks_by_hand(lambda x: f.get(x, 0.0), basis, basis, alphabet)
