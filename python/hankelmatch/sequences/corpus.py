"""Corpora: sequences of symbols, read from a text file or given."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._utils.validation import argument_named, check_flag, checked_whole, random_generator, real_array
from ._boundary_symbols import (
    DEFAULT_END,
    DEFAULT_START,
    completed,
    frame_label,
    framed_by,
    reader_frame,
    refuse_equal_frame,
)
from ._text_checks import (
    Path,
    check_unit,
    frame_in_text,
    line_of,
    no_text,
    not_utf8,
    read_bytes,
    warn_of_numbers,
    without_marks,
)
from .alphabet import Alphabet
from .labels import Label, Offsets, Symbols, as_list, checked_label, frozen
from .strings import Strings, labels_in


class Corpus(Strings):
    """The sequences of a text.

    Parameters
    ----------
    symbols, offsets : array_like of int
        As for `Strings`.
    alphabet : Alphabet
        As for `Strings`.
    source : str, optional
        The file that it came from.

    See Also
    --------
    read_text, hankelmatch.read_spice

    Examples
    --------
    >>> corpus = Corpus.from_sequences(["ab", "b"], end_symbol=True)
    >>> corpus.n_sequences, corpus.n_symbols, corpus[1]
    (2, 5, ('b', '</s>'))
    >>> corpus.alphabet.labels, corpus.alphabet.end_id
    (('a', 'b', '</s>'), 2)
    """

    def __init__(
        self,
        symbols: ArrayLike,
        offsets: ArrayLike | None = None,
        alphabet: Alphabet | None = None,
        *,
        source: str | None = None,
    ) -> None:
        if offsets is None or alphabet is None:
            raise TypeError(
                "offsets: they and the alphabet are needed beside the ids in symbols; "
                "Corpus.from_sequences(sequences) takes sequences of labels, read_text(path) a file"
            )
        super().__init__(symbols, offsets, alphabet)
        self._source = source

    @classmethod
    def from_sequences(
        cls,
        sequences: Iterable[Iterable[Label]],
        alphabet: Alphabet | None = None,
        *,
        end_symbol: bool | Label | None = None,
        start_symbol: bool | Label | None = None,
    ) -> Corpus:
        """A corpus from sequences of labels.

        Parameters
        ----------
        sequences : iterable of sequences
            Each a str (its characters are the symbols), a numpy array, or any iterable of labels.
        alphabet : Alphabet, optional
            Labels outside it become unknown symbols. If not given: the labels that occur, sorted, then
            the end symbol, then the start symbol, then the unknown symbol.
        end_symbol, start_symbol : bool, label or None
            Close or open every sequence with a symbol. True takes that of `alphabet`, or else the labels
            ``"</s>"`` and ``"<s>"``; a label of your own is taken as it is. Sequences that all have it in its
            place already keep it. None, the default, means what `alphabet` has, or else neither; symbols of
            Strings that have such a role keep it, and so does their unknown symbol.

        Returns
        -------
        Corpus
            The sequences, in the order given.

        Raises
        ------
        ValueError
            If the label of the end or start symbol is not in `alphabet`, or occurs in a sequence, unless all
            sequences have it in its place and nowhere else.
        """
        end, start = reader_frame(end_symbol, start_symbol, alphabet, ends=False)
        given = sequences if isinstance(sequences, Strings) else as_list(sequences)
        if alphabet is None:
            roles = _roles(given, (end_symbol, end), (start_symbol, start))
            special = [x for x in roles if x is not None]
            labels = [label for label in labels_in(given) if label not in special]
            with argument_named("sequences", "labels"):
                alphabet = Alphabet([*labels, *special], *roles)
        symbols, offsets = alphabet.encode(given)
        frame_ids = [None if x is None else alphabet.id(x) for x in (end, start)]
        return cls(*frozen(*framed_by(symbols, offsets, alphabet, frame_ids)), alphabet)

    def with_unknown_symbol(self, min_count: int, unknown_symbol: Label = "<unk>") -> Corpus:
        """The corpus with one symbol in place of all rare ones, and of all that other texts will bring.

        Parameters
        ----------
        min_count : int
            Symbols that occur less often become the unknown symbol. End and start symbol stay.
        unknown_symbol : label, optional
            Its label. If it is in the text already, as in many corpora of words, the symbol has it.

        Returns
        -------
        Corpus
            Its alphabet has the unknown symbol. Texts that are read with that alphabet, or scored by a model
            with it, have it for each symbol that they alone contain.

        Raises
        ------
        ValueError
            If `min_count` is below 1, or the label is that of the end or start symbol.

        Examples
        --------
        >>> corpus = Corpus.from_sequences(["abacab"]).with_unknown_symbol(2)
        >>> corpus[0], corpus.alphabet.encode(["axb"])[0].tolist()
        (('a', 'b', 'a', '<unk>', 'a', 'b'), [0, 2, 1])
        """
        least = checked_whole("min_count", min_count, 1)
        unknown_symbol = checked_label("unknown_symbol", unknown_symbol)
        own = self._alphabet
        known = self._symbols[self._symbols >= 0]
        counts = np.bincount(known, minlength=len(own))
        frame = (own.end_symbol, own.start_symbol)
        kept = [
            label
            for label, count in zip(own.labels, counts.tolist(), strict=True)
            if (count >= least or label in frame) and label != unknown_symbol
        ]
        with argument_named("unknown_symbol", "labels"):
            alphabet = Alphabet([*kept, unknown_symbol], *frame, unknown_symbol)
        return self.reencode(alphabet)

    def with_boundary_symbols(
        self, end_symbol: bool | Label = True, start_symbol: bool | Label = True
    ) -> Corpus:
        """The corpus with an end and a start symbol: every sequence gets them where it lacks them.

        Parameters
        ----------
        end_symbol, start_symbol : bool or label
            True for the symbol that the alphabet has, or else one with the label ``"</s>"`` or ``"<s>"``; or
            a label of your own, where the alphabet has none. False adds none.

        Returns
        -------
        Corpus
            Itself if there is nothing to add.

        Raises
        ------
        ValueError
            If the alphabet has another such symbol, or the label is an ordinary symbol of the text, unless
            all sequences have it in its place and nowhere else.

        Examples
        --------
        >>> corpus = Corpus.from_sequences(["ab", "b"], end_symbol=True)
        >>> list(corpus.with_boundary_symbols())
        [('<s>', 'a', 'b', '</s>'), ('<s>', 'b', '</s>')]
        """
        own = self._alphabet
        new: dict[str, Label] = {}
        for argument, given, usual in (
            ("end_symbol", end_symbol, DEFAULT_END),
            ("start_symbol", start_symbol, DEFAULT_START),
        ):
            of_alphabet = getattr(own, argument)
            label = frame_label(argument, given, None if of_alphabet is None else own, usual)
            if label is not None and of_alphabet is None:
                new[argument] = label
        symbols, offsets = self._symbols, self._offsets
        if new:
            end, start = new.get("end_symbol", own.end_symbol), new.get("start_symbol", own.start_symbol)
            refuse_equal_frame(end, start)
            labels = [*own.labels, *(label for label in new.values() if label not in own)]
            alphabet = Alphabet(labels, end, start, own.unknown_symbol)
            ids = [alphabet.id(new[x]) if x in new else None for x in ("end_symbol", "start_symbol")]
            symbols, offsets = framed_by(symbols, offsets, alphabet, ids)
        else:
            alphabet = own
        wanted = [
            None if given is False else found
            for given, found in ((end_symbol, alphabet.end_id), (start_symbol, alphabet.start_id))
        ]
        symbols, offsets = completed(symbols, offsets, *wanted)
        return (
            self if symbols is self._symbols and alphabet is own else self._like(symbols, offsets, alphabet)
        )

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
        if len(self) != 1:
            return [self.take(places) for places in self.split_places(fractions, seed)]
        pieces = pairwise(_bounds(fractions, self.n_symbols, "symbols"))
        return [self._like(self._symbols[i:j], np.array([0, j - i]), self._alphabet) for i, j in pieces]

    def split_places(self, fractions: Sequence[float], seed: int = 0) -> list[NDArray[np.int64]]:
        """Which sequences `split` puts into each part, so that weights, say, can be cut alike."""
        bounds = _bounds(fractions, len(self), "sequences")
        order = random_generator("seed", seed).permutation(len(self))
        return [np.sort(order[i:j]) for i, j in pairwise(bounds)]

    def _like(self, symbols: Symbols, offsets: Offsets, alphabet: Alphabet) -> Corpus:
        return type(self)(*frozen(symbols, offsets), alphabet, source=self._source)


def read_text(
    path: Path,
    unit: str = "char",
    end_symbol: bool | Label | None = None,
    start_symbol: bool | Label | None = None,
    *,
    stream: bool = False,
    marked: bool = False,
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
    marked : bool
        Lines begin and end with ``<s>`` and ``</s>``, or the labels given, already: they are taken off, and
        `end_symbol` and `start_symbol` decide as for any other text.
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

    Warns
    -----
    UserWarning
        If tokens are read of a file in the format of SPiCe, PAutomaC or Abbadingo.

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
    check_unit(unit)
    check_flag("stream", stream)
    check_flag("marked", marked)
    frame = reader_frame(end_symbol, start_symbol, alphabet, ends=not stream)
    corpus = text_corpus(path, read_bytes(path), unit, frame, stream=stream, marked=marked)
    return corpus if alphabet is None else corpus.reencode(alphabet)


def text_corpus(
    path: Path,
    data: bytes,
    unit: str,
    frame: tuple[Label | None, Label | None],
    *,
    stream: bool,
    marked: bool,
) -> Corpus:
    """As read_text, of a file that was read: a pipe can be read once only."""
    end, start = frame
    if marked:
        data = without_marks(
            data, DEFAULT_END if end is None else end, DEFAULT_START if start is None else start
        )
    if unit == "token" and not stream:
        warn_of_numbers(path, data)
    symbols, offsets, labels = _tokenize(path, data, frame, tokens=unit == "token", stream=stream)
    for argument, label in (("end_symbol", end), ("start_symbol", start)):
        if label in labels:
            line = line_of(symbols, offsets, labels, labels.index(label))
            raise frame_in_text(path, line, label, argument, is_stream=stream or marked)
    own = Alphabet([*labels, *(x for x in frame if x is not None)], end, start)
    return Corpus(*frozen(symbols, offsets), own, source=os.fspath(path))


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
    symbols, _, labels = _core.read_text(data, True, newlines, False, False)
    return [labels[i] for i in symbols.tolist()]


def _roles(
    given: Strings | list[Sequence[Label]],
    *frame: tuple[bool | Label | None, Label | None],
) -> list[Label | None]:
    """End, start and unknown symbol: as asked for, by argument and label, or those that strings have."""
    if not isinstance(given, Strings):
        return [*(label for _, label in frame), None]
    own = (given.alphabet.end_symbol, given.alphabet.start_symbol)
    kept = [has if asked is None else label for (asked, label), has in zip(frame, own, strict=True)]
    return [*kept, given.alphabet.unknown_symbol]


def _bounds(fractions: Sequence[float], total: int, unit: str) -> list[int]:
    """Where parts of so many sequences or symbols begin and end."""
    shares = real_array("fractions", fractions).astype(np.float64)
    if shares.ndim != 1 or not shares.size or not np.all(shares > 0) or not np.all(np.isfinite(shares)):
        raise ValueError(f"fractions must be positive numbers, one for each part, not {fractions!r}")
    bounds = np.rint(total * np.append(0.0, np.cumsum(shares) / shares.sum())).astype(np.int64)
    if not np.all(np.diff(bounds)):
        raise ValueError(f"fractions: {total} {unit} are too few for {shares.size} parts, one would be empty")
    return list(bounds.tolist())


def _tokenize(
    path: Path, data: bytes, frame: tuple[Label | None, Label | None], **how: bool
) -> tuple[Symbols, Offsets, list[str]]:
    end, start = (label is not None for label in frame)
    try:
        # By position: where there is no memory for a keyword, pybind11 writes to address 0.
        symbols, offsets, labels = _core.read_text(data, how["tokens"], how["stream"], end, start)
    except ValueError as error:
        raise not_utf8(path, error, data[:2], b"\0" in data) from None
    if not labels:
        raise no_text(path)
    return symbols, offsets, labels
