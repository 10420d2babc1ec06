"""
A distribution over strings, and the automaton that made it
===========================================================

A known automaton writes strings; `StringDistribution` learns from them. Both give every string a probability,
so they can be compared string by string.
"""

import matplotlib.pyplot as plt
import numpy as np
from hankelmatch import ProbabilisticAutomaton, StringDistribution, pautomac_perplexity

# Two states: one writes mostly a, the other mostly b.
target = ProbabilisticAutomaton(
    [0.8, 0.2],
    [0.1, 0.2],
    {"a": [[0.5, 0.2], [0.05, 0.05]], "b": [[0.1, 0.1], [0.3, 0.4]]},
)
strings = target.sample(2000, seed=1)
learned = StringDistribution(n_states=2, n_sweeps=60, seed=0).fit(strings)
print(
    f"total mass {learned.total_mass():.9f}, {len(set(map(tuple, strings)))} different strings in the sample"
)

# %%
# New strings of the same automaton, each once.
new = sorted(set(map(tuple, target.sample(1500, seed=2))), key=len)
truth, ours = target.log_probability(new), learned.log_probability(new)
score = pautomac_perplexity(np.exp(ours), np.exp(truth))
best = pautomac_perplexity(np.exp(truth), np.exp(truth))
print(f"perplexity {score:.4f}; the best possible is {best:.4f}")

figure, axes = plt.subplots(figsize=(6.5, 5.5), layout="constrained")
points = axes.scatter(truth, ours, c=[len(string) for string in new], s=14, cmap="viridis")
ends = [truth.min(), truth.max()]
axes.plot(ends, ends, color="tab:red", linewidth=1)
axes.set(xlabel="log-probability in the automaton", ylabel="log-probability learned", title="new strings")
figure.colorbar(points, label="length")
