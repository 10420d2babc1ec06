"""What callers hand over where no class is asked for: whatever has what is needed."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from numpy.typing import ArrayLike


class GraphLike(Protocol):
    """What can be matched: a sparse matrix, of scipy or the package ``sparse``, or a prefix-suffix graph."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and of columns."""


class Matrix(GraphLike, Protocol):
    """A matrix, sparse or dense, that numpy's arrays can be multiplied by."""

    @property
    def T(self) -> Matrix:
        """The transpose."""


MatrixLike: TypeAlias = Matrix | ArrayLike


class Axes(Protocol):
    """Axes of matplotlib."""

    def plot(self, *args: object, **kwargs: object) -> object:
        """Draw lines."""


class Figure(Protocol):
    """What the functions of `hankelmatch.plot` use of ``matplotlib.figure.Figure``, which is optional."""

    def savefig(self, fname: object, /, **options: object) -> None:
        """Write the picture to a file."""
