"""Leading singular triplets by block Lanczos bidiagonalisation, which spends its time in matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from .._utils.interruptible import interruptible

Floats = NDArray[np.float64]

_TOLERANCE = 1e-7  # of a triplet's residual, relative to its own singular value
_FIRST_LOOK = 1.5  # size of the Krylov spaces, in triplets wanted, at which convergence is first looked at
_GROWTH = 1.15  # and by how much they grow from one look to the next


def block_lanczos(
    matrix: Any, n: int, seed: int | np.random.Generator, most: int
) -> tuple[Floats, Floats, Floats] | None:
    """The `n` leading triplets U, d, V of a matrix (ndarray or csr_array), or None.

    Builds orthonormal U_k, V_k with H V_k = U_k B, B block bidiagonal, fully reorthogonalised, until the n
    leading triplets of B have converged: the residual of H' U at most 1e-7 of their own singular value, or
    within rounding of the largest. None if that would take Krylov spaces of more than `most` dimensions, as
    where singular values hardly differ, or the whole space.

    Notes
    -----
    Cost for Krylov spaces of size k, mostly 1.5 to 2 n: k products of H and of H' with a vector, 4 (rows +
    columns) k^2 in matrix products, O(k^3) for each look. Memory: (rows + columns) k doubles, up to
    three times that while the spaces grow.

    References
    ----------
    Golub, Luk, Overton (1981): A block Lanczos method for computing the singular values and corresponding
    singular vectors of a matrix. ACM Transactions on Mathematical Software 7.
    """
    most = min(most, *matrix.shape)
    block = 64 if n >= 400 else 16
    transposed = matrix.T if isinstance(matrix, np.ndarray) else matrix.T.tocsr()
    random = np.random.default_rng(seed)
    U, V = (np.empty((side, 0), order="F") for side in matrix.shape)
    B = np.zeros((0, 0))
    next_V, _ = _orthonormal(random.standard_normal((matrix.shape[1], block)), V[:, :0], random)
    coupling = np.zeros((0, block))
    size, look_at = 0, _FIRST_LOOK * n
    while size + block <= most:
        U, V = (_with_room(basis, size, size + block, most) for basis in (U, V))
        before, new = slice(size - len(coupling), size), slice(size, size + block)
        size += block
        V[:, new] = next_V
        W = matrix @ next_V - U[:, before] @ coupling
        U[:, new], R = _orthonormal(W, U[:, : new.start], random)
        B = _bordered(B, coupling, R)
        next_V, L = _orthonormal(transposed @ U[:, new] - next_V @ R.T, V[:, :size], random)
        coupling = L.T
        if size >= max(look_at, n):
            P, d, Qt = interruptible(np.linalg.svd, B)
            residuals = np.linalg.norm(L @ P[-block:, :n], axis=0)
            rounding = d[0] * max(matrix.shape) * np.finfo(np.float64).eps
            if np.all(residuals <= np.maximum(_TOLERANCE * d[:n], rounding)):
                return U[:, :size] @ P[:, :n], d[:n], V[:, :size] @ Qt[:n].T
            look_at = _GROWTH * size
    return None


def _with_room(basis: Floats, filled: int, needed: int, most: int) -> Floats:
    """The array of basis vectors, or a copy of at least twice the columns, at most `most`."""
    if needed <= basis.shape[1]:
        return basis
    wider = np.empty((len(basis), min(most, max(needed, 2 * filled))), order="F")
    wider[:, :filled] = basis[:, :filled]
    return wider


def _bordered(B: Floats, coupling: Floats, R: Floats) -> Floats:
    """B with a further block column: `coupling` above the new diagonal block R."""
    size, block = len(B), len(R)
    bordered = np.zeros((size + block, size + block))
    bordered[:size, :size] = B
    bordered[size - len(coupling) : size, size:] = coupling
    bordered[size:, size:] = R
    return bordered


def _orthonormal(W: Floats, Q: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Orthonormal columns q, orthogonal to those of Q, and r with W = q r up to its part in the span of Q.

    Two passes of block Gram-Schmidt: "twice is enough", but for columns of which nothing is left. Those, as
    in a space that H does not lead out of, become random directions that have no part in W.
    """
    q, r = _reduced_qr(W - Q @ (Q.T @ W))
    q, again = _reduced_qr(q - Q @ (Q.T @ q))
    r = again @ r
    lost = np.abs(np.diag(again)) < 0.5
    if lost.any():
        r[lost] = 0.0
        q[:, lost] = random.standard_normal((len(q), int(lost.sum())))
        for _ in range(2):
            q, kept = _reduced_qr(q - Q @ (Q.T @ q))
            r = kept @ r
    return q, r


def _reduced_qr(W: Floats) -> tuple[Floats, Floats]:
    q, r = scipy.linalg.qr(W, mode="economic", check_finite=False)
    return q, r
