"""
Certificates: covers and Hall violators
=======================================

A matching comes with a proof. A minimum vertex cover has as many rows and columns as the matching has pairs,
and every entry lies in one of them; so no matching is larger. And if some rows stay free, a Hall violator
says why: these rows together have fewer columns than there are of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from hankelmatch import hall_violator, match
from scipy.sparse import random_array

rng = np.random.default_rng(9)
matrix = random_array((24, 24), density=0.09, rng=rng, format="csr")
matching = match(matrix)
rows, cols = matching.pairs()
cover_rows, cover_cols = matching.minimum_vertex_cover()
print(f"{matching.size} pairs; the cover has {len(cover_rows)} rows and {len(cover_cols)} columns")

# %%
# Every entry lies on a coloured line: those are the rows and columns of the cover.
entries = matrix.tocoo()
violator = hall_violator(matrix)
print(f"rows {violator.rows.tolist()} share the columns {violator.cols.tolist()}")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
for axes in (left, right):
    axes.plot(entries.coords[1], entries.coords[0], "s", color="0.7", markersize=6)
    axes.set(xlim=(-0.7, 23.7), ylim=(23.7, -0.7), aspect="equal", xlabel="column", ylabel="row")
for row in cover_rows:
    left.axhline(row, color="tab:orange", alpha=0.35, linewidth=7)
for col in cover_cols:
    left.axvline(col, color="tab:blue", alpha=0.35, linewidth=7)
left.plot(cols, rows, "s", color="tab:red", markersize=6, label="matched")
left.legend(loc="lower right")
left.set_title("matching, and a cover of the same size")
for row in violator.rows:
    right.axhline(row, color="tab:orange", alpha=0.35, linewidth=7)
for col in violator.cols:
    right.axvline(col, color="tab:blue", alpha=0.35, linewidth=7)
right.set_title(f"{len(violator.rows)} rows with {len(violator.cols)} columns")
