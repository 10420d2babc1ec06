"""A matrix for the command to match."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse


def write_matrix(path: Path) -> scipy.sparse.coo_array:
    rng = np.random.default_rng(0)
    matrix = scipy.sparse.random_array((40, 50), density=0.04, rng=rng, format="coo")
    with open(path, "wb") as file:
        scipy.io.mmwrite(file, matrix)
    return matrix
