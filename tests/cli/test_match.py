"""`hankelmatch match`: what it writes, and help with files that are nearly Matrix Market files."""

import bz2
import gzip
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hankelmatch import match
from hankelmatch.cli import main

HEADER = "%%MatrixMarket matrix coordinate {} general\n"
MATRIX = sp.csr_array([[1, 1, 0], [1, 0, 0], [0, 0, 0]])
CONTENT = HEADER.format("pattern") + "3 3 3\n1 1\n1 2\n2 1\n"


@pytest.fixture
def run(capsys):
    def call(*arguments, status=0):
        assert main([str(a) for a in arguments]) == status
        captured = capsys.readouterr()
        return captured.err if status else captured.out

    return call


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "m.mtx"
    file.write_text(CONTENT, encoding="ascii")
    return file


def read_pairs(file):
    if file.suffix == ".csv":
        header, *lines = file.read_text(encoding="ascii").splitlines()
        assert header == "row,column"
        return [tuple(map(int, line.split(","))) for line in lines]
    result = json.loads(file.read_bytes()) if file.suffix == ".json" else dict(np.load(file))
    return list(zip(map(int, result["rows"]), map(int, result["columns"]), strict=True))


@pytest.mark.parametrize("suffix", [".csv", ".json", ".npz"])
def test_pairs_are_written(run, path, suffix):
    output = path.with_suffix(suffix)
    assert str(output) in run("match", path, "-o", output)
    assert read_pairs(output) == [(0, 1), (1, 0)]


def test_pairs_are_in_the_json(run, path):
    assert json.loads(run("match", path, "--json"))["pairs"] == {"rows": [0, 1], "columns": [1, 0]}


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_permutations_are_written(run, path, suffix):
    output = path.with_suffix(suffix)
    run("match", path, "--dm", "-o", output)
    result = json.loads(output.read_bytes()) if suffix == ".json" else np.load(output)
    permuted = MATRIX.toarray()[np.array(result["row_order"])][:, np.array(result["col_order"])]
    assert (np.tril(permuted[:, 1:], -1) == 0).all()
    assert list(result["row_parts"]) == [0, 0, 2, 2, 3]
    assert read_pairs(output) == [(0, 1), (1, 0)]


def test_names_that_cannot_be_written_are_refused_before_the_work(run, path):
    assert "ends in .csv, .json or .npz" in run("match", path, "-o", path.with_suffix(".txt"), status=2)
    assert "give -o a .json or .npz" in run("match", path, "--dm", "-o", path.with_suffix(".csv"), status=2)
    assert "no file can be written there" in run("match", path, "-o", path / "x.csv", status=2)
    csv = path.with_suffix(".csv")
    csv.write_bytes(path.read_bytes())
    assert "this file is read, and would be lost" in run("match", csv, "-o", csv, status=2)


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + CONTENT,
        HEADER.format("integer") + f"3 3 3\n1 1 {2**63}\n1 2 {10**30}\n2 1 -{2**70}\n",
        "\ufeff" + HEADER.format("integer") + f"% big\n\n3 3 3\n1 1 {2**63}\n1 2 1\n2 1 1\n",
    ],
)
def test_byte_order_marks_and_huge_integers_do_not_matter(run, path, content):
    path.write_text(content, encoding="utf-8")
    assert json.loads(run("match", path, "--json"))["structural_rank"] == match(MATRIX).size


def test_huge_integers_of_a_symmetric_matrix(run, path):
    header = HEADER.format("integer").replace("general", "symmetric")
    path.write_text(header + f"2 2 1\n2 1 {2**64}\n", encoding="ascii")
    assert json.loads(run("match", path, "--json"))["structural_rank"] == 2


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (HEADER.format("pattern") + "% size forgotten\n1 1\n", "line 3: the size line is missing"),
        (HEADER.format("pattern"), "after the header: the size line is missing"),
        (HEADER.format("pattern") + "2 2 2\n0 1\n1 0\n", "line 3: row 0; Matrix Market counts from 1"),
        (HEADER.format("pattern") + "2 2 2\n1 1\n1 0\n", "line 4: column 0; Matrix Market counts from 1"),
        (HEADER.format("pattern") + "2 2 1\n1 5\n", "line 3: a column from 1 to 2 is needed, not ['1', '5']"),
        (HEADER.format("pattern") + "2 2 1\n1 x\n", "line 3: a column from 1 to 2 is needed"),
        ("\ufeffnothing\n", "give a Matrix Market file"),
    ],
)
def test_help_with_files_that_are_nearly_right(run, path, content, complaint):
    path.write_text(content, encoding="utf-8")
    line = run("match", path, status=2)
    assert f"{path}: " in line
    assert complaint in line


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2"])
def test_a_file_that_ends_within_a_line_is_refused(run, tmp_path, ending):
    """Readers of scipy crash on it."""
    content = (HEADER.format("real") + "3 3 4\n1 1 1.0\n1 1 1 1.").encode("ascii")
    compress = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}[ending]
    file = tmp_path / f"m.mtx{ending}"
    file.write_bytes(compress(content))
    assert f"m.mtx{ending}" in run("match", file, status=2)
    file.write_bytes(compress((HEADER.format("real") + "3 3 2\n1 1 1.0\n2 2 2\0j1\n").encode("ascii")))
    run("match", file, status=0)  # of a line that scipy cannot read the first two numbers count
    file.write_bytes(compress(CONTENT.rstrip().encode("ascii")))
    assert "2" in run("match", file)
