"""The learner as it is by default beside the n-gram model of the same order, on Penn Treebank characters.

Both learn from the train part alone. The learner chooses on dev; there is nothing to choose for the n-gram
model. The test part is read once for each.
"""

from __future__ import annotations

from typing import Any

from hankelmatch import KneserNeyModel, SpectralLearner, substring_expectations

from .results import Bench, Column, Table
from .texts import PENN_TREEBANK

__all__ = ["run"]

LENGTHS = (5, 6, 7)
QUICK_LENGTHS = (3, 4)
COLUMNS = (
    Column("max_length", "T", "d"),
    Column("n_states", "n", ",d"),
    Column("weights", "weights"),
    Column("dev_bits", "dev", ".4f"),
    Column("test_bits", "test", ".4f"),
    Column("n_gram_bits", "n-grams, test", ".4f"),
    Column("difference", "difference", "+.4f"),
    Column("seconds", "seconds", ".0f"),
)
NOTES = [
    "Bits per character, ends of sentences included. T: longest substrings counted, and the order of the "
    "modified Kneser-Ney model; n: states of the windowed automaton; weights: of the parts of the mixture."
]


def run(bench: Bench) -> list[Table]:
    """A row for each length."""
    settings = PENN_TREEBANK.settings(bench)
    rows = []
    for length in QUICK_LENGTHS if bench.quick else LENGTHS:
        label = f"T = {length}"
        rows.append(bench.cached(label, {**settings, "max_length": length}, lambda n=length: row(bench, n)))
        known = ", ".join(f"{column.title} {column.text(rows[-1][column.key])}" for column in COLUMNS)
        bench.say(f"{label}: {known}")
    return [Table("default-learner", "The default learner, Penn Treebank characters", COLUMNS, rows, NOTES)]


def row(bench: Bench, max_length: int) -> dict[str, Any]:
    """The learner and the n-gram model, learned and scored."""
    train, dev, test = PENN_TREEBANK.read(bench, start_symbol=True)
    learner = SpectralLearner(max_length, verbose=True).fit(train, dev=dev)
    weights = learner.mixture_.weights if learner.mixture_ is not None else {"window": 1.0}
    bits = learner.model_.bits_per_symbol(test)
    n_grams = KneserNeyModel(substring_expectations(train, max_length), max_length).bits_per_symbol(test)
    return {
        "max_length": max_length,
        "n_states": learner.n_states_,
        "weights": ", ".join(f"{part} {weight:.2f}" for part, weight in weights.items()),
        "dev_bits": learner.dev_bits_,
        "test_bits": bits,
        "n_gram_bits": n_grams,
        "difference": bits - n_grams,
        "seconds": sum(float(stage["seconds"]) for stage in learner.report_.values()),
    }
