"""A step of Baum-Welch in the core beside the numpy reference, in turns in one run."""

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from hankelmatch import Corpus, _core, get_num_threads, set_num_threads

from tests.prediction.baum_welch_reference import PrefixTree, random_parameters

from ..report import Column, markdown

_RUNS = 25
_N_STATES = 40


def compared(train: Corpus) -> str:
    """The least of several times for 40 states, on parts of a text: the cost is linear in nodes.

    "single" and "double" are the precisions of the core's passes, with one thread and with as many as it
    takes by default; numpy's is double, with as many threads of BLAS as the environment says.
    """
    columns = [
        Column("threads", "threads", "d"),
        Column("nodes", "nodes", ",d"),
        Column("numpy", "numpy, ms", ".1f"),
        Column("double", "double, ms", ".1f"),
        Column("single", "single, ms", ".1f"),
        Column("double_ratio", "numpy / double", ".1f"),
        Column("ratio", "numpy / single", ".1f"),
        Column("per_node", "single, ns a node", ".0f"),
    ]
    default = get_num_threads()
    lines = [line for threads in sorted({1, default}) for line in _lines(train, threads)]
    set_num_threads(default)
    return markdown(columns, lines)


def _lines(train: Corpus, threads: int) -> Iterator[dict[str, Any]]:
    parameters = random_parameters(_N_STATES, len(train.alphabet), np.random.default_rng(0))
    set_num_threads(threads)
    for share in (0.25, 0.5, 0.9):
        part = train.take(np.arange(int(share * len(train))))
        bounds, ids = part.offsets.tolist(), part.symbols.tolist()
        tree = PrefixTree([ids[i:j] for i, j in pairwise(bounds)])
        sample, weights = _core.Sample(part.symbols, part.offsets), np.ones(len(part))
        in_numpy, double, single = _least(
            lambda t=tree: t.expected_counts(*parameters),
            lambda s=sample, w=weights: s.expected_counts(w, *parameters),
            lambda s=sample, w=weights: s.expected_counts(w, *parameters, single=True),
        )
        yield {
            "threads": threads,
            "nodes": len(tree.prefixes),
            "numpy": 1e3 * in_numpy,
            "double": 1e3 * double,
            "single": 1e3 * single,
            "double_ratio": in_numpy / double,
            "ratio": in_numpy / single,
            "per_node": 1e9 * single / len(tree.prefixes),
        }


def _least(*functions: Callable[[], object]) -> list[float]:
    """The least seconds of each, called in turns."""
    seconds: list[list[float]] = [[] for _ in functions]
    for _ in range(_RUNS):
        for taken, function in zip(seconds, functions, strict=True):
            begin = time.perf_counter()
            function()
            taken.append(time.perf_counter() - begin)
    return [min(taken) for taken in seconds]
