"""The layering, as DESIGN has it: data flows one way through the stages, and the core knows no Python."""

import ast
import doctest
import functools
import importlib
import inspect
import pkgutil
import re
import textwrap
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

NEEDED = {"plot": ["matplotlib"], "interop.pyomo": ["pyomo"]}  # by the examples of a folder or module


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
    assert {name for name in entries if name not in ("__init__", "__main__", "_core")} == set(ROAD)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_folders_before_its_own(module):
    if module == "_core":
        return
    folder = module.split(".")[0]
    known = ["_core", *ROAD[: ROAD.index(folder) + 1]]
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


@pytest.mark.slow
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


@functools.cache
def aliases():
    """The right-hand sides of the package's aliases of types, by name."""
    found = {}
    for module in MODULES:
        file = PACKAGE / f"{module.replace('.', '/')}.py"
        for node in ast.parse(file.read_text(encoding="utf-8")).body if file.exists() else ():
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
                found[node.target.id] = node.value
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
                found.update({t.id: node.value for t in node.targets if isinstance(t, ast.Name)})
    return found


def names_in(annotation, known):
    """The names that an annotation, given as text or tree, comes down to."""
    waiting, names = [ast.parse(annotation) if isinstance(annotation, str) else annotation], set()
    while waiting:
        new = {n.id for n in ast.walk(waiting.pop()) if isinstance(n, ast.Name)} - names
        names |= new
        waiting += [known[name] for name in new if name in known]
    return names


def public_functions(name, thing):
    """A function, or the functions that users call of a class, by name."""
    if inspect.isfunction(thing):
        yield name, thing
    for attribute in dir(thing) if inspect.isclass(thing) else ():
        found = inspect.getattr_static(thing, attribute)
        found = getattr(found, "fget", None) or getattr(found, "__func__", found)
        is_public = not attribute.startswith("_") or attribute in ("__init__", "__call__", "__getitem__")
        if is_public and inspect.isfunction(found) and found.__module__.startswith("hankelmatch"):
            yield f"{name}.{attribute}", inspect.unwrap(found)


FOLDERS = [f"hankelmatch.{name}" for name in ROAD if name not in ("_utils", "learning", "learner", "cli")]
OPEN_MODULES = ["hankelmatch.interop.splearn", "hankelmatch.interop.spice"]  # public beside the folders


def annotations_of(thing):
    """The annotations of a function's arguments and result, or a class's attributes, as written."""
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]
    except OSError:  # made by dataclass, of the class's annotations
        return {}
    if isinstance(node, ast.ClassDef):
        written = [n for n in node.body if isinstance(n, ast.AnnAssign)]
        return {ast.unparse(n.target): ast.unparse(n.annotation) for n in written}
    arguments = [n for n in ast.walk(node.args) if isinstance(n, ast.arg) and n.annotation]
    found = {n.arg: ast.unparse(n.annotation) for n in arguments}
    return found | ({"return": ast.unparse(node.returns)} if node.returns else {})


@pytest.mark.parametrize("path", ["hankelmatch", *FOLDERS, *OPEN_MODULES])
def test_no_public_annotation_is_any(path):
    known, module = aliases(), importlib.import_module(path)
    things = {name: getattr(module, name) for name in module.__all__}
    functions = [found for name, thing in things.items() for found in public_functions(name, thing)]
    open_ones = [
        f"{name}: {argument}"
        for name, function in functions
        for argument, annotation in annotations_of(function).items()
        if "Any" in names_in(annotation, known)
    ]
    open_ones += [
        f"{name}: {attribute}"
        for name, thing in things.items()
        if inspect.isclass(thing) and thing.__module__.startswith("hankelmatch")
        for attribute, annotation in annotations_of(thing).items()
        if not attribute.startswith("_") and "Any" in names_in(annotation, known)
    ]
    assert functions
    assert open_ones == []


def test_any_is_found_behind_aliases():
    known = {"Inner": ast.parse("NDArray[Any]"), "Outer": ast.parse("list[Inner]")}
    assert "Any" in names_in("Outer | None", known)
    assert "Any" not in names_in("NDArray[np.integer]", known)


def test_nothing_in_the_package_is_refused():
    """Programs report, emit and return; the text of this package uses the literature's words."""
    texts = {p: p.read_text(encoding="utf-8") for p in PACKAGE.rglob("*.py")}
    assert [
        str(p) for p, text in texts.items() if re.search(r"\b(tell|tells|told)\b", text, re.IGNORECASE)
    ] == []


def test_the_core_knows_no_python():
    sources = [p for p in (ROOT / "cpp").rglob("*") if p.is_file()]
    assert sources
    assert not [p for p in sources if re.search(r"pybind11|Python\.h", p.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", MODULES)
def test_every_docstring_example_runs(name):
    for package in NEEDED.get(name.split(".")[0], NEEDED.get(name, ())):
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
            if section == "Parameters" and not inspect.signature(thing).parameters:
                continue
            assert f"{section}\n---" in doc, f"{name} has no section {section}"
