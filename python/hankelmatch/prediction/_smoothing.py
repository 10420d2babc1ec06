"""How an automaton's scores become probabilities: by the longest context alone, or by all lengths mixed."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..sequences.alphabet import Alphabet

Contexts: TypeAlias = Literal["mixed", "longest"]
Floats: TypeAlias = NDArray[np.float64]

# Default floor: so many occurrences in the training text, shared by all symbols.
_SHARED_FLOOR = 0.25
_UNSCALED_FLOOR = 1e-7
_LEAST_SEEN = 1e-30  # so that a context after which nothing was seen predicts as the shorter one does
_MOST_MIXING = 1e200  # beyond it the shorter context alone predicts, and products overflow
_SHORTEST_COUNT = 0.5  # added to every symbol where no shorter context is left


def predicted_symbols(alphabet: Alphabet) -> NDArray[np.bool_]:
    """Which symbols can follow a context: all but a start symbol."""
    is_predicted = np.ones(len(alphabet), dtype=bool)
    if alphabet.start_id is not None:
        is_predicted[alphabet.start_id] = False
    return is_predicted


def shared_floor(occurrences: float, n_sequences: float, alphabet: Alphabet) -> float:
    """The floor of occurrences in the training text that are shared by all symbols that can be predicted."""
    return occurrences / (n_sequences * int(predicted_symbols(alphabet).sum()))


def default_floor(n_sequences: float | None, alphabet: Alphabet) -> float:
    """The floor where none is given; the number of sequences may be unknown."""
    return _UNSCALED_FLOOR if n_sequences is None else shared_floor(_SHARED_FLOOR, n_sequences, alphabet)


@dataclass(frozen=True, eq=False)
class Smoothing:
    """The formulas of `LanguageModel`, which has them in its Notes; its options are checked there.

    Attributes
    ----------
    contexts : {"mixed", "longest"}
    floor : float
    mixing : float
        C.
    n_sequences : float or None
        N; None, for longest contexts alone, leaves scores as they are.
    is_predicted : ndarray of bool, shape (n_symbols,)
        False for a start symbol.
    """

    contexts: Contexts
    floor: float
    mixing: float
    n_sequences: float | None
    is_predicted: NDArray[np.bool_]

    @property
    def is_mixed(self) -> bool:
        """Whether shorter contexts count too."""
        return self.contexts == "mixed"

    def of_lengths(self, scores: NDArray[Any]) -> Floats:
        """One distribution from the scores after the last 0, 1, 2, ... symbols.

        Parameters
        ----------
        scores : ndarray, shape (n_lengths, n_symbols)
            The longest context's come last; no others are needed where it alone predicts.
        """
        raised = self._raised(scores)
        if not self.is_mixed:
            return raised[-1] / raised[-1].sum()
        q = self._shortest(raised[0])
        for row, weight in zip(raised[1:], self.shorter_weights(raised[1:]), strict=True):
            q = (row + weight * q) / (row.sum() + weight)
        return q

    def of_contexts(self, scores: NDArray[Any], shorter: Floats | None) -> Floats:
        """Distributions of contexts by their scores and the distributions of the next shorter contexts.

        Parameters
        ----------
        scores : ndarray, shape (n_contexts, n_symbols)
        shorter : ndarray, shape (n_contexts, n_symbols), or None
            None for the empty context, and where the longest context alone predicts.
        """
        raised = self._raised(scores)
        if not self.is_mixed:
            return raised / raised.sum(axis=1, keepdims=True)
        if shorter is None:
            return self._shortest(raised[0])[None]
        total = raised.sum(axis=1, keepdims=True)
        weight = self.shorter_weights(raised)[:, None]
        raised += weight * shorter
        raised /= total + weight
        return raised

    def of_symbols(
        self, scores: NDArray[Any], rows: NDArray[Any], symbols: NDArray[Any], shorter: Floats | None
    ) -> Floats:
        """As `of_contexts`, for one symbol after each of some rows' contexts."""
        raised = self._raised(scores)
        total = raised.sum(axis=1)[rows]
        if not self.is_mixed:
            return raised[rows, symbols] / total
        if shorter is None:
            return self._shortest(raised[0])[symbols]
        weight = self.shorter_weights(raised)[rows]
        return (raised[rows, symbols] + weight * shorter) / (total + weight)

    def shorter_weights(self, raised: Floats) -> Floats:
        """C t_w: how many occurrences the next shorter context is worth, for every row of F_w."""
        different = np.minimum(raised, 1.0).sum(axis=1)
        return min(self.mixing, _MOST_MIXING) * np.maximum(different, _LEAST_SEEN)

    def _raised(self, scores: NDArray[Any]) -> Floats:
        """Scores raised to the floor, in occurrences; none for a start symbol."""
        raised = np.maximum(scores, self.floor, dtype=np.float64)
        raised *= self.n_sequences or 1.0
        raised[:, ~self.is_predicted] = 0.0
        if not (np.isfinite(scores).all() and np.isfinite(raised.sum(axis=1)).all()):
            raise ValueError(
                "automaton: its values grow too large for floating point after this context; use a shorter "
                "window, or an automaton with fewer states"
            )
        return raised

    def _shortest(self, raised: Floats) -> Floats:
        """q_0 of the mixed contexts."""
        counts = raised + _SHORTEST_COUNT * self.is_predicted
        return counts / counts.sum()
