"""The folders of the core and of the package, floor by floor, as tests/draw_imports.py reads them."""

from pathlib import Path

import matplotlib.pyplot as plt

from tests import draw_imports
from tests.draw_imports import core_tree, floors, package_tree

ROOT = Path(draw_imports.__file__).resolve().parents[1]


def nearest(graph):
    """The imports that no other import implies: fewer arrows say the same."""
    reached = {}

    def all_below(node):
        if node not in reached:
            reached[node] = set(graph[node]).union(*(all_below(other) for other in graph[node]))
        return reached[node]

    return {
        node: {other for other in below if not any(other in all_below(third) for third in below - {other})}
        for node, below in graph.items()
    }


figure, panels = plt.subplots(1, 2, figsize=(8, 6.4), layout="constrained")
for axes, tree in zip(panels, (core_tree(ROOT), package_tree(ROOT)), strict=True):
    graph = tree.folders()
    floor = floors(graph)
    place = {}
    for level in range(1, max(floor.values()) + 1):
        names = sorted((n for n in graph if floor[n] == level), key=tree.order.index)
        for i, name in enumerate(names):
            place[name] = (i - (len(names) - 1) / 2, level)
    for name, below in nearest(graph).items():
        for other in below:
            arrow = {"arrowstyle": "->", "color": "0.6", "shrinkA": 17, "shrinkB": 17}
            axes.annotate("", place[other], place[name], arrowprops=arrow)
    for name, where in place.items():
        count = sum(tree.folder(file) == name for file in tree.files)
        label = f"{name.removesuffix('.py')}\n{count} file" + "s" * (count != 1)
        box = {"boxstyle": "round,pad=0.4", "facecolor": "#eef3f7", "edgecolor": "0.5"}
        axes.text(*where, label, ha="center", va="center", fontsize=9, bbox=box)
    axes.set_title(f"{tree.title}: {len(tree.files)} files")
    axes.set(xlim=(-1.1, 1.1), ylim=(0.4, max(floor.values()) + 0.6))
    axes.axis("off")
