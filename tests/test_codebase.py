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
# In the order in which data flows: a module imports only modules before it, and side modules.
STAGES = [
    "alphabet",
    "_frames",
    "strings",
    "_text_files",
    "_spice_format",
    "corpus",
    "_tables",
    "_weights",
    "sequence_function",
    "statistics",
    "_file_ranges",
    "_dask_workers",
    "_dask_counting",
    "distributed",
    "graph",
    "maximum_matching",
    "dulmage_mendelsohn",
    "matching",
    "weighted_matching",
    "_networkx",
    "basis",
    "black_box",
    "hankel",
    "completion",
    "factorization",
    "_transitions",
    "automaton",
    "conversion",
    "exchange",
    "interop",
    "_context_scores",
    "_conditioning",
    "_shared_scores",
    "language_model",
    "model_choice",
    "evaluation",
    "spice",
    "learner",
    "_drawing_automaton",
    "_drawing_matching",
    "plot",
    "cli",
]
# What serves all stages and knows none of them.
SIDE_MODULES = {
    "_block_lanczos",
    "_core",
    "_drawing",
    "_estimator",
    "_files",
    "_interruptible",
    "_optional",
    "_scaling",
    "_validation",
    "progress",
}
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


def without_annotations(tree):
    """The nodes of a tree but for what is there for annotations alone."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from without_annotations(node)


def imported_modules(source, level=1):
    """The modules of the package's top level that a source imports; `level` is that of relative imports."""
    for node in without_annotations(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level == 0 and module.split(".")[0] == "hankelmatch":
                module = module.partition(".")[2]
            elif node.level != level:
                continue
            yield from [module.split(".")[0]] if module else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            yield from (name[1] for name in names if name[0] == "hankelmatch" and len(name) > 1)


def imports_of(module):
    for file in files_of(module):
        level = len(file.relative_to(PACKAGE).parts)
        yield from imported_modules(file.read_text(encoding="utf-8"), level)


@pytest.mark.parametrize(
    ("source", "modules"),
    [
        ("import hankelmatch", []),
        ("import numpy, hankelmatch.cli.learn", ["cli"]),
        ("from hankelmatch import graph, basis", ["graph", "basis"]),
        ("from hankelmatch.cli import main", ["cli"]),
        ("from . import _core", ["_core"]),
        ("def f():\n    from .basis import Basis", ["basis"]),
        ("from .. import above", []),
        ("from numpy.linalg import svd", []),
        ("if TYPE_CHECKING:\n    from .above import Kind", []),
    ],
)
def test_every_kind_of_import_is_seen(source, modules):
    assert list(imported_modules(source)) == modules


def test_every_module_has_its_place():
    entries = (p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists())
    modules = {name for name in entries if name not in ("__init__", "__main__")}
    placed = {*STAGES, *SIDE_MODULES}
    assert modules | {"_core"} == placed, "put it where it belongs in STAGES, or into SIDE_MODULES"
    assert len(placed) == len(STAGES) + len(SIDE_MODULES)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_imports_only_stages_before_it(stage):
    before = STAGES[: STAGES.index(stage)]
    wrong = {name for name in imports_of(stage) if name not in before and name not in SIDE_MODULES}
    assert wrong - {"__version__"} == set()


@pytest.mark.parametrize("module", sorted(SIDE_MODULES - {"_core"}))
def test_what_serves_all_stages_knows_none(module):
    assert set(imports_of(module)) <= SIDE_MODULES


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
