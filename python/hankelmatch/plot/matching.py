"""A matrix with a matching in it: with every string written, or as an image of its pattern."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .._utils.optional import needs
from .._utils.types import Figure, GraphLike
from .._utils.validation import is_sparse
from ..counting.sequence_function import FunctionLike
from ..hankel.graph import PrefixSuffixGraph, prefix_suffix_graph
from ..matching.maximum import Matching, match
from ..sequences.strings import Strings
from .figure import INK, MATCHED, PALE, SECOND, new_figure, number_text, string_text, text_width

_MOST_NAMED = 30  # rows and columns that get the names of their strings
_MOST_VALUES = 16  # columns up to which the values themselves are written
_FONT = 9
# Inches, where rows and columns are named: of a cell, between two columns of nodes, a name and what it names.
_CELL = 0.34
_GRAPH = 1.8
_GAP = 0.1
_PAD = 0.15
_CAPTION = 0.5
_WIDEST_CAPTION = 6.2
_SIDE = 7.0  # inches, of a matrix whose rows are not named
_BINS = 500  # rows and columns of the image of a large pattern


def plot_matching(
    graph: GraphLike | FunctionLike,
    matching: Matching | None = None,
    *,
    whole: bool | None = None,
    diagonal: bool = False,
) -> Figure:
    """The Hankel matrix with a maximum matching in it, as in the paper's figure 1.

    A small matrix shows its strings and values, with the graph beside it. A large one shows its pattern: grey
    where there are entries, darker where there are more, red where one is matched.

    Parameters
    ----------
    graph : PrefixSuffixGraph, sparse matrix, SequenceFunction, mapping or (strings, values)
        What is matched; for a function its graph.
    matching : Matching, optional
        Of that graph; by default ``match(graph)``.
    whole : bool, optional
        Whether to show all rows and columns, or those of the block alone, that is the matched ones. By
        default all where there are at most 30 of each.
    diagonal : bool
        Order the columns by the rows that they are matched with, so that the matched edges form the diagonal;
        unmatched columns come last.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the matching is of a matrix of another shape, or there is nothing to show.
    ImportError
        If matplotlib is not installed.

    Notes
    -----
    The list of edges is made: time and memory linear in it, some 12 bytes an edge.

    References
    ----------
    Quattoni, Carreras, Gallé (2017), figure 1.

    Examples
    --------
    >>> from hankelmatch.plot import plot_matching
    >>> figure = plot_matching(dict.fromkeys(["", "aab", "b", "bb", "c", "ca", "cb"], 1.0))
    >>> len(figure.axes)  # the graph and the matrix
    2
    """
    given: Any = graph
    graph = given if isinstance(given, PrefixSuffixGraph) or is_sparse(given) else prefix_suffix_graph(given)
    matching = match(graph) if matching is None else matching
    shape = len(matching.row_mate), len(matching.col_mate)
    if shape != graph.shape:
        raise ValueError(f"matching: it is of a {shape} matrix, but the graph is {graph.shape}; match that")
    rows, columns = _shown(matching, max(shape) <= _MOST_NAMED if whole is None else whole, diagonal)
    if len(rows) == 0 or len(columns) == 0:
        raise ValueError("graph: it has no row or no column to show; give one with entries")
    matrix = (graph.to_csr(weighted=True) if isinstance(graph, PrefixSuffixGraph) else graph).tocsr()
    matrix = scipy.sparse.coo_array(matrix[rows][:, columns])
    place = np.full(shape[1], -1)
    place[columns] = np.arange(len(columns))
    mates = np.where(matching.row_mate[rows] >= 0, place[matching.row_mate[rows]], -1)
    is_hankel = isinstance(graph, PrefixSuffixGraph)
    if max(len(rows), len(columns)) <= _MOST_NAMED:
        if is_hankel:
            return _draw_named(matrix, mates, (graph.prefix_strings(rows), graph.suffix_strings(columns)))
        return _draw_named(matrix, mates, ([(i,) for i in rows], [(i,) for i in columns]))
    if is_hankel and not diagonal:
        return _draw_large(matrix, mates, (graph.prefix_lengths[rows], graph.suffix_lengths[columns]))
    return _draw_large(matrix, mates, None)


def _shown(matching: Matching, whole: bool, diagonal: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows and columns in the order in which they are shown."""
    row_mate, col_mate = np.asarray(matching.row_mate), np.asarray(matching.col_mate)
    matched = np.flatnonzero(row_mate >= 0)
    columns = row_mate[matched] if diagonal else np.flatnonzero(col_mate >= 0)
    if not whole:
        return matched, columns
    if diagonal:
        rows = np.append(matched, np.flatnonzero(row_mate < 0))
        return rows, np.append(columns, np.flatnonzero(col_mate < 0))
    return np.arange(len(row_mate)), np.arange(len(col_mate))


def _draw_named(
    matrix: scipy.sparse.coo_array, mates: NDArray[Any], names: tuple[Sequence[Any], Sequence[Any]]
) -> Any:
    """Graph and matrix side by side, with every string and, in few columns, every value."""
    rows, columns = ([string_text(x) for x in side] for side in names)
    row_width, column_width = (_GAP + text_width(side, _FONT) for side in (rows, columns))
    side = _CELL * max(len(rows), len(columns))
    graph_width = 2 * _PAD + row_width + _GRAPH + column_width
    width = max(_WIDEST_CAPTION, graph_width + row_width + _CELL * len(columns) + _PAD)
    height = side + column_width + _PAD + _CAPTION
    figure = new_figure(width, height, layout=None)

    def axes_at(left: float, n: int, size: float) -> Any:
        """Axes of so many inches, n cells high, below the columns' names."""
        bottom = _CAPTION + side - _CELL * n
        return figure.add_axes((left / width, bottom / height, size / width, _CELL * n / height))

    n_longest = max(len(rows), len(columns))
    left = axes_at(_PAD + row_width, n_longest, _GRAPH)
    _draw_bipartite(left, matrix, mates, rows, columns)
    right = axes_at(graph_width + row_width, len(rows), _CELL * len(columns))
    _draw_cells(right, matrix, mates, rows, columns)
    kind = "Hankel matrix" if isinstance(names[0], Strings) else "Matrix"
    caption = f"{kind}, {_counts(matrix, mates)}; shaded: its block"
    figure.text(0.5, 0.4 * _CAPTION / height, caption, ha="center", va="center", fontsize=_FONT, color=INK)
    return figure


def _draw_bipartite(
    axes: Any, matrix: scipy.sparse.coo_array, mates: NDArray[Any], rows: list[str], columns: list[str]
) -> None:
    for row, column in zip(matrix.row.tolist(), matrix.col.tolist(), strict=True):
        if mates[row] != column:
            axes.plot([0, 1], [row, column], color=PALE, linewidth=0.9, zorder=1)
    for row in np.flatnonzero(mates >= 0).tolist():
        axes.plot([0, 1], [row, mates[row]], color=MATCHED, linewidth=2.0, zorder=2)
    matched_columns = set(mates.tolist())
    for x, names, side, is_matched in (
        (-0.07 / _GRAPH, rows, "right", lambda i: mates[i] >= 0),
        (1 + 0.07 / _GRAPH, columns, "left", lambda i: i in matched_columns),
    ):
        for i, name in enumerate(names):
            colour = MATCHED if is_matched(i) else INK
            axes.text(x, i, name, ha=side, va="center", fontsize=_FONT, color=colour, parse_math=False)
    for x, n in ((0, len(rows)), (1, len(columns))):
        axes.plot(np.full(n, x), np.arange(n), "o", color=INK, markersize=3, zorder=3, clip_on=False)
    axes.set_xlim(0, 1)
    axes.set_ylim(max(len(rows), len(columns)) - 0.5, -0.5)
    axes.set_axis_off()


def _draw_cells(
    axes: Any, matrix: scipy.sparse.coo_array, mates: NDArray[Any], rows: list[str], columns: list[str]
) -> None:
    _shade_block(axes, mates, matrix.shape)
    entries = zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True)
    for row, column, value in entries:
        is_matched = bool(mates[row] == column)
        text = number_text(value) if len(columns) <= _MOST_VALUES else "\u25cf"
        style = {"weight": "bold"} if is_matched else {}
        colour = MATCHED if is_matched else INK
        axes.text(column, row, text, ha="center", va="center_baseline", fontsize=7, color=colour, **style)
    axes.set_xticks(np.arange(len(columns)), columns, rotation=90, fontsize=_FONT, parse_math=False)
    axes.set_yticks(np.arange(len(rows)), rows, fontsize=_FONT, parse_math=False)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)


def _shade_block(axes: Any, mates: NDArray[Any], shape: tuple[int, int]) -> None:
    """Shade where a matched row and a matched column meet, and ring the matched entries."""
    in_block = np.zeros(shape)
    matched = np.flatnonzero(mates >= 0)
    in_block[np.ix_(matched, mates[matched])] = 1.0
    axes.imshow(in_block, cmap=_two_colours("#ffffff", "#fbe3e4"), vmin=0, vmax=1, aspect="equal")
    axes.plot(mates[matched], matched, "s", markersize=19, markerfacecolor="none", color=MATCHED)


def _draw_large(
    matrix: scipy.sparse.coo_array, mates: NDArray[Any], lengths: tuple[NDArray[Any], NDArray[Any]] | None
) -> Any:
    """The pattern as an image, with the matched entries on top; of strings, which ascend by length."""
    n_rows, n_columns = matrix.shape
    figure = new_figure(_SIDE, 0.3 + _SIDE * min(1.5, max(0.35, n_rows / n_columns)))
    axes = figure.subplots()
    bins = min(_BINS, n_rows), min(_BINS, n_columns)
    image = _binned(matrix.row, matrix.col, matrix.shape, bins)
    edges = (-0.5, n_columns - 0.5, n_rows - 0.5, -0.5)
    shades = _two_colours("#dfe4ea", INK).with_extremes(under="#ffffff")
    level = np.log1p(image) / np.log1p(image.max())
    level[image == 0] = -1.0
    aspect = "equal" if 0.3 < n_rows / n_columns < 3 else "auto"
    axes.imshow(level, cmap=shades, vmin=0, vmax=1, extent=edges, interpolation="nearest", aspect=aspect)
    matched = np.flatnonzero(mates >= 0)
    size = float(np.clip(1000 / max(n_rows, n_columns), 1.4, 4.0))
    axes.plot(mates[matched], matched, "s", color=MATCHED, markersize=size, markeredgewidth=0)
    if lengths is not None:
        _mark_lengths(axes.xaxis, lengths[1], "suffixes, by length")
        _mark_lengths(axes.yaxis, lengths[0], "prefixes, by length")
    else:
        axes.set_xlabel("columns", color=INK)
        axes.set_ylabel("rows", color=INK)
    axes.set_title(_counts(matrix, mates), fontsize=10, color=INK)
    return figure


def _binned(
    rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int], bins: tuple[int, int]
) -> NDArray[np.float64]:
    """How many entries fall into each cell of a coarser matrix."""
    coarse_rows = rows.astype(np.int64) * bins[0] // shape[0]
    coarse_columns = columns.astype(np.int64) * bins[1] // shape[1]
    counts = np.bincount(coarse_rows * bins[1] + coarse_columns, minlength=bins[0] * bins[1])
    return counts.reshape(bins).astype(np.float64)


def _mark_lengths(axis: Any, lengths: NDArray[Any], label: str) -> None:
    """A line between strings of different lengths, and each length written where it has room."""
    ends = [*np.flatnonzero(np.diff(lengths)).tolist(), len(lengths) - 1]
    begins = [0, *(end + 1 for end in ends[:-1])]
    is_wide = [end - begin + 1 >= len(lengths) / 40 for begin, end in zip(begins, ends, strict=True)]
    wide = [(begin, end) for begin, end, fits in zip(begins, ends, is_wide, strict=True) if fits]
    axis.set_ticks(
        [(begin + end) / 2 for begin, end in wide], [str(int(lengths[begin])) for begin, _ in wide]
    )
    axis.set_tick_params(length=0)
    axis.set_label_text(f"{len(lengths):,} {label}", color=INK)
    for end in ends[:-1]:
        draw = axis.axes.axvline if axis.axis_name == "x" else axis.axes.axhline
        draw(end + 0.5, color=SECOND, linewidth=0.6, alpha=0.6)


def _two_colours(low: str, high: str) -> Any:
    colours = needs("matplotlib.colors", "drawing", "plot")
    return colours.LinearSegmentedColormap.from_list("hankelmatch", [low, high])


def _counts(matrix: scipy.sparse.coo_array, mates: NDArray[Any]) -> str:
    n_rows, n_columns = matrix.shape
    size = f"{n_rows:,} \u00d7 {n_columns:,}, {matrix.nnz:,} entries"
    return f"{size}; maximum matching (red): {int(np.count_nonzero(mates >= 0)):,}"
