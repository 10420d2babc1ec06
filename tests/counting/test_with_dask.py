"""Counting by Dask: the same function, to the bit, as in memory."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from hankelmatch import SequenceFunction, count_text, count_to_parquet, prefix_suffix_graph
from hankelmatch.counting import with_dask
from hankelmatch.counting.with_dask import parse_memory

from .dask_checks import DASK_MARKS, MODES, check_same, complaint

dask_client = pytest.importorskip("distributed")
parquet = pytest.importorskip("pyarrow.parquet")
pytestmark = DASK_MARKS


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


def test_a_length_beyond_the_text_costs_no_more(text, client, tmp_path):
    path = tmp_path / "text.txt"  # the beginning: all substrings of all are many
    path.write_text("\n".join(text.read_text(encoding="utf-8").split("\n")[:300]), encoding="utf-8")
    check_same(count_text(path, 10**20, 50, engine="dask", client=client), count_text(path, 10**20, 50))


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


def test_workers_that_cannot_start_say_why(tmp_path, text):
    program = tmp_path / "program.py"
    program.write_text(f"import hankelmatch\nhankelmatch.count_text({str(text)!r}, 2, engine='dask')\n")
    done = subprocess.run([sys.executable, program], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert "RuntimeError: engine: Dask's workers did not start. Workers import the program" in done.stderr


def test_wrong_texts_are_refused_by_line_and_leave_nothing(client, tmp_path, monkeypatch):
    monkeypatch.setattr(with_dask, "_range_size", lambda limit, max_length: 10)
    path = tmp_path / "text.txt"
    path.write_bytes(b"first line\nsecond line\nthird l\xffne\n")
    message = complaint(count_to_parquet, path, 3, tmp_path / "counts", client=client)
    assert (
        "line 3: byte 0xff (byte 8 of the line) is not UTF-8; save the file as UTF-8, for example" in message
    )
    assert [p.name for p in tmp_path.iterdir()] == ["text.txt"]


@pytest.mark.parametrize("name", ["link", "absent/table"])
def test_a_place_for_the_table_is_looked_at_before_the_work(tmp_path, text, name):
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    with pytest.raises((ValueError, OSError), match=r"^table: "):
        count_to_parquet(text, 2, tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == ["link"]


@pytest.mark.skipif(os.name == "nt", reason="pipes have no names there")
def test_a_pipe_is_refused_before_it_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe: a pipe cannot be read in parts; save it as a file"):
        count_text(tmp_path / "pipe", 2, engine="dask")


def test_wrong_arguments(text, tmp_path):
    with pytest.raises(ValueError, match=r"^engine: .*; choose one of memory, dask"):
        count_text(text, 3, engine="spark")
    with pytest.raises(ValueError, match=r"^n_workers: a whole number from 1"):
        count_text(text, 3, n_workers=-5)
    with pytest.raises(ValueError, match=r"^client: its workers count for engine"):
        count_text(text, 3, client=object())
    with pytest.raises(ValueError, match="memory: 100MB is too little for 2 workers"):
        count_to_parquet(text, 3, tmp_path / "counts", memory="100MB")
    with pytest.raises(ValueError, match="memory: 10kB cannot hold"):
        count_text(text, 3, memory="10kB")
    for memory in ("much", "0GB", "-1"):
        with pytest.raises(ValueError, match=r"memory: .* is no amount of memory"):
            parse_memory(memory)
    with pytest.raises(ValueError, match=r"^unit: .*; choose one of char, token"):
        count_to_parquet(text, 3, tmp_path / "counts", unit="word")
