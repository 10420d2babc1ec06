"""Numbers brought to a size at which their squares neither underflow nor overflow."""

import numpy as np
from numpy.typing import NDArray


def scaled(entries: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """The entries divided by 2^exponent, so that the largest is about 1, and the exponent.

    A power of two changes no digit.
    """
    exponent = int(np.frexp(np.abs(entries).max(initial=0.0))[1])
    return np.ldexp(entries, -exponent), exponent
