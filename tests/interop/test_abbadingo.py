"""Abbadingo's and FlexFringe's files."""

import pytest
from hankelmatch import SpectralLearner
from hankelmatch.cli import main
from hankelmatch.interop.abbadingo import read_abbadingo

SAMPLE = b"4 2\n1 3 0 1 1\n0 1 1\n-1 0\n1 2 1 0\n"


@pytest.fixture
def sample(tmp_path):
    path = tmp_path / "sample.dat"
    path.write_bytes(SAMPLE)
    return path


def test_sequences_and_their_classes_are_read(sample):
    corpus, classes = read_abbadingo(sample)
    assert corpus == [(0, 1, 1, -1), (1, -1), (-1,), (1, 0, -1)]
    assert classes == (1, 0, -1, 1)
    assert corpus.source == str(sample)
    again = read_abbadingo(sample, alphabet=corpus.alphabet).corpus
    assert again == corpus
    both = read_abbadingo(sample, start_symbol=True).corpus
    assert both[1] == (-2, 1, -1)
    assert read_abbadingo(sample, end_symbol=False).corpus[1] == (1,)


def test_names_attributes_and_data_of_flexfringe(tmp_path):
    path = tmp_path / "traces.dat"
    path.write_bytes(b"3 2\r\n1 2 open:1.5,2/x close\r\nbad 1 open/y\r\n1 0\r\n")
    corpus, classes = read_abbadingo(path)
    assert corpus == [("open", "close", "</s>"), ("open", "</s>"), ("</s>",)]
    assert classes == (1, "bad", 1)


def write(tmp_path, content, name="other.dat"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_labels_follow_the_alphabet(tmp_path, sample):
    names = read_abbadingo(write(tmp_path, b"1 3\n1 3 1 a 0\n")).corpus
    assert names == [("1", "a", "0", "</s>")]
    assert read_abbadingo(sample, alphabet=names.alphabet).corpus[0] == ("0", "1", "1", "</s>")
    numbers = read_abbadingo(sample).corpus.alphabet
    mixed = read_abbadingo(write(tmp_path, b"1 3\n1 4 1 a 01 0\n"), alphabet=numbers).corpus
    assert mixed == [(1, None, None, 0, -1)]


def test_numbers_that_are_written_otherwise_are_names(tmp_path):
    corpus, classes = read_abbadingo(write(tmp_path, b"3 3\n1 2 01 1\n01 1 -0\n1 1 \xd9\xa1\n"))
    assert corpus == [("01", "1", "</s>"), ("-0", "</s>"), ("\u0661", "</s>")]
    assert classes == (1, "01", 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"2\n1 0\n", "line 1: the header must be the number of sequences and"),
        (b"a b\n1 0\n", "line 1: the header must be the number of sequences and"),
        (b"3 2\n1 0\n", "line 1: the header promises 3 sequences, but 1 follow"),
        (b"1 2\n1\n", "line 2: a class, a length and the symbols are needed"),
        (b"1 2\n1 a b\n", "line 2: a class, a length and the symbols are needed"),
        (b"1 2\n1 2 b\n", "line 2: the length is given as 2, but 1 symbols follow"),
        (b"1 2\n1 1 \xff\n", "save the file as UTF-8"),
        (b"", "the file is empty"),
    ],
)
def test_damaged_files_are_refused(tmp_path, content, message):
    path = tmp_path / "sample.dat"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_abbadingo(path)


def test_a_label_that_is_a_symbol_is_refused(sample):
    with pytest.raises(ValueError, match="end_symbol: 1 is a symbol of"):
        read_abbadingo(sample, end_symbol=1)


@pytest.mark.parametrize("unit", [[], ["--unit", "token"]])
def test_the_command_recognises_the_file(tmp_path, capsys, unit):
    path = tmp_path / "sample.dat"
    rows = ["1 3 0 1 1", "0 2 0 0", "1 2 1 0"] * 30
    path.write_text(f"{len(rows)} 2\n" + "\n".join(rows) + "\n", encoding="ascii")
    model = tmp_path / "model.npz"
    size = ["--max-length", "2", "--states", "2"]
    assert main(["learn", str(path), *unit, *size, "-o", str(model)]) == 0
    assert "read as an Abbadingo or FlexFringe file" in capsys.readouterr().out
    assert main(["evaluate", str(model), str(path)]) == 0
    assert "(210 symbols" in capsys.readouterr().out  # of class 1, with their ends


@pytest.mark.parametrize("symbols", ["0 1", "x yy"])
def test_the_command_finds_the_line_of_an_unseen_symbol(tmp_path, capsys, symbols):
    train = write(tmp_path, b"40 2\n" + f"1 2 {symbols}\n".encode() * 40, "train.dat")
    model = tmp_path / "model.npz"
    assert main(["learn", str(train), "--max-length", "2", "--states", "2", "-o", str(model)]) == 0
    assert "bits per symbol" in capsys.readouterr().out
    rows = [f"1 2 {symbols}", "0 1 7", f"0 2 {symbols}", f"1 3 {symbols} 9", f"1 3 {symbols} 8"]
    path = write(tmp_path, f"{len(rows)} 4\n{chr(10).join(rows)}\n".encode())
    assert main(["evaluate", str(model), str(path)]) == 2
    error = capsys.readouterr().err
    assert f"{path}: line 5: " in error
    assert "(2 symbols are not)" in error
    assert main(["evaluate", str(model), str(path), "--unseen", "skip"]) == 0
    assert "bits per symbol (9 symbols, 2 unseen skipped" in capsys.readouterr().out


def test_the_command_reads_digits_as_the_model_has_them(tmp_path, capsys):
    train = write(tmp_path, b"40 2\n" + b"1 2 a 1\n" * 40, "train.dat")
    model = tmp_path / "model.npz"
    assert main(["learn", str(train), "--max-length", "2", "--states", "2", "-o", str(model)]) == 0
    assert main(["evaluate", str(model), str(write(tmp_path, b"1 1\n1 2 1 1\n"))]) == 0


def test_a_learner_takes_the_corpus(sample):
    learner = SpectralLearner(2, 2).fit(read_abbadingo(sample).corpus)
    assert learner.predict((0,)) in (0, 1, -1)
