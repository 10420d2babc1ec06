"""
How many nodes control a network?
=================================

`driver_nodes` finds the fewest nodes from which a directed network with linear dynamics can be controlled, by
a maximum matching. Here random networks of two kinds: links drawn evenly, and links that prefer few nodes.
Networks with hubs need more drivers, as Liu, Slotine and Barabási found.
"""

import matplotlib.pyplot as plt
import numpy as np
from hankelmatch import driver_nodes
from scipy.sparse import coo_array

n = 20_000
rng = np.random.default_rng(0)


def network(n_links, exponent):
    """Random links i -> j; with an exponent above 0 early nodes have more of them."""
    share = np.arange(1, n + 1) ** -exponent
    ends = rng.choice(n, (2, n_links), p=share / share.sum())
    ends[1] = rng.permutation(n)[ends[1]]  # hubs in are not hubs out
    return coo_array((np.ones(n_links), tuple(ends)), shape=(n, n)).tocsr()


degrees = np.array([1, 2, 3, 4, 6, 8, 12])
figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
for exponent, label in ((0.0, "drawn evenly"), (0.5, "some hubs"), (0.8, "strong hubs")):
    drivers = [driver_nodes(network(n * degree, exponent)) for degree in degrees]
    shares = [len(found.nodes) / n for found in drivers]
    print(f"{label:13}", " ".join(f"{share:.3f}" for share in shares))
    axes.semilogy(degrees, shares, "o-", label=label)
axes.set(xlabel="links per node", ylabel="share of driver nodes", title=f"networks of {n:,} nodes")
axes.legend()

# %%
# Some nodes are drivers in every smallest set, some in none, and the others in some.
found = driver_nodes(network(3 * n, 0.5))
print({kind: len(getattr(found, kind)) for kind in ("nodes", "always", "sometimes", "never")})
