"""The trie of all substrings of a small text, with its suffix links."""

import matplotlib.pyplot as plt

TEXT, T = "abaab", 3
strings = sorted({TEXT[i : i + n] for i in range(len(TEXT)) for n in range(T + 1) if i + n <= len(TEXT)})
strings = sorted(set(strings) | {""}, key=lambda x: (len(x), x))


def width(x):
    """The number of leaves below a string."""
    children = [y for y in strings if y[:-1] == x and len(y) == len(x) + 1]
    return sum(map(width, children)) if children else 1


place = {}


def put(x, left):
    """Give every string below x a place; depth-first, so that each subtree is an interval."""
    children = [y for y in strings if len(y) == len(x) + 1 and y[:-1] == x]
    place[x] = (left + width(x) / 2, -len(x))
    for child in children:
        put(child, left)
        left += width(child)


put("", 0)
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for x, (column, row) in place.items():
    if x:
        parent = place[x[:-1]]
        axes.plot([parent[0], column], [parent[1], row], color="0.35", linewidth=1.4, zorder=1)
        middle = ((parent[0] + column) / 2, (parent[1] + row) / 2)
        axes.text(*middle, x[-1], ha="center", va="center", backgroundcolor="white", fontsize=10)
        arrow = {"arrowstyle": "->", "color": "tab:blue", "alpha": 0.7, "connectionstyle": "arc3,rad=0.18"}
        axes.annotate("", place[x[1:]], (column, row), arrowprops=arrow | {"shrinkA": 11, "shrinkB": 11})
for x, where in place.items():
    axes.text(*where, x or "ε", ha="center", va="center", fontsize=10, zorder=3)
    axes.plot(*where, "o", markersize=26, color="#eef3f7", markeredgecolor="0.5", zorder=2)
axes.set_xlim(-0.4, width("") + 0.4)
axes.set_ylim(-T - 0.4, 0.4)
axes.axis("off")
