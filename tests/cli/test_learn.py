"""The command learn: what it prints, for people and for programs."""

from __future__ import annotations

import json

import pytest
from hankelmatch import load_model
from hankelmatch.cli import main

from .commands import SENTENCES, run


def test_learn_reports_every_stage_with_sizes_and_seconds(capsys, text):
    out = run(capsys, "learn", text, "--max-length", 3)
    stages = [line.split()[0] for line in out.splitlines() if line.endswith(" s")]
    learned = ["substrings", "graph", "matching", "blocks", "svd", "states", "mixture", "refit"]
    assert stages == ["corpus", *learned, "dev", "test"]
    assert "numeric rank" in out
    assert "bits per character, before the refit" in out
    assert "bits per character, after the refit" in out
    assert "learned again from all 360 sequences" in out
    assert "certified by a vertex cover" in out
    assert out.count("bits per character") == 2
    assert out.count(f"held out of {text}") == 2
    assert "A random sentence:" in out


def test_learn_says_where_more_states_may_be_better(capsys, text):
    assert "--max-states 20" in run(capsys, "learn", text, "--max-length", 3, "--max-states", 10)
    assert "--max-states" not in run(capsys, "learn", text, "--max-length", 3, "--states", 10)
    assert "--max-states" not in run(capsys, "learn", text, "--max-length", 2)


def test_learn_for_programs(capsys, text, tmp_path):
    path = tmp_path / "model.npz"
    result = json.loads(run(capsys, "learn", text, "--max-length", 2, "--json", "-o", path))
    assert result["texts"] == {"train": str(text)} | dict.fromkeys(("dev", "test"), f"held out of {text}")
    assert result["stages"]["matching"]["size"] == result["stages"]["matching"]["vertex_cover"]
    assert result["stages"]["states"]["states"] == result["n_states"]
    assert 1 < result["test_bits_per_symbol"] < 6
    assert result["stages"]["test"]["bits_per_symbol"] == result["test_bits_per_symbol"]
    assert load_model(path).alphabet.end_symbol == "</s>"


def test_learn_without_a_text_takes_that_of_python(capsys):
    out = run(capsys, "learn", "--max-length", 2, "--states", 20)
    assert "train     the help texts of this Python" in out
    assert out.count("held out of the help texts of this Python") == 2


def test_learn_takes_dev_and_test_as_they_are_given(capsys, text, tmp_path):
    other = tmp_path / "dev.txt"
    other.write_text("See the sentence.\n", encoding="utf-8")
    result = json.loads(run(capsys, "learn", text, "--dev", other, "--max-length", 2, "--json"))
    assert result["texts"]["dev"] == str(other)
    assert result["stages"]["corpus"]["dev_symbols"] == 18  # with the end, without the start symbol
    both = ["--dev", other, "--test", other]
    result = json.loads(run(capsys, "learn", text, *both, "--max-length", 2, "--json"))
    assert result["dev_bits_per_symbol"] == result["test_bits_per_symbol"]
    assert result["stages"]["corpus"]["sequences"] == len(SENTENCES)


def test_learn_options_reach_the_learner(capsys, text):
    size = ["--max-length", 2, "--states", 9, "--basis", "top-norm", "--svd", "lanczos", "--seed", 1]
    set_up = ["--no-start-symbol", "--method", "paper", "--contexts", "longest", "--shrinkage", "0.5"]
    result = json.loads(run(capsys, "learn", text, "--json", *size, *set_up))
    assert result["n_states"] == 9
    assert result["stages"]["states"]["contexts"] == "longest"
    assert result["stages"]["states"]["shrinkage"] == 0.5
    assert result["stages"]["svd"]["method"] == "lanczos"
    assert "mixture" in result["stages"]
    alone = json.loads(run(capsys, "learn", text, "--json", *size, *set_up, "--no-mixture"))
    assert "mixture" not in alone["stages"]
    assert alone["dev_bits_per_symbol"] > result["dev_bits_per_symbol"]


def test_the_old_name_of_an_option_still_works(capsys, text):
    size = ["--max-length", 2, "--states", 9]
    new = json.loads(run(capsys, "learn", text, "--json", *size, "--method", "paper"))
    main([*map(str, ["learn", text, "--json", *size]), "--matching", "paper"])
    out, err = capsys.readouterr()
    assert json.loads(out)["test_bits_per_symbol"] == new["test_bits_per_symbol"]
    assert "--matching is now --method" in err


def test_learn_from_tokens_says_bits_per_symbol(capsys, token_model):
    out = run(capsys, "learn", token_model.with_name("train.txt"), "--unit", "token", "--max-length", 2)
    assert out.count("bits per symbol") == 3  # the third is that of the choice
    assert "bits per character" not in out


def test_learn_refits_on_dev_that_it_has_held_out_itself_and_says_so(capsys, text, tmp_path):
    learn = ["learn", text, "--max-length", 2, "--json"]
    again = json.loads(run(capsys, *learn))
    once = json.loads(run(capsys, *learn, "--no-refit"))
    assert again["dev_bits_per_symbol"] == pytest.approx(once["dev_bits_per_symbol"])
    assert again["test_bits_per_symbol"] < once["test_bits_per_symbol"]
    assert (again["stages"]["test"]["refitted"], once["stages"]["test"]["refitted"]) == (True, False)
    assert "refit" not in once["stages"]
    other = tmp_path / "dev.txt"
    other.write_text("See the sentence.\n", encoding="utf-8")
    assert "refit" not in json.loads(run(capsys, *learn, "--dev", other))["stages"]
    stream = tmp_path / "stream.txt"
    stream.write_text("abc\nabd\n" * 200, encoding="utf-8")
    result = json.loads(run(capsys, "learn", stream, "--stream", "--max-length", 2, "--json"))
    assert result["stages"]["refit"]["sequences"] == 1


def test_learn_stops_in_time(capsys, text):
    out = run(capsys, "learn", text, "--max-length", 3, "--max-seconds", 0)
    assert "The most states tried, 1, were the best: a larger --max-seconds may be better." in out


def test_learn_with_labels_of_ones_own(capsys, tmp_path):
    path, model = tmp_path / "marked.txt", tmp_path / "model.npz"
    path.write_text("a b\n<s> a </s> b\n" * 50, encoding="utf-8")
    labels = ["--end-label", "END", "--start-label", "START"]
    size = ["--unit", "token", "--max-length", 2, "--states", 2]
    run(capsys, "learn", path, *size, *labels, "-o", model)
    alphabet = load_model(model).alphabet
    assert (alphabet.end_symbol, alphabet.start_symbol) == ("END", "START")
    assert run(capsys, "evaluate", model, path)


def test_learn_from_a_stream(capsys, tmp_path):
    path = tmp_path / "stream.txt"
    path.write_text("abc\nabd\n" * 200, encoding="utf-8")
    model = tmp_path / "model.npz"
    result = json.loads(run(capsys, "learn", path, "--stream", "--max-length", 4, "-o", model, "--json"))
    assert result["stages"]["corpus"]["sequences"] == 1
    assert result["stages"]["corpus"]["distinct"] == 6  # a b c d, newline, start of the stream
    assert run(capsys, "evaluate", model, path).endswith(" s)\n")
    assert run(capsys, "predict", model, "xab"[1:], "-k", 2)


def test_a_text_that_marks_its_sentences_is_learned_from(capsys, tmp_path):
    path, model = tmp_path / "marked.txt", tmp_path / "model.npz"
    path.write_text("<s> a b </s>\n<s> b a a </s>\n" * 30, encoding="ascii")
    learn = ["learn", path, "--unit", "token", "--max-length", 2, "--states", 2, "-o", model]
    assert "if it marks its lines so, give --marked, else" in run(capsys, *learn, status=2)
    run(capsys, *learn, "--marked")
    assert load_model(model).alphabet.labels == ("a", "b", "</s>", "<s>")
    assert "(210 symbols" in run(capsys, "evaluate", model, path, "--unit", "token", "--marked")


def test_what_dask_cannot_read_is_said(capsys, tmp_path):
    path = tmp_path / "9.spice.train"
    path.write_text("2 2\n3 0 1 1\n2 0 0\n", encoding="ascii")
    given = ["--dev", path, "--test", path, "--engine", "dask"]
    assert "with --engine dask lines of plain text are counted" in run(
        capsys, "learn", path, *given, status=2
    )


def test_learn_without_a_start_symbol(capsys, text, tmp_path):
    model = tmp_path / "model.npz"
    run(capsys, "learn", text, "--no-start-symbol", "--max-length", 2, "--states", 9, "-o", model)
    assert load_model(model).alphabet.start_symbol is None
