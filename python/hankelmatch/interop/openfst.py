"""Automata as OpenFst's text format."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.validation import check_choice, checked_number
from ..automata.automaton import WeightedAutomaton
from ..prediction.distributions.probabilistic_automaton import ProbabilisticAutomaton
from ..sequences.alphabet import Alphabet, check_alphabet
from ._automaton_text import as_weighted, entries_above, symbol_names

_EPSILON = "<eps>"


def to_openfst_text(
    automaton: WeightedAutomaton | ProbabilisticAutomaton,
    *,
    semiring: str = "log",
    threshold: float = 0.0,
    labels: Sequence[str] | None = None,
) -> str:
    """The automaton as a weighted acceptor in the text format of OpenFst.

    Parameters
    ----------
    automaton : WeightedAutomaton or ProbabilisticAutomaton
    semiring : {"log", "real"}
        What the weights are: minus their natural logarithms, as OpenFst's arc types "log" and "log64" have
        them, in which none may be negative; or the weights as they are, for programs with real weights. The
        automata of `learn_automaton` have negative weights as a rule.
    threshold : float
        Leave out transitions and final weights up to this size.
    labels : sequence of str, optional
        What to write for each symbol, by id; by default ``str(label)``.

    Returns
    -------
    str
        A line ``source target label weight`` for each transition and ``state weight`` for each final state,
        the start state's first. Compile it with ``fstcompile --acceptor --arc_type=log64
        --isymbols=symbols.txt``, and the text of `openfst_symbols`.

    Raises
    ------
    ValueError
        If a weight is negative in the log semiring, or a label is empty, has blanks, occurs twice or is
        ``<eps>``; there `labels` helps.
    TypeError
        If `automaton` is of another class.

    Notes
    -----
    OpenFst has one start state and no initial weights. Where the initial weights are not 1 for one state and
    0 for the others, state 0 is a new one, whose transitions are those of the initial weights; there are no
    epsilon transitions. The weight of a string is its value.

    Examples
    --------
    >>> from hankelmatch import WeightedAutomaton, to_openfst_text
    >>> coin = WeightedAutomaton([1.0], [0.25], {"a": [[0.5]], "b": [[0.25]]})
    >>> print(to_openfst_text(coin, semiring="real"), end="")
    0 0 a 0.5
    0 0 b 0.25
    0 0.25
    """
    automaton = as_weighted(automaton)
    check_choice("semiring", semiring, ("log", "real"))
    threshold = checked_number("threshold", threshold)
    names = _openfst_labels(automaton.alphabet, labels)
    single = _with_one_start(automaton)
    arcs = [(i, j, names[a], w) for a, i, j, w in entries_above(single.matrices, threshold)]
    finals = [(i, w) for i, w in enumerate(single.final.tolist()) if abs(w) > threshold]
    weights = [w for *_, w in arcs] + [w for _, w in finals]
    if semiring == "log" and min(weights, default=0.0) < 0:
        n_negative = sum(w < 0 for w in weights)
        raise ValueError(
            f"automaton: {n_negative} of its {len(weights)} weights are negative, and have no logarithm; "
            "use semiring='real'"
        )
    shown = (lambda w: repr(-math.log(w) + 0.0)) if semiring == "log" else repr
    order = sorted(range(single.n_states), key=lambda i: i != single.start)  # the start state's come first
    by_state: dict[int, list[str]] = {i: [] for i in order}
    for i, j, name, w in arcs:
        by_state[i].append(f"{i} {j} {name} {shown(w)}\n")
    for i, w in finals:
        by_state[i].append(f"{i} {shown(w)}\n")
    if not by_state.get(single.start):  # OpenFst takes the first line's state as the start state
        by_state[single.start] = [f"{single.start} {shown(0.0) if semiring == 'real' else 'Infinity'}\n"]
    return "".join(line for i in order for line in by_state[i])


def openfst_symbols(alphabet: Alphabet, labels: Sequence[str] | None = None) -> str:
    """The symbol table that goes with `to_openfst_text`: a label and a number from 1 a line, 0 is epsilon.

    Parameters
    ----------
    alphabet : Alphabet
        That of the automaton.
    labels : sequence of str, optional
        As for `to_openfst_text`.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If a label cannot stand there, see `to_openfst_text`.

    Examples
    --------
    >>> from hankelmatch import Alphabet, openfst_symbols
    >>> print(openfst_symbols(Alphabet("ab")), end="")
    <eps> 0
    a 1
    b 2
    """
    check_alphabet(alphabet)
    names = [_EPSILON, *_openfst_labels(alphabet, labels)]
    return "".join(f"{name} {i}\n" for i, name in enumerate(names))


def _openfst_labels(alphabet: Alphabet, labels: Sequence[str] | None) -> list[str]:
    names = symbol_names(alphabet, labels)
    for name in names:
        if name == _EPSILON or name.split() != [name] or not name.isprintable():
            raise ValueError(
                f"labels: {name!r} cannot stand in OpenFst's text: no blanks or control "
                f"characters, not empty, not {_EPSILON}; "
                "give labels that can, one for each symbol"
            )
    if len(set(names)) < len(names):
        raise ValueError("labels: two symbols have the same text; give labels that differ")
    return names


@dataclass(frozen=True)
class _OneStart:
    """An automaton whose initial weights are 1 for its start state and 0 for all others."""

    start: int
    final: NDArray[Any]
    matrices: Iterable[NDArray[Any]]

    @property
    def n_states(self) -> int:
        return len(self.final)


def _with_one_start(automaton: WeightedAutomaton) -> _OneStart:
    """With a new state in front, unless there is one start state already."""
    starts = np.flatnonzero(automaton.initial)
    if len(starts) == 1 and automaton.initial[starts[0]] == 1.0:
        return _OneStart(int(starts[0]), automaton.final, automaton.transitions)
    final = np.append(automaton.initial @ automaton.final, automaton.final)
    return _OneStart(0, final, (_with_new_state(automaton, a) for a in range(automaton.n_symbols)))


def _with_new_state(automaton: WeightedAutomaton, symbol: int) -> NDArray[Any]:
    """The matrix of a symbol, below the row of a new first state that does what the initial weights do."""
    first = automaton.apply(automaton.initial[None], symbol)
    rows = np.concatenate([first, automaton.transitions[symbol]])
    return np.concatenate([np.zeros((len(rows), 1), rows.dtype), rows], axis=1)
