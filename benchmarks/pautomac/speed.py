"""A step of Baum-Welch in the core beside the numpy reference, in turns in one run."""

import time
from collections.abc import Callable
from itertools import pairwise
from statistics import median

import numpy as np
from hankelmatch import Corpus, _core

from tests.prediction.baum_welch_reference import PrefixTree, random_parameters

from ..report import Column, markdown

_RUNS = 7


def compared(train: Corpus) -> str:
    """Medians for 40 states on parts of a text, to show that the cost is linear in nodes, and their ratio."""
    columns = [
        Column("nodes", "nodes", ",d"),
        Column("core", "core, ms", ".1f"),
        Column("numpy", "numpy, ms", ".1f"),
        Column("ratio", "ratio", ".1f"),
        Column("per_node", "core, ns a node", ".0f"),
    ]
    rng = np.random.default_rng(0)
    parameters = random_parameters(40, len(train.alphabet), rng)
    lines = []
    for share in (0.25, 0.5, 0.9):
        part = train.take(np.arange(int(share * len(train))))
        bounds = part.offsets.tolist()
        ids = part.symbols.tolist()
        tree = PrefixTree([ids[i:j] for i, j in pairwise(bounds)])
        sample, weights = _core.Sample(part.symbols, part.offsets), np.ones(len(part))
        core, in_numpy = _medians(
            lambda s=sample, w=weights: s.expected_counts(w, *parameters),
            lambda t=tree: t.expected_counts(*parameters),
        )
        lines.append(
            {
                "nodes": len(tree.prefixes),
                "core": 1e3 * core,
                "numpy": 1e3 * in_numpy,
                "ratio": in_numpy / core,
                "per_node": 1e9 * core / len(tree.prefixes),
            }
        )
    return markdown(columns, lines)


def _medians(*functions: Callable[[], object]) -> list[float]:
    """The median seconds of each, called in turns."""
    seconds: list[list[float]] = [[] for _ in functions]
    for _ in range(_RUNS):
        for taken, function in zip(seconds, functions, strict=True):
            begin = time.perf_counter()
            function()
            taken.append(time.perf_counter() - begin)
    return [median(taken) for taken in seconds]
