"""
Graphs on which searches get long
=================================

One long path whose nodes are shuffled: its matching is easy to see, and yet many searches have to go far.
Beside it a random graph of three entries a row. `match` starts from nodes with one neighbour, marks what a
failed search has visited, and gives up searches that get lost. The figures are those of the machine that
built this page.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from hankelmatch import maximum_bipartite_matching
from scipy.sparse import coo_array, random_array
from scipy.sparse.csgraph import maximum_bipartite_matching as of_scipy


def random(n):
    """Three entries a row on average, at random places."""
    return random_array((n, n), density=3 / n, rng=np.random.default_rng(0), format="csr")


def path(n):
    """Row i has columns i and i + 1, but for the numbers, which are drawn at random."""
    rng = np.random.default_rng(0)
    rows, cols = np.repeat(np.arange(n), 2)[:-1], (np.arange(2 * n) + 1)[:-1] // 2
    place = rng.permutation(n)[rows], rng.permutation(n)[cols]
    return coo_array((np.ones(2 * n - 1), place), shape=(n, n)).tocsr()


def seconds(function, matrix):
    """The least processor time of three calls."""
    times = []
    for _ in range(3):
        start = time.process_time()
        function(matrix, perm_type="column")
        times.append(time.process_time() - start)
    return min(times)


functions = {"scipy": of_scipy, "hankelmatch": maximum_bipartite_matching}
families = {"path": (path, [1000, 4000, 16000, 32000]), "random": (random, [1000, 4000, 16000, 32000])}
figure, panels = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
for axes, (title, (make, sizes)) in zip(panels, families.items(), strict=True):
    matrices = [make(n) for n in sizes]
    for name, function in functions.items():
        times = [1e3 * seconds(function, matrix) for matrix in matrices]
        print(f"{title:14}{name:12}", " ".join(f"{t:8.3f}" for t in times), "ms")
        axes.loglog(sizes, times, "o-", label=name)
    axes.set(xlabel="rows", ylabel="milliseconds", title=title)
    axes.legend()
