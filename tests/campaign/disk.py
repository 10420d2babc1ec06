"""Full disks and killed writers: what was saved before is whole, and nothing half-written takes its name."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from hankelmatch import (
    Corpus,
    LanguageModel,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    substring_expectations,
)

from ._preload import outcome_of_child

CASES = 1_000
SECONDS = 60


def attack(seed: int, count: int) -> Iterator[str]:
    """Save over a file where the disk is full, or until the process is killed."""
    rng = np.random.default_rng(seed)
    f = substring_expectations(Corpus.from_sequences(["abab", "aab", "ba"] * 10, end_symbol=True), 4)
    automaton = learn_automaton(hankel_blocks(f, matching_basis(f)))
    models = [LanguageModel(automaton, 4), LanguageModel(automaton, 3)]
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        models[0].save(path)
        size = path.stat().st_size
        for case in range(count):
            if case % 2:
                limit = int(rng.integers(0, size))
                outcome = outcome_of_child(lambda limit=limit: is_refused(models[1], path, limit), SECONDS)
                if outcome:
                    yield f"case {case}: disk full after {limit} bytes: {outcome}"
                left = [p.name for p in Path(folder).iterdir() if p != path]
                if left:
                    yield f"case {case}: left behind: {left}"
            else:
                kill_while_saving(models, path, float(rng.uniform(0, 0.02)))
                for file in Path(folder).glob(".*.tmp"):
                    file.unlink()  # a killed process cannot
            if LanguageModel.load(path).window not in (3, 4):
                yield f"case {case}: another model"


def is_refused(model: LanguageModel, path: Path, limit: int) -> bool:
    """Whether a save where files can have so many bytes raises OSError, and keeps the old file."""
    before = path.read_bytes()
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        model.save(path)
    except OSError:
        return path.read_bytes() == before
    return False


def kill_while_saving(models: list[LanguageModel], path: Path, after: float) -> None:
    """Let a process save again and again, and kill it."""
    child = os.fork()
    if child == 0:
        while True:
            for model in models:
                model.save(path)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
