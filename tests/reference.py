"""Slow, obvious versions of what the package computes, written straight from the definitions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import scipy.sparse
from hankelmatch.automata.automaton import WeightedAutomaton
from hankelmatch.hankel.basis import Basis
from hankelmatch.hankel.blocks import HankelBlocks, SymbolBlocks
from hankelmatch.sequences.alphabet import Alphabet

String = tuple


def all_strings(labels: Iterable, max_length: int) -> list[String]:
    """Every string of length 0..max_length, by length."""
    labels = list(labels)
    return [x for length in range(max_length + 1) for x in itertools.product(labels, repeat=length)]


def random_automaton(n_states: int, n_symbols: int, seed: int) -> WeightedAutomaton:
    """A random minimal automaton whose values stay bounded."""
    rng = np.random.default_rng(seed)
    matrices = np.stack(
        [np.linalg.qr(rng.standard_normal((n_states, n_states)))[0] for _ in range(n_symbols)]
    )
    weights = rng.uniform(0.3, 1.0, n_symbols)[:, None, None]
    return WeightedAutomaton(
        rng.standard_normal(n_states),
        rng.standard_normal(n_states),
        matrices * weights,
        Alphabet("abcde"[:n_symbols]),
    )


def random_sparse(shape: tuple[int, int], density: float, rng: np.random.Generator) -> scipy.sparse.csr_array:
    """A sparse matrix of about that density with entries between 0 and 1."""
    n = int(density * shape[0] * shape[1])
    coordinates = tuple(rng.integers(0, side, n) for side in shape)
    return scipy.sparse.csr_array(scipy.sparse.coo_array((rng.random(n), coordinates), shape=shape))


def automaton_value(wa: WeightedAutomaton, x: String) -> float:
    """initial' A_x1 ... A_xt final."""
    product = np.asarray(wa.initial, dtype=np.float64)
    for label in x:
        product = product @ np.asarray(wa.transitions[wa.alphabet.id(label)], dtype=np.float64)
    return float(product @ wa.final)


def blocks_by_hand(
    f: Callable[[String], float], prefixes: Sequence[String], suffixes: Sequence[String], alphabet: Alphabet
) -> HankelBlocks:
    """Hankel blocks entry by entry."""
    sigma = [np.array([[f((*p, a, *s)) for s in suffixes] for p in prefixes]) for a in alphabet.labels]
    rows = [np.flatnonzero(block.any(axis=1)) for block in sigma]
    symbol_blocks = SymbolBlocks(
        np.concatenate([[0], np.cumsum([len(r) for r in rows])]),
        np.concatenate(rows),
        scipy.sparse.csr_array(np.concatenate([block[r] for block, r in zip(sigma, rows, strict=True)])),
        len(prefixes),
    )
    return HankelBlocks(
        H=scipy.sparse.csr_array(np.array([[f((*p, *s)) for s in suffixes] for p in prefixes])),
        h_prefix=np.array([f(tuple(p)) for p in prefixes]),
        h_suffix=np.array([f(tuple(s)) for s in suffixes]),
        H_sigma=symbol_blocks,
        basis=Basis(prefixes, suffixes),
        alphabet=alphabet,
        n_sequences=None,
        max_length=max(map(len, prefixes)) + max(map(len, suffixes)),
    )


def predicted_labels(alphabet: Alphabet) -> list:
    """Every label but the start symbol."""
    return [label for label in alphabet.labels if label != alphabet.start_symbol or label is None]


def next_probabilities(
    wa: WeightedAutomaton, context: String, *, contexts: str, floor: float, mixing: float, n_sequences: float
) -> dict:
    """The next-symbol distribution after `context`, already cut to the window."""
    labels = predicted_labels(wa.alphabet)
    if contexts == "longest":
        scores = {a: max(automaton_value(wa, (*context, a)), floor) for a in labels}
        total = sum(scores.values())
        return {a: score / total for a, score in scores.items()}
    q: dict = {}
    for length in range(len(context) + 1):
        last = context[len(context) - length :]
        raised = {a: max(automaton_value(wa, (*last, a)), floor) * n_sequences for a in labels}
        total = sum(raised.values())
        if length == 0:
            q = {a: (raised[a] + 0.5) / (total + 0.5 * len(labels)) for a in labels}
        else:
            weight = mixing * sum(min(value, 1.0) for value in raised.values())
            if weight > 0:
                q = {a: (raised[a] + weight * q[a]) / (total + weight) for a in labels}
    return q


def scored_positions(sequence: String, alphabet: Alphabet, window: int) -> Iterator[tuple[String, object]]:
    """(context, symbol) of every symbol that is scored; unseen symbols are skipped and cut the context."""
    context: list = []
    for label in sequence:
        if label not in alphabet:
            context = []
            continue
        if label != alphabet.start_symbol or label is None:
            yield tuple(context[len(context) - min(window - 1, len(context)) :]), label
        context.append(label)


def bits_per_symbol(
    wa: WeightedAutomaton, sequences: Iterable[String], window: int, **options: object
) -> float:
    """Mean -log2 probability of every scored symbol."""
    bits = [
        -math.log2(next_probabilities(wa, context, **options)[label])
        for sequence in sequences
        for context, label in scored_positions(tuple(sequence), wa.alphabet, window)
    ]
    return sum(bits) / len(bits)
