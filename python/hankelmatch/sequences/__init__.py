"""Sequences of symbols: alphabets, sets of strings, corpora."""

from .alphabet import Alphabet
from .corpus import Corpus, read_text
from .sample import sample_text
from .strings import Strings

__all__ = ["Alphabet", "Corpus", "Strings", "read_text", "sample_text"]
