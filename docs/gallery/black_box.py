"""
From a small neural network to an automaton
===========================================

A network with four hidden units gives every string a number. It is a black box here: it is asked for the
values of strings, and nothing else. `reduce_basis` finds prefixes and suffixes whose block has the rank that
the tolerance asks for, and an automaton is recovered from that block.
"""

import matplotlib.pyplot as plt
import numpy as np
from hankelmatch import BlackBox, hankel_blocks, learn_automaton, matching_basis, reduce_basis

rng = np.random.default_rng(0)
weights = {symbol: rng.normal(0, 0.6, (4, 4)) for symbol in "ab"}
biases = {symbol: rng.normal(0, 0.3, 4) for symbol in "ab"}
read_out = rng.normal(size=4)


def network(strings):
    """The values of strings, each a tuple of symbols."""
    values = []
    for string in strings:
        hidden = np.zeros(4)
        for symbol in string:
            hidden = np.tanh(weights[symbol] @ hidden + biases[symbol])
        values.append(read_out @ hidden)
    return values


# %%
# A smaller tolerance gives more states and smaller errors. The test strings are random, up to 14 symbols
# long.
box = BlackBox(network, alphabet="ab")
candidates = matching_basis(box.sample(100, max_length=8), empty_first=True)
unseen = box.sample(500, max_length=14, seed=1)
truth = unseen.values()
automata = {}
for tol in (1e-1, 1e-2, 1e-3):
    blocks = hankel_blocks(box, reduce_basis(box, candidates, tol=tol))
    automata[tol] = learn_automaton(blocks)
    error = np.sqrt(np.mean((automata[tol].values_of(unseen.strings()) - truth) ** 2)) / truth.std()
    print(
        f"tolerance {tol:g}: {automata[tol].n_states} states, error {error:.1%} of the spread of the values"
    )

figure, axes = plt.subplots(figsize=(6.5, 5.5), layout="constrained")
for tol, automaton in automata.items():
    label = f"tolerance {tol:g}, {automaton.n_states} states"
    axes.plot(truth, automaton.values_of(unseen.strings()), ".", markersize=5, label=label)
ends = [truth.min(), truth.max()]
axes.plot(ends, ends, color="0.2", linewidth=1)
axes.set(
    xlabel="value of the network",
    ylabel="value of the automaton",
    title="500 strings that were not asked for",
)
axes.legend()
