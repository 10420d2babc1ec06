"""First stage: texts, from files or from sequences.

A text is a `Corpus`: many strings over an `Alphabet`, in two flat arrays; here are the readers of files.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from typing import TypeAlias

import numpy as np

from . import _core
from .alphabet import Alphabet, Label, Offsets, Symbols, offsets_of
from .strings import (
    DEFAULT_END,
    DEFAULT_START,
    Corpus,
    Strings,
    default_frame,
    framed,
    refuse_equal_frame,
)

__all__ = [
    "Alphabet",
    "Corpus",
    "Label",
    "Strings",
    "read_pautomac",
    "read_spice",
    "read_text",
    "sample_text",
    "split_tokens",
]

Path: TypeAlias = str | os.PathLike[str]

_SPICE_END = -1
_SPICE_START = -2
_SPICE_UNDOUBTED = 1_000_000  # an alphabet of this size needs no file to prove it
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONGEST_NUMBER = 18  # digits that surely fit 64 bits
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_SENTENCE = re.compile(r"[A-Z\"*].* .*[.!?]")


def read_text(
    path: Path,
    unit: str = "char",
    end_symbol: bool | Label | None = None,
    start_symbol: bool | Label | None = None,
    *,
    stream: bool = False,
    alphabet: Alphabet | None = None,
) -> Corpus:
    r"""Read a text file: a sentence a line, or one long stream.

    Parameters
    ----------
    path : str or os.PathLike
        A file in UTF-8.
    unit : {"char", "token"}
        What one symbol is: a character (code point), or what stands between blanks, tabs and the like.
    end_symbol, start_symbol : bool, label or None
        Close or open every sentence with a symbol: True for one with the label ``"</s>"`` or ``"<s>"``, or a
        label of your own. None means what `alphabet` has, or else: an end symbol unless `stream`, and no
        start symbol.
    stream : bool
        The whole file is one sequence, and newlines are symbols of it.
    alphabet : Alphabet, optional
        Alphabet to use, as that of the training text; symbols of the text that it lacks are unknown (-1).
        If not given: the symbols that occur, by code point, then the end symbol, then the start symbol.

    Returns
    -------
    Corpus
        The text.

    Raises
    ------
    OSError
        If the file is missing, is a folder, or may not be read.
    ValueError
        If it is empty, is not UTF-8, or contains the label of the end or start symbol; the message names
        file and line.

    Notes
    -----
    Lines end with ``"\n"`` or ``"\r\n"``; the last one needs neither. A blank line is a line: a sentence
    that has only its end and start symbol. A byte order mark at the beginning is dropped. Only a stream of
    characters is taken exactly as it is, byte order mark and carriage returns included; in a stream of tokens
    each newline is a token.

    Cost: about two passes over the file, which is held in memory meanwhile, and 4 bytes for each symbol.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "text.txt"
    ...     _ = path.write_bytes(b"to be\nor not to be\n")
    ...     corpus = read_text(path, unit="token")
    >>> corpus[0], corpus.alphabet.labels
    (('to', 'be', '</s>'), ('be', 'not', 'or', 'to', '</s>'))
    """
    if unit not in ("char", "token"):
        raise ValueError(f'unit must be "char" or "token", not {unit!r}')
    end = default_frame("end_symbol", end_symbol, alphabet, not stream, DEFAULT_END)
    start = default_frame("start_symbol", start_symbol, alphabet, False, DEFAULT_START)
    refuse_equal_frame(end, start)
    symbols, offsets, labels = _tokenize(path, unit, stream, end is not None, start is not None)
    for argument, label in (("end_symbol", end), ("start_symbol", start)):
        if label in labels:
            line = _line_of(symbols, offsets, labels, labels.index(label))
            raise ValueError(
                f"{path}: line {line}: the text contains {label!r}, which is to be the {argument}; "
                f"choose another label, as {argument}={f'<{label}>'!r}"
            )
    own = Alphabet([*labels, *(x for x in (end, start) if x is not None)], end, start)
    corpus = Corpus(symbols, offsets, own, source=os.fspath(path))
    return corpus if alphabet is None else corpus.reencode(alphabet)


def split_tokens(text: str, newlines: bool = False) -> list[str]:
    r"""The tokens of a text, cut where `read_text` cuts a file.

    Parameters
    ----------
    text : str
        Any text.
    newlines : bool
        Whether newlines are tokens, as in a stream.

    Returns
    -------
    list of str
        Its tokens, in order.

    Raises
    ------
    ValueError
        If the text is not Unicode, as what stood for bytes outside UTF-8 on a command line is not.

    Examples
    --------
    >>> split_tokens("to  be\nor\u00a0not"), split_tokens("to\nbe", newlines=True)
    (['to', 'be', 'or\xa0not'], ['to', '\n', 'be'])
    """
    data = text.encode("utf-8", "surrogateescape")
    symbols, _, labels = _core.read_text(
        data, tokens=True, stream=newlines, end_symbol=False, start_symbol=False
    )
    return [labels[i] for i in symbols.tolist()]


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
    end = default_frame("end_symbol", end_symbol, alphabet, True, _SPICE_END)
    start = default_frame("start_symbol", start_symbol, alphabet, False, _SPICE_START)
    data = _read_bytes(path).removeprefix(_BYTE_ORDER_MARK).rstrip()
    lines = data.split(b"\n")
    n_sequences, n_labels = _spice_header(path, lines[0])
    if n_labels > max(len(data), _SPICE_UNDOUBTED):
        raise ValueError(
            f"{path}: line 1: the header promises {n_labels} symbols, more than the file has bytes"
        )
    if n_sequences != len(lines) - 1:
        raise ValueError(
            f"{path}: line 1: the header promises {n_sequences} sequences, but {len(lines) - 1} follow; "
            "correct the header or complete the file"
        )
    for argument, label in (("end_symbol", end), ("start_symbol", start)):
        if label in range(n_labels):
            raise ValueError(
                f"{argument}: {label!r} is a symbol of {path}; choose a label outside 0 to {n_labels - 1}"
            )
    refuse_equal_frame(end, start)
    rows = [_spice_row(path, number, line, n_labels) for number, line in enumerate(lines[1:], 2)]
    own = Alphabet([*range(n_labels), *(x for x in (end, start) if x is not None)], end, start)
    symbols = np.fromiter(chain.from_iterable(rows), np.int32)
    frame_ids = (own.end_id, own.start_id)
    corpus = Corpus(*framed(symbols, offsets_of(rows), *frame_ids), own, source=os.fspath(path))
    return corpus if alphabet is None else corpus.reencode(alphabet)


read_pautomac = read_spice  # one format for both


def sample_text() -> list[str]:
    """English sentences that every CPython carries: the help texts of its own language reference.

    Returns
    -------
    list of str
        Some thousand sentences, without repeats, in an order that depends on the version of Python alone.

    Raises
    ------
    FileNotFoundError
        If this Python comes without its help texts (module ``pydoc_data.topics``).

    Examples
    --------
    >>> sentences = sample_text()
    >>> len(sentences) > 1000, all(sentences)
    (True, True)
    """
    try:
        from pydoc_data.topics import topics  # noqa: PLC0415 - half a megabyte that few callers need
    except ImportError as error:
        raise FileNotFoundError(
            "this Python has no help texts (module pydoc_data.topics) to learn from; "
            "give a text file of your own"
        ) from error
    paragraphs = (" ".join(text.split()) for name in sorted(topics) for text in topics[name].split("\n\n"))
    sentences = (sentence for text in paragraphs for sentence in _SENTENCE_END.split(text))
    return list(dict.fromkeys(sentence for sentence in sentences if _SENTENCE.fullmatch(sentence)))


def _read_bytes(path: Path) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    if not data:
        raise ValueError(f"{path}: the file is empty; give a file with text")
    if data.startswith(b"\x1f\x8b"):
        raise ValueError(f"{path}: the file is compressed (gzip); unpack it first")
    return data


def _tokenize(
    path: Path, unit: str, stream: bool, end: bool, start: bool
) -> tuple[Symbols, Offsets, list[str]]:
    data = _read_bytes(path)
    try:
        symbols, offsets, labels = _core.read_text(
            data, tokens=unit == "token", stream=stream, end_symbol=end, start_symbol=start
        )
    except ValueError as error:
        if b"\0" in data and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            raise ValueError(f"{path}: {error}; save the file as UTF-8, if it is a text at all") from None
        found = "UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "LATIN1"
        raise ValueError(
            f"{path}: {error}; save the file as UTF-8, for example with "
            f"iconv -f {found} -t UTF-8 (if it is {found})"
        ) from None
    if not labels:
        raise ValueError(f"{path}: there is no text in the file, only blank lines; give a file with text")
    return symbols, offsets, labels


def _line_of(symbols: Symbols, offsets: Offsets, labels: list[str], symbol: int) -> int:
    """Number of the line where a symbol first stands."""
    position = int(np.argmax(symbols == symbol))
    if len(offsets) > 2 or "\n" not in labels:
        return int(np.searchsorted(offsets, position, side="right"))
    return 1 + int(np.count_nonzero(symbols[:position] == labels.index("\n")))


def _spice_header(path: Path, line: bytes) -> tuple[int, int]:
    numbers = _spice_numbers(path, 1, line)
    if len(numbers) != 2:
        raise ValueError(
            f"{path}: line 1: the header must be the number of sequences and the number of symbols, "
            f"as '20000 4'; it has {len(numbers)} numbers"
        )
    return numbers[0], numbers[1]


def _spice_row(path: Path, number: int, line: bytes, n_labels: int) -> list[int]:
    numbers = _spice_numbers(path, number, line)
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


def _spice_numbers(path: Path, number: int, line: bytes) -> list[int]:
    words = line.split()
    for word in words:
        if not word.isdigit() or len(word) > _LONGEST_NUMBER:
            shown = word.decode("utf-8", "replace")
            raise ValueError(f"{path}: line {number}: {shown!r} is not a number from 0 up")
    return list(map(int, words))
