"""Recognising files in which each line holds a length and its symbols, as competitions give them out."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

NumberFormat: TypeAlias = Literal["spice", "abbadingo"]

# What the formats are called, and what reads them.
NAMES = {"spice": "a SPiCe or PAutomaC file", "abbadingo": "an Abbadingo or FlexFringe file"}
READERS = {"spice": "read_spice(path)", "abbadingo": "read_abbadingo(path)"}

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_LINES = 50  # looked at
_BEGINNING = 1 << 20  # bytes looked at


def number_format(data: bytes) -> NumberFormat | None:
    """What a file's content, or its first mebibyte, looks like; None for any other text.

    The first line holds two whole numbers. In SPiCe's and PAutomaC's format each other line begins with the
    number of its symbols; in that of Abbadingo and FlexFringe with a class, and then that number.
    """
    lines = data[:_BEGINNING].removeprefix(BYTE_ORDER_MARK).split(b"\n", _LINES + 1)
    header, *rows = [line.split() for line in lines[: _LINES + 1]]
    if len(data) > _BEGINNING and len(lines) <= _LINES:
        del rows[-1:]  # it has been cut
    rows = [row for row in rows if row]
    if len(header) != 2 or not all(word.isdigit() for word in header) or not rows:
        return None
    if all(_is_counted(row, 0) for row in rows):
        return "spice"
    return "abbadingo" if all(_is_counted(row, 1) for row in rows) else None


def _is_counted(row: Sequence[bytes], place: int) -> bool:
    """Whether the word at a place is the number of words that follow it."""
    return len(row) > place and row[place].isdigit() and int(row[place][:18]) == len(row) - place - 1
