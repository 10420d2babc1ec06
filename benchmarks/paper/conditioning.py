"""What choices beside the basis do to quality, on the dev parts of three texts; the test parts are not read.

One choice is changed at a time, the others stay as they are by default: which maximum matching, how many of
the singular values, how far they are shrunk, the floor under scores, how much the shorter context weighs
where contexts are mixed, and whether that is more where more different symbols were seen, how far counts are
lowered because they are uncertain, and scaling rows and columns before the SVD.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from hankelmatch import (
    HankelBlocks,
    LanguageModel,
    SequenceFunction,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    truncated_svd,
)
from hankelmatch.prediction._scoring import bits_of
from hankelmatch.prediction._smoothing import Smoothing
from hankelmatch.prediction.selection import bits_for_options, bits_for_states
from numpy.typing import NDArray

from .choices import numbers_of_states
from .results import Bench, Column, Table
from .spectral import Study
from .texts import PART_OF_SPEECH, PENN_TREEBANK, WAR_AND_PEACE, Text

__all__ = ["run", "scaled_blocks", "with_lowered_counts"]

# T so that an SVD takes seconds, and whether sequences have a start.
TEXTS: dict[str, tuple[Text, int, bool]] = {
    "ptb": (PENN_TREEBANK, 5, True),
    "warandpeace": (WAR_AND_PEACE, 4, False),
    "pos": (PART_OF_SPEECH, 5, True),
}
QUICK_LENGTH = 3
CONTEXTS = ("longest", "mixed")
MATCHINGS = ("paper", "auto", "heavy", "weighted")
SHARES = (0.5, 0.7, 0.8, 0.9, 0.96, 1.0)
SHRUNK = ("auto", "heavy")  # matchings
SHRINKAGES = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
FLOORS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
MIXINGS = (0.35, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 13.0)
CONSTANT_MIXINGS = (1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0)
LOWERED = (0.0, 0.25, 0.5, 0.75)
POWERS = (0.0, -0.15, -0.3, -0.5)

Outcome = dict[str, float | None]


def run(bench: Bench) -> list[Table]:
    """A row for each value of each choice, a pair of columns for each text."""
    columns = [Column("choice", "choice"), Column("value", "value")]
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for key, (text, max_length, started) in TEXTS.items():
        subject = Subject(bench, text, QUICK_LENGTH if bench.quick else max_length, started)
        for kind in CONTEXTS:
            columns.append(Column(f"{key}_{kind}", f"{text.name}, T = {subject.max_length}, {kind}", ".4f"))
        for choice, compute in subject.choices.items():
            result = bench.cached(
                f"{text.name}, {choice}", {**subject.study.settings, "choice": choice}, compute
            )
            for value, bits in result["bits"].items():
                row = rows.setdefault((choice, value), {"choice": choice, "value": value})
                row |= {f"{key}_{kind}": bits[kind] for kind in CONTEXTS}
    return [Table("conditioning", "Choices beside the basis", columns, list(rows.values()), NOTES)]


NOTES = [
    "Bits per symbol on dev, with a start symbol where there are sentences. Which matching: at the best "
    "number of states of each. All else: matching 'auto', and where nothing else is said as many states as "
    "the numeric rank. Shrinkage: in occurrences in the training text. Floor: times the default, a quarter "
    "of an occurrence shared by all symbols. Lowered: every count less that much. Scaled: rows and columns "
    "of the block times that power of their sums before "
    "the SVD, at 0.7 of the rank (with all states it makes no difference)."
]


class Subject:
    """A text and what is learned from it again and again."""

    def __init__(self, bench: Bench, text: Text, max_length: int, started: bool) -> None:
        self.study = Study(bench, text, max_length, start_symbol=started)
        self.max_length = max_length
        self.choices: dict[str, Callable[[], dict[str, Any]]] = {
            "matching": lambda: {"bits": dict(self.matchings())},
            "share of singular values": lambda: {"bits": dict(self.shares())},
            **{
                f"shrinkage, {method}": lambda method=method: {"bits": dict(self.shrinkages(method))}
                for method in SHRUNK
            },
            "floor": lambda: {"bits": self.of_options("floor", FLOORS)},
            "mixing": lambda: {"bits": self.of_options("mixing", MIXINGS)},
            "constant mixing": lambda: {"bits": self.of_constant_mixings()},
            "lowered counts": lambda: {"bits": dict(self.lowered())},
            "scaled": lambda: {"bits": dict(self.scaled())},
        }

    @cached_property
    def blocks(self) -> HankelBlocks:
        """Of the matching that `match` finds."""
        return self.blocks_of("auto")

    @cached_property
    def model(self) -> LanguageModel:
        """With all states, mixed contexts."""
        return self.model_of(self.blocks)

    def blocks_of(self, method: str) -> HankelBlocks:
        """Of a maximum matching."""
        f, graph = self.study.statistics
        return hankel_blocks(f, matching_basis(graph, method=method), graph=graph)

    def model_of(self, blocks: HankelBlocks, shrinkage: float = 0.0) -> LanguageModel:
        """The automaton of a block with as many states as its rank; the shrinkage in occurrences."""
        shrinkage /= blocks.n_sequences or 1.0
        svd = truncated_svd(blocks.H)
        automaton = learn_automaton(blocks, svd=svd, shrinkage=shrinkage, dtype=np.float32)
        return LanguageModel(automaton, self.max_length, contexts="mixed")

    def by_contexts(self, model: LanguageModel, numbers: Sequence[int]) -> list[Outcome]:
        """Bits per symbol for numbers of states, with each kind of contexts."""
        dev = self.study.parts.dev
        bits = {kind: bits_for_states(model.replace(contexts=kind), dev, numbers) for kind in CONTEXTS}
        return [{kind: bits[kind][i] for kind in CONTEXTS} for i in range(len(numbers))]

    def matchings(self) -> Iterator[tuple[str, Outcome]]:
        """Which maximum matching."""
        for method in MATCHINGS:
            model = self.model_of(self.blocks_of(method))
            numbers = numbers_of_states(model.automaton.n_states)[-4:]
            found = self.by_contexts(model, numbers)
            yield method, {kind: min(outcome[kind] for outcome in found) for kind in CONTEXTS}

    def shares(self) -> Iterator[tuple[str, Outcome]]:
        """How many of the singular values."""
        rank = self.model.automaton.n_states
        numbers = [max(1, round(share * rank)) for share in SHARES]
        yield from zip(map(str, SHARES), self.by_contexts(self.model, numbers), strict=True)

    def shrinkages(self, method: str) -> Iterator[tuple[str, Outcome]]:
        """How far the singular values are shrunk where the recovery divides by them."""
        blocks = self.blocks_of(method)
        for shrinkage in SHRINKAGES:
            model = self.model_of(blocks, shrinkage)
            yield str(shrinkage), self.by_contexts(model, [model.automaton.n_states])[0]

    def of_options(self, name: str, values: Sequence[float]) -> dict[str, Outcome]:
        """An option of the model; a multiple of its default for the floor, which longest contexts need."""
        unit = self.model.floor if name == "floor" else 1.0
        cases = [
            (value, kind)
            for value in values
            for kind in CONTEXTS
            if not (kind == "longest" and (name == "mixing" or value == 0.0))
        ]
        options: list[Mapping[str, Any]] = [{"contexts": kind, name: value * unit} for value, kind in cases]
        bits = dict(zip(cases, bits_for_options(self.model, self.study.parts.dev, options), strict=True))
        return {str(value): {kind: bits.get((value, kind)) for kind in CONTEXTS} for value in values}

    def of_constant_mixings(self) -> dict[str, Outcome]:
        """How many occurrences the shorter context is worth, the same after every context."""
        model = self.model
        ways = [ConstantMixing(**vars(model.replace(mixing=c).smoothing)) for c in CONSTANT_MIXINGS]
        bits = bits_of(model.automaton, model.window, ways, model._events(self.study.parts.dev))
        return {str(c): {"longest": None, "mixed": b} for c, b in zip(CONSTANT_MIXINGS, bits, strict=True)}

    def lowered(self) -> Iterator[tuple[str, Outcome]]:
        """How far counts are lowered."""
        f = self.study.statistics.f
        basis = self.blocks.basis
        for by in LOWERED:
            model = self.model_of(hankel_blocks(with_lowered_counts(f, by), basis))
            yield str(by), self.by_contexts(model, [model.automaton.n_states])[0]

    def scaled(self) -> Iterator[tuple[str, Outcome]]:
        """Which power of their sums rows and columns are multiplied by."""
        for power in POWERS:
            model = self.model_of(scaled_blocks(self.blocks, power))
            yield str(power), self.by_contexts(model, [max(1, round(0.7 * model.automaton.n_states))])[0]


class ConstantMixing(Smoothing):
    """Mixed contexts where the shorter one is worth C occurrences, however many symbols were seen."""

    def shorter_weights(self, raised: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.full(len(raised), self.mixing)


def with_lowered_counts(f: SequenceFunction, by: float) -> SequenceFunction:
    """The function with `by`, less than 1, fewer occurrences of every string but the empty one."""
    values = f.values() - by / (f.n_sequences or 1)
    values[0] = f(())
    return SequenceFunction._of_trie(f._trie, values, f.alphabet, n_sequences=f.n_sequences)


def scaled_blocks(blocks: HankelBlocks, power: float) -> HankelBlocks:
    """Blocks whose automata compute the same functions, with rows and columns times powers of their sums."""
    sums = (np.asarray(blocks.H.sum(axis=axis)) for axis in (1, 0))
    left, right = (sp.dia_array((total[None] ** power, 0), shape=(len(total),) * 2) for total in sums)
    return HankelBlocks.from_matrices(
        left @ blocks.H @ right,
        [left @ matrix @ right for matrix in blocks.H_sigma],
        left @ blocks.h_prefix,
        right @ blocks.h_suffix,
        basis=blocks.basis,
        alphabet=blocks.alphabet,
        n_sequences=blocks.n_sequences,
        max_length=blocks.max_length,
    )
