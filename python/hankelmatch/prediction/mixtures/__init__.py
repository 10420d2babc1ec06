"""Mixtures of models of the next symbol, and the n-gram model among them."""

from .files import load_model
from .mixture import Contribution, MixtureModel
from .n_grams import KneserNeyModel

__all__ = ["Contribution", "KneserNeyModel", "MixtureModel", "load_model"]
