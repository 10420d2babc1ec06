"""Leading singular triplets by scipy's ARPACK, checked for those that a single starting vector misses."""

from typing import Any

import numpy as np
import scipy.sparse.linalg
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackError, LinearOperator

Floats = NDArray[np.float64]
Triplets = tuple[Floats, Floats, Floats]

_RESTARTS = 20  # blocks of texts take 3 to 8
_CHECK_TOLERANCE = 1e-4  # of the residual of what is left; its singular value has the square of it
_ROUNDING = 1e-12
_MORE = 16  # triplets that were missed, found at a time
_MOST_CHECKS = 32


def lanczos(matrix: Any, n: int, random: np.random.Generator) -> Triplets | None:
    """The `n` leading triplets U, d, V of a matrix (ndarray or csr_array), or None if they do not converge.

    ARPACK's implicitly restarted Lanczos method starts from one vector, so of a singular value with several
    singular vectors it may find only some, and take smaller values in place of the others. So what is left
    of the matrix without the triplets found is looked at in the same way: where its norm is above the last
    singular value, triplets were missed, and those of what is left are joined to the others.

    Parameters
    ----------
    matrix : ndarray or csr_array of float64
        With a nonzero entry.
    n : int
        Less than the shorter side.
    random : Generator
        Gives the starting vectors.

    Notes
    -----
    Cost for r restarts, mostly 3 to 8: (n + 1) r products of H and of H' with a vector and O((rows +
    columns) n^2 r). The check is a twentieth to a third of it. Memory: 3 (rows + columns) n doubles. ARPACK
    returns to Python for every product, so Ctrl-C is heeded there.

    PROPACK, scipy's other Lanczos method, takes a third to the whole of the time, but is no choice: scipy
    offers it from 1.13 on, and in 1.17.1 it returned wrong singular values without an error in 21 of the 120
    cases of `benchmarks.svd --spectra` (of the identity matrix, repeated values, a rank below n). ARPACK
    alone was wrong in 2 of them, with the check in none.

    References
    ----------
    R. B. Lehoucq, D. C. Sorensen, C. Yang: ARPACK users' guide: solution of large-scale eigenvalue problems
    with implicitly restarted Arnoldi methods. SIAM, 1998.
    """
    transposed = matrix.T if isinstance(matrix, np.ndarray) else matrix.T.tocsr()
    try:
        U, d, V = _leading(matrix, n, random)
        for _ in range(_MOST_CHECKS):
            rest = _less(matrix, transposed, U, d, V)
            above = max(d[-1] * (1.0 + _ROUNDING), d[0] * max(matrix.shape) * np.finfo(np.float64).eps)
            if _leading(rest, 1, random, _CHECK_TOLERANCE)[1][0] <= above:
                return U, d, V
            more = _leading(rest, min(n, _MORE), random)[0]
            U, d, V = _best_in(transposed, np.hstack([U, more]), n)
    except (ArpackError, np.linalg.LinAlgError):
        pass
    return None


def _less(matrix: Any, transposed: Any, U: Floats, d: Floats, V: Floats) -> Any:
    """A matrix less some of its singular triplets."""
    U, V = np.asfortranarray(U), np.asfortranarray(V)

    def matvec(x: Floats) -> Any:
        x = x.reshape(-1)
        return matrix @ x - U @ (d * (x @ V))

    def rmatvec(x: Floats) -> Any:
        x = x.reshape(-1)
        return transposed @ x - V @ (d * (x @ U))

    return LinearOperator(matrix.shape, matvec, rmatvec, dtype=np.float64)


def _leading(operator: Any, n: int, random: np.random.Generator, tolerance: float = 0.0) -> Triplets:
    start = random.standard_normal(min(operator.shape))
    U, d, Vt = scipy.sparse.linalg.svds(
        operator, n, solver="arpack", v0=start, tol=tolerance, maxiter=_RESTARTS
    )
    order = np.argsort(-d, kind="stable")
    return U[:, order], d[order], Vt[order].T


def _best_in(transposed: Any, left: Floats, n: int) -> Triplets:
    """The `n` leading triplets of what the matrix is within the span of some left vectors."""
    Q, _ = np.linalg.qr(left)
    Z, R = np.linalg.qr(transposed @ Q)
    P, d, Qt = np.linalg.svd(R.T)
    return (Q @ P)[:, :n], d[:n], (Z @ Qt.T)[:, :n]
