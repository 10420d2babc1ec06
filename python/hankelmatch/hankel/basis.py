"""Bases: the prefixes and suffixes of a Hankel block, and the ways to choose them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._utils.validation import (
    argument_named,
    check_flag,
    check_type,
    checked_whole,
    is_sparse,
    random_generator,
)
from ..counting.sequence_function import FunctionLike, refuse_repeated, refuse_unknown
from ..matching.maximum import Matching, match
from ..sequences.strings import Strings, as_strings
from .graph import PrefixSuffixGraph, prefix_suffix_graph

Some: TypeAlias = Strings | Sequence[Iterable[Hashable]] | NDArray[np.generic]


class Basis:
    """The prefixes (rows) and suffixes (columns) of a Hankel block, in this order.

    Parameters
    ----------
    prefixes, suffixes : Strings or sequence of strings
        A string is a tuple of symbols, or a `str`, which stands for its characters. Each string once.
    empty_first : bool
        Put the empty string first on both sides, where it may be missing or stand elsewhere: for code that
        reads row 0 and column 0 of a Hankel block as those of the empty string.

    Attributes
    ----------
    prefixes, suffixes : Strings
        Sequences of tuples.

    Raises
    ------
    ValueError
        If a string occurs twice among the prefixes or among the suffixes.
    TypeError
        If `prefixes` or `suffixes` is no list of strings.

    Examples
    --------
    >>> from hankelmatch import Basis
    >>> basis = Basis(["", "a"], ["", "b", "ab"])
    >>> basis
    <Basis: 2 prefixes, 3 suffixes>
    >>> list(basis.suffixes)
    [(), ('b',), ('a', 'b')]
    >>> list(Basis([(1, 2), (1,)], [(2,), ()], empty_first=True).prefixes)
    [(), (1, 2), (1,)]
    """

    prefixes: Strings
    suffixes: Strings

    def __init__(self, prefixes: Some, suffixes: Some, *, empty_first: bool = False) -> None:
        self.prefixes = _distinct(prefixes, "prefixes")
        self.suffixes = _distinct(suffixes, "suffixes")
        check_flag("empty_first", empty_first)
        if empty_first:
            self.prefixes, self.suffixes = _empty_first(self.prefixes), _empty_first(self.suffixes)

    def with_empty_first(self) -> Basis:
        """The same with the empty string first on both sides, added where it is missing.

        Returns
        -------
        Basis
        """
        return _basis_of(_empty_first(self.prefixes), _empty_first(self.suffixes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Basis):
            return NotImplemented
        return self.prefixes == other.prefixes and self.suffixes == other.suffixes

    __hash__ = None  # type: ignore[assignment]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of prefixes and suffixes."""
        return len(self.prefixes), len(self.suffixes)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.prefixes)} prefixes, {len(self.suffixes)} suffixes>"


BasisLike: TypeAlias = Basis | tuple[Some, Some]


def as_basis(basis: BasisLike) -> Basis:
    """The basis that a later stage was given: itself, or a pair of lists of strings.

    Raises
    ------
    TypeError
        If it is anything else.
    """
    if isinstance(basis, Basis):
        return basis
    if isinstance(basis, tuple) and len(basis) == 2:
        with argument_named("basis: prefixes", "prefixes"), argument_named("basis: suffixes", "suffixes"):
            return Basis(*basis)
    raise TypeError(f"basis: a Basis or a pair (prefixes, suffixes) is needed, not {type(basis).__name__}")


def matching_basis(
    f: FunctionLike | PrefixSuffixGraph,
    method: str | None = None,
    *,
    matching: Matching | None = None,
    empty_first: bool = False,
) -> Basis:
    """The basis of a maximum matching: the smallest block of full structural rank.

    Parameters
    ----------
    f : SequenceFunction, mapping, (strings, values), or PrefixSuffixGraph
        The function, or its graph.
    method : str, optional
        As in `match`: which matcher, and so which of the maximum matchings. By default "heavy", as in
        `SpectralLearner`: like ``"weighted"`` it prefers large values of f, so that the block has full
        numeric rank or nearly, and makes models as good as those of ``"auto"`` or better. ``"auto"``, the
        default of `match`, is the fastest to find: 1.1 ms in place of 3 on Penn Treebank characters at T = 7,
        where the SVD takes seconds.
    matching : Matching, optional
        A matching of the graph, to use in place of `match(graph)`.
    empty_first : bool
        Add the empty string to both sides where it is not matched; see `Basis`.

    Returns
    -------
    Basis
        As many prefixes as suffixes (but for an empty string that is added), each by length and then by
        symbol ids.

    Raises
    ------
    ValueError
        If `matching` is of a matrix of another shape, or is given beside a method.
    TypeError
        If `f` or `matching` is of another class.

    Notes
    -----
    The cost is that of `match`, plus that of writing out the strings: the prefixes of one support string of
    n symbols have n^2 / 2 symbols together.

    References
    ----------
    Quattoni, Carreras, Gallé (2017), section 3.

    Examples
    --------
    >>> from hankelmatch import SequenceFunction, matching_basis
    >>> f = SequenceFunction.from_dict({x: 1.0 for x in ["", "aab", "b", "bb", "c", "ca", "cb"]})
    >>> matching_basis(f)
    <Basis: 5 prefixes, 5 suffixes>
    """
    check_flag("empty_first", empty_first)
    graph = _graph_of(f)
    if matching is None:
        matching = match(graph, method="heavy" if method is None else method)
    elif method is not None:
        raise ValueError(f"method: {method!r} given beside a matching, which it would find; leave one out")
    check_type("matching", matching, Matching, "what match(graph) returns")
    shape = len(matching.row_mate), len(matching.col_mate)
    if shape != graph.shape:
        raise ValueError(f"matching: it is of a {shape} matrix, but the graph is {graph.shape}; match that")
    matched = [np.flatnonzero(mate >= 0) for mate in (matching.row_mate, matching.col_mate)]
    basis = _graph_basis(graph, *matched)
    return basis.with_empty_first() if empty_first else basis


def full_basis(f: FunctionLike | PrefixSuffixGraph) -> Basis:
    """All prefixes and all suffixes of the support (the paper's "full" block).

    Parameters
    ----------
    f : SequenceFunction, mapping, (strings, values), or PrefixSuffixGraph

    Returns
    -------
    Basis

    Examples
    --------
    >>> from hankelmatch import SequenceFunction, full_basis
    >>> full_basis(SequenceFunction.from_dict({"ab": 1.0}))
    <Basis: 3 prefixes, 3 suffixes>
    """
    graph = _graph_of(f)
    return _basis_of(graph.prefixes, graph.suffixes)


def length_basis(f: FunctionLike | PrefixSuffixGraph, length: int) -> Basis:
    """All prefixes and suffixes of at most some length (the paper's "length <= l").

    Parameters
    ----------
    f : SequenceFunction, mapping, (strings, values), or PrefixSuffixGraph
    length : int
        At least 0.

    Returns
    -------
    Basis

    Raises
    ------
    ValueError
        If `length` is not a whole number from 0.

    Examples
    --------
    >>> from hankelmatch import SequenceFunction, length_basis
    >>> length_basis(SequenceFunction.from_dict({"ab": 1.0}), 1)
    <Basis: 2 prefixes, 2 suffixes>
    """
    length = checked_whole("length", length, 0)
    graph = _graph_of(f)
    short = [np.flatnonzero(lengths <= length) for lengths in (graph.prefix_lengths, graph.suffix_lengths)]
    return _graph_basis(graph, *short)


def random_cuts_basis(
    f: FunctionLike | PrefixSuffixGraph, size: int, seed: int | np.random.Generator = 0
) -> Basis:
    """Cut random strings into prefixes and suffixes (Balle, Quattoni and Carreras, 2012).

    Strings are drawn with probability proportional to ``|f|``, with replacement, and cut at a place drawn
    uniformly; the prefix enters the basis while that has fewer than `size` prefixes, and so the suffix.

    Parameters
    ----------
    f : SequenceFunction, mapping, (strings, values), or PrefixSuffixGraph
    size : int
        Number of prefixes and of suffixes wanted, at least 1; fewer are returned where the support has
        fewer.
    seed : int or numpy.random.Generator

    Returns
    -------
    Basis
        In the order drawn.

    Raises
    ------
    ValueError
        If `size` is not a whole number from 1, or `seed` not one from 0.

    References
    ----------
    Balle, Quattoni, Carreras (2012): Local loss optimization in operator models: a new insight into
    spectral learning. ICML.

    Examples
    --------
    >>> from hankelmatch import random_cuts_basis, substring_expectations
    >>> random_cuts_basis(substring_expectations(["abba", "ab"], 3), 4, seed=1)
    <Basis: 4 prefixes, 4 suffixes>
    """
    generator = random_generator("seed", seed)
    size, graph = checked_whole("size", size, 1), _graph_of(f)
    edges = graph.to_csr(weighted=True).tocoo()
    length = graph.prefix_lengths[edges.row] + graph.suffix_lengths[edges.col]
    # Items drawn with replacement appear for the first time in the order of Exp(1) / weight, so no drawing in
    # a loop is needed, and the rarest string costs nothing extra. As logarithms, since the largest value may
    # be 1e600 times the smallest.
    clock = np.log(generator.exponential(size=edges.nnz) * (length + 1)) - np.log(np.abs(edges.data))
    first_prefix = np.full(graph.n_prefixes, np.inf)
    first_suffix = np.full(graph.n_suffixes, np.inf)
    np.minimum.at(first_prefix, edges.row, clock)
    np.minimum.at(first_suffix, edges.col, clock)
    return _graph_basis(graph, np.argsort(first_prefix)[:size], np.argsort(first_suffix)[:size])


def top_norm_basis(f: FunctionLike | PrefixSuffixGraph, size: int) -> Basis:
    """The rows and columns of the whole Hankel matrix with the largest Euclidean norms.

    Parameters
    ----------
    f : SequenceFunction, mapping, (strings, values), or PrefixSuffixGraph
    size : int
        Number of prefixes and of suffixes wanted, at least 1; fewer are returned where the support has
        fewer.

    Returns
    -------
    Basis
        Largest first; ties by length and then by symbol ids.

    Raises
    ------
    ValueError
        If `size` is not a whole number from 1.

    References
    ----------
    Quattoni, Carreras, Gallé (2017), section 5.1: "Sampling".

    Examples
    --------
    >>> from hankelmatch import SequenceFunction, top_norm_basis
    >>> top_norm_basis(SequenceFunction.from_dict({"": 1.0, "ab": 2.0}), 1).prefixes[0]
    ()
    """
    size, graph = checked_whole("size", size, 1), _graph_of(f)
    edges = graph.to_csr(weighted=True).tocoo()
    sides = ((edges.row, graph.n_prefixes), (edges.col, graph.n_suffixes))
    return _graph_basis(graph, *(_by_norm(ids, edges.data, n)[:size] for ids, n in sides))


def _by_norm(ids: NDArray[Any], values: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """The numbers below n by the norms of the values with these ids, largest first.

    Each is divided by a power of two of its own, lest squares underflow.
    """
    exponents = np.full(n, np.iinfo(np.int32).min // 4)
    np.maximum.at(exponents, ids, np.frexp(values)[1])
    squares = np.ldexp(values, -exponents[ids]) ** 2
    fractions, more = np.frexp(np.bincount(ids, weights=squares, minlength=n))
    return np.lexsort((-fractions, -(2 * exponents + more)))


def _graph_of(f: FunctionLike | PrefixSuffixGraph) -> PrefixSuffixGraph:
    if is_sparse(f) or isinstance(f, np.ndarray):
        raise TypeError(
            f"f: a function on strings is needed, not {type(f).__name__}; for a matrix H of your own, "
            "rows, cols = match(H).pairs() are the rows and columns of the block"
        )
    return f if isinstance(f, PrefixSuffixGraph) else prefix_suffix_graph(f)


def _graph_basis(graph: PrefixSuffixGraph, rows: NDArray[Any], columns: NDArray[Any]) -> Basis:
    return _basis_of(graph.prefix_strings(rows), graph.suffix_strings(columns))


def _basis_of(prefixes: Strings, suffixes: Strings) -> Basis:
    """A basis of strings that are known to be distinct."""
    basis = Basis.__new__(Basis)
    basis.prefixes, basis.suffixes = prefixes, suffixes
    return basis


def _distinct(strings: Some, argument: str) -> Strings:
    flat = as_strings(argument, strings)
    refuse_unknown(flat, argument, "leave such strings out")
    refuse_repeated(flat, _core.string_set(flat.symbols, flat.offsets)[1], argument)
    return flat


def _empty_first(strings: Strings) -> Strings:
    """The strings, of which one at most is empty, with the empty one in front."""
    others = np.flatnonzero(strings.lengths)
    rest = strings.take(others)
    return Strings(rest.symbols, np.concatenate([[0], rest.offsets]), strings.alphabet)
