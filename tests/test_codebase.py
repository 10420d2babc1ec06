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

from .draw_imports import PACKAGE_ORDER as ROAD
from .draw_imports import imported_modules

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(hankelmatch.__file__).parent
MODULES = sorted(
    module.name.removeprefix("hankelmatch.")
    for module in pkgutil.walk_packages([str(PACKAGE)], "hankelmatch.")
    if not module.name.endswith("__main__")
)

NEEDED = {"plot": ["matplotlib"]}  # by the examples of a module


def imports_of(module):
    """The modules that a module imports, among all of the package's."""
    path = PACKAGE / module.replace(".", "/")
    is_folder = path.is_dir()
    file = path / "__init__.py" if is_folder else path.with_suffix(".py")
    package = module if is_folder else module.rpartition(".")[0]
    for name in imported_modules(file.read_text(encoding="utf-8"), package):
        found = name if name in (*MODULES, "_core") else name.rpartition(".")[0]
        if found:
            yield found


@pytest.mark.parametrize(
    ("source", "package", "modules"),
    [
        ("import hankelmatch", "", []),
        ("import numpy, hankelmatch.cli.learn", "", ["cli.learn"]),
        ("from hankelmatch.hankel import graph, basis", "cli", ["hankel.graph", "hankel.basis"]),
        ("from hankelmatch.cli import main", "", ["cli.main"]),
        ("from . import _core", "", ["_core"]),
        ("from .. import _core", "hankel", ["_core"]),
        ("def f():\n    from .basis import Basis", "hankel", ["hankel.basis.Basis"]),
        ("from ..sequences.corpus import Corpus", "hankel", ["sequences.corpus.Corpus"]),
        ("from numpy.linalg import svd", "", []),
        ("if TYPE_CHECKING:\n    from .above import Kind", "", ["above.Kind"]),  # a circle of types is one
    ],
)
def test_every_kind_of_import_is_seen(source, package, modules):
    assert list(imported_modules(source, package)) == modules


def test_every_folder_has_its_place():
    entries = (p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists())
    assert {name for name in entries if name not in ("__init__", "__main__")} | {"_core"} == set(ROAD)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_folders_before_its_own(module):
    if module == "_core":
        return
    folder = module.split(".")[0]
    known = ROAD[: ROAD.index(folder) + 1]
    assert {name for name in imports_of(module) if name.split(".")[0] not in known} - {"__version__"} == set()


def test_no_module_imports_itself_by_way_of_others():
    waiting = {m: {n for n in imports_of(m) if n != m} for m in MODULES if m != "_core"}
    while free := [m for m, names in waiting.items() if not names & waiting.keys()]:
        for module in free:
            del waiting[module]
    assert waiting == {}


def defined_names(body):
    """The names that statements of a module's top level define, as opposed to import."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (x.id for t in targets for x in ast.walk(t) if isinstance(x, ast.Name))


def test_every_name_is_imported_from_the_module_that_defines_it():
    files = {m: PACKAGE / f"{m.replace('.', '/')}.py" for m in MODULES if m != "_core"}
    trees = {m: ast.parse(file.read_text(encoding="utf-8")) for m, file in files.items() if file.exists()}
    defined = {m: set(defined_names(tree.body)) for m, tree in trees.items()}
    borrowed = []
    for module, tree in trees.items():
        package = module.rpartition(".")[0]
        exported = getattr(importlib.import_module(f"hankelmatch.{module}"), "__all__", [])
        borrowed += [f"{module} exports {name}" for name in exported if name not in defined[module]]
        for path in imported_modules(ast.unparse(tree), package):
            source, _, name = path.rpartition(".")
            if source in defined and name not in defined[source]:
                borrowed.append(f"{module} imports {path}")
            elif path not in MODULES and source in MODULES and source not in (*trees, "_core"):
                borrowed.append(f"{module} imports {path} from a folder")
    assert borrowed == []


def test_the_core_knows_no_python():
    sources = [p for p in (ROOT / "cpp").rglob("*") if p.is_file()]
    assert sources
    assert not [p for p in sources if re.search(r"pybind11|Python\.h", p.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", MODULES)
def test_every_docstring_example_runs(name):
    for package in NEEDED.get(name.split(".")[0], ()):
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
