"""Texts as flat arrays of symbol ids, and alphabets that tie ids to labels.

A label is what the user sees of a symbol: a character, a word, a number. An id is its place in an `Alphabet`.
A `Corpus` keeps all its sequences in one array of ids and one of offsets, which is the form that the
compiled core reads; to Python it is a sequence of tuples of labels.

End and start symbols are ordinary symbols: they have a label and an id, and stand in the sequences.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, TypeAlias, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._validation import random_generator

__all__ = ["Alphabet", "Corpus", "Label", "Strings", "read_spice", "read_text", "sample_text", "split_tokens"]

Label: TypeAlias = Hashable
Path: TypeAlias = str | os.PathLike[str]
Symbols: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]

UNKNOWN = -1
DEFAULT_END = "</s>"
DEFAULT_START = "<s>"
_SPICE_END = -1
_SPICE_START = -2
_SPICE_UNDOUBTED = 1_000_000  # an alphabet of this size needs no file to prove it
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONGEST_NUMBER = 18  # digits that surely fit 64 bits
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_SENTENCE = re.compile(r"[A-Z\"*].* .*[.!?]")
_ITERATION_BLOCK = 4096  # sequences turned into tuples at a time


# --------------------------------------------------------------------------------------------- alphabets


class Alphabet:
    """Labels and their ids 0, 1, 2, ...; unchangeable.

    Parameters
    ----------
    labels : iterable of hashable
        Distinct labels, in the order of their ids; not None, which stands for a symbol that is unknown.
        numpy numbers and strings become those of Python.
    end_symbol, start_symbol : hashable, optional
        Which of the labels closes and which opens every sequence, if any does.

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
    ) -> None:
        self._labels = tuple(_plain(label) for label in labels)
        try:
            self._ids: dict[Label, int] = {label: i for i, label in enumerate(self._labels)}
        except TypeError as error:
            raise TypeError(f"labels: {error}; labels must be hashable, as str, int or tuple") from None
        if any(label != label for label in self._labels):  # noqa: PLR0124 - only NaN differs from itself
            raise ValueError("labels: NaN cannot be a label, it equals nothing, not even itself")
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

    def _own(self, argument: str, label: Label | None) -> Label | None:
        label = _plain(label)
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
        try:
            return self._ids[label]
        except KeyError:
            raise ValueError(
                f"label: {label!r} is not in the alphabet of {len(self)} symbols; use get() to allow for that"
            ) from None

    def get(self, label: Label, default: int = UNKNOWN) -> int:
        """Id of a label, or `default` if it is not in the alphabet."""
        return self._ids.get(label, default)

    def encode(self, sequences: Iterable[Iterable[Label]]) -> tuple[Symbols, Offsets]:
        """Ids of the symbols of many sequences, flat.

        Parameters
        ----------
        sequences : iterable of sequences
            Each a string (its characters are the symbols), a numpy array, or any iterable of labels.

        Returns
        -------
        symbols : ndarray of int32
            Ids of all symbols, one sequence after another; -1 for a label not in the alphabet.
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
        if isinstance(sequences, Strings):
            own = sequences.reencode(self)
            return own.symbols, own.offsets
        return self._encode(_as_list(sequences))

    def _encode(self, sequences: list[Sequence[Label]]) -> tuple[Symbols, Offsets]:
        offsets = _offsets_of(sequences)
        if _all_text(sequences):
            return self._ids_of_codes(_code_points(sequences)), offsets
        if _all_integer_arrays(sequences):
            return self._ids_of_integers(_joined(sequences)), offsets
        get = self._ids.get
        flat = (get(_plain(label), UNKNOWN) for label in chain.from_iterable(sequences))
        return np.fromiter(flat, np.int32, count=int(offsets[-1])), offsets

    def _ids_of_codes(self, codes: NDArray[np.uint32]) -> Symbols:
        characters = {ord(x): i for x, i in self._ids.items() if isinstance(x, str) and len(x) == 1}
        limit = max(characters, default=-1) + 1
        table = np.full(limit + 1, UNKNOWN, np.int32)
        table[list(characters)] = list(characters.values())
        return table[np.minimum(codes, limit)]

    def _ids_of_integers(self, values: NDArray[np.integer[Any]]) -> Symbols:
        distinct, inverse = np.unique(values, return_inverse=True)
        ids = np.array([self._ids.get(x, UNKNOWN) for x in distinct.tolist()], np.int32)
        symbols: Symbols = ids[inverse.reshape(-1)]
        return symbols

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
            return cls(content["labels"], content["end_symbol"], content["start_symbol"])
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
        return (self._labels, self._end, self._start)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self._labels[:6])) + (", ..." if len(self) > 6 else "")
        return f"<Alphabet of {len(self)} symbols: {shown}>"


# ---------------------------------------------------------------------------------- strings and corpora

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
    ValueError
        If the offsets do not fit the symbols, or a symbol is not an id of the alphabet.

    Notes
    -----
    Arrays of the right dtype are not copied; what `symbols` and `offsets` return is read-only.

    Examples
    --------
    >>> strings = Strings.from_sequences(["ab", "", "ba"])
    >>> strings[2], len(strings), strings == [("a", "b"), (), ("b", "a")]
    (('b', 'a'), 3, True)
    """

    def __init__(self, symbols: ArrayLike, offsets: ArrayLike, alphabet: Alphabet) -> None:
        self._symbols = _read_only("symbols", symbols, np.int32)
        self._offsets = _read_only("offsets", offsets, np.int64)
        self._alphabet = alphabet
        _check_offsets(self._offsets, self._symbols.size)
        _check_symbols(self._symbols, len(alphabet))

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
            return cls(*alphabet.encode(sequences), alphabet)
        if isinstance(sequences, Strings):
            return cls(sequences.symbols, sequences.offsets, sequences.alphabet)
        listed = _as_list(sequences)
        alphabet = Alphabet(_distinct_labels(listed))
        return cls(*alphabet.encode(listed), alphabet)

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
        if alphabet == self._alphabet:
            return self
        table = np.array([*map(alphabet.get, self._alphabet.labels), UNKNOWN], np.int32)
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
        """
        asked = np.asarray(indices)
        if asked.ndim != 1 or (asked.size and asked.dtype.kind not in "biu"):
            raise ValueError(
                f"indices: a list of whole numbers or booleans is needed, not {asked.ndim}-d {asked.dtype}"
            )
        chosen = np.arange(len(self))[asked if asked.size else asked.astype(np.int64)]
        lengths = self.lengths[chosen]
        offsets = _cumulative(lengths)
        positions = np.arange(offsets[-1]) + np.repeat(self._offsets[chosen] - offsets[:-1], lengths)
        return self._like(self._symbols[positions], offsets, self._alphabet)

    def _like(self: _S, symbols: Symbols, offsets: Offsets, alphabet: Alphabet) -> _S:
        """Other content, everything else as here."""
        return type(self)(symbols, offsets, alphabet)

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


class Corpus(Strings):
    """The sequences of a text.

    Parameters
    ----------
    symbols, offsets, alphabet
        As for `Strings`.
    source : str, optional
        The file that it came from.

    See Also
    --------
    read_text, read_spice

    Examples
    --------
    >>> corpus = Corpus.from_sequences(["ab", "b"], end_symbol=True)
    >>> corpus.n_sequences, corpus.n_symbols, corpus[1]
    (2, 5, ('b', '</s>'))
    >>> corpus.alphabet.labels, corpus.alphabet.end_id
    (('a', 'b', '</s>'), 2)
    """

    def __init__(
        self, symbols: ArrayLike, offsets: ArrayLike, alphabet: Alphabet, *, source: str | None = None
    ) -> None:
        super().__init__(symbols, offsets, alphabet)
        self._source = source

    @classmethod
    def from_sequences(
        cls,
        sequences: Iterable[Iterable[Label]],
        alphabet: Alphabet | None = None,
        *,
        end_symbol: bool | Label = False,
        start_symbol: bool | Label = False,
    ) -> Corpus:
        """A corpus from sequences of labels.

        Parameters
        ----------
        sequences : iterable of sequences
            Each a str (its characters are the symbols), a numpy array, or any iterable of labels.
        alphabet : Alphabet, optional
            Labels outside it become unknown symbols. If not given: the labels that occur, sorted, then
            the end symbol, then the start symbol.
        end_symbol, start_symbol : bool or label
            Close or open every sequence with a symbol. True takes that of `alphabet`, or else the labels
            ``"</s>"`` and ``"<s>"``; a label of your own is taken as it is.

        Returns
        -------
        Corpus
            The sequences, in the order given.

        Raises
        ------
        ValueError
            If the label of the end or start symbol occurs in a sequence or is not in `alphabet`.
        """
        if alphabet is not None:
            check_alphabet(alphabet)
        end = _frame_label("end_symbol", end_symbol, alphabet, DEFAULT_END)
        start = _frame_label("start_symbol", start_symbol, alphabet, DEFAULT_START)
        listed = [*sequences] if isinstance(sequences, Strings) else _as_list(sequences)
        if alphabet is None:
            frame = [x for x in (end, start) if x is not None]
            _refuse_equal_frame(end, start)
            labels = _distinct_labels(listed)
            _refuse_frame_labels(listed, set(labels).intersection(frame))
            alphabet = Alphabet([*labels, *frame], end, start)
        symbols, offsets = alphabet.encode(listed)
        frame_ids = [None if x is None else alphabet.id(x) for x in (end, start)]
        _refuse_frame_ids(symbols, offsets, frame_ids, alphabet)
        return cls(*_framed(symbols, offsets, *frame_ids), alphabet)

    @property
    def source(self) -> str | None:
        """The file that the corpus came from, or None."""
        return self._source

    @property
    def n_sequences(self) -> int:
        """Number of sequences."""
        return len(self)

    @property
    def n_symbols(self) -> int:
        """Length of the text: number of symbols in all sequences together, end and start symbols included."""
        return self._symbols.size

    def split(self, fractions: Sequence[float], seed: int = 0) -> list[Corpus]:
        """Cut into parts, to hold some of them out.

        Parameters
        ----------
        fractions : sequence of float
            Share of each part; positive, and taken relative to their sum.
        seed : int
            Seed of the random choice of sequences.

        Returns
        -------
        list of Corpus
            One part for each fraction, all with this corpus's alphabet. Whole sequences go to a part at
            random and keep their order there. A corpus of one sequence is cut into contiguous pieces instead.

        Raises
        ------
        ValueError
            If a fraction is not positive, or a part would be empty.

        Examples
        --------
        >>> parts = Corpus.from_sequences(["abcdefghij"]).split([0.8, 0.2])
        >>> [len(part.symbols) for part in parts]
        [8, 2]
        """
        shares = np.asarray(fractions, dtype=np.float64)
        if shares.ndim != 1 or not shares.size or not np.all(shares > 0) or not np.all(np.isfinite(shares)):
            raise ValueError(f"fractions must be positive numbers, one for each part, not {fractions!r}")
        total = self.n_symbols if len(self) == 1 else len(self)
        bounds = np.rint(total * np.append(0.0, np.cumsum(shares) / shares.sum())).astype(np.int64)
        if not np.all(np.diff(bounds)):
            unit = "symbols" if len(self) == 1 else "sequences"
            raise ValueError(
                f"fractions: {total} {unit} are too few for {shares.size} parts, one would be empty"
            )
        pieces = list(pairwise(bounds.tolist()))
        if len(self) == 1:
            return [self._like(self._symbols[i:j], np.array([0, j - i]), self._alphabet) for i, j in pieces]
        order = random_generator("seed", seed).permutation(len(self))
        return [self.take(np.sort(order[i:j])) for i, j in pieces]

    def _like(self, symbols: Symbols, offsets: Offsets, alphabet: Alphabet) -> Corpus:
        return type(self)(symbols, offsets, alphabet, source=self._source)


# ------------------------------------------------------------------------------------------------ readers


def read_text(
    path: Path,
    unit: str = "char",
    end_symbol: bool | Label | None = None,
    start_symbol: bool | Label | None = None,
    *,
    stream: bool = False,
    alphabet: Alphabet | None = None,
) -> Corpus:
    r"""Read a text file: a sentence a line, or one long stream.

    Parameters
    ----------
    path : str or os.PathLike
        A file in UTF-8.
    unit : {"char", "token"}
        What one symbol is: a character (code point), or what stands between blanks, tabs and the like.
    end_symbol, start_symbol : bool, label or None
        Close or open every sentence with a symbol: True for one with the label ``"</s>"`` or ``"<s>"``, or a
        label of your own. None means what `alphabet` has, or else: an end symbol unless `stream`, and no
        start symbol.
    stream : bool
        The whole file is one sequence, and newlines are symbols of it.
    alphabet : Alphabet, optional
        Alphabet to use, as that of the training text; symbols of the text that it lacks are unknown (-1).
        If not given: the symbols that occur, by code point, then the end symbol, then the start symbol.

    Returns
    -------
    Corpus
        The text.

    Raises
    ------
    OSError
        If the file is missing, is a folder, or may not be read.
    ValueError
        If it is empty, is not UTF-8, or contains the label of the end or start symbol; the message names
        file and line.

    Notes
    -----
    Lines end with ``"\n"`` or ``"\r\n"``; the last one needs neither. A blank line is a line: a sentence
    that has only its end and start symbol. A byte order mark at the beginning is dropped. Only a stream of
    characters is taken exactly as it is, byte order mark and carriage returns included; in a stream of tokens
    each newline is a token.

    Cost: about two passes over the file, which is held in memory meanwhile, and 4 bytes for each symbol.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "text.txt"
    ...     _ = path.write_bytes(b"to be\nor not to be\n")
    ...     corpus = read_text(path, unit="token")
    >>> corpus[0], corpus.alphabet.labels
    (('to', 'be', '</s>'), ('be', 'not', 'or', 'to', '</s>'))
    """
    if unit not in ("char", "token"):
        raise ValueError(f'unit must be "char" or "token", not {unit!r}')
    end = _default_frame("end_symbol", end_symbol, alphabet, not stream, DEFAULT_END)
    start = _default_frame("start_symbol", start_symbol, alphabet, False, DEFAULT_START)
    _refuse_equal_frame(end, start)
    symbols, offsets, labels = _tokenize(path, unit, stream, end is not None, start is not None)
    for argument, label in (("end_symbol", end), ("start_symbol", start)):
        if label in labels:
            line = _line_of(symbols, offsets, labels, labels.index(label))
            raise ValueError(
                f"{path}: line {line}: the text contains {label!r}, which is to be the {argument}; "
                f"choose another label, as {argument}={f'<{label}>'!r}"
            )
    own = Alphabet([*labels, *(x for x in (end, start) if x is not None)], end, start)
    corpus = Corpus(symbols, offsets, own, source=os.fspath(path))
    return corpus if alphabet is None else corpus.reencode(alphabet)


def split_tokens(text: str, newlines: bool = False) -> list[str]:
    r"""The tokens of a text, cut where `read_text` cuts a file.

    Parameters
    ----------
    text : str
        Any text.
    newlines : bool
        Whether newlines are tokens, as in a stream.

    Returns
    -------
    list of str
        Its tokens, in order.

    Raises
    ------
    ValueError
        If the text is not Unicode, as what stood for bytes outside UTF-8 on a command line is not.

    Examples
    --------
    >>> split_tokens("to  be\nor\u00a0not"), split_tokens("to\nbe", newlines=True)
    (['to', 'be', 'or\xa0not'], ['to', '\n', 'be'])
    """
    data = text.encode("utf-8", "surrogateescape")
    symbols, _, labels = _core.read_text(
        data, tokens=True, stream=newlines, end_symbol=False, start_symbol=False
    )
    return [labels[i] for i in symbols.tolist()]


def read_spice(
    path: Path,
    end_symbol: bool | Label | None = None,
    start_symbol: bool | Label | None = None,
    *,
    alphabet: Alphabet | None = None,
) -> Corpus:
    r"""Read a file in the format of the SPiCe and PAutomaC competitions.

    The first line holds the number of sequences and the number of symbols; then each line holds the length of
    a sequence and its symbols, which are numbers from 0.

    Parameters
    ----------
    path : str or os.PathLike
        The file.
    end_symbol, start_symbol : bool, label or None
        Close or open every sequence with a symbol: True for one with the label -1 or -2, or a label of your
        own. None means what `alphabet` has, or else an end symbol and no start symbol.
    alphabet : Alphabet, optional
        Alphabet to use; symbols that it lacks are unknown (-1). If not given: the numbers below the number
        of symbols in the first line, then the end symbol, then the start symbol.

    Returns
    -------
    Corpus
        The sequences; their labels are ints.

    Raises
    ------
    OSError
        If the file is missing, is a folder, or may not be read.
    ValueError
        If the file is not in this format; the message names file and line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "0.spice.train"
    ...     _ = path.write_bytes(b"2 3\n3 0 2 1\n0\n")
    ...     corpus = read_spice(path)
    >>> list(corpus)
    [(0, 2, 1, -1), (-1,)]
    """
    end = _default_frame("end_symbol", end_symbol, alphabet, True, _SPICE_END)
    start = _default_frame("start_symbol", start_symbol, alphabet, False, _SPICE_START)
    data = _read_bytes(path).removeprefix(_BYTE_ORDER_MARK).rstrip()
    lines = data.split(b"\n")
    n_sequences, n_labels = _spice_header(path, lines[0])
    if n_labels > max(len(data), _SPICE_UNDOUBTED):
        raise ValueError(
            f"{path}: line 1: the header promises {n_labels} symbols, more than the file has bytes"
        )
    if n_sequences != len(lines) - 1:
        raise ValueError(
            f"{path}: line 1: the header promises {n_sequences} sequences, but {len(lines) - 1} follow; "
            "correct the header or complete the file"
        )
    for argument, label in (("end_symbol", end), ("start_symbol", start)):
        if label in range(n_labels):
            raise ValueError(
                f"{argument}: {label!r} is a symbol of {path}; choose a label outside 0 to {n_labels - 1}"
            )
    _refuse_equal_frame(end, start)
    rows = [_spice_row(path, number, line, n_labels) for number, line in enumerate(lines[1:], 2)]
    own = Alphabet([*range(n_labels), *(x for x in (end, start) if x is not None)], end, start)
    symbols = np.fromiter(chain.from_iterable(rows), np.int32)
    frame_ids = (own.end_id, own.start_id)
    corpus = Corpus(*_framed(symbols, _offsets_of(rows), *frame_ids), own, source=os.fspath(path))
    return corpus if alphabet is None else corpus.reencode(alphabet)


def sample_text() -> list[str]:
    """English sentences that every CPython carries: the help texts of its own language reference.

    Returns
    -------
    list of str
        Some thousand sentences, without repeats, in an order that depends on the version of Python alone.

    Raises
    ------
    FileNotFoundError
        If this Python comes without its help texts (module ``pydoc_data.topics``).

    Examples
    --------
    >>> sentences = sample_text()
    >>> len(sentences) > 1000, all(sentences)
    (True, True)
    """
    try:
        from pydoc_data.topics import topics  # noqa: PLC0415 - half a megabyte that few callers need
    except ImportError as error:
        raise FileNotFoundError(
            "this Python has no help texts (module pydoc_data.topics) to learn from; "
            "give a text file of your own"
        ) from error
    paragraphs = (" ".join(text.split()) for name in sorted(topics) for text in topics[name].split("\n\n"))
    sentences = (sentence for text in paragraphs for sentence in _SENTENCE_END.split(text))
    return list(dict.fromkeys(sentence for sentence in sentences if _SENTENCE.fullmatch(sentence)))


def _read_bytes(path: Path) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    if not data:
        raise ValueError(f"{path}: the file is empty; give a file with text")
    if data.startswith(b"\x1f\x8b"):
        raise ValueError(f"{path}: the file is compressed (gzip); unpack it first")
    return data


def _tokenize(
    path: Path, unit: str, stream: bool, end: bool, start: bool
) -> tuple[Symbols, Offsets, list[str]]:
    data = _read_bytes(path)
    try:
        symbols, offsets, labels = _core.read_text(
            data, tokens=unit == "token", stream=stream, end_symbol=end, start_symbol=start
        )
    except ValueError as error:
        found = "UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "LATIN1"
        raise ValueError(
            f"{path}: {error}; save the file as UTF-8, for example with "
            f"iconv -f {found} -t UTF-8 (if it is {found})"
        ) from None
    if not labels:
        raise ValueError(f"{path}: there is no text in the file, only blank lines; give a file with text")
    return symbols, offsets, labels


def _line_of(symbols: Symbols, offsets: Offsets, labels: list[str], symbol: int) -> int:
    """Number of the line where a symbol first stands."""
    position = int(np.argmax(symbols == symbol))
    if len(offsets) > 2 or "\n" not in labels:
        return int(np.searchsorted(offsets, position, side="right"))
    return 1 + int(np.count_nonzero(symbols[:position] == labels.index("\n")))


def _spice_header(path: Path, line: bytes) -> tuple[int, int]:
    numbers = _spice_numbers(path, 1, line)
    if len(numbers) != 2:
        raise ValueError(
            f"{path}: line 1: the header must be the number of sequences and the number of symbols, "
            f"as '20000 4'; it has {len(numbers)} numbers"
        )
    return numbers[0], numbers[1]


def _spice_row(path: Path, number: int, line: bytes, n_labels: int) -> list[int]:
    numbers = _spice_numbers(path, number, line)
    if not numbers:
        raise ValueError(f"{path}: line {number} is blank; an empty sequence is written as '0'")
    length, *row = numbers
    if length != len(row):
        raise ValueError(
            f"{path}: line {number}: the length is given as {length}, but {len(row)} symbols follow"
        )
    if row and max(row) >= n_labels:
        raise ValueError(
            f"{path}: line {number}: symbol {max(row)} is out of range; "
            f"the header in line 1 allows {n_labels} symbols, numbered from 0"
        )
    return row


def _spice_numbers(path: Path, number: int, line: bytes) -> list[int]:
    words = line.split()
    for word in words:
        if not word.isdigit() or len(word) > _LONGEST_NUMBER:
            shown = word.decode("utf-8", "replace")
            raise ValueError(f"{path}: line {number}: {shown!r} is not a number from 0 up")
    return list(map(int, words))


# ------------------------------------------------------------------------- sequences of labels, as given


def _plain(label: Any) -> Label:
    plain: Label = label.item() if isinstance(label, np.generic) else label
    return plain


def _first_repeated(labels: Iterable[Label]) -> Label:
    seen: set[Label] = set()
    return next(label for label in labels if label in seen or seen.add(label))  # type: ignore[func-returns-value]


def _as_list(sequences: Iterable[Iterable[Label]]) -> list[Sequence[Label]]:
    """The sequences, each with a length."""
    if isinstance(sequences, (str, bytes)):
        raise TypeError("sequences: this is a single string; put it into a list, as [text]")
    if not isinstance(sequences, Iterable):
        raise TypeError(f"sequences: {sequences!r} is not a list of sequences of symbols")
    return [_with_length(i, sequence) for i, sequence in enumerate(sequences)]


def check_alphabet(alphabet: object) -> None:
    """Raise TypeError if it is none, as where labels are given in its place."""
    if not isinstance(alphabet, Alphabet):
        raise TypeError(f"alphabet: {alphabet!r} is of type {type(alphabet).__name__}; give Alphabet(labels)")


def _with_length(i: int, sequence: Any) -> Sequence[Label]:
    if isinstance(sequence, np.ma.MaskedArray):
        raise TypeError(f"sequences[{i}] is a masked array; leave out what is masked, as x.compressed()")
    if isinstance(sequence, (str, list, tuple)) or (isinstance(sequence, np.ndarray) and sequence.ndim == 1):
        return cast("Sequence[Label]", sequence)
    try:
        return tuple(sequence)
    except TypeError:
        raise TypeError(
            f"sequences[{i}] is {sequence!r}, not a sequence of symbols; "
            "put a single sequence into a list, as [sequence]"
        ) from None


def _all_text(sequences: list[Sequence[Label]]) -> bool:
    return all(type(sequence) is str for sequence in sequences)


def _all_integer_arrays(sequences: list[Sequence[Label]]) -> bool:
    arrays: list[Any] = [s for s in sequences if isinstance(s, np.ndarray) and s.dtype.kind in "iu"]
    # Of int64 and uint64 together numpy makes float64, in which large numbers are lost.
    return len(arrays) == len(sequences) and (
        not arrays or np.result_type(*{array.dtype for array in arrays}).kind in "iu"
    )


def _joined(arrays: Iterable[Any]) -> NDArray[np.integer[Any]]:
    return np.concatenate(list(arrays))


def _offsets_of(sequences: Sequence[Sequence[Any]]) -> Offsets:
    return _cumulative(np.fromiter(map(len, sequences), np.int64, count=len(sequences)))


def _cumulative(lengths: NDArray[np.int64]) -> Offsets:
    offsets = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _code_points(texts: Iterable[Any]) -> NDArray[np.uint32]:
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), "<u4").astype(
        np.uint32, copy=False
    )


def _distinct_labels(sequences: list[Sequence[Label]]) -> list[Label]:
    """The labels that occur, sorted if they can be."""
    if _all_text(sequences):
        return [chr(code) for code in np.unique(_code_points(sequences)).tolist()]
    if _all_integer_arrays(sequences):
        return list(np.unique(_joined(sequences)).tolist())
    try:
        distinct = [_plain(label) for label in dict.fromkeys(chain.from_iterable(sequences))]
    except TypeError as error:
        raise TypeError(f"sequences: {error}; labels must be hashable, as str, int or tuple") from None
    key: Callable[[Any], Any] = lambda label: (isinstance(label, str), label)  # noqa: E731
    try:
        return sorted(distinct, key=key)
    except TypeError:
        return distinct


# ------------------------------------------------------------------------------- end and start symbols


def _frame_label(argument: str, given: bool | Label, alphabet: Alphabet | None, usual: Label) -> Label | None:
    """The label that an end_symbol or start_symbol argument asks for, or None."""
    if given is False or given is None:
        return None
    of_alphabet = getattr(alphabet, argument, None)
    label = given if given is not True else usual if of_alphabet is None else of_alphabet
    if alphabet is not None and label != of_alphabet:
        has = "has none" if of_alphabet is None else f"has {of_alphabet!r}"
        raise ValueError(
            f"{argument}: the alphabet {has}, not {label!r}; leave {argument} out or change the alphabet"
        )
    return _plain(label)


def _default_frame(
    argument: str, given: bool | Label | None, alphabet: Alphabet | None, by_default: bool, usual: Label
) -> Label | None:
    if given is None:
        given = by_default if alphabet is None else getattr(alphabet, argument) is not None
    return _frame_label(argument, given, alphabet, usual)


def _refuse_equal_frame(end: Label | None, start: Label | None) -> None:
    if end is not None and end == start:
        raise ValueError(f"start_symbol: {start!r} is the end symbol too; they must differ")


def _refuse_frame_labels(sequences: list[Sequence[Label]], labels: set[Label]) -> None:
    for label in labels:
        i = next(i for i, sequence in enumerate(sequences) if label in sequence)
        raise ValueError(_frame_message(i, label))


def _refuse_frame_ids(
    symbols: Symbols, offsets: Offsets, ids: Sequence[int | None], alphabet: Alphabet
) -> None:
    for own in ids:
        if own is None:
            continue
        found = np.flatnonzero(symbols == own)
        if found.size:
            i = int(np.searchsorted(offsets, found[0], side="right")) - 1
            raise ValueError(_frame_message(i, alphabet.labels[own]))


def _frame_message(i: int, label: Label) -> str:
    return (
        f"sequences[{i}] contains {label!r}, the label of the end or start symbol; "
        "choose another label for it, or leave end_symbol and start_symbol out if they are there already"
    )


def _framed(
    symbols: Symbols, offsets: Offsets, end: int | None, start: int | None
) -> tuple[Symbols, Offsets]:
    """With the end and start symbol put around every sequence."""
    if end is None and start is None:
        return symbols, offsets
    n_sequences = offsets.size - 1
    per_sequence = (end is not None) + (start is not None)
    framed_offsets = offsets + per_sequence * np.arange(n_sequences + 1)
    framed = np.empty(framed_offsets[-1], np.int32)
    inside = np.ones(framed.size, bool)
    if start is not None:
        inside[framed_offsets[:-1]] = False
        framed[framed_offsets[:-1]] = start
    if end is not None:
        inside[framed_offsets[1:] - 1] = False
        framed[framed_offsets[1:] - 1] = end
    framed[inside] = symbols
    return framed, framed_offsets


# ------------------------------------------------------------------------------------------------- arrays


def _read_only(argument: str, values: ArrayLike, dtype: type[np.signedinteger[Any]]) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"{argument} must be a one-dimensional array of integers, not {array.ndim}-d {array.dtype}"
        )
    converted = np.ascontiguousarray(array, dtype=dtype)
    if array.size and converted is not array and not np.array_equal(converted, array):
        raise ValueError(f"{argument}: a value does not fit {np.dtype(dtype)}")
    view: NDArray[Any] = converted.view()
    view.flags.writeable = False
    return view


def _check_offsets(offsets: Offsets, n_symbols: int) -> None:
    if not offsets.size or offsets[0] != 0 or offsets[-1] != n_symbols or np.any(np.diff(offsets) < 0):
        raise ValueError(f"offsets must rise from 0 to the number of symbols, {n_symbols}")


def _check_symbols(symbols: Symbols, n_labels: int) -> None:
    if symbols.size and (symbols.min() < UNKNOWN or symbols.max() >= n_labels):
        raise ValueError(f"symbols must be ids below {n_labels}, the size of the alphabet, or {UNKNOWN}")
