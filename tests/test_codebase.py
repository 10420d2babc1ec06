"""The layering, as DESIGN has it: data flows one way through the stages, and the core knows no Python."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import hankelmatch
import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(hankelmatch.__file__).parent
STAGES = [
    "alphabet",
    "strings",
    "corpus",
    "sequence_function",
    "statistics",
    "distributed",
    "graph",
    "matching",
    "weighted_matching",
    "basis",
    "black_box",
    "hankel",
    "completion",
    "factorization",
    "automaton",
    "conversion",
    "exchange",
    "interop",
    "language_model",
    "model_choice",
    "evaluation",
    "spice",
    "learner",
    "plot",
    "cli",
]
SIDE_MODULES = {"_core", "_files", "_validation", "progress"}
MODULES = sorted(
    module.name.removeprefix("hankelmatch.")
    for module in pkgutil.walk_packages([str(PACKAGE)], "hankelmatch.")
    if "._" not in module.name
)

NEEDED = {"plot": ["matplotlib"]}  # by the examples of a module


def files_of(stage):
    """The file of a stage, or the files of its folder."""
    folder = PACKAGE / stage
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{stage}.py"]


def imported_modules(path):
    """What a file imports of the package's top level."""
    level = len(path.relative_to(PACKAGE).parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == level:
            yield from [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "hankelmatch":
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_imports_only_stages_before_it(stage):
    before = STAGES[: STAGES.index(stage)]
    assert files_of(stage)
    for file in files_of(stage):
        for name in imported_modules(file):
            assert name in before or name in SIDE_MODULES or name.startswith("_"), f"{file} imports {name}"


def test_the_core_knows_no_python():
    sources = [p for p in (ROOT / "cpp").rglob("*") if p.is_file()]
    assert sources
    assert not [p for p in sources if re.search(r"pybind11|Python\.h", p.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", MODULES)
def test_every_docstring_example_runs(name):
    for package in NEEDED.get(name, ()):
        pytest.importorskip(package)
    module = importlib.import_module(f"hankelmatch.{name}")
    failures, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failures == 0


@pytest.mark.parametrize("name", hankelmatch.__all__)
def test_everything_public_is_documented(name):
    thing = getattr(hankelmatch, name)
    assert inspect.getdoc(thing), name
    if inspect.isfunction(thing):
        doc = inspect.getdoc(thing)
        for section in ("Parameters", "Returns", "Examples"):
            assert f"{section}\n---" in doc, f"{name} has no section {section}"
