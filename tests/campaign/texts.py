"""Random texts: counts, and matchings of their prefix-suffix graphs, against dictionaries and scipy."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from hankelmatch import Corpus, match, prefix_suffix_graph, read_text, substring_expectations
from scipy.sparse import csgraph

CASES = 100_000
METHODS = ("auto", "heavy", "weighted", "paper")


def attack(seed: int, count: int) -> Iterator[str]:
    """Count and match random corpora; read files of random bytes."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        for case in range(count):
            if case % 5 == 0:
                path.write_bytes(random_bytes(rng))
                lines = wrong_reading(path, rng)
            else:
                lines = wrong_counts(random_sequences(rng), rng)
            yield from (f"case {case}: {line}" for line in lines)


def random_sequences(rng: np.random.Generator) -> list[list[int]]:
    """Some sequences of few or many symbols, some of them empty, some with long runs."""
    n_symbols = int(rng.choice([1, 2, 3, 20]))
    lengths = rng.integers(0, rng.choice([2, 6, 40]), int(rng.integers(1, 8)))
    return [np.repeat(rng.integers(0, n_symbols, n), 1 + rng.integers(0, 3)).tolist() for n in lengths]


def random_bytes(rng: np.random.Generator) -> bytes:
    """Letters, newlines and blanks, and often bytes that are no UTF-8 or have a meaning elsewhere."""
    pieces = [
        b"a",
        b"b",
        b" ",
        b"\n",
        b"\r\n",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xc3",
        "é".encode(),
        b"\0",
        b"\x1a",
    ]
    weights = np.array([8, 8, 4, 3, 1, 0.3, 0.1, 0.1, 1, 0.2, 0.1])
    return b"".join(
        pieces[i] for i in rng.choice(len(pieces), rng.integers(0, 40), p=weights / weights.sum())
    )


def wrong_counts(sequences: list[list[int]], rng: np.random.Generator) -> Iterator[str]:
    """What is wrong with the counts of some sequences, and with the matching of their graph."""
    max_length = int(rng.integers(1, 9))
    corpus = Corpus.from_sequences(sequences, end_symbol=bool(rng.integers(2)))
    f = substring_expectations(corpus, max_length)
    counts: Counter[tuple[object, ...]] = Counter()
    for sequence in corpus:
        for i in range(len(sequence) + 1):
            counts.update(sequence[i : i + n] for n in range(min(max_length, len(sequence) - i) + 1))
    found = dict(f.items())
    if found.keys() != counts.keys():
        yield f"{sequences}, T = {max_length}: other substrings"
    elif any(abs(value * len(corpus) - counts[x]) > 1e-9 * counts[x] for x, value in found.items()):
        yield f"{sequences}, T = {max_length}: other counts"
    graph = prefix_suffix_graph(f)
    matrix = graph.to_csr()
    method = str(rng.choice(METHODS))
    matching = match(graph, method)
    right = int((csgraph.maximum_bipartite_matching(matrix) >= 0).sum())
    if matching.size != right or not matching.is_maximum(matrix):
        yield f"{sequences}, T = {max_length}, {method}: {matching.size} pairs of {right}, or no certificate"


def wrong_reading(path: Path, rng: np.random.Generator) -> Iterator[str]:
    """A file is read, or refused with its name."""
    unit = str(rng.choice(["char", "token"]))
    try:
        corpus = read_text(path, unit)
    except ValueError as error:
        if path.name not in str(error):
            yield f"{path.read_bytes()!r}: the message does not name the file: {error}"
        return
    text = path.read_bytes().removeprefix(b"\xef\xbb\xbf").decode()
    *lines, last = text.split("\n")
    n_lines = len(lines) + bool(last.strip() if unit == "token" else last)
    if len(corpus) != n_lines:
        yield f"{path.read_bytes()!r}: {len(corpus)} sentences of {n_lines} lines"
