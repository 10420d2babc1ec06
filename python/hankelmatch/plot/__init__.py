"""Pictures of matchings, singular values, scores and automata."""

from .pictures import (
    plot_automaton,
    plot_matching,
    plot_singular_values,
    plot_states,
    save_figure,
)

__all__ = [
    "plot_automaton",
    "plot_matching",
    "plot_singular_values",
    "plot_states",
    "save_figure",
]
