"""Text files in ranges of bytes, each of which a worker can read on its own."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..sequences._text_checks import frame_in_text, line_of, no_text, not_utf8, refuse_unreadable
from ..sequences.alphabet import Alphabet
from ..sequences.labels import Label

_SAMPLES_A_RANGE = 512
_BLOCK = 1 << 16
# Where a file may be cut: before these matches. Not before what looks like a byte order mark: at a range's
# beginning it would be dropped.
_NO_MARK = rb"(?!\xef\xbb\xbf|\xef\xbb?\Z)"
_LINE_CUT = re.compile(rb"(?<=\n)" + _NO_MARK + rb"[\s\S]")
_TOKEN_CUT = re.compile(rb"(?<=[ \t\v\f\r\n])" + _NO_MARK + rb"[\s\S]")
_CHARACTER_CUT = re.compile(rb"[^\x80-\xbf]")


@dataclass(frozen=True)
class Job:
    """What to count, the same for all ranges."""

    name: str  # of the file, as the caller calls it
    path: str  # of the file, as workers find it
    unit: str
    stream: bool
    end: Label | None
    start: Label | None
    max_length: int
    min_count: int

    @property
    def frame(self) -> list[Label]:
        """Labels of the end symbol and the start symbol, where there are such."""
        return [x for x in (self.end, self.start) if x is not None]


@dataclass(frozen=True)
class Range:
    """Bytes begin .. end - 1 of the file."""

    begin: int
    end: int
    is_first: bool
    is_last: bool


@dataclass(frozen=True)
class Scan:
    """What the first pass found in a range."""

    labels: list[str]
    n_symbols: int
    n_sequences: int
    longest: int  # symbols of a sequence
    samples: list[list[int]]  # some of its substrings, by local ids (see local_symbols)
    error: str | None


def plan_ranges(job: Job, size: int) -> list[Range]:
    """Cut the file where a range can be read on its own: after a line; in a stream, after a symbol."""
    with open(job.name, "rb") as file:
        refuse_unreadable(job.name, file.read(2))
        length = os.fstat(file.fileno()).st_size
        cuts = [0]
        while cuts[-1] < length:
            cuts.append(_next_cut(job, file, min(cuts[-1] + size, length), length))
    return [Range(begin, end, begin == 0, end == length) for begin, end in pairwise(cuts)]


def _next_cut(job: Job, file: BinaryIO, position: int, length: int) -> int:
    """The first place from `position` on where the file may be cut."""
    cut = _CHARACTER_CUT if job.stream and job.unit == "char" else _TOKEN_CUT if job.stream else _LINE_CUT
    while position < length:
        file.seek(position - 1)
        block = file.read(_BLOCK)
        found = cut.search(block, 1)
        if found is not None:
            return position - 1 + found.start()
        position += len(block) - 1
    return length


def _read(job: Job, begin: int, end: int) -> bytes:
    with open(job.path, "rb") as file:
        file.seek(begin)
        return file.read(end - begin)


def local_symbols(
    job: Job, part: Range, *, with_overlap: bool
) -> tuple[NDArray[np.int32], NDArray[np.int64], list[str], int]:
    """Symbols of a range by local ids, offsets, labels, and how many symbols at the end are the next range's.

    Local ids are those of `labels`; then come the end symbol and the start symbol.
    """
    if not job.stream:
        data = _read(job, part.begin, part.end)
        return *_tokenize(job, data, job.end is not None, job.start is not None), 0
    symbols, _, labels = _tokenize(job, _read(job, part.begin, part.end), False, False)
    n_own, at_end, reach = len(symbols), part.is_last, 0
    overlap = max(job.max_length - 1, 0) if with_overlap and not at_end else 0
    while len(symbols) < n_own + overlap and not at_end:
        reach = max(16 * overlap, 2 * reach)
        data, at_end = _whole_symbols(job, part.begin, part.end + reach)
        symbols, _, labels = _tokenize(job, data, False, False)
    n_labels = len(labels)
    if at_end and job.end is not None:
        symbols = np.append(symbols, np.int32(n_labels))
        n_own += 1 if part.is_last else 0
    symbols = symbols[: n_own + overlap]
    n_borrowed = len(symbols) - n_own
    if part.is_first and job.start is not None:
        start_id = n_labels + (1 if job.end is not None else 0)
        symbols = np.append(np.int32(start_id), symbols)
    symbols = symbols.astype(np.int32, copy=False)
    return symbols, np.array([0, len(symbols)]), labels, n_borrowed


def _whole_symbols(job: Job, begin: int, end: int) -> tuple[bytes, bool]:
    """The file's bytes from `begin` to about `end`, no symbol cut in two; and whether that is its end."""
    length = os.stat(job.path).st_size
    if end >= length:
        return _read(job, begin, length), True
    with open(job.path, "rb") as file:
        end = _next_cut(job, file, end, length)
    return _read(job, begin, end), end == length


def _tokenize(
    job: Job, data: bytes, end: bool, start: bool
) -> tuple[NDArray[np.int32], NDArray[np.int64], list[str]]:
    symbols, offsets, labels = _core.read_text(data, job.unit == "token", job.stream, end, start)
    return symbols, offsets, labels


def scan_range(part: Range, job: Job) -> Scan:
    """Read a range for the first time, by a worker; an error is returned, not raised."""
    try:
        symbols, offsets, labels, _ = local_symbols(job, part, with_overlap=False)
    except ValueError as error:
        return Scan([], 0, 0, 0, [], str(error))
    # n_sequences of a stream: one for all ranges.
    n_sequences = len(offsets) - 1 if not job.stream else int(part.is_first)
    longest = int(np.diff(offsets).max(initial=0))
    return Scan(labels, len(symbols), n_sequences, longest, _samples(job, symbols, offsets), None)


def _samples(job: Job, symbols: NDArray[np.int32], offsets: NDArray[np.int64]) -> list[list[int]]:
    places = np.arange(0, len(symbols), max(1, len(symbols) // _SAMPLES_A_RANGE))
    ends = offsets[np.searchsorted(offsets, places, side="right")]
    stops = np.minimum(ends, places + job.max_length)
    return [symbols[i:j].tolist() for i, j in zip(places, stops, strict=True)]


def whole_alphabet(job: Job, ranges: list[Range], scans: list[Scan]) -> Alphabet:
    """The alphabet of the whole file.

    Raises
    ------
    ValueError
        If the file is not UTF-8, has no text, or contains a label of the job's frame: as `read_text` does.
    """
    for part, scan in zip(ranges, scans, strict=True):
        if scan.error is not None:
            raise _not_utf8(job, part, scan.error)
    labels = sorted(set().union(*(scan.labels for scan in scans)))
    if not labels:
        raise no_text(job.name)
    for argument, label in (("end_symbol", job.end), ("start_symbol", job.start)):
        if label in labels:
            part = next(part for part, scan in zip(ranges, scans, strict=True) if label in scan.labels)
            line = _first_line(job, part, label)
            raise frame_in_text(job.name, line, label, argument, is_stream=job.stream)
    return Alphabet([*labels, *job.frame], job.end, job.start)


def _not_utf8(job: Job, part: Range, message: str) -> ValueError:
    """What to raise for a range that the core refuses by a message that counts from the range's beginning."""
    found = re.match(r"line (\d+): (.*\(byte )(\d+)( of .*)", message)
    if found is not None:
        line, (lines_before, bytes_before) = int(found[1]), _place(job, part.begin)
        byte = int(found[3]) + (bytes_before if line == 1 else 0)
        message = f"line {line + lines_before}: {found[2]}{byte}{found[4]}"
    has_nul = any(b"\0" in block for block in _blocks(job, os.stat(job.path).st_size))
    return not_utf8(job.name, message, _read(job, 0, 2), has_nul)


def _first_line(job: Job, part: Range, label: str) -> int:
    """Number of the line of the file where a range has a label first."""
    symbols, offsets, labels = _tokenize(job, _read(job, part.begin, part.end), False, False)
    lines_before, _ = _place(job, part.begin)
    return lines_before + line_of(symbols, offsets, labels, labels.index(label))


def _place(job: Job, position: int) -> tuple[int, int]:
    """How many lines end before a position of the file, and how many bytes of its own line are before it."""
    n_lines = n_bytes = 0
    for block in _blocks(job, position):
        n_lines += block.count(b"\n")
        n_bytes = len(block) - 1 - block.rfind(b"\n") + (0 if b"\n" in block else n_bytes)
    return n_lines, n_bytes


def _blocks(job: Job, end: int) -> Iterator[bytes]:
    """The file's bytes up to `end`, some at a time."""
    return (_read(job, begin, min(begin + _BLOCK, end)) for begin in range(0, end, _BLOCK))
