"""
Singular values of a block and of the whole matrix
==================================================

The matching selects a small block whose structural rank is that of the whole Hankel matrix. How much of the
matrix is in it? The singular values show it, here on the English text that comes with Python.
"""

from hankelmatch import (
    Corpus,
    hankel_blocks,
    match,
    matching_basis,
    prefix_suffix_graph,
    substring_expectations,
    truncated_svd,
)
from hankelmatch.plot import plot_singular_values
from hankelmatch.sequences import sample_text

corpus = Corpus.from_sequences(sample_text(), end_symbol=True)
f = substring_expectations(corpus, max_length=3)
graph = prefix_suffix_graph(f)
print(f"{len(f)} substrings of length 0 to 3, {graph}")

# %%
# "auto" is the fastest maximum matching; "heavy" prefers frequent strings.
n = 60
spectra = {"whole matrix": truncated_svd(graph.to_csr(weighted=True), n)}
for method in ("auto", "heavy"):
    basis = matching_basis(graph, matching=match(graph, method))
    blocks = hankel_blocks(f, basis, graph=graph)
    spectra[f"block, {method}"] = truncated_svd(blocks.H, n)
    print(method, basis)
figure = plot_singular_values(spectra)
