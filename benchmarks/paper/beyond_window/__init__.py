"""SPiCe with whole histories and probabilistic automata, mixed with n-grams and automata within a window.

One procedure for every problem, that of hidden Markov data (2) among them. The models: see `parts`. A linear
mixture of them makes the symbols after public prefixes likeliest. A log-linear one begins from it: every
model gets a weight of its own, and so do what is known of how test prefixes are drawn (`cuts`). Its ridge is
chosen on folds of the public prefixes. Private targets are opened once everything is fitted and ranked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from hankelmatch import Corpus, KneserNeyModel, ndcg, read_spice, substring_expectations
from hankelmatch.interop.spice import SpiceTest, read_spice_test
from numpy.typing import NDArray

from ..results import Bench, Column, Table, fingerprint
from ..spice import EXPECTED, QUICK_PREFIXES, QUICK_SEQUENCES
from ..spice_search import RANKED
from ..spice_table import PROBLEMS, Problem
from .cuts import FACTORS, PrefixFactors
from .log_linear import Mixture, Predictions, Singles, fit_on_folds
from .parts import KINDS, LONGEST, Part, every_part, n_gram_parts

__all__ = ["CHOSEN", "rows_of", "run"]

HIDDEN_MARKOV = Problem(2, "hidden Markov")
LINEAR = "linear mixture"
CHOSEN = "log-linear mixture"
N_CANDIDATES = 150  # symbols after a prefix that n-grams find likeliest; others are not ranked
NEW_ORDER = 6  # of the n-grams that say how likely a training sequence is
COLUMNS = (
    Column("problem", "problem"),
    Column("method", "method"),
    Column("public", "public", ".4f"),
    Column("private", "private", ".4f"),
    Column("error", "std. error", ".4f"),
    Column("models", "models", "d"),
    Column("weights", "weights"),
)
NOTES = [
    "NDCG at 5, with the standard error over prefixes. Of every kind of model the one that is best on the "
    "public prefixes; then all mixed, by weights that make the symbols after public prefixes likeliest: sums "
    "of probabilities, and of logarithms. The public score of a mixture is that of five folds, each ranked "
    "with weights from the others. `cut`, `new` and `end` weigh how test prefixes are drawn, see "
    "`benchmarks/paper/beyond_window/cuts.py`.",
]


def run(bench: Bench) -> list[Table]:
    """The table of all problems."""
    problems = [HIDDEN_MARKOV, *sorted(PROBLEMS, key=lambda problem: EXPECTED[problem.number])]
    if bench.quick:
        problems = [p for p in problems if p.number in (2, 4)]
    rows = [row for problem in problems for row in rows_of(bench, problem)]
    return [Table("beyond-window", "SPiCe beyond the window, NDCG5", COLUMNS, rows, NOTES)]


def rows_of(bench: Bench, problem: Problem) -> list[dict[str, Any]]:
    """Every method's scores on one problem."""
    files = [
        _path(bench, problem, kind) for kind in ("train", "prefix.public", "target.public", "prefix.private")
    ]
    settings = {"problem": problem.number, "files": fingerprint(*files), "version": 4}
    solved = bench.cached(f"problem {problem.number}", settings, lambda: solve(bench, problem))
    targets = read_spice_test(files[3], _path(bench, problem, "target.private")).targets
    rows = []
    for method, row in solved.items():
        if method == "step":
            continue
        scores = ndcg(row["private"], targets[: len(row["private"])], RANKED, per_prefix=True)
        error = float(scores.std(ddof=1)) / math.sqrt(len(scores))
        own = {key: value for key, value in row.items() if key != "private"}
        rows.append(
            {
                "problem": problem.name,
                "method": method,
                **own,
                "private": float(scores.mean()),
                "error": error,
            }
        )
        known = ", ".join(f"{column.title} {column.text(rows[-1].get(column.key))}" for column in COLUMNS[1:])
        bench.say(f"{problem.name}: {known}")
    return rows


def _path(bench: Bench, problem: Problem, kind: str) -> Path:
    folder = {"t": "targets", "p": "prefixes"}[kind[0]] if "." in kind else "train"
    return bench.file(f"spice/{folder}/{problem.number}.spice.{kind}")


def solve(bench: Bench, problem: Problem) -> dict[str, Any]:
    """Every method's public score and private rankings, without any private target."""
    corpus = read_spice(_path(bench, problem, "train"), start_symbol=True)
    public = read_spice_test(_path(bench, problem, "prefix.public"), _path(bench, problem, "target.public"))
    private = read_spice(_path(bench, problem, "prefix.private"), end_symbol=False)
    if bench.quick:
        corpus, private = corpus[:QUICK_SEQUENCES], private[:QUICK_PREFIXES]
        public = SpiceTest(public.prefixes[:QUICK_PREFIXES], public.targets[:QUICK_PREFIXES])
    return Solver(bench, corpus, public, private).solved()


class Solver:
    """What all models of one problem say after public and private prefixes, and what is made of it."""

    def __init__(self, bench: Bench, corpus: Corpus, public: SpiceTest, private: Corpus) -> None:
        self.bench = bench
        self.alphabet = corpus.alphabet
        self.public_targets = public.targets
        prefixes = [public.prefixes, private]
        f = substring_expectations(corpus, LONGEST)
        n_grams = [*n_gram_parts(f)]
        self.candidates = [_candidates(n_grams, own) for own in prefixes]
        factors_of = PrefixFactors(corpus, KneserNeyModel(f, NEW_ORDER))
        factors = [factors_of(*own) for own in zip(prefixes, self.candidates, strict=True)]
        self.parts: list[tuple[str, str]] = []
        self.scores: list[float] = []  # of the parts, on public prefixes
        said: list[list[Singles]] = []
        for part in every_part(corpus, f, bench):
            said.append([self._said(part, *own) for own in zip(prefixes, self.candidates, strict=True)])
            self.parts.append((part.kind, part.name))
            self.scores.append(self._public_score(said[-1][0]))
            bench.say(f"{part.name}: {self.scores[-1]:.4f}")
        self.public, self.private = (
            Predictions(np.stack([own[side] for own in said], axis=2), factors[side]) for side in (0, 1)
        )

    def _said(self, part: Part, prefixes: Any, candidates: NDArray[np.int64]) -> Singles:
        """A model's probabilities of the candidates, in single precision."""
        return np.take_along_axis(part.distributions(prefixes), candidates, 1).astype(np.float32)

    def _ranked(self, scores: Singles, side: int) -> list[list[Any]]:
        places = np.argsort(-scores, axis=1, kind="stable")[:, :RANKED]
        symbols = np.take_along_axis(self.candidates[side], places, 1)
        return [[self.alphabet.labels[a] for a in row] for row in symbols.tolist()]

    def _public_score(self, scores: Singles) -> float:
        return ndcg(self._ranked(scores, 0), self.public_targets, RANKED)

    def _targets(self) -> Singles:
        """The share of each candidate in what follows each public prefix."""
        targets = np.zeros(self.candidates[0].shape, np.float32)
        for own, candidates, target in zip(targets, self.candidates[0], self.public_targets, strict=True):
            of_symbol = {self.alphabet.id(label): p for label, p in target.items()}
            own[:] = [of_symbol.get(symbol, 0.0) for symbol in candidates.tolist()]
        return targets

    def solved(self) -> dict[str, Any]:
        """The best of every kind, and the mixtures."""
        rows: dict[str, Any] = {}
        for kind in KINDS:
            own = [k for k, part in enumerate(self.parts) if part[0] == kind]
            if own:
                best = max(own, key=self.scores.__getitem__)
                rows[f"{kind}, the best"] = {
                    "public": self.scores[best],
                    "models": 1,
                    "weights": self.parts[best][1],
                    "private": self._ranked(self.private.p[:, :, best], 1),
                }
        mixture, scores, linear = fit_on_folds(self.public, self._targets(), self.bench.seed)
        rows[LINEAR] = {
            "public": self._public_score(linear),
            "models": int((mixture.linear > 0).sum()),
            "weights": self._by_kind(mixture.linear),
            "private": self._ranked(mixture.mixed(self.private), 1),
        }
        rows[CHOSEN] = {
            "public": self._public_score(scores),
            "models": len(self.parts),
            "weights": self._described(mixture),
            "private": self._ranked(mixture.scores(self.private), 1),
        }
        return rows

    def _by_kind(self, weights: Sequence[float]) -> str:
        totals = dict.fromkeys(KINDS, 0.0)
        for (kind, _), weight in zip(self.parts, weights, strict=True):
            totals[kind] += weight
        return ", ".join(f"{kind} {total:.2f}" for kind, total in totals.items() if total)

    def _described(self, mixture: Mixture) -> str:
        of_linear, *others = mixture.weights.tolist()
        n = len(self.parts)
        factors = ", ".join(f"{name} {w:.2f}" for name, w in zip(FACTORS, others[n:], strict=True))
        return f"linear {of_linear:.2f}, {self._by_kind(others[:n])}; {factors}; ridge {mixture.ridge:g}"


def _candidates(n_grams: Sequence[Part], prefixes: Any) -> NDArray[np.int64]:
    """For each prefix the numbers of the symbols that n-grams find likeliest in the mean, in their order."""
    total = sum(part.distributions(prefixes) for part in n_grams)
    n = min(N_CANDIDATES, total.shape[1])
    return np.sort(np.argpartition(-total, n - 1, axis=1)[:, :n], axis=1).astype(np.int64)
