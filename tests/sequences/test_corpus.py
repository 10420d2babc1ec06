"""Alphabets, strings and corpora, and the readers that fill them, against plain Python."""

from __future__ import annotations

import copy
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hankelmatch.interop.spice import read_spice
from hankelmatch.sequences.alphabet import Alphabet
from hankelmatch.sequences.corpus import Corpus, read_text
from hankelmatch.sequences.sample import sample_text
from hankelmatch.sequences.strings import Strings
from hypothesis import given
from hypothesis import strategies as st

labels = st.one_of(st.text(max_size=3), st.integers(-5, 5))
sequences = st.lists(st.lists(labels, max_size=6), max_size=6)
texts = st.lists(st.text(max_size=8), max_size=6)


# --------------------------------------------------------------------------------------------- alphabets


def test_alphabet_maps_labels_both_ways():
    alphabet = Alphabet(["x", 3, ("t", 1)], end_symbol="x")
    assert [alphabet.id(label) for label in alphabet.labels] == [0, 1, 2]
    assert alphabet.get("nothing") == -1
    assert alphabet.get("nothing", 7) == 7
    assert 3 in alphabet
    assert 4 not in alphabet
    assert len(alphabet) == 3
    assert (alphabet.end_id, alphabet.start_id) == (0, None)
    assert list(alphabet) == list(alphabet.labels)


def test_alphabet_equality_counts_order_and_frame():
    assert Alphabet("ab") == Alphabet(["a", "b"])
    assert hash(Alphabet("ab")) == hash(Alphabet("ab"))
    assert Alphabet("ab") != Alphabet("ba")
    assert Alphabet("ab") != Alphabet("ab", end_symbol="b")
    assert Alphabet("ab") != "ab"


def test_alphabet_takes_numpy_scalars_as_python_values():
    alphabet = Alphabet(np.array([3, 1]))
    assert alphabet.labels == (3, 1)
    assert all(type(label) is int for label in alphabet.labels)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "b", "a"],), "'a' occurs twice"),
        ((["a", None],), "None cannot be a label"),
        ((["a"], "b"), "end_symbol: 'b' is not among the labels"),
        ((["a"], None, "b"), "start_symbol: 'b' is not among the labels"),
        ((["a"], "a", "a"), "must differ"),
    ],
)
def test_alphabet_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        Alphabet(*arguments)


def test_unknown_label_is_a_value_error_that_names_it():
    with pytest.raises(ValueError, match="'z' is not in the alphabet of 2 symbols"):
        Alphabet("ab").id("z")


@given(st.lists(labels, unique=True), st.data())
def test_json_round_trip_is_exact(given_labels, data):
    end = data.draw(st.sampled_from([None, *given_labels]))
    alphabet = Alphabet(given_labels, end_symbol=end)
    copy = Alphabet.from_json(alphabet.to_json())
    assert copy == alphabet
    assert list(map(type, copy.labels)) == list(map(type, alphabet.labels))


@pytest.mark.parametrize("label", [1.5, ("a",), True, b"a"])
def test_json_refuses_labels_that_it_would_change(label):
    with pytest.raises(TypeError, match="only labels of type str or int"):
        Alphabet([label]).to_json()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"labels": 3, "end_symbol": null, "start_symbol": null}'])
def test_json_of_something_else_is_refused(text):
    with pytest.raises(ValueError, match="not an alphabet"):
        Alphabet.from_json(text)


@given(texts, st.text(max_size=4).map(lambda t: sorted(set(t))))
def test_encoding_text_is_a_look_up_per_character(given_texts, characters):
    alphabet = Alphabet(["long label", *characters, 5])
    symbols, offsets = alphabet.encode(given_texts)
    assert symbols.tolist() == [alphabet.get(c) for text in given_texts for c in text]
    assert np.diff(offsets).tolist() == list(map(len, given_texts))
    assert (symbols.dtype, offsets.dtype) == (np.int32, np.int64)


@given(
    st.lists(st.lists(st.integers(-9, 9), max_size=5), max_size=5), st.sampled_from(["i1", "i4", "i8", "u8"])
)
def test_encoding_integer_arrays_agrees_with_lists(rows, dtype):
    rows = [[abs(x) if dtype == "u8" else x for x in row] for row in rows]
    alphabet = Alphabet(["a", -3, 2, 4])
    as_lists = alphabet.encode(rows)
    as_arrays = alphabet.encode([np.array(row, dtype) for row in rows])
    assert all(np.array_equal(a, b) for a, b in zip(as_lists, as_arrays, strict=True))


def test_lone_surrogates_are_characters_like_others():
    assert Alphabet(["\ud800"]).encode(["\ud800a"])[0].tolist() == [0, -1]
    assert Strings.from_sequences(["\ud800"]).alphabet.labels == ("\ud800",)


@pytest.mark.parametrize(
    ("given_sequences", "message"),
    [("abc", "single string"), ([1, 2], r"sequences\[0\] is 1"), ([None], "None")],
)
def test_what_is_no_list_of_sequences_is_refused(given_sequences, message):
    with pytest.raises(TypeError, match=message):
        Corpus.from_sequences(given_sequences)


# ----------------------------------------------------------------------------------- strings and corpora


@given(sequences)
def test_strings_give_back_what_they_were_made_of(rows):
    strings = Strings.from_sequences(rows)
    expected = [tuple(row) for row in rows]
    assert list(strings) == expected
    assert [strings[i] for i in range(len(strings))] == expected
    assert strings == expected
    assert strings == Strings.from_sequences(iter(rows))
    assert strings.lengths.tolist() == list(map(len, rows))


@given(sequences, st.slices(6))
def test_slices_are_those_of_a_list(rows, piece):
    strings = Corpus.from_sequences(rows)
    assert strings[piece] == [tuple(row) for row in rows][piece]
    assert isinstance(strings[piece], Corpus)


@given(sequences, st.lists(labels, unique=True))
def test_reencoding_maps_by_label(rows, others):
    strings = Strings.from_sequences(rows)
    alphabet = Alphabet(others)
    assert strings.reencode(alphabet) == [tuple(x if x in alphabet else None for x in row) for row in rows]
    assert strings.reencode(alphabet) == Strings.from_sequences(rows, alphabet)
    assert strings.reencode(strings.alphabet) is strings


def test_a_reencoded_unknown_symbol_stays_unknown():
    unknown = Strings.from_sequences(["az"], Alphabet("a"))
    assert unknown.reencode(Alphabet("ba")).symbols.tolist() == [1, -1]


def test_strings_are_sequences():
    strings = Strings.from_sequences(["ab", "b"])
    assert ("b",) in strings
    assert strings.index(("b",)) == 1
    assert strings[-1] == ("b",)
    assert list(reversed(strings)) == [("b",), ("a", "b")]
    assert strings.take([1, 1, -2]) == [("b",), ("b",), ("a", "b")]
    assert strings == ["ab", "b"]
    assert strings != ["ab"]
    assert strings != "ab"
    assert strings != 3
    with pytest.raises(IndexError):
        strings[2]
    with pytest.raises(IndexError):
        strings.take([2])


def test_labels_are_sorted_numbers_before_text_or_else_as_they_come():
    assert Strings.from_sequences([["b", 2, "a", 10]]).alphabet.labels == (2, 10, "a", "b")
    assert Strings.from_sequences([[1j, 2j, (1,)]]).alphabet.labels == (1j, 2j, (1,))


def test_arrays_are_read_only_and_the_callers_stay_writable():
    symbols = np.array([0, 0], np.int32)
    strings = Strings(symbols, np.array([0, 2]), Alphabet("a"))
    with pytest.raises(ValueError, match="read-only"):
        strings.symbols[0] = 0
    assert strings.symbols.base is symbols
    assert symbols.flags.writeable


@pytest.mark.parametrize(
    ("symbols", "offsets", "message"),
    [
        ([0, 1], [0, 2], "symbols must be ids below 1"),
        ([0, -2], [0, 2], "symbols must be ids below 1"),
        ([0], [0, 2], "offsets must rise from 0"),
        ([0], [], "offsets must rise from 0"),
        ([0, 0], [0, 2, 1, 2], "offsets must rise from 0"),
        ([0.5], [0, 1], "symbols must be a one-dimensional array of integers"),
        ([[0]], [0, 1], "symbols must be a one-dimensional array of integers"),
        ([2**40], [0, 1], "symbols: a value does not fit int32"),
    ],
)
def test_strings_refuse_arrays_that_do_not_fit(symbols, offsets, message):
    with pytest.raises(ValueError, match=message):
        Strings(symbols, offsets, Alphabet("a"))


@given(texts, st.booleans(), st.booleans())
def test_end_and_start_symbols_frame_every_sequence(rows, end, start):
    corpus = Corpus.from_sequences(rows, end_symbol=end, start_symbol=start)
    assert corpus == [("<s>",) * start + tuple(row) + ("</s>",) * end for row in rows]
    assert corpus.n_sequences == len(rows)
    assert corpus.n_symbols == sum(map(len, rows)) + len(rows) * (end + start)
    assert corpus.alphabet.labels[len(set("".join(rows))) :] == ("</s>",) * end + ("<s>",) * start
    again = Corpus.from_sequences(rows, corpus.alphabet, end_symbol=end, start_symbol=start)
    assert again == corpus
    assert Corpus.from_sequences(corpus) == corpus


def test_frame_labels_of_ones_own():
    corpus = Corpus.from_sequences([[1, 2]], end_symbol=0, start_symbol="begin")
    assert corpus == [("begin", 1, 2, 0)]
    assert Corpus.from_sequences([[2]], corpus.alphabet) == [("begin", 2, 0)]
    assert Corpus.from_sequences([[2]], corpus.alphabet, start_symbol=False) == [(2, 0)]


@pytest.mark.parametrize("known", [None, Alphabet(["a", "</s>"], "</s>")])
def test_a_frame_label_inside_a_sequence_is_refused(known):
    with pytest.raises(ValueError, match=r"sequences\[1\] contains '</s>'"):
        Corpus.from_sequences([["a"], ["a", "</s>"]], known, end_symbol=True)


def test_a_frame_that_the_alphabet_lacks_is_refused():
    with pytest.raises(ValueError, match="start_symbol: the alphabet has none, not '<s>'"):
        Corpus.from_sequences(["a"], Alphabet("a"), start_symbol=True)


@given(sequences, st.booleans(), st.booleans())
def test_strings_become_the_corpus_that_their_labels_do(rows, end, start):
    given_alphabet = Alphabet(["</s>", *reversed(Strings.from_sequences(rows).alphabet.labels), "unused"])
    strings = Strings.from_sequences(rows, given_alphabet)
    expected = Corpus.from_sequences(rows, end_symbol=end, start_symbol=start)
    assert Corpus.from_sequences(strings, end_symbol=end, start_symbol=start) == expected
    assert Corpus.from_sequences(strings, end_symbol=end, start_symbol=start).alphabet == expected.alphabet


def test_labels_of_strings_that_cannot_be_sorted_come_as_they_occur():
    strings = Strings([1, 2, 0, 1], [0, 1, 4], Alphabet([1j, 2j, (1,), 3j]))
    assert Corpus.from_sequences(strings).alphabet.labels == (2j, (1,), 1j)


def test_strings_become_a_corpus_without_a_look_at_each_label(monkeypatch):
    strings = Strings.from_sequences(["ab", "b"])
    other = Alphabet(["b", "a", "</s>"], "</s>")

    def refuse(*_):
        raise AssertionError("the labels of all symbols were asked for")

    monkeypatch.setattr(Strings, "_labels_of", refuse)
    assert Corpus.from_sequences(strings, end_symbol=True).symbols.tolist() == [0, 1, 2, 1, 2]
    assert Corpus.from_sequences(strings, other, end_symbol=True).symbols.tolist() == [1, 0, 2, 0, 2]


def test_strings_that_make_no_corpus_are_refused_as_sequences_are():
    with pytest.raises(ValueError, match="labels: None cannot be a label, it stands for an unknown symbol"):
        Corpus.from_sequences(Strings([0, -1], [0, 2], Alphabet("a")))
    framed = [["</s>"], ["a"]]
    with pytest.raises(ValueError, match=r"sequences\[0\] contains '</s>', the label of the end or start"):
        Corpus.from_sequences(framed, end_symbol=True)


def test_split_holds_out_whole_sequences():
    corpus = Corpus.from_sequences([[i] for i in range(100)])
    parts = corpus.split([0.8, 0.1, 0.1], seed=3)
    assert [len(part) for part in parts] == [80, 10, 10]
    assert sorted(x for part in parts for (x,) in part) == list(range(100))
    assert all(list(part) == sorted(part) and part.alphabet is corpus.alphabet for part in parts)
    assert parts == corpus.split([8, 1, 1], seed=3)
    assert parts != corpus.split([8, 1, 1], seed=4)


def test_split_cuts_one_long_sequence_into_pieces():
    parts = Corpus.from_sequences([range(10)]).split([0.5, 0.5])
    assert [part[0] for part in parts] == [tuple(range(5)), tuple(range(5, 10))]


@pytest.mark.parametrize(
    ("fractions", "message"),
    [
        ([], "positive"),
        ([1, 0], "positive"),
        ([1, -1], "positive"),
        ([1, np.nan], "positive"),
        ([1] * 9, "too few"),
    ],
)
def test_split_refuses(fractions, message):
    with pytest.raises(ValueError, match=message):
        Corpus.from_sequences(["a", "b", "c"]).split(fractions)


def test_corpora_survive_pickling():
    corpus = Corpus.from_sequences(["ab", ""], end_symbol=True)
    assert pickle.loads(pickle.dumps(corpus)) == corpus


@pytest.mark.parametrize("empty", [[], [""], [[], []]])
def test_empty_corpora(empty):
    corpus = Corpus.from_sequences(empty)
    assert corpus.n_symbols == 0
    assert list(corpus) == [()] * len(empty)


# ------------------------------------------------------------------------------------------ reading text


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
    with pytest.raises(ValueError, match='unit must be "char" or "token", not \'word\''):
        read_text(write(tmp_path, b"a"), "word")


# ----------------------------------------------------------------------------------------- reading SPiCe


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


# ----------------------------------------------------------------------------------------- the real texts


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


# ------------------------------------------------------------------------- labels and indices of every kind


def test_labels_are_found_whatever_numpy_calls_them():
    days = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
    assert Corpus.from_sequences([days, days[::-1]]).symbols.tolist() == [0, 1, 1, 0]
    assert Alphabet([1.0, 2.0]).encode([np.array([1, 2, 3])])[0].tolist() == [0, 1, -1]
    large = [np.array([2**53, 2**53 + 1], np.int64), np.array([2**64 - 1], np.uint64)]
    corpus = Corpus.from_sequences(large)
    assert corpus.alphabet.labels == (2**53, 2**53 + 1, 2**64 - 1)
    assert corpus.symbols.tolist() == [0, 1, 2]


def test_labels_that_would_be_lost_are_refused():
    with pytest.raises(ValueError, match="labels: NaN cannot be a label"):
        Corpus.from_sequences([[1.0, float("nan")]])
    with pytest.raises(TypeError, match=r"sequences\[0\] is a masked array; leave out what is masked"):
        Corpus.from_sequences([np.ma.masked_array([1, 2], [False, True])])
    with pytest.raises(TypeError, match="sequences: unhashable type: 'list'; labels must be hashable"):
        Corpus.from_sequences([[["a"]]])
    with pytest.raises(TypeError, match="labels: unhashable type: 'list'; labels must be hashable"):
        Alphabet([["a"]])
    alphabet = Alphabet("ab")
    for ask in (alphabet.id, alphabet.get):
        with pytest.raises(TypeError, match=r"label: \['a'\] is no label; labels must be hashable"):
            ask(["a"])
    with pytest.raises(TypeError, match="sequences: unhashable type: 'list'; labels must be hashable"):
        alphabet.encode([["a", ["b"]]])
    with pytest.raises(TypeError, match=r"end_symbol: \['a'\] is no label"):
        Alphabet("ab", end_symbol=["a"])
    with pytest.raises(TypeError, match=r"end_symbol: \['x'\] is no label"):
        Corpus.from_sequences(["ab"], end_symbol=["x"])
    with pytest.raises(TypeError, match=r"sequences\[1\] is a set, whose symbols have no order"):
        Corpus.from_sequences(["ab", {"a", "b"}])


def test_booleans_of_numpy_are_booleans():
    with_end = Corpus.from_sequences(["ab"], end_symbol=np.True_, start_symbol=np.False_)
    assert with_end == Corpus.from_sequences(["ab"], end_symbol=True)


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda corpus: pickle.loads(pickle.dumps(corpus))])
def test_copies_are_read_only_and_equal(twin_of):
    corpus = Corpus.from_sequences(["ab", ""], end_symbol=True)
    twin = twin_of(corpus)
    assert twin == corpus
    assert not twin.symbols.flags.writeable
    assert not twin.offsets.flags.writeable


def test_take_reads_a_mask_as_a_mask_and_refuses_fractions():
    strings = Strings.from_sequences(["a", "b", "c"])
    assert strings.take([True, False, True]) == ["a", "c"]
    assert strings.take([]) == []
    with pytest.raises(
        ValueError, match="indices: a list of whole numbers or booleans is needed, not 1-d float64"
    ):
        strings.take([0.5, 1.0])


def test_what_is_no_alphabet_or_no_list_is_told():
    for kind in (Strings, Corpus):
        with pytest.raises(TypeError, match="alphabet: 'ab' is of type str; give Alphabet"):
            kind.from_sequences(["ab"], "ab")
        with pytest.raises(TypeError, match="sequences: this is a mapping; give a list of its keys"):
            kind.from_sequences({"ab": 2.0})
        with pytest.raises(TypeError, match="sequences: a list of sequences of symbols is needed, not 5"):
            kind.from_sequences(5)


def test_strings_differ_from_what_has_no_strings():
    assert Strings.from_sequences(["a", "b"]) != [1, 2]


def test_seeds_and_frames_that_cannot_be_are_named():
    with pytest.raises(
        ValueError, match="seed: a whole number from 0 or a numpy Generator is needed, not -1"
    ):
        Corpus.from_sequences(["a", "b"]).split([0.5, 0.5], seed=-1)
    with pytest.raises(ValueError, match="start_symbol: '</s>' is the end symbol too"):
        Corpus.from_sequences(["a"], end_symbol=True, start_symbol="</s>")


def test_frames_that_are_symbols_of_the_file_or_each_other_are_told(tmp_path):
    path = tmp_path / "0.spice.train"
    path.write_bytes(b"1 2\n2 0 1\n")
    with pytest.raises(ValueError, match=r"end_symbol: 0 is a symbol of .*; choose a label outside 0 to 1"):
        read_spice(path, end_symbol=0)
    with pytest.raises(ValueError, match="start_symbol: -2 is the end symbol too"):
        read_spice(path, end_symbol=-2, start_symbol=True)
    with pytest.raises(ValueError, match="start_symbol: 'x' is the end symbol too"):
        read_text(path, end_symbol="x", start_symbol="x")


def test_a_corpus_gets_the_boundary_symbols_that_it_lacks():
    corpus = Corpus.from_sequences(["ab", "", "b"])
    both = corpus.with_boundary_symbols()
    assert list(both) == [("<s>", "a", "b", "</s>"), ("<s>", "</s>"), ("<s>", "b", "</s>")]
    assert (both.alphabet.end_symbol, both.alphabet.start_symbol) == ("</s>", "<s>")
    assert both.with_boundary_symbols() is both
    assert corpus.with_boundary_symbols(False, False) is corpus
    assert list(corpus.with_boundary_symbols("$", start_symbol=False)) == [
        ("a", "b", "$"),
        ("$",),
        ("b", "$"),
    ]
    ended = Corpus.from_sequences(["ab", "b"], end_symbol=True)
    cut = ended.split([0.5, 0.5])[0][:1]
    assert list(cut.with_boundary_symbols()) == [("<s>", *cut[0])]
    pieces = Corpus(ended.symbols[:2], [0, 1, 2], ended.alphabet)  # of which none has its end
    assert list(pieces.with_boundary_symbols(start_symbol=False)) == [("a", "</s>"), ("b", "</s>")]
    with pytest.raises(ValueError, match="end_symbol: the alphabet has '</s>', not 'x'"):
        ended.with_boundary_symbols("x")


def test_symbols_that_all_sequences_have_in_their_place_are_theirs():
    rows = [["<s>", "a", "</s>"], ["<s>", "</s>"]]
    corpus = Corpus.from_sequences(rows, end_symbol=True, start_symbol=True)
    assert corpus == [tuple(row) for row in rows]
    assert (corpus.alphabet.end_symbol, corpus.alphabet.start_symbol) == ("</s>", "<s>")
    assert Corpus.from_sequences(rows).with_boundary_symbols() == corpus
    for inside in (["a", "</s>", "b", "</s>"], ["a"], []):
        with pytest.raises(
            ValueError, match=r"sequences\[0\] contains '</s>', .* which not all sequences have"
        ):
            Corpus.from_sequences([*rows, inside], end_symbol=True)


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
