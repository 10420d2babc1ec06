"""End and start symbols: ordinary symbols, with a label and an id, that close and open every sequence."""

from collections.abc import Sequence

import numpy as np

from .alphabet import Alphabet, Label, Offsets, Symbols, checked_label

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


def refuse_frame_ids(
    symbols: Symbols, offsets: Offsets, ids: Sequence[int | None], alphabet: Alphabet
) -> None:
    """Raise ValueError if a sequence contains one of the ids, those of the end and start symbol, already."""
    for own in ids:
        if own is None:
            continue
        found = np.flatnonzero(symbols == own)
        if found.size:
            i = int(np.searchsorted(offsets, found[0], side="right")) - 1
            raise ValueError(
                f"sequences[{i}] contains {alphabet.labels[own]!r}, the label of the end or start symbol; "
                "choose another label for it, or leave end_symbol and start_symbol out if they are there "
                "already"
            )


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
