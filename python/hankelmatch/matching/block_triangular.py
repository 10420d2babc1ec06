"""Block triangular forms, from a maximum matching."""

from collections.abc import Hashable
from typing import NamedTuple

from .. import _core
from .graphs import Graph, Ids, pattern_of
from .maximum import Matching, match, mates_in


class Block(NamedTuple):
    """Some rows and columns of a matrix, as arrays of their numbers."""

    rows: Ids
    cols: Ids


class DulmageMendelsohn(NamedTuple):
    """The block triangular form of a matrix, as `dulmage_mendelsohn` returns it.

    With ``p, q = row_order, col_order`` the matrix ``A[p][:, q]`` is block upper triangular. Its rows fall
    into four parts, and so do its columns; entries are in these blocks only::

                 C0   C1   C2   C3
            R0   ..   ..   ..   ..    C0: unmatched columns
            R1             ..   ..    R3: unmatched rows
            R2                  ..    R0 x C1, R1 x C2, R2 x C3: square, every place of the diagonal nonzero
            R3                  ..

    Attributes
    ----------
    row_order, col_order : ndarray of int
        Permutations of the rows and of the columns.
    row_parts, col_parts : ndarray of int
        Five boundaries: part R_i is ``row_order[row_parts[i]:row_parts[i + 1]]``.
    row_blocks, col_blocks : ndarray of int
        Boundaries of the diagonal blocks: the wide part, if there is one; the irreducible blocks of the
        square part; the tall part, if there is one.
    matching : Matching
        The maximum matching that shows it. Parts and blocks are the same for every maximum matching.
    """

    row_order: Ids
    col_order: Ids
    row_parts: Ids
    col_parts: Ids
    row_blocks: Ids
    col_blocks: Ids
    matching: Matching

    @property
    def n_blocks(self) -> int:
        """The number of diagonal blocks."""
        return len(self.row_blocks) - 1

    @property
    def blocks(self) -> list[Block]:
        """The diagonal blocks from the upper left to the lower right, each with its rows and columns.

        Solve from the last one back: no block needs columns of an earlier one.
        """
        r, c = self.row_blocks.tolist(), self.col_blocks.tolist()
        return [
            Block(self.row_order[r[k] : r[k + 1]], self.col_order[c[k] : c[k + 1]])
            for k in range(self.n_blocks)
        ]

    @property
    def underdetermined(self) -> Block:
        """The part with more columns than rows: unknowns that its equations do not fix. It may be empty."""
        return Block(self._rows(0, 1), self._cols(0, 2))

    @property
    def well_determined(self) -> Block:
        """The part with as many columns as rows: a system that has one solution, generically."""
        return Block(self._rows(1, 2), self._cols(2, 3))

    @property
    def overdetermined(self) -> Block:
        """The part with more rows than columns: equations too many for their unknowns. It may be empty."""
        return Block(self._rows(2, 4), self._cols(3, 4))

    @property
    def unmatched(self) -> Block:
        """The rows and the columns that the matching leaves free."""
        return Block(self._rows(3, 4), self._cols(0, 1))

    def labelled(self, block: Block) -> tuple[list[Hashable], list[Hashable]]:
        """Give a part's or a block's rows and columns by their names in the graph.

        Parameters
        ----------
        block : Block

        Returns
        -------
        rows, columns : list
        """
        labels = self.matching.row_labels[block.rows], self.matching.col_labels[block.cols]
        return labels[0].tolist(), labels[1].tolist()

    def _rows(self, first: int, end: int) -> Ids:
        return self.row_order[self.row_parts[first] : self.row_parts[end]]

    def _cols(self, first: int, end: int) -> Ids:
        return self.col_order[self.col_parts[first] : self.col_parts[end]]


def dulmage_mendelsohn(graph: Graph, method: str = "auto") -> DulmageMendelsohn:
    """Permute a sparse matrix to block triangular form, as ``dmperm`` does in MATLAB and SuiteSparse.

    Parameters
    ----------
    graph : sparse array or matrix, PrefixSuffixGraph, or another kind of graph
        As for `match`: every stored entry counts as nonzero.
    method : str
        How to find a maximum matching, as for `match`.

    Returns
    -------
    DulmageMendelsohn

    Raises
    ------
    TypeError, ValueError
        As for `match`.

    Notes
    -----
    O(nodes + edges) after the matching: what alternating paths from unmatched columns reach is the wide part
    (more columns than rows: an underdetermined system), what those from unmatched rows reach the tall part
    (overdetermined), and strong components of the rest are its irreducible blocks.

    References
    ----------
    .. [1] A. L. Dulmage, N. S. Mendelsohn, "Coverings of bipartite graphs", Canad. J. Math. 10 (1958),
           517-534.
    .. [2] A. Pothen, C.-J. Fan, "Computing the block triangular form of a sparse matrix", ACM Trans. Math.
           Softw. 16 (1990), 303-324.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from hankelmatch import dulmage_mendelsohn
    >>> a = csr_array([[1, 0, 1], [0, 2, 0], [3, 1, 4]])
    >>> dm = dulmage_mendelsohn(a)
    >>> dm.n_blocks
    2
    >>> a[dm.row_order][:, dm.col_order].toarray()
    array([[1, 1, 0],
           [3, 4, 1],
           [0, 0, 2]])
    >>> [block.rows.tolist() for block in dm.blocks]
    [[0, 2], [1]]

    Equations and their unknowns, of which two are for one and one for two:

    >>> system = {"mass": ["x", "y"], "heat": ["z"], "work": ["z"]}
    >>> dm = dulmage_mendelsohn(system)
    >>> dm.labelled(dm.underdetermined)
    (['mass'], ['y', 'x'])
    >>> dm.labelled(dm.overdetermined)
    (['heat', 'work'], ['z'])
    """
    matching = match(graph, method)
    pattern = pattern_of(graph)
    arrays: tuple[Ids, ...] = _core.dulmage_mendelsohn(*pattern, *mates_in(matching, pattern))
    return DulmageMendelsohn._make((*arrays, matching))
