"""The pattern of a Hankel matrix by lengths, and the two parts that are matched by themselves."""

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

T = 5
short_prefixes, short_suffixes = T // 2, (T - 1) // 2
figure, axes = plt.subplots(figsize=(6, 5.6), layout="constrained")
for p in range(T + 1):
    for s in range(T + 1 - p):
        if p <= short_prefixes and s > short_suffixes:
            color = "#f3b27a"
        elif p > short_prefixes and s <= short_suffixes:
            color = "#8ab6dc"
        else:
            color = "#d9d9d9"
        axes.add_patch(Rectangle((s - 0.5, p - 0.5), 1, 1, color=color, ec="white", linewidth=2))
for p in range(T + 1):
    for s in range(T + 1 - p):
        axes.text(s, p, f"{p} + {s}", ha="center", va="center", fontsize=9)
axes.axhline(short_prefixes + 0.5, color="0.2", linestyle="--", linewidth=1)
axes.axvline(short_suffixes + 0.5, color="0.2", linestyle="--", linewidth=1)
axes.text(T - 0.45, 1.95, "short prefixes,\nlong suffixes", ha="center", fontsize=9, color="#8a4500")
axes.text(
    1.0, T + 0.62, "long prefixes, short suffixes", ha="center", va="center", fontsize=9, color="#1c4f7c"
)
axes.text(4.1, 4.3, "no entries:\ntogether longer\nthan T", ha="center", va="center", color="0.45")
axes.set(
    xlim=(-0.55, T + 0.55),
    ylim=(T + 0.85, -0.55),
    xlabel="length of the suffix (columns)",
    ylabel="length of the prefix (rows)",
    title=f"T = {T}",
    aspect="equal",
)
