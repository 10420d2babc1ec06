"""Counting the substrings of a file by Dask: every range by itself, then their sums, into Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._file_ranges import Job, Range, Scan, local_symbols
from ._tables import write_table
from .alphabet import Alphabet

__all__ = ["count_and_sum", "splitters_of", "write_empty_string"]


def _global_ids(job: Job, labels: list[str]) -> NDArray[np.int32]:
    """Ids in the whole text's alphabet of the local ids of a range."""
    alphabet = Alphabet.from_json(job.alphabet)
    frame = [x for x in (job.end, job.start) if x is not None]
    return np.array([alphabet.id(label) for label in (*labels, *frame)], np.int32)


def splitters_of(job: Job, scans: list[Scan], n_buckets: int) -> list[tuple[int, ...]]:
    """Substrings that cut the sorted table into parts of about the same size."""
    sampled = []
    for scan in scans:
        ids = _global_ids(job, scan.labels).tolist()
        sampled += [tuple(ids[i] for i in sample) for sample in scan.samples]
    sampled.sort()
    quantiles = [sampled[len(sampled) * b // n_buckets] for b in range(1, n_buckets)] if sampled else []
    return sorted(set(quantiles))


def count_and_sum(
    cluster: Any, folder: Path, job: Job, ranges: list[Range], splitters: list[tuple[int, ...]]
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


def _count_range(part: Range, job: Job, splitters: list[tuple[int, ...]]) -> Any:
    """Table of the substrings that begin in a range."""
    local, offsets, labels, n_borrowed = local_symbols(job, part, with_overlap=True)
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


def _key_width(job: Job) -> int:
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


def _sum_and_write(frame: Any, folder: str, job: Job) -> Any:
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


def _write_keys(path: Path, rows: Any, job: Job) -> None:
    width = _key_width(job)
    keys = rows["key"].combine_chunks()
    _, ends, data = keys.buffers()
    offsets = np.frombuffer(ends, np.int64)[keys.offset : keys.offset + len(keys) + 1]
    ids = np.frombuffer(data, f">u{width}")[offsets[0] // width : offsets[-1] // width].astype(np.int32)
    counts = np.asarray(rows["count_sum"], dtype=np.int64)
    write_table(path, ids, (offsets - offsets[0]) // width, counts, job.header())


def write_empty_string(folder: Path, job: Job, scans: list[Scan]) -> None:
    n_empty = sum(scan.n_symbols for scan in scans) + job.n_sequences
    none = np.empty(0, np.int32)
    write_table(
        folder / "empty-string.parquet", none, np.zeros(2, np.int64), np.array([n_empty]), job.header()
    )
