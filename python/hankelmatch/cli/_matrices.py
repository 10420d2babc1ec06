"""Matrix Market files, for their pattern; and what is wrong with those that cannot be read."""

import bz2
import contextlib
import gzip
import io
import os
import stat
import warnings
import zlib
from collections.abc import Iterator
from typing import IO, Any, TypeAlias

import numpy as np
import scipy.io
import scipy.sparse

from ._common import UserError, one_line

Lines: TypeAlias = "Iterator[tuple[int, list[str]]]"

_NO_MATRIX = (ValueError, TypeError, EOFError, OverflowError, OSError, StopIteration, zlib.error)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_matrix(path: str) -> Any:
    """The matrix as a CSR array; explicit zeros stay entries."""
    with open(path, "rb") as file:  # for the plain error of a file that cannot be read
        is_pipe = stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
        source = io.BytesIO(file.read()) if is_pipe else path  # scipy reads a file's beginning twice
        if not is_pipe and not file.read(1):
            raise UserError(f"{path}: the file is empty; give a Matrix Market file")
    try:
        return _read_by_scipy(source)
    except _NO_MATRIX as error:
        return _read_with_care(path, source, error)


def _read_by_scipy(source: str | io.BytesIO) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        n_rows, n_columns, n_entries, *_ = scipy.io.mminfo(source)
        _refuse_too_large(n_rows, n_columns, n_entries)
        if n_rows == 0 or n_columns == 0:  # on which scipy divides by zero
            return scipy.sparse.csr_array((n_rows, n_columns))
        with _bearable(source) as bearable:
            matrix = scipy.io.mmread(bearable)
    if not scipy.sparse.issparse(matrix):
        matrix = scipy.sparse.coo_array(matrix)
    return scipy.sparse.csr_array(matrix)


class _Bearable(io.RawIOBase):
    """Some bytes without a 0, which raises ValueError, and with a newline after the last if there is none."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream
        self._last = b"\n"

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        _refuse_zeros(data)
        if not data and self._last != b"\n":
            data = b"\n"
        buffer[: len(data)] = data
        self._last = data[-1:] or self._last
        return len(data)


@contextlib.contextmanager
def _bearable(source: str | io.BytesIO) -> Iterator[str | io.BufferedReader]:
    """What scipy may read: readers of 1.12 to 1.17 crash at a byte of 0, and at a line that nothing ends."""
    if isinstance(source, io.BytesIO):
        source.seek(0)
        yield io.BufferedReader(_Bearable(source))
        return
    opened: Any = {".gz": gzip.open, "bz2": bz2.open}.get(source[-3:], open)
    if opened is open and _is_bearable(source):
        yield source
        return
    with opened(source, "rb") as file:
        yield io.BufferedReader(_Bearable(file))


def _is_bearable(path: str) -> bool:
    """Whether a file ends with a newline; ValueError if it has a byte of 0."""
    last = b""
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            _refuse_zeros(chunk)
            last = chunk[-1:]
    return last == b"\n"


def _refuse_zeros(data: bytes) -> None:
    if b"\0" in data:
        raise ValueError("it has a byte of 0, so it is no text")


def _refuse_too_large(n_rows: int, n_columns: int, n_entries: int) -> None:
    """Before memory is taken that there is not: some systems then end the process without a word."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if 24 * (n_rows + n_columns + n_entries) > memory:
        raise MemoryError


def _read_with_care(path: str, source: str | io.BytesIO, error: BaseException) -> Any:
    """A file that scipy refuses, without its byte order mark, or its pattern alone, or what is wrong."""
    refusal = UserError(f"{path}: {one_line(error)}; give a Matrix Market file")
    try:
        content = _content(source)
    except _NO_MATRIX:
        raise refusal from None
    if content.startswith(_BYTE_ORDER_MARK):
        content = content[len(_BYTE_ORDER_MARK) :]
        try:
            return _read_by_scipy(io.BytesIO(content))
        except _NO_MATRIX as second:
            refusal = UserError(f"{path}: {one_line(second)}; give a Matrix Market file")
    lines = _lines(content)
    _, header = next(lines, (0, []))
    if [word.lower() for word in header[:3]] != ["%%matrixmarket", "matrix", "coordinate"] or len(header) < 5:
        raise refusal
    try:
        return _pattern(lines, symmetry=header[4].lower())
    except ValueError as reason:
        raise (UserError(f"{path}: {reason}") if reason.args else refusal) from None


def _content(source: str | io.BytesIO) -> bytes:
    if isinstance(source, io.BytesIO):
        return source.getvalue()
    with open(source, "rb") as file:
        data = file.read()
    if data.startswith(b"\x1f\x8b"):
        return gzip.decompress(data)
    return bz2.decompress(data) if data.startswith(b"BZh") else data


def _lines(content: bytes) -> Lines:
    """The first line, then those that are neither empty nor comments: their numbers and words."""
    for i, line in enumerate(content.decode("utf-8", errors="replace").splitlines()):
        words = line.split()
        if i == 0 or (words and not words[0].startswith("%")):
            yield i + 1, words


def _pattern(lines: Lines, symmetry: str) -> Any:
    """Entries by their first two numbers, whatever their values. ValueError: what is wrong, and where."""
    number, sizes = next(lines, (0, []))
    if len(sizes) != 3 or not all(size.isdecimal() for size in sizes):
        where = f"line {number}" if number else "after the header"
        found = f", not {' '.join(sizes)[:60]!r}" if number else ""
        raise ValueError(
            f"{where}: the size line is missing; the first line after the header and its comments must be "
            f"the numbers of rows, columns and entries{found}"
        )
    n_rows, n_columns, n_entries = map(int, sizes)
    _refuse_too_large(n_rows, n_columns, n_entries)
    places = []
    for number, words in lines:
        place = [int(word) if word.lstrip("+-").isdecimal() else None for word in words[:2]]
        for what, index, bound in zip(("row", "column"), place, (n_rows, n_columns), strict=False):
            if index == 0:
                raise ValueError(f"line {number}: {what} 0; Matrix Market counts from 1; add 1 to each")
            if index is None or not 1 <= index <= bound:
                raise ValueError(f"line {number}: a {what} from 1 to {bound} is needed, not {words[:2]}")
        places.append(place)
    if len(places) != n_entries or any(len(place) != 2 for place in places):
        raise ValueError  # as scipy says
    ends = np.array(places, np.int64).reshape(-1, 2) - 1
    if symmetry != "general":
        ends = np.concatenate((ends, ends[ends[:, 0] != ends[:, 1]][:, ::-1]))
    entries = (np.ones(len(ends)), (ends[:, 0], ends[:, 1]))
    return scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=(n_rows, n_columns)))
