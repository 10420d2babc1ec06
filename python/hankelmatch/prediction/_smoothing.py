"""How an automaton's scores become probabilities: by the longest context alone, or by all lengths mixed."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._utils.process.blas_threads import blas_threads_for
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


def row_sums(rows: NDArray[Any]) -> NDArray[Any]:
    """The sum of each row; as a product it takes a fraction of numpy's own time where rows are short."""
    with blas_threads_for(2 * rows.size):
        return np.asarray(rows @ np.ones(rows.shape[1], rows.dtype))


class Occurrences(NamedTuple):
    """What scores say of one symbol after each of some contexts, in occurrences in the training text.

    Attributes
    ----------
    own : ndarray of float64, shape (n,)
        Of the symbol.
    total : ndarray of float64, shape (n,)
        Of all symbols.
    different : ndarray of float64, shape (n,)
        How many symbols occur, those counted in part that occur less than once.
    """

    own: Floats
    total: Floats
    different: Floats


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
        raised, total = self._raised(scores)
        if not self.is_mixed:
            return np.asarray(raised[-1] / total[-1])
        q = self._shortest(raised[0])
        weights = self._shorter_weights(_different(raised))
        for row, row_total, weight in zip(raised[1:], total[1:], weights[1:], strict=True):
            q = (row + weight * q) / (row_total + weight)
        return q

    def of_contexts(self, scores: NDArray[Any], shorter: Floats | None) -> Floats:
        """Distributions of contexts by their scores and the distributions of the next shorter contexts.

        Parameters
        ----------
        scores : ndarray, shape (n_contexts, n_symbols)
        shorter : ndarray, shape (n_contexts, n_symbols), or None
            None for the empty context, and where the longest context alone predicts.
        """
        raised, total = self._raised(scores)
        if not self.is_mixed:
            return np.asarray(raised / total[:, None])
        if shorter is None:
            return self._shortest(raised[0])[None]
        weight = self._shorter_weights(_different(raised))
        raised += weight[:, None] * shorter
        raised /= (total + weight)[:, None]
        return raised

    @property
    def scale(self) -> tuple[float, float | None]:
        """Ways to smooth in which this is equal have the same `occurrences`."""
        return self.floor, self.n_sequences

    def occurrences(self, scores: NDArray[Any], rows: NDArray[Any], symbols: NDArray[Any]) -> Occurrences:
        """Those of one symbol after each of some rows' contexts."""
        raised, total = self._raised(scores)
        return Occurrences(raised[rows, symbols], total[rows], _different(raised)[rows])

    def of_symbols(self, found: Occurrences, symbols: NDArray[Any], shorter: Floats | None) -> Floats:
        """As `of_contexts`, for one symbol after each of some contexts, from their `occurrences`."""
        if not self.is_mixed:
            return np.asarray(found.own / found.total)
        if shorter is None:
            counts = found.own + _SHORTEST_COUNT * self.is_predicted[symbols]
            return np.asarray(counts / (found.total + _SHORTEST_COUNT * np.count_nonzero(self.is_predicted)))
        weight = self._shorter_weights(found.different)
        return np.asarray((found.own + weight * shorter) / (found.total + weight))

    def _shorter_weights(self, different: Floats) -> Floats:
        """C t_w: how many occurrences the next shorter context is worth."""
        return np.asarray(min(self.mixing, _MOST_MIXING) * np.maximum(different, _LEAST_SEEN))

    def _raised(self, scores: NDArray[Any]) -> tuple[Floats, Floats]:
        """Scores raised to the floor, in occurrences, none for a start symbol; and their sums."""
        raised = np.maximum(scores, self.floor, dtype=np.float64)
        raised *= self.n_sequences or 1.0
        raised[:, ~self.is_predicted] = 0.0
        total = row_sums(raised)
        if not (np.isfinite(scores).all() and np.isfinite(total).all()):
            raise ValueError(
                "automaton: its values grow too large for floating point after this context; use a shorter "
                "window, or an automaton with fewer states"
            )
        return raised, total

    def _shortest(self, raised: Floats) -> Floats:
        """q_0 of the mixed contexts."""
        counts = raised + _SHORTEST_COUNT * self.is_predicted
        return counts / counts.sum()


def _different(raised: Floats) -> Floats:
    """How many symbols occur by each row of occurrences."""
    return row_sums(np.minimum(raised, 1.0))
