"""What the README shows: its Python and its commands run, and it stays short."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents import README, blocks, commands, make_files, run_command, run_python

MOST_WORDS = 1000


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A working folder with the files that the README's commands name."""
    make_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_is_short():
    assert 500 < len(README.read_text(encoding="utf-8").split()) <= MOST_WORDS


def test_the_python_gives_what_is_printed(folder):
    assert run_python(README) > 20


def test_the_commands_run(folder, capsys):
    lines = commands(README)
    assert len(lines) >= 3
    for line in lines:
        run_command(line)
        assert capsys.readouterr().out


def test_there_are_the_two_commands_of_the_set_up():
    lines = "\n".join(blocks(README, "sh")).splitlines()
    set_up = [line for line in lines if line.startswith("python3 -m venv")]
    assert len(set_up) == 2
    assert set_up[0].endswith("hankelmatch learn")
    assert set_up[1].endswith("pytest")
