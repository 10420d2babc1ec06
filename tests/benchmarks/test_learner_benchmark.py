"""The benchmark of the learner, on a few sentences of tags: both versions are this one."""

import json
from pathlib import Path

import pytest

from benchmarks import learner
from benchmarks.builds import this_python

SENTENCES = ["D N V", "D A N V D N", "N V", "D N V D A N", "A N V N"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "pos").mkdir()
    for part in ("train", "test"):
        text = "\n".join(SENTENCES * (8 if part == "train" else 1))
        (tmp_path / "pos" / f"ewt.tags.{part}.txt").write_text(text, encoding="utf-8")
    return tmp_path


def test_two_versions_learn_a_text_in_turns(data, tmp_path, capsys):
    file = tmp_path / "figures.json"
    arguments = ["--data", str(data), "--texts", "tags", "--against", str(this_python()), "--json", str(file)]
    learner.main([*arguments, "--other-options", "n_states=2", 'method="auto"'])
    table, progress = capsys.readouterr()
    assert len(table.splitlines()) == 4
    assert progress.count("tags, ") == 2
    this, other = json.loads(file.read_text(encoding="utf-8"))["figures"]
    assert [this["version"], other["version"], other["n_states"]] == ["this", "other", 2]
    assert this["ratio"] == pytest.approx(this["seconds"] / other["seconds"])
    assert 0 < this["score"] < 3
    assert this["megabytes"] > 0


def test_an_unknown_text_is_refused(data, capsys):
    with pytest.raises(SystemExit):
        learner.main(["--data", str(data), "--texts", "novel"])
    assert "tags" in capsys.readouterr().err
