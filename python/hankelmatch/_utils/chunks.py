"""Work on many rows, a part at a time, so that memory stays bounded."""

from collections.abc import Iterator

CHUNK_ENTRIES = 1 << 23  # of an intermediate array: 64 MB of float64


def chunks(n_rows: int, entries_per_row: int) -> Iterator[slice]:
    """Cut rows into slices whose intermediate arrays have at most `CHUNK_ENTRIES` entries, or one row."""
    step = max(1, CHUNK_ENTRIES // max(1, entries_per_row))
    return (slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step))
