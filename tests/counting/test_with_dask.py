"""Counting by Dask: the same function, to the bit, as in memory; and tables of counts as Parquet."""

import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from hankelmatch import (
    Alphabet,
    SequenceFunction,
    SpectralLearner,
    cli,
    count_text,
    count_to_parquet,
    prefix_suffix_graph,
    read_text,
    substring_expectations,
)
from hankelmatch.counting import _dask_shuffle, _file_ranges, with_dask
from hankelmatch.counting.with_dask import parse_memory
from hankelmatch.sequences.corpus import split_tokens
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow", reason="the extra 'dask' is not installed")
pytest.importorskip("dask.dataframe", reason="the extra 'dask' is not installed")
dask_client = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
parquet = pytest.importorskip("pyarrow.parquet")

# Other people's code: what Dask leaves open or deprecates is not ours to answer for.
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

MODES = [
    {"unit": "char"},
    {"unit": "token", "start_symbol": True},
    {"unit": "char", "end_symbol": False},
    {"unit": "char", "stream": True},
    {"unit": "token", "stream": True},
    {"unit": "token", "stream": True, "end_symbol": True, "start_symbol": True},
    {"unit": "char", "stream": True, "end_symbol": True},
]


@pytest.fixture(scope="module", autouse=True)
def collected_in_time():
    """What Dask leaves open is told of while this module's filters hold, not when pytest ends."""
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def collected_after_each():
    yield
    gc.collect()


def check_same(found, expected):
    assert found.alphabet == expected.alphabet
    assert found.n_sequences == expected.n_sequences
    assert found.strings() == expected.strings()
    assert found.values().tobytes() == expected.values().tobytes()


def count_here(path, max_length, min_count, size, folder, **mode):
    """What the workers do, without workers."""
    unit, stream = mode["unit"], mode.get("stream", False)
    frame = [mode.get("end_symbol", not stream), mode.get("start_symbol", False)]
    end, start = (label if wanted else None for label, wanted in zip(("</s>", "<s>"), frame, strict=True))
    job = _file_ranges.Job(str(path), str(path), unit, stream, end, start, max_length, min_count)
    ranges = _file_ranges.plan_ranges(job, size)
    scans = [_file_ranges.scan_range(part, job) for part in ranges]
    alphabet = _file_ranges.whole_alphabet(job, ranges, scans)
    splitters = _dask_shuffle.splitters_of(job, scans, alphabet, 3)
    with _dask_shuffle.target_in(folder, job, scans, alphabet) as target:
        _dask_shuffle.write_empty_string(target, sum(scan.n_symbols for scan in scans))
        tables = [_dask_shuffle._count_range(part, target, splitters) for part in ranges]
        for bucket in range(len(splitters) + 1):
            rows = pa.concat_tables(
                [pa.Table.from_pandas(t[t["bucket"] == bucket], preserve_index=False) for t in tables]
            )
            _dask_shuffle._sum_and_write(rows.to_pandas(types_mapper=pandas_type), target)
    return target


def pandas_type(arrow_type):
    import pandas as pd  # noqa: PLC0415

    return pd.ArrowDtype(arrow_type)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(
    st.text("ab é\ufeff\n\t\r", min_size=1, max_size=40),
    st.sampled_from(MODES),
    st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(1, 12)),
)
def test_ranges_of_any_size_count_every_substring_once(tmp_path_factory, text, mode, numbers):
    max_length, least, size = numbers
    folder = tmp_path_factory.mktemp("table")
    path = folder / "text"
    path.write_text(text, encoding="utf-8", newline="")
    (folder / "counts").mkdir()
    if not text.strip(" \t\r\n\ufeff"):
        return  # nothing to count, or nearly: test_wrong_texts has these
    count_here(path, max_length, least, size, folder / "counts", **mode)
    check_same(SequenceFunction.from_parquet(folder / "counts"), count_text(path, max_length, least, **mode))


def test_a_large_alphabet_is_parsed_once_and_travels_with_no_task(tmp_path, monkeypatch):
    path, folder, parsed = tmp_path / "text", tmp_path / "counts", []
    path.write_text("\n".join(f"word{i}" for i in range(1000)))
    folder.mkdir()
    from_json = Alphabet.from_json
    monkeypatch.setattr(Alphabet, "from_json", lambda text: parsed.append(text) or from_json(text))
    target = count_here(path, 2, 1, 100, folder, unit="token")
    assert len(parsed) == 1
    assert len(pickle.dumps(target)) < 1000
    monkeypatch.undo()
    check_same(SequenceFunction.from_parquet(folder), count_text(path, 2, unit="token"))


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A real cluster of two worker processes."""
    scratch = str(tmp_path_factory.mktemp("workers"))
    with (
        dask_client.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", local_directory=scratch
        ) as cluster,
        dask_client.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    random = np.random.default_rng(5)
    words = ["".join(random.choice(list("abcdefgh é"), size)) for size in random.integers(1, 8, 300)]
    lines = [" ".join(random.choice(words, size)) for size in random.integers(0, 15, 3000)]
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("mode", MODES[1:5:3])
def test_two_workers_give_the_same_function(client, text, mode, monkeypatch):
    monkeypatch.setattr(with_dask, "_range_size", lambda limit, max_length: 12_000)
    monkeypatch.setattr(with_dask, "_n_buckets", lambda n_symbols, limit, max_length: 5)
    expected = count_text(text, 6, 2, **mode)
    check_same(count_text(text, 6, 2, engine="dask", client=client, **mode), expected)


def test_the_table_is_sorted_and_is_read_as_far_as_wanted(client, text, tmp_path, monkeypatch):
    monkeypatch.setattr(with_dask, "_range_size", lambda limit, max_length: 30_000)
    count_to_parquet(text, 5, tmp_path / "counts", client=client)
    rows = parquet.read_table(tmp_path / "counts")
    strings = rows["string"].to_pylist()
    assert strings == sorted(strings)
    check_same(SequenceFunction.from_parquet(tmp_path / "counts", 3), count_text(text, 5, 3))
    with pytest.raises(ValueError, match=r"table: .* exists"):
        count_to_parquet(text, 5, tmp_path / "counts", client=client)


def test_a_table_larger_than_a_worker_may_be(tmp_path):
    """20,000 random letters have 2 million substrings of up to 100, for two workers of 330 MB."""
    path, table = tmp_path / "text.txt", tmp_path / "counts"
    letters = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)
    path.write_bytes(np.random.default_rng(0).choice(letters, 20_000).tobytes())
    count_to_parquet(path, 100, table, stream=True, memory="660MB")
    graph = prefix_suffix_graph(count_text(path, 100, stream=True))
    n_strings, n_ids = graph.n_prefixes, graph.n_edges - graph.n_prefixes
    assert 4 * n_ids + 12 * n_strings > 400e6
    assert sum(parquet.read_metadata(file).num_rows for file in table.iterdir()) == n_strings
    check_same(SequenceFunction.from_parquet(table, 2), count_text(path, 100, 2, stream=True))


INTERRUPTED = """
    import sys
    from hankelmatch import count_to_parquet
    if __name__ == "__main__":
        try:
            count_to_parquet(sys.argv[1], 12, sys.argv[2], memory="1GB")
        except KeyboardInterrupt:
            print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C goes to process groups of POSIX")
def test_ctrl_c_leaves_nothing_behind(tmp_path):
    path, temporary, script = tmp_path / "text.txt", tmp_path / "temporary", tmp_path / "script.py"
    random = np.random.default_rng(0)
    path.write_bytes(random.choice(np.frombuffer(b"abcdefgh\n", np.uint8), 4_000_000).tobytes())
    temporary.mkdir()
    script.write_text(textwrap.dedent(INTERRUPTED))
    before = {p.name for p in tmp_path.iterdir()}
    process = subprocess.Popen(
        [sys.executable, script, path, tmp_path / "counts"],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    give_up = time.monotonic() + 120
    while not list(tmp_path.glob(".*/empty-string.parquet")) and time.monotonic() < give_up:
        time.sleep(0.05)
    time.sleep(1)
    os.killpg(process.pid, signal.SIGINT)
    begin = time.monotonic()
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - begin < 15  # within a second, unless the machine is busy: then all is slow
    process.communicate(timeout=60)
    assert {p.name for p in tmp_path.iterdir()} == before
    assert list(temporary.iterdir()) == []


WRONG = [
    (b"first line\nsecond line\nthird l\xffne\n", {}),
    (b"\xef\xbb\xbfab c de fg hi\nk \xe9t\xe9 jk\n", {"unit": "token"}),
    (b"\xef\xbb\xbfab c de fg hi k \xe9t\xe9 jk\n", {"unit": "token", "stream": True}),
    (b"\xef\xbb\xbfab c de fg hi k \xe9t\xe9 jk\n", {"stream": True}),
    (b"one\nab c de fg hi k \xe9t\xe9 jk\n", {"stream": True}),
    (b"one\ntwo\nthree\n\xff\nfour\nfive\n\0six", {}),
    (b"\xfe\xff" + "one\ntwo\nthree".encode("utf-16-be"), {}),
    ("one\ntwo\nthree".encode("utf-16"), {}),
    (b"a b\n\n\nc d e f g\nc </s> d\n", {"unit": "token"}),
    (b"a b\n\n\nc d e f g\nc <s>", {"unit": "token", "start_symbol": True}),
    (b"a b\n\n\nc d e f g\nc <s> d\n", {"unit": "token", "start_symbol": True, "stream": True}),
    (b"a b\nc d e f g\nxyz", {"end_symbol": "y", "stream": True}),
    (b"a b\nc d e f g\nxyz", {"end_symbol": "y", "start_symbol": "z"}),
    (b"a b\n", {"end_symbol": "y", "start_symbol": "y"}),
    (b"a b\n", {"unit": "word"}),
    (b"\n\n", {}),
    (b" \n" * 10, {"unit": "token"}),
    (b"\xef\xbb\xbf", {}),
    (b"", {}),
    (b"\x1f\x8b\x00", {}),
]


def complaint(function, *arguments, **options):
    with pytest.raises((ValueError, OSError)) as caught:
        function(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize(("content", "mode"), WRONG)
@pytest.mark.parametrize("size", [1, 10, 1000])
def test_ranges_are_refused_as_the_whole_file_is(tmp_path, content, mode, size):
    path = tmp_path / "text.txt"
    path.write_bytes(content)

    class Here:  # a client that does all at once
        map = staticmethod(lambda function, parts, job, pure: [function(part, job) for part in parts])
        gather = staticmethod(list)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(with_dask, "_range_size", lambda limit, max_length: size)
        told = complaint(count_to_parquet, path, 3, tmp_path / "counts", client=Here, **mode)
    assert told == complaint(read_text, path, **mode)
    assert [p.name for p in tmp_path.iterdir()] == ["text.txt"]


def test_what_is_no_file_is_refused_by_the_name_that_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    for name in ("nothing", "folder"):
        assert complaint(count_to_parquet, name, 3, "counts") == complaint(read_text, name)


def test_wrong_texts_are_refused_by_line_and_leave_nothing(client, tmp_path, monkeypatch):
    monkeypatch.setattr(with_dask, "_range_size", lambda limit, max_length: 10)
    path = tmp_path / "text.txt"
    path.write_bytes(b"first line\nsecond line\nthird l\xffne\n")
    told = complaint(count_to_parquet, path, 3, tmp_path / "counts", client=client)
    assert "line 3: byte 0xff (byte 8 of the line) is not UTF-8; save the file as UTF-8, for example" in told
    assert [p.name for p in tmp_path.iterdir()] == ["text.txt"]


def test_wrong_arguments(text, tmp_path):
    with pytest.raises(ValueError, match=r"^engine: .*; choose one of memory, dask"):
        count_text(text, 3, engine="spark")
    with pytest.raises(ValueError, match="memory: 100MB is too little for 2 workers"):
        count_to_parquet(text, 3, tmp_path / "counts", memory="100MB")
    with pytest.raises(ValueError, match="memory: 10kB cannot hold"):
        count_text(text, 3, memory="10kB")
    for memory in ("much", "0GB", "-1"):
        with pytest.raises(ValueError, match=r"memory: .* is no amount of memory"):
            parse_memory(memory)
    with pytest.raises(ValueError, match=r"^unit: .*; choose one of char, token"):
        count_to_parquet(text, 3, tmp_path / "counts", unit="word")


# ------------------------------------------------------------------------------------ other people's tables


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


@pytest.mark.parametrize("text", [" a b", "a b ", "a\t b", "a\u00a0b", "", "  "])
def test_tokens_of_a_table_stand_between_the_same_blanks_as_those_of_a_text(tmp_path, text):
    path = written(tmp_path / "t.parquet", [text], [1])
    f = SequenceFunction.from_parquet(path, n_sequences=1, unit="token")
    assert tuple(split_tokens(text)) in set(f.strings())
    assert set(f.alphabet.labels) == set(split_tokens(text))


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


@pytest.mark.parametrize("name", ["link", "absent/table"])
def test_a_place_for_the_table_is_looked_at_before_the_work(tmp_path, text, name):
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    with pytest.raises((ValueError, OSError), match=r"^table: "):
        count_to_parquet(text, 2, tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == ["link"]


def test_a_length_beyond_the_text_costs_no_more(text, client, tmp_path):
    path = tmp_path / "text.txt"  # the beginning: all substrings of all are many
    path.write_text("\n".join(text.read_text(encoding="utf-8").split("\n")[:300]), encoding="utf-8")
    check_same(count_text(path, 10**20, 50, engine="dask", client=client), count_text(path, 10**20, 50))


@pytest.mark.parametrize(
    ("strings", "unit"),
    [(["a", "b", "ab"], "char"), (["a", " b", "a b"], "token"), ([["a"], ["b"], ["a", "b"]], "char")],
)
def test_rare_symbols_count_for_the_empty_string(tmp_path, strings, unit):
    path = written(tmp_path / "t.parquet", strings, [30, 3, 2])
    for least, size in ((1, 4), (3, 3), (5, 2), (100, 1)):
        f = SequenceFunction.from_parquet(path, least, n_sequences=2, unit=unit)
        assert (f(""), len(f)) == ((2 + 30 + 3) / 2, size)


def test_workers_that_cannot_start_tell_why(tmp_path, text):
    program = tmp_path / "program.py"
    program.write_text(f"import hankelmatch\nhankelmatch.count_text({str(text)!r}, 2, engine='dask')\n")
    done = subprocess.run([sys.executable, program], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "RuntimeError: engine: Dask's workers did not start. Workers import the program" in done.stderr


def test_an_alphabet_of_ones_own(tmp_path):
    path = written(tmp_path / "t.parquet", ["a", "b"], [3, 2])
    wanted = Alphabet(["b", "c", "a"])
    f = SequenceFunction.from_parquet(path, n_sequences=1, alphabet=wanted)
    assert f.alphabet == wanted
    assert f("a") == 3
    with pytest.raises(ValueError, match="alphabet: string 1 has a symbol that is not in the alphabet"):
        SequenceFunction.from_parquet(path, n_sequences=1, alphabet=Alphabet(["a"]))


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


# --------------------------------------------------------------------------------- from counts to a model


def test_a_learner_takes_counts_in_place_of_a_text(text):
    corpus = read_text(text)
    f = substring_expectations(corpus, 4, 2)
    by_text = SpectralLearner(4, 20, min_count=2, start_symbol=False).fit(corpus)
    for longest in (4, 7):  # longer strings than were counted cannot be known
        by_counts = SpectralLearner(longest, 20, start_symbol=False).fit(f)
        assert by_text.model_.bits_per_symbol(corpus) == by_counts.model_.bits_per_symbol(corpus)
    with pytest.raises(ValueError, match="dev: counts of substrings have no text to hold out"):
        SpectralLearner(4, start_symbol=False).fit(f)
    with pytest.raises(ValueError, match="max_length: 3 is less than 4"):
        SpectralLearner(3, 20, start_symbol=False).fit(f)
    with pytest.raises(ValueError, match="min_count: 2 given, but corpus has been counted already"):
        SpectralLearner(4, 20, min_count=2, start_symbol=False).fit(f)


def test_the_command_learns_the_same_by_dask(text, capsys):
    path = str(text)
    learn = ["learn", path, "--dev", path, "--test", path, "--states", "20", "--max-length", "4", "--json"]
    results = []
    for options in (["--engine", "dask", "--memory", "1GB"], ["--memory", "1GB"]):
        assert cli.main([*learn, "--min-count", "2", *options]) == 0
        results.append(json.loads(capsys.readouterr().out))
    assert results[0]["test_bits_per_symbol"] == results[1]["test_bits_per_symbol"]


def test_the_command_says_what_is_missing(text, capsys):
    assert cli.main(["learn", str(text), "--engine", "dask"]) == 2
    assert "--dev and --test: with --engine dask nothing is held out" in capsys.readouterr().err
    assert cli.main(["plot", "states", str(text), "--engine", "dask", "-o", "states.svg"]) == 2
    assert "--dev: with --engine dask nothing is held out" in capsys.readouterr().err
    assert cli.main(["learn", str(text), "--memory", "1kB"]) == 2
    assert "memory: 1000 cannot hold" in capsys.readouterr().err
