"""Tables of edges, and what the ends of edges are called."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Labels: TypeAlias = NDArray[np.generic]
Integers: TypeAlias = NDArray[np.int64]


def is_table(graph: Any) -> bool:
    return any(hasattr(graph, name) for name in ("__dataframe__", "__arrow_c_stream__"))


def table_columns(
    table: Any, *, weighted: bool
) -> tuple[tuple[Any, Any], list[str], NDArray[np.float64] | None]:
    """The two columns of ends, their names, and the weights, if they are wanted and there are any."""
    if not (hasattr(table, "column_names") or hasattr(table, "columns")):
        raise TypeError(
            f"graph: a {type(table).__name__} has one column, a table of edges two or three; of a Series "
            "with the ends in its index give series.reset_index()"
        )
    names = list(table.column_names if hasattr(table, "column_names") else table.columns)
    as_matrix = "; if its cells are weights, give table.to_numpy(), or table.T.to_dict() to keep names"
    if len(names) not in (2, 3):
        raise ValueError(
            "graph: a table of edges needs two columns, the ends of each edge, and perhaps a third, its "
            f"weight; this one has {len(names)}: choose them, as in table[['row', 'column', 'weight']]"
            f"{as_matrix}"
        )
    if len(set(names)) < len(names):
        raise ValueError(
            f"graph: a table of edges needs different names for its columns, not {names}; rename them, as in "
            f"table.set_axis({['row', 'column', 'weight'][: len(names)]}, axis=1)"
        )
    kinds = [getattr(dtype, "kind", "O") for dtype in getattr(table, "dtypes", ())]
    index = getattr(getattr(table, "index", None), "dtype", None)
    if index is not None and index.kind not in "iu" and all(kind in "iuf" for kind in kinds):
        raise ValueError(
            "graph: a table with names as its index and numbers in all columns may be no table of edges; if "
            f"it is, give table.reset_index(drop=True){as_matrix}"
        )
    ends = table[names[0]], table[names[1]]
    for name, column in zip(names, ends, strict=False):
        values = np.asarray(column)
        if values.dtype.kind == "f" and not (np.isnan(values) | (values == np.floor(values))).all():
            raise TypeError(
                f"graph: column {name!r} must hold the ends of edges, integers or names, not {values.dtype}"
                f"{as_matrix}"
            )
    weights = None
    if weighted and names[2:]:
        weights = numbers(table[names[2]], f"graph: the weights in column {names[2]!r}")
    return ends, [f"graph: column {name!r}" for name in names[:2]], weights


def joined(*columns: Any) -> NDArray[Any]:
    """Columns one after another, exactly: of int64 and uint64 numpy would make float64."""
    arrays = [np.asarray(column) for column in columns]
    if all(array.dtype.kind in "iu" for array in arrays) and np.result_type(*arrays).kind in "iu":
        return np.concatenate(arrays)
    return _objects([entry for array in arrays for entry in _entries(array)])


def _entries(values: NDArray[Any]) -> list[Any]:
    """The entries as Python has them; dates as numpy has them, of which `tolist` may make numbers."""
    return list(values) if values.dtype.kind in "mM" else list(values.tolist())


def _objects(entries: Sequence[Any]) -> NDArray[Any]:
    return np.fromiter(entries, object, count=len(entries))


def distinct_labels(column: Any, what: str, *, may_be_none: bool = False) -> tuple[Labels, Integers]:
    """The labels of a column by their first appearance, and the number of each entry's."""
    values = np.asarray(column)
    if values.dtype.kind in "iu":
        labels, first, ids = np.unique(values, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return labels[order], place[ids]
    known: dict[Any, int] = {}
    try:
        places = [known.setdefault(value, len(known)) for value in _entries(values)]
    except TypeError as error:
        raise TypeError(f"{what}: labels must be hashable: {error}") from None
    for label, number in known.items():
        if _is_missing(label) and not (may_be_none and label is None):
            raise ValueError(
                f"{what}: entry {places.index(number)} is {label}, which is no label; leave such edges "
                "out, as table.dropna() does"
            )
    return label_array(list(known)), np.array(places, np.int64)


def _is_missing(label: Any) -> bool:
    """None, NaN, and what numpy and pandas have for them."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, (float, np.datetime64, np.timedelta64)) and bool(label != label)  # noqa: PLR0124


def by_label(argument: str, values: Any, graph: Any, shape: tuple[Any, ...], default: float) -> Any:
    """An array of a dict from labels to numbers, or of a pandas series by names; anything else as it is.

    The argument's name begins with the side, row or col.
    """
    index = getattr(getattr(values, "index", None), "dtype", None)
    if index is not None and index.kind not in "iu":
        if not values.index.is_unique:
            raise ValueError(f"{argument}: a name occurs twice in the series; give one number for each")
        values = values.to_dict()
    if not isinstance(values, Mapping):
        return values
    side = argument.partition("_")[0]
    labels = getattr(graph, f"{side}_labels", None)
    names = range(shape[side == "col"]) if labels is None else labels.tolist()
    place = {label: i for i, label in enumerate(names)}
    array = np.full(len(place), default)
    for label, value in values.items():
        if label not in place:
            what = {"row": "row", "col": "column"}[side]
            raise ValueError(f"{argument}: the graph has no {what} {label!r}")
        array[place[label]] = numbers([value], f"{argument}: the numbers of a dict")[0]
    return array


def label_array(labels: Sequence[Any]) -> Labels:
    """Labels as an array: of whole numbers if one type holds all of them, else of objects, tuples too."""
    if labels and all(type(label) is int for label in labels):
        array = np.array(labels)
        if array.dtype.kind in "iu":  # not float64, as where one is negative and one beyond int64
            return array
    return _objects(labels)


def numbers(values: Any, what: str) -> NDArray[np.float64]:
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what} must be real numbers, not {array.dtype}, as {array.ravel().tolist()[0]!r}")
    return array.astype(np.float64)
