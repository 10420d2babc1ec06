"""Counts the substrings of a file: in memory, or by Dask where the text or the table is larger than memory.

With Dask, workers read a file in ranges of bytes, and the compiled core counts each range. Every range gives
a table of (substring, count); Dask's shuffle brings equal substrings together, and their sums go, sorted,
into a Parquet table. Neither the text nor the table is ever held whole. On a cluster the workers must see the
file and the table's folder under the same names.
"""

import math
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Any

from .._utils.files import checked_path, folder_when_complete
from .._utils.optional import needs
from .._utils.validation import check_choice, check_flag, checked_whole
from ..sequences._boundary_symbols import reader_frame
from ..sequences._text_checks import check_unit
from ..sequences.corpus import read_text
from ..sequences.labels import Label
from ._dask_cluster import DaskClient, cluster_for
from ._dask_shuffle import count_and_sum, splitters_of, target_in, write_empty_string
from ._file_ranges import Job, plan_ranges, scan_range, whole_alphabet
from .in_memory import substring_expectations
from .sequence_function import SequenceFunction

USE_DASK = "use the engine 'dask'"  # a remedy, which the command calls by another name
_MEMORY = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([kMGT]?)(i?)B?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_WORKER_ITSELF = 220 << 20  # a worker with its libraries, before it does anything
_MOST_WORKERS = 1024  # more processes than the cores of any machine
_SMALLEST_RANGE, _LARGEST_RANGE = 1 << 9, 1 << 26


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
    amount = 0.0
    if found is not None:
        amount = float(found[1]) * (1024 if found[3] else 1000) ** _POWERS[found[2].lower()]
    if not 0 < amount < math.inf:
        raise ValueError(f"memory: {memory!r} is no amount of memory; give one as '2GB'")
    return int(amount)


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
    client: DaskClient | None = None,
) -> SequenceFunction:
    """Expected number of occurrences of every substring of a text file's sentences.

    Parameters
    ----------
    path : str or os.PathLike
        A file in UTF-8.
    max_length, min_count : int
        As for `substring_expectations`: longest substrings, and least number of occurrences.
    unit : {"char", "token"}
        As for `read_text`.
    end_symbol, start_symbol : bool or label
        As for `read_text`.
    stream : bool
        As for `read_text`.
    engine : {"memory", "dask"}
        Whether the file is read and counted at once, or in parts by workers (see `count_to_parquet`). The
        result is the same to the bit.
    memory : int or str, optional
        Bytes, as ``"2GB"``, that counting may take: with "dask" all workers together; with "memory" the
        text is refused at once if it is sure to need more.
    n_workers : int, optional
        As for `count_to_parquet`.
    client : distributed.Client, optional
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
    check_choice("engine", engine, ("memory", "dask"))
    n_workers = checked_whole("n_workers", n_workers, 1, _MOST_WORKERS)
    if client is not None and engine != "dask":
        raise ValueError('client: its workers count for engine="dask"; give that, or leave it out')
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
            path, max_length, table, min_count, **text, memory=memory, n_workers=n_workers, client=client
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
    client: DaskClient | None = None,
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
        `from_parquet` reads it; the Notes describe its layout.
    min_count : int
        Leave out substrings that occur less often in the whole text.
    unit : {"char", "token"}
        As for `read_text`.
    end_symbol, start_symbol : bool or label
        As for `read_text`.
    stream : bool
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
    check_unit(unit)
    check_flag("stream", stream)
    source = checked_path(path)
    found = source.stat()
    if stat.S_ISFIFO(found.st_mode):
        raise ValueError(
            f"{path}: a pipe cannot be read in parts; save it as a file, or use the engine 'memory'"
        )
    longest = found.st_size + 2  # symbols of any sequence, with its end and start symbol
    length = min(checked_whole("max_length", max_length, 0), longest)
    least = checked_whole("min_count", min_count, 1)
    limit = _worker_memory(memory, checked_whole("n_workers", n_workers, 1, _MOST_WORKERS))
    end, start = reader_frame(end_symbol, start_symbol, None, ends=not stream)
    job = Job(
        name=str(source),
        path=str(source.absolute()),
        unit=unit,
        stream=stream,
        end=end,
        start=start,
        max_length=length,
        min_count=least,
    )
    ranges = plan_ranges(job, _range_size(limit, length))
    with (
        folder_when_complete("table", table) as folder,
        cluster_for(client, n_workers, limit, _usable(limit) // 4) as cluster,
    ):
        scans = cluster.gather(cluster.map(scan_range, ranges, job=job, pure=False))
        alphabet = whole_alphabet(job, ranges, scans)
        n_symbols = sum(scan.n_symbols for scan in scans)
        with target_in(folder, job, scans, alphabet) as target:
            write_empty_string(target, n_symbols)
            if length > 0:
                longest = n_symbols if stream else max(scan.longest for scan in scans)
                n_buckets = _n_buckets(n_symbols, limit, min(length, longest))
                splitters = splitters_of(job, scans, alphabet, n_buckets)
                count_and_sum(cluster, target, ranges, splitters)


def refuse_too_large(path: str | os.PathLike[str], memory: int | str | None) -> None:
    """Raise ValueError if reading a file at once is sure to need more memory than it may take."""
    size = checked_path(path).stat().st_size
    if memory is not None and size > parse_memory(memory):
        raise ValueError(f"memory: {memory} cannot hold the {size} bytes of {path}; give more, or {USE_DASK}")


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


def _n_buckets(n_symbols: int, limit: int | None, max_length: int) -> int:
    """Into how many sorted files the table is cut; each is summed at once."""
    a_row = 60 + 4 * max_length
    return math.ceil(max_length * n_symbols * a_row / _usable(limit))
