"""Transition matrices, kept dense or as factors: the same results, in little memory."""

from __future__ import annotations

import numpy as np
import pytest
from hankelmatch.automata._transitions import Transitions
from hankelmatch.automata.recovery import learn_automaton
from hankelmatch.automata.svd import truncated_svd
from hankelmatch.hankel.blocks import SymbolBlocks

from .. import reference
from .examples import sparse_blocks


@pytest.mark.parametrize("n_rows", [1, 5, 40, 2000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_few_rows_and_many_go_on_alike(n_rows, dtype):
    """Few have a matrix each at once, many go by groups of one symbol."""
    wa = reference.random_automaton(6, 3, seed=2).astype(dtype)
    rng = np.random.default_rng(1)
    states, symbols = rng.standard_normal((n_rows, 6)), rng.integers(0, 3, n_rows)
    assert wa._transitions.has_few_entries_for(symbols) == (n_rows < 2000)
    after = wa.apply_each(states.astype(dtype), symbols)
    assert after.dtype == wa.apply_each(states, symbols).dtype == dtype
    rows = np.stack([states[i] @ wa.transitions[a] for i, a in enumerate(symbols)])
    np.testing.assert_allclose(after, rows, rtol=1e-4, atol=1e-4)


def test_dense_and_factored_transitions_agree():
    blocks = sparse_blocks()
    wa = learn_automaton(blocks)
    kept_dense = wa.transitions.dense_slot >= 0
    assert kept_dense.any()
    assert not kept_dense.all()
    U, d, V = truncated_svd(blocks.H)
    full = [np.diag(1 / d) @ U.T @ H_a.toarray() @ V for H_a in blocks.H_sigma]
    states = np.random.default_rng(0).standard_normal((5, wa.n_states))
    for a, expected in enumerate(full):
        np.testing.assert_allclose(wa.transitions[a], expected, atol=1e-10)
        np.testing.assert_allclose(wa.apply(states, a), states @ expected, atol=1e-9)
    W = np.stack([A @ wa.final for A in full], axis=1)
    np.testing.assert_allclose(wa.next_values(states), states @ W, atol=1e-9)
    assert wa.transitions.nbytes < np.stack(full).nbytes
    assert len(list(wa.transitions)) == len(wa.transitions[:]) == wa.n_symbols


def test_large_alphabets_stay_small():
    """6,722 symbols with 500 states would take 13 GB as matrices."""
    rng = np.random.default_rng(0)
    n_symbols, n_prefixes, n = 6722, 4000, 500
    counts = np.minimum(rng.zipf(2.0, n_symbols), 400)
    rows = np.concatenate([np.sort(rng.choice(n_prefixes, c, replace=False)) for c in counts])
    matrix = reference.random_sparse((len(rows), 600), 0.003, rng)
    blocks = SymbolBlocks(np.append(0, np.cumsum(counts)), rows, matrix, n_prefixes)
    left, B = rng.standard_normal((n_prefixes, n)), rng.standard_normal((600, n))
    transitions = Transitions.from_hankel(blocks, left, B, np.float32)
    assert transitions.nbytes < 13e9 / 20
    a = int(np.argmin(np.abs(counts - 3)))
    part = slice(blocks.offsets[a], blocks.offsets[a + 1])
    expected = left[rows[part]].T @ (matrix[part] @ B)
    np.testing.assert_allclose(transitions[a], expected, rtol=1e-4, atol=1e-4)
