"""Language models from automata: next symbols, scores, choice of options; distributions over strings."""

from .distributions import (
    Entropy,
    ProbabilisticAutomaton,
    StringDistribution,
    learn_probabilistic_automaton,
    pautomac_perplexity,
)
from .language_model import CorpusScore, LanguageModel
from .ndcg import ndcg

__all__ = [
    "CorpusScore",
    "Entropy",
    "LanguageModel",
    "ProbabilisticAutomaton",
    "StringDistribution",
    "learn_probabilistic_automaton",
    "ndcg",
    "pautomac_perplexity",
]
