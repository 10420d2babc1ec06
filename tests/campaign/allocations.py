"""The k-th small allocation of a call fails, k = 1, 2, ...: it raises MemoryError, and works afterwards."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator

import numpy as np

from ._calls import calls
from ._preload import library, outcome_of_child

CASES = 4_000  # 500 for each of eight calls
SECONDS = 60


def attack(seed: int, count: int) -> Iterator[str]:
    """Let allocations fail in forks of this process."""
    fail = library().fail_allocation
    made = calls()
    for call in made.values():
        call()  # what is made once is there
    names = list(made)
    rng = np.random.default_rng(seed)
    for case in range(count):
        name = names[case % len(names)]
        k = int(rng.integers(1, 60)) if case % 2 else int(10 ** rng.uniform(0, 4))
        outcome = outcome_of_child(lambda call=made[name], k=k: survives(call, fail, k), SECONDS)
        if outcome:
            yield f"case {case}: allocation {k} of {name}: {outcome}"


def survives(call: Callable[[], object], fail: Callable[[int], None], k: int) -> bool:
    """Whether a call whose k-th allocation fails raises MemoryError or nothing, and works after that."""
    try:
        fail(k)
        call()
    except MemoryError:
        pass
    except SystemError as error:
        if not is_numpys(error):  # its functions may fail without saying why
            raise
    finally:
        fail(0)
    call()
    return True


def is_numpys(error: BaseException) -> bool:
    """Whether a function of numpy raised it."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return "numpy" in frame.f_code.co_filename or "numpy" in str(error)
