"""Every page of the site: its Python gives what is printed, its commands run, its links are listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documents import PAGES, README, ROOT, blocks, commands, make_files, run_command, run_python

NAMES = [path.relative_to(ROOT / "docs").as_posix() for path in PAGES]
WITH_PYTHON = [name for name in NAMES if blocks(ROOT / "docs" / name, "python")]
WITH_COMMANDS = [name for name in NAMES if commands(ROOT / "docs" / name)]
MODULES = re.compile(
    r"^(?:>>>|\.\.\.) (?:import|from) (matplotlib|networkx|sklearn|dask|pandas)", re.MULTILINE
)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    make_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_pages_with_python_and_with_commands():
    assert len(PAGES) > 20
    assert len(WITH_PYTHON) > 10
    assert len(WITH_COMMANDS) >= 3


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_the_python_gives_what_is_printed(name, folder):
    page = ROOT / "docs" / name
    text = page.read_text(encoding="utf-8")
    for module in {*MODULES.findall(text), *(["matplotlib"] if "hankelmatch.plot" in text else [])}:
        pytest.importorskip(module)
    assert run_python(page) > 0


@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_the_commands_run(name, folder, capsys):
    if any(line.startswith("hankelmatch plot") for line in commands(ROOT / "docs" / name)):
        pytest.importorskip("matplotlib")
    for line in commands(ROOT / "docs" / name):
        run_command(line)
        assert capsys.readouterr().out


def test_python_that_is_not_run_says_why():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        shown = len(re.findall(r"^```py$", text, re.MULTILINE))
        assert shown == len(re.findall(r"^<!-- (?:with|not run: .+) .*-->\n```py$", text, re.MULTILINE)), page
        for block in blocks(page, "python"):
            assert block.startswith(">>> "), (page, block)


def test_links_to_other_sites_are_listed():
    """A link comes in with a line of docs/links.txt, so that somebody has looked at it."""
    sources = [*PAGES, README, *ROOT.glob("*.md"), *(ROOT / "docs" / "gallery").glob("*.py")]
    sources += [*(ROOT / "python").rglob("*.py"), ROOT / "CITATION.cff", ROOT / "pyproject.toml"]
    found = set()
    for path in sources:
        text = path.read_text(encoding="utf-8")
        found |= {link.rstrip(".,;:") for link in re.findall(r"https?://[^\s\"'`<>)\]}]+", text)}
    listed = (ROOT / "docs" / "links.txt").read_text(encoding="utf-8").splitlines()
    assert sorted(found) == listed


def test_the_files_that_the_architecture_names_are_there():
    text = (ROOT / "docs" / "explained" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("## Where is the code of ...?")[2].partition("\n## ")[0]
    named = re.findall(r"`([a-z_]+/[a-z_/]*(?:\.hpp|\.py)?)`", table)
    assert len(named) > 15
    roots = (ROOT, ROOT / "python" / "hankelmatch", ROOT / "cpp" / "include" / "hankelmatch")
    assert [path for path in named if not any((root / path).exists() for root in roots)] == []
