"""Families of sparse matrices on which matchers differ; each is generated from its size and a seed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from hankelmatch import prefix_suffix_graph, substring_expectations

from ..data import ptb_train

__all__ = ["FAMILIES", "Family", "from_edges", "hankel_graph", "shuffled", "without_rows"]


def from_edges(rows, cols, shape):
    """Make a CSR pattern; repeated edges stay repeated, since matchers meet them too."""
    rows, cols = np.asarray(rows), np.asarray(cols)
    order = np.argsort(rows, kind="stable")
    indptr = np.zeros(shape[0] + 1, dtype=np.int32)
    np.cumsum(np.bincount(rows, minlength=shape[0]), out=indptr[1:])
    return sp.csr_array(
        (np.ones(len(rows), dtype=np.int8), cols[order].astype(np.int32), indptr), shape=shape
    )


def shuffled(graph, seed=0):
    """Give rows and columns new ids at random, and each row's edges a random order."""
    rng = np.random.default_rng(seed)
    coo = graph.tocoo()
    n_rows, n_cols = graph.shape
    order = rng.permutation(graph.nnz)
    rows = rng.permutation(n_rows)[coo.coords[0][order]]
    cols = rng.permutation(n_cols)[coo.coords[1][order]]
    return from_edges(rows, cols, graph.shape)


def without_rows(graph, percent, seed=0):
    """Leave out so many rows, at random; the others stay in order."""
    rng = np.random.default_rng(seed)
    n_kept = graph.shape[0] * (100 - percent) // 100
    return graph[np.sort(rng.permutation(graph.shape[0])[:n_kept])]


def uniform(n_rows, n_cols, degree, seed=0):
    """Edges drawn at random, `degree` a row on average."""
    rng = np.random.default_rng(seed)
    n_edges = n_rows * degree
    return from_edges(rng.integers(0, n_rows, n_edges), rng.integers(0, n_cols, n_edges), (n_rows, n_cols))


def power_law(n, degree, seed=0):
    """Edges placed by recursive quadrants with probabilities .57, .19, .19, .05 (Chakrabarti et al. 2004)."""
    rng = np.random.default_rng(seed)
    rows = np.zeros(n * degree, dtype=np.int64)
    cols = np.zeros(n * degree, dtype=np.int64)
    for _ in range(int(np.log2(n))):
        quadrant = np.searchsorted([0.57, 0.76, 0.95], rng.random(n * degree))
        rows = 2 * rows + quadrant // 2
        cols = 2 * cols + quadrant % 2
    side = 1 << int(np.log2(n))
    return from_edges(rows, cols, (side, side))


def road(n, seed=0):
    """A square grid of crossings with a third of its roads closed, as a symmetric matrix."""
    rng = np.random.default_rng(seed)
    side = int(np.sqrt(n))
    ids = np.arange(side * side).reshape(side, side)
    a = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    b = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    open_road = rng.random(len(a)) < 2 / 3
    a, b = a[open_road], b[open_road]
    return from_edges(np.concatenate([a, b]), np.concatenate([b, a]), (side * side,) * 2)


def mesh(n, seed=0):
    """A triangulated square, as a symmetric matrix without a diagonal, in its natural order."""
    side = int(np.sqrt(n))
    ids = np.arange(side * side).reshape(side, side)
    a = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel(), ids[:-1, :-1].ravel()])
    b = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel(), ids[1:, 1:].ravel()])
    return from_edges(np.concatenate([a, b]), np.concatenate([b, a]), (side * side,) * 2)


def hilo(n, degree=5, n_groups=None, seed=0):
    """Groups joined to themselves and to the next, each row to columns of rank up to its own (Setubal 1993).

    There is one perfect matching only.
    """
    n_groups = n_groups or max(2, int(np.sqrt(n)) // 8)
    size = n // n_groups
    group, rank = np.divmod(np.arange(n_groups * size), size)
    rows, cols = [], []
    for back in range(degree):
        other = rank - back
        for step in (0, 1):
            ok = (other >= 0) & (group + step < n_groups)
            rows.append(np.flatnonzero(ok))
            cols.append((group[ok] + step) * size + other[ok])
    return from_edges(np.concatenate(rows), np.concatenate(cols), (n_groups * size,) * 2)


def rope(n, degree=6, closed=True, seed=0):
    """Groups of `degree` rows or columns in a long rope, joined in turn by a pairing and at random.

    After Cherkassky et al. (1998). Closed into a ring no node has degree 1.
    """
    rng = np.random.default_rng(seed)
    size = 8 * degree
    n_groups = n // size
    n = n_groups * size
    ids = np.arange(n)
    rows = [ids]
    cols = [ids]
    for _ in range(degree - 1):
        start = ids if closed else ids[size:]
        rows.append(start)
        cols.append(((start // size - 1) % n_groups) * size + rng.integers(0, size, len(start)))
    return from_edges(np.concatenate(rows), np.concatenate(cols), (n, n))


def blocks_in_a_ring(n, degree=4, seed=0):
    """Groups in a ring, each joined at random to itself and to the next: a path may have to go all round."""
    rng = np.random.default_rng(seed)
    size = 32
    n_groups = n // size
    n = n_groups * size
    rows = np.repeat(np.arange(n), degree)
    step = rng.integers(0, 2, len(rows))
    cols = ((rows // size + step) % n_groups) * size + rng.integers(0, size, len(rows))
    return from_edges(rows, cols, (n, n))


def triangular(n, degree=4, seed=0):
    """A diagonal and random entries above it: one perfect matching, hidden once shuffled."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n - 1), degree)
    cols = rows + 1 + (rng.random(len(rows)) * (n - 1 - rows)).astype(np.int64)
    diagonal = np.arange(n)
    return from_edges(np.concatenate([diagonal, rows]), np.concatenate([diagonal, cols]), (n, n))


def path(n, seed=0):
    """One path of 2n nodes."""
    ids = np.arange(n)
    rows = np.concatenate([ids, ids[:-1]])
    cols = np.concatenate([ids, ids[:-1] + 1])
    return from_edges(rows, cols, (n, n))


def banded(n, width=4, seed=0):
    """A band on and above the diagonal with its columns reversed: the natural order leads astray."""
    rows = np.repeat(np.arange(n), width)
    cols = rows + np.tile(np.arange(width), n)
    inside = cols < n
    return from_edges(rows[inside], n - 1 - cols[inside], (n, n))


def crowded(n, degree=4, seed=0):
    """Half of the rows share a quarter of the columns, so that a quarter of the rows stays free."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n), degree)
    few = rows < n // 2
    cols = np.where(few, rng.integers(0, n // 4, len(rows)), rng.integers(0, n, len(rows)))
    return from_edges(rows, cols, (n, n))


def ladder(n, seed=0):
    """Two rows a layer, each with a column of its own and both of the next layer's; a long cycle; a last row.

    The last row's search fails. Unless it marks dead ends it tries all 2^(n / 3) ways (scipy issue 26147).
    """
    n_layers = n // 3
    row = np.arange(2 * n_layers - 2)
    own, next_layer = np.arange(2 * n_layers), row // 2 * 2 + 2
    cycle = np.arange(2 * n_layers, 3 * n_layers + 3)
    last = cycle[-1] + 1
    rows = [own, row, row, cycle, cycle, [last, last]]
    cols = [own, next_layer, next_layer + 1, cycle, np.roll(cycle, -1), [0, 1]]
    return from_edges(np.concatenate(rows), np.concatenate(cols), (last + 1, last))


def groups(n, n_groups, degree=5, seed=0):
    """Groups in a ring, each joined at random to itself and to both neighbours (Cherkassky et al. 1998)."""
    rng = np.random.default_rng(seed)
    size = max(1, n // n_groups)
    n = n_groups * size
    rows = np.repeat(np.arange(n), rng.binomial(2 * degree, 0.5, n))
    near = (rows // size + rng.integers(-1, 2, len(rows))) % n_groups
    return from_edges(rows, near * size + rng.integers(0, size, len(rows)), (n, n))


def clique_chains(n, size=8, seed=0):
    """Chains of complete blocks, linked by single edges; each has a row too many at one end, a column at the
    other, so that one augmenting path goes all along it.
    """
    length = max(2, int(np.sqrt(n)))
    block, row, col = np.indices((length, size, size)).reshape(3, -1)
    link, member = np.arange(length - 1), np.arange(size)
    rows = [block * size + row, link * size + size - 1, np.full(size, size * length)]
    cols = [block * size + col, (link + 1) * size, member]
    rows.append((length - 1) * size + member)
    cols.append(np.full(size, size * length))
    return repeated(np.concatenate(rows), np.concatenate(cols), size * length + 1, n)


def repeated(rows, cols, side, n):
    """As many copies of a square matrix along the diagonal as make about n rows."""
    offset = np.arange(max(1, n // side))[:, None] * side
    return from_edges((offset + rows).ravel(), (offset + cols).ravel(), (len(offset) * side,) * 2)


def hypercube(n, seed=0):
    """Even against odd corners of the largest hypercube with at most n of each."""
    dimension = int(np.log2(n)) + 1
    even = np.arange(1 << (dimension - 1))  # a corner without its lowest bit, which its parity gives back
    cols = [even] + [even ^ (1 << bit) for bit in range(dimension - 1)]
    return from_edges(np.tile(even, dimension), np.concatenate(cols), (len(even),) * 2)


def butterfly(n, seed=0):
    """The graph of a fast Fourier transform, even against odd levels, with about n nodes of each."""
    depth = max(2, int(np.log2(2 * n)) - int(np.log2(np.log2(2 * n))))
    here = np.arange(1 << depth)
    rows, cols = [], []
    for level in range(depth):
        for there in (here, here ^ (1 << level)):
            ends = (here, there) if level % 2 == 0 else (there, here)
            rows.append((level + 1) // 2 * len(here) + ends[0])
            cols.append(level // 2 * len(here) + ends[1])
    shape = ((depth // 2 + 1) * len(here), (depth + 1) // 2 * len(here))
    return from_edges(np.concatenate(rows), np.concatenate(cols), shape)


def torus(n, sides=2, seed=0):
    """Even against odd points of a grid of two or three dimensions that is closed into a torus."""
    side = max(4, round((2 * n) ** (1 / sides)) // 2 * 2)
    point = np.indices((side,) * sides).reshape(sides, -1)
    rows, cols = [], []
    even = point[:, point.sum(axis=0) % 2 == 0]
    for axis in range(sides):
        for step in (-1, 1):
            there = even.copy()
            there[axis] = (there[axis] + step) % side
            rows.append(np.ravel_multi_index(even, (side,) * sides) // 2)
            cols.append(np.ravel_multi_index(there, (side,) * sides) // 2)
    return from_edges(np.concatenate(rows), np.concatenate(cols), (even.shape[1],) * 2)


def intervals(n, mean=6, seed=0):
    """Each row sees an interval of columns of geometric length that begins anywhere."""
    rng = np.random.default_rng(seed)
    start = rng.integers(0, n, n)
    length = np.minimum(start + 1 + rng.geometric(1 / mean, n), n) - start
    rows = np.repeat(np.arange(n), length)
    first = np.repeat(np.cumsum(length) - length, length)
    return from_edges(rows, np.arange(len(rows)) - first + start[rows], (n, n))


def nested(n, depth=64, seed=0):
    """Blocks of nested intervals, the widest first, so that greedy search takes the scarce columns first."""
    row, col = np.nonzero(np.arange(depth)[None, :] <= np.arange(depth)[:, None] + 1)
    n_blocks = max(2, n // depth)
    offset = np.arange(n_blocks)[:, None] * depth
    rows = np.concatenate([(offset + depth - 1 - row).ravel(), offset[:-1, 0]])
    cols = np.concatenate([(offset + col).ravel(), offset[1:, 0]])
    return from_edges(rows, cols, (n_blocks * depth,) * 2)


def dense(n, kind="full", seed=0):
    """A dense matrix with 10 n entries: full; no diagonal; a stair; too few columns for a third of rows."""
    side = int(np.sqrt(10 * n))
    row, col = np.indices((side, side))
    third = side // 3
    entries = {
        "full": row >= 0,
        "crown": row != col,
        "stair": col <= row + 1,
        "deficient": (row >= third) | (col < int(0.9 * third)),
    }[kind]
    return from_edges(*np.nonzero(entries), (side, side))


def long_rows(n, degree=200, seed=0):
    """A twentieth of n rows with many edges each, to n columns."""
    return uniform(n // 20, n, degree, seed)


def regular(n, degree=3, seed=0):
    """The union of random permutations: every row and column has that degree."""
    rng = np.random.default_rng(seed)
    cols = np.concatenate([rng.permutation(n) for _ in range(degree)])
    return from_edges(np.tile(np.arange(n), degree), cols, (n, n))


class Family(NamedTuple):
    """A generator: `make(n)` gives a matrix with about n rows, in its natural order."""

    name: str
    make: Callable[[int], sp.csr_array]
    sizes: tuple[int, ...]
    shuffle: bool = False  # whether the benchmark's table has it in random order

    def graph(self, n: int) -> sp.csr_array:
        """Give the matrix as the table has it."""
        graph = self.make(n)
        return shuffled(graph) if self.shuffle else graph


FAMILIES = [
    Family("random degree 2", lambda n: uniform(n, n, 2), (100_000, 1_000_000)),
    Family("random degree 3", lambda n: uniform(n, n, 3), (100_000, 1_000_000)),
    Family("random degree 5", lambda n: uniform(n, n, 5), (100_000, 1_000_000)),
    Family("power law degree 8", lambda n: power_law(n, 8), (1 << 18,)),
    Family("power law degree 4", lambda n: power_law(n, 4), (1 << 20,)),
    Family("road", road, (490_000,), shuffle=True),
    Family("mesh", mesh, (425_000,)),
    Family("mesh shuffled", mesh, (425_000,), shuffle=True),
    Family("hilo", hilo, (100_000,), shuffle=True),
    Family("rope", rope, (100_000,), shuffle=True),
    Family("open rope", lambda n: rope(n, closed=False), (100_000,), shuffle=True),
    Family("ring of blocks", blocks_in_a_ring, (100_000,), shuffle=True),
    Family("triangular", triangular, (100_000,), shuffle=True),
    Family("path", path, (100_000,), shuffle=True),
    Family("banded reversed", banded, (100_000,)),
    Family("banded reversed ^T", lambda n: banded(n).T.tocsr(), (100_000,)),
    Family("banded shuffled", banded, (100_000,), shuffle=True),
    Family("crowded", crowded, (40_000,), shuffle=True),
    Family("wide", lambda n: uniform(n, 20 * n, 5), (50_000,)),
    Family("tall", lambda n: uniform(20 * n, n, 5), (50_000,)),
    Family("ladder", ladder, (100_000,)),
    Family("random degree 8", lambda n: uniform(n, n, 8), (100_000,)),
    Family("random degree 15", lambda n: uniform(n, n, 15), (100_000,)),
    Family("random degree 20", lambda n: uniform(n, n, 20), (100_000,)),
    Family("regular degree 3 ^T", lambda n: regular(n).T.tocsr(), (100_000,)),
    Family("few groups", lambda n: groups(n, 32), (100_000,)),
    Family("many groups", lambda n: groups(n, 256), (100_000,)),
    Family("chains of cliques", clique_chains, (100_000,)),
    Family("chains of cliques shuffled", clique_chains, (100_000,), shuffle=True),
    Family("hypercube", hypercube, (1 << 16,), shuffle=True),
    Family("butterfly", butterfly, (100_000,), shuffle=True),
    Family("torus", torus, (100_000,), shuffle=True),
    Family("torus of 3 dimensions", lambda n: torus(n, 3), (100_000,), shuffle=True),
    Family("intervals", intervals, (100_000,)),
    Family("intervals shuffled", intervals, (100_000,), shuffle=True),
    Family("nested intervals", nested, (100_000,)),
    Family("nested intervals shuffled", nested, (100_000,), shuffle=True),
    Family("long rows", long_rows, (100_000,)),
    *(
        Family(f"dense {kind}", lambda n, kind=kind: dense(n, kind), (900_000,))
        for kind in ("full", "crown", "stair", "deficient")
    ),
]


def hankel_graph(data: Path, length: int) -> sp.csr_array:
    """The prefix-suffix graph of all substrings of Penn Treebank up to a length."""
    return prefix_suffix_graph(substring_expectations(ptb_train(data), length)).to_csr()
