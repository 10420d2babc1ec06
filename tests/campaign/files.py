"""Damaged files of every kind that the package reads: each is read, or refused in a message that names it."""

from __future__ import annotations

import resource
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from hankelmatch import (
    Corpus,
    LanguageModel,
    SequenceFunction,
    WeightedAutomaton,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    read_pautomac_model,
    read_spice,
    read_spice_targets,
    substring_expectations,
)
from hankelmatch.cli import main

CASES = 100_000
MEMORY = 3 << 30  # address space of the process: what asks for more fails
SPICE = b"3 2\n4 0 1 0 1\n3 0 1 0\n2 0 1\n"
TARGETS = b"2 0 0.5 1 0.5\n3 1 0.5 0 0.25 -1 0.25\n1 0 1.0\n"
MATRIX = (
    b"%%MatrixMarket matrix coordinate real general\n% a comment\n3 3 4\n1 1 1.0\n2 2 2.0\n3 1 -1\n3 3 1e3\n"
)
PAUTOMAC = b"""\
I: (state)
	(0) 1.0
F: (state)
	(0) 0.5
S: (state,symbol)
	(0,0) 1.0
T: (state,symbol,state)
	(0,0,0) 1.0
"""


def attack(seed: int, count: int) -> Iterator[str]:
    """Damage right files at random places, and read them."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        kinds = right_files(Path(folder))
        for case in range(count):
            read, content, suffix = kinds[int(rng.integers(len(kinds)))]
            path = Path(folder) / f"damaged{suffix}"
            path.write_bytes(damaged(content, rng))
            for line in refused_badly(read, path):
                kept = Path(tempfile.gettempdir()) / f"campaign-{seed}-{case}{suffix}"
                kept.write_bytes(path.read_bytes())
                yield f"case {case}: {read.__qualname__} of {kept}: {line}"


def right_files(folder: Path) -> list[tuple[Callable[[Path], Any], bytes, str]]:
    """What reads each kind of file, a right file's content, and the ending of its name."""
    f = substring_expectations(Corpus.from_sequences(["abab", "aab", "ba"], end_symbol=True), 3)
    automaton = learn_automaton(hankel_blocks(f, matching_basis(f)), 3)
    kinds: list[tuple[Callable[[Path], Any], bytes, str]] = [
        (read_spice, SPICE, ".spice"),
        (read_spice_targets, TARGETS, ".targets"),
        (read_pautomac_model, PAUTOMAC, ".txt"),
        (match_command, MATRIX, ".mtx"),
        (learn_command, b"a text\nof some lines\n" * 20, ".txt"),
    ]
    for thing, read in (
        (f, SequenceFunction.load),
        (automaton, WeightedAutomaton.load),
        (LanguageModel(automaton, 3), used_model),
    ):
        path = folder / "right.npz"
        thing.save(path)
        kinds.append((read, path.read_bytes(), ".npz"))
    return kinds


def used_model(path: Path) -> Any:
    """Load a model and predict by it, so that no damage waits until then."""
    model = LanguageModel.load(path)
    return model.next_symbol_probabilities(())


def match_command(path: Path) -> int:
    """The command that matches a matrix; what it refuses it ends with status 2."""
    return command("match", str(path), "--dm")


def learn_command(path: Path) -> int:
    """The command that learns from a text."""
    return command("learn", str(path), "--max-length", "2", "--states", "3")


def command(*arguments: str) -> int:
    """The command's status. A status of 2 is a refusal; its message is on standard error."""
    try:
        return int(main(list(arguments)) or 0)
    except SystemExit as end:
        return int(end.code or 0)


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """The content with some bytes changed, left out, repeated, or cut off at the end."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(0, len(data) + 1))
        length = int(rng.integers(1, 9))
        way = int(rng.integers(5))
        if way == 0:
            data[place : place + length] = rng.integers(0, 256, length, dtype=np.uint8).tobytes()
        elif way == 1:
            del data[place : place + length]
        elif way == 2:
            data[place:place] = data[place : place + length] * int(rng.integers(1, 20))
        elif way == 3:
            data[place : place + 1] = rng.choice([b"9" * 12, b"-1", b"1e400", b"nan", b"\n", b" ", b"\xff"])
        else:
            del data[place:]
    return bytes(data)


def refused_badly(read: Callable[[Path], Any], path: Path) -> Iterator[str]:
    """What is wrong with how a file is refused; nothing if it is read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            status = read(path)
        if read in (match_command, learn_command) and status not in (0, 2):
            yield f"status {status}"
    except ValueError as error:
        if path.name not in str(error):
            yield f"the message does not name the file: {error}"
    except BaseException as error:
        yield f"{type(error).__name__}: {error}"
