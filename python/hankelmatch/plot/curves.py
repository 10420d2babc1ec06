"""Curves: singular values, and bits per symbol against the number of states."""

from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._utils.types import Axes, Figure
from .._utils.validation import check_type, real_array
from ..automata.svd import TruncatedSVD
from .figure import INK, MATCHED, SECOND, new_figure, styled

_MOST_MARKED = 60  # values up to which each has a marker


class Learner(Protocol):
    """A learner that may have chosen its number of states on held-out text, such as `SpectralLearner`."""

    def get_params(self, deep: bool = True) -> dict[str, object]: ...


def plot_singular_values(values: Mapping[str, ArrayLike | TruncatedSVD]) -> Figure:
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
    >>> from hankelmatch.plot import plot_singular_values
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
    for (name, curve), (colour, line) in zip(positive.items(), _styles(), strict=False):
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


def _styles() -> Iterator[tuple[str, str]]:
    """Colours and kinds of lines."""
    return zip(cycle((MATCHED, SECOND, INK, "#e09f3e", "#588157", "#7b2d8b")), cycle(("-", "--", ":", "-.")))


def plot_states(learned: Learner | Mapping[tuple[str, int], float], *, ax: Axes | None = None) -> Figure:
    """Draw bits per symbol of held-out text against the number of states, for all numbers that were tried.

    Parameters
    ----------
    learned : SpectralLearner or mapping of (str, int) to float
        A learner that has chosen on held-out text; or its ``tried_``: bits per symbol by the kind of contexts
        and the number of states.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on, in place of a new figure.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If nothing was tried, as where the number of states was given.
    TypeError
        If `learned` is neither of the above, or `ax` are no axes.
    ImportError
        If matplotlib is not installed.

    Notes
    -----
    At each number of states the values are the best over the shrinkage, and the mixing or floor, that were
    tried there. All belong to models that had not seen the held-out text.

    Examples
    --------
    >>> from hankelmatch.plot import plot_states
    >>> figure = plot_states({("mixed", 10): 2.5, ("mixed", 20): 2.25, ("mixed", 40): 2.375})
    """
    if not (isinstance(learned, Mapping) or hasattr(learned, "get_params")):
        check_type("learned", learned, Mapping, "a SpectralLearner, or the mapping that its tried_ is,")
    tried = dict(learned) if isinstance(learned, Mapping) else getattr(learned, "tried_", {})
    if not all(isinstance(key, tuple) and len(key) == 2 for key in tried):
        raise ValueError("learned: keys are kinds of contexts with numbers of states, as ('mixed', 20)")
    if not tried:
        raise ValueError(
            "learned: no number of states was tried on held-out text; fit with n_states='auto' or a list"
        )
    if ax is not None and not hasattr(ax, "plot"):
        raise TypeError(f"ax: axes of matplotlib are needed, not {type(ax).__name__}")
    axes: Any = new_figure(7.0, 4.4).subplots() if ax is None else ax
    figure: Figure = axes.figure
    for kind, (colour, line) in zip(sorted({kind for kind, _ in tried}), _styles(), strict=False):
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
