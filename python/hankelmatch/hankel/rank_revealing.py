"""Numerically complete and minimal bases: as many prefixes and suffixes as the Hankel matrix has rank."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from operator import matmul
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse import csr_array

from .._utils.interruptible import interruptible
from .._utils.scaling import scaled
from .._utils.validation import checked_number, listed
from ..counting.sequence_function import FunctionLike, SequenceFunction, as_function
from ..matching.like_scipy import structural_rank
from ..sequences.alphabet import Alphabet
from ..sequences.strings import Strings
from .basis import Basis, BasisLike, as_basis
from .black_box import AskedFunction, BlackBox, as_black_box, is_black_box, products, single_symbols
from .blocks import asked_matrix, hankel_blocks
from .graph import prefix_suffix_graph

_Places = NDArray[np.intp]
_Floats = NDArray[np.float64]

_SEED = 0  # of the random vectors; fixed, so that results are the same every time
_FEWEST_PROBES = 16
_LARGEST_COEFFICIENT = 2.0
_TINY = 2.0**-500  # beside the largest entry: far below its rounding, and quotients with it overflow


@dataclass(frozen=True)
class BasisStep:
    """The block of a basis on the way to a complete or minimal one.

    Attributes
    ----------
    n_prefixes, n_suffixes : int
        Size of the block.
    structural_rank : int
        Size of a maximum matching: the largest rank of any matrix with this pattern.
    numeric_rank : int
        The rank within the tolerance.
    residual : float or None
        Size of what the block misses of the whole Hankel matrix, relative to that matrix; None where nothing
        was compared.
    """

    n_prefixes: int
    n_suffixes: int
    structural_rank: int
    numeric_rank: int
    residual: float | None = None

    @property
    def gap(self) -> int:
        """Structural rank minus numeric rank."""
        return self.structural_rank - self.numeric_rank


class RankedBasis(Basis):
    """A `Basis` with the steps that led to it.

    Attributes
    ----------
    steps : tuple of BasisStep
        The blocks on the way, the first one that of the basis given, the last one that of this basis.
    """

    steps: tuple[BasisStep, ...]

    def __init__(
        self,
        prefixes: Strings | Sequence[Iterable[Hashable]],
        suffixes: Strings | Sequence[Iterable[Hashable]],
        steps: Iterable[BasisStep],
    ) -> None:
        super().__init__(prefixes, suffixes)
        self.steps = tuple(listed("steps", steps, "a list of BasisStep"))

    @property
    def numeric_rank(self) -> int:
        """The rank of its block."""
        return self.steps[-1].numeric_rank


def reduce_basis(
    f: FunctionLike | BlackBox | AskedFunction,
    basis: BasisLike,
    tol: float = 1e-12,
    *,
    alphabet: Alphabet | Iterable[Hashable] | None = None,
) -> RankedBasis:
    """Keep as many prefixes and suffixes of a basis as its block has rank, well-conditioned ones.

    Parameters
    ----------
    f : SequenceFunction, mapping, (strings, values), BlackBox, or callable
        A callable is asked for the ``|P| |S|`` values of the block, as `hankel_blocks` asks it.
    basis : Basis or pair of lists of strings
    tol : float
        What counts as zero, relative to the largest entry; for a function that is only approximately that of
        an automaton, how close it is.
    alphabet : Alphabet or iterable of labels, optional
        The symbols of a callable.

    Returns
    -------
    RankedBasis
        As many prefixes as suffixes, in the order of `basis`; its block has full rank, and that of the block
        given.

    Raises
    ------
    ValueError
        If `tol` is not between 0 and 1.
    TypeError
        If `f` or `basis` is of another class.

    Notes
    -----
    QR factorizations with pivoting choose the columns, then the rows. Exchanges follow until every column
    left out is a combination of those kept with coefficients of at most 2 in size, and every row too, as
    strong rank-revealing factorizations guarantee. O(n^3) for n prefixes and suffixes, in dense memory.

    References
    ----------
    .. [1] M. Gu, S. C. Eisenstat: Efficient algorithms for computing a strong rank-revealing QR
       factorization. SIAM J. Sci. Comput. 17 (1996), 848-869.
    .. [2] S. A. Goreinov et al.: How to find a good submatrix. In Matrix Methods, World Scientific (2010).

    Examples
    --------
    >>> from hankelmatch import Basis, SequenceFunction
    >>> from hankelmatch.hankel.rank_revealing import reduce_basis
    >>> f = SequenceFunction.from_dict({"a" * n: 0.5**n for n in range(6)})
    >>> reduced = reduce_basis(f, Basis(["", "a", "aa"], ["", "a"]))
    >>> reduced, reduced.steps[0].gap
    (<RankedBasis: 1 prefixes, 1 suffixes>, 1)
    """
    tol = checked_number("tol", tol, 0, 1)
    basis = as_basis(basis)
    if is_black_box(f):
        box = as_black_box(f, alphabet)
        block = csr_array(asked_matrix(box, *_encoded(basis, box.alphabet)))
    else:
        block = hankel_blocks(f, basis, alphabet).H
    rows, cols = _independent(scaled(block.toarray())[0], tol)
    steps = [_step(block, len(rows)), _step(block[rows][:, cols], len(rows))]
    return RankedBasis(basis.prefixes.take(rows), basis.suffixes.take(cols), steps)


def complete_basis(
    f: FunctionLike | BlackBox | AskedFunction,
    basis: BasisLike,
    tol: float = 1e-12,
    *,
    known_length: float | None = None,
    alphabet: Alphabet | Iterable[Hashable] | None = None,
) -> RankedBasis:
    """Add prefixes and suffixes to a basis until its block has the rank of the whole Hankel matrix.

    Parameters
    ----------
    f : SequenceFunction, mapping, (strings, values), BlackBox, or callable
        Of a callable, as `hankel_blocks` takes it, no matrix is the whole one: it is asked for strings that
        are longer by a symbol on both sides, until they add no rank.
    basis : Basis or pair of lists of strings
        Where to start; it may be empty.
    tol : float
        What counts as zero, relative to the largest.
    known_length : int or inf, optional
        Length of the longest strings whose values f has. The values of longer strings are unknown, not 0:
        prefixes and suffixes stay so short that no entry of H or of any H_a is the value of a longer string.
        By default ``f.max_length``; ``math.inf`` for a function that is zero outside its support. Not for a
        callable.
    alphabet : Alphabet or iterable of labels, optional
        The symbols of a callable.

    Returns
    -------
    RankedBasis
        The strings of `basis` that are short enough, in their order, and then those added. `reduce_basis`
        makes it as small as its rank: n by n if f is the function of a minimal automaton with n states, known
        on long enough strings.

    Raises
    ------
    ValueError
        If `tol` is not between 0 and 1, or `known_length` is negative, or given for a callable.
    TypeError
        If `f` or `basis` is of another class.

    Notes
    -----
    The independent rows and columns of a complete block determine all others. What they do not determine is
    a residual matrix, which is never formed: its products with a few random vectors show which rows and
    columns are missing, or, almost surely, that none are. Cost of a step, for a block of n strings, k vectors
    and m edges in the graph: O(n^3 + k (m + n^2)). Each step may double the rank.

    A callable gets at most ``(|P| + r k) (|S| + r k)`` distinct strings, for k symbols and a basis returned
    of rank r. Its values on all other strings stay unknown: start from the basis of a sample
    (`BlackBox.sample`) rather than from an empty one.

    References
    ----------
    .. [1] N. Halko, P. G. Martinsson, J. A. Tropp: Finding structure with randomness. SIAM Review 53 (2011),
       217-288.

    Examples
    --------
    >>> from hankelmatch import Basis, SequenceFunction
    >>> from hankelmatch.hankel.rank_revealing import complete_basis
    >>> f = SequenceFunction.from_dict({"a" * n: 0.5**n + 0.25**n for n in range(6)})
    >>> complete = complete_basis(f, Basis([""], [""]))
    >>> complete, complete.numeric_rank
    (<RankedBasis: 2 prefixes, 2 suffixes>, 2)
    """
    tol = checked_number("tol", tol, 0, 1)
    basis = as_basis(basis)
    if is_black_box(f):
        if known_length is not None:
            raise ValueError("known_length: a callable has a value for every string; leave it out")
        return _complete_by_asking(as_black_box(f, alphabet), basis, tol)
    f = as_function(f, alphabet)
    whole = _WholeHankel(f, f.max_length if known_length is None else known_length)
    rows, cols = whole.places_of(basis)
    rng = np.random.default_rng(_SEED)
    steps: list[BasisStep] = []
    while True:
        block = whole.matrix[rows][:, cols]
        chosen_rows, chosen_cols = _independent(block.toarray(), tol)
        missing = whole.missing(rows[chosen_rows], cols[chosen_cols], tol, rng)
        steps.append(_step(block, len(chosen_rows), missing.residual))
        more_rows = np.setdiff1d(missing.rows, rows)
        more_cols = np.setdiff1d(missing.cols, cols)
        if len(more_rows) == len(more_cols) == 0:
            return RankedBasis(whole.prefixes_of(rows), whole.suffixes_of(cols), steps)
        rows = np.concatenate([rows, more_rows])
        cols = np.concatenate([cols, more_cols])


@dataclass(frozen=True)
class _Missing:
    """Rows and columns that a basis lacks, and how much it lacks."""

    rows: _Places
    cols: _Places
    residual: float


class _WholeHankel:
    """The Hankel matrix, to scale, of all prefixes and suffixes short enough for every entry to be known."""

    def __init__(self, f: SequenceFunction, known_length: float) -> None:
        checked_number("known_length", known_length, 0, math.inf, with_end=True)
        self._graph = prefix_suffix_graph(f)
        longest = max(known_length - 1, 0)  # H_a has a symbol in between
        suffix_length = longest if math.isinf(longest) else longest // 2
        prefix_length = longest if math.isinf(longest) else longest - suffix_length
        self._rows = np.flatnonzero(self._graph.prefix_lengths <= prefix_length)
        self._cols = np.flatnonzero(self._graph.suffix_lengths <= suffix_length)
        self.matrix: csr_array = self._graph.to_csr(weighted=True)[self._rows][:, self._cols]
        self.matrix.data = scaled(self.matrix.data)[0]
        self.matrix.data[np.abs(self.matrix.data) < _TINY] = 0.0

    def places_of(self, basis: Basis) -> tuple[_Places, _Places]:
        """Rows and columns of a basis's strings, of those that are short enough."""
        return (
            _places(self._graph.rows_of(basis.prefixes), self._rows),
            _places(self._graph.columns_of(basis.suffixes), self._cols),
        )

    def prefixes_of(self, rows: _Places) -> Strings:
        return self._graph.prefix_strings(self._rows[rows])

    def suffixes_of(self, cols: _Places) -> Strings:
        return self._graph.suffix_strings(self._cols[cols])

    def missing(self, rows: _Places, cols: _Places, tol: float, rng: np.random.Generator) -> _Missing:
        """Find rows and columns that the given independent ones do not determine."""
        n_probes = max(_FEWEST_PROBES, len(rows))
        block = self.matrix[rows][:, cols].toarray()
        factors = interruptible(scipy.linalg.lu_factor, block) if len(rows) else None

        def residual_of(
            matrix: csr_array, own: _Places, others: _Places, transposed: int
        ) -> tuple[_Places, float]:
            probes = rng.standard_normal((matrix.shape[1], n_probes))
            image = matrix @ probes
            rest = image.copy()
            if factors is not None:
                weights = interruptible(scipy.linalg.lu_solve, factors, image[own], trans=transposed)
                rest -= interruptible(matmul, matrix[:, others], weights)
                rest[own] = 0.0  # exactly: what is left is rounding
            return _pivots(rest.T, tol * _largest_norm(image)), _relative(rest, image)

        more_rows, row_residual = residual_of(self.matrix, rows, cols, 0)
        more_cols, col_residual = residual_of(self.matrix.T.tocsr(), cols, rows, 1)
        return _Missing(more_rows, more_cols, max(row_residual, col_residual))


def _complete_by_asking(box: BlackBox, basis: Basis, tol: float) -> RankedBasis:
    """Add strings that are longer by a symbol, until those of both sides add no rank."""
    symbols = single_symbols(box.alphabet)
    prefixes, suffixes = _encoded(basis, box.alphabet)
    steps: list[BasisStep] = []
    complete = prefixes, suffixes
    while True:
        block = scaled(asked_matrix(box, prefixes, suffixes))[0]
        rows, cols = _independent(block, tol)
        if steps and len(rows) == steps[-1].numeric_rank:  # what was added last was rounding
            return RankedBasis(*complete, steps)
        more = _joined(prefixes, products(prefixes.take(rows), symbols))
        more_suffixes = _joined(suffixes, products(symbols, suffixes.take(cols)))
        larger = scaled(asked_matrix(box, more, more_suffixes))[0]
        rest = larger.copy()
        if len(rows):
            weights = interruptible(np.linalg.solve, larger[np.ix_(rows, cols)], larger[rows])
            rest -= interruptible(matmul, larger[:, cols], weights)
        residual = _relative(rest, larger)
        steps.append(_step(csr_array(block), len(rows), residual))
        new_rows, new_cols = _independent(rest, tol, _largest_norm(larger.T))
        if len(new_rows) == 0:
            return RankedBasis(prefixes, suffixes, steps)
        complete = prefixes, suffixes
        prefixes = _joined(prefixes, more.take(new_rows))
        suffixes = _joined(suffixes, more_suffixes.take(new_cols))


def _joined(strings: Strings, others: Strings) -> Strings:
    """The strings and, after them, those of the others that are new; the empty string is always there."""
    distinct = list(dict.fromkeys([*strings, (), *others]))
    return Strings.from_sequences(distinct, strings.alphabet)


def _encoded(basis: Basis, alphabet: Alphabet) -> tuple[Strings, Strings]:
    return basis.prefixes.reencode(alphabet), basis.suffixes.reencode(alphabet)


def _independent(block: _Floats, tol: float, largest: float | None = None) -> tuple[_Places, _Places]:
    """Rows and columns of a submatrix of full rank, as large as the block's rank; ascending."""
    least = max(tol, np.finfo(float).eps * max(block.shape, default=0))  # below is rounding
    cols = _pivots(block, least * (_largest_norm(block.T) if largest is None else largest))
    rows = _pivots(block[:, cols].T, 0.0)
    rows = _exchange(block[:, cols], rows)
    cols = _exchange(block[rows].T, cols)
    return np.sort(rows), np.sort(cols)


def _pivots(matrix: _Floats, least: float) -> _Places:
    """Columns that QR with pivoting takes before what is left has norms up to `least`."""
    if min(matrix.shape) == 0:
        return np.empty(0, np.intp)
    triangle, order = interruptible(scipy.linalg.qr, matrix, mode="r", pivoting=True)
    sizes = np.abs(np.diagonal(triangle))
    return order[: np.count_nonzero(sizes > least)].astype(np.intp)


def _exchange(matrix: _Floats, rows: _Places) -> _Places:
    """Exchange rows of a nonsingular square submatrix until small coefficients make the others of them.

    Each exchange multiplies the determinant's size by the coefficient, so there is an end.
    """
    if len(rows) in (0, len(matrix)):
        return rows
    rows = rows.copy()
    coefficients = interruptible(np.linalg.solve, matrix[rows].T, matrix.T).T
    for _ in range(4 * len(rows)):
        out, place = np.unravel_index(np.argmax(np.abs(coefficients)), coefficients.shape)
        largest = coefficients[out, place]
        if abs(largest) <= _LARGEST_COEFFICIENT:
            break
        change = coefficients[out].copy()
        change[place] -= 1.0
        coefficients -= np.outer(coefficients[:, place] / largest, change)
        rows[place] = out
    return rows


def _step(block: csr_array, numeric_rank: int, residual: float | None = None) -> BasisStep:
    n_prefixes, n_suffixes = block.shape
    return BasisStep(n_prefixes, n_suffixes, int(structural_rank(block)), numeric_rank, residual)


def _largest_norm(matrix: _Floats) -> float:
    """Of the rows."""
    return float(np.linalg.norm(matrix, axis=1).max(initial=0.0))


def _relative(rest: _Floats, image: _Floats) -> float:
    largest = _largest_norm(image)
    return _largest_norm(rest) / largest if largest > 0 else 0.0


def _places(ids: NDArray[Any], among: NDArray[Any]) -> _Places:
    """Where those of `ids` that are there stand in `among`, which ascends."""
    return np.searchsorted(among, ids[np.isin(ids, among)])
