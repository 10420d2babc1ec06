"""The PAutomaC competition's files: its sequences, and its probabilistic automata."""

import math
import os
import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .._utils.files import checked_path, write_atomically
from .._utils.validation import check_type
from ..automata.automaton import WeightedAutomaton
from ..prediction.distributions.probabilistic_automaton import ProbabilisticAutomaton
from ..sequences.alphabet import Alphabet
from .spice import read_spice

_Floats = NDArray[np.float64]

_SUM_TOLERANCE = 1e-4  # PAutomaC's numbers are rounded
_MOST_WEIGHTS = 1 << 24  # 128 MB; the competition has up to 75 states and 23 symbols
_SECTIONS = {"I": 1, "F": 1, "S": 2, "T": 3}  # how many indices an entry has
_HEADER = re.compile(r"([IFST])\s*:\s*\(\s*state(?:\s*,\s*symbol)?(?:\s*,\s*state)?\s*\)")
_ENTRY = re.compile(r"\(\s*(\d{1,9}(?:\s*,\s*\d{1,9})*)\s*\)\s+(\S+)")

read_pautomac = read_spice  # SPiCe took over PAutomaC's format of sequences


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
        The probability of each string; labels are the numbers from 0 to the largest symbol, those of
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
    sum 1. Where both hold but for the rounding of 1e-4 that is allowed, what holds more nearly is taken.
    Sums are then made exactly 1, so `ProbabilisticAutomaton.from_weighted` takes the result.

    The automaton knows no end symbol, but `read_pautomac` puts one at the end of every string: leave it out,
    ``automaton(string[:-1])``, or the value is 0. `pautomac_perplexity` and `ProbabilisticAutomaton` do so by
    themselves.

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
    with open(checked_path(path), encoding="utf-8-sig", errors="replace") as file:
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
    totals = leads.sum(axis=2, keepdims=True)
    leads = np.divide(leads, totals, out=np.zeros_like(leads), where=totals > 0)
    final, weights = _outcomes(path, final, writes)
    matrices = (weights[:, :, None] * leads).swapaxes(0, 1)
    return WeightedAutomaton(initial / initial.sum(), final, matrices, Alphabet(range(n_symbols)))


def _outcomes(path: str | os.PathLike[str], final: _Floats, writes: _Floats) -> tuple[_Floats, _Floats]:
    """The probabilities of each state to end and to write each symbol, which sum to 1."""
    sums = writes.sum(axis=1)
    off_given_that, off_in_all = np.abs(sums - 1), np.abs(sums + final - 1)
    bad = np.flatnonzero(np.minimum(off_given_that, off_in_all) > _SUM_TOLERANCE)
    if len(bad):
        q = bad[0]
        raise ValueError(
            f"{path}: state {q}: its probabilities in section S add up to {sums[q]:.6g}, and with that in F "
            f"to {sums[q] + final[q]:.6g}; one of the two must be 1"
        )
    given_that = off_given_that <= off_in_all
    going_on = np.divide(1 - final, sums, out=np.zeros_like(sums), where=sums > 0)
    factors = np.where(given_that, going_on, 1 / (sums + final))
    return np.where(given_that, final, final * factors), writes * factors[:, None]


def write_pautomac_model(
    automaton: ProbabilisticAutomaton | WeightedAutomaton, path: str | os.PathLike[str]
) -> None:
    """Write a probabilistic automaton as a model file of the PAutomaC competition.

    Parameters
    ----------
    automaton : ProbabilisticAutomaton or WeightedAutomaton
        One whose weights are probabilities. Symbols are written by their ids.
    path : str or os.PathLike
        File to create or replace; it is written whole or not at all.

    Returns
    -------
    None
        `read_pautomac_model` gives the automaton back, to rounding, with the labels 0, 1, 2, ....

    Raises
    ------
    ValueError
        If a weight is no probability.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hankelmatch import ProbabilisticAutomaton, read_pautomac_model, write_pautomac_model
    >>> coin = ProbabilisticAutomaton([1.0], [0.5], [[[0.25]], [[0.25]]])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "0.pautomac_model.txt")
    ...     write_pautomac_model(coin, path)
    ...     read_pautomac_model(path)([1, 0])
    0.03125
    """
    if not isinstance(automaton, ProbabilisticAutomaton):
        check_type("automaton", automaton, WeightedAutomaton, "a ProbabilisticAutomaton")
        automaton = ProbabilisticAutomaton.from_weighted(automaton)
    _, final, transitions = automaton.parameters
    written = transitions.sum(axis=2).T  # states, symbols
    going_on = written.sum(axis=1, keepdims=True)
    writes = np.divide(written, going_on, out=np.zeros_like(written), where=going_on > 0)
    leads = np.divide(
        transitions, written.T[:, :, None], out=np.zeros_like(transitions), where=written.T[:, :, None] > 0
    ).swapaxes(0, 1)
    lines = ["I: (state)", *_entry_lines(automaton.initial), "F: (state)"]
    lines += [
        f"\t({q}) {p!r}" for q, p in enumerate(final.tolist())
    ]  # all of them: they show how many states
    lines += ["S: (state,symbol)", *_entry_lines(writes)]
    if automaton.n_symbols and not writes[:, -1].any():
        lines.append(f"\t(0,{automaton.n_symbols - 1}) 0.0")  # it shows how many symbols
    lines += ["T: (state,symbol,state)", *_entry_lines(leads)]
    with write_atomically(path) as file:
        file.write(("\n".join(lines) + "\n").encode("ascii"))


def _entry_lines(array: _Floats) -> list[str]:
    """A line for each entry that is not 0."""
    places = np.argwhere(array)
    values = array[tuple(places.T)].tolist()
    return [f"\t({','.join(map(str, i))}) {p!r}" for i, p in zip(places.tolist(), values, strict=True)]


def read_pautomac_solution(path: str | os.PathLike[str]) -> _Floats:
    """Read a solution file of PAutomaC: the true probabilities of the test strings.

    Parameters
    ----------
    path : str or os.PathLike
        The file: the number of strings, then a probability a line.

    Returns
    -------
    ndarray of float64, shape (n_strings,)
        They sum to 1 over the test strings.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not in this format; the message names the file.

    See Also
    --------
    pautomac_perplexity

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hankelmatch import read_pautomac_solution
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "0.pautomac_solution.txt")
    ...     _ = path.write_text("2\\n0.75\\n0.25\\n")
    ...     read_pautomac_solution(path).tolist()
    [0.75, 0.25]
    """
    with open(checked_path(path), encoding="utf-8-sig", errors="replace") as file:
        words = file.read().split()
    try:
        found = np.array([float(word) for word in words])
    except ValueError as error:
        raise ValueError(f"{path}: {error}; numbers are needed, one a line") from None
    if not len(found) or found[0] != len(found) - 1:
        raise ValueError(f"{path}: {len(found)} numbers; their number is needed first, then so many")
    return found[1:]


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
