"""The command: how it fails."""

from __future__ import annotations

import errno
import gzip
import os
import time

import pytest
from hankelmatch.cli import main

from .commands import run
from .matrices import write_matrix


def test_complaints_about_files_are_one_line_with_the_remedy(capsys, model, tmp_path):
    missing, empty, latin, folder = (tmp_path / name for name in ("missing", "empty", "latin", "folder"))
    empty.touch()
    latin.write_bytes(b"fine\ncaf\xe9\n")
    folder.mkdir()
    for command in (["learn"], ["learn", "--dev"], ["evaluate", model]):
        assert f"{missing}: No such file" in run(capsys, *command, missing, status=2)
        assert f"{empty}: the file is empty" in run(capsys, *command, empty, status=2)
        assert f"{folder}: Is a directory" in run(capsys, *command, folder, status=2)
        assert f"{latin}: line 2: byte 0xe9 (byte 4 of the line) is not UTF-8; save" in run(
            capsys, *command, latin, status=2
        )


def test_complaints_about_symbols_that_training_never_saw(capsys, model, token_model, text, tmp_path):
    path = tmp_path / "new.txt"
    path.write_text("The sign.\n\nThe \u20ac.\n", encoding="utf-8")
    complaint = f"{path}: line 3: '\u20ac' is not in the alphabet"
    assert complaint in run(capsys, "evaluate", model, path, status=2)
    assert complaint in run(capsys, "learn", text, "--dev", path, status=2)
    assert "--unseen skip" in run(capsys, "predict", model, "\u20ac", status=2)
    assert "(3 symbols are not)" in run(capsys, "evaluate", token_model, path, status=2)


def test_complaints_about_texts_that_cannot_be_learned_from(capsys, tmp_path):
    small = tmp_path / "small.txt"
    small.write_text("one\ntwo\n", encoding="utf-8")
    assert f"{small}: the text is too small" in run(capsys, "learn", small, status=2)
    marked = tmp_path / "marked.txt"
    marked.write_text("a b\na </s> b\n", encoding="utf-8")
    complaint = run(capsys, "learn", marked, "--unit", "token", status=2)
    assert f"{marked}: line 2: the text contains '</s>'" in complaint
    assert "choose another label, as --end-label '<</s>>'" in complaint
    assert "TRAIN: give a file" in run(capsys, "learn", "--stream", status=2)


def test_complaints_about_models(capsys, tmp_path, text):
    assert "make one with 'hankelmatch learn -o'" in run(capsys, "sample", text, status=2)
    assert "No such file" in run(capsys, "sample", tmp_path / "none", status=2)


@pytest.mark.parametrize(
    "place", ["", "nowhere/model.npz", "file/model.npz", os.devnull, "n" * 300, "/proc/model.npz"]
)
def test_a_place_that_cannot_be_written_is_refused_at_once(capsys, tmp_path, text, place):
    (tmp_path / "file").touch()
    assert "-o: no file can be written there" in run(capsys, "learn", text, "-o", "", status=2)
    begin = time.perf_counter()
    assert "no file can be written there" in run(capsys, "learn", text, "-o", tmp_path / place, status=2)
    assert time.perf_counter() - begin < 5


def test_a_disk_that_fills_up_is_reported_by_the_name_of_the_file(capsys, tmp_path, monkeypatch):
    matrix, path = tmp_path / "m.mtx", tmp_path / "pairs.csv"
    write_matrix(matrix)

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / ".0123.tmp"))

    monkeypatch.setattr(os, "replace", fail)
    complaint = run(capsys, "match", matrix, "-o", path, status=2)
    assert f"hankelmatch: '{path}' cannot be written: No space left on device; give a place" in complaint


def test_complaints_about_contexts_speak_of_options(capsys, model, tmp_path):
    assert "a text of them; give --unit char" in run(
        capsys, "predict", model, "--unit", "token", "the", status=2
    )
    (tmp_path / "words.txt").write_text("the cat\nthe dog\n" * 20, encoding="utf-8")
    size = ["--unit", "token", "--max-length", 2, "--states", 2, "--no-mixture", "-o", tmp_path / "words.npz"]
    run(capsys, "learn", tmp_path / "words.txt", *size)
    complaint = run(capsys, "predict", tmp_path / "words.npz", "--unit", "char", "the", status=2)
    assert "CONTEXT: 'the' would be read as characters" in complaint
    assert complaint.endswith("; give --unit token\n")


def test_complaints_about_arguments_name_the_options(capsys, text):
    assert "hankelmatch: --start-label: '<s>' is" in run(
        capsys, "learn", text, "--end-label", "<s>", status=2
    )
    complaint = run(capsys, "learn", text, "--memory", 1, status=2)
    assert "hankelmatch: --memory: 1 cannot hold" in complaint
    assert complaint.endswith("give more, or give --engine dask\n")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the file is empty"),
        (b"rows and columns\n", "give a Matrix Market file"),
        (b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n", "give a Matrix Market file"),
        (
            b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n3 1\n",
            "line 3: a row from 1 to 2 is needed",
        ),
    ],
)
def test_complaints_about_matrices(capsys, tmp_path, content, complaint):
    path = tmp_path / "m.mtx"
    path.write_bytes(content)
    assert f"{path}: " in (line := run(capsys, "match", path, status=2))
    assert complaint in line
    assert "No such file" in run(capsys, "match", tmp_path / "none.mtx", status=2)


def test_complaints_about_a_damaged_archive_and_a_matrix_too_large(capsys, tmp_path):
    path = tmp_path / "m.mtx.gz"
    write_matrix(tmp_path / "m.mtx")
    packed = bytearray(gzip.compress((tmp_path / "m.mtx").read_bytes()))
    packed[20:40] = b"\xff" * 20
    path.write_bytes(packed)
    assert f"{path}: " in (line := run(capsys, "match", path, status=2))
    assert "give a Matrix Market file" in line
    path = tmp_path / "large.mtx"
    path.write_text(
        "%%MatrixMarket matrix coordinate pattern general\n900000000000000 1 1\n1 1\n", encoding="ascii"
    )
    assert f"{path}: the matrix does not fit into memory; a smaller one" in run(
        capsys, "match", path, status=2
    )


def test_complaints_about_memory_for_no_text(capsys):
    assert "--memory: the help texts" in run(capsys, "learn", "--memory", "1kB", status=2)


def test_complaints_about_the_method(capsys, tmp_path):
    write_matrix(tmp_path / "m.mtx")
    for arguments in (("match", tmp_path / "m.mtx", "--method"), ("learn", "--method")):
        with pytest.raises(SystemExit) as stop:
            main([*map(str, arguments), "fastest"])
        assert stop.value.code == 2
        assert "hopcroft-karp" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    ["", "guess", "learn --states 0", "learn --states x", "learn --seed -1", "sample"],
)
def test_wrong_command_lines_show_the_usage(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments.split())
    assert stop.value.code == 2
    assert "usage: hankelmatch" in capsys.readouterr().err
