"""What the project's own files say about it: one version, the same Pythons, the paper to cite."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import hankelmatch
import pytest

ROOT = Path(__file__).resolve().parents[1]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project() -> dict:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 cannot read pyproject.toml by itself")
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_there_is_one_version(project):
    assert project["project"]["dynamic"] == ["version"]
    source = project["tool"]["scikit-build"]["metadata"]["version"]["input"]
    assert f'__version__ = "{hankelmatch.__version__}"' in (ROOT / source).read_text(encoding="utf-8")
    assert metadata.version("hankelmatch") == hankelmatch.__version__
    assert f"version: {hankelmatch.__version__}\n" in CITATION


def test_wheels_are_made_for_every_python_that_is_promised(project):
    named = [c.rpartition(" ")[2] for c in project["project"]["classifiers"] if ":: Python :: 3." in c]
    built = project["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp{version.replace('.', '')}-*" for version in named]
    assert project["project"]["requires-python"] == f">={named[0]}"
    assert len(named) == 5


def test_every_extra_that_is_advised_exists(project):
    extras = project["project"]["optional-dependencies"]
    sources = [*(ROOT / "python").rglob("*.py"), *ROOT.glob("*.md"), *(ROOT / "tests").glob("*.py")]
    advised = {
        extra
        for path in sources
        for extra in re.findall(r"hankelmatch\[([a-z]+)\]", path.read_text(encoding="utf-8"))
    }
    assert {"dask", "plot", "splearn"} <= advised <= set(extras)


def test_the_paper_is_cited():
    cited = CITATION.partition("preferred-citation:")[2]
    assert "title: A Maximum Matching Algorithm for Basis Selection in Spectral Learning\n" in cited
    assert re.findall(r"family-names: (\S+)", cited) == ["Quattoni", "Carreras", "Gallé"]
    assert "year: 2017\n" in cited
