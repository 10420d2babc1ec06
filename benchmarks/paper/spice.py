"""Table 3: the natural language problems of the SPiCe competition, ranked on the private prefixes.

One procedure for all five. On the public prefixes, by NDCG5: start symbol or none, at one length; then
lengths T from 3 up, while they help, with many numbers of states n, for each kind of contexts; then floor,
window and shrinkage, for what was best. An automaton of fewer states is the leading part of a larger one, so
one SVD serves many numbers. The weights of mixtures are fitted on the public prefixes too; one of the
mixtures has automata with all states as well, of longer substrings, whose predictions need no SVD (see
`all_states`). Private targets are opened once everything is chosen and ranked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hankelmatch import Corpus, KneserNeyModel, ndcg, read_spice
from hankelmatch.interop.spice import SpiceTest, read_spice_test, write_spice_rankings
from hankelmatch.prediction._scoring import best_labels
from hankelmatch.prediction.mixtures.weights import fit_weights

from .results import Bench, Table, fingerprint
from .spice_search import (
    FLOORS,
    KINDS,
    RANKED,
    SHRINKAGES,
    Component,
    Events,
    Training,
    mixed_rankings,
    try_all_states,
    try_kneser_ney,
    try_length,
    try_rest,
)
from .spice_table import (
    ALL_STATES,
    AUTOMATA,
    BEYOND,
    BOTH,
    CHOSEN,
    DETAIL_NOTES,
    DETAILS,
    KNESER_NEY,
    LONGEST,
    METHODS,
    MIXED,
    NOTES,
    PROBLEMS,
    Problem,
    columns,
    summary,
)

__all__ = ["run"]


# Seconds on two cores for every length together, about.
EXPECTED = {4: 60, 8: 200, 13: 400, 11: 600, 5: 900}
START_LENGTH = 4  # where it is tried whether a start symbol helps
LEAST_WEIGHT = 0.01
QUICK_SEQUENCES = 800
QUICK_PREFIXES = 150


class Grid(NamedTuple):
    """What is tried."""

    lengths: Sequence[int]
    n_states: Sequence[Sequence[int]]
    start_length: int
    orders: Sequence[int]
    problems: Sequence[Problem]

    @classmethod
    def of(cls, bench: Bench) -> Grid:
        """The whole grid, or a small one."""
        if bench.quick:
            return cls((3, 4), ((20,), (60,)), 3, (2, 3), tuple(p for p in PROBLEMS if p.number in (4, 8)))
        states = ((50, 100, 200, 350, 500), (800, 1300), (2000, 3000))
        return cls(range(3, 8), states, START_LENGTH, range(2, 11), PROBLEMS)


def run(bench: Bench) -> list[Table]:
    """The paper's table with our rows, and how each came about."""
    grid = Grid.of(bench)
    details = [row for problem in grid.problems for row in Solver(bench, grid, problem).rows()]
    details += [row for problem in grid.problems for row in beyond_window_rows(bench, problem)]
    return [
        Table(
            "table3",
            "Table 3: SPiCe, NDCG5 on private prefixes",
            columns(grid.problems),
            summary(grid.problems, details),
            NOTES,
        ),
        Table(
            "table3-models", "Table 3: the models chosen on public prefixes", DETAILS, details, DETAIL_NOTES
        ),
    ]


def beyond_window_rows(bench: Bench, problem: Problem) -> list[dict[str, Any]]:
    """Whole histories, probabilistic automata where these are not too large, and all models mixed."""
    from .beyond_window import rows_of  # noqa: PLC0415 - it builds on this module

    rows = rows_of(replace(bench, experiment="beyond-window"), problem)
    return [
        {"number": problem.number, **row, "method": BEYOND[row["method"]]}
        for row in rows
        if row["method"] in BEYOND
    ]


class Solver:
    """Everything that is done for one problem."""

    def __init__(self, bench: Bench, grid: Grid, problem: Problem) -> None:
        self.bench = bench
        self.grid = grid
        self.problem = problem
        self.public = read_spice_test(self._path("prefix", "public"), self._path("target", "public"))
        self.private = read_spice(self._path("prefix", "private"), end_symbol=False)
        if bench.quick:
            targets = self.public.targets[:QUICK_PREFIXES]
            self.public = SpiceTest(self.public.prefixes[:QUICK_PREFIXES], targets)
            self.private = self.private[:QUICK_PREFIXES]
        files = [self._path("train"), self._path("prefix", "public"), self._path("target", "public")]
        self._settings = {
            "problem": problem.number,
            "files": fingerprint(*files, self._path("prefix", "private")),
            "n_states": grid.n_states,
            "floors": FLOORS,
            "kinds": KINDS,
        }
        self._training: dict[bool, Training] = {}
        self._tried: dict[tuple[bool, int, bool], dict[str, Any]] = {}

    def _path(self, kind: str, part: str | None = None) -> Path:
        name = f"{self.problem.number}.spice.{kind}" + (f".{part}" if part else "")
        folder = {"train": "train", "prefix": "prefixes", "target": "targets"}[kind]
        return self.bench.file(f"spice/{folder}/{name}")

    def training(self, start: bool) -> Training:
        """The training text with or without a start symbol, read once."""
        if start not in self._training:
            corpus = read_spice(self._path("train"), start_symbol=start)
            corpus = corpus[:QUICK_SEQUENCES] if self.bench.quick else corpus
            self._training[start] = Training(corpus, self.bench.seed)
        return self._training[start]

    def cached(self, label: str, settings: dict[str, Any], compute: Any) -> dict[str, Any]:
        """A step, see `Bench.cached`."""
        expected = EXPECTED[self.problem.number] / len(self.grid.lengths)
        return self.bench.cached(
            f"problem {self.problem.number}, {label}", {**self._settings, **settings}, compute, expected
        )

    # ------------------------------------------------------------------------- trying on public prefixes

    def tried(self, start: bool, max_length: int, few: bool = False) -> dict[str, Any]:
        """Public scores of everything at one length; if so wanted, of the first numbers of states alone."""
        grid = self.grid.n_states[:1] if few else self.grid.n_states
        if (start, max_length, few) not in self._tried:
            settings = {"step": "length", "start": start, "max_length": max_length, "n_states": grid}
            label = f"T = {max_length}" + ("" if start else " without start symbol")
            self._tried[start, max_length, few] = self.cached(
                label,
                settings,
                lambda: try_length(self.training(start), max_length, grid, self.public),
            )
        return self._tried[start, max_length, few]

    def best(self, contexts: str, start: bool, lengths: Sequence[int]) -> tuple[float, Component]:
        """The best public score at some lengths, and the automaton that has it."""
        results = (
            (score, Component("automaton", max_length, n, kind.mixing))
            for max_length in lengths
            for name, kind in KINDS.items()
            if kind.contexts == contexts
            for n, score in zip(
                self.tried(start, max_length)["n_states"],
                self.tried(start, max_length)["ndcg"][name],
                strict=True,
            )
        )
        return max(results, key=lambda result: (result[0], [-value for value in result[1][1:]]))

    def lengths(self, start: bool) -> list[int]:
        """The lengths that are tried: up to the first that is better for no kind of contexts."""
        lengths = list(self.grid.lengths)
        for i in range(1, len(lengths)):
            best_before = {kind: self.best(kind, start, lengths[:i])[0] for kind in FLOORS}
            if all(self.best(kind, start, [lengths[i]])[0] <= best for kind, best in best_before.items()):
                return lengths[: i + 1]
        return lengths

    def start_symbol(self, contexts: str) -> bool:
        """Whether a start symbol is better, at one length and with few states."""
        most = self.grid.n_states[0][-1]
        scores = [
            max(
                score
                for name, kind in KINDS.items()
                if kind.contexts == contexts
                for n, score in zip(tried["n_states"], tried["ndcg"][name], strict=True)
                if n <= most
            )
            for tried in (
                self.tried(True, self.grid.start_length),
                self.tried(False, self.grid.start_length, few=True),
            )
        ]
        return scores[0] >= scores[1]

    # --------------------------------------------------------------------------------------- the rows

    def rows(self) -> list[dict[str, Any]]:
        """Every method: chosen, ranked, written, and then scored on the private targets."""
        solved = {
            MIXED: self.one_automaton("mixed"),
            LONGEST: self.one_automaton("longest"),
            **self.mixtures(),
            KNESER_NEY: self.n_grams(),
        }
        three = [solved[method] for method in (MIXED, AUTOMATA, ALL_STATES)]
        solved[CHOSEN] = max(three, key=self.public_score)
        for method, row in solved.items():
            self.write(method, row)
        targets = read_spice_test(self._path("prefix", "private"), self._path("target", "private")).targets
        return [self.scored_row(method, solved[method], targets) for method in METHODS]

    def one_automaton(self, contexts: str) -> dict[str, Any]:
        """The automaton that is best on public prefixes."""
        start = self.start_symbol(contexts)
        _, component = self.best(contexts, start, self.lengths(start))
        kind = next(k for k in KINDS.values() if (k.contexts, k.mixing) == (contexts, component.mixing))
        settings = {
            "step": "floor, window and shrinkage",
            "start": start,
            "component": component,
            "contexts": contexts,
            "shrinkages": SHRINKAGES,
        }
        result = self.cached(
            f"{contexts}: T = {component.max_length}, n = {component.n_states}",
            settings,
            lambda: try_rest(self.training(start), component, kind, self.public, self.private),
        )
        mixing = {"mixing": component.mixing or None}
        return {**component._asdict(), **mixing, "start": start, **result}

    def all_states_tried(self, start: bool) -> dict[str, Any]:
        """Public scores of automata with all states."""
        lengths = [length for length in self.grid.orders if length >= self.grid.lengths[0]]
        return self.cached(
            "all states",
            {"step": "all states", "start": start, "lengths": lengths},
            lambda: try_all_states(self.training(start).corpus, lengths, self.public),
        )

    def n_grams_tried(self) -> dict[str, Any]:
        """Public scores of the Kneser-Ney models."""
        orders = list(self.grid.orders)
        return self.cached(
            "Kneser-Ney",
            {"step": "n-grams", "orders": orders},
            lambda: try_kneser_ney(self.training(True).corpus, orders, self.public),
        )

    def n_grams(self) -> dict[str, Any]:
        """The Kneser-Ney model of the order that is best on public prefixes."""
        tried = self.n_grams_tried()
        best = int(np.argmax(tried["ndcg"]))
        order = tried["orders"][best]
        parts = {"public": self.public.prefixes, "private": self.private}
        rankings = self.cached(
            f"Kneser-Ney, order {order}",
            {"step": "n-gram rankings", "order": order},
            lambda: n_gram_rankings(self.training(True).corpus, order, parts),
        )
        return {"max_length": order, "start": True, **rankings, "seconds": tried["seconds"][best]}

    def mixtures(self) -> dict[str, dict[str, Any]]:
        """All automata with mixed contexts, then those with all states too, then the n-gram models too."""
        start = self.start_symbol("mixed")
        events = self.automata_events(start)
        weights = {AUTOMATA: self.weights(start, events)}
        events |= self.all_states_events(start)
        weights[ALL_STATES] = self.weights(start, events)
        weights[BOTH] = self.weights(start, events | self.n_gram_events())
        parts = {"public": self.public.prefixes, "private": self.private}
        largest = {length: self.tried(start, length)["largest"] for length in self.lengths(start)}
        listed = {method: [[*c, weight] for c, weight in own.items()] for method, own in weights.items()}
        n_models = ", ".join(str(len(own)) for own in weights.values())
        rankings = self.cached(
            f"mixtures of {n_models} models",
            {"step": "mixtures", "start": start, "weights": listed},
            lambda: mixed_rankings(self.training(start), weights, largest, self.training(True).corpus, parts),
        )
        return {
            method: {"models": len(own), "start": start, "weights": listed[method], **rankings[method]}
            for method, own in weights.items()
        }

    def automata_events(self, start: bool) -> dict[Component, list[float]]:
        """What every automaton that was tried says of the public events, with mixed contexts."""
        return {
            Component("automaton", max_length, n, KINDS[name].mixing): p
            for max_length in self.lengths(start)
            for name, by_number in self.tried(start, max_length)["target_probabilities"].items()
            for n, p in zip(self.tried(start, max_length)["n_states"], by_number, strict=True)
        }

    def all_states_events(self, start: bool) -> dict[Component, list[float]]:
        """What the automata with all states say of them."""
        tried = self.all_states_tried(start)
        return {
            Component("all states", max_length, mixing=KINDS[name].mixing): p
            for name, by_length in tried["target_probabilities"].items()
            for max_length, p in zip(tried["max_lengths"], by_length, strict=True)
        }

    def n_gram_events(self) -> dict[Component, list[float]]:
        """What the Kneser-Ney models say of them."""
        tried = self.n_grams_tried()
        orders = [Component("n-grams", order) for order in tried["orders"]]
        return dict(zip(orders, tried["target_probabilities"], strict=True))

    def weights(self, start: bool, events: dict[Component, list[float]]) -> dict[Component, float]:
        """Weights by EM on the public prefixes, those that are not tiny."""
        counts = Events(self.public, self.training(start).corpus.alphabet).counts
        weights = fit_weights(np.array([*events.values()]).T, counts, least=LEAST_WEIGHT)
        return {component: float(w) for component, w in zip(events, weights, strict=True) if w > 0}

    def public_score(self, row: dict[str, Any]) -> float:
        """NDCG on the public prefixes."""
        return ndcg(row["public"], self.public.targets, RANKED)

    def write(self, method: str, row: dict[str, Any]) -> None:
        """The private rankings, in the competition's format."""
        name = method.partition(" (")[0].replace(" ", "-").lower()
        folder = self.bench.output / "rankings" / name
        folder.mkdir(parents=True, exist_ok=True)
        write_spice_rankings(folder / f"{self.problem.number}.spice.ranking", row["private"])

    def scored_row(self, method: str, row: dict[str, Any], targets: list[dict[int, float]]) -> dict[str, Any]:
        """What the tables need, with the private score."""
        own = {key: value for key, value in row.items() if key not in ("public", "private", "step")}
        scores = ndcg(row["private"], targets[: len(row["private"])], RANKED, per_prefix=True)
        return {
            "problem": self.problem.name,
            "number": self.problem.number,
            "method": method,
            **own,
            "start": "yes" if row["start"] else "no",
            "public": self.public_score(row),
            "private": float(scores.mean()),
            "error": float(scores.std(ddof=1)) / math.sqrt(len(scores)),
        }


def n_gram_rankings(corpus: Corpus, order: int, parts: dict[str, Corpus]) -> dict[str, Any]:
    """Rankings of a Kneser-Ney model for every part of the prefixes."""
    model = KneserNeyModel(corpus, order)
    return {
        name: best_labels(model.probabilities_after(own), RANKED, corpus.alphabet)
        for name, own in parts.items()
    }
