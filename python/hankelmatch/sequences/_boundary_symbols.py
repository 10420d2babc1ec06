"""End and start symbols: ordinary symbols, with a label and an id, that close and open every sequence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .alphabet import Alphabet, check_alphabet
from .labels import Label, Offsets, Symbols, checked_label

DEFAULT_END = "</s>"
DEFAULT_START = "<s>"


def frame_label(argument: str, given: bool | Label, alphabet: Alphabet | None, usual: Label) -> Label | None:
    """The label that an end_symbol or start_symbol argument asks for, or None."""
    given = bool(given) if isinstance(given, np.bool_) else checked_label(argument, given)
    if given is False or given is None:
        return None
    of_alphabet = getattr(alphabet, argument, None)
    label = given if given is not True else usual if of_alphabet is None else of_alphabet
    if alphabet is not None and label != of_alphabet:
        has = "has none" if of_alphabet is None else f"has {of_alphabet!r}"
        raise ValueError(
            f"{argument}: the alphabet {has}, not {label!r}; leave {argument} out or change the alphabet"
        )
    return label


def reader_frame(
    end_symbol: bool | Label | None,
    start_symbol: bool | Label | None,
    alphabet: Alphabet | None,
    *,
    ends: bool,
    usual: tuple[Label, Label] = (DEFAULT_END, DEFAULT_START),
) -> tuple[Label | None, Label | None]:
    """The labels of end and start symbol that the arguments of a reader of files ask for.

    An argument None asks for what `alphabet` has, or else: an end symbol if `ends`, and no start symbol.
    """
    if alphabet is not None:
        check_alphabet(alphabet)
    if end_symbol is None:
        end_symbol = ends if alphabet is None else alphabet.end_symbol is not None
    if start_symbol is None:
        start_symbol = alphabet is not None and alphabet.start_symbol is not None
    end = frame_label("end_symbol", end_symbol, alphabet, usual[0])
    start = frame_label("start_symbol", start_symbol, alphabet, usual[1])
    refuse_equal_frame(end, start)
    return end, start


def refuse_equal_frame(end: Label | None, start: Label | None) -> None:
    """Raise ValueError if they are one label."""
    if end is not None and end == start:
        raise ValueError(f"start_symbol: {start!r} is the end symbol too; they must differ")


def framed_by(
    symbols: Symbols, offsets: Offsets, alphabet: Alphabet, ids: Sequence[int | None]
) -> tuple[Symbols, Offsets]:
    """Every sequence with its end and start symbol, of these ids; what all sequences have already stays.

    Raises
    ------
    ValueError
        If a sequence contains one of the ids, but not all sequences have it at that end and nowhere else.
    """
    wanted = [
        None if own is None or _all_have(symbols, offsets, own, place) else own
        for place, own in enumerate(ids)
    ]
    _refuse_ids_inside(symbols, offsets, wanted, alphabet)
    return framed(symbols, offsets, *wanted)


def _all_have(symbols: Symbols, offsets: Offsets, own: int, place: int) -> bool:
    """Whether every sequence ends (place 0) or begins (place 1) with an id, which is nowhere else."""
    n_sequences = offsets.size - 1
    if np.count_nonzero(symbols == own) != n_sequences or not np.all(np.diff(offsets) > 0):
        return False
    return n_sequences > 0 and bool(np.all(symbols[offsets[1:] - 1 if place == 0 else offsets[:-1]] == own))


def _refuse_ids_inside(
    symbols: Symbols, offsets: Offsets, ids: Sequence[int | None], alphabet: Alphabet
) -> None:
    for own in ids:
        if own is None:
            continue
        found = np.flatnonzero(symbols == own)
        if found.size:
            i = int(np.searchsorted(offsets, found[0], side="right")) - 1
            raise ValueError(
                f"sequences[{i}] contains {alphabet.labels[own]!r}, the label of the end or start symbol, "
                "which not all sequences have in its place; choose another label for it, or take it out of "
                "the sequences"
            )


def completed(
    symbols: Symbols, offsets: Offsets, end: int | None, start: int | None
) -> tuple[Symbols, Offsets]:
    """Every sequence with its end and start symbol, put where it lacks them."""
    if start is not None:
        first = np.append(symbols, start)[offsets[:-1]]
        missing = (first != start) | (np.diff(offsets) == 0)
        symbols, offsets = _inserted(symbols, offsets, missing, offsets[:-1], start)
    if end is not None:
        last = np.append(symbols, end)[offsets[1:] - 1]
        missing = (last != end) | (np.diff(offsets) == 0)
        symbols, offsets = _inserted(symbols, offsets, missing, offsets[1:], end)
    return symbols, offsets


def _inserted(
    symbols: Symbols, offsets: Offsets, missing: NDArray[np.bool_], places: Offsets, own: int
) -> tuple[Symbols, Offsets]:
    if not missing.any():
        return symbols, offsets
    shift = np.concatenate([[0], np.cumsum(missing)])
    return np.insert(symbols, places[missing], np.int32(own)), offsets + shift


def framed(symbols: Symbols, offsets: Offsets, end: int | None, start: int | None) -> tuple[Symbols, Offsets]:
    """Every sequence with its end and start symbol."""
    if end is None and start is None:
        return symbols, offsets
    n_sequences = offsets.size - 1
    per_sequence = (end is not None) + (start is not None)
    framed_offsets = offsets + per_sequence * np.arange(n_sequences + 1)
    framed = np.empty(framed_offsets[-1], np.int32)
    inside = np.ones(framed.size, bool)
    if start is not None:
        inside[framed_offsets[:-1]] = False
        framed[framed_offsets[:-1]] = start
    if end is not None:
        inside[framed_offsets[1:] - 1] = False
        framed[framed_offsets[1:] - 1] = end
    framed[inside] = symbols
    return framed, framed_offsets
