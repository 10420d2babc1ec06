"""The paper's experiments: what they are made of against plain numpy, and all of it on small texts."""

import csv
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import (
    Alphabet,
    Corpus,
    LanguageModel,
    full_basis,
    hankel_blocks,
    learn_automaton,
    matching_basis,
    random_cuts_basis,
    substring_expectations,
    truncated_svd,
)
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.paper.__main__ import EXPERIMENTS, main
from benchmarks.paper.all_states import AllStates
from benchmarks.paper.compression import Compressed, core_size, full_automaton
from benchmarks.paper.conditioning import scaled_blocks, with_lowered_counts
from benchmarks.paper.peeling import peel, rank
from benchmarks.paper.results import Bench, Column, MissingDataError, Table
from benchmarks.paper.spectral import Statistics, compress_full_block
from benchmarks.report import markdown

OF_SPICE = ("table3", "beyond-window")  # have tests of their own
HERE = [name for name in EXPERIMENTS if name not in OF_SPICE]


def random_text(n_sentences, n_labels, seed=0):
    """Sentences in which symbols depend on the one before."""
    random = np.random.default_rng(seed)
    rows = random.dirichlet(np.full(n_labels, 0.3), n_labels).cumsum(axis=1)
    sentences = []
    for length in random.integers(3, 40, n_sentences):
        symbol, sentence = 0, []
        for _ in range(length):
            symbol = min(int(np.searchsorted(rows[symbol], random.random())), n_labels - 1)
            sentence.append(symbol)
        sentences.append(sentence)
    return sentences


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """A data folder of generated texts."""
    folder = tmp_path_factory.mktemp("data")
    for name, parts, n_labels in (
        ("ptb/ptb.char", ("train", "valid", "test"), 14),
        ("pos/ewt.tags", ("train", "dev", "test"), 6),
    ):
        for seed, part in enumerate(parts):
            path = folder / f"{name}.{part}.txt"
            path.parent.mkdir(exist_ok=True)
            sentences = random_text(300 if part == "train" else 60, n_labels)[seed::2]
            lines = [" ".join(chr(97 + symbol) for symbol in sentence) for sentence in sentences]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    stream = "\n".join("".join(chr(97 + s) for s in sentence) for sentence in random_text(5_000, 9))
    (folder / "warandpeace").mkdir()
    (folder / "warandpeace" / "warpeace_input.txt").write_text(stream, encoding="utf-8")
    (folder / "spice" / "train").mkdir(parents=True)
    problem = random_text(100, 5)
    lines = ["100 5", *(" ".join(map(str, [len(x), *x])) for x in problem)]
    (folder / "spice" / "train" / "4.spice.train").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


# -------------------------------------------------------------------------------------------- compression

texts = st.lists(st.text("abc", min_size=1, max_size=9), min_size=1, max_size=8)


@given(texts, st.integers(1, 6))
def test_a_compressed_full_block_has_the_svd_and_the_automaton_of_the_block(sequences, max_length):
    statistics = Statistics.of(Corpus.from_sequences(sequences, end_symbol=True), max_length)
    blocks = hankel_blocks(statistics.f, full_basis(statistics.graph), graph=statistics.graph)
    compressed = compress_full_block(statistics.graph)
    small = compressed.svd()
    svd = compressed.expand(small)
    dense = blocks.H.toarray()
    np.testing.assert_allclose(svd.U * svd.singular_values @ svd.V.T, dense, atol=1e-9)
    np.testing.assert_allclose(svd.U.T @ svd.U, np.eye(svd.n_states), atol=1e-9)
    assert svd.n_states == np.linalg.matrix_rank(dense) == compressed.rank()
    expected = learn_automaton(blocks, svd=svd)
    found = full_automaton(statistics.f, compressed, small, np.float64)
    scale = max(np.abs(matrix).max() for matrix in expected.transitions)
    for symbol, matrix in enumerate(expected.transitions):
        np.testing.assert_allclose(found.transitions[symbol], matrix, atol=1e-8 * scale)
    np.testing.assert_allclose(found.initial, expected.initial, atol=1e-8)
    np.testing.assert_allclose(found.final, expected.final, atol=1e-8)


@given(texts, texts, st.integers(1, 5))
def test_a_full_block_with_all_states_predicts_as_the_function_itself(sequences, others, max_length):
    corpus = Corpus.from_sequences(sequences, alphabet=Alphabet("abc.", end_symbol="."))
    statistics = Statistics.of(corpus, max_length)
    compressed = compress_full_block(statistics.graph)
    automaton = full_automaton(statistics.f, compressed, compressed.svd(), np.float64)
    model = LanguageModel(automaton, max_length, contexts="longest")
    other = Corpus.from_sequences(others, alphabet=corpus.alphabet)
    for contexts in ("longest", "mixed"):
        known = LanguageModel(AllStates(statistics.f), max_length, contexts=contexts)
        expected = model.replace(contexts=contexts)
        assert known.bits_per_symbol(other) == pytest.approx(expected.bits_per_symbol(other), abs=1e-6)
        np.testing.assert_allclose(
            known.probabilities_after(others), expected.probabilities_after(others), atol=1e-6
        )


def test_blocks_of_any_basis_are_compressed_exactly():
    statistics = Statistics.of(Corpus.from_sequences(random_text(200, 8), end_symbol=True), 5)
    blocks = hankel_blocks(statistics.f, random_cuts_basis(statistics.graph, 900, seed=1))
    compressed = Compressed.of_blocks(blocks)
    assert max(compressed.core.shape) < 400
    expected = np.linalg.svd(blocks.H.toarray(), compute_uv=False)
    svd = compressed.expand(compressed.svd())
    np.testing.assert_allclose(svd.singular_values, expected[: svd.n_states], rtol=1e-8, atol=1e-12)
    assert svd.residual(blocks.H) < 1e-12
    assert truncated_svd(blocks.H).n_states == svd.n_states


@given(st.integers(0, 2**32 - 1))
@example(7542062)  # the compressed rows have entries in more columns
def test_the_core_is_never_larger_than_was_said(seed):
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(1, 25, 2))
    H = sp.random_array(shape, density=0.15, rng=random).tocsr()
    lengths = [random.integers(0, 3, n) for n in shape]
    core = Compressed.of(H, *lengths).core
    assert max(core.shape) <= core_size(H, *lengths) <= max(shape)


# -------------------------------------------------------------------------------------------------- ranks


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.02, 0.06, 0.15, 0.4]))
def test_ranks_by_pivots_and_a_dense_rest(seed, density):
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(1, 30, 2))
    H = sp.random_array(shape, density=density, rng=random).tocsr()
    lengths = [random.integers(0, 3, n) for n in shape]
    found = rank(H, *lengths, largest_core=100)
    expected = np.linalg.matrix_rank(H.toarray())
    assert (found.at_least, found.is_exact) == (expected, True)
    bound = rank(H, *lengths, largest_core=0)
    assert bound.at_least == bound.pivots <= expected
    assert bound.is_exact == (bound.core == 0)


def test_what_is_left_has_no_single_entries():
    H = sp.csr_array(np.triu(np.ones((30, 30))))
    assert peel(H)[0] == 30
    full = sp.csr_array(sp.block_diag([np.triu(np.ones((5, 5))), np.ones((3, 4))]).toarray())
    pivots, rows, columns = peel(full)
    assert (pivots, rows.tolist(), columns.tolist()) == (5, [5, 6, 7], [5, 6, 7, 8])


# ------------------------------------------------------------------------------------------------ the frame


def test_a_step_is_done_once_for_each_setting(tmp_path):
    bench = Bench(None, tmp_path, experiment="some")
    calls = []

    def compute():
        calls.append(1)
        return {"value": np.float64(0.1), "n": np.int64(3)}

    first = bench.cached("step", {"a": 1}, compute)
    again = bench.cached("step", {"a": 1}, compute)
    assert again == first == {"value": 0.1, "n": 3, "step": first["step"]}
    assert len(calls) == 1
    bench.cached("step", {"a": 2}, compute)
    assert len(calls) == 2
    bench.fresh = True
    bench.cached("step", {"a": 1}, compute)
    assert len(calls) == 3


def test_an_interrupted_step_leaves_nothing(tmp_path):
    bench = Bench(None, tmp_path, experiment="some")

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.cached("step", {}, interrupted)
    assert bench.cached("step", {}, lambda: {"value": 1})["value"] == 1
    assert len(list(tmp_path.rglob("*"))) == 2  # the folder and one file


def test_markdown_has_a_line_for_each_row_and_empty_cells():
    table = markdown(
        [Column("a", "first"), Column("b", "bits", ".2f")], [{"a": "x", "b": 1.234}, {"a": "yy"}]
    )
    assert table.splitlines() == [
        "| first | bits |",
        "| ----- | ---- |",
        "| x     | 1.23 |",
        "| yy    |      |",
    ]


def test_csv_holds_all_that_is_known_of_a_row(tmp_path):
    table = Table("t", "T", [Column("a", "first")], [{"a": 1, "more": "é"}, {"a": 2}])
    table.write_csv(tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["a", "more"], ["1", "é"], ["2", ""]]


def test_missing_data_are_named(tmp_path, capsys):
    with pytest.raises(MissingDataError, match=r"--data: there is no ptb/x\.txt"):
        Bench(tmp_path, tmp_path, experiment="some").file("ptb/x.txt")
    assert main(["table1", "--data", str(tmp_path), "--output", str(tmp_path / "out")]) == 2
    assert "table1: left out. --data: there is no ptb/" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["table9"])
    assert "EXPERIMENT: 'table9' is unknown; choose from table1" in capsys.readouterr().err


def test_a_run_that_is_interrupted_says_how_to_go_on(generated, tmp_path, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("benchmarks.paper.rank_gap.ranks", interrupted)
    assert main(["rank-gap", "--quick", "--data", str(generated), "--output", str(tmp_path)]) == 130
    assert "rank-gap: interrupted; the same command goes on where it was" in capsys.readouterr().err


def test_the_results_need_a_folder(tmp_path, capsys):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit):
        main(["rank-gap", "--output", str(tmp_path / "file")])
    assert "is not a folder; give another name" in capsys.readouterr().err


def test_states_of_table_2_can_be_bounded(generated, tmp_path, capsys):
    arguments = ["table2", "--quick", "--data", str(generated), "--output", str(tmp_path)]
    assert main([*arguments, "--most-states", "5"]) == 0
    rows = json.loads((tmp_path / "table2.json").read_text(encoding="utf-8"))["tables"][0]["rows"]
    found = [row["n_states"] for row in rows if row.get("n_states")]
    assert len(found) == 16  # four methods, two texts, two lengths
    assert max(found) <= 5
    with pytest.raises(SystemExit):
        main([*arguments, "--most-states", "0"])
    assert "--most-states: 0 given; give a whole number of at least 1" in capsys.readouterr().err


def test_scaled_blocks_compute_the_same_function():
    f = substring_expectations(Corpus.from_sequences(["abab", "baa", "ab"], end_symbol=True), 4)
    blocks = hankel_blocks(f, matching_basis(f))
    plain, scaled = learn_automaton(blocks), learn_automaton(scaled_blocks(blocks, -0.5))
    assert scaled.n_states == plain.n_states
    assert [scaled(x) for x, _ in f.items()] == pytest.approx([plain(x) for x, _ in f.items()], abs=1e-9)


def test_counts_are_lowered_but_for_that_of_the_empty_string():
    f = substring_expectations(Corpus.from_sequences(["ab", "b"]), 2)
    assert dict(with_lowered_counts(f, 0.5).items()) == {
        (): f(()),
        ("a",): 0.25,
        ("b",): 0.75,
        ("a", "b"): 0.25,
    }


# -------------------------------------------------------------------------------------------- all of it


def check_quick_run(name, data, output, capsys):
    assert main([name, "--quick", "--data", str(data), "--output", str(output)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("### ")
    assert "(quick: small parts of the texts)" in printed
    report = json.loads((output / f"{name}.json").read_text(encoding="utf-8"))
    assert report["versions"]["hankelmatch"]
    assert report["machine"]["cores"] >= 1
    assert report["seconds"] > 0
    (table,) = report["tables"]
    with (output / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(table["rows"]) > 1
    return table["rows"]


@pytest.mark.parametrize("name", HERE)
def test_a_quick_run_on_generated_texts(name, generated, tmp_path, capsys):
    rows = check_quick_run(name, generated, tmp_path, capsys)
    CHECKS[name](rows)
    cached = sorted((tmp_path / "cache").iterdir())
    times = [path.stat().st_mtime_ns for path in cached]
    assert check_quick_run(name, generated, tmp_path, capsys) == rows
    assert [path.stat().st_mtime_ns for path in sorted((tmp_path / "cache").iterdir())] == times


@pytest.mark.parametrize("name", HERE)
def test_a_quick_run_on_the_real_data(name, data_dir, tmp_path, capsys):
    CHECKS[name](check_quick_run(name, data_dir, tmp_path, capsys))


def check_table1(rows):
    by_method = {row["method"]: row for row in rows}
    full, matching = by_method["full"], by_method["matching"]
    assert full["paper_bits"] == 1.735
    assert matching["size"] >= full["rank"] >= matching["rank"]
    assert by_method["random cuts 7x"]["rank"] >= by_method["random cuts 1x"]["rank"]
    assert by_method["full, randomized SVD"]["test_bits"] == pytest.approx(full["test_bits"], abs=0.01)
    for row in rows:
        assert 0.5 < row["test_bits"] < 4


def check_table2(rows):
    methods = {"full", "full, n = rank", "matching", "heavy, shrunk", "ours", "Kneser-Ney"}
    assert {row["method"] for row in rows} == methods
    for row in rows:
        bits = row["test_bits"]
        unit = np.log(2) if row["text"].startswith("War") else 1.0
        assert row["test"] == pytest.approx(unit * bits)
        assert 0.5 < bits < 4


def check_figure3(rows):
    points = [row for row in rows if "seconds" in row]
    assert {row["method"] for row in points} == {
        "matching",
        "heavy matching",
        "complete",
        "complete, compressed",
        "random projections",
        "sampling",
    }
    by_method = {row["method"]: row for row in points}
    assert by_method["complete"]["test_bits"] == pytest.approx(
        by_method["complete, compressed"]["test_bits"], abs=1e-3
    )
    assert len(rows) - len(points) == 16  # the paper's


def check_rank_gap(rows):
    for row in rows:
        assert row["is_exact"]
        assert 0 <= row["structural_rank"] - row["at_least"] <= 0.1 * row["structural_rank"]
        assert row["numeric_rank"] is None or 0 < row["numeric_rank"] <= row["at_least"]
    assert rows[0]["numeric_rank"] == rows[0]["at_least"]


def check_matching_speed(rows):
    assert [row["edges"] for row in rows[:4]] == sorted(row["edges"] for row in rows[:4])
    for row in rows:
        assert 0 < row["size"] <= min(row["prefixes"], row["suffixes"])
        assert row["random"] > 0 < row["longest_shifted"]


def check_conditioning(rows):
    cells = {(row["choice"], row["value"]): row for row in rows}
    # Scaling is what it says only below the rank; what is not changed comes to the same by every road.
    assert cells["lowered counts", "0.0"]["ptb_mixed"] == pytest.approx(cells["mixing", "1.5"]["ptb_mixed"])
    for name in ("floor", "share of singular values"):
        assert cells[name, "1.0"]["pos_longest"] == pytest.approx(
            cells["lowered counts", "0.0"]["pos_longest"]
        )
    assert cells["scaled", "0.0"]["ptb_mixed"] == pytest.approx(
        cells["share of singular values", "0.7"]["ptb_mixed"], abs=1e-3
    )
    assert cells["mixing", "1.0"]["pos_longest"] is None
    for kind in ("mixed", "longest"):
        unshrunk = cells["share of singular values", "1.0"][f"ptb_{kind}"]
        assert cells["shrinkage, auto", "0.0"][f"ptb_{kind}"] == pytest.approx(unshrunk)
        assert cells["shrinkage, auto", "32.0"][f"ptb_{kind}"] != pytest.approx(unshrunk)
    assert len(rows) == 55


def check_default_learner(rows):
    assert [row["max_length"] for row in rows] == [3, 4]
    for row in rows:
        assert 0.5 < row["test_bits"] < 4
        assert row["difference"] == pytest.approx(row["test_bits"] - row["n_gram_bits"])
        assert "n-grams" in row["weights"] or "window" in row["weights"]


CHECKS = {
    "default-learner": check_default_learner,
    "conditioning": check_conditioning,
    "table1": check_table1,
    "table2": check_table2,
    "figure3": check_figure3,
    "rank-gap": check_rank_gap,
    "matching-speed": check_matching_speed,
}
