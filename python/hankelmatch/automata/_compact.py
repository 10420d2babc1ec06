"""A small form of automata from Hankel blocks: the blocks and the two thin factors that make the matrices.

A_a = F+ H_a B has n^2 entries for each symbol, while H_a is sparse, and F+ and B have n entries for each row
and column of the block. So a file of the blocks, as they are, and of the factors, in 16 bits, is smaller, the
more symbols there are. What it gives back differs by the rounding of the factors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array

from .._utils.scaling import scaled
from ..hankel.blocks import SymbolBlocks
from ._transitions import Transitions

_STEPS = 32_000  # of the 16 bits, on each side of 0


@dataclass(frozen=True, eq=False)
class HankelFactors:
    """What transition matrices were made from.

    Attributes
    ----------
    left : ndarray of float64, shape (n_prefixes, n)
        Left singular vectors.
    divisors : ndarray of float64, shape (n,)
        F+ transposed is `left` divided by them: the singular values, shrunk or not.
    right : ndarray of float64, shape (n_suffixes, n)
        B.
    blocks : SymbolBlocks
        Every H_a.
    """

    left: NDArray[np.float64]
    divisors: NDArray[np.float64]
    right: NDArray[np.float64]
    blocks: SymbolBlocks

    def truncate(self, n_states: int) -> HankelFactors:
        """The factors of the leading states."""
        n = n_states
        return HankelFactors(self.left[:, :n], self.divisors[:n], self.right[:, :n], self.blocks)

    @property
    def nbytes(self) -> int:
        """About how many bytes the arrays of `to_arrays` take."""
        entries = self.blocks.matrix
        return 2 * (self.left.size + self.right.size) + 8 * entries.nnz + 12 * len(self.blocks.rows)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """For a file. Values are divided by a power of two, and so are divisors: float32 ends at 1e38."""
        matrix = self.blocks.matrix
        values, exponent = scaled(matrix.data)
        left, left_steps = _in_steps(self.left)
        right, right_steps = _in_steps(self.right)
        return {
            "compact_left": left,
            "compact_left_steps": left_steps / np.ldexp(self.divisors, -exponent),
            "compact_right": right,
            "compact_right_steps": right_steps,
            "compact_offsets": self.blocks.offsets,
            "compact_rows": _small(self.blocks.rows),
            "compact_row_sizes": _small(np.diff(matrix.indptr)),
            "compact_columns": _small(matrix.indices),
            "compact_values": values.astype(np.float32),
        }

    @staticmethod
    def is_in(arrays: Mapping[str, NDArray[Any]]) -> bool:
        """Whether arrays of a file are those of `to_arrays`."""
        return "compact_left" in arrays

    @staticmethod
    def transitions(arrays: Mapping[str, NDArray[Any]], dtype: DTypeLike) -> Transitions:
        """The matrices of the arrays of `to_arrays`."""
        left = arrays["compact_left"] * arrays["compact_left_steps"]
        right = arrays["compact_right"] * arrays["compact_right_steps"]
        indptr = np.concatenate([[0], np.cumsum(arrays["compact_row_sizes"], dtype=np.int64)])
        parts = (
            arrays["compact_values"].astype(np.float64),
            arrays["compact_columns"].astype(np.int64),
            indptr,
        )
        rows, offsets = arrays["compact_rows"].astype(np.int64), arrays["compact_offsets"]
        if left.shape[1] != right.shape[1] or len(rows) != len(indptr) - 1 or offsets[-1] != len(rows):
            raise ValueError("its factors do not fit its blocks")
        matrix = csr_array(parts, shape=(len(rows), len(right)))
        matrix.check_format()
        blocks = SymbolBlocks(offsets=offsets, rows=rows, matrix=matrix, n_prefixes=len(left))
        return Transitions.from_hankel(blocks, left, right, dtype)


def _in_steps(columns: NDArray[np.float64]) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Columns in whole steps, and the step of each."""
    steps = np.abs(columns).max(axis=0, initial=0.0) / _STEPS
    steps[steps == 0] = 1.0
    return np.rint(columns / steps).astype(np.int16), steps


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers from 0 in the smallest type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
