"""Pictures of matchings, singular values, scores and automata; needs the extra ``hankelmatch[plot]``.

Every function returns a matplotlib figure. A notebook shows it where it is the last value of a cell;
`save_figure` writes it to a PNG or SVG file. pyplot is not involved, so nothing has to be closed.
"""

from .automaton import plot_automaton
from .curves import plot_singular_values, plot_states
from .figure import save_figure
from .matching import plot_matching

__all__ = ["plot_automaton", "plot_matching", "plot_singular_values", "plot_states", "save_figure"]
