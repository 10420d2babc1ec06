"""Truncated singular value decomposition of Hankel blocks: H ~ U diag(d) V'."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import matmul
from typing import Any, TypeAlias

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from .._utils.interruptible import interruptible
from .._utils.process.blas_threads import blas_threads_for
from .._utils.scaling import scaled
from .._utils.sparse_formats import checked_csr
from .._utils.types import MatrixLike
from .._utils.validation import check_choice, checked_shape, checked_whole, random_generator, real_array
from ._lanczos import lanczos

Floats: TypeAlias = NDArray[np.float64]

SVD_METHODS = ("auto", "dense", "lanczos", "randomized")

# `auto`. Measured by `benchmarks.svd` on one core, with a block of 2,260 x 2,260 from 200,000 characters and
# one of 9,720 x 9,720 from 1,500 sentences of words: lanczos takes 2.1 and 1.3 times as long as randomized
# for 20 states, 1.7 and 2.8 for 200, 2.8 and 3.4 for 400.
_SMALL_BLOCK = 800
_DENSE_SHARE = 0.5
_LANCZOS_STATES = 400

# Each divides what is left out by the square of a ratio of singular values: 10,000 make 1e-8 of .999.
_MOST_ITERATIONS = 10_000


@dataclass(frozen=True, eq=False)
class TruncatedSVD:
    """Leading singular triplets of a matrix; unpacks as ``U, d, V = svd`` with H ~ U diag(d) V'.

    Attributes
    ----------
    U : ndarray of float64, shape (m, n)
        Left singular vectors, as columns. In every column the entry of largest magnitude is positive.
    singular_values : ndarray of float64, shape (n,)
        In falling order, each above `tolerance`.
    V : ndarray of float64, shape (k, n)
        Right singular vectors, as columns.
    method : str
        ``"dense"``, ``"lanczos"`` or ``"randomized"``: what computed it.
    tolerance : float
        Singular values up to this count as zero and were left out.
    """

    U: Floats
    singular_values: Floats
    V: Floats
    method: str
    tolerance: float

    @property
    def n_states(self) -> int:
        """Number of singular triplets."""
        return len(self.singular_values)

    def __iter__(self) -> Iterator[Floats]:
        return iter((self.U, self.singular_values, self.V))

    def __repr__(self) -> str:
        shape = (self.U.shape[0], self.V.shape[0])
        return f"<TruncatedSVD of a {shape} matrix: {self.n_states} singular values, method {self.method!r}>"

    def truncate(self, n_states: int) -> TruncatedSVD:
        """The leading `n_states` triplets (all of them if there are fewer), without copying."""
        n = checked_whole("n_states", n_states, 1)
        return replace(self, U=self.U[:, :n], singular_values=self.singular_values[:n], V=self.V[:, :n])

    def residual(self, H: MatrixLike) -> float:
        """Accuracy reached: the largest error of a triplet, relative to the largest singular value.

        That is the maximum over i of ||H v_i - d_i u_i|| and ||H' u_i - d_i v_i||, divided by d_1. Every d_i
        is within that distance (times d_1) of a singular value of H.

        Parameters
        ----------
        H : array_like or sparse array, shape (m, k)
            The matrix that was factorised.

        Raises
        ------
        ValueError
            If `H` is not a real, finite matrix of that shape.
        """
        matrix = _check_matrix(H)
        if matrix.shape != (len(self.U), len(self.V)):
            raise ValueError(f"H: a matrix of {len(self.U)} x {len(self.V)} is needed, not of {matrix.shape}")
        if self.n_states == 0:
            return 0.0
        largest = self.singular_values[0]
        right = (interruptible(matmul, matrix, self.V) - self.U * self.singular_values) / largest
        left = (interruptible(matmul, matrix.T, self.U) - self.V * self.singular_values) / largest
        return float(max(np.linalg.norm(right, axis=0).max(), np.linalg.norm(left, axis=0).max()))


def numeric_rank(singular_values: ArrayLike, shape: tuple[int, int]) -> int:
    """Number of singular values that are not zero within rounding.

    As in `numpy.linalg.matrix_rank`: those above the largest one times the longer side of the matrix times
    the machine epsilon of float64.

    Parameters
    ----------
    singular_values : array_like
        All singular values of the matrix, or the leading ones, in any order.
    shape : tuple of two ints
        Shape of the matrix.

    Returns
    -------
    int

    Raises
    ------
    TypeError
        If `shape` is not two whole numbers.
    ValueError
        If `singular_values` is no list of finite real numbers from 0, or longer than a side of the matrix.

    Examples
    --------
    >>> numeric_rank([3.0, 1.0, 1e-16], (5, 3))
    2
    """
    values = real_array("singular_values", singular_values).astype(np.float64)
    if values.ndim != 1:
        raise ValueError(f"singular_values: a list of numbers is needed, not {values.ndim} dimensions")
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError("singular_values: one is NaN, infinite or negative; give finite numbers from 0")
    shape = checked_shape(shape)
    if len(values) > min(shape):
        raise ValueError(f"shape: a matrix of {shape} has no {len(values)} singular values")
    return int(np.count_nonzero(values > _tolerance(values, shape)))


def truncated_svd(
    H: MatrixLike,
    n_states: int | None = None,
    method: str = "auto",
    *,
    seed: int = 0,
    oversampling: int | None = None,
    n_iterations: int = 2,
) -> TruncatedSVD:
    """Leading singular values and vectors of a sparse or dense matrix.

    Parameters
    ----------
    H : array_like or sparse array, shape (m, k)
        The matrix, real and finite; usually a Hankel block.
    n_states : int, optional
        Number of singular triplets wanted; by default all. Where the numeric rank of `H` is lower, only
        the singular values that are not numerically zero (see `numeric_rank`) are returned, so
        ``svd.n_states`` may be smaller than `n_states` and no singular value is ever zero.
    method : {"auto", "dense", "lanczos", "randomized"}, optional
        ``"dense"``: LAPACK's divide and conquer; it computes everything, which is then cut. ``"lanczos"``:
        ARPACK's restarted Lanczos method [2]_, by `scipy.sparse.linalg.svds`, until every triplet has
        converged; then a check finds those that were missed. ``"randomized"``: randomized range finder with
        subspace iterations [1]_. ``"auto"``: ``"dense"`` if the shorter side is at most 800 or `n_states` at
        least half of it; otherwise ``"lanczos"`` up to 400 states, ``"randomized"`` above. Where
        ``"lanczos"`` does not converge, ``"dense"`` takes its place, or ``"randomized"`` if the choice was
        ``"auto"``. If all triplets are asked, every method is ``"dense"``. The result's ``method`` says
        which was used.
    seed : int, optional
        Seed of the starting vectors, 0 or more; the result is a function of the arguments alone.
    oversampling : int, optional
        Extra vectors of the randomized method, by default 10 and a tenth of `n_states`.
    n_iterations : int, optional
        Subspace iterations of the randomized method.

    Returns
    -------
    TruncatedSVD
        With ``U, d, V = truncated_svd(...)`` as the short form. The signs are fixed: in every column of U
        the entry of largest magnitude is positive.

    Raises
    ------
    ValueError
        If `H` is not a real matrix, has NaN or infinite entries or singular values too large for float64, a
        number is out of its range, or `method` is unknown.

    Notes
    -----
    Cost for an m x k matrix of z nonzeros, m >= k, n states: dense O(m k^2) time and O(m k) memory;
    randomized O(z n + (m + k) n^2 + n^3); lanczos as much for each of 3 to 8 restarts; both with memory for
    a few times (m + k) n numbers. BLAS has all cores from 1e11 operations of dense or randomized, and one
    below. Ctrl-C does not wait for LAPACK: a call that is under way goes on to its end, but on a thread of
    its own, and its result is dropped.

    Accuracy: dense and lanczos reach rounding: the error of a singular value is about 1e-15 of the largest
    one, and lanczos loses more digits of those below 1e-7 of it. The randomized method finds the range of a
    matrix of numeric rank at most n exactly; otherwise each iteration shrinks the error in direction i by the
    factor (d_(n + oversampling) / d_i)^2, so the leading triplets are accurate and the last few of the n are
    mixtures with their neighbours. With 800 of the 1,639 states of a character model the median relative
    error of the singular values was 2e-14 and the largest 3e-3, which changed the bits per character by less
    than 1e-4. `TruncatedSVD.residual` measures what was reached.

    References
    ----------
    .. [1] N. Halko, P. G. Martinsson, J. A. Tropp: Finding structure with randomness: probabilistic
       algorithms for constructing approximate matrix decompositions. SIAM Review 53(2), 2011.
    .. [2] R. B. Lehoucq, D. C. Sorensen, C. Yang: ARPACK users' guide: solution of large-scale eigenvalue
       problems with implicitly restarted Arnoldi methods. SIAM, 1998.

    Examples
    --------
    >>> svd = truncated_svd([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]], 1)
    >>> svd.singular_values, svd.method
    (array([2.]), 'dense')
    >>> U, d, V = truncated_svd([[1.0, 1.0], [1.0, 1.0]], 2)  # of rank 1
    >>> d.shape
    (1,)
    """
    matrix, exponent = _scaled_matrix(_check_matrix(H))
    random = random_generator("seed", seed)
    extra = None if oversampling is None else checked_whole("oversampling", oversampling, 0)
    n_iterations = checked_whole("n_iterations", n_iterations, 0, _MOST_ITERATIONS)
    shortest = min(matrix.shape)
    n = shortest if n_states is None else min(checked_whole("n_states", n_states, 1), shortest)
    chosen = _choose_method(method, shortest, n)
    if not np.any(matrix.data if _is_sparse(matrix) else matrix):
        empty = np.zeros((matrix.shape[0], 0)), np.zeros(0), np.zeros((matrix.shape[1], 0))
        return TruncatedSVD(*empty, method=chosen, tolerance=0.0)
    n_vectors = min(n + (10 + n // 10 if extra is None else extra), shortest)
    triplets = None
    if chosen == "lanczos":
        with blas_threads_for(0):  # products of a matrix and a vector, which wait for memory
            triplets = lanczos(matrix, n, random)
        if triplets is None:
            chosen = "dense" if method == "lanczos" else "randomized"
    if triplets is None:
        width = shortest if chosen == "dense" else n_vectors
        with blas_threads_for(4 * sum(matrix.shape) * width**2):
            if chosen == "dense":
                triplets = _dense(matrix)
            else:
                triplets = _randomized(matrix, n_vectors, n_iterations, random)
    return _finish(triplets, n, chosen, matrix.shape, exponent)


def _check_matrix(H: Any) -> Any:
    """`H` as a float64 csr_array or ndarray, known to be finite."""
    matrix: Any = checked_csr(H, "H") if _is_sparse(H) else real_array("H", H)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise ValueError(f"H: a real matrix is needed, not {matrix.ndim} dimensions of dtype {matrix.dtype}")
    with np.errstate(over="ignore"):  # of longer floats
        matrix = matrix.astype(np.float64, copy=False)
    if not np.isfinite(matrix.data if _is_sparse(matrix) else matrix).all():
        raise ValueError("H: has NaN or infinite entries; every entry must be a finite number")
    return matrix


def _scaled_matrix(matrix: Any) -> tuple[Any, int]:
    """The matrix divided by 2^exponent, and the exponent, as `scaled` does it."""
    if not _is_sparse(matrix):
        return scaled(matrix)
    data, exponent = scaled(matrix.data)
    return scipy.sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape), exponent


def _is_sparse(matrix: Any) -> bool:
    return bool(scipy.sparse.issparse(matrix))


def _choose_method(method: str, shortest: int, n: int) -> str:
    """The method to use; the iterative ones cannot compute every triplet."""
    check_choice("method", method, SVD_METHODS)
    if method != "auto":
        return "dense" if n == shortest else method
    if shortest <= _SMALL_BLOCK or n >= _DENSE_SHARE * shortest:
        return "dense"
    return "lanczos" if n <= _LANCZOS_STATES else "randomized"


def _dense(matrix: Any) -> tuple[Floats, Floats, Floats]:
    """Every triplet, by LAPACK; gesdd may fail to converge where the slower gesvd does not."""
    full = matrix.toarray() if _is_sparse(matrix) else matrix
    try:
        U, d, Vt = interruptible(np.linalg.svd, full, full_matrices=False)
    except np.linalg.LinAlgError:
        U, d, Vt = scipy.linalg.svd(full, full_matrices=False, check_finite=False, lapack_driver="gesvd")
    return U, d, Vt.T


def _randomized(
    matrix: Any, n_vectors: int, n_iterations: int, random: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Subspace iterations from a random start."""
    test_vectors = random.standard_normal((matrix.shape[1], n_vectors))
    vectors = test_vectors
    for _ in range(n_iterations):
        vectors = _well_conditioned(matrix.T, _well_conditioned(matrix, vectors))
    return _rayleigh_ritz(matrix, _reduced_qr(matrix, vectors)[0])


def _rayleigh_ritz(matrix: Any, Q: Floats) -> tuple[Floats, Floats, Floats]:
    """The triplets of Q Q'H, the best that the span of the orthonormal columns of Q allows."""
    Z, R = _reduced_qr(matrix.T, Q)  # Q'H = R'Z'
    U, d, V = _dense(R.T)
    return interruptible(matmul, Q, U), d, interruptible(matmul, Z, V)


def _well_conditioned(matrix: Any, vectors: Floats) -> Floats:
    """Columns with the span of the matrix times `vectors`: an LU factor takes a quarter of the time of QR."""
    image = interruptible(matmul, matrix, vectors)
    L, _ = interruptible(scipy.linalg.lu, image, permute_l=True, overwrite_a=True, check_finite=False)
    return np.asarray(L)


def _reduced_qr(matrix: Any, vectors: Floats) -> tuple[Floats, Floats]:
    """Of the matrix times `vectors`."""
    image = interruptible(matmul, matrix, vectors)
    return interruptible(scipy.linalg.qr, image, mode="economic", overwrite_a=True, check_finite=False)


def _finish(
    triplets: tuple[Floats, Floats, Floats], n: int, method: str, shape: tuple[int, int], exponent: int
) -> TruncatedSVD:
    """Cut to n numerically nonzero triplets of the matrix times 2^exponent and fix the signs."""
    U, d, V = triplets
    with np.errstate(over="ignore", under="ignore"):
        unscaled = np.ldexp(d, exponent)
    if not np.isfinite(unscaled).all():
        raise ValueError("H: its singular values are too large for float64; divide H by a large number")
    n = min(n, numeric_rank(d, shape), int(np.count_nonzero(unscaled)))
    U, V = U[:, :n], V[:, :n]
    largest = np.abs(U).argmax(axis=0)
    signs = np.where(U[largest, np.arange(n)] < 0.0, -1.0, 1.0)
    tolerance = float(np.ldexp(_tolerance(d, shape), exponent))
    return TruncatedSVD(U * signs, unscaled[:n], V * signs, method, tolerance)


def _tolerance(singular_values: Floats, shape: tuple[int, int]) -> float:
    """Singular values up to this count as zero."""
    largest = float(singular_values.max(initial=0.0))
    return largest * (max(shape) * float(np.finfo(np.float64).eps))
