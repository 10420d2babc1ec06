"""Alphabets, and labels of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from hankelmatch.sequences.alphabet import Alphabet, refuse_ambiguous
from hankelmatch.sequences.corpus import Corpus
from hankelmatch.sequences.strings import Strings
from hypothesis import given
from hypothesis import strategies as st

from .strategies import labels, texts


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


def test_labels_are_found_whatever_numpy_calls_them():
    days = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
    assert Corpus.from_sequences([days, days[::-1]]).symbols.tolist() == [0, 1, 1, 0]
    assert Alphabet([1.0, 2.0]).encode([np.array([1, 2, 3])])[0].tolist() == [0, 1, -1]
    large = [np.array([2**53, 2**53 + 1], np.int64), np.array([2**64 - 1], np.uint64)]
    corpus = Corpus.from_sequences(large)
    assert corpus.alphabet.labels == (2**53, 2**53 + 1, 2**64 - 1)
    assert corpus.symbols.tolist() == [0, 1, 2]


def test_labels_that_would_be_lost_are_refused():
    with pytest.raises(ValueError, match="sequences: NaN cannot be a label"):
        Corpus.from_sequences([[1.0, float("nan")]])
    with pytest.raises(TypeError, match=r"sequences\[0\] is a masked array; leave out what is masked"):
        Corpus.from_sequences([np.ma.masked_array([1, 2], [False, True])])
    assert [*Corpus.from_sequences([np.ma.masked_array([1, 2])])] == [(1, 2)]  # nothing is masked
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


def test_what_labels_look_like_is_found_once(monkeypatch):
    """A call for one string must not look at all labels of a large alphabet each time."""
    looks = []
    look = Alphabet._own_labels
    monkeypatch.setattr(Alphabet, "_own_labels", lambda alphabet: looks.append(1) or look(alphabet))
    alphabet = Alphabet("ab")
    for _ in range(5):
        refuse_ambiguous("string", "xy", ("x", "y"), alphabet)
        refuse_ambiguous("string", ("xy", "x"), ("xy", "x"), alphabet)
    assert len(looks) == 2
