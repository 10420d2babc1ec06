"""Tables of substrings and their counts as Parquet: one layout, written by us or by anyone else.

A table is a file, or a folder of files ``*.parquet``, with the columns

``string``
    The substring: a list of integers (ids of the alphabet in the header, or labels where there is no header),
    a list of text (labels), or plain text.
``count``
    How often it occurs; an integer. Each string has one row.

What hankelmatch writes has ids, a row for the empty string, and rows in lexicographic order of ids over all
files in the order of their names. The schema's metadata has the key ``hankelmatch``, the header: JSON with
``kind``, ``version``, ``alphabet`` (as `Alphabet.to_json` gives it), ``n_sequences``, ``max_length``,
``min_count``.
"""

import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.files import checked_path
from .._utils.optional import needs
from .._utils.validation import checked_whole
from ..sequences.alphabet import Alphabet
from ..sequences.strings import Strings

_KEY = b"hankelmatch"
_KIND = "substring counts"
_VERSION = 1
_MOST_SEQUENCES = (1 << 63) - 2
_BLANKS = " \t\v\f\r"  # between tokens, as `read_text` takes them


def write_table(
    path: str | os.PathLike[str],
    symbols: NDArray[np.integer[Any]],
    offsets: NDArray[np.integer[Any]],
    counts: NDArray[np.integer[Any]],
    header: dict[str, Any],
) -> None:
    """Write strings of ids and their counts to one file."""
    pa, parquet = needs("pyarrow", "writing Parquet"), needs("pyarrow.parquet", "writing Parquet")
    strings = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(symbols, pa.int32()))
    text = json.dumps({"kind": _KIND, "version": _VERSION, **header})
    schema = pa.schema([("string", pa.list_(pa.int32())), ("count", pa.int64())], {_KEY: text.encode()})
    table = pa.table([strings, pa.array(counts, pa.int64())], schema=schema)
    parquet.write_table(table, path, compression="zstd")


def read_table(
    path: str | os.PathLike[str], min_count: int, unit: str, alphabet: Alphabet | None
) -> tuple[dict[str, Any], Strings, NDArray[np.int64]]:
    """Header (empty if the table has none), strings and counts of the rows that are frequent enough.

    And of the empty string and all single symbols.
    """
    dataset = _open(path)
    header = _header(path, dataset)
    kind = _check_columns(path, dataset.schema)
    pa, compute = needs("pyarrow", "reading Parquet"), needs("pyarrow.compute", "reading Parquet")
    size = compute.list_value_length if kind == "list" else compute.utf8_length
    string, count = compute.field("string"), compute.field("count")
    # Where the table has no row for the empty string, its count follows from those of the single symbols.
    if kind == "text" and unit == "token":
        is_short = compute.match_substring_regex(string, f"^[{_BLANKS}]*[^{_BLANKS}]*[{_BLANKS}]*$")
    else:
        is_short = size(string) <= 1
    wanted = (count >= min_count) | is_short | string.is_null() | count.is_null() | (count < 0)
    try:
        rows = dataset.to_table(columns=["string", "count"], filter=wanted)
        numbers = rows["count"].cast(pa.int64())
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path}: the table cannot be read: {error}") from error
    for column in ("string", "count"):
        if rows[column].null_count:
            raise ValueError(f"{path}: column {column!r} has missing values; every row needs one")
    counts = np.asarray(numbers, dtype=np.int64)
    if counts.min(initial=0) < 0:
        raise ValueError(f"{path}: column 'count' has {counts.min()}; a count is at least 0")
    return header, _strings(path, rows["string"], header, unit, alphabet), counts


def _open(path: str | os.PathLike[str]) -> Any:
    dataset, pa = needs("pyarrow.dataset", "reading Parquet"), needs("pyarrow", "reading Parquet")
    path = checked_path(path)
    if not path.exists():
        raise FileNotFoundError(2, "No such file or directory", os.fspath(path))
    try:
        opened = dataset.dataset(path, format="parquet")
    except (pa.ArrowException, OSError) as error:
        raise ValueError(
            f"{path}: this is not a Parquet table; give a file or folder of *.parquet"
        ) from error
    if not opened.files:
        raise ValueError(f"{path}: the folder has no Parquet file; give one that has")
    return opened


def _header(path: str | os.PathLike[str], dataset: Any) -> dict[str, Any]:
    """The header of all files of a table."""
    schemas = [fragment.physical_schema for fragment in dataset.get_fragments()]
    texts = {(schema.metadata or {}).get(_KEY) for schema in schemas}
    if len(texts) > 1:
        raise ValueError(f"{path}: its files have different headers; give a folder for each table")
    (text,) = texts
    if text is None:
        return {}
    try:
        header = json.loads(text)
        kind, version = header.get("kind"), int(header["version"])
        alphabet = Alphabet.from_json(header["alphabet"])
        n_sequences = checked_whole("n_sequences", header["n_sequences"], 1, _MOST_SEQUENCES)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: its header is damaged ({error!r}); write the table anew") from error
    if kind != _KIND:
        raise ValueError(f"{path}: the table holds {kind}, not {_KIND}")
    if version > _VERSION:
        raise ValueError(f"{path}: the layout {version} is newer than {_VERSION}: update hankelmatch")
    return {"alphabet": alphabet, "n_sequences": n_sequences}


def _check_columns(path: str | os.PathLike[str], schema: Any) -> str:
    """Whether column ``string`` is of kind "list" or "text"."""
    types = needs("pyarrow.types", "reading Parquet")
    for column in ("string", "count"):
        if column not in schema.names:
            found = ", ".join(map(repr, schema.names))
            raise ValueError(f"{path}: column {column!r} is missing, there is {found}; rename the columns")
    string, count = schema.field("string").type, schema.field("count").type
    if not types.is_integer(count):
        raise ValueError(f"{path}: column 'count' is of type {count}; integers are needed")
    if types.is_string(string) or types.is_large_string(string):
        return "text"
    if types.is_list(string) or types.is_large_list(string):
        item = string.value_type
        if types.is_integer(item) or types.is_string(item) or types.is_large_string(item):
            return "list"
    raise ValueError(
        f"{path}: column 'string' is of type {string}; lists of integers, lists of text or text are needed"
    )


def _strings(
    path: str | os.PathLike[str], column: Any, header: dict[str, Any], unit: str, alphabet: Alphabet | None
) -> Strings:
    pa, types = needs("pyarrow", "reading Parquet"), needs("pyarrow.types", "reading Parquet")
    if not types.is_list(column.type) and not types.is_large_list(column.type):
        if unit == "char":
            return Strings.from_sequences(column.to_pylist(), alphabet)
        compute = needs("pyarrow.compute", "reading Parquet")
        trimmed = compute.utf8_trim(column.cast(pa.large_string()), characters=_BLANKS)
        tokens = compute.split_pattern_regex(trimmed, f"[{_BLANKS}]+").to_pylist()
        return Strings.from_sequences([[] if row == [""] else row for row in tokens], alphabet)
    offsets = _list_offsets(column)
    flat = needs("pyarrow.compute", "reading Parquet").list_flatten(column)
    if flat.null_count:
        raise ValueError(f"{path}: column 'string' has a list with a missing value; every symbol is needed")
    if header and types.is_integer(column.type.value_type):
        try:
            strings = Strings(np.asarray(flat.cast(pa.int32())), offsets, header["alphabet"])
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        return strings if alphabet is None else strings.reencode(alphabet)
    return _by_labels(flat, offsets, alphabet)


def _by_labels(flat: Any, offsets: NDArray[np.int64], alphabet: Alphabet | None) -> Strings:
    pa, compute = needs("pyarrow", "reading Parquet"), needs("pyarrow.compute", "reading Parquet")
    labels = compute.unique(flat)
    ids = np.asarray(compute.index_in(flat, labels).cast(pa.int32()))
    own = sorted(labels.to_pylist())
    places = {label: i for i, label in enumerate(own)}
    rank = np.array([places[label] for label in labels.to_pylist()], np.int32)
    strings = Strings(rank[ids], offsets, Alphabet(own))
    return strings if alphabet is None else strings.reencode(alphabet)


def _list_offsets(column: Any) -> NDArray[np.int64]:
    """Offsets of the lists of a column of many chunks."""
    compute = needs("pyarrow.compute", "reading Parquet")
    lengths = np.asarray(compute.list_value_length(column), dtype=np.int64)
    return np.append(0, np.cumsum(lengths))
