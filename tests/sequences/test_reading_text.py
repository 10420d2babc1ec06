"""The readers of texts and of SPiCe files, against plain Python."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hankelmatch.interop.spice import read_spice
from hankelmatch.sequences.alphabet import Alphabet
from hankelmatch.sequences.corpus import Corpus, read_text
from hankelmatch.sequences.sample import sample_text
from hypothesis import given
from hypothesis import strategies as st


def write(folder: Path, content: bytes, name: str = "text.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def lines_of(content: bytes) -> list[str]:
    """The lines of a text as read_text documents them."""
    lines = content.decode().removeprefix("\ufeff").split("\n")
    ended = lines[:-1]
    lines = [line.removesuffix("\r") for line in ended] + lines[-1:]
    return lines if lines[-1] else lines[:-1]


def symbols_of(line: str, unit: str) -> list[str]:
    if unit == "char":
        return list(line)
    return [token for token in line.translate(dict.fromkeys(map(ord, "\t\v\f\r"), " ")).split(" ") if token]


awkward = st.text(st.sampled_from("ab \t\r\n\v\f\u00a0\u00e9\u20ac\U0001f600\ufeff\x00\u2028"), max_size=30)


@given(content=awkward, unit=st.sampled_from(["char", "token"]), end=st.booleans(), start=st.booleans())
def test_reading_agrees_with_plain_python(tmp_path_factory, content, unit, end, start):
    path = write(tmp_path_factory.getbasetemp(), content.encode())
    rows = [symbols_of(line, unit) for line in lines_of(content.encode())]
    if unit == "token" and not content.endswith("\n") and rows and not rows[-1]:
        rows.pop()  # an unfinished last line of blanks
    if not any(rows):
        with pytest.raises(ValueError, match=r"file is empty|no text in the file"):
            read_text(path, unit, end, start)
        return
    corpus = read_text(path, unit, end, start)
    assert corpus == Corpus.from_sequences(rows, end_symbol=end, start_symbol=start)
    assert (
        corpus.alphabet.labels
        == Corpus.from_sequences(rows, end_symbol=end, start_symbol=start).alphabet.labels
    )
    assert corpus.source == str(path)


@given(content=awkward.filter(bool))
def test_a_stream_of_characters_is_exact(tmp_path_factory, content):
    path = write(tmp_path_factory.getbasetemp(), content.encode())
    assert read_text(path, stream=True) == [tuple(content)]


def test_a_stream_of_tokens_keeps_its_newlines(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbfa bc\r\n\r\nd")
    assert read_text(path, "token", stream=True) == [("a", "bc", "\n", "\n", "d")]
    assert read_text(path, "token", True, stream=True)[0][-1] == "</s>"


@given(content=st.binary(max_size=24))
def test_bytes_are_accepted_exactly_if_python_decodes_them(tmp_path_factory, content):
    path = write(tmp_path_factory.getbasetemp(), b"line one, long enough\n" + content)
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = 2 + content[: error.start].count(b"\n")
        byte = content[error.start]
        with pytest.raises(
            ValueError, match=f"text.txt: line {line}: byte 0x{byte:02x} .* is not UTF-8; save"
        ):
            read_text(path)
    else:
        assert read_text(path, stream=True)[0][22:] == tuple(content.decode())


def test_reading_with_an_alphabet_follows_it(tmp_path):
    train = read_text(write(tmp_path, b"ab\n"), start_symbol=True)
    dev = read_text(write(tmp_path, b"az\n"), alphabet=train.alphabet)
    assert dev == [("<s>", "a", None, "</s>")]
    assert dev.alphabet is train.alphabet
    plain = read_text(write(tmp_path, b"a\n"), alphabet=Alphabet("a"))
    assert plain == [("a",)]
    with pytest.raises(ValueError, match="end_symbol: the alphabet has none"):
        read_text(tmp_path / "text.txt", end_symbol=True, alphabet=Alphabet("a"))


@pytest.mark.parametrize(
    ("content", "options", "line"),
    [
        (b"a b\nc </s> d\n", {}, 2),
        (b"</s>", {}, 1),
        (b"\n\n\nd\n<s> x", {"start_symbol": True}, 5),
        (b"a\nb </s>\n", {"stream": True, "end_symbol": True}, 2),
        (b"</s> b", {"stream": True, "end_symbol": True}, 1),
        (b"a\nx y", {"end_symbol": "x"}, 2),
    ],
)
def test_text_that_contains_the_frame_label_is_refused_with_its_line(tmp_path, content, options, line):
    with pytest.raises(ValueError, match=f"text.txt: line {line}: the text contains .*choose another label"):
        read_text(write(tmp_path, content), "token", **options)


@pytest.mark.parametrize("reader", [read_text, read_spice])
def test_files_that_cannot_be_read(tmp_path, reader):
    with pytest.raises(FileNotFoundError, match="nothing here"):
        reader(tmp_path / "nothing here")
    (tmp_path / "folder").mkdir()
    with pytest.raises((IsADirectoryError, PermissionError), match="folder"):
        reader(tmp_path / "folder")
    with pytest.raises(ValueError, match="void: the file is empty"):
        reader(write(tmp_path, b"", "void"))
    with pytest.raises(ValueError, match=r"zip: the file is compressed \(gzip\)"):
        reader(write(tmp_path, b"\x1f\x8b\x08", "zip"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="a superuser may read any file")
def test_files_without_permission(tmp_path):
    path = write(tmp_path, b"a")
    path.chmod(0)
    with pytest.raises(PermissionError, match=r"text\.txt"):
        read_text(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\n \n", "no text in the file, only blank lines"),
        ("caf\u00e9".encode("latin1"), "line 1: byte 0xe9 .*iconv -f LATIN1 -t UTF-8"),
        ("ab".encode("utf-16"), "line 1: byte 0xf[ef] .*iconv -f UTF-16 -t UTF-8"),
    ],
)
def test_text_that_is_none(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        read_text(write(tmp_path, content), "token")


def test_unit_is_checked(tmp_path):
    with pytest.raises(ValueError, match=r"^unit: 'word' is unknown; choose one of char, token"):
        read_text(write(tmp_path, b"a"), "word")


@pytest.mark.parametrize(
    "content",
    [
        b"3 4\n2 0 3\n0\n1 2\n",
        b"3 4\r\n2 0 3\r\n0 \r\n1 2",
        b" 3  4 \n2 0 3 \n0 \n1 2 \n\n \n",
        b"\xef\xbb\xbf3 4\n2 0 3\n0\n1 2",
    ],
)
def test_spice_format_with_all_its_liberties(tmp_path, content):
    path = write(tmp_path, content)
    assert read_spice(path) == [(0, 3, -1), (-1,), (2, -1)]
    assert read_spice(path, end_symbol=False) == [(0, 3), (), (2,)]
    both = read_spice(path, start_symbol=True)
    assert both == [(-2, 0, 3, -1), (-2, -1), (-2, 2, -1)]
    assert both.alphabet == Alphabet([0, 1, 2, 3, -1, -2], -1, -2)
    assert read_spice(path, alphabet=both.alphabet) == both


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"2 4\n1 0\n", "line 1: the header promises 2 sequences, but 1 follow"),
        (b"0 4\n1 0\n", "line 1: the header promises 0 sequences, but 1 follow"),
        (b"1\n1 0\n", "line 1: the header must be .* it has 1 numbers"),
        (b" \n", "line 1: the header must be .* it has 0 numbers"),
        (b"a b\n", "line 1: 'a' is not a number"),
        (b"1 99999999999\n1 0\n", "line 1: the header promises 99999999999 symbols"),
        (b"2 4\n1 0\n2 0\n", "line 3: the length is given as 2, but 1 symbols follow"),
        (b"2 4\n1 0\n1 4\n", "line 3: symbol 4 is out of range"),
        (b"1 4\n1 -1\n", "line 2: '-1' is not a number"),
        (b"1 4\n1 1.5\n", "line 2: '1.5' is not a number"),
        (b"2 4\n\n1 1\n", "line 2 is blank"),
        (b"1 4\n1 " + b"9" * 5000, "line 2: '9+' is not a number"),
        (b"1 4\n1 \xff\n", "line 2: .* is not a number"),
    ],
)
def test_spice_files_that_lie(tmp_path, content, message):
    with pytest.raises(ValueError, match=f"text.txt: {message}"):
        read_spice(write(tmp_path, content))


def test_penn_treebank(data_dir):
    train = read_text(data_dir / "ptb" / "ptb.char.train.txt", "token")
    assert (train.n_sequences, train.n_symbols, len(train.alphabet)) == (42068, 5017482, 50)
    for name, n_sequences in (("valid", 3370), ("test", 3761)):
        part = read_text(data_dir / "ptb" / f"ptb.char.{name}.txt", "token", alphabet=train.alphabet)
        assert part.n_sequences == n_sequences
        assert part.symbols.min() >= 0


def test_war_and_peace(data_dir):
    text = read_text(data_dir / "warandpeace" / "warpeace_input.txt", stream=True)
    assert (text.n_sequences, text.n_symbols, len(text.alphabet)) == (1, 3258227, 84)


def test_spice_problem_four(data_dir):
    train = read_spice(data_dir / "spice" / "train" / "4.spice.train")
    assert (train.n_sequences, len(train.alphabet)) == (5987, 34)
    prefixes = read_spice(
        data_dir / "spice" / "prefixes" / "4.spice.prefix.public", end_symbol=False, alphabet=train.alphabet
    )
    assert prefixes.n_sequences == 748


def test_the_sample_text_is_english_prose():
    sentences = sample_text()
    assert len(sentences) == len(set(sentences)) > 1000
    assert all(sentence[-1] in ".!?" and "\n" not in sentence for sentence in sentences)
    assert sentences == sample_text()


def test_frames_that_are_symbols_of_the_file_or_each_other_are_refused(tmp_path):
    path = tmp_path / "0.spice.train"
    path.write_bytes(b"1 2\n2 0 1\n")
    with pytest.raises(ValueError, match=r"end_symbol: 0 is a symbol of .*; choose a label outside 0 to 1"):
        read_spice(path, end_symbol=0)
    with pytest.raises(ValueError, match="start_symbol: -2 is the end symbol too"):
        read_spice(path, end_symbol=-2, start_symbol=True)
    with pytest.raises(ValueError, match="start_symbol: 'x' is the end symbol too"):
        read_text(path, end_symbol="x", start_symbol="x")


@pytest.mark.parametrize("unit", ["char", "token"])
def test_a_marked_text_loses_its_marks(tmp_path, unit):
    path = tmp_path / "marked.txt"
    path.write_bytes(b"<s> a b </s>\n<s> b </s>\r\n<s> </s>\n<s></s>\na </s>\n")
    expected = Corpus.from_sequences([["a", "b"], ["b"], [], ["<s></s>"], ["a"]], end_symbol=True)
    plain = tmp_path / "plain.txt"
    plain.write_bytes(b"a b\nb\n\n<s></s>\na\n")
    assert read_text(path, unit, marked=True) == read_text(plain, unit)
    if unit == "token":
        assert read_text(path, unit, marked=True) == expected
        with pytest.raises(
            ValueError, match=r"line 1: the text contains '</s>', .*give read_text marked=True, else"
        ):
            read_text(path, unit)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf<s> a b </s>\n<s> b </s>\n",
        b"\v<s>\fa b\f</s>\v\r\n\t\f<s>\vb\v</s> \f\n",
        b"\r<s> a b </s>\n<s> b\r</s>\n",
    ],
)
def test_marks_stand_where_tokens_are_cut(tmp_path, content):
    corpus = read_text(write(tmp_path, content), "token", marked=True)
    assert corpus == [("a", "b", "</s>"), ("b", "</s>")]
    stream = read_text(write(tmp_path, content), "token", marked=True, stream=True)
    assert stream == [("a", "b", "\n", "b", "\n")]


def test_marks_behind_a_byte_order_mark_that_a_stream_of_characters_keeps(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbf</s>\n<s> b </s>")
    assert read_text(path, marked=True) == [("</s>",), ("b", "</s>")]
    assert read_text(path, marked=True, stream=True) == [("\ufeff", "\n", "b")]


def test_a_marked_text_with_labels_of_ones_own(tmp_path):
    path = tmp_path / "marked.txt"
    path.write_bytes(b"BOS a EOS\nBOS b EOS\n")
    corpus = read_text(path, "token", end_symbol="EOS", start_symbol="BOS", marked=True)
    assert corpus == [("BOS", "a", "EOS"), ("BOS", "b", "EOS")]


@pytest.mark.parametrize(
    ("content", "reader"),
    [(b"2 3\n3 0 2 1\n0\n", "read_spice"), (b"2 2\n1 3 0 1 1\n0 0\n", "read_abbadingo")],
)
def test_files_of_lengths_and_numbers_are_recognised_where_tokens_are_read(tmp_path, content, reader):
    path = tmp_path / "numbers"
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=f"{path}: this looks like .*; read it by {reader}") as caught:
        read_text(path, "token")
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "content", [b"2 3\na b\n", b"12\n1 2\n", b"1 2\n", b"a 2\n1 2\n", b"2 2\n2 a b\n3 c d\n"]
)
def test_other_texts_are_not(tmp_path, content):
    path = tmp_path / "text"
    path.write_bytes(content)
    read_text(path, "token")
