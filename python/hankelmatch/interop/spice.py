"""The SPiCe competition's test files: prefixes with their targets, and rankings for its scorer.

Its training files are read by `hankelmatch.read_spice`, its target files alone by
`hankelmatch.read_spice_targets`; `hankelmatch.ndcg` is its score.

References
----------
B. Balle, R. Eyraud, F. M. Luque, A. Quattoni, S. Verwer: Results of the Sequence PredIction ChallengE
(SPiCe): a competition on learning the next symbol in a sequence. ICGI 2016.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from .._utils.files import write_atomically
from .._utils.validation import is_whole, listed
from ..prediction.ndcg import read_spice_targets
from ..sequences.corpus import Corpus, read_spice

__all__ = ["SpiceTest", "read_spice_rankings", "read_spice_test", "write_spice_rankings"]

Path = str | os.PathLike[str]

_MOST_RANKED = 5  # the competition's scorer reads no further
_END = -1


class SpiceTest(NamedTuple):
    """Test prefixes and what truly follows them.

    Attributes
    ----------
    prefixes : Corpus
        Beginnings of sequences, without end or start symbol: contexts as `LanguageModel.rankings` takes them.
    targets : list of dict from int to float
        For every prefix the distribution of the next symbol; -1 is the end of the sequence.
    """

    prefixes: Corpus
    targets: list[dict[int, float]]


def read_spice_test(prefixes: Path, targets: Path) -> SpiceTest:
    """Read test prefixes and their targets.

    Parameters
    ----------
    prefixes : str or os.PathLike
        As ``4.spice.prefix.public``.
    targets : str or os.PathLike
        As ``4.spice.target.public``. Lines beyond the number of prefixes are ignored, as problem 4's public
        file has one.

    Returns
    -------
    SpiceTest

    Raises
    ------
    ValueError
        If a file is not in its format; the message names file and line.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     prefixes, targets = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "target")
    ...     _ = prefixes.write_text("2 3\\n2 0 2\\n0\\n")
    ...     _ = targets.write_text("1.0 -1 1.0\\n1.0 0 1.0\\n")
    ...     test = read_spice_test(prefixes, targets)
    >>> list(test.prefixes), test.targets
    ([(0, 2), ()], [{-1: 1.0}, {0: 1.0}])
    """
    corpus = read_spice(prefixes, end_symbol=False)
    return SpiceTest(corpus, read_spice_targets(targets, len(corpus)))


def write_spice_rankings(path: Path, rankings: Sequence[Iterable[Hashable]]) -> None:
    """Write rankings in the competition's format, which its own scorer reads.

    Parameters
    ----------
    path : str or os.PathLike
        File to write, as ``4.spice.ranking``; it appears whole or not at all.
    rankings : sequence of iterables of int
        For every prefix, in the order of the prefix file, 1 to 5 distinct symbols, best first; -1 is the end
        of the sequence.

    Raises
    ------
    ValueError
        If a ranking is empty, has more than 5 symbols, one twice, or one that is no whole number from -1.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "4.spice.ranking")
    ...     write_spice_rankings(path, [[10, -1, 3], [7]])
    ...     path.read_text(), read_spice_rankings(path)
    ('10 -1 3\\n7\\n', [[10, -1, 3], [7]])
    """
    needed = "a list of rankings, each a list of symbols, best first,"
    lines = [
        _ranking_line(prefix, listed(f"rankings[{prefix}]", ranking, "a list of symbols, best first,"))
        for prefix, ranking in enumerate(listed("rankings", rankings, needed))
    ]
    with write_atomically(path) as file:
        file.write("".join(lines).encode("ascii"))


def _ranking_line(prefix: int, ranking: list[Hashable]) -> str:
    for symbol in ranking:
        if not is_whole(symbol) or symbol < _END:  # type: ignore[operator]
            raise ValueError(f"rankings: {symbol!r} in number {prefix}; symbols are whole numbers from -1")
    if len(set(ranking)) < len(ranking):
        raise ValueError(f"rankings: number {prefix} has a symbol twice: {ranking!r}; each may be there once")
    if not 1 <= len(ranking) <= _MOST_RANKED:
        raise ValueError(
            f"rankings: number {prefix} has {len(ranking)} symbols; give 1 to {_MOST_RANKED}, best first"
        )
    return " ".join(map(str, ranking)) + "\n"


def read_spice_rankings(path: Path) -> list[list[int]]:
    """Read rankings in the competition's format, ours or anyone's.

    Parameters
    ----------
    path : str or os.PathLike
        A file with the ranking of one prefix a line: symbols between blanks, best first.

    Returns
    -------
    list of lists of int
        As `hankelmatch.ndcg` wants them.

    Raises
    ------
    ValueError
        With the file and the line, if something is no whole number.
    OSError
        If the file cannot be read.
    """
    with open(path, encoding="ascii", errors="replace") as file:
        lines = file.read().splitlines()
    return [_parsed_ranking(line, f"{path}:{number}") for number, line in enumerate(lines, start=1)]


def _parsed_ranking(line: str, place: str) -> list[int]:
    try:
        return [int(word) for word in line.split()]
    except ValueError:
        raise ValueError(f"{place}: expected symbols as whole numbers, found {line[:60]!r}") from None
