"""The checked-in stubs of the compiled core say what the module has."""

import ast
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


def test_stubs_name_the_arguments():
    stub = Path(hankelmatch.__file__).with_name("_core.pyi")
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            signature = getattr(_core, node.name).__doc__
            for argument in (*node.args.args, *node.args.kwonlyargs):
                assert f"{argument.arg}: " in signature, f"{node.name}: {argument.arg}"
