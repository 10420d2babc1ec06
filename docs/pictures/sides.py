"""The two sides of the graph, each matched by itself, and the edges between that the certificate looks at."""

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

boxes = {
    "short prefixes": (0.0, 2.0, "#f3b27a"),
    "long suffixes": (3.2, 2.0, "#f8d9bf"),
    "short suffixes": (0.0, 0.0, "#8ab6dc"),
    "long prefixes": (3.2, 0.0, "#cfe0ef"),
}
figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
for name, (x, y, color) in boxes.items():
    size = 1.5 if name.startswith("short") else 4.3
    axes.add_patch(
        FancyBboxPatch((x, y), size, 0.7, boxstyle="round,pad=0.08", facecolor=color, edgecolor="0.4")
    )
    axes.text(x + size / 2, y + 0.35, name, ha="center", va="center")
for y in (2.35, 0.35):
    for spread in (-0.22, 0.0, 0.22):
        axes.plot([1.6, 3.1], [y + spread / 2, y + spread], color="tab:red", linewidth=1.6)
for spread in (-0.25, 0.15):
    axes.plot([0.75 + spread, 0.75 - spread / 2], [0.8, 1.9], color="0.5", linestyle="--", linewidth=1.3)
axes.text(2.35, 2.85, "matched from the short side", ha="center", fontsize=9, color="tab:red")
axes.text(2.35, -0.2, "matched from the short side", ha="center", fontsize=9, color="tab:red")
axes.text(
    1.05, 1.35, "edges between two short strings: only the certificate looks at them", fontsize=9, color="0.3"
)
axes.set(xlim=(-0.3, 7.8), ylim=(-0.45, 3.15))
axes.axis("off")
