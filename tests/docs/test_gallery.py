"""Every example of the gallery runs, and draws."""

from __future__ import annotations

import runpy
import warnings

import pytest

from tests.documents import ROOT

pyplot = pytest.importorskip("matplotlib.pyplot")
from matplotlib.figure import Figure  # noqa: E402

EXAMPLES = sorted((ROOT / "docs" / "gallery").glob("*.py"))
NEEDS = {"dask": "dask", "networkx": "networkx"}


def test_there_are_enough():
    assert len(EXAMPLES) >= 10


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_it_draws(path, monkeypatch, tmp_path):
    text = path.read_text(encoding="utf-8")
    for word, module in NEEDS.items():
        if word in text:
            pytest.importorskip(module)
    assert text.startswith('"""\n')
    monkeypatch.chdir(tmp_path)
    pyplot.switch_backend("Agg")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
        names = runpy.run_path(str(path))
    pyplot.close("all")
    figures = [value for value in names.values() if isinstance(value, Figure)]
    assert figures
    assert all(figure.axes for figure in figures)
    assert not any(tmp_path.iterdir())
