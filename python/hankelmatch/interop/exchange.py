"""Automata for other programs, and from them: OpenFst's text format, Graphviz, PAutomaC's model files."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._utils.validation import check_type, checked_number, checked_whole, listed
from ..automata.automaton import WeightedAutomaton
from ..sequences.alphabet import check_alphabet
from ..sequences.corpus import Alphabet

__all__ = ["openfst_symbols", "read_pautomac_model", "to_dot", "to_openfst_text"]

_Floats = NDArray[np.float64]

_EPSILON = "<eps>"
_SUM_TOLERANCE = 1e-4  # PAutomaC's numbers are rounded
_MOST_WEIGHTS = 1 << 24  # 128 MB; the competition has up to 75 states and 23 symbols
_SECTIONS = {"I": 1, "F": 1, "S": 2, "T": 3}  # how many indices an entry has
_HEADER = re.compile(r"([IFST])\s*:\s*\(\s*state(?:\s*,\s*symbol)?(?:\s*,\s*state)?\s*\)")
_ENTRY = re.compile(r"\(\s*(\d{1,9}(?:\s*,\s*\d{1,9})*)\s*\)\s+(\S+)")


# ------------------------------------------------------------------------------------------------ OpenFst


def to_openfst_text(
    automaton: WeightedAutomaton,
    *,
    semiring: str = "log",
    threshold: float = 0.0,
    labels: Sequence[str] | None = None,
) -> str:
    """The automaton as a weighted acceptor in the text format of OpenFst.

    Parameters
    ----------
    automaton : WeightedAutomaton
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
    check_type("automaton", automaton, WeightedAutomaton, "a WeightedAutomaton")
    if semiring not in ("log", "real"):
        raise ValueError(f"semiring: {semiring!r} is unknown; choose 'log' or 'real'")
    threshold = checked_number("threshold", threshold)
    names = _openfst_labels(automaton.alphabet, labels)
    single = _with_one_start(automaton)
    arcs = [(i, j, names[a], w) for a, i, j, w in _entries(single.matrices, threshold)]
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
    if not by_state.get(single.start):  # the first line tells the start state
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
    names = _names(alphabet, labels)
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


def _names(alphabet: Alphabet, labels: Sequence[str] | None) -> list[str]:
    """A text for each symbol."""
    given = alphabet.labels if labels is None else listed("labels", labels, "a list of texts")
    names = [str(label) for label in given]
    if len(names) != len(alphabet):
        raise ValueError(f"labels: {len(names)} for {len(alphabet)} symbols; give one for each")
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


def _entries(matrices: Iterable[NDArray[Any]], threshold: float) -> Iterator[tuple[int, int, int, float]]:
    """Symbol, row, column and weight of every entry of more than some size."""
    for a, matrix in enumerate(matrices):
        rows, columns = np.nonzero(np.abs(matrix) > threshold)
        for i, j, w in zip(rows.tolist(), columns.tolist(), matrix[rows, columns].tolist(), strict=True):
            yield a, i, j, w


# ----------------------------------------------------------------------------------------------- Graphviz


def to_dot(
    automaton: WeightedAutomaton,
    *,
    threshold: float = 0.0,
    digits: int = 3,
    labels: Sequence[str] | None = None,
) -> str:
    """The automaton as a graph in the language of Graphviz.

    Parameters
    ----------
    automaton : WeightedAutomaton
    threshold : float
        Leave out transitions, initial and final weights up to this size.
    digits : int
        Significant digits of the weights, 1 to 17.
    labels : sequence of str, optional
        What to write for each symbol, by id; by default ``str(label)``.

    Returns
    -------
    str
        A node for each state with its number, initial and final weight; an edge between two states with a
        line for each symbol. ``dot -Tsvg`` draws it.

    Raises
    ------
    ValueError
        If there is not one label for each symbol, or `digits` is out of its range.
    TypeError
        If `automaton` is of another class.

    Examples
    --------
    >>> from hankelmatch import WeightedAutomaton, to_dot
    >>> coin = WeightedAutomaton([1.0], [0.25], {"a": [[0.5]], "b": [[0.25]]})
    >>> print(to_dot(coin), end="")
    digraph automaton {
      rankdir = LR;
      node [shape = circle];
      0 [label = "0\\nin 1\\nout 0.25", shape = doublecircle];
      0 -> 0 [label = "a: 0.5\\nb: 0.25"];
    }
    """
    check_type("automaton", automaton, WeightedAutomaton, "a WeightedAutomaton")
    digits = checked_whole("digits", digits, 1, 17)
    threshold = checked_number("threshold", threshold)
    names = _names(automaton.alphabet, labels)
    lines = ["digraph automaton {", "rankdir = LR;", "node [shape = circle];"]
    for i, (initial, final) in enumerate(zip(automaton.initial, automaton.final, strict=True)):
        parts = [("in", initial), ("out", final)]
        text = [str(i), *(f"{name} {w:.{digits}g}" for name, w in parts if abs(w) > threshold)]
        shape = ", shape = doublecircle" if abs(final) > threshold else ""
        lines.append(f"{i} [label = {_quoted(text)}{shape}];")
    edges: dict[tuple[int, int], list[str]] = {}
    for a, i, j, w in _entries(automaton.transitions, threshold):
        edges.setdefault((i, j), []).append(f"{names[a]}: {w:.{digits}g}")
    lines += [f"{i} -> {j} [label = {_quoted(text)}];" for (i, j), text in sorted(edges.items())]
    return "\n  ".join(lines) + "\n}\n"


def _quoted(lines: Sequence[str]) -> str:
    """Lines of text as one quoted string; line ends and control characters in a label become visible."""
    shown = ("".join(map(_visible, line)).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(shown) + '"'


def _visible(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


# ----------------------------------------------------------------------------------------------- PAutomaC


def read_pautomac_model(path: str | os.PathLike[str]) -> WeightedAutomaton:
    """Read a model file of the PAutomaC competition: a probabilistic automaton.

    The file has four sections, ``I: (state)``, ``F: (state)``, ``S: (state,symbol)`` and ``T:
    (state,symbol,state)``, each followed by lines as ``(0,1) 0.25``: the probabilities to begin in a state,
    to end there, to write a symbol there, and where that leads to. What is left out is zero.

    Parameters
    ----------
    path : str or os.PathLike
        The file.

    Returns
    -------
    WeightedAutomaton
        The probability of every string; labels are the numbers from 0 to the largest symbol, those of
        `read_spice`.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not in this format, or the probabilities do not add up to 1; the message names file and line
        or state.

    Notes
    -----
    The matrix of symbol a has (1 - F(q)) S(q, a) T(q, a, r) at (q, r) where the S of state q sum to 1, so
    that they are probabilities given that the string goes on; and S(q, a) T(q, a, r) where F(q) makes their
    sum 1.

    References
    ----------
    .. [1] S. Verwer, R. Eyraud, C. de la Higuera: PAutomaC: a probabilistic automata and hidden Markov models
       learning competition. Machine Learning 96 (2014).

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> lines = ["I: (state)", "\\t(0) 1.0", "F: (state)", "\\t(0) 0.2", "S: (state,symbol)", "\\t(0,0) 1.0"]
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "0.pautomac_model.txt")
    ...     _ = path.write_text("\\n".join([*lines, "T: (state,symbol,state)", "\\t(0,0,0) 1.0"]))
    ...     automaton = read_pautomac_model(path)
    >>> automaton([]), round(automaton([0, 0]), 9)
    (0.2, 0.128)
    """
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        sections = _read_sections(path, file)
    state_ids = [index[0] for name in _SECTIONS for index in sections[name]]
    n_states = 1 + max([*state_ids, *(index[2] for index in sections["T"])], default=-1)
    n_symbols = 1 + max((index[1] for name in "ST" for index in sections[name]), default=-1)
    if n_states**2 * n_symbols > _MOST_WEIGHTS:
        raise ValueError(f"{path}: {n_states} states and {n_symbols} symbols are too many to be kept dense")
    initial, final = (_filled(sections[name], (n_states,)) for name in "IF")
    writes = _filled(sections["S"], (n_states, n_symbols))
    leads = _filled(sections["T"], (n_states, n_symbols, n_states))
    _check_sum(path, "I", "all states", initial.sum())
    for q, a in np.argwhere(writes > 0):
        _check_sum(path, "T", f"state {q}, symbol {a}", leads[q, a].sum())
    weights = writes * _going_on(path, final, writes)[:, None]
    matrices = (weights[:, :, None] * leads).swapaxes(0, 1)
    return WeightedAutomaton(initial, final, matrices, Alphabet(range(n_symbols)))


def _going_on(path: str | os.PathLike[str], final: _Floats, writes: _Floats) -> _Floats:
    """What the probabilities to write a symbol are to be multiplied by in each state."""
    sums = writes.sum(axis=1)
    given_that = np.abs(sums - 1) <= _SUM_TOLERANCE
    in_all = np.abs(sums + final - 1) <= _SUM_TOLERANCE
    bad = np.flatnonzero(~(given_that | in_all))
    if len(bad):
        q = bad[0]
        raise ValueError(
            f"{path}: state {q}: its probabilities in section S add up to {sums[q]:.6g}, and with that in F "
            f"to {sums[q] + final[q]:.6g}; one of the two must be 1"
        )
    return np.where(in_all, 1.0, 1.0 - final)


def _read_sections(
    path: str | os.PathLike[str], lines: Iterable[str]
) -> dict[str, dict[tuple[int, ...], float]]:
    """The entries of each section by their indices."""
    sections: dict[str, dict[tuple[int, ...], float]] = {}
    current = ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        header = _HEADER.fullmatch(text)
        if header:
            current = header[1]
            if current in sections:
                raise ValueError(f"{path}: line {number}: section {current} is there twice")
            sections[current] = {}
        elif text:
            if not current:
                raise ValueError(f"{path}: line {number}: 'I: (state)' is needed, not {text[:60]!r}")
            index, probability = _read_entry(f"{path}: line {number}", current, text)
            if index in sections[current]:
                raise ValueError(f"{path}: line {number}: {index} is there twice in section {current}")
            sections[current][index] = probability
    missing = [name for name in _SECTIONS if name not in sections]
    if missing:
        raise ValueError(f"{path}: section {missing[0]} is missing; I, F, S and T are needed")
    return sections


def _read_entry(place: str, section: str, text: str) -> tuple[tuple[int, ...], float]:
    """The indices and the probability of a line."""
    entry = _ENTRY.fullmatch(text)
    index = tuple(map(int, entry[1].split(","))) if entry else ()
    if entry is None or len(index) != _SECTIONS[section]:
        form = "(" + ",".join("012"[: _SECTIONS[section]]) + ") 0.5"
        raise ValueError(f"{place}: an entry of section {section} as {form!r} is needed, not {text[:60]!r}")
    try:
        probability = float(entry[2])
    except ValueError:
        probability = math.nan
    if not 0 <= probability <= 1 + _SUM_TOLERANCE:
        raise ValueError(f"{place}: a probability from 0 to 1 is needed, not {entry[2]!r}")
    return index, probability


def _filled(entries: dict[tuple[int, ...], float], shape: tuple[int, ...]) -> _Floats:
    array = np.zeros(shape)
    for index, probability in entries.items():
        array[index] = probability
    return array


def _check_sum(path: str | os.PathLike[str], section: str, what: str, total: float) -> None:
    if abs(total - 1) > _SUM_TOLERANCE:
        raise ValueError(
            f"{path}: {what}: the probabilities in section {section} add up to {total:.6g}, not 1"
        )
