"""The truncated SVD on words: seconds by method; and how often Lanczos methods are wrong on hard spectra.

    python -m benchmarks.svd --data DIR [--n-states 20 200] [--runs 5]
    python -m benchmarks.svd --spectra

DIR holds `warandpeace/`. The words are those of 1,500 sentences, T = 3. Beside the methods of `truncated_svd`
stand scipy's `svds` with ARPACK and with PROPACK as they are. OPENBLAS_NUM_THREADS sets the number of threads
from outside. With `--spectra` every method factorises matrices with repeated singular values, and the results
that are not within 1e-10 of LAPACK's, relative to the largest singular value, are counted.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from hankelmatch import SpectralLearner, truncated_svd
from scipy.sparse.linalg import ArpackError, svds

from .data import WAR_AND_PEACE
from .report import Column, markdown
from .timing import median_seconds

_SENTENCES = 1500
_COLUMNS = [Column("name", "method"), Column("n", "n", ","), Column("seconds", "seconds", ".3f")]
_COUNTS = [Column("name", "method"), *(Column(key, key) for key in ("right", "wrong", "refused"))]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.svd", description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with warandpeace/")
    parser.add_argument("--n-states", type=int, nargs="+", default=[20, 200], metavar="N")
    parser.add_argument("--runs", type=int, default=5, help="of which the median is shown")
    parser.add_argument("--spectra", action="store_true", help="count wrong results on hard spectra")
    options = parser.parse_args()
    if options.data is None and not options.spectra:
        parser.error("--data: the folder with warandpeace/ is needed, or --spectra")
    if options.spectra:
        counts = {name: outcomes(run) for name, run in methods().items() if name != "auto"}
        print(markdown(_COUNTS, [{"name": name, **found} for name, found in counts.items()]))
        return 0
    H = words(options.data / WAR_AND_PEACE)
    print(f"{H.shape[0]:,} x {H.shape[1]:,}, {H.nnz:,} entries")
    rows = [
        {"name": name, "n": n, "seconds": median_seconds(partial(run, H, n), options.runs)}
        for n in options.n_states
        for name, run in methods().items()
    ]
    print(markdown(_COLUMNS, rows))
    return 0


def words(path: Path) -> Any:
    """The Hankel block of the words of the first sentences, T = 3."""
    sentences = re.split(r"(?<=[.!?])\s+", path.read_text(encoding="utf-8-sig"))[:_SENTENCES]
    learner = SpectralLearner(max_length=3, n_states=5, svd="randomized")
    return learner.fit([sentence.split() for sentence in sentences]).blocks_.H


def methods() -> dict[str, Callable[[Any, int], Any]]:
    """What returns the singular values, the largest first."""
    ours = {name: partial(_ours, method=name) for name in ("auto", "lanczos", "randomized")}
    return {**ours, **{f"svds, {name}": partial(_scipys, solver=name) for name in ("arpack", "propack")}}


def _ours(H: Any, n: int, method: str) -> Any:
    return truncated_svd(H, n, method).singular_values


def _scipys(H: Any, n: int, solver: str) -> Any:
    side = H.shape[0] if solver == "propack" else min(H.shape)
    start = np.random.default_rng(0).standard_normal(side)
    most = min(*H.shape, max(4 * n, 300)) + 1 if solver == "propack" else None
    return svds(H, n, v0=start, solver=solver, maxiter=most)[1][::-1]


def outcomes(run: Callable[[Any, int], Any]) -> dict[str, int]:
    """How often the singular values of the spectra are right, wrong, and refused with an error."""
    counted = {"right": 0, "wrong": 0, "refused": 0}
    for matrix in spectra():
        exact = np.linalg.svd(matrix.toarray(), compute_uv=False)
        for n in (1, 2, 3, 5, 10, 29, 50, 100):
            try:
                values = run(matrix, n)
            except (ValueError, ArpackError, np.linalg.LinAlgError):
                counted["refused"] += 1
                continue
            found = np.zeros(n)
            found[: len(values)] = values  # those left out are zero
            is_right = np.abs(found - exact[:n]).max() <= 1e-10 * exact[0]
            counted["right" if is_right else "wrong"] += 1
    return counted


def spectra() -> Iterator[Any]:
    """Matrices with repeated singular values, a low rank, or counts as entries."""
    random = np.random.default_rng(0)
    for n_equal in (2, 3, 8, 20):
        values = np.repeat(np.linspace(5, 1, 400 // n_equal), n_equal)
        yield scipy.sparse.csr_array(scipy.sparse.diags(values))
        yield _with_values(values, (420, 410), random)
    yield scipy.sparse.csr_array(scipy.sparse.eye(300, 200))
    yield _with_values(np.r_[5, 5, 5, 4, 0.7 ** np.arange(100)], (200, 150), random)
    yield _with_values(np.ones(10), (400, 300), random)
    yield _with_values(np.linspace(2, 1, 10), (400, 300), random)
    yield scipy.sparse.csr_array(scipy.sparse.kron(scipy.sparse.eye(30), random.random((12, 13))))
    for shape, density in (((500, 400), 0.01), ((1000, 1000), 0.0012)):
        sparse = scipy.sparse.random(*shape, density, random_state=1, format="csr")
        sparse.data = random.integers(1, 4, sparse.nnz) / 64
        yield scipy.sparse.csr_array(sparse)


def _with_values(values: Any, shape: tuple[int, int], random: np.random.Generator) -> Any:
    left, right = (np.linalg.qr(random.standard_normal((side, len(values))))[0] for side in shape)
    return scipy.sparse.csr_array((left * values) @ right.T)


if __name__ == "__main__":
    raise SystemExit(main())
