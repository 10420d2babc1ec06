"""Runs what the documents show: their Python by doctest, their commands through the command itself."""

from __future__ import annotations

import doctest
import gzip
import re
import shlex
from pathlib import Path

from hankelmatch.cli import main
from hankelmatch.sequences.sample import sample_text

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PAGES = sorted(
    path
    for path in (ROOT / "docs").rglob("*.md")
    if not path.parts[-2].startswith(("_", "auto_", "generated"))
)
_FENCED = re.compile(r"^(`{3,})(?:\{code-block\} )?(\w+)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)


def blocks(document: Path, language: str) -> list[str]:
    """The fenced blocks of a language in a document."""
    found = _FENCED.findall(document.read_text(encoding="utf-8"))
    return [text for _, name, text in found if name == language]


def run_python(document: Path) -> int:
    """Run a document's Python as one session; the number of examples. What is printed must be right."""
    text = "\n".join(blocks(document, "python"))
    test = doctest.DocTestParser().get_doctest(text, {}, document.name, str(document), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test).failed == 0, document
    return len(test.examples)


def commands(document: Path) -> list[str]:
    """The lines of a document that call the package's command."""
    lines = "\n".join(blocks(document, "sh")).splitlines()
    return [line for line in lines if line.startswith("hankelmatch ")]


def run_command(command: str) -> None:
    """Run a line that calls the package's command. What would try many states tries few."""
    arguments = shlex.split(command, comments=True)[1:]
    tries_states = arguments[0] == "learn" or arguments[:2] == ["plot", "states"]
    few = ["--max-states", "40"] if tries_states and "--max-states" not in arguments else []
    assert main([*arguments, *few]) == 0, command


def make_files(folder: Path) -> None:
    """The files that the documents' commands name: texts of 300 sentences, and a matrix."""
    for name in ("train", "dev", "test"):
        (folder / f"{name}.txt").write_text("\n".join(sample_text()[:300]), encoding="utf-8")
    matrix = b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 1\n"
    (folder / "matrix.mtx.gz").write_bytes(gzip.compress(matrix))
