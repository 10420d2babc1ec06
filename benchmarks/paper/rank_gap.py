"""Supplement B: how far the structural rank of Hankel matrices is from their numeric rank."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hankelmatch import Corpus, match, read_spice

from .compression import Compressed, core_size, whole_matrix
from .peeling import rank
from .results import Bench, Column, MissingDataError, Table, fingerprint
from .spectral import Statistics
from .texts import PART_OF_SPEECH, PENN_TREEBANK, WAR_AND_PEACE

__all__ = ["run"]

MAX_LENGTHS = range(2, 7)
SPICE = {
    0: "toy",
    4: "verbs",
    5: "characters",
    8: "part of speech",
    11: "words",
    13: "normalization",
}
# Longest side of a dense matrix whose singular values are computed: where nothing else would show the rank
# (two minutes, a gigabyte), and beside a rank that is known.
LARGEST_CORE = 9_000
LARGEST_SVD = 3_600
EXPECTED = {5: 5, 6: 60}  # seconds at most, about
QUICK_CORE = 1_000
QUICK_SEQUENCES = 500
COLUMNS = (
    Column("text", "text"),
    Column("symbols", "symbols", ",d"),
    Column("max_length", "T"),
    Column("substrings", "rows", ",d"),
    Column("edges", "entries", ",d"),
    Column("structural_rank", "structural rank", ",d"),
    Column("rank", "rank"),
    Column("gap", "gap"),
    Column("relative_gap", "gap, %"),
    Column("numeric_rank", "numeric rank", ",d"),
)
NOTES = [
    "Of the whole Hankel matrix of all substrings up to T of the training part. Rank: rows and columns with "
    "a single entry are pivots and taken out first, one after the other; the rest is compressed by "
    "orthogonal transformations, and its singular values are counted. A rank with a `>=` is that of the "
    f"pivots alone, where a dense rest of more than {LARGEST_CORE:,} rows remained; the gap is at most the "
    "one given then.",
    "Numeric rank: the singular values of the whole matrix, compressed without pivots, that numpy would not "
    f"count as zero; where that leaves at most {LARGEST_SVD:,} rows. It is lower than the rank where small "
    "singular values drown in rounding beside the largest, which is near the mean length of a sentence.",
    "The paper's text has one pair of a structural and a numeric rank: 313 and 312, on the 12 tags of the "
    "Penn Treebank, T = 5.",
]


class Source(NamedTuple):
    """A training text: its name, what distinguishes it from others, and how to read it."""

    name: str
    settings: dict[str, Any]
    read: Callable[[], Corpus]


def run(bench: Bench) -> list[Table]:
    """Every text of the data folder, T = 2 to 6."""
    rows = [row for source in sources(bench) for row in rows_of(bench, source)]
    return [Table("rank-gap", "Structural and numeric rank of Hankel matrices", COLUMNS, rows, NOTES)]


def sources(bench: Bench) -> Iterator[Source]:
    """The texts that are there."""
    n_found = 0
    for text in (PENN_TREEBANK, WAR_AND_PEACE, PART_OF_SPEECH):
        try:
            settings = text.settings(bench)
        except MissingDataError as error:
            bench.say(f"{text.name} left out. {error}")
            continue
        n_found += 1
        yield Source(text.name, settings, lambda text=text: text.read(bench).train)
    for problem, name in SPICE.items():
        try:
            path = bench.file(f"spice/train/{problem}.spice.train")
        except MissingDataError as error:
            bench.say(f"SPiCe {problem} left out. {error}")
            continue
        n_found += 1
        yield Source(
            f"SPiCe {problem}, {name}",
            {"files": fingerprint(path)},
            lambda path=path: read_problem(bench, path),
        )
    if n_found == 0:
        raise MissingDataError("--data: rank-gap needs one text at least; give the folder of the texts")


def read_problem(bench: Bench, path: Path) -> Corpus:
    """The training sequences of a problem of the competition."""
    corpus = read_spice(path)
    return corpus[:QUICK_SEQUENCES] if bench.quick else corpus


def rows_of(bench: Bench, source: Source) -> Iterator[dict[str, Any]]:
    """A row for each T."""
    corpus: list[Corpus] = []  # read when the first row is not in the cache

    def measured(max_length: int) -> dict[str, Any]:
        if not corpus:
            corpus.append(source.read())
        return ranks(corpus[0], max_length, QUICK_CORE if bench.quick else LARGEST_CORE)

    for max_length in MAX_LENGTHS:
        settings = {**source.settings, "max_length": max_length, "largest": [LARGEST_CORE, LARGEST_SVD]}
        label = f"{source.name}, T = {max_length}"
        result = bench.cached(label, settings, lambda t=max_length: measured(t), EXPECTED.get(max_length, 1))
        yield {"text": source.name, "max_length": max_length, **printed(result)}


def ranks(corpus: Corpus, max_length: int, largest_core: int) -> dict[str, Any]:
    """Both ranks."""
    _, graph = Statistics.of(corpus, max_length)
    matrix = whole_matrix(graph)
    found = rank(*matrix, largest_core)
    is_small = core_size(*matrix) <= min(largest_core, LARGEST_SVD)
    return {
        "symbols": len(corpus.alphabet),
        "substrings": graph.n_prefixes,
        "edges": graph.n_edges,
        "structural_rank": match(graph).size,
        "numeric_rank": Compressed.of(*matrix).rank() if is_small else None,
        "at_least": found.at_least,
        "is_exact": found.is_exact,
        "pivots": found.pivots,
        "core": found.core,
    }


def printed(result: dict[str, Any]) -> dict[str, Any]:
    """The same with the gap, and what is a bound marked as one."""
    structural, least = result["structural_rank"], result["at_least"]
    gap = structural - least
    lower, upper = ("", "") if result["is_exact"] else (">= ", "<= ")
    return result | {
        "rank": f"{lower}{least:,}",
        "gap": f"{upper}{gap:,}",
        "relative_gap": f"{upper}{100 * gap / structural:.2f}",
    }
