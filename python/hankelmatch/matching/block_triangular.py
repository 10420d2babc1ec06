"""Block triangular forms, from a maximum matching."""

from __future__ import annotations

from typing import NamedTuple

from .. import _core
from .._utils.types import GraphLike
from .maximum import Ids, Matching, match, mates_in, pattern_of


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


def dulmage_mendelsohn(graph: GraphLike, method: str = "auto") -> DulmageMendelsohn:
    """Permute a sparse matrix to block triangular form, as ``dmperm`` does in MATLAB and SuiteSparse.

    Parameters
    ----------
    graph : sparse array or matrix, or PrefixSuffixGraph
        Every stored entry counts as nonzero.
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
    """
    matching = match(graph, method)
    pattern = pattern_of(graph)
    arrays: tuple[Ids, ...] = _core.dulmage_mendelsohn(*pattern, *mates_in(matching, pattern))
    return DulmageMendelsohn._make((*arrays, matching))
