"""Every function on matchings against trying everything; see brute_force.py for longer runs."""

import numpy as np
import pytest

from .brute_force import CHECKS


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_brute_force_agrees(name):
    for i in range(150):
        CHECKS[name](np.random.default_rng([1, i]))
