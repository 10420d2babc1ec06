"""An augmenting path, before and after its edges change sides."""

import matplotlib.pyplot as plt

rows = ["p1", "p2", "p3"]
cols = ["s1", "s2", "s3"]
edges = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]
before, after = {(1, 0), (2, 1)}, {(0, 0), (1, 1), (2, 2)}
figure, panels = plt.subplots(1, 2, figsize=(8, 2.9), layout="constrained")
titles = ["two pairs; p1 and s3 are free", "every edge of the path changes sides: three pairs"]
for axes, matched, title in zip(panels, (before, after), titles, strict=True):
    for row, col in edges:
        is_matched = (row, col) in matched
        style = {"color": "tab:red", "linewidth": 3} if is_matched else {"color": "0.55", "linewidth": 1.3}
        axes.plot([0, 1], [-row, -col], zorder=1, **style)
    taken = {row for row, _ in matched}, {col for _, col in matched}
    for side, names in enumerate((rows, cols)):
        for i, name in enumerate(names):
            color = "white" if i not in taken[side] else "#f6d5d5"
            axes.plot(side, -i, "o", markersize=24, color=color, markeredgecolor="0.3", zorder=2)
            axes.text(side, -i, name, ha="center", va="center", zorder=3)
    axes.set_title(title, fontsize=10)
    axes.set(xlim=(-0.25, 1.25), ylim=(-2.45, 0.45))
    axes.axis("off")
