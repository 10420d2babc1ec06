"""Checks of what callers hand over, in one place; the compiled core checks the arrays' contents."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

__all__ = ["Pattern", "as_pattern", "is_sparse"]

_LARGEST_INT32 = np.iinfo(np.int32).max


class Pattern(NamedTuple):
    """Where a sparse matrix has stored entries, in compressed row form.

    Both index arrays are contiguous, in native byte order and of one type, int32 or int64. They are the caller's own
    arrays wherever those are so already. In this order they are the first arguments of the core's functions.
    """

    n_rows: int
    n_cols: int
    indptr: np.ndarray[Any, Any]
    indices: np.ndarray[Any, Any]


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
    if hasattr(graph, "to_scipy_sparse"):
        graph = graph.to_scipy_sparse()
    if not sp.issparse(graph):
        raise TypeError(
            f"graph must be sparse: a scipy sparse array or matrix, not {type(graph).__name__}; "
            "wrap a dense array in scipy.sparse.csr_array"
        )
    if graph.ndim != 2:
        raise ValueError(f"graph must have 2 dimensions, rows and columns, not {graph.ndim}")
    csr = graph.tocsr()
    n_rows, n_cols = csr.shape
    dtype = _index_type(csr.indptr, csr.indices, max(n_rows, n_cols))
    return Pattern(n_rows, n_cols, _index_array(csr.indptr, dtype), _index_array(csr.indices, dtype))


def _index_type(indptr: Any, indices: Any, largest_side: int) -> type[np.int32] | type[np.int64]:
    for name, array in (("indptr", indptr), ("indices", indices)):
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
            raise TypeError(
                f"graph.{name} must be a numpy array of integers, not {getattr(array, 'dtype', type(array))}"
            )
        if array.ndim != 1:
            raise ValueError(f"graph.{name} must have 1 dimension, not {array.ndim}")
    narrow = (
        indptr.dtype.itemsize <= 4
        and indices.dtype.itemsize <= 4
        and "u" not in (indptr.dtype.kind, indices.dtype.kind)
    )
    return np.int32 if narrow and largest_side <= _LARGEST_INT32 else np.int64


def _index_array(array: Any, dtype: type[np.int32] | type[np.int64]) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(array, dtype=dtype)
