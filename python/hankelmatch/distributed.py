"""Counting the substrings of a file, in memory or, for texts and tables larger than that, by Dask.

With Dask a file is cut into ranges of bytes, which are read and counted by the compiled core wherever a
worker is free. Every range gives a table of (substring, count); Dask's shuffle brings the same substrings
together, their counts are summed, and what remains lands, sorted, in a Parquet table. Neither the text nor
the table is ever held whole. On a cluster the workers must see the file and the table's folder under the
same names.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import re
import secrets
import shutil
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._frames import reader_frame
from ._optional import needs
from ._tables import write_table
from .corpus import Alphabet, Label, read_text
from .statistics import SequenceFunction, checked_whole, substring_expectations

__all__ = ["count_text", "count_to_parquet", "parse_memory", "refuse_too_large"]

_MEMORY = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([kMGT]?)(i?)B?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_WORKER_ITSELF = 220 << 20  # a worker with its libraries, before it does anything
_SMALLEST_RANGE, _LARGEST_RANGE = 1 << 9, 1 << 26
_SAMPLES_A_RANGE = 512
_BLOCK = 1 << 16
# Where a file may be cut: before these matches. Not before what looks like a byte order mark: at a range's
# beginning it would be dropped.
_NO_MARK = rb"(?!\xef\xbb\xbf|\xef\xbb?\Z)"
_LINE_CUT = re.compile(rb"(?<=\n)" + _NO_MARK + rb"[\s\S]")
_TOKEN_CUT = re.compile(rb"(?<=[ \t\v\f\r\n])" + _NO_MARK + rb"[\s\S]")
_CHARACTER_CUT = re.compile(rb"[^\x80-\xbf]")


def parse_memory(memory: int | str) -> int:
    """Bytes that a text such as ``"2GB"`` or ``"512 MiB"`` stands for.

    Parameters
    ----------
    memory : int or str
        A number of bytes, or one with the unit kB, MB, GB, TB (powers of 1000) or KiB ... TiB (of 1024).

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If it is neither.

    Examples
    --------
    >>> parse_memory("2GB"), parse_memory("1.5 KiB")
    (2000000000, 1536)
    """
    found = _MEMORY.fullmatch(str(memory))
    if found is None or float(found[1]) == 0:
        raise ValueError(f"memory: {memory!r} is no amount of memory; give one as '2GB'")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** _POWERS[found[2].lower()])


def count_text(
    path: str | os.PathLike[str],
    max_length: int,
    min_count: int = 1,
    *,
    unit: str = "char",
    end_symbol: bool | Label | None = None,
    start_symbol: bool | Label | None = None,
    stream: bool = False,
    engine: str = "memory",
    memory: int | str | None = None,
    n_workers: int = 2,
    client: Any = None,
) -> SequenceFunction:
    """Expected number of occurrences of every substring of a text file's sentences.

    Parameters
    ----------
    path : str or os.PathLike
        A file in UTF-8.
    max_length, min_count : int
        As for `substring_expectations`: longest substrings, and least number of occurrences.
    unit, end_symbol, start_symbol, stream
        As for `read_text`.
    engine : {"memory", "dask"}
        Whether the file is read and counted at once, or in parts by workers (see `count_to_parquet`). The
        result is the same to the bit.
    memory : int or str, optional
        Bytes, as ``"2GB"``, that counting may take: with "dask" all workers together; with "memory" the
        text is refused at once if it is sure to need more.
    n_workers, client
        As for `count_to_parquet`.

    Returns
    -------
    SequenceFunction
        As from ``substring_expectations(read_text(path, ...), max_length, min_count)``. It is in memory, so
        it is `min_count` that makes it fit where the table of all substrings would not.

    Raises
    ------
    OSError, ValueError
        As `read_text` and `substring_expectations`; or if the limit of memory is too low.
    ImportError
        If the engine is not installed (``pip install 'hankelmatch[dask]'``).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from hankelmatch import count_text
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "text.txt")
    ...     _ = path.write_text("aab\\nb\\n")
    ...     f = count_text(path, 2, end_symbol=False)
    >>> f("a"), f("ab"), f("")
    (1.0, 0.5, 3.0)
    """
    if engine not in ("memory", "dask"):
        raise ValueError(f'engine must be "memory" or "dask", not {engine!r}')
    text: dict[str, Any] = {
        "unit": unit,
        "end_symbol": end_symbol,
        "start_symbol": start_symbol,
        "stream": stream,
    }
    if engine == "memory":
        refuse_too_large(path, memory)
        return substring_expectations(read_text(path, **text), max_length, min_count)
    with tempfile.TemporaryDirectory(prefix="hankelmatch-") as folder:
        table = Path(folder, "counts.parquet")
        count_to_parquet(
            path,
            max_length,
            table,
            min_count,
            **text,
            memory=memory,
            n_workers=n_workers,
            client=client,
        )
        return SequenceFunction.from_parquet(table)


def count_to_parquet(
    path: str | os.PathLike[str],
    max_length: int,
    table: str | os.PathLike[str],
    min_count: int = 1,
    *,
    unit: str = "char",
    end_symbol: bool | Label | None = None,
    start_symbol: bool | Label | None = None,
    stream: bool = False,
    memory: int | str | None = None,
    n_workers: int = 2,
    client: Any = None,
) -> None:
    """Count the substrings of a text file by Dask, into a Parquet table.

    Parameters
    ----------
    path : str or os.PathLike
        A file in UTF-8. It is read twice, in ranges, and never held whole; but a single sentence is.
    max_length : int
        T, the length of the longest substrings.
    table : str or os.PathLike
        The folder to make; it must not exist yet. It appears when it is complete. `SequenceFunction`'s
        `from_parquet` reads it; its layout is told there and in the Notes.
    min_count : int
        Leave out substrings that occur less often in the whole text.
    unit, end_symbol, start_symbol, stream
        As for `read_text`.
    memory : int or str, optional
        Bytes, as ``"2GB"``, for all workers together; by default what Dask gives them. At least 300 MB a
        worker: most of that is Python itself. Does not bind the workers of a `client` of your own, but
        the size of the ranges.
    n_workers : int
        Processes to start on this machine.
    client : distributed.Client, optional
        A cluster of your own, to be used instead.

    Returns
    -------
    None

    Raises
    ------
    OSError, ValueError
        As `read_text`; or if `table` exists, or `memory` is too low.
    ImportError
        If Dask is not installed (``pip install 'hankelmatch[dask]'``).

    Notes
    -----
    The table's columns are ``string`` (list of int32: ids of the alphabet) and ``count`` (int64), rows in
    lexicographic order over all files in the order of their names, with one for the empty string. The key
    ``hankelmatch`` of the schema's metadata holds JSON: ``kind``, ``version``, ``alphabet``, ``n_sequences``,
    ``max_length``, ``min_count``.

    A stream is cut between symbols, and every substring is counted in the range where it begins. After
    Ctrl-C or an error nothing is left, neither of the table nor of temporary files. A program that starts
    workers must have its main part under ``if __name__ == "__main__":``, since they import it.

    Examples
    --------
    >>> from hankelmatch import SequenceFunction, count_to_parquet
    >>> count_to_parquet("text.txt", 8, "counts.parquet", memory="2GB")  # doctest: +SKIP
    >>> f = SequenceFunction.from_parquet("counts.parquet", min_count=5)  # doctest: +SKIP
    """
    needs("distributed", "the engine 'dask'")
    needs("dask.dataframe", "the engine 'dask'")
    needs("pyarrow", "the engine 'dask'")
    length = checked_whole("max_length", max_length, 0)
    least = checked_whole("min_count", min_count, 1)
    limit = _worker_memory(memory, checked_whole("n_workers", n_workers, 1))
    end, start = reader_frame(end_symbol, start_symbol, None, ends=not stream)
    job = _Job(
        path=os.fspath(Path(path).absolute()),
        unit=_checked_unit(unit),
        stream=stream,
        end=end,
        start=start,
        max_length=length,
        min_count=least,
    )
    ranges = _plan(job, _range_size(limit, length))
    with _folder_when_complete(table) as folder, _cluster(client, n_workers, limit) as cluster:
        scans = cluster.gather(cluster.map(_scan, ranges, job=job, pure=False))
        job = _with_alphabet(job, scans, path)
        _write_empty_string(folder, job, scans)
        if length > 0:
            splitters = _splitters(job, scans, _n_buckets(job, scans, limit))
            _count_and_sum(cluster, folder, job, ranges, splitters)


@dataclass(frozen=True)
class _Job:
    """What to count, the same for all ranges."""

    path: str
    unit: str
    stream: bool
    end: Label | None
    start: Label | None
    max_length: int
    min_count: int
    alphabet: str = ""  # as JSON
    n_sequences: int = 0

    def header(self) -> dict[str, Any]:
        """What the table tells about itself."""
        names = ("alphabet", "n_sequences", "max_length", "min_count")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class _Range:
    """Bytes begin .. end - 1 of the file."""

    begin: int
    end: int
    is_first: bool
    is_last: bool


@dataclass(frozen=True)
class _Scan:
    """What a first look at a range found."""

    labels: list[str]
    n_symbols: int
    n_sequences: int
    n_newlines: int
    samples: list[list[int]]  # some of its substrings, by local ids (see _local_table)
    error: str | None


# ------------------------------------------------------------------------------------- limits of memory


def refuse_too_large(path: str | os.PathLike[str], memory: int | str | None) -> None:
    """Raise ValueError if reading a file at once is sure to need more memory than it may take."""
    size = os.stat(path).st_size
    if memory is not None and size > parse_memory(memory):
        raise ValueError(
            f"memory: {memory} cannot hold the {size} bytes of {path}; give more, or use the engine 'dask'"
        )


def _worker_memory(memory: int | str | None, n_workers: int) -> int | None:
    if memory is None:
        return None
    each = parse_memory(memory) // n_workers
    if each < _WORKER_ITSELF + (80 << 20):
        raise ValueError(
            f"memory: {memory} is too little for {n_workers} workers; give at least {300 * n_workers + 15}MB"
        )
    return each


def _usable(limit: int | None) -> int:
    """Bytes of a worker's memory that its work may take; Dask begins to write to disk at 60%."""
    return (1 << 28) if limit is None else (limit - _WORKER_ITSELF) // 3


def _range_size(limit: int | None, max_length: int) -> int:
    a_substring = 110 + 4 * max_length  # while the range is counted and turned into a table
    size = _usable(limit) // (a_substring * max(max_length, 1))
    return min(max(size, _SMALLEST_RANGE), _LARGEST_RANGE)


def _n_buckets(job: _Job, scans: list[_Scan], limit: int | None) -> int:
    """Into how many sorted files the table is cut; each is summed at once."""
    a_row = 60 + 4 * job.max_length
    most_rows = job.max_length * sum(scan.n_symbols for scan in scans)
    return math.ceil(most_rows * a_row / _usable(limit))


# ----------------------------------------------------------------------------------- ranges of the file


def _checked_unit(unit: str) -> str:
    if unit not in ("char", "token"):
        raise ValueError(f'unit must be "char" or "token", not {unit!r}')
    return unit


def _plan(job: _Job, size: int) -> list[_Range]:
    """Cut the file where a range can be read by itself: after a line; in a stream, after a symbol."""
    length = os.stat(job.path).st_size
    with open(job.path, "rb") as file:
        beginning = file.read(2)
        if not beginning:
            raise ValueError(f"{job.path}: the file is empty; give a file with text")
        if beginning == b"\x1f\x8b":
            raise ValueError(f"{job.path}: the file is compressed (gzip); unpack it first")
        cuts = [0]
        while cuts[-1] < length:
            cuts.append(_next_cut(job, file, min(cuts[-1] + size, length), length))
    return [_Range(begin, end, begin == 0, end == length) for begin, end in pairwise(cuts)]


def _next_cut(job: _Job, file: BinaryIO, position: int, length: int) -> int:
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


def _read(job: _Job, begin: int, end: int) -> bytes:
    with open(job.path, "rb") as file:
        file.seek(begin)
        return file.read(end - begin)


def _local_symbols(
    job: _Job, part: _Range, *, with_overlap: bool
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


def _whole_symbols(job: _Job, begin: int, end: int) -> tuple[bytes, bool]:
    """The file's bytes from `begin` to about `end`, no symbol cut in two; and whether that is its end."""
    length = os.stat(job.path).st_size
    if end >= length:
        return _read(job, begin, length), True
    with open(job.path, "rb") as file:
        end = _next_cut(job, file, end, length)
    return _read(job, begin, end), end == length


def _tokenize(
    job: _Job, data: bytes, end: bool, start: bool
) -> tuple[NDArray[np.int32], NDArray[np.int64], list[str]]:
    symbols, offsets, labels = _core.read_text(
        data, tokens=job.unit == "token", stream=job.stream, end_symbol=end, start_symbol=start
    )
    return symbols, offsets, labels


# ------------------------------------------------------------------------------- first pass: the alphabet


def _scan(part: _Range, job: _Job) -> _Scan:
    data = _read(job, part.begin, part.end)
    n_newlines = data.count(b"\n")
    del data
    try:
        symbols, offsets, labels, _ = _local_symbols(job, part, with_overlap=False)
    except ValueError as error:
        return _Scan([], 0, 0, n_newlines, [], str(error))
    # n_sequences of a stream: one for all ranges.
    n_sequences = len(offsets) - 1 if not job.stream else int(part.is_first)
    return _Scan(labels, len(symbols), n_sequences, n_newlines, _samples(job, symbols, offsets), None)


def _samples(job: _Job, symbols: NDArray[np.int32], offsets: NDArray[np.int64]) -> list[list[int]]:
    places = np.arange(0, len(symbols), max(1, len(symbols) // _SAMPLES_A_RANGE))
    ends = offsets[np.searchsorted(offsets, places, side="right")]
    stops = np.minimum(ends, places + job.max_length)
    return [symbols[i:j].tolist() for i, j in zip(places, stops, strict=True)]


def _with_alphabet(job: _Job, scans: list[_Scan], path: str | os.PathLike[str]) -> _Job:
    lines_before = 0
    for scan in scans:
        if scan.error is not None:
            raise ValueError(f"{path}: {_shift_line(scan.error, lines_before)}; save the file as UTF-8")
        lines_before += scan.n_newlines
    labels = sorted(set().union(*(scan.labels for scan in scans)))
    if not labels:
        raise ValueError(f"{path}: there is no text in the file, only blank lines; give a file with text")
    for argument, label in (("end_symbol", job.end), ("start_symbol", job.start)):
        if label in labels:
            raise ValueError(
                f"{path}: the text contains {label!r}, which is to be the {argument}; choose another label, "
                f"as {argument}={f'<{label}>'!r}"
            )
    frame = [x for x in (job.end, job.start) if x is not None]
    alphabet = Alphabet([*labels, *frame], job.end, job.start).to_json()
    return replace(job, alphabet=alphabet, n_sequences=sum(scan.n_sequences for scan in scans))


def _shift_line(message: str, lines_before: int) -> str:
    """The reader's message with the line's number in the file instead of that in the range."""
    found = re.match(r"line (\d+):", message)
    return f"line {int(found[1]) + lines_before}:{message[found.end() :]}" if found else message


def _global_ids(job: _Job, labels: list[str]) -> NDArray[np.int32]:
    """Ids in the whole text's alphabet of the local ids of a range."""
    alphabet = Alphabet.from_json(job.alphabet)
    frame = [x for x in (job.end, job.start) if x is not None]
    return np.array([alphabet.id(label) for label in (*labels, *frame)], np.int32)


def _splitters(job: _Job, scans: list[_Scan], n_buckets: int) -> list[tuple[int, ...]]:
    """Substrings that cut the sorted table into parts of about the same size."""
    sampled = []
    for scan in scans:
        ids = _global_ids(job, scan.labels).tolist()
        sampled += [tuple(ids[i] for i in sample) for sample in scan.samples]
    sampled.sort()
    quantiles = [sampled[len(sampled) * b // n_buckets] for b in range(1, n_buckets)] if sampled else []
    return sorted(set(quantiles))


# ---------------------------------------------------------------- second pass: count, shuffle, sum, write


def _count_and_sum(
    cluster: Any, folder: Path, job: _Job, ranges: list[_Range], splitters: list[tuple[int, ...]]
) -> None:
    import dask  # noqa: PLC0415
    import dask.dataframe as dd  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415
    from distributed import KilledWorker  # noqa: PLC0415

    with dask.config.set({"dataframe.convert-string": False}):
        counted = dd.from_map(
            _count_range, ranges, job=job, splitters=splitters, meta=_as_frame([], b"", [0], [])
        )
    # Partition b of the shuffled table is bucket b; the last division is the end of the last one.
    shuffled = counted.set_index(
        "bucket", divisions=list(range(len(splitters) + 2)), drop=False, shuffle_method="p2p"
    )
    written = shuffled.map_partitions(
        _sum_and_write, folder=str(folder), job=job, meta=pd.DataFrame({"rows": np.empty(0, np.int64)})
    )
    try:
        cluster.compute(written.optimize(), sync=True)
    except KilledWorker as error:
        raise MemoryError("memory: Dask's workers ran out of it again and again; give them more") from error


def _count_range(part: _Range, job: _Job, splitters: list[tuple[int, ...]]) -> Any:
    """Table of the substrings that begin in a range."""
    local, offsets, labels, n_borrowed = _local_symbols(job, part, with_overlap=True)
    symbols = _global_ids(job, labels)[local]
    trie, counts = _core.count_substrings(symbols, offsets, job.max_length)
    if n_borrowed:
        _forget(trie, counts, symbols[len(symbols) - n_borrowed :], job.max_length)
    counts[0] = 0
    nodes = np.flatnonzero(counts)
    buckets = _buckets(trie, splitters)[nodes]
    ids, ends = trie.spell(nodes.astype(np.int32 if isinstance(trie, _core.Trie32) else np.int64))
    width = _key_width(job)
    keys = ids.astype(f">u{width}").tobytes()
    return _as_frame(buckets, keys, ends * width, counts[nodes])


def _forget(trie: Any, counts: NDArray[np.int64], borrowed: NDArray[np.int32], max_length: int) -> None:
    """Take off the counts of the substrings that begin in the symbols borrowed from the next range."""
    own, own_counts = _core.count_substrings(borrowed, np.array([0, len(borrowed)]), max_length)
    width = np.int32 if isinstance(own, _core.Trie32) else np.int64
    counts[trie.find(*own.spell(np.arange(own.n_nodes, dtype=width)))] -= own_counts


def _key_width(job: _Job) -> int:
    """Bytes of a symbol in a key: big-endian keys sort as strings of ids do."""
    n_symbols = len(Alphabet.from_json(job.alphabet))
    return 1 if n_symbols <= 1 << 8 else 2 if n_symbols <= 1 << 16 else 4


def _buckets(trie: Any, splitters: list[tuple[int, ...]]) -> NDArray[np.int32]:
    """How many of the sorted splitters are at most each string of the trie."""
    steps = np.zeros(trie.n_nodes + 1, np.int32)
    for splitter in splitters:
        for level, place in enumerate(_lower_bounds(trie, splitter)):
            steps[place] += 1
            steps[trie.level_begin[level + 1]] -= 1
    return np.cumsum(steps[:-1], dtype=np.int32)


def _lower_bounds(trie: Any, splitter: tuple[int, ...]) -> Iterator[int]:
    """On every level the first node that is not before the splitter."""
    place, is_prefix = 0, True  # whether node `place` spells the splitter's beginning
    for level in range(len(trie.level_begin) - 1):
        if level > 0:
            begin, end = int(trie.child_begin[place]), int(trie.child_begin[min(place + 1, trie.n_nodes)])
            place = begin
            if is_prefix and level <= len(splitter):
                wanted = splitter[level - 1]
                place += int(np.searchsorted(trie.symbol[begin:end], wanted))
                is_prefix = place < end and int(trie.symbol[place]) == wanted
        yield place + int(is_prefix and level < len(splitter))


def _as_frame(buckets: Any, keys: bytes, offsets: Any, counts: Any) -> Any:
    """Rows for Dask's shuffle: strings as binary keys."""
    import pandas as pd  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    ends = pa.py_buffer(np.asarray(offsets, np.int64).tobytes())
    binary = pa.Array.from_buffers(pa.large_binary(), len(counts), [None, ends, pa.py_buffer(keys)])
    return pd.DataFrame(
        {
            "bucket": np.asarray(buckets, np.int32),
            "key": pd.Series(binary, dtype=pd.ArrowDtype(pa.large_binary())),
            "count": np.asarray(counts, np.int64),
        }
    )


def _sum_and_write(frame: Any, folder: str, job: _Job) -> Any:
    """Sum equal strings of a bucket and write it to its file."""
    import pandas as pd  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    if len(frame) == 0:
        return pd.DataFrame({"rows": [0]})
    bucket = int(frame["bucket"].iloc[0])
    rows = pa.Table.from_pandas(frame[["key", "count"]], preserve_index=False)
    del frame
    summed = rows.group_by("key", use_threads=False).aggregate([("count", "sum")])
    del rows
    kept = summed.filter(pc.field("count_sum") >= job.min_count).sort_by("key")
    if len(kept):
        _write_keys(Path(folder, f"part-{bucket:06d}.parquet"), kept, job)
    return pd.DataFrame({"rows": [len(kept)]})


def _write_keys(path: Path, rows: Any, job: _Job) -> None:
    width = _key_width(job)
    keys = rows["key"].combine_chunks()
    _, ends, data = keys.buffers()
    offsets = np.frombuffer(ends, np.int64)[keys.offset : keys.offset + len(keys) + 1]
    ids = np.frombuffer(data, f">u{width}")[offsets[0] // width : offsets[-1] // width].astype(np.int32)
    counts = np.asarray(rows["count_sum"], dtype=np.int64)
    write_table(path, ids, (offsets - offsets[0]) // width, counts, job.header())


def _write_empty_string(folder: Path, job: _Job, scans: list[_Scan]) -> None:
    n_empty = sum(scan.n_symbols for scan in scans) + job.n_sequences
    none = np.empty(0, np.int32)
    write_table(
        folder / "empty-string.parquet", none, np.zeros(2, np.int64), np.array([n_empty]), job.header()
    )


# ------------------------------------------------------------------------------ the table's folder, workers


@contextlib.contextmanager
def _folder_when_complete(table: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder that takes its name when everything in it has been written, and else vanishes."""
    target = Path(table).absolute()
    if target.exists():
        raise ValueError(
            f"table: {str(table)!r} exists; give the name of a folder to make, or remove it first"
        )
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    temporary.mkdir()
    try:
        yield temporary
        temporary.rename(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def _cluster(client: Any, n_workers: int, limit: int | None) -> Iterator[Any]:
    """The caller's client, or workers of our own with a folder of their own for what they put on disk."""
    if client is not None:
        yield client
        return
    import dask  # noqa: PLC0415
    from distributed import Client, LocalCluster  # noqa: PLC0415

    with (
        tempfile.TemporaryDirectory(prefix="hankelmatch-", ignore_cleanup_errors=True) as scratch,
        dask.config.set(_settings(limit, scratch)),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            memory_limit=limit or "auto",
            local_directory=scratch,
            dashboard_address=":0",  # any free port
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as own,
    ):
        try:
            yield own
        except BaseException:
            logging.getLogger("asyncio").addFilter(_is_news)
            _kill_workers(cluster)  # they would finish what they are at before they close
            raise


def _settings(limit: int | None, scratch: str) -> dict[str, Any]:
    """Dask's settings for workers of our own, which must do with little memory."""
    buffer = _usable(limit) // 4
    return {
        "temporary-directory": scratch,
        "distributed.p2p.comm.buffer": buffer,
        "distributed.p2p.storage.buffer": buffer,
        # A worker that pauses waits for memory to be freed; what allocators keep never is, so it would wait
        # for ever. Dask still ends a worker at 95% of the limit.
        "distributed.worker.memory.pause": False,
        "distributed.nanny.pre-spawn-environ.ARROW_DEFAULT_MEMORY_POOL": "system",  # gives memory back
        "distributed.nanny.pre-spawn-environ.ACERO_ALIGNMENT_HANDLING": "ignore",  # no warnings
    }


def _is_news(record: logging.LogRecord) -> bool:
    """False for what Dask's client leaves behind when it is interrupted while it waits."""
    return not (record.exc_info and getattr(record.exc_info[0], "__name__", None) == "AllExit")


def _kill_workers(cluster: Any) -> None:
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)
