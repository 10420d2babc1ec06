"""Texts of any size, drawn from an n-gram model of a small one, so that no large text need be shipped."""

from __future__ import annotations

import numpy as np
from hankelmatch import Corpus, _core
from hankelmatch.sequences.sample import sample_text

from ..data import PENN_TREEBANK, ptb_train

ORDER = 4  # symbols of context
CHAINS = 50_000  # drawn at the same time


def seed_text(data) -> Corpus:
    """Penn Treebank characters where they are, else the help texts that Python carries."""
    if data is not None and (data / PENN_TREEBANK[0]).exists():
        return ptb_train(data, start_symbol=True)
    return Corpus.from_sequences(sample_text(), end_symbol=True, start_symbol=True)


class Generator:
    """Draws each symbol by its frequency after the ORDER symbols before it."""

    def __init__(self, text: Corpus) -> None:
        self.alphabet = text.alphabet
        trie, counts = _core.count_substrings(text.symbols, text.offsets, ORDER + 1)
        self.symbol, self.suffix, self.child_begin = trie.symbol, trie.suffix, trie.child_begin
        self.cumulative = np.concatenate([[0], np.cumsum(counts)])
        self.longest = int(trie.level_begin[ORDER + 1])  # the first string too long to be a context
        start = np.array([text.alphabet.start_id], np.int32)
        self.start = int(trie.find(start, np.array([0, 1]))[0])

    def draw(self, n_symbols: int, seed: int = 0) -> Corpus:
        """A corpus of about `n_symbols`, sentence by sentence; the last one of a chain may be cut."""
        n_chains = min(CHAINS, max(1, n_symbols // 200))
        n_steps = -(-n_symbols // n_chains)
        symbols = np.empty((n_chains, n_steps), np.int32)
        random = np.random.default_rng(seed)
        states = np.full(n_chains, self.start, self.child_begin.dtype)
        for step in range(n_steps):
            states = self._next(states, random)
            symbols[:, step] = self.symbol[states]
            ended = symbols[:, step] == self.alphabet.end_id
            states = np.where(ended, self.start, states)
        flat = symbols.reshape(-1)
        is_end = flat == self.alphabet.end_id
        is_end[n_steps - 1 :: n_steps] = True
        offsets = np.append(0, np.flatnonzero(is_end) + 1)
        return Corpus(flat, offsets, self.alphabet)

    def _next(self, states, random):
        states = np.where(states >= self.longest, self.suffix[states], states)
        low = self.cumulative[self.child_begin[states]]
        high = self.cumulative[self.child_begin[states + 1]]
        drawn = low + (random.random(len(states)) * (high - low)).astype(np.int64)
        return (np.searchsorted(self.cumulative, drawn, side="right") - 1).astype(states.dtype)
