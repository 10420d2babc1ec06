"""Alphabets, which tie the labels of symbols to ids: the id of a label is its place in an `Alphabet`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .._utils.validation import argument_named, listed
from .labels import (
    MUST_BE_HASHABLE,
    Label,
    Offsets,
    Symbols,
    are_integer_arrays,
    are_text,
    as_list,
    checked_label,
    code_points,
    joined_arrays,
    offsets_of,
    plain_label,
    refuse_unequal,
)

UNKNOWN = -1

# Remedies, which the command calls by other names.
AS_LABELS = "give the labels as a tuple or a list"
AS_TEXT = (
    "give one string as a str, and many to methods of their own (values_of, rankings, probabilities_after)"
)


@runtime_checkable
class _Encoded(Protocol):
    """Strings that have ids already, those of some alphabet."""

    symbols: Symbols
    offsets: Offsets

    def reencode(self, alphabet: Alphabet) -> _Encoded: ...


class Alphabet:
    """Labels and their ids 0, 1, 2, ...; immutable.

    Parameters
    ----------
    labels : iterable of hashable
        Distinct labels, in the order of their ids; not None, which stands for a symbol that is unknown.
        numpy numbers and strings become those of Python.
    end_symbol, start_symbol : hashable, optional
        Which of the labels closes and which opens every sequence, if any does.
    unknown_symbol : hashable, optional
        Which of the labels stands for every label that is not among them; see `Corpus.with_unknown_symbol`.

    Examples
    --------
    >>> alphabet = Alphabet(["a", "b", "</s>"], end_symbol="</s>")
    >>> alphabet.id("b"), alphabet.end_id, alphabet.get("z")
    (1, 2, -1)
    >>> symbols, offsets = alphabet.encode(["ab", "", "az"])
    >>> symbols.tolist(), offsets.tolist()
    ([0, 1, 0, -1], [0, 2, 2, 4])
    """

    def __init__(
        self,
        labels: Iterable[Label],
        end_symbol: Label | None = None,
        start_symbol: Label | None = None,
        unknown_symbol: Label | None = None,
    ) -> None:
        self._labels = tuple(map(plain_label, listed("labels", labels, "a list of labels")))
        try:
            self._ids: dict[Label, int] = {label: i for i, label in enumerate(self._labels)}
        except TypeError as error:
            raise TypeError(f"labels: {error}; {MUST_BE_HASHABLE}") from None
        for label in self._labels:
            refuse_unequal("labels", label)
        if None in self._ids:
            raise ValueError("labels: None cannot be a label, it stands for an unknown symbol")
        if len(self._ids) != len(self._labels):
            raise ValueError(
                f"labels: {_first_repeated(self._labels)!r} occurs twice; labels must be distinct"
            )
        self._end = self._own("end_symbol", end_symbol)
        self._start = self._own("start_symbol", start_symbol)
        if self._end is not None and self._end == self._start:
            raise ValueError(f"start_symbol: {self._start!r} is the end symbol too; they must differ")
        self._unknown = self._own("unknown_symbol", unknown_symbol)
        if self._unknown is not None and self._unknown in (self._end, self._start):
            raise ValueError(f"unknown_symbol: {self._unknown!r} is the end or start symbol too")

    _unknown: Label | None = None  # of pickles of 0.1.0, which lack it

    def _own(self, argument: str, label: Label | None) -> Label | None:
        label = checked_label(argument, label)
        if label is not None and label not in self._ids:
            raise ValueError(f"{argument}: {label!r} is not among the labels; add it to them")
        return label

    @property
    def labels(self) -> tuple[Label, ...]:
        """Labels in the order of their ids."""
        return self._labels

    @property
    def end_symbol(self) -> Label | None:
        """Label that closes every sequence, or None."""
        return self._end

    @property
    def start_symbol(self) -> Label | None:
        """Label that opens every sequence, or None."""
        return self._start

    @property
    def unknown_symbol(self) -> Label | None:
        """Label that stands for all that are not in the alphabet, or None."""
        return self._unknown

    @property
    def unknown_id(self) -> int | None:
        """Id of the unknown symbol, or None."""
        return None if self._unknown is None else self._ids[self._unknown]

    @property
    def _other_id(self) -> int:
        """Id of a label that is not in the alphabet."""
        return UNKNOWN if self._unknown is None else self._ids[self._unknown]

    @property
    def end_id(self) -> int | None:
        """Id of the end symbol, or None."""
        return None if self._end is None else self._ids[self._end]

    @property
    def start_id(self) -> int | None:
        """Id of the start symbol, or None."""
        return None if self._start is None else self._ids[self._start]

    def id(self, label: Label) -> int:
        """Id of a label.

        Parameters
        ----------
        label : hashable
            The label.

        Returns
        -------
        int
            Its id.

        Raises
        ------
        ValueError
            If the label is not in the alphabet.
        """
        found = self.get(label)
        if found == UNKNOWN:
            raise ValueError(
                f"label: {label!r} is not in the alphabet of {len(self)} symbols; use get() to allow for that"
            )
        return found

    def get(self, label: Label, default: int = UNKNOWN) -> int:
        """Id of a label; of the unknown symbol, or else `default`, if it is not in the alphabet."""
        try:
            return self._ids.get(label, default if self._unknown is None else self._other_id)
        except TypeError:
            raise TypeError(f"label: {label!r} is no label; {MUST_BE_HASHABLE}") from None

    def encode(self, sequences: Iterable[Iterable[Label]]) -> tuple[Symbols, Offsets]:
        """Ids of the symbols of many sequences, flat.

        Parameters
        ----------
        sequences : iterable of sequences
            Each a string (its characters are the symbols), a numpy array, or any iterable of labels.

        Returns
        -------
        symbols : ndarray of int32
            Ids of all symbols, one sequence after another; for a label not in the alphabet that of the
            unknown symbol, or else -1.
        offsets : ndarray of int64
            Sequence i is ``symbols[offsets[i]:offsets[i + 1]]``.

        Raises
        ------
        TypeError
            If `sequences` is a single string, or one of them is no sequence.

        Notes
        -----
        Strings and integer arrays are mapped by numpy, anything else by a dictionary look-up for each symbol.
        """
        if isinstance(sequences, _Encoded):
            own = sequences.reencode(self)
            return own.symbols, own.offsets
        return self._encode(as_list(sequences))

    def _encode(self, sequences: list[Sequence[Label]]) -> tuple[Symbols, Offsets]:
        offsets = offsets_of(sequences)
        if are_text(sequences):
            return self._ids_of_codes(code_points(sequences)), offsets
        if are_integer_arrays(sequences):
            return self._ids_of_integers(joined_arrays(sequences)), offsets
        get, other = self._ids.get, self._other_id
        flat = (get(plain_label(label), other) for label in chain.from_iterable(sequences))
        try:
            return np.fromiter(flat, np.int32, count=int(offsets[-1])), offsets
        except TypeError as error:
            raise TypeError(f"sequences: {error}; {MUST_BE_HASHABLE}") from None

    def _ids_of_codes(self, codes: NDArray[np.uint32]) -> Symbols:
        characters = {ord(x): i for x, i in self._ids.items() if isinstance(x, str) and len(x) == 1}
        limit = max(characters, default=-1) + 1
        table = np.full(limit + 1, self._other_id, np.int32)
        table[list(characters)] = list(characters.values())
        return table[np.minimum(codes, limit)]

    def _ids_of_integers(self, values: NDArray[np.integer[Any]]) -> Symbols:
        distinct, inverse = np.unique(values, return_inverse=True)
        ids = np.array([self._ids.get(x, self._other_id) for x in distinct.tolist()], np.int32)
        symbols: Symbols = ids[inverse.reshape(-1)]
        return symbols

    @cached_property
    def _has_characters(self) -> bool:
        """Whether a text reads as a string: all labels but end and start symbol are single characters."""
        return all(isinstance(label, str) and len(label) == 1 for label in self._own_labels())

    @cached_property
    def _example_word(self) -> str | None:
        """A label that is a text, but not a single character, if there is one."""
        return next((x for x in self._own_labels() if isinstance(x, str) and len(x) != 1), None)

    def _own_labels(self) -> Iterator[Label]:
        return (label for label in self._labels if label not in (self._end, self._start))

    def to_json(self) -> str:
        """The alphabet as JSON text, which `from_json` turns back into an equal one.

        Returns
        -------
        str
            JSON text, in ASCII.

        Raises
        ------
        TypeError
            If a label is neither a str nor an int: JSON would not give it back unchanged.
        """
        for label in self._labels:
            if type(label) not in (str, int):
                raise TypeError(
                    f"labels: {label!r} is of type {type(label).__name__}; "
                    "only labels of type str or int can be saved"
                )
        content = {"labels": self._labels, "end_symbol": self._end, "start_symbol": self._start}
        if self._unknown is not None:
            content["unknown_symbol"] = self._unknown
        return json.dumps(content, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Alphabet:
        """The alphabet that `to_json` wrote.

        Parameters
        ----------
        text : str
            What `to_json` returned.

        Returns
        -------
        Alphabet
            An alphabet equal to the one that was written.

        Raises
        ------
        ValueError
            If the text is anything else.
        """
        try:
            content = json.loads(text)
            frame = content["end_symbol"], content["start_symbol"]
            return cls(content["labels"], *frame, content.get("unknown_symbol"))
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError("text: this is not an alphabet written by to_json()") from error

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[Label]:
        return iter(self._labels)

    def __contains__(self, label: object) -> bool:
        return label in self._ids

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Alphabet):
            return NotImplemented
        return self is other or self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return (self._labels, self._end, self._start, self._unknown)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self._labels[:6])) + (", ..." if len(self) > 6 else "")
        return f"<Alphabet of {len(self)} symbols: {shown}>"


def _first_repeated(labels: Iterable[Label]) -> Label:
    seen: set[Label] = set()
    return next(label for label in labels if label in seen or seen.add(label))  # type: ignore[func-returns-value]


def check_alphabet(alphabet: object) -> None:
    """Raise TypeError if it is none, as where labels are given in its place."""
    if not isinstance(alphabet, Alphabet):
        raise TypeError(f"alphabet: {alphabet!r} is of type {type(alphabet).__name__}; give Alphabet(labels)")


def as_alphabet(alphabet: Alphabet | Iterable[Label]) -> Alphabet:
    """The alphabet itself, or that of the labels that are given in its place."""
    if isinstance(alphabet, Alphabet):
        return alphabet
    labels = listed("alphabet", alphabet, "an Alphabet or a list of labels")
    with argument_named("alphabet", "labels"):
        return Alphabet(labels)


def id_of(argument: str, symbol: object, alphabet: Alphabet | None) -> int:
    """An id as it is; the id of a label that is no whole number.

    Raises
    ------
    TypeError
        If it is neither, as far as there is an alphabet.
    KeyError
        If it is no label of the alphabet.
    """
    if isinstance(symbol, (int, np.integer)):
        return int(symbol)
    if alphabet is None:
        raise TypeError(f"{argument}: it has no labels, give the id of a symbol, not {symbol!r}")
    found = alphabet.get(symbol)
    if found == UNKNOWN:
        raise KeyError(f"{argument}: {symbol!r} is not in the alphabet of {len(alphabet)} symbols")
    return found


def number_labels(alphabet: Alphabet) -> dict[str, Label]:
    """The labels that are whole numbers, by how one writes them."""
    return {str(label): label for label in alphabet.labels if isinstance(label, int)}


def has_characters(alphabet: Alphabet) -> bool:
    """Whether a text reads as a string over it: its labels but the boundary symbols are single characters."""
    return alphabet._has_characters


def refuse_ambiguous(argument: str, string: object, labels: Sequence[Label], alphabet: Alphabet) -> None:
    """Raise ValueError where one string of labels was given in a form that must mean something else.

    That is a text for an alphabet of words, which would be read as characters; and a list of texts for an
    alphabet of characters, which would be read as one string of unknown symbols.
    """
    if isinstance(string, str):
        if alphabet._example_word is not None and any(label not in alphabet for label in labels):
            raise ValueError(
                f"{argument}: {string[:40]!r} would be read as characters, but the alphabet has labels as "
                f"{alphabet._example_word!r}; {AS_LABELS}"
            )
        return
    for label in labels:
        if isinstance(label, list) or (isinstance(label, tuple) and label not in alphabet):
            raise ValueError(
                f"{argument}: {label!r} in it is no symbol of the alphabet; this is one string, for many "
                "strings there are methods of their own (values_of, rankings, probabilities_after)"
            )
        is_text = isinstance(label, str) and len(label) > 1 and label not in alphabet
        if is_text and alphabet._has_characters and all(c in alphabet for c in str(label)):
            raise ValueError(
                f"{argument}: {label!r} in it is no symbol of the alphabet, but a text of them; {AS_TEXT}"
            )
