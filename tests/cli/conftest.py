"""Models for the tests of the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from hankelmatch.cli import main

from .commands import SENTENCES


@pytest.fixture(scope="session")
def text(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "train.txt"
    path.write_text("\n".join(SENTENCES), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def model(text) -> Path:
    path = text.with_name("model.npz")
    size = ["--max-length", "3", "--states", "50", "--no-mixture"]
    assert main(["learn", str(text), *size, "--json", "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="session")
def token_model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tokens")
    (folder / "train.txt").write_text("a b a <x>\nb a b\n" * 20, encoding="utf-8")
    arguments = ["--unit", "token", "--max-length", "3", "--states", "4", "--json"]
    assert main(["learn", str(folder / "train.txt"), *arguments, "-o", str(folder / "model.npz")]) == 0
    return folder / "model.npz"
