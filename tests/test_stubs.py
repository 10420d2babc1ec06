"""The checked-in stubs of the compiled core say what the module has."""

import ast
import re
from pathlib import Path

import hankelmatch
from hankelmatch import _core


def stubbed_names(body):
    names = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {m for m in stubbed_names(node.body) if not m.startswith("__")}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = None
    return names


def test_stubs_name_what_the_core_has():
    stub = Path(hankelmatch.__file__).with_name("_core.pyi")
    stubbed = stubbed_names(ast.parse(stub.read_text(encoding="utf-8")).body)
    assert {n for n in vars(_core) if not n.startswith("_")} == set(stubbed)
    for name, members in stubbed.items():
        if members is not None:
            assert {n for n in vars(getattr(_core, name)) if not n.startswith("_")} == members, name


def stubbed_functions():
    """Every function and method of the stub, with the core's own."""
    stub = Path(hankelmatch.__file__).with_name("_core.pyi")
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            yield node, getattr(_core, node.name)
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                is_method = isinstance(member, ast.FunctionDef)
                if is_method and "property" not in map(ast.unparse, member.decorator_list):
                    yield member, getattr(getattr(_core, node.name), member.name)


def test_stubs_name_the_arguments():
    functions = list(stubbed_functions())
    assert {node.name for node, _ in functions} >= {"match", "spell", "match_hankel", "__init__"}
    for node, function in functions:
        lines = [line for line in function.__doc__.splitlines() if f"{node.name}(" in line]
        given = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        named = [re.findall(r"(\w+): ", line.partition("(")[2].rpartition(" ->")[0]) for line in lines]
        assert given in named, f"{node.name}: {given} is not among {named}"
