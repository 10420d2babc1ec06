"""The benchmark of PAutomaC's problems, on a generated one: scores above the optimum, and what is kept."""

import gzip
import json

import numpy as np
import pytest
from hankelmatch import Alphabet, ProbabilisticAutomaton, StringDistribution

from benchmarks.pautomac import __main__ as benchmark

TRUE = ProbabilisticAutomaton(
    [0.5, 0.5], [0.3, 0.2], {"0": [[0.5, 0.1], [0.0, 0.1]], "1": [[0.0, 0.1], [0.6, 0.1]]}, Alphabet("01")
)


def in_format(strings):
    lines = [f"{len(strings)} 2", *(" ".join(map(str, [len(x), *x])) for x in strings)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "pautomac"
    folder.mkdir()
    test = sorted(set(TRUE.sample(60, seed=1)))
    probabilities = np.exp(TRUE.log_probability(test))
    (folder / "7.pautomac.train.gz").write_bytes(gzip.compress(in_format(TRUE.sample(300)).encode()))
    (folder / "7.pautomac.test").write_text(in_format(test))
    lines = [str(len(test)), *(repr(float(p)) for p in probabilities / probabilities.sum())]
    (folder / "7.pautomac_solution.txt").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_every_row_is_above_the_optimum_and_kept(data, tmp_path, monkeypatch, capsys):
    quick = {"n_states": [2, 3], "max_steps": 20, "n_sweeps": 40}
    monkeypatch.setattr(
        benchmark, "StringDistribution", lambda **options: StringDistribution(**{**options, **quick})
    )
    kept = tmp_path / "kept.json"
    command = ["pautomac", "--data", str(data), "--problems", "7", "--output", str(kept)]
    monkeypatch.setattr("sys.argv", command)
    assert benchmark.main() == 0
    rows = {line["row"]: line for line in json.loads(kept.read_text())}
    assert list(rows) == list(benchmark.ROWS)
    assert all(line["score"] > 0 for line in rows.values())
    assert rows["default"]["off"] < 1e-9
    assert rows["default"]["structure"] in ("free", "hidden-markov")
    printed = capsys.readouterr().out

    monkeypatch.setattr(benchmark, "measured", lambda *_: pytest.fail("worked out again"))
    assert benchmark.main() == 0
    assert capsys.readouterr().out == printed
