"""Strings and corpora, against plain Python."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hankelmatch.sequences import strings as strings_module
from hankelmatch.sequences.alphabet import Alphabet
from hankelmatch.sequences.corpus import Corpus, read_text
from hankelmatch.sequences.strings import Strings
from hypothesis import assume, given
from hypothesis import strategies as st

from .strategies import labels, sequences, texts


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


@pytest.mark.parametrize("kind", [Strings, Corpus])
@pytest.mark.parametrize("given_as", [np.asarray, memoryview, lambda array: array[:]])
def test_arrays_are_read_only_and_the_callers_stay_its_own(kind, given_as):
    symbols, offsets = np.array([0, 0], np.int32), np.array([0, 2])
    strings = kind(given_as(symbols), given_as(offsets), Alphabet("a"))
    with pytest.raises(ValueError, match="read-only"):
        strings.symbols[0] = 0
    symbols[0], offsets[1] = 2**30, 7
    assert strings == [("a", "a")]


def test_a_read_only_view_of_what_can_change_is_copied():
    symbols = np.array([0, 0], np.int32)
    view = symbols[:]
    view.flags.writeable = False
    strings = Strings(view, [0, 2], Alphabet("a"))
    symbols[0] = 2**30
    assert strings == [("a", "a")]


def test_what_nobody_can_change_is_shared(tmp_path):
    strings = Strings.from_sequences(["ab", "b"])
    for twin in (Corpus(strings.symbols, strings.offsets, strings.alphabet), strings[1:], strings[:1]):
        assert np.shares_memory(twin.symbols, strings.symbols)
    np.save(tmp_path / "symbols.npy", strings.symbols)
    mapped = np.load(tmp_path / "symbols.npy", mmap_mode="r")
    assert np.shares_memory(Strings(mapped, strings.offsets, strings.alphabet).symbols, mapped)


def test_arrays_that_are_new_are_not_copied_again(tmp_path, monkeypatch):
    (tmp_path / "text.txt").write_text("ab\nb\n", encoding="ascii")
    copied = []
    monkeypatch.setattr(strings_module, "can_change", lambda array: copied.append(array.flags.writeable))
    corpus = read_text(tmp_path / "text.txt")
    corpus.reencode(Alphabet("b")).take([0])
    Corpus.from_sequences(["ab"], end_symbol=True)
    assert copied
    assert not any(copied)


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
    assume(not any("<s>" in row for row in rows))  # refused, where not all rows begin with it
    given_alphabet = Alphabet(["</s>", *reversed(Strings.from_sequences(rows).alphabet.labels), "unused"])
    strings = Strings.from_sequences(rows, given_alphabet)
    expected = Corpus.from_sequences(rows, end_symbol=end, start_symbol=start)
    assert Corpus.from_sequences(strings, end_symbol=end, start_symbol=start) == expected
    assert Corpus.from_sequences(strings, end_symbol=end, start_symbol=start).alphabet == expected.alphabet


def test_symbols_of_strings_keep_their_roles():
    framed = Corpus.from_sequences(["ab", "b"], end_symbol=True, start_symbol="BOS").with_unknown_symbol(2)
    again = Corpus.from_sequences(framed)
    assert again == framed
    roles = ("end_symbol", "start_symbol", "unknown_symbol")
    assert [getattr(again.alphabet, role) for role in roles] == ["</s>", "BOS", "<unk>"]
    without = Corpus.from_sequences(framed, end_symbol=False)
    assert [getattr(without.alphabet, role) for role in roles] == [None, "BOS", "<unk>"]
    assert without == list(framed)


def test_roles_of_strings_add_no_symbol():
    alphabet = Alphabet(["a", "</s>"], end_symbol="</s>")
    corpus = Corpus.from_sequences(Strings.from_sequences(["a", "aa"], alphabet))
    assert corpus == [("a",), ("a", "a")]
    assert corpus.alphabet == alphabet


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
    with pytest.raises(ValueError, match="sequences: None cannot be a label"):
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


def test_what_is_no_alphabet_or_no_list_is_refused():
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
