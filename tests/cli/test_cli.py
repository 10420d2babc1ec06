"""The command: what it prints, for people and for programs, and how it fails."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hankelmatch import __version__, load_model, structural_rank
from hankelmatch.cli import main
from hankelmatch.sequences.sample import sample_text

SENTENCES = sample_text()[:400]


def run(capsys, *arguments, status=0):
    """Run the command; its output, or its complaint where it is to fail."""
    assert main([str(argument) for argument in arguments]) == status
    out, err = capsys.readouterr()
    if status == 0:
        assert err == ""
        return out
    assert out == "" or "Traceback" not in out
    assert err.count("\n") == 1
    assert err.startswith("hankelmatch: ")
    return err


@pytest.fixture(scope="module")
def text(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "train.txt"
    path.write_text("\n".join(SENTENCES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(text) -> Path:
    path = text.with_name("model.npz")
    size = ["--max-length", "3", "--states", "50", "--no-mixture"]
    assert main(["learn", str(text), *size, "--json", "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def token_model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tokens")
    (folder / "train.txt").write_text("a b a <x>\nb a b\n" * 20, encoding="utf-8")
    arguments = ["--unit", "token", "--max-length", "3", "--states", "4", "--json"]
    assert main(["learn", str(folder / "train.txt"), *arguments, "-o", str(folder / "model.npz")]) == 0
    return folder / "model.npz"


# ------------------------------------------------------------------------------------------------- learn


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


# ------------------------------------------------------------------------------ evaluate, predict, sample


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


# ------------------------------------------------------------------------------------------------- match


def write_matrix(path: Path) -> scipy.sparse.coo_array:
    rng = np.random.default_rng(0)
    matrix = scipy.sparse.random_array((40, 50), density=0.04, rng=rng, format="coo")
    with open(path, "wb") as file:
        scipy.io.mmwrite(file, matrix)
    return matrix


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


# -------------------------------------------------------------------------------------------- complaints


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


@pytest.mark.parametrize("place", ["", "nowhere/model.npz", "file/model.npz", os.devnull, "n" * 300])
def test_a_place_that_cannot_be_written_is_refused_at_once(capsys, tmp_path, text, place):
    (tmp_path / "file").touch()
    assert "-o: no file can be written there" in run(capsys, "learn", text, "-o", "", status=2)
    begin = time.perf_counter()
    assert "no file can be written there" in run(capsys, "learn", text, "-o", tmp_path / place, status=2)
    assert time.perf_counter() - begin < 5


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


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"hankelmatch {__version__}\n"


# ------------------------------------------------------------------------------------------- as a process


# Ctrl-C is ignored by processes whose parent ignores it, as that of a job in the background does.
PROGRAM = """
import signal, sys
from hankelmatch.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""


def start(*arguments, **options) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    return subprocess.Popen(command, text=True, stderr=subprocess.PIPE, **options)


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes work differently there")
def test_ctrl_c_stops_quietly_and_leaves_nothing(tmp_path):
    process = start("learn", "-o", tmp_path / "model.npz", stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, "hankelmatch: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes work differently there")
def test_a_reader_that_goes_away_is_no_error(model):
    reading, writing = os.pipe()
    os.close(reading)
    process = start("sample", model, "-n", 3, stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (1, "")


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes work differently there")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_a_signal_that_ends_the_command_while_it_saves_leaves_nothing(text, tmp_path, number):
    learn = ["learn", text, "--max-length", "2", "--states", "3", "-o", tmp_path / "model.npz"]
    process = subprocess.run(
        [sys.executable, "-c", SIGNALLED.format(number), *learn],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stderr) == (128 + getattr(signal, number), "")
    assert list(tmp_path.iterdir()) == []


SIGNALLED = """
import os, signal, sys
import numpy as np
from hankelmatch.cli import main

def write_array(*arguments, **options):
    os.kill(os.getpid(), signal.{0})

np.lib.format.write_array = write_array
signal.signal(signal.{0}, signal.SIG_DFL)
sys.exit(main())
"""


@pytest.mark.skipif(os.name == "nt", reason="signals and pipes work differently there")
def test_a_closed_output_is_no_error(model):
    closed = f'exec "$0" -m hankelmatch.cli predict {model} the >&-'
    process = subprocess.run(
        ["sh", "-c", closed, sys.executable], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stderr) == (0, "")


def test_an_output_that_lacks_a_symbol_is_told_with_the_remedy(token_model):
    path = token_model.with_name("accents.txt")
    path.write_text("\u00e9 \u00e9\n" * 20, encoding="utf-8")
    model = token_model.with_name("accents.npz")
    learn = ["--unit", "token", "--max-length", "2", "--states", "2", "--json"]
    assert main(["learn", str(path), *learn, "-o", str(model)]) == 0
    process = start(
        "predict", model, "", stdout=subprocess.PIPE, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "set the environment variable PYTHONIOENCODING to utf-8" in err


def test_a_file_that_is_read_is_not_written_over(capsys, text, model, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(text)
    before = text.read_bytes(), model.read_bytes()
    for arguments in (
        ("learn", text, "-o", text),
        ("learn", text, "-o", link),
        ("learn", text, "--dev", text, "-o", text),
        ("plot", "matching", text, "-o", text),
        ("plot", "automaton", model, "-o", model),
    ):
        assert "would be lost" in run(capsys, *arguments, status=2)
    assert (text.read_bytes(), model.read_bytes()) == before


def test_sampling_ends_when_its_reader_has_enough(model):
    command = [sys.executable, "-m", "hankelmatch", "sample", str(model), "-n", "1000000", "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().endswith(b"\n")
        process.stdout.close()
        assert process.wait(60) == 1
        assert process.stderr.read() == b""


def test_a_text_in_place_of_a_model(capsys, text):
    message = run(capsys, "predict", text, "x", status=2)
    assert "is not a file saved by hankelmatch: it is no archive" in message
    assert "pickle" not in message


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="the size of the memory is not told there")
def test_a_matrix_larger_than_the_memory_is_refused_before_it_is_read(capsys, tmp_path):
    path = tmp_path / "m.mtx"
    size = 10**12
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{size} {size} 1\n1 1 1\n")
    assert f"{path}: the matrix does not fit into memory" in run(capsys, "match", path, status=2)


# ------------------------------------------------------------------------------- formats and boundary symbols


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
