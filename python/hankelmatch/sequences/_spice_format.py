"""The text format of the SPiCe and PAutomaC competitions, from bytes to numbers."""

from __future__ import annotations

from itertools import chain

import numpy as np

from ._text_checks import Path
from .alphabet import Offsets, Symbols, offsets_of

__all__ = ["parse_spice"]

_UNDOUBTED = 1_000_000  # an alphabet of this size needs no file to prove it
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONGEST_NUMBER = 18  # digits that surely fit 64 bits


def parse_spice(path: Path, data: bytes) -> tuple[Symbols, Offsets, int]:
    """Symbols and offsets of the sequences in a file's bytes, and the number of symbols that it promises.

    Raises
    ------
    ValueError
        If they are not in this format; the message names the file, by `path`, and the line.
    """
    data = data.removeprefix(_BYTE_ORDER_MARK).rstrip()
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
