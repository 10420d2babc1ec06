"""The automaton that predicts from whole histories, from a complete Hankel block.

The block of a matching lacks the values of strings longer than those that were counted: they count as zero,
which does no harm within the window, but carried further the state drifts away. A block of prefixes and
suffixes so short that every p a s was counted has no such gaps. Rows and columns are divided by the square
roots of their sums, as in correspondence analysis, so that frequent strings do not drown the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from ...automata.automaton import WeightedAutomaton
from ...automata.recovery import learn_automaton
from ...automata.svd import TruncatedSVD, truncated_svd
from ...counting.sequence_function import SequenceFunction
from ...hankel.basis import Basis
from ...hankel.blocks import HankelBlocks, hankel_blocks
from ...sequences.strings import Strings

_MOST_ROWS = 2000  # prefixes, and suffixes; the most frequent ones
_LEAST_LENGTH = 3  # of the counted substrings: with less, no suffix but the empty one is left


@dataclass(frozen=True, eq=False)
class CompleteBlock:
    """A scaled block without gaps and its SVD, from which automata for whole histories are recovered.

    Attributes
    ----------
    blocks : HankelBlocks
        Scaled.
    svd : TruncatedSVD
        Of their H.
    noise : float
        About the largest singular value that chance alone gives H. If f were a product of its row and column
        sums, the variance of each scaled entry would be 1 / (occurrences in H), and a random matrix of so
        many rows and columns has that norm [1]_. 0 if the number of sequences is unknown.

    References
    ----------
    .. [1] R. Vershynin: Introduction to the non-asymptotic analysis of random matrices. Compressed Sensing
       (2012), theorem 5.32.
    """

    blocks: HankelBlocks
    svd: TruncatedSVD
    noise: float

    @staticmethod
    def of(f: SequenceFunction, n_states: int, *, seed: int = 0) -> CompleteBlock | None:
        """That of the substrings of `f`, with at most `n_states` triplets.

        None if they are too short, or there are none. Cost: an SVD of at most 2,000 rows and columns.
        """
        if f.max_length < _LEAST_LENGTH:
            return None
        counted = hankel_blocks(f, _complete_basis(f))
        blocks = _scaled(counted)
        svd = truncated_svd(blocks.H, min(n_states, *blocks.H.shape), seed=seed)
        if not svd.n_states:
            return None
        n_occurrences = math.inf if f.n_sequences is None else f.n_sequences * float(counted.H.sum())
        n_rows, n_columns = counted.H.shape
        # Weights of sequences may be tiny, but the largest singular value of a scaled block is about 1.
        noise = (math.sqrt(n_rows) + math.sqrt(n_columns)) / math.sqrt(max(1.0, n_occurrences))
        return CompleteBlock(blocks, svd, min(1.0, noise))

    @property
    def n_above_noise(self) -> int:
        """Number of singular values above half of the noise; a ridge damps the other states."""
        return max(1, int(np.count_nonzero(self.svd.singular_values > self.noise / 2)))

    def automaton(self, ridge: float = 0.0, dtype: DTypeLike = np.float64) -> WeightedAutomaton:
        """The automaton recovered by ridge regression; every smaller one is its leading part.

        With H ~ U D V', F = U D and lambda = `ridge` x noise, F+ = (F'F + lambda^2)^-1 F': a state whose
        singular value is well above lambda stays as it is, one below counts for little, so that more states
        do no harm.
        """
        d = self.svd.singular_values
        damped = d + (ridge * self.noise) ** 2 / d
        return learn_automaton(self.blocks, svd=replace(self.svd, singular_values=damped), dtype=dtype)


def _complete_basis(f: SequenceFunction) -> Basis:
    """Prefixes and suffixes p, s with |p| + 1 + |s| at most what was counted."""
    longest_prefix = f.max_length // 2
    longest_suffix = f.max_length - 1 - longest_prefix
    return Basis(_frequent(f, longest_prefix), _frequent(f, longest_suffix))


def _frequent(f: SequenceFunction, longest: int) -> Strings:
    """The most frequent substrings up to a length."""
    n = int(f._trie.level_begin[longest + 1])
    values = f._values[:n]
    nodes = np.arange(n)
    if n > _MOST_ROWS:
        nodes = np.sort(np.argsort(-values, kind="stable")[:_MOST_ROWS])
    nodes = nodes[values[nodes] > 0]
    return Strings(*f._trie.spell(nodes.astype(f._trie.parent.dtype)), f.alphabet)


def _scaled(blocks: HankelBlocks) -> HankelBlocks:
    """The blocks with rows and columns divided by the square roots of their sums in H.

    The automaton of a scaled block of full rank computes the same function.
    """
    row, column = (_inverse_roots(np.asarray(blocks.H.sum(axis=axis)).ravel()) for axis in (1, 0))
    symbols, right = blocks.H_sigma, sp.diags_array(column)
    by_symbol = sp.csr_array(sp.diags_array(row[symbols.rows]) @ symbols.matrix @ right)
    return replace(
        blocks,
        H=sp.csr_array(sp.diags_array(row) @ blocks.H @ right),
        H_sigma=replace(symbols, matrix=by_symbol),
        h_prefix=row * blocks.h_prefix,
        h_suffix=column * blocks.h_suffix,
    )


def _inverse_roots(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(sums > 0, 1.0 / np.sqrt(np.maximum(sums, np.finfo(float).tiny)), 0.0)
