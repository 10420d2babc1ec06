"""SPiCe with whole histories and probabilistic automata, mixed with n-grams and automata within a window.

One procedure for every problem, that of hidden Markov data (2) among them. The parts: n-grams of all orders;
automata with all states, of all lengths; automata of a Hankel block; whole histories, by spectral automata
with few states, and by probabilistic automata, learned by Baum-Welch or drawn by Gibbs sampling. Their
weights make the symbols after public prefixes likeliest: one set of weights, or one for each length of what
is known of the context. What is likeliest need not rank best; so from the better of the two on, the parts
that rank best are added as long as they help. Each of these choices is first tried on halves of the public
prefixes. Private targets are opened once everything is chosen and ranked.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hankelmatch import (
    Corpus,
    KneserNeyModel,
    LanguageModel,
    ProbabilisticAutomaton,
    SequenceFunction,
    ndcg,
    read_spice,
    substring_expectations,
)
from hankelmatch.interop.spice import SpiceTest, read_spice_test
from hankelmatch.prediction._scoring import best_labels
from hankelmatch.prediction._smoothing import Floats
from hankelmatch.prediction.distributions._baum_welch import baum_welch
from hankelmatch.prediction.distributions._gibbs import drawn_automata
from hankelmatch.prediction.distributions._hankel_start import prefix_tree
from hankelmatch.prediction.distributions.learn import CONCENTRATION, first_parameters, training_sample
from hankelmatch.prediction.mixtures._whole_histories import history_automaton
from hankelmatch.prediction.mixtures.from_automaton import history_model
from hankelmatch.prediction.mixtures.weights import fit_weights
from hankelmatch.sequences.strings import Strings
from numpy.typing import NDArray

from .all_states import AllStates
from .results import Bench, Column, Table, fingerprint
from .spice import EXPECTED, LEAST_WEIGHT, PROBLEMS, QUICK_PREFIXES, QUICK_SEQUENCES, Problem
from .spice_search import MIXINGS, RANKED, Events, Kind, Training, possible_states

__all__ = ["rows_of", "run"]

HIDDEN_MARKOV = Problem(2, "hidden Markov")
KINDS = ("n-grams", "all states", "window", "histories", "probabilistic")
LONGEST = 10  # substrings that are counted for n-grams and for automata with all states
WINDOWS = (4, 6)  # lengths for the automata of a block
HISTORY_LENGTHS = (5, 7)
HISTORY_STATES = (16, 32, 64, 128, 256)
MOST_HISTORY_PARAMETERS = 64_000_000  # of an automaton for whole histories: all states and symbols
WINDOW_STATES = (200, 1000)
WINDOW_SHRINKAGE = 16.0  # occurrences that are added to their singular values
PROBABILISTIC_STATES = (40, 80, 160, 320)
N_STEPS = 60  # of Baum-Welch at most, stopped on a tenth of the strings
N_LAST_STEPS = 5  # on all strings
N_STARTS = 2
N_SWEEPS = 240
MOST_PARAMETERS = 5_000_000  # of a probabilistic automaton: all states and symbols
MOST_SYMBOLS = 2_000_000  # of a text that they are learned from
START_TIMES = 4  # how often the likeliest mixture counts before others are added
MOST_ADDED = 12
BUCKETS = (1, 2, 3, 4, 6)  # lengths of the known part of a context where another set of weights begins
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
    "public prefixes; then all mixed, by weights that make the symbols after public prefixes likeliest: one "
    "set, and one for each length of the known part of the context. `chosen` begins with that of the two "
    "that ranks better where each half of the public prefixes is ranked with weights from the other, and "
    "adds other rows of the table as long as public prefixes are ranked better, if that helps on the other "
    "half too.",
]


class Part(NamedTuple):
    """A model of the mixture."""

    kind: str
    name: str
    model: Any


class Candidate(NamedTuple):
    """What a row of the table predicts after public and after private prefixes."""

    public: Floats
    private: Floats
    n_models: int
    weights: str


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
    settings = {"problem": problem.number, "files": fingerprint(*files), "version": 3}
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
    """All models of one problem, and what is made of them."""

    def __init__(self, bench: Bench, corpus: Corpus, public: SpiceTest, private: Corpus) -> None:
        self.bench = bench
        self.corpus = corpus
        self.public = public
        self.private = private
        self.events = Events(public, corpus.alphabet)
        self.f = substring_expectations(corpus, LONGEST)
        self.parts = [*self._all_parts()]
        self.scores: list[float] = []  # of the parts, on public prefixes
        self.p = np.stack([self._event_probabilities(part) for part in self.parts], axis=1)

    def _all_parts(self) -> Iterator[Part]:
        for order in range(2, LONGEST + 1):
            yield Part("n-grams", f"n-grams of order {order}", KneserNeyModel(self.f, order))
        automaton = AllStates(self.f)
        for length in range(3, LONGEST + 1):
            for mixing in MIXINGS:
                model = LanguageModel(automaton, length, contexts="mixed", mixing=mixing)
                yield Part("all states", f"all states, T = {length}, C = {mixing:g}", model)
        yield from self._spectral_parts()
        yield from self._probabilistic_parts()

    def _spectral_parts(self) -> Iterator[Part]:
        training = Training(self.corpus, self.bench.seed)
        for length in WINDOWS:
            grid = [(n,) for n in WINDOW_STATES]
            numbers = [n for part in possible_states(training.blocks(length), grid) for n in part]
            largest = training.trained(length, numbers[-1])
            shrunk = largest.shrunk(WINDOW_SHRINKAGE)
            for n in sorted({min(n, shrunk.n_states) for n in numbers}):
                for mixing in MIXINGS:
                    options = Kind("mixed", mixing).options(self.corpus)
                    name = f"T = {length}, {n} states, C = {mixing:g}"
                    yield Part("window", name, LanguageModel(shrunk.truncate(n), length, **options))
        for length in HISTORY_LENGTHS:
            yield from _history_parts(substring_expectations(self.corpus, length), length)

    def _probabilistic_parts(self) -> Iterator[Part]:
        alphabet = self.corpus.alphabet
        strings = Corpus.from_sequences([x[1:-1] for x in self.corpus])  # without end and start symbol
        for n in PROBABILISTIC_STATES[:1] if self.bench.quick else PROBABILISTIC_STATES:
            too_large = n * n * len(alphabet) > MOST_PARAMETERS or self.corpus.n_symbols > MOST_SYMBOLS
            if too_large:
                continue
            self.bench.say(f"probabilistic automata with {n} states")
            for name, automata in _learned(strings, n, self.bench.seed):
                models = [history_model(automaton, alphabet) for automaton in automata]
                yield Part("probabilistic", f"{n} states, {name}", models)

    def _distributions(self, part: Part, prefixes: Sequence[Sequence[Any]]) -> Floats:
        models = part.model if isinstance(part.model, list) else [part.model]
        total = sum(model.probabilities_after(prefixes) for model in models)
        return np.asarray(total / len(models))

    def _event_probabilities(self, part: Part) -> Floats:
        p = np.empty(len(self.events.symbols))
        distributions = self._distributions(part, self.public.prefixes)
        self.events.look_up(np.arange(len(distributions)), distributions, p)
        self.scores.append(self._public_score(distributions))
        self.bench.say(f"{part.name}: {self.scores[-1]:.4f}")
        return p

    def _public_score(self, distributions: Floats) -> float:
        return ndcg(self._ranked(distributions), self.public.targets, RANKED)

    def _ranked(self, distributions: Floats) -> list[list[Any]]:
        return best_labels(distributions, RANKED, self.corpus.alphabet)

    def solved(self) -> dict[str, Any]:
        """The best of every kind, the mixtures, and what is chosen."""
        candidates: dict[str, Candidate] = {}
        for kind in KINDS:
            own = [k for k, part in enumerate(self.parts) if part.kind == kind]
            if own:
                best = self.parts[max(own, key=self.scores.__getitem__)]
                public, private = (
                    self._distributions(best, prefixes) for prefixes in (self.public.prefixes, self.private)
                )
                candidates[f"{kind}, the best"] = _candidate(public, private, 1, best.name)
        mixtures, start = self._mixtures()
        candidates |= mixtures
        candidates["chosen"] = self._selected(candidates, start)
        return {
            name: {
                "public": self._public_score(one.public),
                "models": one.n_models,
                "weights": one.weights,
                "private": self._ranked(one.private),
            }
            for name, one in candidates.items()
        }

    def _selected(self, candidates: dict[str, Candidate], start: str) -> Candidate:
        """Ensemble selection (R. Caruana and others, ICML 2004): what ranks better is added, again and again.

        Only if what either half of the public prefixes adds ranks the other half better.
        """
        every = np.arange(len(self.public.prefixes))
        halves = every[::2], every[1::2]
        gain = 0.0
        for own, other in zip(halves, halves[::-1], strict=True):
            added = self._added(candidates, start, own)
            mixed = sum(times * candidates[name].public[other] for name, times in added.items())
            gain += self._score_of(mixed, other) - self._score_of(candidates[start].public[other], other)
        if gain <= 0:
            return candidates[start]
        added = self._added(candidates, start, every)
        total = sum(added.values())
        public, private = (
            sum(times / total * candidates[name][side] for name, times in added.items()) for side in (0, 1)
        )
        weights = ", ".join(f"{name} {times / total:.2f}" for name, times in added.items())
        return _candidate(public, private, sum(candidates[name].n_models for name in added), weights)

    def _added(self, candidates: dict[str, Candidate], start: str, rows: NDArray[np.int64]) -> Counter[str]:
        """How often each candidate is taken, by the ranks of some public prefixes."""
        own = {name: candidate.public[rows] for name, candidate in candidates.items()}
        added, mixed = Counter({start: START_TIMES}), START_TIMES * own[start]
        best = self._score_of(mixed, rows)
        for _ in range(MOST_ADDED):
            scores = {name: self._score_of(mixed + more, rows) for name, more in own.items()}
            name = max(scores, key=scores.__getitem__)
            if scores[name] <= best:
                break
            best = scores[name]
            added[name] += 1
            mixed += own[name]
        return added

    def _score_of(self, distributions: Any, rows: NDArray[np.int64]) -> float:
        return ndcg(self._ranked(distributions), [self.public.targets[row] for row in rows], RANKED)

    def _mixtures(self) -> tuple[dict[str, Candidate], str]:
        """Both, and the name of the one that ranks better where halves are ranked by weights of the other."""
        known = {"public": self._known(self.public.prefixes), "private": self._known(self.private)}
        buckets = {name: np.digitize(lengths, BUCKETS) for name, lengths in known.items()}
        one = {name: np.zeros_like(own) for name, own in buckets.items()}
        halves = np.arange(len(self.public.prefixes)) % 2
        sets = {
            "mixed": (one, self._weights(one["public"])),
            "mixed by known context": (buckets, self._weights(buckets["public"])),
        }
        crossed = {
            name: [self._weights(own["public"], halves == half) for half in (0, 1)]
            for name, (own, _) in sets.items()
        }
        totals = {(name, part): 0.0 for name in sets for part in known}
        tested: dict[str, Any] = dict.fromkeys(sets, 0.0)
        for k, part in enumerate(self.parts):
            for side, prefixes in (("public", self.public.prefixes), ("private", self.private)):
                used = [w[:, k].any() for _, w in sets.values()] + [
                    w[:, k].any() for ws in crossed.values() for w in ws
                ]
                if not any(used):
                    continue
                own = self._distributions(part, prefixes)
                for name, (by, weights) in sets.items():
                    totals[name, side] = totals[name, side] + weights[by[side], k, None] * own
                    if side == "public":
                        other = np.stack([w[by[side], k] for w in crossed[name]])[
                            1 - halves, np.arange(len(halves))
                        ]
                        tested[name] = tested[name] + other[:, None] * own
        found = {}
        for name, (_, weights) in sets.items():
            mean = weights.mean(axis=0)
            kinds = {kind: sum(mean[k] for k, p in enumerate(self.parts) if p.kind == kind) for kind in KINDS}
            named = ", ".join(f"{kind} {w:.2f}" for kind, w in kinds.items() if w > 0)
            n_models = int((mean > 0).sum())
            found[name] = _candidate(totals[name, "public"], totals[name, "private"], n_models, named)
        return found, max(sets, key=lambda name: self._public_score(tested[name]))

    def _weights(self, by: NDArray[np.int64], kept: NDArray[np.bool_] | None = None) -> Floats:
        """For each bucket of prefixes the weights; those of all prefixes where it has few events."""
        rows = self.events.rows
        counts = self.events.counts * (1.0 if kept is None else kept[rows])
        everywhere = fit_weights(self.p, counts, least=LEAST_WEIGHT)
        weights = np.tile(everywhere, (len(BUCKETS) + 1, 1))
        for bucket in np.unique(by) if by.any() else []:
            own = counts * (by[rows] == bucket)
            kept_parts = everywhere > 0  # few parts: a bucket has few events
            if own.sum() >= 500 * len(BUCKETS):
                weights[bucket] = 0.0
                weights[bucket, kept_parts] = fit_weights(self.p[:, kept_parts], own)
        return weights

    def _known(self, prefixes: Strings) -> NDArray[np.int64]:
        """For each prefix the length of the longest suffix, start symbol included, that was seen."""
        alphabet = self.corpus.alphabet
        known = np.zeros(len(prefixes), np.int64)
        for row, prefix in enumerate(prefixes):
            ids = [alphabet.start_id, *(alphabet.get(label) for label in prefix)][-LONGEST + 1 :]
            suffixes = [ids[i:] for i in range(len(ids))]
            flat = np.array([a for suffix in suffixes for a in suffix], np.int32)
            offsets = np.cumsum([0, *map(len, suffixes)])
            nodes = self.f._trie.find(flat, offsets)
            known[row] = max(
                (len(s) for s, node in zip(suffixes, nodes, strict=True) if node >= 0), default=0
            )
        return known


def _candidate(public: Any, private: Any, n_models: int, weights: str) -> Candidate:
    """In single precision: both have a row for each prefix and a column for each symbol."""
    return Candidate(np.asarray(public, np.float32), np.asarray(private, np.float32), n_models, weights)


def _history_parts(f: SequenceFunction, length: int) -> Iterator[Part]:
    most = math.isqrt(MOST_HISTORY_PARAMETERS // len(f.alphabet))
    automaton = history_automaton(f, min(most, HISTORY_STATES[-1]))
    if automaton is None:
        return
    for n in sorted({min(n, automaton.n_states) for n in HISTORY_STATES}):
        model = LanguageModel(automaton.truncate(n), length, history="whole")
        yield Part("histories", f"histories, T = {length}, {n} states", model)


def _learned(strings: Corpus, n_states: int, seed: int) -> Iterator[tuple[str, list[ProbabilisticAutomaton]]]:
    """Results of Baum-Welch from some starts, and the automata of two chains that begin there."""
    whole = training_sample("strings", strings)
    order = np.random.default_rng(seed).permutation(len(whole.weights))
    n_out = len(order) // 10
    fitted, held_out = whole.take(np.sort(order[n_out:])), whole.take(np.sort(order[:n_out]))
    tree = prefix_tree(fitted)
    starts = []
    for number in range(N_STARTS):
        first = first_parameters(tree, n_states, len(strings.alphabet), number, seed)
        found = baum_welch(fitted, first, N_STEPS, CONCENTRATION, held_out)
        starts.append(baum_welch(whole, found.parameters, N_LAST_STEPS, CONCENTRATION).parameters)
    drawn = drawn_automata(
        whole,
        starts,
        n_sweeps=N_SWEEPS,
        n_left_out=N_SWEEPS // 2,
        seed=seed,
        show=lambda line: None,
    )
    named = {"Baum-Welch": starts} | {f"chain {k}": chain for k, chain in enumerate(drawn)}
    for name, automata in named.items():
        yield name, [ProbabilisticAutomaton(*one, alphabet=strings.alphabet) for one in automata]
