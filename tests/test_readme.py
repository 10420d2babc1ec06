"""What the README tells to type: its Python by doctest, its commands through the command itself."""

from __future__ import annotations

import doctest
import gzip
import re
import shlex
from pathlib import Path

import pytest
from hankelmatch.cli import main
from hankelmatch.sequences.corpus import sample_text

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def blocks(language: str) -> str:
    return "\n".join(text for name, text in BLOCKS if name == language)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A working folder with the files that the README's commands name."""
    for name in ("train", "dev", "test"):
        (tmp_path / f"{name}.txt").write_text("\n".join(sample_text()[:300]), encoding="utf-8")
    matrix = b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 1\n"
    (tmp_path / "matrix.mtx.gz").write_bytes(gzip.compress(matrix))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_python_gives_what_is_printed(folder):
    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    text = blocks("python")
    test = doctest.DocTestParser().get_doctest(text, {}, README.name, str(README), 0)
    assert len(test.examples) > 30
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test).failed == 0


def test_the_commands_run(folder, capsys):
    pytest.importorskip("matplotlib")
    commands = [line for line in blocks("sh").splitlines() if line.startswith("hankelmatch ")]
    assert len(commands) >= 8
    for command in commands:
        arguments = shlex.split(command)[1:]
        tries_states = arguments[0] == "learn" or arguments[:2] == ["plot", "states"]
        few = ["--max-states", "40"] if tries_states else []  # the printed ones take their time
        assert main([*arguments, *few]) == 0, command
        assert capsys.readouterr().out
    assert {path.suffix for path in folder.iterdir()} >= {".npz", ".png", ".svg"}


def test_there_are_the_two_commands_of_the_set_up():
    commands = [line for line in blocks("sh").splitlines() if line.startswith("python3 -m venv")]
    assert len(commands) == 2
    assert commands[0].endswith("hankelmatch learn")
    assert commands[1].endswith("pytest")
