"""The notebook runs from its first cell to its last, in an empty folder."""

from __future__ import annotations

import ast
import json
import re

import pytest

from tests.documents import ROOT

NOTEBOOK = json.loads((ROOT / "docs" / "first_steps.ipynb").read_text(encoding="utf-8"))
CELLS = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def run(cell: str, names: dict) -> object:
    """Run a cell; the value of its last line, if that is an expression."""
    body = ast.parse(cell)
    last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
    exec(compile(body, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


def test_it_is_a_notebook_without_results():
    assert (NOTEBOOK["nbformat"], NOTEBOOK["metadata"]["kernelspec"]["name"]) == (4, "python3")
    assert not any(cell.get("outputs") for cell in NOTEBOOK["cells"])


def test_it_installs_from_the_address_of_the_project():
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    source = re.search(r'^Source = "(.+)"$', declared, re.MULTILINE)
    assert source is not None
    assert f"git+{source[1]}" in CELLS[0]


def test_its_cells_run_in_an_empty_folder(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    values = [run(cell, names) for cell in CELLS]
    assert len(values[1]) == 3
    assert values[3] == ([("ann", "drive"), ("bob", "cook")], 13.0)
    assert values[5]["aab"] == pytest.approx(0.1)
    assert "bits per character" in capsys.readouterr().out
    assert not any(tmp_path.iterdir())
