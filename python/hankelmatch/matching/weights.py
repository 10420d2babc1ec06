"""The weights of a graph's edges, checked: what every matcher by weight begins with."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .. import _core
from .._utils.sparse_formats import steady, too_large
from .._utils.validation import Pattern, as_pattern, checked_pattern
from .graphs import BipartiteGraph, is_hankel, known_graph

Objective: TypeAlias = Literal["sum", "product"]
Floats: TypeAlias = NDArray[np.float64]

Found = TypeVar("Found")

LARGEST = 2.0**960  # sums of up to 2^31 weights and prices must not overflow


class WeightedPattern(NamedTuple):
    """The edges of a graph, no two alike, rows in order and columns within them; a weight for each."""

    pattern: Pattern
    weights: Floats


def of_given(
    function: Callable[..., Found], graph: Any, *options: bool, argument: str = "graph"
) -> Found | None:
    """Call a function of the core that checks the arrays of a CSR matrix itself, which takes one pass.

    None for other graphs, and where an entry is not plain: `weighted_pattern` says what is wrong with it.
    """
    if type(graph) not in (sp.csr_array, sp.csr_matrix) or graph.ndim != 2:
        return None
    try:
        return function(*graph.shape, graph.indptr, graph.indices, graph.data, *options)
    except TypeError:  # arrays of other types
        return None
    except MemoryError:
        raise too_large(argument, graph.shape) from None


def weighted_pattern(graph: Any, objective: str, *, minimize: bool = False) -> WeightedPattern:
    """Give the edges of a graph and their weights; a product's weights are logarithms.

    Weights that are infinitely bad are no edges: -inf, or inf if the least is looked for.
    """
    if not (isinstance(objective, str) and objective in ("sum", "product")):
        raise ValueError(f'objective: "sum" or "product" is needed, not {objective!r}')
    pattern, entries = stored_entries(graph)
    if objective == "product":
        sizes = np.abs(entries)
        with np.errstate(divide="ignore"):
            entries = np.log(sizes)  # -inf for 0, which is no edge
        if not sizes.all():
            pattern, entries = selected(pattern, entries, sizes != 0)
    if _core.are_weights(entries):
        return WeightedPattern(pattern, entries)
    worst, best = (np.inf, -np.inf) if minimize else (-np.inf, np.inf)
    if minimize and objective == "product":
        best = np.nan  # zeros are gone
    refuse(
        pattern,
        entries,
        (np.isnan(entries), entries == best, np.isfinite(entries) & (np.abs(entries) > LARGEST)),
        minimize=minimize,
        graph=graph,
    )
    return selected(pattern, entries, entries != worst)


def refuse(
    pattern: Pattern,
    entries: Floats,
    wrong: tuple[Any, ...],
    *,
    minimize: bool,
    argument: str = "graph",
    graph: Any = None,
) -> None:
    """Raise ValueError for the first entry of one of the wrong kinds: NaN, infinitely good, too large."""
    best, worst = ("-inf", "inf") if minimize else ("inf", "-inf")
    other = (
        "maximum_weight_matching without minimize takes -inf for no edge"
        if minimize
        else "maximum_weight_matching with minimize=True and min_weight_full_bipartite_matching take inf so"
    )
    remedies = (
        f"; give a number, or leave the entry out, or {worst} for no edge",
        f", which nothing outweighs; give a finite number, or {worst} where there is no edge ({other})",
        "; give numbers of at most 2^960 in size",
    )
    for places, remedy in zip(wrong, remedies, strict=True):
        if places.any():
            i = int(np.argmax(places))
            row = int(np.searchsorted(pattern.indptr, i, side="right")) - 1
            value = {"nan": "NaN", "inf": best, "-inf": best}.get(f"{entries[i]:g}", f"{entries[i]:g}")
            col = int(pattern.indices[i])
            if isinstance(graph, BipartiteGraph):  # by name
                row, col = graph.row_labels.tolist()[row], graph.col_labels.tolist()[col]
            raise ValueError(f"{argument}: the entry in row {row!r}, column {col!r} is {value}{remedy}")


def stored_entries(graph: Any) -> WeightedPattern:
    """Give the stored entries as float64, repeated ones added; of a numpy array all of them."""
    if isinstance(graph, np.ndarray):
        return _entries_of_array(graph)
    graph = known_graph(graph)
    if is_hankel(graph):
        graph = graph.to_csr(weighted=True)
    if isinstance(graph, BipartiteGraph):
        graph = graph.biadjacency
    if hasattr(graph, "to_scipy_sparse"):
        graph = graph.to_scipy_sparse()
    sparse = graph = steady(graph) if sp.issparse(graph) else graph
    pattern = as_pattern(graph)
    if sparse.format != "dok" and not isinstance(sparse.data, np.ndarray):
        raise TypeError(f"graph.data must be a numpy array, not {type(sparse.data).__name__}")
    if sparse.dtype.kind not in "bifu":
        raise TypeError(f"graph: its entries must be real numbers, not {sparse.dtype}")
    # Repeats are added in float64: small integers would wrap.
    try:
        csr = sparse if sparse.format == "csr" else sparse.astype(np.float64).tocsr()
    except (IndexError, TypeError) as error:
        raise ValueError(f"graph: its {sparse.format} entries cannot be read: {error}") from None
    if csr.data.ndim != 1 or len(csr.data) < len(csr.indices):
        raise ValueError(
            f"graph: entries of shape {csr.data.shape} for {len(csr.indices)} indices; one for each is needed"
        )
    with np.errstate(over="ignore"):  # what becomes infinite is refused later
        data = np.ascontiguousarray(csr.data, dtype=np.float64)
    if csr is not graph:
        pattern = as_pattern(csr)
    if not _core.is_canonical(*pattern):  # whatever the matrix's flags say: they may be from before a change
        csr = sp.csr_array((data, csr.indices, csr.indptr), shape=csr.shape, copy=True)
        csr.sum_duplicates()
        pattern, data = as_pattern(csr), csr.data
    return WeightedPattern(pattern, data[: pattern.indptr[-1] if len(pattern.indptr) else 0])


def _entries_of_array(array: NDArray[Any]) -> WeightedPattern:
    """Every entry is an edge, zeros too, as in scipy's `linear_sum_assignment`; masked ones are none."""
    if array.ndim != 2:
        raise ValueError(f"graph must have 2 dimensions, rows and columns, not {array.ndim}")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"graph: its entries must be real numbers, not {array.dtype}")
    n_rows, n_cols = array.shape
    indptr = np.arange(n_rows + 1) * n_cols
    pattern = checked_pattern(array.shape, indptr, np.tile(np.arange(n_cols), n_rows))
    weighted = WeightedPattern(pattern, np.asarray(np.ma.getdata(array)).astype(np.float64).ravel())
    return selected(*weighted, ~np.ma.getmaskarray(array).ravel()) if np.ma.is_masked(array) else weighted


def selected(pattern: Pattern, weights: Floats, wanted: NDArray[np.bool_]) -> WeightedPattern:
    """Keep some entries only; nothing is copied if all are wanted."""
    if wanted.all():
        return WeightedPattern(pattern, weights)
    n_before = np.concatenate(([0], np.cumsum(wanted)))
    indptr = n_before[np.minimum(pattern.indptr, len(wanted))].astype(pattern.indptr.dtype)
    kept = pattern._replace(indptr=indptr, indices=pattern.indices[: len(wanted)][wanted])
    return WeightedPattern(kept, weights[wanted])


def pair_weights(weighted: WeightedPattern, row_mate: NDArray[Any]) -> Floats:
    """Give the weights of a matching's pairs, by row."""
    mates = np.asarray(row_mate, weighted.pattern.indices.dtype)
    return _core.pair_weights(*weighted.pattern, weighted.weights, mates)
