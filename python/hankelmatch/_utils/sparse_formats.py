"""Checks of sparse matrices of any format, before scipy's compiled conversions trust their arrays."""

from __future__ import annotations

import contextlib
import copy
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import _core

__all__ = ["as_csr", "checked_csr", "coo_pattern", "steady", "too_large"]


def as_csr(graph: Any) -> Any:
    """Convert a sparse matrix of any format to CSR; one that is CSR is returned as it is, not checked.

    Raises
    ------
    TypeError
        If its arrays are of no use as such.
    ValueError
        If they contradict one another.
    MemoryError
        If it has too many rows and columns.
    """
    check = _CHECKS.get(graph.format)
    if check is None:
        return graph.tocsr()
    with _errors_of(graph):
        graph = steady(graph)
        checked = check(graph)
        return (graph if checked is None else checked).tocsr()


def checked_csr(matrix: Any, argument: str = "graph") -> sp.csr_array:
    """The matrix with its entries as a CSR array, once its arrays have been checked, whatever its format.

    Raises
    ------
    TypeError, ValueError, MemoryError
        As `as_csr`; the message begins with the name of the argument.
    """
    with _errors_of(matrix, argument):
        own = steady(matrix)
        if own.format in ("csr", "csc"):
            n_rows, n_cols = own.shape if own.format == "csr" else own.shape[::-1]
            _check_compressed(n_rows, n_cols, own.indptr, own.indices)
            _require(len(own.data) >= own.indptr[-1], "one entry for each index is needed")
        elif own.format in _CHECKS:
            _CHECKS[own.format](own)
        if own.format == "coo":
            _require(len(own.data) == len(own.row), "one entry for each row is needed")
        if own.format not in ("lil", "dok") and own.data.dtype.kind not in "biufc":
            raise TypeError(f"its entries must be numbers, not {own.data.dtype}")
        return sp.csr_array(own)


def coo_pattern(graph: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Index pointers and indices of a COO matrix; repeated entries stay. Ctrl-C stops it.

    Raises
    ------
    TypeError
        If its arrays are of no use as such.
    ValueError
        If they contradict one another.
    """
    with _errors_of(graph):
        checked = _check_coo(graph)
        ids: Any = (np.ascontiguousarray(ids) for ids in (checked.row, checked.col))
        return _core.csr_of_coordinates(*graph.shape, *ids)


def steady(graph: Any) -> Any:
    """The matrix, or one with copies of its arrays where another thread could change them once checked.

    scipy's compiled functions trust the arrays, and run without the GIL. The core's own functions copy what
    they check by themselves.
    """
    if _core.is_only_thread() or graph.ndim != 2:  # others are refused
        return graph
    own = copy.copy(graph)
    for name in _ARRAYS.get(graph.format, ()):
        array = getattr(graph, name, None)
        if isinstance(array, np.ndarray):
            array = array.copy()
            if array.dtype == object:  # the lists of a lil matrix; one by one, or numpy takes them for rows
                for i, row in enumerate(array.flat):
                    array.flat[i] = list(row) if type(row) is list else row
            setattr(own, name, array)
    if hasattr(own, "_dict"):  # of a dok matrix
        own._dict = dict(own._dict)
    return own


@contextlib.contextmanager
def _errors_of(graph: Any, argument: str = "graph") -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{argument}: its {graph.format} arrays contradict one another: {error}") from None
    except (AttributeError, IndexError, KeyError, OverflowError, RuntimeError, TypeError) as error:
        raise TypeError(
            f"{argument}: its {graph.format} arrays are not what they should be: {error}"
        ) from None
    except MemoryError:
        raise too_large(argument, graph.shape) from None


def too_large(argument: str, shape: tuple[int, ...]) -> MemoryError:
    """The error for a matrix with more rows and columns than memory has room for."""
    sizes = " x ".join(f"{n:,}" for n in shape)
    return MemoryError(f"{argument}: {sizes} is more than fits into memory; leave out empty rows and columns")


def _check_coo(graph: Any) -> Any:
    return sp.coo_array((np.ones(len(graph.row), np.int8), (graph.row, graph.col)), shape=graph.shape)


def _check_bsr(graph: Any) -> None:
    data = graph.data
    _require(isinstance(data, np.ndarray) and data.ndim == 3, "data must have 3 dimensions")
    height, width = data.shape[1:]
    n_rows, n_cols = graph.shape
    _require(
        min(height, width) > 0 and n_rows % height == 0 and n_cols % width == 0,
        f"blocks of {height} x {width} do not fit into {n_rows} x {n_cols}",
    )
    _check_compressed(n_rows // height, n_cols // width, graph.indptr, graph.indices)
    _require(len(data) >= graph.indptr[-1], "one block for each index is needed")


def _check_compressed(n_rows: int, n_cols: int, indptr: Any, indices: Any) -> None:
    for array in (indptr, indices):
        _require(isinstance(array, np.ndarray) and array.ndim == 1, "index arrays must have 1 dimension")
        if array.dtype.kind not in "iu":
            raise TypeError(f"index arrays must be integers, not {array.dtype}")
    none = np.empty(0, np.int64)
    pointers, ids = np.ascontiguousarray(indptr, np.int64), np.ascontiguousarray(indices, np.int64)
    _core.is_valid_matching(n_rows, n_cols, pointers, ids, none, none)  # checks the graph first


def _check_dia(graph: Any) -> None:
    offsets, data = graph.offsets, graph.data
    _require(isinstance(data, np.ndarray) and data.ndim == 2, "data must have 2 dimensions")
    _require(isinstance(offsets, np.ndarray) and offsets.ndim == 1, "offsets must have 1 dimension")
    if offsets.dtype.kind not in "iu":
        raise TypeError(f"offsets must be integers, not {offsets.dtype}")
    _require(len(offsets) == len(data), f"{len(offsets)} offsets for {len(data)} diagonals")
    _require(len(np.unique(offsets)) == len(offsets), "offsets are repeated")


def _check_lil(graph: Any) -> None:
    n_rows, n_cols = graph.shape
    for lists in (graph.rows, graph.data):
        _require(
            isinstance(lists, np.ndarray) and lists.shape == (n_rows,), "one list for each row is needed"
        )
        _require(all(type(row) is list for row in lists), "one list for each row is needed")
    same = all(len(cols) == len(row) for cols, row in zip(graph.rows, graph.data, strict=True))
    _require(same, "rows and data must have lists of the same lengths")
    cols = list(itertools.chain.from_iterable(graph.rows))
    _require(
        all(isinstance(col, (int, np.integer)) and 0 <= col < n_cols for col in cols), "a column is none"
    )


def _check_dok(graph: Any) -> None:
    n_rows, n_cols = graph.shape
    for row, col in graph.keys():  # noqa: SIM118 - a dok matrix iterates over its rows
        _require(0 <= row < n_rows and 0 <= col < n_cols, f"({row}, {col}) is outside")


def _require(holds: Any, message: str) -> None:
    if not holds:
        raise ValueError(message)


_ARRAYS = {
    "csr": ("indptr", "indices", "data"),
    "csc": ("indptr", "indices", "data"),
    "bsr": ("indptr", "indices", "data"),
    "coo": ("row", "col", "data"),
    "dia": ("offsets", "data"),
    "lil": ("rows", "data"),
}
_CHECKS: dict[str, Callable[[Any], Any]] = {
    "coo": _check_coo,
    "bsr": _check_bsr,
    "dia": _check_dia,
    "lil": _check_lil,
    "dok": _check_dok,
}
