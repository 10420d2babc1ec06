"""Pictures of what the matching did and of what was learned; needs the extra ``hankelmatch[plot]``.

Every function returns a matplotlib figure. A notebook shows it where it is the last value of a cell;
`save_figure` writes it to a PNG or SVG file. pyplot is not involved, so nothing has to be closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from .._utils.validation import check_type, checked_number, checked_whole, is_sparse, real_array
from ..automata.automaton import WeightedAutomaton
from ..automata.svd import TruncatedSVD
from ..hankel.graph import PrefixSuffixGraph, prefix_suffix_graph
from ..learner import SpectralLearner
from ..matching.like_scipy import Matching, match
from ._automaton import draw_automaton
from ._figure import INK, MATCHED, SECOND, checked_picture, new_figure, save_figure, styled
from ._matching import draw_large, draw_named

__all__ = [
    "checked_picture",
    "plot_automaton",
    "plot_matching",
    "plot_singular_values",
    "plot_states",
    "save_figure",
]

_MOST_NAMED = 30  # rows and columns that get the names of their strings
_MOST_MARKED = 60  # values up to which each has a marker


# ---------------------------------------------------------------------------------------------- matching


def plot_matching(
    graph: Any,
    matching: Matching | None = None,
    *,
    whole: bool | None = None,
    diagonal: bool = False,
) -> Any:
    """The Hankel matrix with a maximum matching in it, as in the paper's figure 1.

    Small ones get their strings and values written and their graph drawn beside the matrix; of large ones the
    pattern is shown: grey where there are entries, darker where there are more, red where one is matched.

    Parameters
    ----------
    graph : PrefixSuffixGraph, sparse matrix, SequenceFunction, mapping or (strings, values)
        What is matched; of a function its graph.
    matching : Matching, optional
        Of that graph; by default ``match(graph)``.
    whole : bool, optional
        Whether to show all rows and columns, or those of the block alone, that is the matched ones. By
        default all where there are at most 30 of each.
    diagonal : bool
        Put the columns into the order of the rows that they are matched with, so that the matched edges are
        the diagonal; those without a mate come last.

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
    >>> from hankelmatch.plot.pictures import plot_matching
    >>> figure = plot_matching(dict.fromkeys(["", "aab", "b", "bb", "c", "ca", "cb"], 1.0))
    >>> len(figure.axes)  # the graph and the matrix
    2
    """
    if not isinstance(graph, PrefixSuffixGraph) and not is_sparse(graph):
        graph = prefix_suffix_graph(graph)
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
            return draw_named(matrix, mates, (graph.prefix_strings(rows), graph.suffix_strings(columns)))
        return draw_named(matrix, mates, ([(i,) for i in rows], [(i,) for i in columns]))
    if is_hankel and not diagonal:
        return draw_large(matrix, mates, (graph.prefix_lengths[rows], graph.suffix_lengths[columns]))
    return draw_large(matrix, mates, None)


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


# --------------------------------------------------------------------------------------- singular values


def plot_singular_values(values: Mapping[str, ArrayLike | TruncatedSVD]) -> Any:
    """Singular values in falling order, as of the block and of the whole Hankel matrix.

    Parameters
    ----------
    values : mapping of str to array_like or TruncatedSVD
        The singular values of each matrix, by the name that it gets in the legend.

    Returns
    -------
    matplotlib.figure.Figure
        With logarithmic values; those that are not above 0 are left out.

    Raises
    ------
    ValueError
        If there are no values above 0.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from hankelmatch import hankel_blocks, matching_basis, prefix_suffix_graph, truncated_svd
    >>> from hankelmatch import substring_expectations
    >>> from hankelmatch.plot.pictures import plot_singular_values
    >>> f = substring_expectations(["abab", "ba"], 3)
    >>> block = truncated_svd(hankel_blocks(f, matching_basis(f)).H)
    >>> whole = truncated_svd(prefix_suffix_graph(f).to_csr(weighted=True))
    >>> figure = plot_singular_values({"block": block, "whole matrix": whole})
    """
    check_type("values", values, Mapping, "a mapping of names to singular values or a TruncatedSVD")
    curves = {name: _singular_values(f"values[{name!r}]", v) for name, v in values.items()}
    positive = {name: curve[curve > 0] for name, curve in curves.items()}
    if not any(len(curve) for curve in positive.values()):
        raise ValueError("values: there is no singular value above 0 to show")
    figure = new_figure(7.0, 4.4)
    axes = figure.subplots()
    for (name, curve), colour, line in zip(positive.items(), _colours(), _lines(), strict=False):
        marker = "o" if len(curve) <= _MOST_MARKED else ""
        axes.plot(
            np.arange(1, len(curve) + 1),
            np.sort(curve)[::-1],
            line,
            color=colour,
            marker=marker,
            markersize=3,
            label=f"{name} ({len(curve):,})",
        )
    axes.set_yscale("log")
    axes.xaxis.get_major_locator().set_params(integer=True)
    styled(axes, "Singular values", "number", "singular value")
    axes.legend(frameon=False, loc="upper right")
    return figure


def _singular_values(argument: str, values: ArrayLike | TruncatedSVD) -> NDArray[np.float64]:
    if isinstance(values, TruncatedSVD):
        return values.singular_values
    array = real_array(argument, values).astype(np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError(f"{argument}: a list of finite numbers is needed, not {values!r}")
    return array


def _colours() -> Iterator[str]:
    return iter((MATCHED, SECOND, INK, "#e09f3e", "#588157", "#7b2d8b") * 9)


def _lines() -> Iterator[str]:
    return iter(("-", "--", ":", "-.") * 14)


# ------------------------------------------------------------------------------------------------ states


def plot_states(learned: SpectralLearner | Mapping[tuple[str, int], float]) -> Any:
    """Bits per symbol of held-out text against the number of states, for all numbers that were tried.

    Parameters
    ----------
    learned : SpectralLearner or mapping of (str, int) to float
        A learner that has chosen on held-out text; or its ``tried_``: bits per symbol by the kind of contexts
        and the number of states.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If nothing was tried, as where the number of states was given.
    ImportError
        If matplotlib is not installed.

    Notes
    -----
    That is before a learner chose its shrinkage and the weight or the floor; with shrinkage it may have taken
    more states than are best here, see its ``n_states_``.

    Examples
    --------
    >>> from hankelmatch.plot.pictures import plot_states
    >>> figure = plot_states({("mixed", 10): 2.5, ("mixed", 20): 2.25, ("mixed", 40): 2.375})
    """
    kinds = (SpectralLearner, Mapping)
    check_type("learned", learned, kinds, "a SpectralLearner, or the mapping that its tried_ is,")
    tried = getattr(learned, "tried_", {}) if isinstance(learned, SpectralLearner) else dict(learned)
    if not all(isinstance(key, tuple) and len(key) == 2 for key in tried):
        raise ValueError("learned: keys are kinds of contexts with numbers of states, as ('mixed', 20)")
    if not tried:
        raise ValueError(
            "learned: no number of states was tried on held-out text; fit with n_states='auto' or a list"
        )
    figure = new_figure(7.0, 4.4)
    axes = figure.subplots()
    for kind, colour, line in zip(sorted({kind for kind, _ in tried}), _colours(), _lines(), strict=False):
        numbers = sorted(n for other, n in tried if other == kind)
        bits = [tried[kind, n] for n in numbers]
        axes.plot(numbers, bits, line, color=colour, marker="o", markersize=3, label=f"{kind} contexts")
    kind, n = min(tried, key=lambda choice: (tried[choice], choice))
    axes.plot(
        n, tried[kind, n], "*", color=INK, markersize=11, label=f"best: {n:,} states, {tried[kind, n]:.4f}"
    )
    axes.set_xscale("log")
    _plain_numbers(axes.xaxis, [n for _, n in tried])
    styled(axes, "Held-out text", "states", "bits per symbol")
    axes.legend(frameon=False, loc="upper right")
    return figure


def _plain_numbers(axis: Any, numbers: list[int]) -> None:
    """Ticks at 1, 2, 5, 10, ... as plain numbers: powers of ten alone are too few for such axes."""
    low, high = min(numbers), max(numbers)
    steps = [m * 10**e for e in range(12) for m in (1, 2, 5) if low <= m * 10**e <= high]
    ticks = steps if len(steps) > 1 else sorted({low, high})
    axis.set_ticks(ticks, [f"{tick:,}" for tick in ticks])
    axis.set_ticks([], minor=True)


# --------------------------------------------------------------------------------------------- automaton


def plot_automaton(
    automaton: WeightedAutomaton, *, max_states: int = 8, max_arrows: int = 24, least: float = 0.01
) -> Any:
    """A weighted automaton as a graph.

    Parameters
    ----------
    automaton : WeightedAutomaton
        Of one that `learn_automaton` made the states are directions, not classes of contexts: signs and sizes
        of its weights depend on the basis, and most are not 0.
    max_states : int
        So many states are shown, the first ones: of a learned automaton those of the largest singular values.
    max_arrows : int
        So many arrows are shown, the heaviest ones, as far as there is room for their labels.
    least : float
        Transitions are left out whose weight is below this share of the largest, in magnitude.

    Returns
    -------
    matplotlib.figure.Figure
        In each circle: the state's number, its initial weight after an arrow, its final weight before one.
        At each arrow up to three symbols with their weights; red where the heaviest is negative.

    Raises
    ------
    ValueError
        If the automaton has no states or a parameter is out of its range.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from hankelmatch import WeightedAutomaton
    >>> from hankelmatch.plot.pictures import plot_automaton
    >>> wa = WeightedAutomaton(
    ...     initial=[1, 0], final=[0, 1], transitions={"a": [[1, 1], [0, 1]], "b": [[2, 0], [0, 2]]}
    ... )
    >>> figure = plot_automaton(wa)
    """
    max_states = checked_whole("max_states", max_states, 1)
    max_arrows = checked_whole("max_arrows", max_arrows, 0)
    least = checked_number("least", least, 0, 1, with_end=True)
    check_type("automaton", automaton, WeightedAutomaton, "a WeightedAutomaton")
    if automaton.n_states == 0:
        raise ValueError("automaton: it has no states to show")
    return draw_automaton(automaton, max_states, max_arrows, least)
