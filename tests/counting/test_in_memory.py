"""Counting in memory: the counts of substrings and their expectations, against the definition."""

import copy
import pickle

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    Corpus,
    SequenceFunction,
    _core,
    prefix_probabilities,
    string_probabilities,
    substring_expectations,
)
from hypothesis import given
from hypothesis import strategies as st

from ..support_reference import substring_counts

texts = st.lists(st.text("abc", max_size=9), min_size=1, max_size=8)


@given(texts, st.integers(0, 12))
def test_expectations_equal_the_definition(sequences, max_length):
    f = substring_expectations(sequences, max_length)
    expected = {x: n / len(sequences) for x, n in substring_counts(sequences, max_length).items()}
    assert dict(f.items()) == expected
    assert len(f) == len(expected)
    assert f.n_sequences == len(sequences)
    assert f.max_length == min(max_length, max(map(len, sequences)))


@given(texts)
def test_items_run_by_length_and_then_by_symbol(sequences):
    strings = [x for x, _ in substring_expectations(sequences, 5).items()]
    assert strings == sorted(strings, key=lambda x: (len(x), x))


@given(texts)
def test_string_and_prefix_probabilities_equal_the_definition(sequences):
    f = string_probabilities(sequences)
    assert dict(f.items()) == {tuple(x): sequences.count(x) / len(sequences) for x in set(sequences)}
    prefixes = {tuple(x[:i]) for x in sequences for i in range(len(x) + 1)}
    g = prefix_probabilities(sequences)
    assert dict(g.items()) == {
        p: sum(tuple(x[: len(p)]) == p for x in sequences) / len(sequences) for p in prefixes
    }
    short = prefix_probabilities(sequences, 2)
    assert dict(short.items()) == {p: v for p, v in g.items() if len(p) <= 2}


def test_the_empty_string_counts_once_more_than_the_mean_length():
    f = substring_expectations(Corpus.from_sequences(["ab", ""], end_symbol=True), 3)
    assert f(()) == 1 + (3 + 1) / 2


@given(texts, st.integers(0, 6))
def test_wide_ids_change_nothing(sequences, max_length):
    corpus = Corpus.from_sequences(sequences)
    narrow, counts = _core.count_substrings(corpus.symbols, corpus.offsets, max_length)
    wide, wide_counts = _core.count_substrings(corpus.symbols, corpus.offsets, max_length, wide_ids=True)
    assert isinstance(narrow, _core.Trie32)
    assert isinstance(wide, _core.Trie64)
    np.testing.assert_array_equal(counts, wide_counts)
    for name in ("level_begin", "symbol", "parent", "child_begin", "suffix"):
        np.testing.assert_array_equal(getattr(narrow, name), getattr(wide, name))


def test_the_largest_symbols_and_the_longest_strings_are_exact():
    rng = np.random.default_rng(0)
    symbols = rng.choice(np.array([0, 5, 2**31 - 1], np.int32), 200)
    offsets = np.array([0, 120, 120, 200])
    trie, counts = _core.count_substrings(symbols, offsets, 90)
    expected = substring_counts([symbols[:120].tolist(), [], symbols[120:].tolist()], 90)
    spelled, ends = trie.spell(np.arange(trie.n_nodes, dtype=np.int32))
    found = {tuple(spelled[i:j].tolist()): n for i, j, n in zip(ends, ends[1:], counts, strict=False)}
    assert found == expected


@given(
    st.dictionaries(
        st.lists(st.sampled_from(["x", 1, ("y", 2)]), max_size=4).map(tuple),
        st.floats(-2, 2, allow_subnormal=False),
    )
)
def test_from_dict_gives_the_values_back(values):
    f = SequenceFunction.from_dict(values)
    assert dict(f.items()) == {x: v for x, v in values.items() if v != 0}
    assert all(f(x) == v for x, v in values.items())
    assert f(("never seen",)) == 0.0


def test_from_dict_refuses_what_it_cannot_mean():
    with pytest.raises(ValueError, match=r"values: that of string \('a',\) is nan"):
        SequenceFunction.from_dict({"a": float("nan")})
    with pytest.raises(ValueError, match="given twice"):
        SequenceFunction.from_dict({"ab": 1.0, ("a", "b"): 2.0})
    with pytest.raises(ValueError, match="not in the alphabet"):
        SequenceFunction.from_dict({"ab": 1.0}, Alphabet("a"))
    with pytest.raises(ValueError, match="one for each of the 2 strings"):
        SequenceFunction.from_strings(["a", "b"], [1.0])
    with pytest.raises(TypeError, match="substring_expectations"):
        SequenceFunction()


@pytest.mark.parametrize("max_length", [-1, 2.5, "3", True, None])
def test_a_wrong_length_is_named(max_length):
    with pytest.raises(ValueError, match="max_length"):
        substring_expectations(["ab"], max_length)


def test_a_corpus_without_sequences_or_with_unknown_symbols_is_refused():
    with pytest.raises(ValueError, match="no sequence"):
        substring_expectations([], 2)
    with pytest.raises(ValueError, match="corpus: string 1"):
        substring_expectations(Corpus.from_sequences(["a", "ab"], Alphabet("a")), 2)


def test_strings_are_read_by_label_whatever_their_alphabet():
    f = substring_expectations(["ab"], 2)
    other = Corpus.from_sequences(["ba", "ab"], Alphabet("bza"))
    assert f.values_of(other).tolist() == [0.0, 1.0]


@given(texts, st.integers(0, 5))
def test_save_and_load_are_exact(tmp_path_factory, sequences, max_length):
    path = tmp_path_factory.mktemp("f") / "f.npz"
    f = substring_expectations(sequences, max_length)
    f.save(path)
    g = SequenceFunction.load(path)
    assert list(g.items()) == list(f.items())
    assert (g.alphabet, g.n_sequences, g.max_length) == (f.alphabet, f.n_sequences, f.max_length)


def test_what_the_core_returns_cannot_be_written():
    f = substring_expectations(["ab"], 2)
    with pytest.raises(ValueError, match="read-only"):
        f._trie.parent[0] = 1


def test_lengths_beyond_every_text_mean_all():
    assert substring_expectations(["ab"], 10**20).max_length == 2
    assert prefix_probabilities(["ab"], 2**70).max_length == 2
    assert list(substring_expectations(["ab"], 2, min_count=10**20).items()) == [((), 3.0)]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_a_function_can_be_copied_and_pickled(copied):
    for f in (substring_expectations(["abb", "ba"], 3), SequenceFunction.from_dict({(("t", 1), 2.5): -1.0})):
        twin = copied(f)
        assert list(twin.items()) == list(f.items())
        assert (twin.alphabet, twin.n_sequences, twin._is_closed) == (f.alphabet, f.n_sequences, f._is_closed)


def test_wrong_kinds_of_arguments_are_named():
    with pytest.raises(TypeError, match="alphabet: 'ab' is of type str; give Alphabet"):
        SequenceFunction.from_dict({"ab": 1}, "ab")
    with pytest.raises(TypeError, match="values: a mapping of strings to numbers is needed, not list"):
        SequenceFunction.from_dict([("ab", 1.0)])


def test_long_strings_of_a_text_that_repeats_itself():
    f = substring_expectations(["a" * 200_000], 200_000)
    assert len(f) == 200_001
    assert f("a" * 199_999) == 2
    periodic = "abc" * 50_000
    f = substring_expectations([periodic], len(periodic))
    assert len(f) == 1 + 3 * len(periodic) - 3
    assert f(periodic[1:-3]) == f(periodic[1:-1]) + 1 == 2
    assert len(substring_expectations([periodic], len(periodic), 50_000)) == 7


def test_prefixes_of_a_long_string_and_of_its_beginnings():
    long = "ab" * 100_000
    f = prefix_probabilities([long, long[:1000], "b"], sample_weight=[1, 2, 1])
    assert len(f) == len(long) + 2
    assert [f(x) for x in ("", "b", "a", long[:1000], long[:1001], long)] == [1, 0.25, 0.75, 0.75, 0.25, 0.25]
