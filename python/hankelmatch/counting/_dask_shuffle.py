"""Counting the substrings of a file by Dask: every range by itself, then their sums, into Parquet files."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..sequences.alphabet import Alphabet
from ._file_ranges import Job, Range, Scan, local_symbols
from ._parquet import write_table


@dataclass(frozen=True)
class Target:
    """Where the counts of a job go, and what is known of the whole file: the same for all tasks, and small.

    The alphabet may be large, so it does not travel with every task: workers read it from a file, once each.
    """

    job: Job
    folder: str
    alphabet_file: str
    n_labels: int
    n_sequences: int

    def header(self) -> dict[str, Any]:
        """The header of the table."""
        return {
            "alphabet": Path(self.alphabet_file).read_text(encoding="ascii"),
            "n_sequences": self.n_sequences,
            "max_length": self.job.max_length,
            "min_count": self.job.min_count,
        }

    @property
    def key_width(self) -> int:
        """Bytes of a symbol in a key: big-endian keys sort as strings of ids do."""
        return 1 if self.n_labels <= 1 << 8 else 2 if self.n_labels <= 1 << 16 else 4


@contextlib.contextmanager
def target_in(folder: Path, job: Job, scans: list[Scan], alphabet: Alphabet) -> Iterator[Target]:
    """The target in a folder, which holds a file with the alphabet until the end."""
    file = folder / "alphabet.json"
    file.write_text(alphabet.to_json(), encoding="ascii")
    n_sequences = sum(scan.n_sequences for scan in scans)
    yield Target(job, str(folder), str(file), len(alphabet), n_sequences)
    file.unlink()


def splitters_of(job: Job, scans: list[Scan], alphabet: Alphabet, n_buckets: int) -> list[tuple[int, ...]]:
    """Substrings that cut the sorted table into parts of about the same size."""
    sampled = []
    for scan in scans:
        labels = [*scan.labels, *job.frame]
        sampled += [tuple(alphabet.id(labels[i]) for i in sample) for sample in scan.samples]
    sampled.sort()
    quantiles = [sampled[len(sampled) * b // n_buckets] for b in range(1, n_buckets)] if sampled else []
    return sorted(set(quantiles))


def count_and_sum(
    cluster: Any, target: Target, ranges: list[Range], splitters: list[tuple[int, ...]]
) -> None:
    """Write the counts of all strings but the empty one, by the workers of a cluster."""
    import dask  # noqa: PLC0415
    import dask.dataframe as dd  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415
    from distributed import KilledWorker  # noqa: PLC0415

    with dask.config.set({"dataframe.convert-string": False}):
        counted = dd.from_map(
            _count_range, ranges, target=target, splitters=splitters, meta=_as_frame([], b"", [0], [])
        )
    # Partition b of the shuffled table is bucket b; the last division is the end of the last one.
    shuffled = counted.set_index(
        "bucket", divisions=list(range(len(splitters) + 2)), drop=False, shuffle_method="p2p"
    )
    written = shuffled.map_partitions(
        _sum_and_write, target=target, meta=pd.DataFrame({"rows": np.empty(0, np.int64)})
    )
    try:
        cluster.compute(written.optimize(), sync=True)
    except KilledWorker as error:
        raise MemoryError("memory: Dask's workers ran out of it again and again; give them more") from error


def _count_range(part: Range, target: Target, splitters: list[tuple[int, ...]]) -> Any:
    """Table of the substrings that begin in a range."""
    job, alphabet = target.job, _alphabet_in(target.alphabet_file)
    local, offsets, labels, n_borrowed = local_symbols(job, part, with_overlap=True)
    symbols = np.array([alphabet.id(label) for label in (*labels, *job.frame)], np.int32)[local]
    trie, counts = _core.count_substrings(symbols, offsets, job.max_length)
    if n_borrowed:
        _forget(trie, counts, symbols[len(symbols) - n_borrowed :], job.max_length)
    counts[0] = 0
    nodes = np.flatnonzero(counts)
    buckets = _buckets(trie, splitters)[nodes]
    ids, ends = trie.spell(nodes.astype(np.int32 if isinstance(trie, _core.Trie32) else np.int64))
    width = target.key_width
    keys = ids.astype(f">u{width}").tobytes()
    return _as_frame(buckets, keys, ends * width, counts[nodes])


@lru_cache(maxsize=2)
def _alphabet_in(file: str) -> Alphabet:
    return Alphabet.from_json(Path(file).read_text(encoding="ascii"))


def _forget(trie: Any, counts: NDArray[np.int64], borrowed: NDArray[np.int32], max_length: int) -> None:
    """Take off the counts of the substrings that begin in the symbols borrowed from the next range."""
    own, own_counts = _core.count_substrings(borrowed, np.array([0, len(borrowed)]), max_length)
    width = np.int32 if isinstance(own, _core.Trie32) else np.int64
    counts[trie.find(*own.spell(np.arange(own.n_nodes, dtype=width)))] -= own_counts


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


def _sum_and_write(frame: Any, target: Target) -> Any:
    """Sum equal strings of a bucket and write it to its file."""
    import pandas as pd  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    _alphabet_in.cache_clear()  # all ranges are counted before the first bucket is summed
    if len(frame) == 0:
        return pd.DataFrame({"rows": [0]})
    bucket = int(frame["bucket"].iloc[0])
    rows = pa.Table.from_pandas(frame[["key", "count"]], preserve_index=False)
    del frame
    summed = rows.group_by("key", use_threads=False).aggregate([("count", "sum")])
    del rows
    kept = summed.filter(pc.field("count_sum") >= target.job.min_count).sort_by("key")
    if len(kept):
        _write_keys(Path(target.folder, f"part-{bucket:06d}.parquet"), kept, target)
    return pd.DataFrame({"rows": [len(kept)]})


def _write_keys(path: Path, rows: Any, target: Target) -> None:
    width = target.key_width
    keys = rows["key"].combine_chunks()
    _, ends, data = keys.buffers()
    offsets = np.frombuffer(ends, np.int64)[keys.offset : keys.offset + len(keys) + 1]
    ids = np.frombuffer(data, f">u{width}")[offsets[0] // width : offsets[-1] // width].astype(np.int32)
    counts = np.asarray(rows["count_sum"], dtype=np.int64)
    write_table(path, ids, (offsets - offsets[0]) // width, counts, target.header())


def write_empty_string(target: Target, n_symbols: int) -> None:
    """Write the count of the empty string, which occurs before every symbol and at the end of a sequence."""
    none, count = np.empty(0, np.int32), np.array([n_symbols + target.n_sequences])
    write_table(
        Path(target.folder, "empty-string.parquet"), none, np.zeros(2, np.int64), count, target.header()
    )
