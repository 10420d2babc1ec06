"""The automaton with few states that predicts from whole histories, from a complete Hankel block.

The block of a matching lacks the values of strings longer than those that were counted: they count as zero,
which does no harm within the window, but carried further the state drifts away. A block of prefixes and
suffixes so short that every p a s was counted has no such gaps. Rows and columns are divided by the square
roots of their sums, as in correspondence analysis, so that frequent strings do not drown the others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...automata.automaton import WeightedAutomaton
from ...automata.recovery import learn_automaton
from ...automata.svd import truncated_svd
from ...counting.sequence_function import SequenceFunction
from ...hankel.basis import Basis
from ...hankel.blocks import HankelBlocks, hankel_blocks
from ...sequences.strings import Strings

_MOST_ROWS = 2000  # prefixes, and suffixes; the most frequent ones
_LEAST_LENGTH = 3  # of the counted substrings: with less, no suffix but the empty one is left


def history_automaton(f: SequenceFunction, n_states: int, *, seed: int = 0) -> WeightedAutomaton | None:
    """An automaton for whole histories, with at most `n_states` states.

    Every smaller one is its leading part. None if the substrings of `f` are too short, or there are none.

    Notes
    -----
    Cost: an SVD of at most 2,000 rows and columns.
    """
    if f.max_length < _LEAST_LENGTH:
        return None
    blocks = _scaled(hankel_blocks(f, _complete_basis(f)))
    svd = truncated_svd(blocks.H, min(n_states, *blocks.H.shape), seed=seed)
    return learn_automaton(blocks, svd=svd) if svd.n_states else None


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
