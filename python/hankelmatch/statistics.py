"""Second stage: a sparse function f on strings, such as the expected number of times a substring occurs."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._files import load_arrays, named_damage, save_arrays
from ._tables import read_table
from .alphabet import check_alphabet
from .corpus import Alphabet, Corpus, Strings

__all__ = ["SequenceFunction", "prefix_probabilities", "string_probabilities", "substring_expectations"]

_KIND = "sequence function"
_VERSION = 1
_LARGEST = np.iinfo(np.int64).max
_BLOCK = 1 << 16  # numbers converted at a time


class SequenceFunction:
    """A function on strings that is zero on all but finitely many: its support.

    Made by `substring_expectations`, `prefix_probabilities`, `string_probabilities`, `from_dict` or
    `from_strings`, not by calling the class.

    Attributes
    ----------
    alphabet : Alphabet
        The symbols.
    n_sequences : int or None
        How many sequences the function was estimated from; None if it was given.
    max_length : int
        Length of the longest string of the support.

    Notes
    -----
    The prefixes of the support are kept as a trie in level order: 24 bytes a string with its value (20
    without suffix links), 16 more where there are over 2^31 strings, and 8 for each string of the support if
    some prefixes are not in it.

    Examples
    --------
    >>> from hankelmatch import SequenceFunction
    >>> f = SequenceFunction.from_dict({(): 1.0, ("a",): 0.5, ("a", "b"): 0.25})
    >>> len(f), f("ab"), f("ba"), f.max_length
    (3, 0.25, 0.0, 2)
    """

    alphabet: Alphabet
    n_sequences: int | None
    max_length: int
    _trie: _core.Trie32 | _core.Trie64
    _values: NDArray[np.float64]  # by node
    _support: NDArray[np.intp] | None  # the nodes whose value is not zero; None: all of them

    def __init__(self) -> None:
        raise TypeError(
            "use substring_expectations(corpus, max_length) or SequenceFunction.from_dict(values)"
        )

    @classmethod
    def _of_trie(
        cls,
        trie: _core.Trie32 | _core.Trie64,
        values: NDArray[np.float64],
        alphabet: Alphabet,
        n_sequences: int | None,
    ) -> SequenceFunction:
        """Wrap a trie and the value at each of its nodes."""
        self = cls.__new__(cls)
        values.flags.writeable = False
        self._trie = trie
        self._values = values
        self._support = None if values.all() else np.flatnonzero(values)
        self.alphabet = alphabet
        self.n_sequences = n_sequences
        last = len(values) - 1 if self._support is None else int(self._support.max(initial=0))
        self.max_length = int(np.searchsorted(trie.level_begin, last, side="right")) - 1
        return self

    @classmethod
    def from_dict(
        cls, values: Mapping[Iterable[Hashable], float], alphabet: Alphabet | None = None
    ) -> SequenceFunction:
        """Take the values from a dictionary.

        Parameters
        ----------
        values : mapping of strings to float
            A string is a tuple of symbols, or a `str`, which stands for its characters. Zeros are left
            out: the support is where f is not zero.
        alphabet : Alphabet, optional
            By default the symbols that occur, sorted.

        Raises
        ------
        ValueError
            If a value is not finite, a symbol is not in `alphabet`, or two keys are the same string.

        Examples
        --------
        >>> from hankelmatch import SequenceFunction
        >>> f = SequenceFunction.from_dict({"": 1.0, "ab": 2.0})
        >>> list(f.items())
        [((), 1.0), (('a', 'b'), 2.0)]
        """
        if not isinstance(values, Mapping):
            raise TypeError(
                f"values: a mapping of strings to numbers is needed, not {type(values).__name__}; "
                "from_strings takes strings and values apart"
            )
        return cls.from_strings(list(values.keys()), list(values.values()), alphabet)

    @classmethod
    def from_strings(
        cls,
        strings: Sequence[Iterable[Hashable]],
        values: Sequence[float] | NDArray[Any],
        alphabet: Alphabet | None = None,
    ) -> SequenceFunction:
        """Take the values from two parallel sequences; see `from_dict`.

        Parameters
        ----------
        strings : sequence of strings
            Tuples of symbols, `str`, or `Strings`; each string once.
        values : sequence of float, shape (n_strings,)
            The value of each string.
        alphabet : Alphabet, optional
            By default the symbols that occur, sorted.
        """
        if alphabet is not None:
            check_alphabet(alphabet)
        flat = strings if isinstance(strings, Strings) else Strings.from_sequences(strings, alphabet)
        if alphabet is not None and flat.alphabet != alphabet:
            flat = flat.reencode(alphabet)
        refuse_unknown(flat, "strings", "put all symbols into the alphabet")
        given = np.array(values, dtype=np.float64)
        if given.shape != (len(flat),):
            raise ValueError(
                f"values: one for each of the {len(flat)} strings is needed, not shape {given.shape}"
            )
        if not np.isfinite(given).all():
            bad = int(np.flatnonzero(~np.isfinite(given))[0])
            raise ValueError(f"values: that of string {flat[bad]!r} is {given[bad]}, not a finite number")
        trie, nodes = _core.string_set(flat.symbols, flat.offsets)
        refuse_repeated(flat, nodes, "strings")
        at_node = np.zeros(trie.n_nodes)
        at_node[nodes] = given
        return cls._of_trie(trie, at_node, flat.alphabet, None)

    def __len__(self) -> int:
        """Size of the support."""
        return len(self._values if self._support is None else self._support)

    def __call__(self, string: Iterable[Hashable]) -> float:
        """Value of a string of labels; 0.0 outside the support and for symbols not in the alphabet."""
        return float(self.values_of(Strings.from_sequences([tuple(string)], self.alphabet))[0])

    def __repr__(self) -> str:
        sizes = f"{len(self)} strings of length <= {self.max_length} over {len(self.alphabet)} symbols"
        return f"<SequenceFunction: {sizes}>"

    def values_of(self, strings: Strings | Sequence[Iterable[Hashable]]) -> NDArray[np.float64]:
        """Values of many strings at once.

        Parameters
        ----------
        strings : Strings or sequence of strings
            Read by label: they may have another alphabet.

        Returns
        -------
        ndarray, shape (n_strings,)
        """
        nodes = self._nodes_of(strings)
        return np.where(nodes >= 0, self._values[np.maximum(nodes, 0)], 0.0)

    def strings(self) -> Strings:
        """The support, by length and then by symbol ids."""
        support = np.arange(len(self)) if self._support is None else self._support
        symbols, offsets = self._trie.spell(support.astype(self._node_dtype))
        return Strings(symbols, offsets, self.alphabet)

    def values(self) -> NDArray[np.float64]:
        """The values on the support, in the order of `strings`; read-only."""
        if self._support is None:
            return self._values
        values = self._values[self._support]
        values.flags.writeable = False
        return values

    def items(self) -> Iterator[tuple[tuple[Hashable, ...], float]]:
        """Strings of the support with their values, by length and then by symbol ids."""
        return zip(self.strings(), self.values().tolist(), strict=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to an ``.npz`` file, exact to the bit, without pickle; the labels must be str or int."""
        strings = self.strings()
        header = {"alphabet": self.alphabet.to_json(), "n_sequences": self.n_sequences}
        arrays: dict[str, NDArray[Any]] = {
            "symbols": strings.symbols,
            "offsets": strings.offsets,
            "values": self.values(),
        }
        save_arrays(path, _KIND, _VERSION, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SequenceFunction:
        """Load what `save` saved."""
        header, arrays = load_arrays(path, _KIND, _VERSION)
        with named_damage(path):
            strings = Strings(arrays["symbols"], arrays["offsets"], Alphabet.from_json(header["alphabet"]))
            return cls._restored(strings, arrays["values"], header["n_sequences"])

    @classmethod
    def _restored(
        cls, strings: Strings, values: NDArray[np.float64], n_sequences: int | None
    ) -> SequenceFunction:
        restored = cls.from_strings(strings, values)
        restored.n_sequences = n_sequences
        return restored

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied and pickled by its strings and values; the trie is the core's own."""
        return self._restored, (self.strings(), self.values(), self.n_sequences)

    @classmethod
    def from_parquet(
        cls,
        path: str | os.PathLike[str],
        min_count: int = 1,
        *,
        n_sequences: int | None = None,
        unit: str = "char",
        alphabet: Alphabet | None = None,
    ) -> SequenceFunction:
        """Read a table of substrings and their counts, ours (see `count_to_parquet`) or anyone else's.

        Parameters
        ----------
        path : str or os.PathLike
            A Parquet file, or a folder of them that are read as one table. Two columns are needed: ``count``,
            integers, and ``string``, which holds lists of ids (in a table written by hankelmatch), lists of
            labels (text or integers), or plain text. Each string has one row.
        min_count : int
            Read only strings that occur so often, and the empty one. What is left out takes no memory.
        n_sequences : int, optional
            Number of sequences that were counted, by which f divides; needed where the table does not tell.
        unit : {"char", "token"}
            For plain text: whether its symbols are characters, or stand between blanks.
        alphabet : Alphabet, optional
            By default the table's own, or else the labels that occur, sorted.

        Returns
        -------
        SequenceFunction
            f(x) = count of x / n_sequences. Where the table has no row for the empty string, its count is
            taken to be n_sequences + the counts of all single symbols, as it is in any text.

        Raises
        ------
        OSError
            If there is no such file.
        ValueError
            If it is not such a table; the message tells what is missing.
        ImportError
            If pyarrow is not installed (``pip install 'hankelmatch[dask]'``).

        Notes
        -----
        Time: linear for a table in lexicographic order, as ours are, else that of sorting the strings.
        Memory at the peak: about 70 bytes and 8 more for each symbol, for every string kept.

        Examples
        --------
        >>> from hankelmatch import SequenceFunction
        >>> SequenceFunction.from_parquet("ngrams.parquet", min_count=5, n_sequences=1000)  # doctest: +SKIP
        <SequenceFunction: 31245 strings of length <= 5 over 10001 symbols>
        """
        least = checked_whole("min_count", min_count, 1)
        if unit not in ("char", "token"):
            raise ValueError(f'unit must be "char" or "token", not {unit!r}')
        header, strings, counts = read_table(path, least, unit, alphabet)
        refuse_unknown(strings, "alphabet", "add all symbols of the table to it")
        total = header.get("n_sequences", n_sequences)
        if total is None or (n_sequences is not None and n_sequences != total):
            told = "does not tell it" if total is None else f"tells {total}"
            raise ValueError(
                f"n_sequences: {n_sequences} is given, and the table {told}; the number is needed"
            )
        trie, nodes = _core.string_set(strings.symbols, strings.offsets)
        refuse_repeated(strings, nodes, str(path))
        at_node = np.zeros(trie.n_nodes, np.int64)
        at_node[nodes] = counts
        if at_node[0] == 0:
            at_node[0] = total + at_node[trie.child_begin[0] : trie.child_begin[1]].sum()
        return cls._of_trie(trie, divided(at_node, total), strings.alphabet, total)

    @property
    def _node_dtype(self) -> type[np.int32] | type[np.int64]:
        return np.int32 if isinstance(self._trie, _core.Trie32) else np.int64

    @property
    def _is_closed(self) -> bool:
        """Whether every substring of a support string is in the support."""
        return len(self) == self._trie.n_nodes and len(self._trie.suffix) > 0

    def _nodes_of(self, strings: Strings | Sequence[Iterable[Hashable]]) -> NDArray[Any]:
        flat = strings if isinstance(strings, Strings) else Strings.from_sequences(strings, self.alphabet)
        if flat.alphabet != self.alphabet:
            flat = flat.reencode(self.alphabet)
        nodes: NDArray[Any] = self._trie.find(flat.symbols, flat.offsets)
        return nodes


def substring_expectations(
    corpus: Corpus | Sequence[Iterable[Hashable]], max_length: int, min_count: int = 1
) -> SequenceFunction:
    """Expected number of occurrences of every string as a substring of a sequence of the corpus.

    Parameters
    ----------
    corpus : Corpus or sequence of sequences
        At least one sequence.
    max_length : int
        T, the length of the longest substrings, at least 0.
    min_count : int
        Leave out every string that occurs less often, except the empty one. What is kept is still closed
        under substrings (a substring occurs at least as often), and f of it is what it was.

    Returns
    -------
    SequenceFunction
        f_T(x) = occurrences of x in the corpus / number of sequences, for every x of length 0 to T that
        occurs; f_T(empty) = 1 + mean length.

    Raises
    ------
    ValueError
        If there is no sequence, `max_length` is negative, `min_count` is not positive, or the corpus has
        symbols outside its alphabet.

    Notes
    -----
    Time: a radix sort of the text's places by the T symbols that follow, then two walks over them, linear in
    the text and the distinct substrings kept; all on every core. Ctrl-C stops it within a fraction of a
    second.

    Memory at the peak, beside the corpus (4 bytes a symbol) and the result (24 bytes a string): for each
    symbol of the text 4 bytes where T symbols take at most 44 bits (7 of up to 63 symbols do), else 8 for
    every word of 64 bits that they take (10 of up to 63 symbols take one; 5 of up to 2 million two), at most
    twice that where a few symbols begin most of the text; 40 bytes where they take more than four words.

    References
    ----------
    Balle, Carreras, Luque, Quattoni (2014): Spectral learning of weighted automata: a forward-backward
    perspective. Machine Learning 96. Quattoni, Carreras, Gallé (2017), section 5.2.

    Examples
    --------
    >>> from hankelmatch import substring_expectations
    >>> f = substring_expectations(["aab", "b"], 2)
    >>> f("a"), f("ab"), f("")
    (1.0, 0.5, 3.0)
    """
    corpus = _checked_corpus(corpus)
    trie, counts = _core.count_substrings(
        corpus.symbols,
        corpus.offsets,
        checked_whole("max_length", max_length, 0),
        min_count=checked_whole("min_count", min_count, 1),
    )
    return SequenceFunction._of_trie(trie, divided(counts, len(corpus)), corpus.alphabet, len(corpus))


def string_probabilities(corpus: Corpus | Sequence[Iterable[Hashable]]) -> SequenceFunction:
    """Relative frequency of every whole sequence in the corpus.

    Parameters
    ----------
    corpus : Corpus or sequence of sequences
        At least one sequence.

    Returns
    -------
    SequenceFunction
        f(x) = number of sequences equal to x / number of sequences.

    Raises
    ------
    ValueError
        If there is no sequence, or the corpus has symbols outside its alphabet.

    Notes
    -----
    Cost: sorting the sequences, then linear in the corpus.

    Examples
    --------
    >>> from hankelmatch import string_probabilities
    >>> f = string_probabilities(["ab", "b", "ab", "a"])
    >>> f("ab"), f("a"), len(f)
    (0.5, 0.25, 3)
    """
    corpus = _checked_corpus(corpus)
    trie, nodes = _core.string_set(corpus.symbols, corpus.offsets)
    counts = np.bincount(nodes, minlength=trie.n_nodes)
    return SequenceFunction._of_trie(trie, counts / len(corpus), corpus.alphabet, len(corpus))


def prefix_probabilities(
    corpus: Corpus | Sequence[Iterable[Hashable]], max_length: int | None = None
) -> SequenceFunction:
    """Share of the corpus' sequences that begin with each string.

    Parameters
    ----------
    corpus : Corpus or sequence of sequences
        At least one sequence.
    max_length : int, optional
        Length of the longest prefixes; by default that of the longest sequence.

    Returns
    -------
    SequenceFunction
        f(x) = number of sequences that begin with x / number of sequences; f(empty) = 1.

    Raises
    ------
    ValueError
        If there is no sequence, or `max_length` is negative, or the corpus has symbols outside its alphabet.

    Notes
    -----
    Cost: sorting the sequences, then linear in the corpus. The suffixes of all prefixes are all substrings:
    for long sequences the prefix-suffix graph of this function is large without `max_length`.

    Examples
    --------
    >>> from hankelmatch import prefix_probabilities
    >>> f = prefix_probabilities(["ab", "b", "aa"])
    >>> round(f("a"), 3), f("")
    (0.667, 1.0)
    """
    corpus = _checked_corpus(corpus)
    symbols, offsets = corpus.symbols, corpus.offsets
    if max_length is not None:
        symbols, offsets = _cut_short(symbols, offsets, checked_whole("max_length", max_length, 0))
    trie, nodes = _core.string_set(symbols, offsets)
    counts = np.bincount(nodes, minlength=trie.n_nodes)
    for level in range(len(trie.level_begin) - 2, 0, -1):
        of_level = slice(int(trie.level_begin[level]), int(trie.level_begin[level + 1]))
        np.add.at(counts, trie.parent[of_level], counts[of_level])
    return SequenceFunction._of_trie(trie, counts / len(corpus), corpus.alphabet, len(corpus))


def _checked_corpus(corpus: Corpus | Sequence[Iterable[Hashable]]) -> Corpus:
    if not isinstance(corpus, Corpus):
        corpus = Corpus.from_sequences(corpus)
    if len(corpus) == 0:
        raise ValueError("corpus: it has no sequence; at least one is needed")
    refuse_unknown(corpus, "corpus", "read it without the alphabet of another text")
    return corpus


def refuse_unknown(strings: Strings, argument: str, remedy: str) -> None:
    """Raise ValueError if a symbol is not in the strings' alphabet."""
    unknown = np.flatnonzero(strings.symbols < 0)
    if len(unknown):
        string = int(np.searchsorted(strings.offsets, unknown[0], side="right")) - 1
        raise ValueError(f"{argument}: string {string} has a symbol that is not in the alphabet; {remedy}")


def refuse_repeated(strings: Strings, nodes: NDArray[Any], argument: str) -> None:
    """Raise ValueError if two strings have the same node of a trie."""
    repeated = np.flatnonzero(np.bincount(nodes) > 1)
    if len(repeated):
        first = int(np.flatnonzero(nodes == repeated[0])[0])
        raise ValueError(f"{argument}: {strings[first]!r} is given twice; each string may be there once")


def checked_whole(argument: str, value: int, least: int) -> int:
    """An argument that must be a whole number from `least`; at most the largest that the core takes."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{argument}: a whole number from {least} is needed, not {value!r}")
    return min(int(value), _LARGEST)  # no text has so many symbols


def divided(counts: NDArray[np.int64], divisor: int) -> NDArray[np.float64]:
    """The counts divided by a number, in the memory of `counts`, which is lost."""
    values = counts.view(np.float64)
    for begin in range(0, len(counts), _BLOCK):
        values[begin : begin + _BLOCK] = counts[begin : begin + _BLOCK] / divisor
    return values


def _cut_short(
    symbols: NDArray[np.int32], offsets: NDArray[np.int64], max_length: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Keep the first `max_length` symbols of each string."""
    lengths = np.diff(offsets)
    place = np.arange(len(symbols)) - np.repeat(offsets[:-1], lengths)
    cut = np.concatenate([[0], np.cumsum(np.minimum(lengths, max_length))])
    return symbols[place < max_length], cut
