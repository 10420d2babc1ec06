"""Checks and errors of text files, the same whether a file is read whole or in parts."""

import os
import re
from typing import TypeAlias

import numpy as np

from .._utils.files import checked_path
from .._utils.validation import check_choice, warn_user
from ._number_formats import BYTE_ORDER_MARK, NAMES, READERS, number_format
from .labels import Label, Offsets, Symbols

Path: TypeAlias = str | os.PathLike[str]

MARKED = "give read_text marked=True"  # a remedy, which the command calls by another name
_GZIP = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def check_unit(unit: str) -> None:
    """Raise ValueError if it is not what one symbol of a text can be."""
    check_choice("unit", unit, ("char", "token"))


def read_bytes(path: Path) -> bytes:
    """The whole file, which must not be empty or compressed."""
    with open(checked_path(path), "rb") as file:
        data = file.read()
    refuse_unreadable(path, data[:2])
    return data


def refuse_unreadable(path: Path, beginning: bytes) -> None:
    """Raise ValueError if a file's first two bytes show that it is empty or compressed."""
    if not beginning:
        raise ValueError(f"{path}: the file is empty; give a file with text")
    if beginning[:2] == _GZIP:
        raise ValueError(f"{path}: the file is compressed (gzip); unpack it first")


def not_utf8(path: Path, error: object, beginning: bytes, has_nul: bool) -> ValueError:
    """The error for a text that the core refuses; `error` is its message, with the line in the file.

    The remedy depends on the file's first two bytes and on whether it has a byte 0.
    """
    is_utf_16 = beginning[:2] in _UTF_16
    if has_nul and not is_utf_16:
        return ValueError(f"{path}: {error}; save the file as UTF-8, if it is a text at all")
    found = "UTF-16" if is_utf_16 else "LATIN1"
    return ValueError(
        f"{path}: {error}; save the file as UTF-8, for example with iconv -f {found} -t UTF-8 "
        f"(if it is {found})"
    )


def no_text(path: Path) -> ValueError:
    """The error for a file without a symbol."""
    return ValueError(f"{path}: there is no text in the file, only blank lines; give a file with text")


def frame_in_text(path: Path, line: int, label: Label, argument: str, is_stream: bool) -> ValueError:
    """The error for a text that contains the label of its end or start symbol."""
    instead = "" if is_stream else f"if it marks its lines so, {MARKED}, else "
    return ValueError(
        f"{path}: line {line}: the text contains {label!r}, which is to be the {argument}; "
        f"{instead}choose another label, as {argument}={f'<{label}>'!r}"
    )


def without_marks(data: bytes, end: Label | None, start: Label | None) -> bytes:
    """The text without the labels of its end and start symbol at the ends of its lines."""
    text = data.removeprefix(BYTE_ORDER_MARK)
    before = data[: len(data) - len(text)]
    for label, pattern in (
        (start, rb"(?m)^[ \t\v\f\r]*%b(?=[ \t\v\f\r]|$)[ \t\v\f]?"),
        (end, rb"(?m)[ \t\v\f\r]?(?<![^ \t\v\f\r\n])%b(?=[ \t\v\f\r]*$)"),
    ):
        if isinstance(label, str):
            text = re.sub(pattern % re.escape(label.encode("utf-8", "surrogatepass")), b"", text)
    return before + text


def warn_of_numbers(path: Path, data: bytes) -> None:
    """A UserWarning if a text whose symbols are tokens looks like a file of lengths and numbers."""
    found = number_format(data)
    if found is not None:
        warn_user(
            f"{path}: this looks like {NAMES[found]}, whose header and lengths are now symbols; read it by "
            f"{READERS[found]}"
        )


def line_of(symbols: Symbols, offsets: Offsets, labels: list[str], symbol: int) -> int:
    """Number of the line where a symbol first stands: sequences are lines, unless newlines are symbols."""
    position = int(np.argmax(symbols == symbol))
    if "\n" not in labels:
        return int(np.searchsorted(offsets, position, side="right"))
    return 1 + int(np.count_nonzero(symbols[:position] == labels.index("\n")))
