"""SPiCe beyond the window, on generated problems: what is mixed, and that private targets choose nothing."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hankelmatch import Corpus, KneserNeyModel, read_spice

from benchmarks.paper import beyond_window as beyond
from benchmarks.paper.__main__ import main
from benchmarks.paper.beyond_window import log_linear, parts
from benchmarks.paper.beyond_window.classes import ClassCounts, ClassModel
from benchmarks.paper.beyond_window.cuts import PrefixFactors
from benchmarks.paper.beyond_window.log_linear import Predictions

from .test_spice_table import write_problem


@pytest.fixture(scope="module", autouse=True)
def small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "PROBABILISTIC_STATES", (4,))
        patch.setattr(parts, "HISTORY_STATES", (4, 8))
        patch.setattr(parts, "N_CLASSES", (2,))
        patch.setattr(parts, "N_SWEEPS", 60)
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
    methods = [f"{kind}, the best" for kind in parts.KINDS]
    methods += ["linear mixture", "log-linear mixture"]
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


def text(*words: str) -> Corpus:
    """A text whose sequences have start and end symbol."""
    return Corpus.from_sequences(words, start_symbol="<", end_symbol=">")


def test_factors_are_those_of_their_definition():
    words = ["ab", "abb", "b", "abc", "cab", "b"]
    corpus = text(*words)
    alphabet = corpus.alphabet
    model = KneserNeyModel(corpus, 3)
    prefixes = ["", "ab", "abc", "ca", "cc"]
    candidates = np.tile(np.arange(len(alphabet)), (len(prefixes), 1))
    factors = PrefixFactors(corpus, model)(prefixes, candidates)
    for prefix, of_prefix in zip(prefixes, factors, strict=True):
        for symbol, (cut, new, end) in zip(alphabet.labels, of_prefix, strict=True):
            going_on = [w for w in words if f"{w}>".startswith(prefix + symbol)]
            known = sum(
                np.exp(model.symbol_log_probabilities([w])[0][len(prefix) + 1 :].sum()) for w in {*going_on}
            )
            assert new == pytest.approx(np.log(max(1 - known, 0.02)), abs=1e-5)
            assert end == (symbol == ">")
            at_place = [w for w in words if len(w) >= len(prefix)]
            here = [w for w in at_place if f"{w}>"[len(prefix)] == symbol]
            shared = np.mean([1 / (len(w) + 1) for w in at_place])
            total = sum(1 / (len(w) + 1) for w in here) + 20 * shared
            expected = 1 / (len(prefix) + 1) if symbol == ">" else total / (len(here) + 20)
            assert cut == pytest.approx(np.log(expected), abs=1e-5)


def test_a_place_beyond_all_sequences_has_factors_too():
    corpus = text("ab", "b")
    candidates = np.arange(len(corpus.alphabet))[None]
    factors = PrefixFactors(corpus, KneserNeyModel(corpus, 2))(["abab"], candidates)
    assert np.isfinite(factors).all()
    assert factors[0, corpus.alphabet.end_id, 0] == pytest.approx(np.log(1 / 5))


def drawn_predictions(n=300, n_symbols=6, seed=0):
    """Two models that each know half of the truth, one that knows nothing, and a factor that forbids."""
    rng = np.random.default_rng(seed)
    logs = rng.normal(size=(n, n_symbols, 2))
    forbidden = np.where(rng.random((n, n_symbols, 1)) < 0.2, -3.0, 0.0)
    truth = np.exp(logs.sum(axis=2) + forbidden[:, :, 0])
    truth /= truth.sum(axis=1, keepdims=True)
    p = np.exp(np.concatenate([logs, rng.normal(size=(n, n_symbols, 1))], axis=2))
    p /= p.sum(axis=1, keepdims=True)
    targets = np.eye(n_symbols, dtype=np.float32)[[rng.choice(n_symbols, p=row) for row in truth]]
    return Predictions(p.astype(np.float32), forbidden.astype(np.float32)), targets, truth


def test_a_product_of_models_is_found():
    predictions, targets, _ = drawn_predictions(n=4000)
    found = log_linear.fit(predictions, targets, 1e-4)
    of_linear, first, second, noise, factor = found.weights
    assert first + of_linear * found.linear[0] == pytest.approx(1.0, abs=0.2)
    assert second + of_linear * found.linear[1] == pytest.approx(1.0, abs=0.2)
    assert abs(noise + of_linear * found.linear[2]) < 0.2
    assert factor == pytest.approx(1.0, abs=0.2)


def test_the_penalised_likelihood_is_at_its_best():
    predictions, targets, _ = drawn_predictions()
    found = log_linear.fit(predictions, targets, 0.01)

    def loss(weights):
        scores = found._replace(weights=weights).scores(predictions).astype(np.float64)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        away = weights - np.eye(len(weights))[0]
        return -(targets * logs).sum() / len(targets) + 0.01 * (away @ away) / 2

    for direction in np.eye(len(found.weights)):
        for step in (-0.05, 0.05):
            assert loss(found.weights) < loss(found.weights + step * direction)


def test_a_large_ridge_leaves_the_linear_mixture():
    predictions, targets, _ = drawn_predictions()
    found = log_linear.fit(predictions, targets, 1e6)
    mixed = found.mixed(predictions)
    np.testing.assert_allclose(mixed, predictions.p @ found.linear, rtol=1e-5)
    np.testing.assert_allclose(np.exp(found.scores(predictions)), mixed, rtol=1e-3)


def test_a_fold_is_scored_without_its_own_targets():
    predictions, targets, _ = drawn_predictions()
    _, scores, linear = log_linear.fit_on_folds(predictions, targets, 0, [0.01])
    fold = np.random.default_rng(0).permutation(len(targets)) % log_linear.N_FOLDS == 2
    other = targets.copy()
    other[fold] = targets[fold][::-1]
    _, again, linear_again = log_linear.fit_on_folds(predictions, other, 0, [0.01])
    np.testing.assert_array_equal(scores[fold], again[fold])
    np.testing.assert_array_equal(linear[fold], linear_again[fold])
    assert (scores[~fold] != again[~fold]).any()


def test_the_ridge_with_the_likeliest_folds_is_taken():
    predictions, targets, truth = drawn_predictions()
    found, scores, linear = log_linear.fit_on_folds(predictions, targets, 0, [1e6, 0.01])
    assert found.ridge == 0.01
    gain = [(truth * np.log(own / own.sum(axis=1, keepdims=True))).sum() for own in (np.exp(scores), linear)]
    assert gain[0] > gain[1]


def test_symbols_with_like_neighbours_are_one_class():
    """Consonants and vowels take turns."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice([*"bdg"]) + rng.choice([*"aei"]) for _ in range(4)) for _ in range(200)]
    corpus = text(*words)
    counts = ClassCounts(corpus, 2, 3, seed=0)
    of_label = {label: counts.class_of[corpus.alphabet.id(label)] for label in "bdgaei"}
    assert len({of_label[x] for x in "bdg"}) == len({of_label[x] for x in "aei"}) == 1
    assert of_label["b"] != of_label["a"]
    p = ClassModel(counts, 3).probabilities_after(["", "b", "ba", "gag"])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    by_label = dict(zip(corpus.alphabet.labels, p[1], strict=True))
    assert all(by_label[vowel] > 0.2 > by_label[consonant] for vowel in "aei" for consonant in "bdg")


def test_candidates_are_those_that_n_grams_find_likeliest(folder, monkeypatch):
    monkeypatch.setattr(beyond, "N_CANDIDATES", 3)
    corpus = read_spice(folder / "spice" / "train" / "4.spice.train", start_symbol=True)
    models = [parts.Part("n-grams", str(k), [KneserNeyModel(corpus, k)]) for k in (2, 3)]
    prefixes = [list(corpus[k][1:4]) for k in range(5)]
    found = beyond._candidates(models, prefixes)
    mean = sum(part.distributions(prefixes) for part in models)
    for row, symbols in zip(mean, found, strict=True):
        assert all(a < b for a, b in pairwise(symbols))
        assert sorted(row)[-3:] == pytest.approx(sorted(row[symbols]))
