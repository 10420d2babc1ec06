"""The checks of brute_force.py on graphs that hypothesis draws, and makes small where one fails."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .brute_force import CHECKS


class DrawnNumbers:
    """What the checks ask of a numpy Generator; hypothesis decides."""

    def __init__(self, data):
        self._data = data

    def _draw(self, strategy, size):
        if size is None:
            return self._data.draw(strategy)
        n = int(np.prod(size))
        return np.array(self._data.draw(st.lists(strategy, min_size=n, max_size=n))).reshape(size)

    def integers(self, low, high=None, size=None):
        low, high = (0, low) if high is None else (low, high)
        found = self._draw(st.integers(int(low), int(high) - 1), size)
        return found if size is None else found.astype(np.int64)

    def random(self, size=None):
        return self._draw(st.floats(0, 1, exclude_max=True), size)

    def uniform(self, low, high):
        return self._draw(st.floats(low, high), None)

    def normal(self, size=None):
        return self._draw(st.floats(-4, 4), size)

    def choice(self, values, size=None, replace=True):
        if size is None:
            return self._data.draw(st.sampled_from(values))
        assert not replace
        return np.array(self._data.draw(st.permutations(range(values)))[:size], np.int64)


@pytest.mark.parametrize("name", CHECKS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_functions_agree_with_trying_everything(name, data):
    CHECKS[name](DrawnNumbers(data))
