"""The SPiCe competition's files: sequences, prefixes with their targets, and rankings for its scorer.

`hankelmatch.ndcg` is its score.

References
----------
B. Balle, R. Eyraud, F. M. Luque, A. Quattoni, S. Verwer: Results of the Sequence PredIction ChallengE
(SPiCe): a competition on learning the next symbol in a sequence. ICGI 2016.
"""

import math
import os
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from .._utils.files import checked_path, write_atomically
from .._utils.validation import checked_whole, is_whole, listed
from ..prediction.ndcg import best_gain
from ..sequences._boundary_symbols import framed, reader_frame
from ..sequences._number_formats import BYTE_ORDER_MARK
from ..sequences._text_checks import Path, read_bytes
from ..sequences.alphabet import Alphabet
from ..sequences.corpus import Corpus
from ..sequences.labels import Label, Offsets, Symbols, frozen, offsets_of

__all__ = [
    "SpiceTest",
    "read_spice",
    "read_spice_rankings",
    "read_spice_targets",
    "read_spice_test",
    "write_spice_rankings",
]

_MOST_RANKED = 5  # the competition's scorer reads no further
_END = -1
_START = -2
_UNDOUBTED = 1_000_000  # an alphabet of this size needs no file to prove it
_LONGEST_NUMBER = 18  # digits that surely fit 64 bits


def read_spice(
    path: Path,
    end_symbol: bool | Label | None = None,
    start_symbol: bool | Label | None = None,
    *,
    alphabet: Alphabet | None = None,
) -> Corpus:
    r"""Read a file in the format of the SPiCe and PAutomaC competitions.

    The first line holds the number of sequences and the number of symbols; then each line holds the length of
    a sequence and its symbols, which are numbers from 0.

    Parameters
    ----------
    path : str or os.PathLike
        The file.
    end_symbol, start_symbol : bool, label or None
        Close or open every sequence with a symbol: True for one with the label -1 or -2, or a label of your
        own. None means what `alphabet` has, or else an end symbol and no start symbol.
    alphabet : Alphabet, optional
        Alphabet to use; symbols that it lacks are unknown (-1). If not given: the numbers below the number
        of symbols in the first line, then the end symbol, then the start symbol.

    Returns
    -------
    Corpus
        The sequences; their labels are ints.

    Raises
    ------
    OSError
        If the file is missing, is a folder, or may not be read.
    ValueError
        If the file is not in this format; the message names file and line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "0.spice.train"
    ...     _ = path.write_bytes(b"2 3\n3 0 2 1\n0\n")
    ...     corpus = read_spice(path)
    >>> list(corpus)
    [(0, 2, 1, -1), (-1,)]
    """
    end, start = reader_frame(end_symbol, start_symbol, alphabet, ends=True, usual=(_END, _START))
    symbols, offsets, n_labels = _parsed(path, read_bytes(path))
    for argument, label in (("end_symbol", end), ("start_symbol", start)):
        if label in range(n_labels):
            raise ValueError(
                f"{argument}: {label!r} is a symbol of {path}; choose a label outside 0 to {n_labels - 1}"
            )
    own = Alphabet([*range(n_labels), *(x for x in (end, start) if x is not None)], end, start)
    arrays = frozen(*framed(symbols, offsets, own.end_id, own.start_id))
    corpus = Corpus(*arrays, own, source=os.fspath(path))
    return corpus if alphabet is None else corpus.reencode(alphabet)


def _parsed(path: Path, data: bytes) -> tuple[Symbols, Offsets, int]:
    """Symbols and offsets of the sequences in a file's bytes, and the number of symbols that it promises.

    Raises
    ------
    ValueError
        If they are not in this format; the message names the file, by `path`, and the line.
    """
    data = data.removeprefix(BYTE_ORDER_MARK).rstrip()
    lines = data.split(b"\n")
    n_sequences, n_labels = _header(path, lines[0])
    if n_labels > max(len(data), _UNDOUBTED):
        raise ValueError(
            f"{path}: line 1: the header promises {n_labels} symbols, more than the file has bytes"
        )
    if n_sequences != len(lines) - 1:
        raise ValueError(
            f"{path}: line 1: the header promises {n_sequences} sequences, but {len(lines) - 1} follow; "
            "correct the header or complete the file"
        )
    rows = [_row(path, number, line, n_labels) for number, line in enumerate(lines[1:], 2)]
    return np.fromiter(chain.from_iterable(rows), np.int32), offsets_of(rows), n_labels


def _header(path: Path, line: bytes) -> tuple[int, int]:
    numbers = _numbers(path, 1, line)
    if len(numbers) != 2:
        raise ValueError(
            f"{path}: line 1: the header must be the number of sequences and the number of symbols, "
            f"as '20000 4'; it has {len(numbers)} numbers"
        )
    return numbers[0], numbers[1]


def _row(path: Path, number: int, line: bytes, n_labels: int) -> list[int]:
    numbers = _numbers(path, number, line)
    if not numbers:
        raise ValueError(f"{path}: line {number} is blank; an empty sequence is written as '0'")
    length, *row = numbers
    if length != len(row):
        raise ValueError(
            f"{path}: line {number}: the length is given as {length}, but {len(row)} symbols follow"
        )
    if row and max(row) >= n_labels:
        raise ValueError(
            f"{path}: line {number}: symbol {max(row)} is out of range; "
            f"the header in line 1 allows {n_labels} symbols, numbered from 0"
        )
    return row


def _numbers(path: Path, number: int, line: bytes) -> list[int]:
    words = line.split()
    for word in words:
        if not word.isdigit() or len(word) > _LONGEST_NUMBER:
            shown = word.decode("utf-8", "replace")
            raise ValueError(f"{path}: line {number}: {shown!r} is not a number from 0 up")
    return list(map(int, words))


class SpiceTest(NamedTuple):
    """Test prefixes and the true distributions of the next symbols.

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


def read_spice_targets(path: Path, n_prefixes: int | None = None) -> list[dict[int, float]]:
    """Read a target file of the SPiCe competition.

    Line i holds, for test prefix i, ``denominator symbol probability symbol probability ...``; the symbol
    -1 is the end of the sequence. The denominator is the best discounted gain at 5, which `ndcg` finds
    from the probabilities by itself; here it serves to detect damaged lines.

    Parameters
    ----------
    path : str or os.PathLike
        File to read.
    n_prefixes : int, optional
        Number of test prefixes, 0 or more, of which the first as many lines are taken. Problem 4's public
        file has one spare last line. By default every line is taken.

    Returns
    -------
    list of dict from int to float
        The next-symbol distribution of every prefix, as `ndcg` wants it.

    Raises
    ------
    ValueError
        With the file and the line, where a line is malformed or contradicts its denominator; or if there
        are fewer than `n_prefixes` lines, or none.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "0.spice.target.public")
    ...     _ = path.write_text("1.0 3 1.0\\n1.0 -1 1.0\\n")
    ...     read_spice_targets(path)
    [{3: 1.0}, {-1: 1.0}]
    """
    if n_prefixes is not None:
        n_prefixes = checked_whole("n_prefixes", n_prefixes, 0)
    lines = _lines_of(path)
    if not lines and n_prefixes is None:
        raise ValueError(f"{path}: the file is empty; give a file with a line for each prefix")
    if n_prefixes is not None and len(lines) < n_prefixes:
        raise ValueError(f"{path}: {len(lines)} lines for {n_prefixes} prefixes; it has to hold one a prefix")
    return [
        _parse_target(line, f"{path}:{number}") for number, line in enumerate(lines[:n_prefixes], start=1)
    ]


def _parse_target(line: str, place: str) -> dict[int, float]:
    """One line of a target file; `place` names it in errors."""
    words = line.split()
    if len(words) < 3 or len(words) % 2 == 0:
        raise ValueError(f"{place}: expected 'denominator symbol probability ...', found {line[:60]!r}")
    try:
        denominator = float(words[0])
        symbols = [int(word) for word in words[1::2]]
        probabilities = [float(word) for word in words[2::2]]
    except ValueError as error:
        raise ValueError(f"{place}: expected whole symbols and decimal probabilities: {error}") from error
    target = dict(zip(symbols, probabilities, strict=True))
    if len(target) < len(symbols):
        raise ValueError(f"{place}: a symbol occurs twice; each may have one probability")
    if not all(0.0 <= p <= 1.0 for p in probabilities):
        raise ValueError(f"{place}: a probability is outside 0..1")
    best = best_gain(target, 5)
    if not math.isclose(denominator, best, rel_tol=1e-6, abs_tol=1e-9):
        raise ValueError(
            f"{place}: denominator {denominator} is not the best gain at 5, {best:.9g}: damaged?"
        )
    return target


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
    return [_parsed_ranking(line, f"{path}:{number}") for number, line in enumerate(_lines_of(path), start=1)]


def _lines_of(path: Path) -> list[str]:
    with open(checked_path(path), encoding="ascii", errors="replace") as file:
        return file.read().splitlines()


def _parsed_ranking(line: str, place: str) -> list[int]:
    try:
        return [int(word) for word in line.split()]
    except ValueError:
        raise ValueError(f"{place}: expected symbols as whole numbers, found {line[:60]!r}") from None
