"""
A Hankel matrix and its matching: the paper's figure 1
======================================================

A function on strings has seven values. Its Hankel matrix has a row for each prefix, a column for each suffix,
and at row p and column s the value of the string ps. A maximum matching of rows with columns selects a block
of full structural rank.
"""

from hankelmatch import hankel_blocks, learn_automaton, match, matching_basis, prefix_suffix_graph
from hankelmatch.plot import plot_matching

values = {"": 0.5, "aab": 0.1, "b": 0.2, "bb": 0.04, "c": 0.05, "ca": 0.06, "cb": 0.05}
figure = plot_matching(values)

# %%
# Nine prefixes and nine suffixes; five pairs are matched, in red. A vertex cover of five nodes proves that
# no matching has more pairs.
graph = prefix_suffix_graph(values)
matching = match(graph)
rows, columns = matching.minimum_vertex_cover()
print(matching, "cover:", len(rows), "rows and", len(columns), "columns")

# %%
# The automaton that is learned from the block has five states and gives every value.
automaton = learn_automaton(hankel_blocks(values, matching_basis(values)))
for string in [*values, "ba"]:
    print(f"{string!r:6} {values.get(string, 0):.2f} {automaton(string):9.6f}")
