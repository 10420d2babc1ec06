"""How many threads BLAS uses."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hankelmatch import truncated_svd
from hankelmatch._utils.process import blas_threads
from hankelmatch._utils.process.blas_threads import blas_threads_for


@pytest.fixture
def numbers(monkeypatch):
    """The numbers of threads of two libraries that stand for those of numpy and scipy."""
    numbers = [8, 4]

    def control(i):
        return lambda: numbers[i], lambda number: numbers.__setitem__(i, number)

    monkeypatch.setattr(blas_threads, "_controls", lambda: (control(0), control(1)))
    return numbers


def test_little_work_has_one_thread_and_much_work_all(numbers):
    with blas_threads_for(0):
        assert numbers == [1, 1]
    assert numbers == [8, 4]
    with blas_threads_for(1e15):
        assert numbers == [8, 4]


def test_the_number_comes_back_after_an_error_and_after_the_outermost_only(numbers):
    def fail():
        with blas_threads_for(0):
            with blas_threads_for(0):
                pass
            assert numbers == [1, 1]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert numbers == [8, 4]


def test_the_number_comes_back_when_the_last_of_many_threads_leaves(numbers):
    everyone_is_inside = threading.Barrier(4)
    seen = []

    def work():
        for _ in range(200):
            with blas_threads_for(0):
                everyone_is_inside.wait(60)
                seen.append(tuple(numbers))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(seen) == {(1, 1)}
    assert len(seen) == 800
    assert numbers == [8, 4]


def test_a_decomposition_has_one_thread_and_leaves_the_number_as_it_was(numbers, monkeypatch):
    seen = []
    svd = np.linalg.svd

    def watched(*arguments, **options):
        seen.append(tuple(numbers))
        return svd(*arguments, **options)

    monkeypatch.setattr(np.linalg, "svd", watched)
    truncated_svd(np.eye(5), 3, "dense")
    assert (seen, numbers) == ([(1, 1)], [8, 4])


HAS_WHEELS = all((Path(np.__file__).parents[1] / f"{name}.libs").is_dir() for name in ("numpy", "scipy"))


@pytest.mark.skipif(not HAS_WHEELS, reason="numpy or scipy did not come with an OpenBLAS of its own")
def test_the_libraries_in_wheels_are_found_both_ways():
    assert len(blas_threads._controls()) == 2
    for package, module in blas_threads._LINKED:
        ways = list(blas_threads._libraries(package, module))
        assert len(ways) >= 2, "the module, and the library beside the package"


PROGRAM = """
import numpy as np
from hankelmatch._utils.process.blas_threads import _controls, blas_threads_for
for _, set_number in _controls():
    set_number(2)
with blas_threads_for(0):
    print([get_number() for get_number, _ in _controls()])
print([get_number() for get_number, _ in _controls()])
"""


@pytest.mark.skipif(not HAS_WHEELS, reason="numpy or scipy did not come with an OpenBLAS of its own")
def test_openblas_itself_heeds_it():
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True)
    inside, outside = done.stdout.splitlines()
    assert inside == "[1, 1]"
    assert outside in ("[2, 2]", "[1, 1]")  # a machine may have a single core
