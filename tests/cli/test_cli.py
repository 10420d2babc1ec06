"""The command: what evaluate, predict, sample and match print, for people and for programs."""

from __future__ import annotations

import gzip
import json
import os
import subprocess

import pytest
from hankelmatch import __version__, load_model, structural_rank
from hankelmatch.cli import main

from .commands import SENTENCES, run
from .matrices import write_matrix


def test_evaluate_agrees_with_python(capsys, model, text):
    result = json.loads(run(capsys, "evaluate", model, text, "--json"))
    sequences = [[*sentence, "</s>"] for sentence in SENTENCES]
    assert result["bits_per_symbol"] == pytest.approx(load_model(model).bits_per_symbol(sequences))
    assert result["scored"] == sum(map(len, SENTENCES)) + len(SENTENCES)
    assert "bits per character" in run(capsys, "evaluate", model, text)
    longest = json.loads(run(capsys, "evaluate", model, text, "--contexts", "longest", "--json"))
    assert longest["bits_per_symbol"] != result["bits_per_symbol"]


def test_evaluate_finds_the_unit_of_the_model(capsys, token_model):
    assert "bits per symbol" in run(capsys, "evaluate", token_model, token_model.with_name("train.txt"))


def test_evaluate_finds_that_single_characters_are_tokens_where_blanks_are_unknown(capsys, tmp_path):
    path, model = tmp_path / "train.txt", tmp_path / "model.npz"
    path.write_text("a b a\nb a b b\n" * 20, encoding="utf-8")
    run(capsys, "learn", path, "--unit", "token", "--max-length", 3, "--states", 3, "-o", model)
    result = json.loads(run(capsys, "evaluate", model, path, "--json"))
    assert result["scored"] == 20 * 9
    assert run(capsys, "predict", model, "a b", "-k", 1) == run(capsys, "predict", model, "ab", "-k", 1)


def test_symbols_that_a_spice_file_promises_but_lacks_are_not_unseen(capsys, tmp_path):
    model, path = tmp_path / "model.npz", tmp_path / "t.spice"
    path.write_text("40 2\n" + "2 0 1\n" * 40, encoding="ascii")
    out = run(capsys, "learn", path, "--max-length", "2", "--states", "2", "-o", model)
    assert "bits per symbol" in out
    assert "bits per character" not in out
    path.write_text("2 9\n1 0\n2 1 0\n", encoding="ascii")
    assert "bits per symbol (5 symbols," in run(capsys, "evaluate", model, path)
    path.write_text("2 9\n1 0\n2 1 7\n", encoding="ascii")
    assert f"{path}: line 3: 7 is not in the alphabet" in run(capsys, "evaluate", model, path, status=2)


def test_unseen_symbols_are_skipped_when_asked(capsys, model, tmp_path):
    path = tmp_path / "new.txt"
    path.write_text("The \u20ac sign.\n", encoding="utf-8")
    assert "1 unseen skipped" in run(capsys, "evaluate", model, path, "--unseen", "skip")


def test_predict_ranks_symbols_with_probabilities(capsys, model):
    lines = run(capsys, "predict", model, "Th", "-k", 3).splitlines()
    assert len(lines) == 3
    probability, symbol = lines[0].split()
    assert symbol == "e"
    expected = load_model(model).next_symbol_probabilities("Th")
    assert float(probability) == pytest.approx(expected.max(), abs=1e-4)
    ranked = json.loads(run(capsys, "predict", model, "Th", "--json"))
    assert len(ranked) == 10
    assert ranked[0]["symbol"] == "e"
    assert ranked == sorted(ranked, key=lambda entry: -entry["probability"])


def test_predict_in_the_middle_of_a_sentence(capsys, model):
    assert run(capsys, "predict", model, "") != run(capsys, "predict", model, "", "--middle")
    assert "' '" in run(capsys, "predict", model, "the", "--middle")


def test_predict_tokens(capsys, token_model):
    assert run(capsys, "predict", token_model, "a b", "-k", 1).split()[1] == "a"
    assert "<x>" in run(capsys, "predict", token_model, "b a", "-k", 9)


def test_predict_cuts_a_context_as_the_reader_cuts_a_text(capsys, tmp_path):
    path, model = tmp_path / "train.txt", tmp_path / "model.npz"
    path.write_text("a b\nc\u00a0d b\n" * 100, encoding="utf-8")
    size = ["--unit", "token", "--max-length", 3, "--states", 4]
    run(capsys, "learn", path, *size, "--stream", "-o", model)
    assert run(capsys, "predict", model, "b\n", "-k", 1) != run(capsys, "predict", model, "b", "-k", 1)
    assert run(capsys, "predict", model, "c\u00a0d", "-k", 1).split()[1] == "b"
    run(capsys, "learn", path, *size, "-o", model)
    assert run(capsys, "predict", model, "a\n", "-k", 1) == run(capsys, "predict", model, "a", "-k", 1)
    assert "CONTEXT: line 1: byte 0xe9" in run(capsys, "predict", model, "caf\udce9 a", status=2)
    assert "'\u00b2' is not in the alphabet" in run(capsys, "predict", model, "a \u00b2", status=2)


def test_sample_is_repeatable(capsys, model, token_model):
    one = run(capsys, "sample", model, "-n", 3, "--seed", 1, "--max-length", 40)
    assert one.count("\n") == 3
    assert "</s>" not in one
    assert one == run(capsys, "sample", model, "-n", 3, "--seed", 1, "--max-length", 40)
    assert one != run(capsys, "sample", model, "-n", 3, "--seed", 2, "--max-length", 40)
    sentences = json.loads(run(capsys, "sample", token_model, "--json"))
    assert set(" ".join(sentences).split()) <= {"a", "b", "<x>"}


def test_models_with_numbers_for_labels_read_spice_files(capsys, tmp_path):
    from hankelmatch.interop.spice import read_spice  # noqa: PLC0415
    from hankelmatch.learner import SpectralLearner  # noqa: PLC0415

    path = tmp_path / "1.spice.train"
    path.write_text("3 2\n3 0 1 0\n2 1 0\n0\n", encoding="utf-8")
    SpectralLearner(3, 4).fit(read_spice(path)).model_.save(tmp_path / "model.npz")
    assert "bits per symbol (8 symbols" in run(capsys, "evaluate", tmp_path / "model.npz", path)
    assert run(capsys, "predict", tmp_path / "model.npz", "0 1", "-k", 1).split()[1] == "0"


def test_match_reports_structural_rank_and_certificate(capsys, tmp_path):
    path = tmp_path / "random.mtx"
    matrix = write_matrix(path)
    out = run(capsys, "match", path)
    assert f"40 rows, 50 columns, {matrix.nnz} entries" in out
    result = json.loads(run(capsys, "match", path, "--method", "hopcroft-karp", "--json"))
    assert result["structural_rank"] == result["vertex_cover"] == structural_rank(matrix.tocsr())
    packed = tmp_path / "random.mtx.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert json.loads(run(capsys, "match", packed, "--json"))["structural_rank"] == result["structural_rank"]


def test_match_finds_the_block_triangular_form(capsys, tmp_path):
    path = tmp_path / "form.mtx"
    entries = "1 1\n1 2\n2 3\n3 4\n3 5\n4 4\n4 5\n5 6\n6 6\n"
    path.write_text(f"%%MatrixMarket matrix coordinate pattern general\n6 6 9\n{entries}", encoding="ascii")
    assert "wide 1 x 2, square 3 in 2 irreducible blocks, tall 2 x 1" in run(capsys, "match", path, "--dm")
    form = json.loads(run(capsys, "match", path, "--dm", "--json"))["decomposition"]
    assert sorted(form["row_order"]) == list(range(6))
    assert form["row_parts"][-1] == form["col_blocks"][-1] == 6


@pytest.mark.parametrize(
    ("content", "rank", "entries"),
    [
        ("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n1 2\n", 1, 2),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0.0\n2 2 1.0\n", 2, 2),
        ("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", 2, 2),
        ("%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n1\n", 2, 2),
        ("%%MatrixMarket matrix coordinate pattern general\n3 0 0\n", 0, 0),
        ("%%MatrixMarket matrix array real general\n0 6\n", 0, 0),
    ],
)
def test_match_reads_every_kind_of_matrix(capsys, tmp_path, content, rank, entries):
    path = tmp_path / "m.mtx"
    path.write_text(content, encoding="ascii")
    result = json.loads(run(capsys, "match", path, "--json"))
    assert (result["structural_rank"], result["entries"]) == (rank, entries)


@pytest.mark.skipif(os.name == "nt", reason="pipes have no names there")
def test_match_reads_a_pipe(tmp_path, capsys):
    path, source = tmp_path / "pipe", tmp_path / "m.mtx"
    os.mkfifo(path)
    content = "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n1 2\n"
    source.write_text(content, encoding="ascii")
    with subprocess.Popen(["sh", "-c", f"cat {source} > {path}"]):
        out = run(capsys, "match", path, "--json")
    assert json.loads(out)["structural_rank"] == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes have no names there")
def test_texts_are_read_from_pipes(tmp_path, capsys, text, token_model):
    path, words = tmp_path / "pipe", token_model.with_name("train.txt")
    letters, letter_model = tmp_path / "letters.txt", tmp_path / "model.npz"
    letters.write_text("a b a\nb a b b\n" * 20, encoding="utf-8")
    os.mkfifo(path)
    size = ["--max-length", "2", "--states", "2", "--no-mixture", "--json"]
    run(capsys, "learn", letters, "--unit", "token", *size, "-o", letter_model)
    for source, command in (
        (text, ["learn", path, *size]),
        (letters, ["evaluate", letter_model, path, "--json"]),
        (text, ["learn", text, "--dev", path, *size]),
        (words, ["evaluate", token_model, path, "--json"]),
    ):
        expected = run(capsys, *(source if argument == path else argument for argument in command))
        with subprocess.Popen(["sh", "-c", f"cat {source} > {path}"]):
            out = run(capsys, *command)
        scores = [[json.loads(x)[name] for name in json.loads(x) if "bits" in name] for x in (expected, out)]
        assert scores[0] == scores[1] != []


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"hankelmatch {__version__}\n"


def test_a_spice_file_is_recognised_and_read_alike_by_learn_and_evaluate(capsys, tmp_path):
    path, model = tmp_path / "9.spice.train", tmp_path / "model.npz"
    path.write_text("60 2\n" + "3 0 1 1\n2 0 0\n" * 30, encoding="ascii")
    size = ["--max-length", 2, "--states", 2, "-o", model]
    for unit in ([], ["--unit", "token"]):
        out = run(capsys, "learn", path, *unit, *size)
        assert "read as a SPiCe or PAutomaC file" in out
        assert "4 distinct" in out
    assert load_model(model).alphabet.labels == (0, 1, -1, -2)
    result = json.loads(run(capsys, "learn", path, "--test", path, *size, "--json"))
    assert result["stages"]["corpus"]["format"] == "spice"
    evaluated = json.loads(run(capsys, "evaluate", model, path, "--json"))
    assert evaluated["scored"] == result["stages"]["corpus"]["test_symbols"] == 60 + 5 * 30
    assert evaluated["bits_per_symbol"] == pytest.approx(result["test_bits_per_symbol"])
    assert result["stages"]["test"]["scored"] == evaluated["scored"]
    as_text = run(capsys, "learn", path, "--format", "text", "--unit", "char", "--max-length", 2)
    assert "read as" not in as_text
