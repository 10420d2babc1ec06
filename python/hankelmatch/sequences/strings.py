"""Strings over an alphabet in two flat arrays, the form that the compiled core reads.

To Python they are a sequence of tuples of labels.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.validation import argument_named, dense_array, whole_array
from .alphabet import UNKNOWN, Alphabet, check_alphabet
from .labels import Label, Offsets, Symbols, as_list, can_change, cumulative, distinct_labels, frozen

_ITERATION_BLOCK = 4096  # sequences turned into tuples at a time

_S = TypeVar("_S", bound="Strings")


class Strings(Sequence[tuple[Label, ...]]):
    """Many strings over one alphabet, in two flat arrays; reads as a sequence of tuples of labels.

    Parameters
    ----------
    symbols : array_like of int32
        Ids of all symbols, one string after another; -1 for a symbol that is not in the alphabet (its label
        reads as None).
    offsets : array_like of int64
        String i is ``symbols[offsets[i]:offsets[i + 1]]``.
    alphabet : Alphabet
        The labels.

    Raises
    ------
    TypeError
        If `alphabet` is none, but its labels, say.
    ValueError
        If the offsets do not fit the symbols, or a symbol is not an id of the alphabet.

    Notes
    -----
    Arrays that can be written are copied; read-only ones of the right dtype, as other strings have, are not.
    What `symbols` and `offsets` return is read-only.

    Examples
    --------
    >>> strings = Strings.from_sequences(["ab", "", "ba"])
    >>> strings[2], len(strings), strings == [("a", "b"), (), ("b", "a")]
    (('b', 'a'), 3, True)
    """

    def __init__(self, symbols: ArrayLike, offsets: ArrayLike, alphabet: Alphabet) -> None:
        check_alphabet(alphabet)
        self._symbols = _read_only("symbols", symbols, np.int32)
        self._offsets = _read_only("offsets", offsets, np.int64)
        self._alphabet = alphabet
        _check_offsets(self._offsets, self._symbols.size)
        _check_symbols(self._symbols, len(alphabet))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        frozen(self._symbols, self._offsets)  # a copy's would not be

    @classmethod
    def from_sequences(
        cls: type[_S], sequences: Iterable[Iterable[Label]], alphabet: Alphabet | None = None
    ) -> _S:
        """Strings from sequences of labels.

        Parameters
        ----------
        sequences : iterable of sequences
            Each a str (its characters are the symbols), a numpy array, or any iterable of labels.
        alphabet : Alphabet, optional
            Labels outside it become unknown symbols. If not given: that of `sequences` if they are Strings,
            or else the labels that occur, sorted (numbers before text; in order of first appearance if
            they cannot be sorted).

        Returns
        -------
        Strings
            The strings, in the order given.
        """
        if alphabet is not None:
            check_alphabet(alphabet)
            return cls(*frozen(*alphabet.encode(sequences)), alphabet)
        if isinstance(sequences, Strings):
            return cls(sequences.symbols, sequences.offsets, sequences.alphabet)
        listed = as_list(sequences)
        with argument_named("sequences", "labels"):
            alphabet = Alphabet(distinct_labels(listed))
        return cls(*frozen(*alphabet.encode(listed)), alphabet)

    @property
    def symbols(self) -> Symbols:
        """Ids of all symbols, one string after another; -1 = not in the alphabet. Read-only."""
        return self._symbols

    @property
    def offsets(self) -> Offsets:
        """Where each string begins in `symbols`, and the end of the last one. Read-only."""
        return self._offsets

    @property
    def alphabet(self) -> Alphabet:
        """Labels of the ids."""
        return self._alphabet

    @property
    def lengths(self) -> Offsets:
        """Length of each string."""
        return np.diff(self._offsets)

    def reencode(self: _S, alphabet: Alphabet) -> _S:
        """The same strings with the ids of another alphabet.

        Parameters
        ----------
        alphabet : Alphabet
            The other alphabet. Symbols are mapped by label; a label that it lacks becomes unknown (-1).

        Returns
        -------
        Strings
            Of the same type; itself if the alphabets are equal.
        """
        check_alphabet(alphabet)
        if alphabet == self._alphabet:
            return self
        other = UNKNOWN if alphabet.unknown_id is None else alphabet.unknown_id
        table = np.array([*map(alphabet.get, self._alphabet.labels), other], np.int32)
        return self._like(table[self._symbols], self._offsets, alphabet)

    def take(self: _S, indices: ArrayLike) -> _S:
        """Strings number `indices`, in that order.

        Parameters
        ----------
        indices : array_like of int or bool
            Numbers of strings; they may repeat, and count from the end where negative. Or for every string
            whether it is taken.

        Returns
        -------
        Strings
            Of the same type.

        Raises
        ------
        IndexError
            If there is no string of such a number, or not one boolean for each.
        ValueError
            If `indices` is no list of whole numbers or booleans.
        """
        asked = dense_array("indices", indices, "whole numbers")
        if asked.ndim != 1 or (asked.size and asked.dtype.kind not in "biu"):
            raise ValueError(
                f"indices: a list of whole numbers or booleans is needed, not {asked.ndim}-d {asked.dtype}"
            )
        try:
            chosen = np.arange(len(self))[asked if asked.size else asked.astype(np.int64)]
        except IndexError as error:
            raise IndexError(f"indices: there are {len(self)} strings; {error}") from None
        lengths = self.lengths[chosen]
        offsets = cumulative(lengths)
        positions = np.arange(offsets[-1]) + np.repeat(self._offsets[chosen] - offsets[:-1], lengths)
        return self._like(self._symbols[positions], offsets, self._alphabet)

    def _like(self: _S, symbols: Symbols, offsets: Offsets, alphabet: Alphabet) -> _S:
        """Other content, in arrays that nobody else holds, and everything else as here."""
        return type(self)(*frozen(symbols, offsets), alphabet)

    def __len__(self) -> int:
        return self._offsets.size - 1

    @overload
    def __getitem__(self, index: int) -> tuple[Label, ...]: ...
    @overload
    def __getitem__(self: _S, index: slice) -> _S: ...
    def __getitem__(self: _S, index: int | slice) -> tuple[Label, ...] | _S:
        if isinstance(index, slice):
            return self._slice(range(len(self))[index])
        i = range(len(self))[index]
        return self._labels_of(self._symbols[self._offsets[i] : self._offsets[i + 1]])

    def _slice(self: _S, indices: range) -> _S:
        if indices.step != 1 or len(indices) == 0:
            return self.take(indices)
        offsets = self._offsets[indices.start : indices.stop + 1]
        symbols = self._symbols[offsets[0] : offsets[-1]]
        return self._like(symbols, offsets - offsets[0], self._alphabet)

    def _labels_of(self, symbols: Symbols) -> tuple[Label, ...]:
        labels = self._alphabet.labels
        return tuple(labels[i] if i >= 0 else None for i in symbols.tolist())

    def __iter__(self) -> Iterator[tuple[Label, ...]]:
        for begin in range(0, len(self), _ITERATION_BLOCK):
            offsets = self._offsets[begin : begin + _ITERATION_BLOCK + 1]
            flat = self._labels_of(self._symbols[offsets[0] : offsets[-1]])
            ends = (offsets - offsets[0]).tolist()
            yield from (flat[i:j] for i, j in pairwise(ends))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Strings) and other._alphabet == self._alphabet:
            return np.array_equal(self._offsets, other._offsets) and np.array_equal(
                self._symbols, other._symbols
            )
        if isinstance(other, str) or not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(
            isinstance(b, Iterable) and a == tuple(b) for a, b in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = f"{len(self)} sequences, {self._symbols.size} symbols of {len(self._alphabet)}"
        return f"<{type(self).__name__} of {sizes}>"


def as_strings(
    argument: str, strings: Strings | Iterable[Iterable[Label]], alphabet: Alphabet | None = None
) -> Strings:
    """The strings themselves, or those of sequences; errors name the argument."""
    with argument_named(argument):
        return strings if isinstance(strings, Strings) else Strings.from_sequences(strings, alphabet)


def labels_in(sequences: Strings | list[Sequence[Label]]) -> list[Label]:
    """The labels that occur, sorted if they can be; None among them for an unknown symbol of strings."""
    if not isinstance(sequences, Strings):
        return distinct_labels(sequences)
    symbols, n_labels = sequences.symbols, len(sequences.alphabet)
    first_place = np.full(n_labels + 1, symbols.size)  # the last is that of unknown symbols, id -1
    first_place[symbols[::-1]] = np.arange(symbols.size)[::-1]
    ids = np.argsort(first_place, kind="stable")[: np.count_nonzero(first_place < symbols.size)]
    labels = (*sequences.alphabet.labels, None)
    return distinct_labels([[labels[i] for i in ids.tolist()]])


def _read_only(argument: str, values: ArrayLike, dtype: type[np.signedinteger[Any]]) -> NDArray[Any]:
    """Values as an array that nobody can change: itself if it is so already."""
    array = whole_array(argument, values, dtype)
    is_new = array is not values and array.base is None
    if can_change(array) and not is_new:
        array = array.copy()
    array.flags.writeable = False
    return array


def _check_offsets(offsets: Offsets, n_symbols: int) -> None:
    if not offsets.size or offsets[0] != 0 or offsets[-1] != n_symbols or np.any(np.diff(offsets) < 0):
        raise ValueError(f"offsets must rise from 0 to the number of symbols, {n_symbols}")


def _check_symbols(symbols: Symbols, n_labels: int) -> None:
    if symbols.size and (symbols.min() < UNKNOWN or symbols.max() >= n_labels):
        raise ValueError(f"symbols must be ids below {n_labels}, the size of the alphabet, or {UNKNOWN}")
