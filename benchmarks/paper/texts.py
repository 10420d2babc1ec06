"""The paper's texts, cut into train, dev and test parts."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hankelmatch import Corpus, read_text

from .. import data
from .results import Bench, fingerprint

__all__ = ["PART_OF_SPEECH", "PENN_TREEBANK", "WAR_AND_PEACE", "Parts", "Text"]

# War and Peace, as Karpathy, Johnson and Fei-Fei (2016) cut it: so many characters at its end.
_DEV_CHARACTERS = _TEST_CHARACTERS = 300_000
# A quick run reads so many sentences, or characters of a stream.
_QUICK_SENTENCES = {"train": 300, "dev": 60, "test": 60}
_QUICK_CHARACTERS = {"train": 30_000, "dev": 5_000, "test": 5_000}


class Parts(NamedTuple):
    """Three corpora over one alphabet."""

    train: Corpus
    dev: Corpus
    test: Corpus

    def bits(self, model: Any) -> dict[str, float]:
        """Bits per symbol of dev and test by a model, as results have them."""
        return {
            "dev_bits": model.bits_per_symbol(self.dev),
            "test_bits": model.bits_per_symbol(self.test),
        }


class Text(NamedTuple):
    """A text of the data folder: ``read(bench, start_symbol)`` gives its parts, `files` are their names."""

    name: str
    files: tuple[str, ...]
    reader: Callable[[Bench, list[Path], bool], Parts]

    def read(self, bench: Bench, start_symbol: bool = False) -> Parts:
        """Its parts, small ones in a quick run."""
        return self.reader(bench, self.paths(bench), start_symbol)

    def paths(self, bench: Bench) -> list[Path]:
        """Its files; MissingDataError if one is not there."""
        return [bench.file(name) for name in self.files]

    def settings(self, bench: Bench) -> dict[str, str]:
        """What distinguishes the text from others, for `Bench.cached`."""
        return {"text": self.name, "files": fingerprint(*self.paths(bench))}


def read_sentences(bench: Bench, paths: list[Path], start_symbol: bool) -> Parts:
    """A file for each part, a sentence a line, symbols separated by blanks."""
    train = read_text(paths[0], unit="token", start_symbol=start_symbol)
    others = [
        read_text(path, unit="token", start_symbol=start_symbol, alphabet=train.alphabet)
        for path in paths[1:]
    ]
    parts = dict(zip(_QUICK_SENTENCES, (train, *others), strict=True))
    if bench.quick:
        parts = {name: corpus[: _QUICK_SENTENCES[name]] for name, corpus in parts.items()}
    return Parts(**parts)


def read_stream(bench: Bench, paths: list[Path], start_symbol: bool) -> Parts:
    """One file as one sequence, newlines included; its last parts are for dev and test.

    The alphabet is that of the whole file, as in the paper (84 symbols of War and Peace).
    """
    if start_symbol:
        raise ValueError("start_symbol: a stream has no start of its own; leave it out")
    whole = read_text(paths[0], stream=True)
    end = whole.n_symbols
    least = sum(_QUICK_CHARACTERS.values()) if bench.quick else _DEV_CHARACTERS + _TEST_CHARACTERS + 1
    if end < least:
        raise ValueError(f"--data: {paths[0]} has {end:,} characters; {least:,} at least are needed")
    bounds = {
        "train": (0, end - _DEV_CHARACTERS - _TEST_CHARACTERS),
        "dev": (end - _DEV_CHARACTERS - _TEST_CHARACTERS, end - _TEST_CHARACTERS),
        "test": (end - _TEST_CHARACTERS, end),
    }
    if bench.quick:
        first = [0, *itertools.accumulate(_QUICK_CHARACTERS.values())]
        bounds = dict(zip(bounds, itertools.pairwise(first), strict=True))
    return Parts(**{name: _piece(whole, *ends) for name, ends in bounds.items()})


def _piece(stream: Corpus, begin: int, end: int) -> Corpus:
    symbols = stream.symbols[begin:end]
    return Corpus(symbols, [0, len(symbols)], stream.alphabet)


PENN_TREEBANK = Text("Penn Treebank characters", data.PENN_TREEBANK, read_sentences)
WAR_AND_PEACE = Text("War and Peace characters", (data.WAR_AND_PEACE,), read_stream)
PART_OF_SPEECH = Text("part-of-speech tags", data.TAGS, read_sentences)
