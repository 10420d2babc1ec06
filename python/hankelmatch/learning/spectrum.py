"""The automata to try: an SVD that grows with the number of states, and shrinkage that costs little.

Shrunk automata are not learned anew: with F+ = (D + s)^-1 U' every row of a transition matrix, and every
final weight, is d / (d + s) times what it is without shrinkage.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.process.blas_threads import blas_threads_for
from .._utils.progress import Progress
from ..automata.automaton import WeightedAutomaton
from ..automata.recovery import learn_automaton
from ..automata.svd import TruncatedSVD
from ..hankel.blocks import HankelBlocks
from .stages import Setting, factorize

_FIRST_TRIPLETS = 128  # of a large block; then four times as many up to _MANY_TRIPLETS, then twice
_MANY_TRIPLETS = 1024
_FULL_SIDE = 1000  # up to this side of the block all triplets are computed at once
_NEARLY_FULL_SIDE = 2000  # and at the second time
_MOST_BYTES = 2 << 30  # an automaton larger than that is tried only if max_states allows it


@dataclass
class Spectrum:
    """The SVD of the blocks, of which more is computed when more states are asked for.

    Attributes
    ----------
    blocks : HankelBlocks
    setting : Setting
    dtype
        Of the automata.
    most : int or None
        The most states to try; None: as many as there are, while an automaton takes no more than 2 GiB.
    progress : Progress
        Gets the stage "svd" of each computation.
    """

    blocks: HankelBlocks
    setting: Setting
    dtype: Any
    most: int | None
    progress: Progress
    svd: TruncatedSVD = field(init=False)
    limited_by: str = field(init=False)
    _automaton: WeightedAutomaton | None = field(init=False, default=None)
    _is_whole: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        shortest = min(self.blocks.H.shape)
        affordable = shortest if self.most is not None else self._affordable(shortest)
        self._most = min(shortest, affordable if self.most is None else self.most)
        self.limited_by = (
            "rank" if self._most == shortest else "memory" if self.most is None else "max_states"
        )
        self._factorize(self._most if shortest <= _FULL_SIDE else min(self._most, _FIRST_TRIPLETS))

    def _affordable(self, shortest: int) -> int:
        """The most states with which the matrices of all symbols take no more memory than they may."""
        n_rows = np.diff(self.blocks.H_sigma.offsets).astype(np.float64)
        n = shortest
        while (
            n > 1
            and np.minimum(float(n) * n, 2.0 * n * n_rows).sum() * np.dtype(self.dtype).itemsize > _MOST_BYTES
        ):
            n = int(n * 0.9)
        return n

    def _factorize(self, n_wanted: int) -> None:
        self._automaton = None  # its memory is needed
        is_all = n_wanted >= min(self.blocks.H.shape)
        self.svd = factorize(self.blocks, None if is_all else n_wanted, self.setting, self.progress)
        self._is_whole = is_all or n_wanted >= self._most or self.svd.n_states < n_wanted
        if self.svd.n_states < n_wanted or (is_all and self.limited_by != "rank"):
            self._most, self.limited_by = min(self._most, self.svd.n_states), "rank"

    def most_states(self) -> int:
        """The most states that can be asked for, as far as it is known."""
        return min(self._most, self.svd.n_states) if self._is_whole else self._most

    def needs_svd(self, n_states: int) -> bool:
        """Whether so many states take more triplets than have been computed."""
        return n_states > self.svd.n_states and not self._is_whole

    def automaton(self, n_states: int) -> WeightedAutomaton:
        """The automaton of the leading states, without shrinkage; of fewer where the rank is lower."""
        if self.needs_svd(n_states):
            shortest = min(self.blocks.H.shape)
            more = min(4 * self.svd.n_states, max(_MANY_TRIPLETS, 2 * self.svd.n_states))
            wanted = shortest if shortest <= _NEARLY_FULL_SIDE else more
            self._factorize(min(self._most, max(wanted, n_states)))
        if self._automaton is None:
            self._automaton = learn_automaton(self.blocks, svd=self.svd, dtype=self.dtype)
        return self._automaton.truncate(min(n_states, self._automaton.n_states))


class Damped:
    """An automaton as `learn_automaton` would have learned it with shrinkage, for evaluation.

    Parameters
    ----------
    automaton : WeightedAutomaton
        The leading part of one that was learned without.
    singular_values : ndarray
        Of its block, as many as it has states.
    shrinkage : float
        In the unit of the function.
    """

    def __init__(
        self, automaton: WeightedAutomaton, singular_values: NDArray[np.float64], shrinkage: float
    ) -> None:
        self._automaton = automaton
        self.factors = (singular_values / (singular_values + shrinkage)).astype(automaton.dtype)
        final = automaton.final * self.factors
        self._next_weights = automaton.transitions.times_final(final) * self.factors[:, None]
        self.initial, self.dtype = automaton.initial, automaton.dtype
        self.n_states, self.n_symbols = automaton.n_states, automaton.n_symbols

    def apply(self, states: NDArray[np.floating], symbol: int) -> NDArray[np.floating]:
        """States after one more symbol."""
        return self._automaton.apply(states * self.factors, symbol)

    def next_values(self, states: NDArray[np.floating]) -> NDArray[np.floating]:
        """Value of every one-symbol continuation."""
        with blas_threads_for(2 * len(states) * self._next_weights.size):
            return np.asarray(states @ self._next_weights)


def shrinkage_in_function(shrinkage: float, blocks: HankelBlocks) -> float:
    """A shrinkage in occurrences, in the unit of the function."""
    assert blocks.n_sequences is not None  # the count refuses it
    return min(shrinkage / blocks.n_sequences, float(np.finfo(float).max))  # weights may be tiny
