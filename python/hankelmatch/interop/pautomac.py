"""The PAutomaC competition's files: its sequences, and its probabilistic automata."""

import math
import os
import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..automata.automaton import WeightedAutomaton
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
