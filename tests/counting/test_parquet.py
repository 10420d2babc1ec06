"""Tables of counts as Parquet, by whomever they were written."""

import json

import pytest
from hankelmatch import Alphabet, SequenceFunction
from hankelmatch.sequences.corpus import split_tokens

pa = pytest.importorskip("pyarrow", reason="the extra 'dask' is not installed")
parquet = pytest.importorskip("pyarrow.parquet")


def written(path, strings, counts, string_type=None, count_type=None):
    table = pa.table({"string": pa.array(strings, string_type), "count": pa.array(counts, count_type)})
    parquet.write_table(table, path)
    return path


def test_tables_of_others_in_every_documented_form(tmp_path):
    expected = SequenceFunction.from_dict(
        {(): 4.0, ("a",): 1.5, ("b",): 1.5, ("a", "b"): 1.0, ("b", "a"): 0.5}
    )
    strings, counts = [["b"], ["a", "b"], ["a"], ["b", "a"], []], [3, 2, 3, 1, 8]
    lists = written(tmp_path / "lists.parquet", strings, counts)
    characters = written(tmp_path / "chars", ["".join(x) for x in strings], counts, count_type=pa.uint32())
    tokens = written(tmp_path / "tokens", [" ".join(x) for x in strings], counts, pa.large_string())
    for path, unit in ((lists, "char"), (characters, "char"), (tokens, "token")):
        f = SequenceFunction.from_parquet(path, n_sequences=2, unit=unit)
        assert dict(f.items()) == dict(expected.items())
    numbers = written(tmp_path / "numbers", [[7], [7, 5], []], [2, 1, 4], pa.list_(pa.int64()))
    assert dict(SequenceFunction.from_parquet(numbers, n_sequences=1).items()) == {(): 4, (7,): 2, (7, 5): 1}
    pruned = SequenceFunction.from_parquet(lists, 3, n_sequences=2)
    assert dict(pruned.items()) == {(): 4.0, ("a",): 1.5, ("b",): 1.5}


def test_a_table_without_the_empty_string_gets_its_count(tmp_path):
    path = written(tmp_path / "t.parquet", ["a", "ab", "b"], [3, 2, 2])
    assert SequenceFunction.from_parquet(path, n_sequences=2)("") == (2 + 3 + 2) / 2
    with pytest.raises(TypeError, match=r"^path: the name of a file is needed, not 3"):
        SequenceFunction.from_parquet(3, n_sequences=2)


@pytest.mark.parametrize(
    ("strings", "unit"),
    [(["a", "b", "ab"], "char"), (["a", " b", "a b"], "token"), ([["a"], ["b"], ["a", "b"]], "char")],
)
def test_rare_symbols_count_for_the_empty_string(tmp_path, strings, unit):
    path = written(tmp_path / "t.parquet", strings, [30, 3, 2])
    for least, size in ((1, 4), (3, 3), (5, 2), (100, 1)):
        f = SequenceFunction.from_parquet(path, least, n_sequences=2, unit=unit)
        assert (f(""), len(f)) == ((2 + 30 + 3) / 2, size)


@pytest.mark.parametrize("text", [" a b", "a b ", "a\t b", "a\u00a0b", "", "  "])
def test_tokens_of_a_table_stand_between_the_same_blanks_as_those_of_a_text(tmp_path, text):
    path = written(tmp_path / "t.parquet", [text], [1])
    f = SequenceFunction.from_parquet(path, n_sequences=1, unit="token")
    assert tuple(split_tokens(text)) in set(f.strings())
    assert set(f.alphabet.labels) == set(split_tokens(text))


def test_an_alphabet_of_ones_own(tmp_path):
    path = written(tmp_path / "t.parquet", ["a", "b"], [3, 2])
    wanted = Alphabet(["b", "c", "a"])
    f = SequenceFunction.from_parquet(path, n_sequences=1, alphabet=wanted)
    assert f.alphabet == wanted
    assert f("a") == 3
    with pytest.raises(ValueError, match="alphabet: string 1 has a symbol that is not in the alphabet"):
        SequenceFunction.from_parquet(path, n_sequences=1, alphabet=Alphabet(["a"]))


def test_large_numbers_do_not_overflow(tmp_path):
    path = written(tmp_path / "t.parquet", ["a", "b"], [2**62, 2**62])
    assert SequenceFunction.from_parquet(path, n_sequences=1)("") == 2.0**63
    assert SequenceFunction.from_parquet(path, n_sequences=2**70)("a") == 2.0**-8


def test_headers_that_are_no_headers_are_refused(tmp_path):
    def with_header(path, text, symbol=0):
        schema = pa.schema([("string", pa.list_(pa.int32())), ("count", pa.int64())], {b"hankelmatch": text})
        parquet.write_table(pa.table([[[symbol]], [1]], schema=schema), path)

    good = {"kind": "substring counts", "version": 1, "n_sequences": 2, "alphabet": Alphabet("ab").to_json()}
    changes = [{"version": "q"}, {"version": None}, {"alphabet": 1}, {"alphabet": "{}"}, {"n_sequences": 0}]
    changes += [{"n_sequences": "x"}, {"n_sequences": 2.5}]
    damaged = [json.dumps(good | change).encode() for change in changes]
    for text in (b"x", b"[]", b"null", b"{}", b"\xff", *damaged):
        with_header(tmp_path / "t.parquet", text)
        with pytest.raises(ValueError, match=r"t\.parquet: its header is damaged"):
            SequenceFunction.from_parquet(tmp_path / "t.parquet")
    (tmp_path / "folder").mkdir()
    for symbol in (0, 1):
        with_header(
            tmp_path / "folder" / f"{symbol}.parquet",
            json.dumps(good | {"n_sequences": 2 + symbol}).encode(),
            symbol,
        )
        assert len(SequenceFunction.from_parquet(tmp_path / "folder" / f"{symbol}.parquet")) == 2
    with pytest.raises(ValueError, match="folder: its files have different headers"):
        SequenceFunction.from_parquet(tmp_path / "folder")


def test_wrong_tables_are_refused_clearly(tmp_path):
    def error(path, **arguments):
        with pytest.raises((ValueError, OSError)) as caught:
            SequenceFunction.from_parquet(path, **{"n_sequences": 1, **arguments})
        return str(caught.value)

    good = written(tmp_path / "good", ["a"], [1])
    assert "No such file" in error(tmp_path / "nothing")
    (tmp_path / "folder").mkdir()
    assert "has no Parquet file" in error(tmp_path / "folder")
    (tmp_path / "text").write_text("a 1")
    assert "not a Parquet table" in error(tmp_path / "text")
    assert "n_sequences: None given, but the table has none" in error(good, n_sequences=None)
    for n_sequences in (0, -1, "x", True):
        assert "n_sequences: None or a finite number above 0" in error(good, n_sequences=n_sequences)
    assert "'count' has -2; a count is at least 0" in error(written(tmp_path / "below", ["a"], [-2]))
    assert "min_count: a whole number from 1" in error(good, min_count=0)
    assert "unit: 'word' is unknown" in error(good, unit="word")
    assert "'count' is of type double; integers" in error(written(tmp_path / "floats", ["a"], [1.5]))
    assert "'string' is of type int64; lists" in error(written(tmp_path / "ints", [1], [1]))
    assert "'count' has missing values" in error(written(tmp_path / "null", ["a", "b"], [1, None]))
    assert "a list with a missing value" in error(written(tmp_path / "hole", [["a", None]], [1]))
    assert "('a',) is given twice" in error(written(tmp_path / "twice", ["a", "b", "a"], [1, 1, 2]))
    parquet.write_table(pa.table({"ngram": ["a"], "count": [1]}), tmp_path / "names")
    assert "column 'string' is missing, there is 'ngram', 'count'" in error(tmp_path / "names")
