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
    for part in ("train", "dev", "test"):
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


def test_the_best_by_hand_is_found_on_the_dev_part(data, tmp_path, capsys):
    file = tmp_path / "figures.json"
    arguments = ["--data", str(data), "--texts", "tags", "--by-hand", "--json", str(file)]
    with pytest.raises(SystemExit):
        learner.main(arguments)
    assert "--by-hand: it is of the other version; give --against" in capsys.readouterr().err
    learner.main([*arguments, "--against", str(this_python())])
    assert "other, by hand" in capsys.readouterr().out
    *_, best = json.loads(file.read_text(encoding="utf-8"))["figures"]
    assert [one["max_length"] for one in best["tried"]] == [3, 4, 5, 6]
    assert best["chosen_by"] == max(one["chosen_by"] for one in best["tried"])
    assert best["chosen_by"] == pytest.approx(-best["score"])  # dev and test are the same text here


def test_by_hand_public_prefixes_choose(tmp_path):
    for folder in ("train", "prefixes", "targets"):
        (tmp_path / "spice" / folder).mkdir(parents=True)
    sequences = ["0 1 2", "0 1 2 0 1 2", "1 2", "0 1 2 0 1 2 0 1 2", "2"]
    lines = [f"{len(s.split())} {s}" for s in sequences * 8]
    spice = tmp_path / "spice"
    (spice / "train/2.spice.train").write_text("\n".join([f"{len(lines)} 3", *lines]), encoding="utf-8")
    for part in ("public", "private"):
        prefixes, targets = "2 3\n2 0 1\n1 0\n", "1.0 2 1.0\n1.0 1 1.0\n"
        (spice / f"prefixes/2.spice.prefix.{part}").write_text(prefixes, encoding="utf-8")
        (spice / f"targets/2.spice.target.{part}").write_text(targets, encoding="utf-8")
    best = learner.best_by_hand(this_python(), tmp_path, "spice2")
    assert best["score"] == best["chosen_by"] == 1.0


def test_an_unknown_text_is_refused(data, capsys):
    with pytest.raises(SystemExit):
        learner.main(["--data", str(data), "--texts", "novel"])
    assert "tags" in capsys.readouterr().err
