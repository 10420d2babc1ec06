"""What all pictures share: figures and files, colours, how strings are written, labels that keep clear."""

import os
from collections.abc import Hashable, Iterable, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._utils.files import write_atomically
from .._utils.optional import needs
from .._utils.types import Figure

Points: TypeAlias = NDArray[np.float64]

INK = "#22313f"
PALE = "#c9d1d9"
MATCHED = "#c1121f"  # matched edges, as in the paper's figure 1; and what is negative
SECOND = "#2a6f97"

_FORMATS = (".png", ".svg")
_PIXELS_PER_INCH = 150
_LONGEST_TEXT = 18
_VISIBLE = {" ": "\u2423", "\n": "\u21b5", "\t": "\u21e5"}


@cache
def _figure_class() -> Any:
    """matplotlib's figures, which notebooks show without pyplot too."""
    base = needs("matplotlib.figure", "drawing", "plot").Figure

    class NotebookFigure(base):  # type: ignore[misc,valid-type]
        def _repr_png_(self) -> bytes:
            buffer = BytesIO()
            self.savefig(buffer, format="png")
            return buffer.getvalue()

    return NotebookFigure


def new_figure(width: float, height: float, layout: str | None = "constrained") -> Any:
    """A figure of so many inches, with a canvas that can measure text, outside of pyplot's books."""
    figure = _figure_class()(figsize=(width, height), dpi=_PIXELS_PER_INCH, layout=layout)
    needs("matplotlib.backends.backend_agg", "drawing", "plot").FigureCanvasAgg(figure)
    return figure


def styled(axes: Any, title: str, x: str, y: str) -> None:
    """Titles, a faint grid, and no frame above and to the right."""
    axes.set_title(title, color=INK, fontsize=11, parse_math=False)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.grid(True, color=PALE, linewidth=0.5, alpha=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def checked_picture(path: str | os.PathLike[str]) -> str:
    """The format of a picture by its name's end; to be asked before the work that it crowns.

    Parameters
    ----------
    path : str or os.PathLike
        Name of the file.

    Returns
    -------
    str
        ``"png"`` or ``"svg"``.

    Raises
    ------
    ValueError
        If the name ends otherwise.
    ImportError
        If matplotlib is not installed.
    """
    needs("matplotlib", "drawing", "plot")
    ending = Path(path).suffix.lower()
    if ending not in _FORMATS:
        raise ValueError(f"path: {os.fspath(path)!r} ends in neither {' nor '.join(_FORMATS)}; name it so")
    return ending[1:]


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file; the old one, if there is any, is replaced only once it is complete.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Any figure.
    path : str or os.PathLike
        Ends in ``.png`` or ``.svg``, which decides on the format.

    Raises
    ------
    TypeError
        If `figure` is no figure of matplotlib.
    ValueError, OSError
        If the name ends otherwise, or no file can be written there.

    Notes
    -----
    The same figure gives the same bytes: the file has no date.
    """
    kind = checked_picture(path)
    matplotlib = needs("matplotlib", "drawing", "plot")
    if not hasattr(figure, "savefig"):
        raise TypeError(f"figure: a Figure of matplotlib is needed, not {type(figure).__name__}")
    metadata = {"Date": None} if kind == "svg" else None
    with matplotlib.rc_context({"svg.hashsalt": "hankelmatch"}), write_atomically(path) as file:
        figure.savefig(file, format=kind, metadata=metadata)


def number_text(value: float) -> str:
    """A number in few characters."""
    if value == 0 or 0.001 <= abs(value) < 100:
        text = f"{value:.2g}"
    elif 100 <= abs(value) < 10_000:
        text = f"{value:.0f}"
    else:
        digits, _, exponent = f"{value:.0e}".partition("e")
        text = f"{digits}e{int(exponent)}"
    return text.replace("-", "\u2212")  # a minus sign, which hardly any symbol is


def symbol_text(label: Hashable) -> str:
    """A symbol as it can be seen: blanks and what cannot be printed are replaced."""
    text = "".join(_VISIBLE.get(x, x) for x in str(label))
    return text if text.isprintable() else ascii(text)[1:-1]


def string_text(string: Sequence[Hashable]) -> str:
    """A string as one would write it, cut in the middle where it is long; epsilon for the empty one."""
    symbols = [symbol_text(label) for label in string]
    joined = ("" if all(len(symbol) == 1 for symbol in symbols) else " ").join(symbols) or "\u03b5"
    if len(joined) <= _LONGEST_TEXT:
        return joined
    half = _LONGEST_TEXT // 2
    return f"{joined[: half - 1]}\u2026{joined[-half:]}"


def text_width(texts: Iterable[str], size: float) -> float:
    """Inches that the widest of some texts takes in a font of this size."""
    figure = new_figure(1.0, 1.0, layout=None)
    renderer = figure.canvas.get_renderer()
    written = (figure.text(0, 0, text, fontsize=size, parse_math=False) for text in texts)
    return max((text.get_window_extent(renderer).width for text in written), default=0.0) / _PIXELS_PER_INCH


class Labels:
    """Texts on axes that overlap neither each other nor what was kept free for something else.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        With their final place and limits.
    """

    def __init__(self, axes: Any) -> None:
        self._axes = axes
        self._renderer = axes.figure.canvas.get_renderer()
        self._taken: list[tuple[float, float, float, float]] = []  # left, bottom, right, top in pixels

    def keep_free(self, centre: Points, radius: float) -> None:
        """Keep the square around a circle free."""
        corners = np.array([centre - radius, centre + radius])
        (left, bottom), (right, top) = self._axes.transData.transform(corners)
        self._taken.append((left, bottom, right, top))

    def place(self, text: str, places: Iterable[Points], **style: Any) -> bool:
        """Write a text at the first of the places where there is room for it; False if there is none."""
        written = self._axes.text(0, 0, text, ha="center", va="center", parse_math=False, **style)
        frame = self._axes.get_window_extent(self._renderer)
        for place in places:
            written.set_position(tuple(place))
            box = written.get_window_extent(self._renderer)
            inside = frame.x0 <= box.x0 and frame.y0 <= box.y0 and box.x1 <= frame.x1 and box.y1 <= frame.y1
            if inside and not any(_overlap(box.extents, other) for other in self._taken):
                self._taken.append(tuple(box.extents))
                return True
        written.remove()
        return False


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return bool(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])
