"""SPiCe beyond the window, on generated problems: what is mixed, and that private targets choose nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hankelmatch import Corpus, MixtureModel, ndcg, read_spice
from hankelmatch.interop.spice import SpiceTest, read_spice_test
from hankelmatch.prediction._scoring import best_labels

from benchmarks.paper import beyond_window as beyond
from benchmarks.paper.__main__ import main

from ..interop.test_spice import write_problem


@pytest.fixture(scope="module", autouse=True)
def small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beyond, "PROBABILISTIC_STATES", (4,))
        patch.setattr(beyond, "HISTORY_STATES", (4, 8))
        patch.setattr(beyond, "N_SWEEPS", 60)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    for number in (2, 4):
        write_problem(data / "spice", number, seed=number)
    return data


def solved(data, output) -> dict:
    assert main(["beyond-window", "--quick", "--data", str(data), "--output", str(output)]) == 0
    return json.loads((output / "beyond-window.json").read_text(encoding="utf-8"))


def rows_of(result: dict) -> list[dict]:
    (table,) = result["tables"].values() if isinstance(result["tables"], dict) else result["tables"]
    return table["rows"]


def test_every_kind_has_its_row_and_private_targets_choose_nothing(folder, tmp_path):
    rows = rows_of(solved(folder, tmp_path / "first"))
    methods = [f"{kind}, the best" for kind in beyond.KINDS]
    methods += ["mixed", "mixed by known context", "chosen"]
    assert [row["method"] for row in rows] == 2 * methods
    assert all(0 < row["private"] <= 1 for row in rows)
    for number in (2, 4):  # other targets, the same choices
        path = folder / "spice" / "targets" / f"{number}.spice.target.private"
        lines = path.read_text(encoding="utf-8").split("\n")
        path.write_text("\n".join([*lines[:-1][::-1], ""]), encoding="utf-8")
    again = rows_of(solved(folder, tmp_path / "second"))
    for before, after in zip(rows, again, strict=True):
        assert (before["public"], before["weights"]) == (after["public"], after["weights"])
    assert [row["private"] for row in rows] != [row["private"] for row in again]


class Silent:
    """A bench without a voice."""

    seed, quick = 0, False

    def say(self, text: str) -> None:
        """Nothing."""


def test_a_mixture_is_the_weighted_sum_of_its_parts(folder):
    spice = folder / "spice"
    corpus = read_spice(spice / "train" / "4.spice.train", start_symbol=True)
    public = read_spice_test(
        spice / "prefixes" / "4.spice.prefix.public", spice / "targets" / "4.spice.target.public"
    )
    private = read_spice(spice / "prefixes" / "4.spice.prefix.private", end_symbol=False)
    solver = beyond.Solver(Silent(), corpus, public, private)
    row = solver.solved()["mixed"]
    weights = solver._weights(np.zeros(len(public.prefixes), int))[0]
    models, shares = [], []
    for part, weight in zip(solver.parts, weights, strict=True):
        own = part.model if isinstance(part.model, list) else [part.model]
        models += own if weight else []
        shares += [weight / len(own)] * len(own) if weight else []
    distributions = {
        name: MixtureModel(models, shares).probabilities_after(prefixes)
        for name, prefixes in (("public", public.prefixes), ("private", private))
    }
    assert row["private"] == best_labels(distributions["private"], 5, corpus.alphabet)
    ranked = best_labels(distributions["public"], 5, corpus.alphabet)
    assert row["public"] == pytest.approx(ndcg(ranked, public.targets))


def test_the_known_part_of_a_context(folder):
    corpus = read_spice(folder / "spice" / "train" / "4.spice.train", start_symbol=True)
    prefixes = [list(corpus[0][1:5]), [], [*corpus[0][1:3], 99, corpus[0][3]]]
    solver = object.__new__(beyond.Solver)
    solver.corpus, solver.f = corpus, beyond.substring_expectations(corpus, beyond.LONGEST)
    assert solver._known(prefixes).tolist() == [5, 1, 1]


def test_candidates_are_added_while_they_rank_better():
    """Two models that each know half of the symbols: together they rank all; noise is left out."""
    n, rng = 400, np.random.default_rng(0)
    truth = rng.integers(0, 6, n)
    right = np.eye(6)[truth] + rng.uniform(0, 0.3, (n, 6))
    noise = rng.uniform(0, 1, (n, 6))
    knows_low, knows_high = (np.where((truth < 3)[:, None] == low, right, noise) for low in (True, False))
    candidates = {
        name: beyond.Candidate(one, one, 1, name)
        for name, one in (("start", knows_low), ("other", knows_high), ("noise", noise))
    }
    solver = object.__new__(beyond.Solver)
    solver.corpus = Corpus.from_sequences(["abcdef"])
    targets = [{"abcdef"[a]: 1.0} for a in truth]
    solver.public = SpiceTest([()] * n, targets)
    chosen = solver._selected(candidates, "start")
    assert chosen.weights.startswith("start ")
    assert "other" in chosen.weights
    assert solver._public_score(chosen.public) > solver._public_score(knows_low)
    alone = solver._selected({"start": candidates["start"]}, "start")
    assert alone is candidates["start"]
