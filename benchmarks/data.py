"""Where texts and matrices lie in the data folder (CONTRIBUTING.md says what is in them)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hankelmatch import Corpus, read_text

__all__ = ["PENN_TREEBANK", "TAGS", "WAR_AND_PEACE", "matrices", "ptb_train"]

# The training, held-out and test part of a text; the second is one stream.
PENN_TREEBANK = tuple(f"ptb/ptb.char.{part}.txt" for part in ("train", "valid", "test"))
TAGS = tuple(f"pos/ewt.tags.{part}.txt" for part in ("train", "dev", "test"))
WAR_AND_PEACE = "warandpeace/warpeace_input.txt"


def ptb_train(data: Path, **options: Any) -> Corpus:
    """The characters of Penn Treebank's training part, with options of `hankelmatch.read_text`."""
    return read_text(data / PENN_TREEBANK[0], unit="token", **options)


def matrices(data: Path) -> dict[str, Path]:
    """The files of the matrices by their names, in order."""
    return {path.name.split(".mtx")[0]: path for path in sorted((data / "matrices").glob("*.mtx*"))}
