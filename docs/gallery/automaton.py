"""
An automaton, drawn
===================

Words over a and b in which the number of a is even. The probability of each word is estimated from a sample,
and an automaton with two states is learned from it.
"""

import numpy as np
from hankelmatch import (
    Corpus,
    ProbabilisticAutomaton,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    string_probabilities,
    to_dot,
)
from hankelmatch.plot import plot_automaton

even = ProbabilisticAutomaton(
    [1.0, 0.0], [0.3, 0.0], {"a": [[0.0, 0.4], [0.7, 0.0]], "b": np.diag([0.3, 0.3])}
)
corpus = Corpus.from_sequences(even.sample(3000, seed=0))
f = string_probabilities(corpus)
automaton = learn_automaton(hankel_blocks(f, matching_basis(f, method="heavy")), n_states=2)
for word in ("", "b", "aa", "ab", "aab"):
    print(f"{word!r:6} true {even(word):.4f}  learned {automaton(word):.4f}")

# %%
# The drawing shows the transitions with the greatest weights. States of the spectral method are
# coordinates, not the states of the machine that wrote the words: weights may be negative.
figure = plot_automaton(automaton)

# %%
# The machine itself, and its first lines for Graphviz.
machine = plot_automaton(even.to_weighted())
print(*to_dot(even).splitlines()[:5], sep="\n")
