"""Language models from automata: next symbols, scores, choice of options; distributions over strings."""

from ._text_scores import CorpusScore, Predictions
from .distributions import (
    Entropy,
    ProbabilisticAutomaton,
    StringDistribution,
    learn_probabilistic_automaton,
    pautomac_perplexity,
)
from .language_model import LanguageModel
from .mixtures import Contribution, KneserNeyModel, MixtureModel, load_model
from .ndcg import ndcg

__all__ = [
    "Contribution",
    "CorpusScore",
    "Entropy",
    "KneserNeyModel",
    "LanguageModel",
    "MixtureModel",
    "Predictions",
    "ProbabilisticAutomaton",
    "StringDistribution",
    "learn_probabilistic_automaton",
    "load_model",
    "ndcg",
    "pautomac_perplexity",
]
