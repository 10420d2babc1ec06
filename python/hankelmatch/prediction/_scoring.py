"""Predictions of one automaton for many contexts, its values smoothed in one or several ways.

The values are computed once for all ways, many of them in one matrix product.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._utils.chunks import chunks
from .._utils.interruptible import interruptible
from ..automata.automaton import WeightedAutomaton
from ..sequences.alphabet import Alphabet
from ._events import Events, Trie, substring_trie
from ._smoothing import Floats, Smoothing, predicted_symbols

_Nodes: TypeAlias = NDArray[np.integer[Any]]

_FEW_PASSES = 8  # so many maxima are found faster by looking for each than by sorting


def bits_of(
    automaton: WeightedAutomaton, window: int, ways: Sequence[Smoothing], events: Events
) -> list[float]:
    """Bits per symbol of a corpus by its events, for each way to smooth the automaton's values."""
    q = node_probabilities(automaton, window, ways, events.trie)
    return [events.bits_per_symbol(own) for own in q]


def node_probabilities(
    automaton: WeightedAutomaton, window: int, ways: Sequence[Smoothing], trie: Trie
) -> list[Floats]:
    """For each way the probability, at every node of a trie, of its last symbol after the others."""
    q = [np.zeros(trie.n_nodes) for _ in ways]
    by_scale = {way.scale: way for way in ways}
    is_context = np.diff(trie.child_begin) > 0
    for nodes, scores in scores_by_level(automaton, trie, window - 1, is_context):
        rows, children = flat_children(trie, nodes)
        symbols, suffixes = trie.symbol[children], trie.suffix[children]
        found = {scale: way.occurrences(scores, rows, symbols) for scale, way in by_scale.items()}
        for way, own in zip(ways, q, strict=True):
            shorter = own[suffixes] if nodes[0] else None
            own[children] = way.of_symbols(found[way.scale], symbols, shorter)
    return q


def probabilities_of(
    automaton: WeightedAutomaton, window: int, ways: Sequence[Smoothing], contexts: Sequence[list[int]]
) -> Iterator[tuple[NDArray[np.int64], list[Floats]]]:
    """Each way's distributions after contexts of ids, for a part of the contexts at a time."""
    # Contexts with the same last symbols come together: they share most of the work.
    order = sorted(range(len(contexts)), key=lambda i: contexts[i][::-1])
    for part in chunks(len(order), automaton.n_symbols * window):
        places = order[part]
        yield np.array(places), _probabilities_at_once(automaton, window, ways, [contexts[i] for i in places])


def _probabilities_at_once(
    automaton: WeightedAutomaton, window: int, ways: Sequence[Smoothing], contexts: list[list[int]]
) -> list[Floats]:
    """Each way's distributions after contexts, by way of their trie."""
    symbols = np.array([symbol for context in contexts for symbol in context], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, contexts)], dtype=np.int64)
    trie = substring_trie(symbols, offsets, max(1, window - 1))
    asked = trie.find(symbols, offsets)
    scored = _contexts_used(trie.suffix, asked, with_shorter=any(way.is_mixed for way in ways))
    rows = np.cumsum(scored) - 1
    q = [np.empty((int(scored.sum()), automaton.n_symbols)) for _ in ways]
    for nodes, scores in scores_by_level(automaton, trie, window - 1, scored):
        for way, own in zip(ways, q, strict=True):
            shorter = own[rows[trie.suffix[nodes]]] if way.is_mixed and nodes[0] else None
            own[rows[nodes]] = way.of_contexts(scores, shorter)
    return [own[rows[asked]] for own in q]


def _contexts_used(suffix: _Nodes, asked: _Nodes, with_shorter: bool) -> NDArray[np.bool_]:
    """Which nodes of a trie, given by its suffix links, are asked for or, if so wanted, a suffix of one."""
    used = np.zeros(len(suffix), dtype=bool)
    used[asked] = True
    new = asked if with_shorter else asked[:0]
    while len(new):
        shorter = np.unique(suffix[new])
        new = shorter[~used[shorter]]
        used[new] = True
    return used


def scores_by_level(
    automaton: WeightedAutomaton, trie: Trie, max_length: int, scored: NDArray[np.bool_]
) -> Iterator[tuple[_Nodes, NDArray[Any]]]:
    """Values of every one-symbol continuation of the strings of a trie.

    Parameters
    ----------
    automaton : WeightedAutomaton
    trie : Trie32 or Trie64
        Its ids are of the automaton's alphabet.
    max_length : int
        Strings longer than this are left out.
    scored : ndarray of bool, shape (n_nodes,)
        Which nodes are wanted.

    Yields
    ------
    nodes : ndarray of int
        Nodes of one length; the lengths rise from one part to the next.
    scores : ndarray, shape (len(nodes), n_symbols)
        ``scores[i, a]`` is the automaton's value of string i followed by symbol a.

    Notes
    -----
    The state of a string is that of its parent times the matrix of its last symbol. Nodes of one length and
    one last symbol go through one matrix product, in parts so that beside the states of one length, and
    those of the next unless it is the last, memory stays bounded.
    """
    states = automaton.initial[None]
    if scored[0]:
        yield np.array([0]), automaton.next_values(states)
    n_levels = len(trie.level_begin) - 1
    for length in range(1, min(max_length + 1, n_levels)):
        first, end = (int(node) for node in trie.level_begin[length : length + 2])
        parent_rows = trie.parent[first:end] - trie.level_begin[length - 1]
        is_last = length in (max_length, n_levels - 1)
        needed = (
            scored[first:end]
            if is_last
            else scored[first:end] | (np.diff(trie.child_begin[first : end + 1]) > 0)
        )
        rows = np.flatnonzero(needed)
        rows = rows[np.argsort(trie.symbol[first + rows], kind="stable")]
        new_states = np.empty((0 if is_last else end - first, automaton.n_states), automaton.dtype)
        for part in chunks(len(rows), max(automaton.n_states, automaton.n_symbols)):
            reached = _applied(automaton, states, parent_rows[rows[part]], trie.symbol[first + rows[part]])
            if not is_last:
                new_states[rows[part]] = reached
            wanted = scored[first + rows[part]]
            if wanted.any():
                yield first + rows[part][wanted], automaton.next_values(reached[wanted])
        states = new_states


def _applied(
    automaton: WeightedAutomaton, states: NDArray[Any], rows: _Nodes, symbols: _Nodes
) -> NDArray[Any]:
    """Some of the states after one more symbol each; equal symbols stand together."""
    begins = np.flatnonzero(np.diff(symbols, prepend=-1)).tolist()
    if len(begins) == 1:
        return interruptible(automaton.apply, states[rows], int(symbols[0]))
    reached = np.empty((len(rows), automaton.n_states), automaton.dtype)
    for begin, end in zip(begins, [*begins[1:], len(rows)], strict=True):
        part = states[rows[begin:end]]
        reached[begin:end] = interruptible(automaton.apply, part, int(symbols[begin]))
    return reached


def flat_children(trie: Trie, nodes: _Nodes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All children of many nodes.

    Returns
    -------
    rows : ndarray of int64
        For every child the place of its parent in `nodes`.
    children : ndarray of int64
        The children's nodes.
    """
    begin = trie.child_begin[nodes].astype(np.int64)
    n_children = trie.child_begin[nodes + 1] - begin
    rows = np.repeat(np.arange(len(nodes)), n_children)
    shift = begin - (np.cumsum(n_children) - n_children)
    return rows, np.arange(len(rows)) + shift[rows]


def best_symbols(
    probabilities: NDArray[np.float64], k: int, allowed: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """_Nodes of the likeliest symbols of many distributions, best first; equally likely ones by id.

    Parameters
    ----------
    probabilities : ndarray, shape (m, n_symbols)
        One distribution a row.
    k : int
        How many of each; fewer where there are fewer symbols.
    allowed : ndarray of bool, shape (n_symbols,), optional
        Which symbols may be chosen.

    Returns
    -------
    ndarray of int64, shape (m, k)

    Notes
    -----
    A few passes over the entries for a small k, else a sort of each row.
    """
    n_allowed = probabilities.shape[1] if allowed is None else int(np.count_nonzero(allowed))
    k = min(k, n_allowed)
    left = np.array(probabilities)
    if allowed is not None:
        left[:, ~allowed] = -np.inf
    if k > _FEW_PASSES:
        return np.argsort(-left, axis=1, kind="stable")[:, :k]
    best = np.empty((len(left), k), np.int64)
    for rank in range(k):
        best[:, rank] = left.argmax(axis=1)  # the first of equal ones
        left[np.arange(len(left)), best[:, rank]] = -np.inf
    return best


def best_labels(probabilities: NDArray[np.float64], k: int, alphabet: Alphabet) -> list[list[Hashable]]:
    """Labels of the `best_symbols` that can be predicted."""
    best = best_symbols(probabilities, k, predicted_symbols(alphabet))
    return [[alphabet.labels[symbol] for symbol in row] for row in best.tolist()]
