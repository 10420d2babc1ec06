"""Files of the Abbadingo and StaMinA competitions and of FlexFringe: sequences with a class each."""

import os
from collections.abc import Hashable
from itertools import chain
from typing import NamedTuple

from ..sequences._boundary_symbols import DEFAULT_END, DEFAULT_START, reader_frame
from ..sequences._number_formats import BYTE_ORDER_MARK
from ..sequences._text_checks import Path, read_bytes
from ..sequences.alphabet import Alphabet, number_labels
from ..sequences.corpus import Corpus
from ..sequences.labels import Label

__all__ = ["AbbadingoSample", "read_abbadingo"]

_END = -1
_START = -2


class AbbadingoSample(NamedTuple):
    """Sequences and the class of each.

    Attributes
    ----------
    corpus : Corpus
        The sequences.
    classes : tuple
        One for each sequence: 1 for accepted, 0 for rejected, -1 for unknown in Abbadingo's files; a str
        where it is no whole number.
    """

    corpus: Corpus
    classes: tuple[Hashable, ...]


def read_abbadingo(
    path: Path,
    end_symbol: bool | Label | None = None,
    start_symbol: bool | Label | None = None,
    *,
    alphabet: Alphabet | None = None,
) -> AbbadingoSample:
    r"""Read a file in Abbadingo's format, as FlexFringe reads and writes it.

    The first line holds the number of sequences and the number of symbols; then each line holds a class, the
    length of a sequence, and its symbols. FlexFringe's attributes and data of a symbol, behind ``:`` and
    ``/``, are left out.

    Parameters
    ----------
    path : str or os.PathLike
        The file.
    end_symbol, start_symbol : bool, label or None
        As in `read_spice`. True stands for -1 and -2 where all symbols are whole numbers, else for ``"</s>"``
        and ``"<s>"``.
    alphabet : Alphabet, optional
        Alphabet to use; symbols that it lacks are unknown (-1). If not given: the symbols that occur, sorted,
        then the end symbol, then the start symbol.

    Returns
    -------
    AbbadingoSample
        Symbols are ints if all of them are whole numbers, else str: 01 is no number, since it would be the
        same as 1. With an `alphabet`, those of its ints are ints, and all others str.

    Raises
    ------
    OSError
        If the file is missing, is a folder, or may not be read.
    ValueError
        If the file is not in this format; the message names file and line.

    References
    ----------
    .. [1] K. J. Lang, B. A. Pearlmutter, R. A. Price: Results of the Abbadingo One DFA learning competition
       and a new evidence-driven state merging algorithm. ICGI 1998.
    .. [2] S. Verwer, C. A. Hammerschmidt: flexfringe: a passive automaton learning package. ICSME 2017.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "sample.dat"
    ...     _ = path.write_bytes(b"3 2\n1 3 0 1 1\n0 1 1\n1 0\n")
    ...     corpus, classes = read_abbadingo(path)
    >>> list(corpus), classes
    ([(0, 1, 1, -1), (1, -1), (-1,)], (1, 0, 1))
    """
    sample = own_sample(path, end_symbol, start_symbol, alphabet)
    return sample if alphabet is None else sample._replace(corpus=sample.corpus.reencode(alphabet))


def own_sample(
    path: Path,
    end_symbol: bool | Label | None,
    start_symbol: bool | Label | None,
    alphabet: Alphabet | None,
) -> AbbadingoSample:
    """As read_abbadingo, over an alphabet of its own, whose labels are like those of `alphabet`."""
    classes, rows = _parsed(path, read_bytes(path))
    labels = _labels(set(chain.from_iterable(rows)), alphabet)
    are_numbers = all(isinstance(label, int) for label in labels.values())
    usual: tuple[Label, Label] = (_END, _START) if are_numbers else (DEFAULT_END, DEFAULT_START)
    end, start = reader_frame(end_symbol, start_symbol, alphabet, ends=True, usual=usual)
    for argument, label in (("end_symbol", end), ("start_symbol", start)):
        if label is not None and label in labels.values():
            raise ValueError(f"{argument}: {label!r} is a symbol of {path}; choose another label")
    corpus = Corpus.from_sequences(
        [[labels[word] for word in row] for row in rows],
        end_symbol=False if end is None else end,
        start_symbol=False if start is None else start,
    )
    own = Corpus(corpus.symbols, corpus.offsets, corpus.alphabet, source=os.fspath(path))
    return AbbadingoSample(own, classes)


def _labels(words: set[str], alphabet: Alphabet | None) -> dict[str, Label]:
    """The label of each word: its number, if the alphabet or else every word is one, or the word itself."""
    if alphabet is not None:
        numbers = number_labels(alphabet)
    else:
        numbers = {word: int(word) for word in words} if all(map(_is_whole, words)) else {}
    return {word: numbers.get(word, word) for word in words}


def _parsed(path: Path, data: bytes) -> tuple[tuple[Hashable, ...], list[list[str]]]:
    """The class and the symbols of each line."""
    try:
        text = data.removeprefix(BYTE_ORDER_MARK).decode("utf-8").rstrip()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: {error}; save the file as UTF-8") from None
    header, *lines = text.split("\n")
    numbers = header.split()
    if len(numbers) != 2 or not all(word.isdecimal() for word in numbers):
        raise ValueError(
            f"{path}: line 1: the header must be the number of sequences and the number of symbols, as "
            f"'1000 2', not {header[:60]!r}"
        )
    if int(numbers[0]) != len(lines):
        raise ValueError(
            f"{path}: line 1: the header promises {numbers[0]} sequences, but {len(lines)} follow; correct "
            "the header or complete the file"
        )
    rows = [_row(path, number, line.split()) for number, line in enumerate(lines, 2)]
    return tuple(kind for kind, _ in rows), [row for _, row in rows]


def _row(path: Path, number: int, words: list[str]) -> tuple[Hashable, list[str]]:
    if len(words) < 2 or not words[1].isdecimal():
        raise ValueError(
            f"{path}: line {number}: a class, a length and the symbols are needed, as '1 3 0 1 1', not "
            f"{' '.join(words)[:60]!r}"
        )
    kind, length, *symbols = words
    if int(length) != len(symbols):
        raise ValueError(
            f"{path}: line {number}: the length is given as {length}, but {len(symbols)} symbols follow"
        )
    return int(kind) if _is_whole(kind) else kind, [_without_data(word) for word in symbols]


def _without_data(word: str) -> str:
    """The symbol itself, of ``symbol:attributes/data``."""
    return word.split("/", 1)[0].split(":", 1)[0] or word


def _is_whole(word: str) -> bool:
    """Whether it is a whole number as one writes it: 01 is a name, and not that of 1."""
    return word.removeprefix("-").isdecimal() and len(word) <= 18 and str(int(word)) == word
