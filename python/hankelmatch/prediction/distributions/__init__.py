"""Distributions over strings: probabilistic automata, and how they are learned."""

from .learn import learn_probabilistic_automaton
from .pautomac_score import pautomac_perplexity
from .probabilistic_automaton import Entropy, ProbabilisticAutomaton
from .string_distribution import StringDistribution

__all__ = [
    "Entropy",
    "ProbabilisticAutomaton",
    "StringDistribution",
    "learn_probabilistic_automaton",
    "pautomac_perplexity",
]
