"""
Block triangular form of a real matrix
======================================

Which module of Python's standard library imports which? The answer is a sparse matrix: a row for each module,
an entry in the column of each module that it imports anywhere, inside functions too, and a diagonal.
`dulmage_mendelsohn` permutes it to block triangular form. A block of more than one row is a set of modules
that all need one another: were these imports all at the top of the files, no order of loading would satisfy
them.
"""

import ast
import sysconfig
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from hankelmatch import dulmage_mendelsohn, structural_rank
from scipy.sparse import coo_array

library = Path(sysconfig.get_paths()["stdlib"])
sources = {path.stem: path for path in sorted(library.glob("*.py"))}


def imported(path):
    """The modules that a file imports, by their first names."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module.partition(".")[0]


names = list(sources)
number = {name: i for i, name in enumerate(names)}
pairs = {
    (i, number[other]) for i, name in enumerate(names) for other in imported(sources[name]) if other in number
}
pairs |= {(i, i) for i in range(len(names))}
rows, cols = np.array(sorted(pairs)).T
matrix = coo_array((np.ones(len(rows)), (rows, cols)), shape=(len(names), len(names))).tocsr()
print(f"{len(names)} modules, {matrix.nnz} entries, structural rank {structural_rank(matrix)}")

# %%
# The diagonal is a matching of all rows, so the structural rank is full, and the whole matrix is the square
# part of the form. Its irreducible blocks are found in time linear in the entries.
form = dulmage_mendelsohn(matrix)
circles = [sorted(names[i] for i in block.rows) for block in form.blocks if len(block.rows) > 1]
print(f"{form.n_blocks} blocks; those of more than one module:")
for circle in circles:
    print(f"{len(circle):4}:", ", ".join(circle[:8]), "..." if len(circle) > 8 else "")

figure, (before, after) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
before.spy(matrix, markersize=1.5, color="0.3")
before.set_title("modules by name")
after.spy(matrix[form.row_order][:, form.col_order], markersize=1.5, color="0.3")
for block in form.blocks:
    if len(block.rows) > 1:
        place = np.flatnonzero(np.isin(form.row_order, block.rows))
        corner = (place[0] - 0.5, place[0] - 0.5)
        after.add_patch(plt.Rectangle(corner, len(place), len(place), fill=False, color="tab:red"))
after.set_title("block triangular form")
for axes in (before, after):
    axes.set_xlabel("imported module")
    axes.set_ylabel("module")
