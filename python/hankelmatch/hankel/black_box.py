"""Callables as functions on strings: a network, a simulator."""

import itertools
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.progress import Progress
from .._utils.validation import (
    MOST_DRAWN,
    argument_named,
    as_string,
    check_flag,
    check_type,
    checked_whole,
    random_generator,
    real_array,
)
from ..counting.sequence_function import SequenceFunction, refuse_unknown
from ..sequences.alphabet import Alphabet, as_alphabet
from ..sequences.strings import Strings, as_strings

_LONGEST_SAMPLE = 1 << 20  # symbols; as of a string that a probabilistic automaton draws

_Floats = NDArray[np.float64]
_String: TypeAlias = tuple[Hashable, ...]


class HasValues(Protocol):
    """An object that computes the values of many strings, as a `WeightedAutomaton` does."""

    def values_of(self, strings: list[_String], /) -> ArrayLike:
        """One value for each string."""


AskedFunction: TypeAlias = HasValues | Callable[[list[_String]], ArrayLike] | Callable[[_String], ArrayLike]


class BlackBox:
    """A callable as a function on strings, called once for each distinct string.

    Parameters
    ----------
    function : callable
        Takes a list of strings, each a tuple of labels, and returns their values: an array of shape
        (n_strings,), or (n_strings, 1). Or an object with a method `values_of` of that kind, as a
        `WeightedAutomaton`.
    alphabet : Alphabet or iterable of labels, optional
        The symbols; by default the attribute `alphabet` of `function`.
    batched : bool
        False for a function that takes one string (a tuple of labels) and returns its value.
    batch_size : int
        Most strings in one call.
    progress : Progress, optional
        Reports how many strings have been asked for; by default on a terminal only.

    Attributes
    ----------
    alphabet : Alphabet
        The symbols.

    Raises
    ------
    TypeError
        If `function` cannot be called, or `alphabet` is no alphabet and no list of labels.

    Notes
    -----
    Memory: about 150 bytes for the value of each distinct string.

    Examples
    --------
    >>> import numpy as np
    >>> from hankelmatch import BlackBox
    >>> box = BlackBox(lambda strings: [0.5 ** len(x) for x in strings], alphabet="ab")
    >>> box("ab"), box.values_of(["a", "ab", "b"]), box.n_queries
    (0.25, array([0.5 , 0.25, 0.5 ]), 3)
    """

    alphabet: Alphabet

    def __init__(
        self,
        function: AskedFunction,
        alphabet: Alphabet | Iterable[Hashable] | None = None,
        *,
        batched: bool = True,
        batch_size: int = 4096,
        progress: Progress | None = None,
    ) -> None:
        self._function: Any = getattr(function, "values_of", function)
        if not callable(self._function):
            raise TypeError(f"function: a callable is needed, not {type(function).__name__}")
        self.alphabet = _alphabet_of(function, alphabet)
        check_flag("batched", batched)
        self._batched = batched
        self._batch_size = checked_whole("batch_size", batch_size, 1)
        self._progress = Progress(None, sys.stderr) if progress is None else progress
        check_type("progress", self._progress, Progress, "a Progress")
        self._known: dict[bytes, float] = {}

    @property
    def n_queries(self) -> int:
        """How many distinct strings the function was asked for."""
        return len(self._known)

    def __call__(self, string: Iterable[Hashable]) -> float:
        """Value of one string."""
        with argument_named("string", "strings"):
            return float(self.values_of([as_string("string", string)])[0])

    def __repr__(self) -> str:
        return f"<BlackBox: {len(self.alphabet)} symbols, {self.n_queries} strings asked for>"

    def values_of(self, strings: Strings | Sequence[Iterable[Hashable]]) -> _Floats:
        """Values of many strings; the function is called for new strings only.

        Parameters
        ----------
        strings : Strings or sequence of strings
            Read by label; they may repeat.

        Returns
        -------
        ndarray of float64, shape (n_strings,)

        Raises
        ------
        ValueError
            If a symbol is not in the alphabet, or an answer of the function is not one finite real number for
            each string.
        """
        flat = self._own(strings)
        data, ends = flat.symbols.tobytes(), (flat.symbols.itemsize * flat.offsets).tolist()
        keys = [data[i:j] for i, j in itertools.pairwise(ends)]
        new = {key: i for i, key in enumerate(keys) if key not in self._known}
        if new:
            self._ask(flat.take(list(new.values())), list(new))
        return np.fromiter(map(self._known.__getitem__, keys), np.float64, count=len(keys))

    def _own(self, strings: Strings | Sequence[Iterable[Hashable]]) -> Strings:
        flat = as_strings("strings", strings, self.alphabet)
        flat = flat.reencode(self.alphabet)
        refuse_unknown(flat, "strings", "put all symbols into the alphabet of the black box")
        return flat

    def _ask(self, strings: Strings, keys: list[bytes]) -> None:
        with self._progress.stage("queries") as stage:
            for first in range(0, len(keys), self._batch_size):
                part = slice(first, first + self._batch_size)
                batch = list(strings[part])
                self._known.update(zip(keys[part], self._answers(batch).tolist(), strict=True))
                stage.show(f"{first + len(batch):,} of {len(keys):,} strings")
            text = f"{len(keys):,} strings asked for, {self.n_queries:,} in all"
            stage.done(text, queries=self.n_queries)

    def _answers(self, batch: list[tuple[Hashable, ...]]) -> _Floats:
        """The function's values of a batch."""
        if self._batched:
            its_own = batch.copy()  # the function may change it
            given = real_array("function", self._function(its_own))
        else:
            given = real_array("function", [self._answer(string) for string in batch])
        if given.shape not in ((len(batch),), (len(batch), 1)):
            raise ValueError(
                f"function: it returned shape {given.shape} for a list of {len(batch)} strings; one value "
                "for each is needed (for a function of one string: BlackBox(..., batched=False))"
            )
        values = given.reshape(len(batch)).astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise ValueError(
                f"function: the value of string {batch[bad[0]]!r} is {values[bad[0]]}, not a finite number"
            )
        return values

    def _answer(self, string: tuple[Hashable, ...]) -> Any:
        """The function's value of one string, also from an array or tensor of one value."""
        value = np.asarray(self._function(string))
        if value.size != 1:
            raise ValueError(
                f"function: it returned {value.size} values for the string {string!r}; one is needed (for a "
                "function of many strings: BlackBox(..., batched=True))"
            )
        return value.item()

    def restricted_to(self, strings: Strings | Sequence[Iterable[Hashable]]) -> SequenceFunction:
        """The function on some strings, such as a network's training data, and zero on all others.

        Parameters
        ----------
        strings : Strings or sequence of strings
            They may repeat.

        Returns
        -------
        SequenceFunction
            Its graph's matching is a basis for the function itself, see `matching_basis`.
        """
        distinct = Strings.from_sequences(list(dict.fromkeys(self._own(strings))), self.alphabet)
        return SequenceFunction.from_strings(distinct, self.values_of(distinct), self.alphabet)

    def sample(
        self, n_strings: int, max_length: int, seed: int | np.random.Generator = 0
    ) -> SequenceFunction:
        """The function on random strings, and zero on all others.

        Parameters
        ----------
        n_strings : int
            Number of distinct strings; all strings up to `max_length` if there are fewer.
        max_length : int
            Lengths are uniform from 0 to this, symbols uniform in the alphabet.
        seed : int or numpy.random.Generator

        Returns
        -------
        SequenceFunction
        """
        n_strings = checked_whole("n_strings", n_strings, 1, MOST_DRAWN)
        max_length = checked_whole("max_length", max_length, 0, _LONGEST_SAMPLE)
        return self.restricted_to(self._drawn(n_strings, max_length, random_generator("seed", seed)))

    def _drawn(self, n_strings: int, max_length: int, rng: np.random.Generator) -> Strings:
        """Distinct random strings."""
        n_symbols, few = len(self.alphabet), 2 * n_strings
        n_all = 0
        for length in range(max_length + 1):
            n_all += n_symbols**length
            if n_all > few:
                break
        if n_all <= few:
            strings = all_strings(self.alphabet, max_length)
            return strings.take(np.sort(rng.permutation(len(strings))[:n_strings]))
        drawn: dict[tuple[int, ...], None] = {}
        while len(drawn) < n_strings:
            lengths = rng.integers(0, max_length + 1, n_strings - len(drawn))
            drawn.update((tuple(rng.integers(0, n_symbols, n).tolist()), None) for n in lengths)
        ids = np.fromiter(itertools.chain.from_iterable(drawn), np.int32)
        return Strings(ids, np.cumsum([0, *map(len, drawn)]), self.alphabet)


def _alphabet_of(function: Any, alphabet: Alphabet | Iterable[Hashable] | None) -> Alphabet:
    given = getattr(function, "alphabet", None) if alphabet is None else alphabet
    if given is None:
        raise TypeError("alphabet: an Alphabet or a list of labels is needed for a callable")
    return as_alphabet(given)


def is_black_box(f: object) -> bool:
    """Whether f is a callable, whose support is unknown, rather than a SequenceFunction."""
    return isinstance(f, BlackBox) or (callable(f) and not isinstance(f, SequenceFunction))


def as_black_box(
    f: Any, alphabet: Alphabet | Iterable[Hashable] | None = None, progress: Progress | None = None
) -> BlackBox:
    """The black box that a later stage was given, or a new one of a callable."""
    if not isinstance(f, BlackBox):
        return BlackBox(f, alphabet, progress=progress)
    if alphabet is not None and _alphabet_of(f, alphabet).labels != f.alphabet.labels:
        raise ValueError("alphabet: it is not that of the black box; leave it out")
    return f


def products(left: Strings, right: Strings) -> Strings:
    """Every string of the one followed by every string of the other; both of one alphabet."""
    first = left.take(np.repeat(np.arange(len(left)), len(right)))
    second = right.take(np.tile(np.arange(len(right)), len(left)))
    offsets = first.offsets + second.offsets
    symbols = np.empty(offsets[-1], np.int32)
    symbols[np.arange(len(first.symbols)) + np.repeat(second.offsets[:-1], first.lengths)] = first.symbols
    symbols[np.arange(len(second.symbols)) + np.repeat(first.offsets[1:], second.lengths)] = second.symbols
    return Strings(symbols, offsets, left.alphabet)


def single_symbols(alphabet: Alphabet) -> Strings:
    """The strings of one symbol, by id."""
    return Strings(np.arange(len(alphabet)), np.arange(len(alphabet) + 1), alphabet)


def all_strings(alphabet: Alphabet, max_length: int) -> Strings:
    """Every string up to a length, by length and then by symbol ids."""
    symbols = single_symbols(alphabet)
    parts = [Strings([], [0, 0], alphabet)]
    for _ in range(max_length):
        parts.append(products(parts[-1], symbols))
    lengths = np.concatenate([part.lengths for part in parts])
    flat = np.concatenate([part.symbols for part in parts])
    return Strings(flat, np.concatenate([[0], np.cumsum(lengths)]), alphabet)
