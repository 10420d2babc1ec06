"""To and from scikit-splearn 1.2.1: samples, counts, bases, Hankel blocks and automata, both ways.

Its letters are the numbers 0, 1, 2, ...; here they are the ids of an alphabet. Its words are tuples of them.
It does not divide its counts by the number of words; the functions here do.

Only `to_sample`, `to_hankel` and `to_automaton`, which make its objects, need that package. It reads
``numpy.float_``, which numpy 2 removed: install it with ``pip install 'hankelmatch[splearn]'``, which keeps
numpy below 2 (Python 3.10 to 3.12), or set ``numpy.float_ = numpy.float64`` before you use it.

Hand over blocks rather than bases: for lists of rows and columns (``partial=True``) in the versions
"prefix", "suffix" and "factor" that package counts only words of the lists, so the entry of p and s is 0
unless the word ps is in a list itself. For lengths L, ``lrows=lcolumns=L``, it does not count words of length
2 L + 1, so the entries of H_a with the longest rows and columns are 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from .._utils.optional import needs
from .._utils.sparse_formats import checked_csr
from .._utils.types import MatrixLike
from .._utils.validation import check_choice
from ..automata.automaton import WeightedAutomaton
from ..counting.sequence_function import SequenceFunction
from ..hankel.basis import BasisLike, as_basis
from ..hankel.blocks import HankelBlocks
from ..sequences.alphabet import Alphabet
from ..sequences.corpus import Corpus
from ..sequences.labels import Label
from ..sequences.strings import Strings, as_strings

__all__ = [
    "VERSIONS",
    "counts_from",
    "from_automaton",
    "from_hankel",
    "from_sample",
    "to_automaton",
    "to_hankel",
    "to_lists",
    "to_sample",
]

Word: TypeAlias = tuple[int, ...]


class Sample(Protocol):
    """What is read of a ``DataSample`` or ``SplearnArray``."""

    nbL: int  # noqa: N815
    nbEx: int  # noqa: N815


class Hankel(Protocol):
    """What is read of a ``splearn.Hankel``."""

    lhankel: Sequence[MatrixLike]
    nbEx: int  # noqa: N815
    build_from_sample: bool


class Automaton(Protocol):
    """What is read of a ``splearn.Automaton``."""

    initial: NDArray[np.float64]
    final: NDArray[np.float64]
    transitions: Sequence[NDArray[np.float64]]


#: What the function counts: a word as a whole word of the sample, as a prefix, suffix, or factor (substring).
VERSIONS = ("classic", "prefix", "suffix", "factor")
_DICTIONARIES = {"classic": "sample", "prefix": "pref", "suffix": "suff", "factor": "fact"}


def from_sample(sample: Sample | ArrayLike, alphabet: Alphabet | None = None) -> Corpus:
    """The words of a sample as a corpus.

    Parameters
    ----------
    sample : DataSample, SplearnArray or array_like, shape (n_words, width)
        A word a row, filled up with -1, as ``load_data_sample`` gives it.
    alphabet : Alphabet, optional
        Labels of the letters. By default the numbers below ``sample.nbL`` (or below the largest letter plus
        one, of a plain array).

    Returns
    -------
    Corpus
        Without end and start symbols.

    Raises
    ------
    ValueError
        If it has not two dimensions, an entry is no whole number, or a letter is not in the alphabet.

    Notes
    -----
    As that package does, every entry below 0 is passed over.

    Examples
    --------
    >>> from hankelmatch.interop import splearn
    >>> list(splearn.from_sample([[0.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]))
    [(0, 1), (1,), ()]
    """
    sample = _array_of(sample)
    letters = np.asarray(sample)
    if letters.ndim != 2 or letters.dtype.kind not in "biuf":
        raise ValueError(
            f"sample: a word a row, filled up with -1, is needed, not {letters.ndim} dimensions of dtype "
            f"{letters.dtype}"
        )
    is_letter = letters >= 0
    symbols = letters[is_letter]
    ids = symbols.astype(np.int32)
    if not (np.isfinite(letters).all() and np.array_equal(ids, symbols)):
        raise ValueError("sample: an entry is no whole number; letters are 0, 1, 2, ..., and -1 is none")
    if alphabet is None:
        n_letters = getattr(sample, "nbL", None)
        alphabet = Alphabet(range(int(ids.max(initial=-1)) + 1 if n_letters is None else n_letters))
    if ids.max(initial=-1) >= len(alphabet):
        raise ValueError(
            f"sample: letter {ids.max()} is not one of the {len(alphabet)} of the alphabet; give a larger one"
        )
    return Corpus(ids, np.append(0, np.cumsum(is_letter.sum(axis=1))), alphabet)


def to_sample(corpus: Strings | Iterable[Iterable[Label]]) -> NDArray[np.float64]:
    """A corpus as the array that ``Spectral.fit`` takes.

    Parameters
    ----------
    corpus : Corpus, Strings or iterable of sequences
        Letters are the ids of its symbols; an end or start symbol is a letter as the others are.

    Returns
    -------
    splearn.datasets.data_sample.SplearnArray, shape (n_words, longest)
        Of float64, filled up with -1, with ``nbL`` and ``nbEx``.

    Raises
    ------
    ValueError
        If a symbol is not in the alphabet of the corpus.
    ImportError
        If scikit-splearn is not installed, or cannot work with this numpy.
    """
    package = _splearn("datasets.data_sample")
    strings = as_strings("corpus", corpus)
    if len(strings.symbols) and strings.symbols.min() < 0:
        raise ValueError("corpus: a symbol is not in its alphabet, so it has no letter; leave it out")
    lengths = strings.lengths
    letters = np.full((len(strings), max(1, int(lengths.max(initial=0)))), -1.0)
    letters[np.arange(letters.shape[1]) < lengths[:, None]] = strings.symbols
    return package.SplearnArray(letters, nbL=len(strings.alphabet), nbEx=len(strings))


def counts_from(
    sample: Sample, version: str = "factor", alphabet: Alphabet | None = None
) -> SequenceFunction:
    """What has been counted in a sample, as a function on strings.

    Parameters
    ----------
    sample : DataSample or SplearnArray
        With its dictionaries filled, as ``Spectral.fit`` does it.
    version : {"factor", "classic", "prefix", "suffix"}
        Which of the dictionaries: ``fact``, ``sample``, ``pref`` or ``suff``.
    alphabet : Alphabet, optional
        As for `from_sample`.

    Returns
    -------
    SequenceFunction
        The counts divided by the number of words: `substring_expectations` for "factor" and
        `string_probabilities` for "classic", of the words that the dictionary has (see the notes above).

    Raises
    ------
    ValueError
        If the dictionary is empty, or `version` is unknown.
    """
    check_choice("version", version, VERSIONS)
    sample = _array_of(sample)
    name = _DICTIONARIES[version]
    counts = getattr(sample, name, None)
    if not counts:
        raise ValueError(
            f"sample: its dictionary {name!r} is empty; fit Spectral(version={version!r}) to it first"
        )
    alphabet = Alphabet(range(sample.nbL)) if alphabet is None else alphabet
    letters = np.fromiter((x for word in counts for x in word), np.int32)
    offsets = np.append(0, np.cumsum([len(word) for word in counts]))
    values = np.fromiter(counts.values(), np.float64) / sample.nbEx
    return SequenceFunction.from_strings(Strings(letters, offsets, alphabet), values, n_sequences=sample.nbEx)


def to_lists(basis: BasisLike, alphabet: Alphabet | None = None) -> tuple[list[Word], list[Word]]:
    """A basis as the lists ``lrows`` and ``lcolumns``.

    That package makes correct matrices from them with ``version="classic"`` only (see the notes above); with
    other versions hand over blocks, by `to_hankel`.

    Parameters
    ----------
    basis : Basis or pair of lists of strings
        With the empty string on both sides: it is read as the first row and the first column.
    alphabet : Alphabet, optional
        The letters are its ids; by default the basis' own.

    Returns
    -------
    lrows, lcolumns : list of tuples of int
        By length and then by letters, as that package sorts them.

    Raises
    ------
    ValueError
        If the empty string is missing on a side, or a symbol is not in the alphabet.

    Examples
    --------
    >>> from hankelmatch import Basis
    >>> from hankelmatch.interop import splearn
    >>> splearn.to_lists(Basis(["b", "", "a"], ["", "ab"]))
    ([(), (0,), (1,)], [(), (0, 1)])
    """
    basis = as_basis(basis)
    sides = []
    for name in ("prefixes", "suffixes"):
        strings = getattr(basis, name)
        own = strings if alphabet is None else strings.reencode(alphabet)
        if len(own.symbols) and own.symbols.min() < 0:
            raise ValueError(f"basis: a symbol of its {name} is not in the alphabet; give it a letter there")
        _place_of_empty(own, f"basis.{name}")
        sides.append(sorted(_words(own), key=lambda word: (len(word), word)))
    return sides[0], sides[1]


def to_hankel(blocks: HankelBlocks, version: str = "factor", *, sparse: bool = True) -> Hankel:
    """Hankel blocks as its ``Hankel``; ``to_automaton`` of that gives the automaton of `learn_automaton`.

    Parameters
    ----------
    blocks : HankelBlocks
        With the empty string among the prefixes and among the suffixes; where it is not the first row or
        column it is moved there. Of blocks without a basis row 0 and column 0 must be its.
    version : {"factor", "classic", "prefix", "suffix"}
        What the function of the blocks counts; "factor" for `substring_expectations`. It becomes the type of
        the automaton.
    sparse : bool
        Whether its matrices are sparse (``dok_matrix``, as it makes them) or dense. From sparse ones it makes
        only automata of fewer states than the shorter side.

    Returns
    -------
    splearn.Hankel
        With the values as they are, not times a number of words.

    Raises
    ------
    ValueError
        If the empty string is missing on a side, or `version` is unknown.
    ImportError
        If scikit-splearn is not installed, or cannot work with this numpy.
    """
    check_choice("version", version, VERSIONS)
    rows, columns = _empty_first_orders(blocks)
    matrices = (matrix[rows][:, columns] for matrix in (blocks.H, *blocks.H_sigma))
    lhankel = [scipy.sparse.dok_matrix(matrix) if sparse else matrix.toarray() for matrix in matrices]
    return _splearn("hankel").Hankel(lhankel=lhankel, version=version, partial=True, sparse=sparse)


def from_hankel(hankel: Hankel, basis: BasisLike, alphabet: Alphabet | None = None) -> HankelBlocks:
    """Its ``Hankel`` as Hankel blocks, from which `learn_automaton` learns.

    Parameters
    ----------
    hankel : splearn.Hankel
        One that was built from a sample, of which the counts are divided by the number of words, or one of
        finished matrices, which are taken as they are.
    basis : Basis or pair of lists of strings
        The strings of its rows and columns, which it does not keep; built from a sample it has them by length
        and then by letters, as `to_lists` gives them. The empty string on both sides.
    alphabet : Alphabet, optional
        Labels of the letters; by default 0, 1, 2, ....

    Returns
    -------
    HankelBlocks

    Raises
    ------
    ValueError
        If the shapes do not fit, or the empty string is missing on a side.
    """
    n_sequences = hankel.nbEx if hankel.build_from_sample else None
    given = (scipy.sparse.csr_array(m) if isinstance(m, np.ndarray) else m for m in hankel.lhankel)
    matrices = [checked_csr(matrix, "hankel") / (n_sequences or 1) for matrix in given]
    if len(matrices) == 1:
        raise ValueError("hankel: it has a matrix for the empty string alone; one for each letter is needed")
    sides = as_basis(basis)
    longest = sum(int(side.lengths.max(initial=0)) for side in (sides.prefixes, sides.suffixes))
    return HankelBlocks.from_matrices(
        matrices[0],
        matrices[1:],
        basis=sides,
        alphabet=alphabet,
        n_sequences=n_sequences,
        max_length=longest + 1,
    )


def to_automaton(automaton: WeightedAutomaton, version: str = "factor") -> Automaton:
    """A weighted automaton as its ``Automaton``.

    Parameters
    ----------
    automaton : WeightedAutomaton
        Letters are the ids of its symbols.
    version : {"factor", "classic", "prefix", "suffix"}
        What its values count, for ``Automaton.transformation``; "factor" for one that was learned from
        `substring_expectations`.

    Returns
    -------
    splearn.Automaton
        In float64, with copies of the weights.

    Raises
    ------
    ValueError
        If there is no state or no symbol, which that package does not allow, or `version` is unknown.
    ImportError
        If scikit-splearn is not installed, or cannot work with this numpy.
    """
    check_choice("version", version, VERSIONS)
    if automaton.n_states == 0 or automaton.n_symbols == 0:
        raise ValueError(f"automaton: one state and one symbol at least are needed, not {automaton!r}")
    wide = automaton.astype(np.float64)
    return _splearn("automaton").Automaton(
        nbL=wide.n_symbols,
        nbS=wide.n_states,
        initial=wide.initial.copy(),
        final=wide.final.copy(),
        transitions=[np.array(matrix) for matrix in wide.transitions],
        type=version,
    )


def from_automaton(
    automaton: Automaton, alphabet: Alphabet | None = None, *, n_sequences: int | None = None
) -> WeightedAutomaton:
    """Its ``Automaton`` as a weighted automaton with the same values.

    Parameters
    ----------
    automaton : splearn.Automaton
        Of any type; the values are those of its ``val``.
    alphabet : Alphabet, optional
        Labels of the letters; by default 0, 1, 2, ....
    n_sequences : int, optional
        Of how many words they were estimated; a `LanguageModel` with mixed contexts asks for it.

    Returns
    -------
    WeightedAutomaton

    Raises
    ------
    ValueError
        If the alphabet has not one symbol for each letter, or a weight is not a finite real number.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from hankelmatch import Alphabet
    >>> from hankelmatch.interop import splearn
    >>> theirs = SimpleNamespace(initial=np.ones(1), final=np.ones(1), transitions=[np.full((1, 1), 0.5)])
    >>> splearn.from_automaton(theirs, Alphabet("a"))("aa")
    0.25
    """
    matrices = np.array([np.asarray(matrix) for matrix in automaton.transitions])
    return WeightedAutomaton(automaton.initial, automaton.final, matrices, alphabet, n_sequences=n_sequences)


def _splearn(module: str) -> Any:
    """A module of that package, once it is known to work."""
    found = needs(f"splearn.{module}", "making objects of scikit-splearn", "splearn")
    if not hasattr(np, "float_"):
        raise ImportError(
            f"scikit-splearn uses numpy.float_, which numpy {np.__version__} has no more: install "
            "'numpy<2', or set numpy.float_ = numpy.float64 first",
            name="splearn",
        )
    return found


def _array_of(sample: Any) -> Any:
    """The array of a sample, which a DataSample, itself a dictionary, has as an attribute."""
    return getattr(sample, "data", sample) if isinstance(sample, Mapping) else sample


def _words(strings: Strings) -> list[Word]:
    """Strings as tuples of ids."""
    symbols, offsets = strings.symbols.tolist(), strings.offsets.tolist()
    return [tuple(symbols[begin:end]) for begin, end in pairwise(offsets)]


def _place_of_empty(strings: Strings, argument: str) -> int:
    """Where the empty string stands."""
    places = np.flatnonzero(strings.lengths == 0)
    if len(places) == 0:
        raise ValueError(
            f"{argument}: the empty string is missing, and scikit-splearn reads it as the first row and the "
            "first column; use basis.with_empty_first()"
        )
    return int(places[0])


def _empty_first_orders(blocks: HankelBlocks) -> list[NDArray[np.intp]]:
    """The orders of rows and columns in which the empty string is first and the others stay as they are."""
    if blocks.basis is None:
        first = blocks.H[:, [0]].toarray()[:, 0], blocks.H[[0]].toarray()[0]
        if not all(map(np.array_equal, first, (blocks.h_prefix, blocks.h_suffix))):
            raise ValueError(
                "blocks: without a basis the first row and column of H must be h_suffix and h_prefix; give "
                "the blocks a basis, or move those of the empty string there"
            )
        return [np.arange(n) for n in blocks.H.shape]
    sides = {"prefixes": blocks.basis.prefixes, "suffixes": blocks.basis.suffixes}
    empty = [(len(side), _place_of_empty(side, f"blocks.basis.{name}")) for name, side in sides.items()]
    return [np.concatenate([[place], np.delete(np.arange(n), place)]) for n, place in empty]
