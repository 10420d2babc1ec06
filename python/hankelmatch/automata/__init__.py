"""Weighted automata, recovered from Hankel blocks and changed into one another."""

from .automaton import WeightedAutomaton
from .recovery import learn_automaton
from .svd import TruncatedSVD, numeric_rank, truncated_svd
from .transforms import convert_automaton, minimal_automaton, spectral_radius

__all__ = [
    "TruncatedSVD",
    "WeightedAutomaton",
    "convert_automaton",
    "learn_automaton",
    "minimal_automaton",
    "numeric_rank",
    "spectral_radius",
    "truncated_svd",
]
