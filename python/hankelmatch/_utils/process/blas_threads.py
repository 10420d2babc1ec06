"""One thread for the BLAS of numpy and scipy where more would wait for one another."""

import contextlib
import ctypes
import functools
import importlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

# Floating-point operations below which one thread is used: 5 to 10 s of one core. Measured with
# `benchmarks.svd`: two idle cores take half the time at best; two that others use, ten times as long.
_WORTH_THREADS = 1e11
# OpenBLAS as wheels of numpy and scipy bring it, with 64- and 32-bit integers, and as systems have it.
_SYMBOLS = tuple(
    (f"{prefix}openblas_get_num_threads{suffix}", f"{prefix}openblas_set_num_threads{suffix}")
    for prefix in ("scipy_", "")
    for suffix in ("64_", "")
)

_LINKED = (("numpy", "numpy.linalg._umath_linalg"), ("scipy", "scipy.linalg._fblas"))  # with their BLAS

_lock = threading.Lock()
_n_inside = 0
_before: list[int] = []


@contextlib.contextmanager
def blas_threads_for(n_operations: float) -> Iterator[None]:
    """Within it BLAS uses one thread for work of few operations, and for more as many as it did.

    OpenBLAS splits products and factorizations of some ten thousand entries among all cores. Its threads wait
    for one another in a busy loop, so on cores that other programs use a small step takes as long as they
    are kept waiting. The number of threads belongs to the process: while one of its threads is inside, the
    others have one thread too; the last to leave restores the number. Any other BLAS is left as it is.
    """
    if n_operations >= _WORTH_THREADS:
        yield
        return
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _n_inside  # noqa: PLW0603 - it belongs to the process, as the number of threads does
    with _lock:
        if _n_inside == 0:
            _before[:] = [get_number() for get_number, _ in _controls()]
            for _, set_number in _controls():
                set_number(1)
        _n_inside += 1


def _leave() -> None:
    global _n_inside  # noqa: PLW0603
    with _lock:
        _n_inside -= 1
        if _n_inside == 0:
            for (_, set_number), number in zip(_controls(), _before, strict=True):
                set_number(number)


@functools.cache
def _controls() -> tuple[tuple[Callable[[], int], Callable[[int], object]], ...]:
    """For the OpenBLAS of numpy and that of scipy, what reads and what sets its number of threads."""
    found = (_control(package, module) for package, module in _LINKED)
    return tuple(control for control in found if control is not None)


def _control(package: str, module: str) -> tuple[Callable[[], int], Callable[[int], object]] | None:
    for path in _libraries(package, module):
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(str(path))
            for get_name, set_name in _SYMBOLS:
                if hasattr(library, get_name) and hasattr(library, set_name):
                    return getattr(library, get_name), getattr(library, set_name)
    return None


def _libraries(package: str, module: str) -> Iterator[Path]:
    """Files of which one leads to the BLAS; they are in the process already."""
    with contextlib.suppress(ImportError):
        if file := importlib.import_module(module).__file__:
            yield Path(file)  # where a symbol is looked up in what the library was linked with, too
            folder = next(p for p in Path(file).parents if p.name == package)
            yield from folder.with_name(f"{package}.libs").glob("*openblas*")  # on Windows it is not
