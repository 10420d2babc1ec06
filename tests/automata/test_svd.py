"""The truncated SVD: three methods, one contract."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from hankelmatch.automata._lanczos import lanczos
from hankelmatch.automata.svd import TruncatedSVD, numeric_rank, truncated_svd
from hypothesis import given, settings
from hypothesis import strategies as st

METHODS = ["dense", "lanczos", "randomized"]


def decaying(m: int, k: int, seed: int = 0) -> np.ndarray:
    """A matrix with singular values 1, 1/2, 1/4, ..."""
    rng = np.random.default_rng(seed)
    n = min(m, k)
    left, _ = np.linalg.qr(rng.standard_normal((m, n)))
    right, _ = np.linalg.qr(rng.standard_normal((k, n)))
    return (left * 0.5 ** np.arange(n)) @ right.T


def check(svd: TruncatedSVD, H: np.ndarray, tolerance: float) -> None:
    """Orthonormal vectors, falling values near LAPACK's, fixed signs."""
    U, d, V = svd
    n = len(d)
    np.testing.assert_allclose(U.T @ U, np.eye(n), atol=1e-10)
    np.testing.assert_allclose(V.T @ V, np.eye(n), atol=1e-10)
    assert (np.diff(d) <= 0).all()
    np.testing.assert_allclose(d, np.linalg.svd(H, compute_uv=False)[:n], atol=tolerance)
    assert (U[np.abs(U).argmax(axis=0), np.arange(n)] > 0).all()
    assert svd.residual(H) <= tolerance


def test_the_residual_takes_the_matrices_that_the_factorization_takes():
    H = [[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    svd = truncated_svd(H)
    assert svd.residual(H) < 1e-15
    assert svd.residual(scipy.sparse.dok_matrix(H)) < 1e-15
    with pytest.raises(ValueError, match=r"^H: a matrix of 3 x 2 is needed"):
        svd.residual(np.eye(2))
    with pytest.raises(ValueError, match=r"^H: has NaN"):
        svd.residual(np.full((3, 2), np.nan))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(60, 40), (40, 60)])
@pytest.mark.parametrize("container", [np.asarray, scipy.sparse.csr_array, scipy.sparse.coo_array])
def test_methods_agree_with_lapack(method, shape, container):
    H = decaying(*shape)
    svd = truncated_svd(container(H), 8, method)
    assert svd.method == method
    assert svd.n_states == 8
    check(svd, H, 1e-9)
    np.testing.assert_allclose(svd.U * svd.singular_values @ svd.V.T, H, atol=0.5**7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rank", [1, 3, 7])
def test_more_states_than_rank_gives_the_rank(method, rank):
    rng = np.random.default_rng(rank)
    H = rng.standard_normal((30, rank)) @ rng.standard_normal((rank, 20))
    svd = truncated_svd(H, 15, method)
    assert svd.n_states == rank == numeric_rank(np.linalg.svd(H, compute_uv=False), H.shape)
    assert svd.singular_values.min() > svd.tolerance > 0
    check(svd, H, 1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_more_states_than_rows(method):
    svd = truncated_svd(decaying(6, 4), 100, method)
    assert (svd.n_states, svd.method) == (4, "dense")


def test_all_states_by_default():
    assert truncated_svd(decaying(6, 9)).n_states == 6


@pytest.mark.parametrize("method", ["auto", *METHODS])
@pytest.mark.parametrize("H", [np.zeros((0, 0)), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros((3, 4))])
def test_matrices_of_rank_zero(method, H):
    for matrix in (H, scipy.sparse.csr_array(H)):
        U, d, V = truncated_svd(matrix, 2, method)
        assert (U.shape, d.shape, V.shape) == ((H.shape[0], 0), (0,), (H.shape[1], 0))


def test_explicit_zeros_and_integers():
    H = scipy.sparse.csr_array(([3, 0, 1], ([0, 1, 1], [0, 0, 1])), shape=(2, 2))
    np.testing.assert_allclose(truncated_svd(H).singular_values, [3, 1])


@pytest.mark.parametrize("method", METHODS)
def test_same_seed_same_bits(method):
    H = decaying(50, 30)
    first, second = (truncated_svd(H, 5, method, seed=3) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


def test_another_seed_same_signs():
    H = decaying(50, 30)
    for method in ("lanczos", "randomized"):
        first, second = (truncated_svd(H, 5, method, seed=seed) for seed in (1, 2))
        np.testing.assert_allclose(first.U, second.U, atol=1e-8)


@pytest.mark.parametrize(
    ("shape", "n", "method"),
    [
        ((100, 100), 5, "dense"),
        ((2000, 900), 20, "lanczos"),
        ((1200, 1300), 420, "randomized"),
        ((2000, 900), 450, "dense"),
        ((2000, 900), 900, "dense"),
    ],
)
def test_auto_picks_by_size_and_rank_asked(shape, n, method):
    rows, columns = (1.0 / np.arange(1.0, side + 1.0) for side in shape)
    H = np.random.default_rng(0).standard_normal(shape) * rows[:, None] * columns
    assert truncated_svd(H, n).method == method


def test_randomized_accuracy_on_a_slow_decay():
    """With d_i = 1/i the leading half is accurate and the last values are not far off."""
    rng = np.random.default_rng(0)
    left, _ = np.linalg.qr(rng.standard_normal((300, 200)))
    right, _ = np.linalg.qr(rng.standard_normal((200, 200)))
    d = 1.0 / np.arange(1, 201)
    found = truncated_svd((left * d) @ right.T, 40, "randomized").singular_values
    np.testing.assert_allclose(found[:20], d[:20], rtol=1e-4)
    np.testing.assert_allclose(found, d[:40], rtol=0.05)


def test_truncate_is_the_leading_part():
    svd = truncated_svd(decaying(9, 7), 5)
    small = svd.truncate(3)
    np.testing.assert_array_equal(small.U, svd.U[:, :3])
    np.testing.assert_array_equal(small.V, svd.V[:, :3])
    assert svd.truncate(50).n_states == 5
    assert "3 singular values" in repr(small)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_numeric_rank_as_numpy(m, k, rank, seed):
    rng = np.random.default_rng(seed)
    H = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, k))
    assert numeric_rank(np.linalg.svd(H, compute_uv=False), H.shape) == np.linalg.matrix_rank(H)


def test_numeric_rank_of_nothing():
    assert numeric_rank([], (0, 3)) == 0
    assert numeric_rank([0.0, 0.0], (2, 2)) == 0
    with pytest.raises(ValueError, match="singular_values: one is NaN, infinite or negative"):
        numeric_rank([np.nan, 1.0], (2, 2))
    with pytest.raises(ValueError, match=r"shape: a matrix of \(1, 5\) has no 2 singular values"):
        numeric_rank([2, 1], (1, 5))
    with pytest.raises(ValueError, match=r"shape must be two whole numbers from 0, .*, not \(0, -5\)"):
        numeric_rank([2, 1], (0, -5))


@pytest.mark.parametrize(
    ("H", "n_states", "method", "message"),
    [
        ([[np.nan]], 1, "auto", "H: has NaN or infinite"),
        (scipy.sparse.csr_array([[np.inf, 0.0]]), 1, "auto", "H: has NaN or infinite"),
        (np.full((2, 2), np.finfo(np.longdouble).max), 1, "auto", "H: has NaN or infinite"),
        ([1.0, 2.0], 1, "auto", "H: a real matrix"),
        ([[1j]], 1, "auto", "H: real numbers are needed"),
        ([["a"]], 1, "auto", "H: real numbers are needed"),
        ([[1.0], [1.0, 2.0]], 1, "auto", "H: real numbers are needed, in rows of one length"),
        (np.ma.masked_greater([[1.0, 2.0]], 1), 1, "auto", "H: values are masked"),
        ([[1.0]], 0, "auto", "n_states: a whole number from 1 is needed, not 0"),
        ([[1.0]], -3, "auto", "n_states: a whole number from 1 is needed, not -3"),
        ([[1.0]], 1.5, "auto", "n_states: a whole number from 1 is needed, not 1.5"),
        ([[1.0]], True, "auto", "n_states: a whole number from 1 is needed, not True"),
        ([[1.0]], 1, "qr", "method: 'qr' is unknown"),
    ],
)
def test_errors(H, n_states, method, message):
    with pytest.raises(ValueError, match=message):
        truncated_svd(H, n_states, method)


@pytest.mark.parametrize(
    ("shape", "rank", "n"),
    [((600, 500), 500, 20), ((300, 400), 12, 30), ((500, 500), 40, 40)],
)
def test_lanczos_converges_also_where_the_rank_is_below_what_is_asked(shape, rank, n):
    rng = np.random.default_rng(rank)
    matrix = (
        rng.standard_normal((shape[0], rank)) * 0.8 ** np.arange(rank) @ rng.standard_normal((rank, shape[1]))
    )
    U, d, V = lanczos(matrix, n, rng)
    np.testing.assert_allclose(d, np.linalg.svd(matrix, compute_uv=False)[:n], atol=1e-9)
    np.testing.assert_allclose(matrix @ V, U * d, atol=1e-9)
    np.testing.assert_allclose(matrix.T @ U, V * d, atol=1e-6)
    for vectors in (U, V):
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(n), atol=1e-12)


def spectrum(values, shape, seed=0):
    """A dense matrix with these singular values and random singular vectors."""
    rng = np.random.default_rng(seed)
    left, right = (np.linalg.qr(rng.standard_normal((side, len(values))))[0] for side in shape)
    return (left * values) @ right.T


def counts(shape, density):
    matrix = scipy.sparse.random(*shape, density, random_state=1, format="csr")
    matrix.data = np.random.default_rng(0).integers(1, 4, len(matrix.data)) / 64.0
    return scipy.sparse.csr_array(matrix)


SPECTRA = {
    "identity": scipy.sparse.csr_array(scipy.sparse.eye(300)),
    "identity, wide": scipy.sparse.csr_array(scipy.sparse.eye(200, 300)),
    "a permutation": scipy.sparse.csr_array(
        scipy.sparse.eye(250).tocsr()[np.random.default_rng(0).permutation(250)]
    ),
    "pairs, sparse": scipy.sparse.csr_array(scipy.sparse.diags(np.repeat(np.linspace(5, 1, 100), 2))),
    "triples": spectrum(np.repeat(np.linspace(5, 1, 60), 3), (200, 190)),
    "eightfold": spectrum(np.repeat(np.linspace(5, 1, 40), 8), (340, 330)),
    "twentyfold": spectrum(np.repeat(np.linspace(5, 1, 20), 20), (410, 400)),
    "a triple, then geometric": spectrum(np.r_[5, 5, 5, 4, 0.7 ** np.arange(0, 100)], (200, 150)),
    "a flat tail": spectrum(np.r_[1 / np.arange(1, 100) ** 2, np.full(100, 1e-4)], (220, 200)),
    "clusters of 1e-13": spectrum(np.repeat(np.linspace(2, 1, 40), 5) + 1e-13 * np.arange(200), (200, 200)),
    "rank 10, all equal": spectrum(np.ones(10), (300, 250)),
    "all ones": np.ones((60, 70)),
    "equal diagonal blocks": scipy.sparse.csr_array(
        scipy.sparse.kron(scipy.sparse.eye(30), np.random.default_rng(0).random((12, 13)))
    ),
    "random, sparse": counts((500, 400), 0.01),
    "counts with few entries": counts((1000, 1000), 0.0012),
    "a block and words seen once": scipy.sparse.csr_array(
        scipy.sparse.block_diag(
            [np.random.default_rng(0).random((40, 40)), 0.5 * np.eye(200), 0.25 * np.eye(300)]
        )
    ),
    "1 x 1": np.array([[3.0]]),
    "a row": np.arange(1.0, 6.0)[None],
    "2 x 2": np.eye(2),
}


@pytest.mark.parametrize("n", [1, 2, 5, 10, 29, 60, 199])
@pytest.mark.parametrize("name", SPECTRA)
def test_lanczos_finds_repeated_singular_values(name, n):
    matrix = SPECTRA[name]
    H = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    svd = truncated_svd(matrix, n, "lanczos")
    expected = np.linalg.svd(H, compute_uv=False)[:n]
    expected = expected[expected > svd.tolerance]
    np.testing.assert_allclose(svd.singular_values, expected, rtol=1e-10, atol=1e-14 * expected[0])
    assert svd.residual(matrix) < 1e-10
    for vectors in (svd.U, svd.V):
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(expected)), atol=1e-11)


def test_lanczos_close_to_all_triplets():
    H = counts((120, 90), 0.2)
    expected = np.linalg.svd(H.toarray(), compute_uv=False)
    for n in (88, 89, 90):
        np.testing.assert_allclose(truncated_svd(H, n, "lanczos").singular_values, expected[:n], rtol=1e-10)


@pytest.mark.slow
def test_many_leading_singular_values_by_lanczos():
    rng = np.random.default_rng(0)
    sides = 1 / np.arange(1.0, 1101.0) ** 0.5
    H = scipy.sparse.random(1100, 1100, 0.05, random_state=rng, format="csr")
    H = scipy.sparse.csr_array(scipy.sparse.diags(sides) @ H @ scipy.sparse.diags(sides))
    svd = truncated_svd(H, 1000, "lanczos")
    np.testing.assert_allclose(
        svd.singular_values, np.linalg.svd(H.toarray(), compute_uv=False)[:1000], rtol=1e-10
    )
    assert svd.residual(H) < 1e-12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-290, 1e-170, 1e170, 1e290])
@pytest.mark.parametrize("container", [np.asarray, scipy.sparse.csr_array])
def test_the_scale_of_the_matrix_changes_nothing(method, scale, container):
    H = decaying(60, 40)
    expected = truncated_svd(H, 8, method)
    found = truncated_svd(container(H * scale), 8, method)
    np.testing.assert_allclose(found.singular_values, expected.singular_values * scale, rtol=1e-9)
    np.testing.assert_allclose(found.tolerance, expected.tolerance * scale)
    np.testing.assert_allclose(found.U, expected.U, atol=1e-9)
    np.testing.assert_allclose(found.V, expected.V, atol=1e-9)
    np.testing.assert_allclose(
        truncated_svd(H * scale, 30, method).residual(np.eye(60, 40) * scale),
        truncated_svd(H, 30, method).residual(np.eye(60, 40)),
        rtol=1e-6,
    )


def test_singular_values_beyond_float64_are_refused():
    assert truncated_svd([[1e308]]).singular_values.tolist() == [1e308]
    with pytest.raises(ValueError, match="H: its singular values are too large for float64"):
        truncated_svd(np.full((3, 3), 1e308))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("argument", "value"),
    [("seed", -1), ("seed", "x"), ("oversampling", -50), ("oversampling", 1.5), ("n_iterations", -1)],
)
def test_arguments_out_of_range_are_named(method, argument, value):
    with pytest.raises(ValueError, match=f"{argument}: a whole number from 0 .*is needed, not {value!r}"):
        truncated_svd(decaying(9, 7), 3, method, **{argument: value})


@pytest.mark.slow
def test_auto_leaves_singular_values_that_hardly_differ_to_the_randomized_method():
    """Lanczos would take the whole space, which for a large block is more memory than there is."""
    size = 300_000
    matrix = scipy.sparse.csr_array(
        (1.0 + 1e-3 * np.random.default_rng(0).random(size), (np.arange(size), np.arange(size)[::-1]))
    )
    svd = truncated_svd(matrix, 8)
    assert svd.method == "randomized"
    assert svd.n_states == 8
    assert np.allclose(svd.singular_values, 1.0, atol=0.1)


def test_where_lanczos_does_not_converge_lapack_takes_its_place(monkeypatch):
    def stops(*_, **__):
        raise scipy.sparse.linalg.ArpackNoConvergence("after %d", np.zeros(0), np.zeros((0, 0)))

    monkeypatch.setattr(scipy.sparse.linalg, "svds", stops)
    H = decaying(900, 850)
    assert lanczos(H, 5, np.random.default_rng(0)) is None
    assert truncated_svd(H, 5, "lanczos").method == "dense"
    assert truncated_svd(H, 5).method == "randomized"
