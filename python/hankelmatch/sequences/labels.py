"""Labels, and sequences of labels as callers give them.

A label is what the user sees of a symbol: a character, a word, a number.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from .._utils.validation import listed, refuse_unordered

Label: TypeAlias = Hashable
Symbols: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]

MUST_BE_HASHABLE = "labels must be hashable, as str, int or tuple"


def checked_label(argument: str, label: Any) -> Label:
    """A label as Python has it; TypeError or ValueError if it cannot be one."""
    try:
        hash(label)
    except TypeError:
        raise TypeError(f"{argument}: {label!r} is no label; {MUST_BE_HASHABLE}") from None
    refuse_unequal(argument, label)
    return plain_label(label)


def refuse_unequal(argument: str, label: Label) -> None:
    """Raise ValueError if a label does not equal itself."""
    if label != label:  # noqa: PLR0124 - only NaN and its like
        raise ValueError(f"{argument}: NaN cannot be a label, it equals nothing, not even itself")


def plain_label(label: Any) -> Label:
    plain: Label = label.item() if isinstance(label, np.generic) else label
    return plain


def as_list(sequences: Iterable[Iterable[Label]]) -> list[Sequence[Label]]:
    """The sequences, each with a length."""
    if isinstance(sequences, (str, bytes)):
        raise TypeError(
            "sequences: this is a single string; put it into a list, as [text], or read the file of that "
            "name by read_text(path)"
        )
    if isinstance(sequences, Mapping):
        raise TypeError(
            "sequences: this is a mapping; give a list of its keys, and its values, if they are weights, as "
            "sample_weight"
        )
    items = listed("sequences", sequences, "a list of sequences of symbols")
    return [_with_length(i, sequence) for i, sequence in enumerate(items)]


def _with_length(i: int, sequence: Any) -> Sequence[Label]:
    if isinstance(sequence, (str, list, tuple)):
        return sequence
    if np.ma.is_masked(sequence):
        raise TypeError(f"sequences[{i}] is a masked array; leave out what is masked, as x.compressed()")
    if isinstance(sequence, np.ndarray) and sequence.ndim == 1:
        return cast("Sequence[Label]", sequence)
    refuse_unordered(f"sequences[{i}]", sequence)
    try:
        return tuple(sequence)
    except TypeError:
        raise TypeError(
            f"sequences[{i}] is {sequence!r}, not a sequence of symbols; "
            "put a single sequence into a list, as [sequence]"
        ) from None


def are_text(sequences: list[Sequence[Label]]) -> bool:
    return all(type(sequence) is str for sequence in sequences)


def are_integer_arrays(sequences: list[Sequence[Label]]) -> bool:
    arrays: list[Any] = [s for s in sequences if isinstance(s, np.ndarray) and s.dtype.kind in "iu"]
    # Of int64 and uint64 together numpy makes float64, in which large numbers are lost.
    return len(arrays) == len(sequences) and (
        not arrays or np.result_type(*{array.dtype for array in arrays}).kind in "iu"
    )


def joined_arrays(arrays: Iterable[Any]) -> NDArray[np.integer[Any]]:
    return np.concatenate(list(arrays))


def offsets_of(sequences: Sequence[Sequence[Any]]) -> Offsets:
    return cumulative(np.fromiter(map(len, sequences), np.int64, count=len(sequences)))


def cumulative(lengths: NDArray[np.int64]) -> Offsets:
    offsets = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def frozen(symbols: Symbols, offsets: Offsets) -> tuple[Symbols, Offsets]:
    """Arrays that nobody else holds, as read-only ones, which `Strings` takes without a copy."""
    symbols.flags.writeable = offsets.flags.writeable = False
    return symbols, offsets


def can_change(array: object) -> bool:
    """Whether somebody may write to an array, or to one that it is a view of."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return False


def code_points(texts: Iterable[Any]) -> NDArray[np.uint32]:
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), "<u4").astype(
        np.uint32, copy=False
    )


def distinct_labels(sequences: list[Sequence[Label]]) -> list[Label]:
    """The labels that occur, sorted if they can be."""
    if are_text(sequences):
        return [chr(code) for code in np.unique(code_points(sequences)).tolist()]
    if are_integer_arrays(sequences):
        return list(np.unique(joined_arrays(sequences)).tolist())
    try:
        distinct = [plain_label(label) for label in dict.fromkeys(chain.from_iterable(sequences))]
    except TypeError as error:
        raise TypeError(f"sequences: {error}; {MUST_BE_HASHABLE}") from None
    key: Callable[[Any], Any] = lambda label: (isinstance(label, str), label)  # noqa: E731
    try:
        return sorted(distinct, key=key)
    except TypeError:
        return distinct
