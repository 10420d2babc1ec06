"""Language models from automata: next symbols, scores, choice of options."""

from .language_model import CorpusScore, LanguageModel
from .ndcg import ndcg

__all__ = ["CorpusScore", "LanguageModel", "ndcg"]
