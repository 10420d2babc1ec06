"""Sparse functions on strings: zero on all but finitely many."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._utils.files import load_arrays, named_damage, save_arrays
from .._utils.validation import argument_named, as_string, checked_n_sequences, checked_whole, real_array
from ..sequences._text_checks import check_unit
from ..sequences.alphabet import Alphabet, as_alphabet, check_alphabet, refuse_ambiguous
from ..sequences.labels import frozen
from ..sequences.strings import Strings, as_strings
from ._parquet import read_table

_KIND = "sequence function"
_VERSION = 1
_BLOCK = 1 << 16  # numbers converted at a time


class SequenceFunction:
    """A function on strings that is zero on all but finitely many: its support.

    `substring_expectations`, `prefix_probabilities` and `string_probabilities` count such functions from a
    corpus; the class takes values that are known, as `from_dict` does.

    Parameters
    ----------
    values : mapping of strings to float
        As for `from_dict`.
    alphabet : Alphabet, optional
        By default the symbols that occur, sorted.
    n_sequences : float, optional
        How many sequences the values were estimated from.

    Attributes
    ----------
    alphabet : Alphabet
        The symbols.
    n_sequences : float or None
        How many sequences the function was estimated from, or the sum of their weights; None if unknown.
    max_length : int
        Length of the longest string of the support.

    Notes
    -----
    A trie in level order holds all prefixes of the support. It takes 24 bytes for each prefix, with its value
    (20 without suffix links); 16 more where there are over 2^31 of them; and 8 for each string of the support
    if some prefix is outside it.

    Examples
    --------
    >>> from hankelmatch import SequenceFunction
    >>> f = SequenceFunction.from_dict({(): 1.0, ("a",): 0.5, ("a", "b"): 0.25})
    >>> len(f), f("ab"), f("ba"), f.max_length
    (3, 0.25, 0.0, 2)
    """

    alphabet: Alphabet
    max_length: int
    _n_sequences: float | None
    _trie: _core.Trie32 | _core.Trie64
    _values: NDArray[np.float64]  # by node
    _support: NDArray[np.intp] | None  # the nodes whose value is not zero; None: all of them

    def __init__(
        self,
        values: StringValues | None = None,
        alphabet: Alphabet | None = None,
        *,
        n_sequences: float | None = None,
    ) -> None:
        if not isinstance(values, Mapping):
            raise TypeError(
                f"values: a mapping of strings to numbers is needed, not {type(values).__name__}; a corpus "
                "is counted by substring_expectations(corpus, max_length), and strings and values apart are "
                "taken by SequenceFunction.from_strings"
            )
        self.__dict__.update(type(self).from_dict(values, alphabet, n_sequences=n_sequences).__dict__)

    @classmethod
    def _of_trie(
        cls,
        trie: _core.Trie32 | _core.Trie64,
        values: NDArray[np.float64],
        alphabet: Alphabet,
        n_sequences: float | None,
    ) -> SequenceFunction:
        """Wrap a trie and the value at each of its nodes."""
        self = cls.__new__(cls)
        values.flags.writeable = False
        self._trie = trie
        self._values = values
        self._support = None if values.all() else np.flatnonzero(values)
        self.alphabet = alphabet
        self._n_sequences = n_sequences
        last = len(values) - 1 if self._support is None else int(self._support.max(initial=0))
        self.max_length = int(np.searchsorted(trie.level_begin, last, side="right")) - 1
        return self

    @classmethod
    def from_dict(
        cls, values: StringValues, alphabet: Alphabet | None = None, *, n_sequences: float | None = None
    ) -> SequenceFunction:
        """Take the values from a dictionary.

        Parameters
        ----------
        values : mapping of strings to float
            A string is a tuple of symbols, or a `str`, which stands for its characters. Zeros are left
            out: the support is where f is not zero.
        alphabet : Alphabet, optional
            By default the symbols that occur, sorted.
        n_sequences : float, optional
            How many sequences the values were estimated from; `SpectralLearner`, and a `LanguageModel` with
            mixed contexts, need it.

        Raises
        ------
        ValueError
            If a value is no real number or not finite, a symbol is not in `alphabet`, two keys are the same
            string, or `n_sequences` is not above 0.
        TypeError
            If `values` is no mapping.

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
        with argument_named("values", "strings"):
            return cls.from_strings(
                list(values.keys()), list(values.values()), alphabet, n_sequences=n_sequences
            )

    @classmethod
    def from_strings(
        cls,
        strings: Sequence[Iterable[Hashable]],
        values: ArrayLike,
        alphabet: Alphabet | None = None,
        *,
        n_sequences: float | None = None,
    ) -> SequenceFunction:
        """Take the values from two parallel sequences; see `from_dict`.

        Parameters
        ----------
        strings : sequence of strings
            Tuples of symbols, `str`, arrays (one of shape (n_strings, length) is strings of one length), or
            `Strings`; each string once.
        values : array_like of float, shape (n_strings,)
            The value of each string.
        alphabet : Alphabet, optional
            By default the symbols that occur, sorted.
        n_sequences : float, optional
            How many sequences the values were estimated from.

        Raises
        ------
        ValueError
            As for `from_dict`, or if there is not one value for each string.

        Examples
        --------
        >>> import numpy as np
        >>> from hankelmatch import SequenceFunction
        >>> f = SequenceFunction.from_strings(np.array([[0, 1], [1, 1]]), np.array([0.5, 0.25]))
        >>> f((1, 1))
        0.25
        """
        if alphabet is not None:
            check_alphabet(alphabet)
        flat = as_strings("strings", strings, alphabet)
        if alphabet is not None and flat.alphabet != alphabet:
            flat = flat.reencode(alphabet)
        refuse_unknown(flat, "strings", "put all symbols into the alphabet")
        given = real_array("values", values).astype(np.float64)
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
        return cls._of_trie(trie, at_node, flat.alphabet, checked_n_sequences(n_sequences))

    @property
    def n_sequences(self) -> float | None:
        """How many sequences the function was estimated from, or the sum of their weights."""
        return self._n_sequences

    def __len__(self) -> int:
        """Size of the support."""
        return len(self._values if self._support is None else self._support)

    def __call__(self, string: Iterable[Hashable]) -> float:
        """Value of a string of labels; 0.0 outside the support and for symbols not in the alphabet.

        Raises
        ------
        ValueError
            If a text is given where labels are words or numbers, or a list of texts where they are
            characters: `values_of` takes many strings.
        """
        symbols = as_string("string", string)
        refuse_ambiguous("string", string, symbols, self.alphabet)
        with argument_named("string", "sequences"):
            return float(self.values_of(Strings.from_sequences([symbols], self.alphabet))[0])

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
        nodes: Any = support.astype(self._trie.level_begin.dtype)
        symbols, offsets = self._trie.spell(nodes)
        return Strings(*frozen(symbols, offsets), self.alphabet)

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
        cls, strings: Strings, values: NDArray[np.float64], n_sequences: float | None
    ) -> SequenceFunction:
        return cls.from_strings(strings, values, n_sequences=n_sequences)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied and pickled by its strings and values; the trie is the core's own."""
        return self._restored, (self.strings(), self.values(), self.n_sequences)

    @classmethod
    def from_parquet(
        cls,
        path: str | os.PathLike[str],
        min_count: int = 1,
        *,
        n_sequences: float | None = None,
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
        n_sequences : float, optional
            Number of sequences that were counted, by which f divides; required where the table lacks it.
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
            If it is not such a table; the message names what is missing.
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
        n_sequences = checked_n_sequences(n_sequences)
        check_unit(unit)
        header, strings, counts = read_table(path, least, unit, alphabet)
        refuse_unknown(strings, "alphabet", "add all symbols of the table to it")
        total = header.get("n_sequences", n_sequences)
        if total is None or (n_sequences is not None and n_sequences != total):
            found = "has none" if total is None else f"has {total}"
            raise ValueError(
                f"n_sequences: {n_sequences} given, but the table {found}; give the number counted"
            )
        n_singles = sum(counts[strings.lengths == 1].tolist())
        kept = np.flatnonzero((counts >= least) | (strings.lengths == 0))
        if len(kept) < len(counts):
            strings, counts = strings.take(kept), counts[kept]
        trie, nodes = _core.string_set(strings.symbols, strings.offsets)
        refuse_repeated(strings, nodes, str(path))
        at_node = np.zeros(trie.n_nodes, np.int64)
        at_node[nodes] = counts
        n_empty = float(at_node[0] or total + n_singles)
        values = divided(at_node, total)
        values[0] = n_empty / float(total)
        return cls._of_trie(trie, values, strings.alphabet, total)

    @property
    def _is_closed(self) -> bool:
        """Whether every substring of a support string is in the support."""
        return len(self) == self._trie.n_nodes and len(self._trie.suffix) > 0

    def _nodes_of(self, strings: Strings | Sequence[Iterable[Hashable]]) -> NDArray[Any]:
        flat = as_strings("strings", strings, self.alphabet)
        if flat.alphabet != self.alphabet:
            flat = flat.reencode(self.alphabet)
        nodes: NDArray[Any] = self._trie.find(flat.symbols, flat.offsets)
        return nodes


class StringValues(Protocol):
    """A mapping from strings to values; in place of `Mapping`, whose keys must be of one exact type."""

    def keys(self) -> Iterable[Iterable[Hashable]]:
        """The strings."""

    def values(self) -> Iterable[float]:
        """Their values, in the same order."""


FunctionLike: TypeAlias = SequenceFunction | StringValues | tuple[Sequence[Iterable[Hashable]], ArrayLike]


def as_function(f: Any, alphabet: Any = None) -> SequenceFunction:
    """The function that a later stage was given: itself, a mapping, or a pair of strings and values.

    Raises
    ------
    TypeError
        If it is anything else.
    ValueError
        If it is one of another alphabet.
    """
    alphabet = None if alphabet is None else as_alphabet(alphabet)
    if isinstance(f, SequenceFunction):
        if alphabet not in (None, f.alphabet):
            raise ValueError("alphabet: it is not that of f; leave it out")
        return f
    if isinstance(f, Mapping):
        f = (list(f.keys()), list(f.values()))
    if isinstance(f, tuple) and len(f) == 2:
        with argument_named("f: strings", "strings"), argument_named("f: values", "values"):
            return SequenceFunction.from_strings(*f, alphabet)
    called = (
        "; of a function that is called, take BlackBox(function, alphabet).sample(...)" if callable(f) else ""
    )
    raise TypeError(
        "f: a SequenceFunction is needed, or a mapping of strings to numbers, or a pair (strings, values), "
        f"not {type(f).__name__}{called}"
    )


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


def divided(counts: NDArray[np.int64], divisor: float) -> NDArray[np.float64]:
    """The counts divided by a number, in the memory of `counts`, which is lost."""
    values = counts.view(np.float64)
    for begin in range(0, len(counts), _BLOCK):
        values[begin : begin + _BLOCK] = counts[begin : begin + _BLOCK] / float(divisor)
    return values
