"""Ranges of a text: counted as the whole, and refused as the whole is."""

import pickle
from pathlib import Path

import pytest
from hankelmatch import Alphabet, SequenceFunction, count_text, count_to_parquet, read_text
from hankelmatch.counting import _dask_shuffle, _file_ranges, with_dask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .dask_checks import DASK_MARKS, MODES, check_same, complaint

pa = pytest.importorskip("pyarrow")
pytestmark = DASK_MARKS


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
        return  # nothing to count, or nearly: WRONG has these
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
        message = complaint(count_to_parquet, path, 3, tmp_path / "counts", client=Here, **mode)
    assert message == complaint(read_text, path, **mode)
    assert [p.name for p in tmp_path.iterdir()] == ["text.txt"]


def test_what_is_no_file_is_refused_by_the_name_that_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    for name in ("nothing", "folder"):
        assert complaint(count_to_parquet, name, 3, "counts") == complaint(read_text, name)
