"""A first automaton from the Hankel rows of frequent prefixes: those with like continuations are one state.

The row of a prefix holds how often each short string follows it, and how often it ends the string. Rows are
scaled as in correspondence analysis, where distances between rows are chi-square distances; projected on the
leading singular vectors; and clustered, weighted by their counts. A cluster is a state, and the counts of p
and pa give the transitions between the clusters of p and pa.

M. Greenacre: Theory and applications of correspondence analysis. Academic Press, 1984.
D. Arthur, S. Vassilvitskii: k-means++: the advantages of careful seeding. SODA 2007.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ... import _core
from ...automata.svd import truncated_svd
from ._baum_welch import maximised, random_start
from ._passes import Parameters, TrainingSample

_Floats: TypeAlias = NDArray[np.float64]
_Ints: TypeAlias = NDArray[np.int64]

_MOST_CLUSTERED = 2000  # prefixes whose rows the clusters are found from
_MOST_ASSIGNED = 20_000  # prefixes that are put into the clusters
_LEAST_COUNT = 10.0
_MOST_DIMENSIONS = 80
_MOST_COLUMNS = 30_000  # of continuations of the longest length
_ROUNDS = 30  # of k-means
_SOFTENING = 0.2  # share of every transition that goes to random states
_NOISE = 0.02  # share of a random automaton, so that nothing is impossible


class PrefixTree(NamedTuple):
    """The prefixes of a sample, shorter ones first.

    Each one's parent, last symbol and length, how much weight passes through it and how much ends there.
    """

    trie: _core.Trie32 | _core.Trie64
    parent: _Ints
    symbol: _Ints
    length: _Ints
    through: _Floats
    ends: _Floats


def prefix_tree(sample: TrainingSample) -> PrefixTree:
    """The tree of a sample's prefixes. Cost: sorting the strings, then linear."""
    trie, nodes = _core.string_set(sample.symbols, sample.offsets)
    ends = np.bincount(nodes, sample.weights, trie.n_nodes).astype(np.float64)
    through = ends.copy()
    begin = trie.level_begin.tolist()
    for level in range(len(begin) - 2, 0, -1):
        first, end = begin[level : level + 2]
        shorter = begin[level - 1]
        parents = trie.parent[first:end] - shorter
        through[shorter:first] += np.bincount(parents, through[first:end], first - shorter)
    length = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    parent, symbol = trie.parent.astype(np.int64), trie.symbol.astype(np.int64)
    return PrefixTree(trie, parent, symbol, length, through, ends)


def continuation_length(n_symbols: int) -> int:
    """The longest length, 1 to 3, that keeps the columns in bounds."""
    return max((k for k in (1, 2, 3) if n_symbols**k <= _MOST_COLUMNS), default=1)


def hankel_start(
    tree: PrefixTree, n_states: int, n_symbols: int, length: int, rng: np.random.Generator
) -> Parameters:
    """An automaton to start from.

    Parameters
    ----------
    tree : PrefixTree
        Of the sample.
    n_states, n_symbols : int
        Of the automaton.
    length : int
        Up to which continuations make the columns.
    rng : numpy.random.Generator
        For the first centres and the softening.
    """
    order = np.argsort(-tree.through, kind="stable")[:_MOST_ASSIGNED]
    prefixes = order[(tree.through[order] >= _LEAST_COUNT) | (order == 0)]
    rows = _rows(tree, prefixes, n_symbols, length)
    points, weights = _projected(rows, n_states, rng)
    cluster = _clustered(points, weights, n_states, rng)
    counts = _counted(tree, prefixes, cluster, n_states, n_symbols)
    return _softened(maximised(counts, 1e-9), rng)


def _rows(tree: PrefixTree, prefixes: _Ints, n_symbols: int, length: int) -> sp.csr_array:
    """For each prefix how often each string up to a length follows it, and how often each is then the end."""
    row_of = np.full(len(tree.parent), -1)
    row_of[prefixes] = np.arange(len(prefixes))
    node = np.arange(len(tree.parent))
    ancestor, code = node, np.zeros(len(node), np.int64)
    rows, columns, values = [], [], []
    for distance in range(length + 1):
        row = row_of[ancestor]
        for kind, counts in ((0, tree.ends), (1, tree.through)):
            if kind == 1 and distance == 0:
                continue
            used = (row >= 0) & (counts[node] > 0)
            rows.append(row[used])
            columns.append((code[used] * (length + 1) + distance) * 2 + kind)
            values.append(counts[node[used]])
        going = tree.length[ancestor] > 0
        node, ancestor = node[going], ancestor[going]
        code = code[going] + tree.symbol[ancestor] * n_symbols**distance
        ancestor = tree.parent[ancestor]
    distinct, column = np.unique(np.concatenate(columns), return_inverse=True)
    shape = (len(prefixes), len(distinct))
    return sp.csr_array((np.concatenate(values), (np.concatenate(rows), column.ravel())), shape=shape)


def _projected(rows: sp.csr_array, n_states: int, rng: np.random.Generator) -> tuple[_Floats, _Floats]:
    """Coordinates of the rows, whose distances approximate chi-square distances, and weights."""
    leading = rows[:_MOST_CLUSTERED]
    used = np.flatnonzero(np.asarray(leading.sum(axis=0)).ravel() > 0)
    leading, rows = leading[:, used], rows[:, used]
    total = leading.sum()
    row_masses = np.asarray(leading.sum(axis=1)).ravel() / total
    column_masses = np.asarray(leading.sum(axis=0)).ravel() / total
    scaled_columns = sp.diags(1 / np.sqrt(column_masses))
    standardised = sp.diags(1 / np.sqrt(np.maximum(row_masses, 1e-300))) @ leading @ scaled_columns / total
    n_dimensions = min(n_states + 1, _MOST_DIMENSIONS, *standardised.shape)
    svd = truncated_svd(sp.csr_array(standardised), n_dimensions, seed=int(rng.integers(1 << 31)))
    directions = svd.V[:, 1:]  # the first says nothing but the masses
    sums = np.maximum(np.asarray(rows.sum(axis=1)).ravel(), 1e-300)
    points = sp.diags(1 / sums) @ rows @ scaled_columns @ directions
    return np.asarray(points), np.asarray(rows.sum(axis=1)).ravel()


def _clustered(points: _Floats, weights: _Floats, n_clusters: int, rng: np.random.Generator) -> _Ints:
    """The cluster of each point; found by weighted k-means from the first points, which weigh most."""
    leading, masses = points[:_MOST_CLUSTERED], weights[:_MOST_CLUSTERED]
    centres = _first_centres(leading, masses, n_clusters, rng)
    for _ in range(_ROUNDS):
        nearest = _nearest(leading, centres)
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, masses[:, None] * leading)
        sizes = np.bincount(nearest, masses, len(centres))
        moved = np.where(sizes[:, None] > 0, sums / np.where(sizes > 0, sizes, 1)[:, None], centres)
        if np.allclose(moved, centres, rtol=0, atol=1e-12):
            break
        centres = moved
    return _nearest(points, centres)


def _first_centres(points: _Floats, masses: _Floats, n: int, rng: np.random.Generator) -> _Floats:
    """The heaviest point, then points drawn by mass times squared distance from the nearest so far."""
    chosen = [int(masses.argmax())]
    distance = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < n:
        odds = masses * distance
        if odds.sum() <= 0:  # fewer distinct points than clusters
            chosen.append(int(rng.integers(len(points))))
            continue
        chosen.append(int(rng.choice(len(points), p=odds / odds.sum())))
        distance = np.minimum(distance, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen].copy()


def _nearest(points: _Floats, centres: _Floats) -> _Ints:
    return np.asarray(((centres**2).sum(axis=1) - 2 * points @ centres.T).argmin(axis=1))


def _counted(tree: PrefixTree, prefixes: _Ints, cluster: _Ints, n_states: int, n_symbols: int) -> Parameters:
    """Counts between the clusters of p and pa; where pa has no cluster, it may be in any, by their weight."""
    state = np.full(len(tree.parent), -1)
    state[prefixes] = cluster
    initial = np.bincount(state[:1], minlength=n_states).astype(np.float64)
    final = np.bincount(cluster, tree.ends[prefixes], n_states).astype(np.float64)
    children = np.flatnonzero((state[tree.parent] >= 0) & (tree.length > 0))
    source, symbol = state[tree.parent[children]], tree.symbol[children]
    target, weight = state[children], tree.through[children]
    transitions = np.zeros((n_symbols, n_states, n_states))
    known = target >= 0
    np.add.at(transitions, (symbol[known], source[known], target[known]), weight[known])
    anywhere = np.zeros((n_symbols, n_states))
    np.add.at(anywhere, (symbol[~known], source[~known]), weight[~known])
    shares = np.bincount(cluster, tree.through[prefixes], n_states)
    return Parameters(initial, final, transitions + anywhere[:, :, None] * (shares / shares.sum()))


def _softened(parameters: Parameters, rng: np.random.Generator) -> Parameters:
    """The parameters, with some of each transition spread at random, so that learning can move it."""
    initial, final, transitions = parameters
    n_symbols, n_states, _ = transitions.shape
    spread = rng.dirichlet(np.ones(n_states), (n_symbols, n_states)) * transitions.sum(axis=2, keepdims=True)
    noise = random_start(n_states, n_symbols, rng)
    keep = 1 - _SOFTENING - _NOISE
    return Parameters(
        keep * initial + (1 - keep) / n_states,
        (1 - _NOISE) * final + _NOISE * noise.final,
        keep * transitions + _SOFTENING * spread + _NOISE * noise.transitions,
    )
