"""Matchings of graphs that are given by their edges, one end in each of two lists."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from .._utils.validation import argument_named, check_flag, checked_shape, real_array
from .graphs import BipartiteGraph, Graph
from .maximum import Matching, checked_method, match
from .readers.tables import distinct_labels
from .weighted import maximum_weight_matching

_PLENTY = 2**27  # rows and columns that need no edges to be believed


def match_edges(
    rows: ArrayLike,
    cols: ArrayLike,
    shape: tuple[int, int] | None = None,
    method: str = "auto",
    *,
    weights: ArrayLike | None = None,
    minimize: bool = False,
) -> Matching:
    """Find a maximum matching of a graph given by its edges; with weights, the heaviest or lightest one.

    Parameters
    ----------
    rows, cols : array_like of int, or of labels
        The two ends of each edge: numbers of rows and columns, or names, such as strings. Edges may repeat
        and come in any order.
    shape : tuple of two ints, optional
        The numbers of rows and of columns; by default as many as the ids need. Not with labels.
    method : str
        As for `match`; without `weights` only.
    weights : array_like of float, optional
        A weight for each edge, as for `maximum_weight_matching`; those of repeated edges are added.
    minimize : bool
        Whether weights are costs, and the lightest maximum matching is wanted.

    Returns
    -------
    Matching
        With `weights` a `WeightedMatching`. Where labels were given, its `row_labels` and `col_labels` hold
        them in the order of their first appearance, and ``labelled_pairs()`` gives the pairs by name.

    Raises
    ------
    TypeError
        If `shape` is not two whole numbers, or labels cannot be hashed.
    ValueError
        If `rows`, `cols` and `weights` differ in length or are no lists, or an id is negative or does not fit
        into `shape`.

    Notes
    -----
    O(edges) more than `match` or `maximum_weight_matching`. Ids that are large and far apart, such as keys of
    a database, are labels: give them as strings, or as the second result of ``np.unique(ids,
    return_inverse=True)``.

    Examples
    --------
    >>> from hankelmatch import match_edges
    >>> match_edges([0, 0, 1], [0, 1, 0]).row_mate
    array([1, 0])
    >>> people, tasks = ["ann", "ann", "bob"], ["cook", "drive", "cook"]
    >>> match_edges(people, tasks).labelled_pairs()
    [('ann', 'drive'), ('bob', 'cook')]
    >>> match_edges(people, tasks, weights=[1, 5, 2], minimize=True).weight
    7.0
    """
    check_flag("minimize", minimize)
    row_array, col_array = _ends(rows, "rows"), _ends(cols, "cols")
    if len(row_array) != len(col_array):
        raise ValueError(
            f"rows and cols must have one id each for every edge, not {len(row_array)} and {len(col_array)}"
        )
    graph = _graph(row_array, col_array, shape, _weights(weights, len(row_array)))
    if weights is None:
        if minimize:
            raise ValueError("minimize: there is nothing to minimize without weights")
        return match(graph, method)
    if checked_method(method) != "auto":
        raise ValueError(f"method: with weights there is one method; leave out {method!r}")
    with argument_named("weights", "graph"):
        return maximum_weight_matching(graph, minimize=minimize)


def _graph(
    rows: NDArray[Any], cols: NDArray[Any], shape: tuple[int, int] | None, data: NDArray[np.generic]
) -> Graph:
    if rows.dtype.kind in "iu" and cols.dtype.kind in "iu":
        return sp.coo_array((data, (rows, cols)), shape=_shape_for(rows, cols, shape))
    if shape is not None:
        raise ValueError(
            "shape must be left out with labels: there are as many rows and columns as distinct ones"
        )
    (row_labels, row_ids), (col_labels, col_ids) = (
        distinct_labels(rows, "rows", may_be_none=True),
        distinct_labels(cols, "cols", may_be_none=True),
    )
    matrix = sp.coo_array((data, (row_ids, col_ids)), shape=(len(row_labels), len(col_labels)))
    return BipartiteGraph(sp.csr_array(matrix), row_labels, col_labels)


def _shape_for(rows: NDArray[Any], cols: NDArray[Any], shape: tuple[int, int] | None) -> tuple[int, int]:
    for name, ids in (("rows", rows), ("cols", cols)):
        if len(ids) and ids.min() < 0:
            raise ValueError(f"{name} must be ids from 0, not {ids.min()}")
    needed = (int(rows.max()) + 1, int(cols.max()) + 1) if len(rows) else (0, 0)
    for name, most in zip(("rows", "cols"), needed, strict=True):
        if shape is None and most > max(_PLENTY, 1000 * len(rows)):
            raise ValueError(
                f"{name} must be numbers of {name}, and id {most - 1} makes {most:,} of them for "
                f"{len(rows):,} edges; if ids are names, give np.unique({name}, return_inverse=True)[1] or "
                "strings, else say shape"
            )
    if shape is None:
        return needed
    shape = checked_shape(shape)
    for name, given, least in zip(("rows", "cols"), shape, needed, strict=True):
        if given < least:
            raise ValueError(f"{name} must be ids below {given}, by the shape given, not {least - 1}")
    return shape


def _weights(weights: ArrayLike | None, n_edges: int) -> NDArray[np.generic]:
    if weights is None:
        return np.ones(n_edges, np.int8)
    array = real_array("weights", weights)
    if array.shape != (n_edges,):
        raise ValueError(f"weights: {n_edges} numbers are needed, one for each edge, not shape {array.shape}")
    return array.astype(np.float64)


def _ends(ends: Any, name: str) -> NDArray[Any]:
    """Whole numbers as they are; anything else, but for other numbers, as labels."""
    if np.ma.is_masked(ends):
        raise ValueError(f"{name}: ids are masked; leave such edges out")
    try:
        array = np.asarray(ends)
    except ValueError:
        array = _objects(ends, name)
    if array.ndim == 0 and array.dtype == object:
        raise TypeError(
            f"{name}: a list or an array is needed, the end of each edge in order, not {type(ends).__name__}"
        )
    array = np.atleast_1d(array)
    if isinstance(ends, (list, tuple)):
        are_tuples = array.ndim != 1 and any(isinstance(end, tuple) for end in ends)
        are_mixed = array.dtype.kind in "US" and not all(isinstance(end, (str, bytes)) for end in ends)
        if are_tuples or are_mixed:  # labels stay what they are
            array = _objects(ends, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must have 1 dimension, not {array.ndim}")
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind in "fcb":
        raise TypeError(f"{name} must be integers or labels, not {array.dtype}")
    if array.dtype.kind in "iu" and array.max() > np.iinfo(np.int64).max - 1:
        raise ValueError(f"{name} must be less than 2^63 - 1, not {array.max()}")
    return array


def _objects(ends: Any, name: str) -> NDArray[Any]:
    if any(isinstance(end, list) for end in ends):
        raise ValueError(f"{name} must have 1 dimension; its entries differ in length")
    array = np.empty(len(ends), dtype=object)
    array[:] = ends
    return array
