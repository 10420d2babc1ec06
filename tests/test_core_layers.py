"""The core's headers: each folder includes only folders before it, and nothing includes itself by others."""

from pathlib import Path

import pytest

from .draw_imports import CORE_ORDER, MAX_FILES, Tree, circle, core_tree, draw, floors, package_tree

ROOT = Path(__file__).resolve().parents[1]
CORE = core_tree(ROOT)


def test_every_header_lies_in_a_folder_that_has_its_place():
    assert set(CORE.folders()) == set(CORE_ORDER)
    assert {file.count("/") for file in CORE.files} == {1}


def test_every_include_is_a_header_of_the_core():
    assert set().union(*CORE.files.values()) <= CORE.files.keys()


def test_a_folder_includes_only_folders_before_it():
    assert CORE.arrows_back() == []


def test_no_circle_among_headers():
    assert circle(CORE.files) == []
    assert floors(CORE.files).keys() == CORE.files.keys()


@pytest.mark.parametrize("folder", CORE_ORDER)
def test_a_folder_has_few_files(folder):
    assert CORE.n_files()[folder] <= MAX_FILES


@pytest.mark.parametrize("tree", [CORE, package_tree(ROOT)], ids=["core", "package"])
def test_the_drawing_of_this_checkout_has_no_mark(tree):
    lines = list(draw(tree))
    assert len(lines) == 1 + len(tree.folders())
    assert not [line for line in lines if "!" in line]


def test_a_circle_and_an_arrow_back_are_seen():
    files = {"a/x": {"b/y"}, "b/y": {"b/z"}, "b/z": {"b/y"}, "c/w": {"a/x"}}
    tree = Tree("small", files, ["a", "b", "c"])
    assert circle(files) in (["b/y", "b/z"], ["b/z", "b/y"])
    assert circle({"a": {"b"}, "b": set()}) == []
    assert tree.arrows_back() == [("a/x", "b/y")]
    assert tree.folders() == {"a": {"b"}, "b": set(), "c": {"a"}}
    assert floors(tree.folders()) == {"b": 1, "a": 2, "c": 3}
    marked = [line for line in draw(tree) if "!" in line]
    assert [line.split(":")[0] for line in marked] == ["  ! back", "  ! circle of files"]
