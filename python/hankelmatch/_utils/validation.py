"""Validation of arguments, in one place; the compiled core checks the contents of arrays."""

import contextlib
import decimal
import math
import numbers
import operator
import sys
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .. import _core
from .chunks import chunks
from .sparse_formats import as_csr, coo_pattern, too_large

_INT32 = np.dtype(np.int32)
_MOST_INT32 = int(np.iinfo(np.int32).max)
_LARGEST = int(np.iinfo(np.int64).max)
MOST_EXACT = 2.0**53  # floats hold all whole numbers up to it

# What numpy makes a generator of, besides numbers.
_RANDOM_SOURCES = (
    np.random.Generator,
    np.random.BitGenerator,
    np.random.SeedSequence,
    np.random.RandomState,
)

MOST_DRAWN = 10**9  # strings or symbols at random: more would take hours, and most machines' memory


class Pattern(NamedTuple):
    """Where a sparse matrix has stored entries, in compressed row form.

    Both index arrays are contiguous, in native byte order and of one type, int32 or int64. They are the
    caller's own arrays wherever those are so already. In this order the core's functions take them.
    """

    n_rows: int
    n_cols: int
    indptr: NDArray[Any]
    indices: NDArray[Any]


def is_sparse(graph: object) -> bool:
    """Whether it is a scipy sparse array or matrix, or one of the package ``sparse``."""
    return sp.issparse(graph) or hasattr(graph, "to_scipy_sparse")


def as_pattern(graph: Any) -> Pattern:
    """View a sparse matrix as its pattern; nothing is copied if it is CSR with int32 or int64 indices.

    Raises
    ------
    TypeError
        If it is not sparse, or its index arrays do not hold integers.
    ValueError
        If it does not have two dimensions, or its index arrays do not have one each.
    """
    if not sp.issparse(graph):
        if not hasattr(graph, "to_scipy_sparse"):
            raise TypeError(
                f"graph must be sparse: a scipy sparse array or matrix, not {type(graph).__name__}; "
                "wrap a dense array in scipy.sparse.csr_array"
            )
        graph = graph.to_scipy_sparse()
    if graph.ndim != 2:
        raise ValueError(f"graph must have 2 dimensions, rows and columns, not {graph.ndim}")
    # Where scipy's conversion would follow malformed arrays out of bounds, they are checked before.
    if graph.format == "csc":
        columns = checked_pattern(graph.shape[::-1], graph.indptr, graph.indices)
        return Pattern(*graph.shape, *_core.transpose(*columns))
    if graph.format == "coo":
        return Pattern(graph.shape[0], graph.shape[1], *coo_pattern(graph))
    csr = as_csr(graph)
    return checked_pattern(csr.shape, csr.indptr, csr.indices)


def checked_pattern(shape: tuple[int, int], indptr: Any, indices: Any) -> Pattern:
    """Make a pattern of CSR arrays; both are cast together where they are not int32 or int64 alike.

    Raises
    ------
    TypeError, ValueError
        If one is no array of integers of one dimension.
    MemoryError
        If there is no room for a number for each row and column, the least that any result takes.
    """
    if _is_plain(indptr) and _is_plain(indices) and max(shape) <= _MOST_INT32:
        return Pattern(*shape, indptr, indices)
    for name, array in (("indptr", indptr), ("indices", indices)):
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
            kind = getattr(array, "dtype", type(array).__name__)
            raise TypeError(f"graph.{name} must be a numpy array of integers, not {kind}")
        if array.ndim != 1:
            raise ValueError(f"graph.{name} must have 1 dimension, not {array.ndim}")
    if max(shape) > _MOST_INT32:
        try:
            np.empty(sum(shape), np.int64)  # nothing is written to it
        except (MemoryError, ValueError):
            raise too_large("graph", shape) from None
    narrow = np.can_cast(indptr.dtype, np.int32) and np.can_cast(indices.dtype, np.int32)
    dtype = np.int32 if narrow and max(shape) <= _MOST_INT32 else np.int64
    return Pattern(*shape, _index_array(indptr, dtype), _index_array(indices, dtype))


def steady_pattern(pattern: Pattern) -> Pattern:
    """Check a pattern, for scipy's and numpy's functions, with arrays that no other thread can change.

    Raises
    ------
    ValueError
        If its arrays contradict each other.
    """
    if not _core.is_only_thread():
        pattern = pattern._replace(indptr=pattern.indptr.copy(), indices=pattern.indices.copy())
    none = np.empty(0, pattern.indices.dtype)
    _core.is_valid_matching(*pattern, none, none)  # checks the graph first
    return pattern


def _is_plain(array: Any) -> bool:
    """Whether an index array is int32, as most are; a quick test, for small graphs."""
    if type(array) is not np.ndarray or array.dtype is not _INT32:
        return False
    return array.ndim == 1 and array.flags.c_contiguous


def _index_array(array: NDArray[Any], dtype: type[np.int32] | type[np.int64]) -> NDArray[Any]:
    """Contiguous and in native byte order; the array itself if it is so already."""
    if array.dtype == np.uint64 and array.max(initial=0) > np.iinfo(np.int64).max:
        raise ValueError("graph: its index arrays hold numbers of 2^63 or more")
    return np.ascontiguousarray(array, dtype=dtype)


def random_generator(argument: str, seed: int | np.random.Generator | None) -> np.random.Generator:
    """The generator of a seed, or the generator that was given."""
    if seed is None or isinstance(seed, _RANDOM_SOURCES) or (is_whole(seed) and seed >= 0):
        with contextlib.suppress(TypeError):  # numpy before 2.2 takes no RandomState
            return np.random.default_rng(seed)
    raise ValueError(f"{argument}: a whole number from 0 or a numpy Generator is needed, not {seed!r}")


def check_type(argument: str, value: object, kind: type | tuple[type, ...], remedy: str) -> None:
    """Raise TypeError, naming the argument, if a value is of no such type."""
    if not isinstance(value, kind):
        raise TypeError(f"{argument}: {remedy} is needed, not {type(value).__name__}")


def check_flag(argument: str, value: object, *, or_number: bool = False) -> None:
    """Raise TypeError if a value is neither True nor False, nor a number or None if one may be."""
    kinds = (numbers.Real, type(None)) if or_number else (bool,)
    if not isinstance(value, (np.bool_, *kinds)):
        raise TypeError(f"{argument}: True or False is needed, not {value!r}")


def check_choice(argument: str, value: object, choices: Sequence[str]) -> None:
    """Raise ValueError if a value is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{argument}: {value!r} is unknown; choose one of {', '.join(choices)}")


def dense_array(argument: str, values: ArrayLike, needed: str = "real numbers") -> NDArray[Any]:
    """What numpy makes of values, whatever their type.

    Raises
    ------
    TypeError
        If they are sparse.
    ValueError
        If they are masked, or make no array.
    """
    if is_sparse(values):
        raise TypeError(f"{argument}: a dense array is needed, not a sparse one; give its toarray()")
    if np.ma.is_masked(values):
        raise ValueError(f"{argument}: values are masked; leave them out, or fill them in")
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{argument}: {needed} are needed, in rows of one length: {error}") from None


def real_array(argument: str, values: ArrayLike) -> NDArray[Any]:
    """An array of real numbers; of objects, such as fractions or large integers, in float64.

    Raises
    ------
    TypeError, ValueError
        As `dense_array`, or if they are no real numbers.
    """
    array = dense_array(argument, values)
    if array.dtype.kind == "O" and all(isinstance(x, (numbers.Real, decimal.Decimal)) for x in array.flat):
        try:
            return array.astype(np.float64)
        except OverflowError:
            raise ValueError(f"{argument}: a number is too large for float64") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{argument}: real numbers are needed, not dtype {array.dtype}{_example(array)}")
    return array


def whole_array(argument: str, values: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    """Whole numbers as a contiguous array of one dimension, of this type if any; itself if it is one already.

    Raises
    ------
    TypeError, ValueError
        As `dense_array`, or if they are no whole numbers, or do not fit.
    """
    array = dense_array(argument, values, "whole numbers")
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"{argument} must be a one-dimensional array of integers, not {array.ndim}-d {array.dtype}"
        )
    converted = np.ascontiguousarray(array, dtype=dtype)
    if array.size and converted is not array and not np.array_equal(converted, array):
        raise ValueError(f"{argument}: a value does not fit {np.dtype(dtype)}")
    return converted


def refuse_infinite(argument: str, array: NDArray[Any]) -> None:
    """Raise ValueError if an entry is NaN or infinite."""
    parts = chunks(len(array), math.prod(array.shape[1:]))
    if not all(np.isfinite(array[part]).all() for part in parts):
        remedy = ", or use float64" if array.dtype == np.float32 else ""
        raise ValueError(
            f"{argument}: an entry is NaN or infinite in {array.dtype}; "
            f"every entry must be a finite number{remedy}"
        )


def _example(array: NDArray[Any]) -> str:
    """The first entry of an array, for a message."""
    return f", as {array.ravel().tolist()[0]!r}" if array.size and array.dtype.kind in "OSU" else ""


class argument_named:  # noqa: N801 - it is used like a function
    """Put the caller's own argument into the place of the inner function's, in what is raised here.

    A class, since a generator's context takes four times as long, and some are entered for every context.
    """

    __slots__ = ("_argument", "_inner")

    def __init__(self, argument: str, inner: str = "sequences") -> None:
        self._argument = argument
        self._inner = inner

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, (MemoryError, TypeError, ValueError)) and str(error).startswith(self._inner):
            raise type(error)(self._argument + str(error)[len(self._inner) :]) from None


def listed(argument: str, values: Iterable[Any], needed: str) -> list[Any]:
    """The items of an iterable, as a list.

    Raises
    ------
    TypeError
        If `values` is no iterable, or sparse: its rows are no items.
    """
    try:
        iterator = iter(values)
    except TypeError:
        iterator = None
    if iterator is None or is_sparse(values):
        raise TypeError(f"{argument}: {needed} is needed, not {values!r}")
    return list(iterator)


def as_string(argument: str, string: Iterable[Any]) -> tuple[Any, ...]:
    """A string of symbols as a tuple; TypeError if it is none."""
    if not isinstance(string, (str, tuple, list)):
        refuse_unordered(argument, string)
        string = listed(argument, string, "a string of symbols, as a str, a tuple or a list,")
    return tuple(string)


def refuse_unordered(argument: str, string: object) -> None:
    """Raise TypeError for a string of symbols that is a set or a mapping."""
    if isinstance(string, (set, frozenset, Mapping)):
        raise TypeError(
            f"{argument} is a {type(string).__name__}, whose symbols have no order; give a list or a tuple"
        )


def numbers_in(values: Any) -> list[Any]:
    """The numbers of an array or a collection, or the one that is given; none in a text."""
    if isinstance(values, (str, bytes, bytearray)):
        return []
    if isinstance(values, np.ndarray):
        return [*values.ravel()]
    return [*values] if isinstance(values, Collection) else [values]


def as_float(number: Any) -> float:
    """A real number as float; infinite if it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def checked_number(
    argument: str,
    value: Any,
    least: float = 0.0,
    end: float = math.inf,
    *,
    above: bool = False,
    with_end: bool = False,
    instead: str = "",
) -> float:
    """A number from `least`, or above it, to below `end`, or to `end`.

    Raises
    ------
    ValueError
        If it is out of that range, NaN, or no real number; the message offers what there is `instead`.
    """
    number = as_float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else math.nan
    is_in_range = least <= number < end or (with_end and number == end)
    if not is_in_range or (above and number == least):
        begin = f"{'above' if above else 'from'} {least:g}"
        to = "" if math.isinf(end) else f" to {'' if with_end else 'below '}{end:g}"
        finite = "finite " if math.isinf(end) and not with_end else ""
        raise ValueError(f"{argument}: {instead}a {finite}number {begin}{to} is needed, not {value!r}")
    return number


def checked_n_sequences(value: Any) -> float | None:
    """How many sequences a function was estimated from, or the sum of their weights; None if it was given."""
    if value is None:
        return None
    number = checked_number("n_sequences", value, above=True, instead="None or ")
    return number_of_sequences(number) if is_whole(value) else number


def number_of_sequences(number: float) -> float:
    """An int where the number is whole, up to 2^53: numpy below 2 makes objects of quotients by huge ints."""
    return int(number) if number.is_integer() and number <= MOST_EXACT else number


def is_whole(value: Any) -> bool:
    """Whether it is a whole number, Python's or numpy's."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def checked_whole(argument: str, value: Any, least: int, most: int = _LARGEST) -> int:
    """A whole number from `least`; one above the largest that the core takes becomes that.

    Raises
    ------
    ValueError
        If it is less, above `most` where that is given, or no whole number.
    """
    if not is_whole(value) or value < least or (value > most and most < _LARGEST):
        to = f" to {most}" if most < _LARGEST else ""
        raise ValueError(f"{argument}: a whole number from {least}{to} is needed, not {value!r}")
    return min(int(value), _LARGEST)  # no text has so many symbols


def checked_shape(shape: Any) -> tuple[int, int]:
    """The shape of a matrix, the argument of that name.

    Raises
    ------
    TypeError
        If it is not two whole numbers.
    ValueError
        If one is negative, or beyond what an index can be.
    """
    needed = "shape must be two whole numbers from 0, of rows and of columns"
    try:
        n_rows, n_cols = map(operator.index, shape)
    except (TypeError, ValueError):
        raise TypeError(f"{needed}, not {shape!r}") from None
    if not 0 <= min(n_rows, n_cols) <= max(n_rows, n_cols) < _LARGEST:
        raise ValueError(f"{needed}, not {shape!r}")
    return n_rows, n_cols


def checked_shares(argument: str, n: int, weights: ArrayLike | None) -> NDArray[np.float64]:
    """Weights of so many parts with sum 1."""
    if n == 0:
        raise ValueError(f"{argument}: there is none; give at least one")
    shares = np.ones(n) if weights is None else real_array("weights", weights).astype(np.float64)
    if shares.shape != (n,) or not np.isfinite(shares).all() or (shares < 0).any() or shares.sum() <= 0:
        raise ValueError(f"weights: {n} numbers from 0, not all 0, are needed, not {weights!r}")
    return np.asarray(shares / shares.sum())


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line of the call stack that is outside the package."""
    package = __name__.partition(".")[0]
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level + 1)
