"""What texts of automata share: a text for each symbol, and the entries of the matrices."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.validation import check_type, listed
from ..automata.automaton import WeightedAutomaton
from ..prediction.distributions.probabilistic_automaton import ProbabilisticAutomaton
from ..sequences.alphabet import Alphabet


def as_weighted(automaton: WeightedAutomaton | ProbabilisticAutomaton) -> WeightedAutomaton:
    """The automaton with weights, of either class.

    Raises
    ------
    TypeError
        If it is of another class.
    """
    if isinstance(automaton, ProbabilisticAutomaton):
        return automaton.to_weighted()
    check_type("automaton", automaton, WeightedAutomaton, "a WeightedAutomaton")
    return automaton


def symbol_names(alphabet: Alphabet, labels: Sequence[str] | None) -> list[str]:
    """A text for each symbol."""
    given = alphabet.labels if labels is None else listed("labels", labels, "a list of texts")
    names = [str(label) for label in given]
    if len(names) != len(alphabet):
        raise ValueError(f"labels: {len(names)} for {len(alphabet)} symbols; give one for each")
    return names


def entries_above(
    matrices: Iterable[NDArray[Any]], threshold: float
) -> Iterator[tuple[int, int, int, float]]:
    """Symbol, row, column and weight of every entry of more than some size."""
    for a, matrix in enumerate(matrices):
        rows, columns = np.nonzero(np.abs(matrix) > threshold)
        for i, j, w in zip(rows.tolist(), columns.tolist(), matrix[rows, columns].tolist(), strict=True):
            yield a, i, j, w
