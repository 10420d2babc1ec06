"""The paper's recovery of a weighted automaton from Hankel blocks."""

import numpy as np
from numpy.typing import DTypeLike

from .._utils.process.blas_threads import blas_threads_for
from .._utils.validation import check_type, checked_number
from ..hankel.blocks import HankelBlocks
from ._compact import HankelFactors
from ._transitions import Transitions, cast
from .automaton import WeightedAutomaton, checked_precision
from .svd import TruncatedSVD, truncated_svd


def learn_automaton(
    blocks: HankelBlocks,
    n_states: int | None = None,
    svd: TruncatedSVD | None = None,
    *,
    method: str | None = None,
    seed: int = 0,
    shrinkage: float = 0.0,
    dtype: DTypeLike = np.float64,
) -> WeightedAutomaton:
    """The paper's recovery of an automaton from Hankel blocks.

    With the truncated SVD H ~ U D V' and F = U D, B = V, F+ = D^-1 U': initial' = h_S' B, final = F+ h_P,
    A_a = F+ H_a B.

    Parameters
    ----------
    blocks : HankelBlocks
        The blocks of the function to learn, from `hankel_blocks` or `HankelBlocks.from_matrices`.
    n_states : int, optional
        Number of states. Where the numeric rank of H is lower, the automaton has as many states as that.
        By default the numeric rank, or all that `svd` has.
    svd : TruncatedSVD, optional
        The SVD of ``blocks.H``, to use in place of a new one; its leading `n_states` triplets are used.
    method : str, optional
        For `truncated_svd`, by default "auto"; not where `svd` is given.
    seed : int, optional
        For `truncated_svd`; of no use where `svd` is given.
    shrinkage : float, optional
        Added to every singular value where F+ divides by it, in the unit of f: F+ = (D + shrinkage)^-1 U'.
        States whose singular value is below it count for little. 0, the default, is the paper's recovery.
    dtype : {float64, float32}, optional
        Precision in which the automaton is kept; it is computed in float64. float32 takes half the memory and
        half the time to score; on Penn Treebank characters, T = 5, it changed bits per character by 6e-7 at
        800 states and by 2e-4 at most, at the full rank of 1,639.

    Returns
    -------
    WeightedAutomaton

    Raises
    ------
    ValueError
        If H is zero, `svd` is of a matrix of another shape or given beside a method, a block has NaN or
        infinite entries, `shrinkage` is negative or not finite, or `dtype` is another or too small for what
        was learned.
    TypeError
        If `blocks` or `svd` is of another class.

    Notes
    -----
    If f has a minimal automaton of n states and H has rank n, the result computes f exactly, if it is not
    shrunk.

    If f was counted, small singular values are mostly noise. The choice of n leaves them out, shrinkage
    lowers their weight: it is ridge regression [3]_ in the balanced factorisation, with F = U D^(1/2) and
    B = V D^(1/2), where A_a = (F'F + shrinkage)^-1 F' H_a B (B'B)^-1, in other coordinates. Bits per symbol
    of held-out text, with the longest context alone, heavy matchings and the best of each: Penn Treebank
    characters, T = 5, 1.763 and 1.766 without; T = 6, 1.652 and 1.685; War and Peace, T = 5, 1.984 and 2.046.
    With mixed contexts it does less: part-of-speech tags, T = 5, 2.499 and 2.506, Penn Treebank the same.

    Cost beside the SVD, for n states, z nonzeros in all H_a and r_a nonzero rows in each: O(z n), and
    O(r_a n^2) for each symbol that is kept dense. A matrix is kept dense where 2 r_a >= n, else as factors
    F+[:, rows_a] and G_a = (H_a B)[rows_a], in O(r_a n) memory.

    References
    ----------
    .. [1] A. Quattoni, X. Carreras, M. Gallé: A maximum matching algorithm for basis selection in spectral
       learning. AISTATS 2017, section 2.3.
    .. [2] D. Hsu, S. M. Kakade, T. Zhang: A spectral algorithm for learning hidden Markov models. COLT 2009.
    .. [3] A. E. Hoerl, R. W. Kennard: Ridge regression: biased estimation for nonorthogonal problems.
       Technometrics 12 (1970).

    Examples
    --------
    The paper's figure 1:

    >>> from hankelmatch import SequenceFunction, hankel_blocks, matching_basis
    >>> f = SequenceFunction.from_dict(dict.fromkeys(["", "aab", "b", "bb", "c", "ca", "cb"], 1.0))
    >>> wa = learn_automaton(hankel_blocks(f, matching_basis(f)))
    >>> wa.n_states, round(wa("aab"), 9), round(wa("ca"), 9)
    (5, 1.0, 1.0)
    """
    precision = checked_precision(dtype)
    check_type("blocks", blocks, HankelBlocks, "what hankel_blocks or HankelBlocks.from_matrices returns")
    if svd is None:
        svd = truncated_svd(blocks.H, n_states, "auto" if method is None else method, seed=seed)
    elif method is not None:
        raise ValueError(f"method: {method!r} given beside an SVD, which it would find; leave one out")
    check_type("svd", svd, TruncatedSVD, "what truncated_svd(blocks.H) returns")
    shrinkage = checked_number("shrinkage", shrinkage)
    if n_states is not None:
        svd = svd.truncate(n_states)
    U, d, V = svd
    if (len(U), len(V)) != blocks.H.shape:
        raise ValueError(
            f"svd: of a {(len(U), len(V))} matrix, but H is {blocks.H.shape}; give that of blocks.H"
        )
    if len(d) == 0:
        raise ValueError("blocks: H is zero; give a basis of prefixes and suffixes that f is not zero on")
    pseudo_inverse = U / (d + shrinkage)  # F+ transposed
    with blas_threads_for(2 * len(blocks.H_sigma.rows) * len(d) ** 2):
        transitions = Transitions.from_hankel(blocks.H_sigma, pseudo_inverse, V, precision)
    automaton = WeightedAutomaton(
        cast(V.T @ blocks.h_suffix, precision),
        cast(pseudo_inverse.T @ blocks.h_prefix, precision),
        transitions,
        blocks.alphabet,
        n_sequences=blocks.n_sequences,
        max_length=blocks.max_length if blocks.n_sequences is not None else None,
    )
    automaton._factors = HankelFactors(U, d + shrinkage, V, blocks.H_sigma)
    return automaton
