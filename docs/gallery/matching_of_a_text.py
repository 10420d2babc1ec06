"""
Which strings a matching of a text selects
==========================================

In the prefix-suffix graph of all substrings up to length T, an edge joins a prefix and a suffix that together
have at most T symbols. So one of its ends is short. Almost every short prefix is matched to a long suffix,
and the other way round.
"""

import matplotlib.pyplot as plt
import numpy as np
from hankelmatch import Corpus, match, prefix_suffix_graph, substring_expectations
from hankelmatch.plot import plot_matching
from hankelmatch.sequences import sample_text

T = 5
f = substring_expectations(Corpus.from_sequences(sample_text(), end_symbol=True), T)
graph = prefix_suffix_graph(f)
matching = match(graph)
print(graph, matching)

# %%
# The number of pairs by the lengths of prefix and suffix.
rows, cols = matching.pairs()
lengths = f.strings().lengths
table = np.zeros((T + 1, T + 1), dtype=int)
np.add.at(table, (lengths[rows], lengths[cols]), 1)
figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
axes.imshow(np.log1p(table), cmap="Blues")
for (i, j), count in np.ndenumerate(table):
    if count:
        axes.text(j, i, f"{count:,}", ha="center", va="center", color="white" if count > 200 else "black")
axes.set(
    xlabel="length of the suffix", ylabel="length of the prefix", title=f"{matching.size:,} matched pairs"
)

# %%
# The matched block itself, with its entries in grey and the matched ones in red.
block = plot_matching(graph, matching, whole=False, diagonal=True)
