"""An automaton as a graph: states on a circle, arrows with symbols and weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.optional import needs
from .._utils.types import Figure
from .._utils.validation import check_type, checked_number, checked_whole
from ..automata.automaton import WeightedAutomaton
from .figure import INK, MATCHED, Labels, Points, new_figure, number_text, symbol_text

_INCHES = 2.7  # for a length of 1
_CAPTION = 0.6  # inches
_STATE_RADIUS = 0.115
_LOOP = 0.105  # radius of the arrow from a state to itself
_BEND = 0.16
_MARGIN = 0.5
_STATES_ON_UNIT_CIRCLE = 16
_MOST_SYMBOLS = 3  # at one arrow
_ROUNDING = 1e-6  # as float32 has it
# Where the label of an arrow may be: how far along it, and how far beside it.
_ALONG = (0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.22, 0.78)
_BESIDE = (0.0, 0.05, -0.05, 0.1, -0.1)
# The same for an arrow from a state to itself: how far out of it, and how far beside it.
_LOOP_PLACES = ((0.09, 0.0), (0.13, 0.0), (0.0, 0.18), (0.0, -0.18), (0.1, 0.16), (0.1, -0.16))


@dataclass(frozen=True)
class _Arrow:
    """All transitions from one state to another, the heaviest first."""

    source: int
    target: int
    symbols: NDArray[Any]
    weights: NDArray[Any]

    @property
    def is_loop(self) -> bool:
        return self.source == self.target

    def text(self, labels: tuple[Any, ...]) -> str:
        heaviest = zip(self.symbols[:_MOST_SYMBOLS].tolist(), self.weights.tolist(), strict=False)
        shown = [f"{symbol_text(labels[a])} {number_text(weight)}" for a, weight in heaviest]
        more = len(self.symbols) - len(shown)
        return "\n".join([*shown, f"+{more} more"] if more else shown)


def plot_automaton(
    automaton: WeightedAutomaton, *, max_states: int = 8, max_arrows: int = 24, least: float = 0.01
) -> Figure:
    """A weighted automaton as a graph.

    Parameters
    ----------
    automaton : WeightedAutomaton
        The states of a learned automaton are directions, not classes of contexts: signs and sizes of its
        weights depend on the basis, and most are not 0.
    max_states : int
        Show at most so many states, the first ones: in a learned automaton those of the largest singular
        values.
    max_arrows : int
        Show at most so many arrows, the heaviest ones, as far as there is room for their labels.
    least : float
        Leave out transitions whose weight is below this share of the largest, in magnitude.

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
    >>> from hankelmatch.plot import plot_automaton
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
    shown = automaton.truncate(min(max_states, automaton.n_states))
    arrows = _arrows(shown, least)
    centres = _circle(shown.n_states)
    limit = float(np.abs(centres).max()) + _MARGIN
    side = 2 * limit * _INCHES
    width = max(side, 7.0)  # the caption needs it
    figure = new_figure(width, side + _CAPTION, layout=None)
    share = _CAPTION / (side + _CAPTION)
    axes = figure.add_axes((0.0, share, 1.0, 1.0 - share))
    axes.set_xlim(-limit * width / side, limit * width / side)
    axes.set_ylim(-limit, limit)
    axes.set_axis_off()
    for state, centre in enumerate(centres):
        _draw_state(axes, shown, state, centre)
    n_drawn = _draw_arrows(axes, arrows[:max_arrows], centres, shown.alphabet.labels)
    caption = _caption(automaton, shown, n_drawn, len(arrows))
    figure.text(0.5, share / 2, caption, ha="center", va="center", color=INK, fontsize=8)
    return figure


def _arrows(automaton: WeightedAutomaton, least: float) -> list[_Arrow]:
    """One for each pair of states with a transition that is not left out, the heaviest first."""
    n = automaton.n_states
    weights = np.array([matrix[:n, :n] for matrix in automaton.transitions], dtype=np.float64)
    weights = _rounded(weights.reshape(automaton.n_symbols, n, n))
    size = np.abs(weights)
    kept = (size > 0) & (size >= least * size.max(initial=0.0))
    arrows = []
    for source, target in np.argwhere(kept.any(axis=0)).tolist():
        symbols = np.flatnonzero(kept[:, source, target])
        symbols = symbols[np.argsort(-size[symbols, source, target], kind="stable")]
        arrows.append(_Arrow(source, target, symbols, weights[symbols, source, target]))
    return sorted(arrows, key=lambda arrow: -abs(float(arrow.weights[0])))


def _rounded(weights: NDArray[Any]) -> NDArray[Any]:
    """The weights with 0 for those that are 0 but for rounding."""
    is_zero = np.abs(weights) <= _ROUNDING * np.abs(weights).max(initial=0.0)
    return np.where(is_zero, 0.0, weights)


def _circle(n: int) -> Points:
    """Where n states stand: around a circle from the top, clockwise; a single one in the middle."""
    if n == 1:
        return np.zeros((1, 2))
    angles = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    radius = max(0.6 if n < 4 else 1.0, n / _STATES_ON_UNIT_CIRCLE)
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _draw_state(axes: Any, automaton: WeightedAutomaton, state: int, centre: Points) -> None:
    circle = needs("matplotlib.patches", "drawing", "plot").Circle(
        tuple(centre), _STATE_RADIUS, facecolor="#ffffff", edgecolor=INK, linewidth=1.4, zorder=3
    )
    axes.add_patch(circle)
    initial, final = (float(_rounded(side)[state]) for side in (automaton.initial, automaton.final))
    lines = (
        (0.05, 11, f"{state + 1}"),
        (-0.005, 7, f"\u2192 {number_text(initial)}"),
        (-0.06, 7, f"{number_text(final)} \u2192"),
    )
    for up, size, text in lines:
        x, y = centre[0], centre[1] + up
        axes.text(x, y, text, ha="center", va="center", fontsize=size, color=INK, zorder=4)


def _draw_arrows(axes: Any, arrows: list[_Arrow], centres: Points, labels: tuple[Any, ...]) -> int:
    """Draw the arrows for whose label there is room; how many those are."""
    texts = Labels(axes)
    for centre in centres:
        texts.keep_free(centre, _STATE_RADIUS)
    n_drawn = 0
    box = {"boxstyle": "square,pad=0.1", "facecolor": "#ffffff", "edgecolor": "none", "alpha": 0.9}
    for arrow in arrows:
        colour = INK if arrow.weights[0] >= 0 else MATCHED
        path = _path(centres, arrow)
        style = {"fontsize": 7, "color": colour, "bbox": box, "zorder": 2.5, "linespacing": 1.0}
        if texts.place(arrow.text(labels), _label_places(path, arrow), **style):
            share = abs(float(arrow.weights[0] / arrows[0].weights[0]))
            _draw_line(axes, _visible(path, centres, arrow), colour, 0.6 + 2.0 * share)
            n_drawn += 1
    return n_drawn


def _draw_line(axes: Any, path: Points, colour: str, width: float) -> None:
    """A line along a path with an arrow's head at its end."""
    axes.plot(path[:-1, 0], path[:-1, 1], color=colour, linewidth=width, alpha=0.75, zorder=2)
    head = needs("matplotlib.patches", "drawing", "plot").FancyArrowPatch(
        tuple(path[-4]),
        tuple(path[-1]),
        arrowstyle="-|>,head_length=5,head_width=2.5",
        color=colour,
        linewidth=0,
        shrinkA=0,
        shrinkB=0,
        zorder=2,
    )
    axes.add_patch(head)


def _path(centres: Points, arrow: _Arrow) -> Points:
    """Points along an arrow, from centre to centre; those in between are a bow to the left of it."""
    begin, end = centres[arrow.source], centres[arrow.target]
    if arrow.is_loop:
        outward = begin / np.hypot(*begin) if begin.any() else np.array([0.0, 1.0])
        middle = begin + outward * (_STATE_RADIUS + 0.6 * _LOOP)
        turn = np.linspace(np.pi, 3 * np.pi, 60) + np.arctan2(outward[1], outward[0])
        return np.asarray(middle + _LOOP * np.column_stack([np.cos(turn), np.sin(turn)]))
    across = np.array([begin[1] - end[1], end[0] - begin[0]])
    control = (begin + end) / 2 + _BEND * across
    t = np.linspace(0.0, 1.0, 80)[:, None]
    return np.asarray((1 - t) ** 2 * begin + 2 * t * (1 - t) * control + t**2 * end)


def _visible(path: Points, centres: Points, arrow: _Arrow) -> Points:
    """The part of a path that neither of its states hides."""
    ends = centres[[arrow.source, arrow.target]]
    away = np.hypot(*(path[:, None] - ends).T) > 1.04 * _STATE_RADIUS
    return path[away.all(axis=0)]


def _label_places(path: Points, arrow: _Arrow) -> list[Points]:
    """Where the label of an arrow may be, the best places first."""
    if arrow.is_loop:
        top = path[len(path) // 2]
        outward = (top - path[0]) / np.hypot(*(top - path[0]))
        beside = np.array([-outward[1], outward[0]])
        return [top + out * outward + side * beside for out, side in _LOOP_PLACES]
    places = []
    for distance in _BESIDE:
        for share in _ALONG:
            i = round(share * (len(path) - 1))
            direction = path[i + 1] - path[i - 1]
            beside = np.array([-direction[1], direction[0]]) / np.hypot(*direction)
            places.append(path[i] + distance * beside)
    return places


def _caption(automaton: WeightedAutomaton, shown: WeightedAutomaton, n_drawn: int, n_arrows: int) -> str:
    states = _counted(automaton.n_states, "state")
    if shown.n_states < automaton.n_states:
        states = f"the first {shown.n_states:,} of {states}"
    arrows = _counted(n_arrows, "arrow")
    if n_drawn < n_arrows:
        arrows = f"{n_drawn:,} of {arrows}"
    return (
        f"{states}, {_counted(automaton.n_symbols, 'symbol')}, {arrows}\n"
        "in a circle: state, \u2192 initial weight, final weight \u2192;   "
        "at an arrow: symbols and weights, red if the heaviest is negative"
    )


def _counted(n: int, name: str) -> str:
    return f"{n:,} {name}" if n == 1 else f"{n:,} {name}s"
