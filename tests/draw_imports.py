"""Draws what imports what: the folders of the core and of the package, floor by floor.

``python tests/draw_imports.py [CHECKOUT]`` draws this checkout or another one. A folder stands one floor
above the highest folder that it imports; a file likewise. An exclamation mark stands before everything that
breaks a rule of `test_core_layers.py` or `test_codebase.py`.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

CORE_ORDER = [
    "base",
    "text",
    "strings",
    "graph",
    "matching",
    "portfolio",
    "assignment",
    "weighted",
    "exchange",
    "hankel",
]
PACKAGE_ORDER = [
    "_utils",
    "sequences",
    "counting",
    "matching",
    "hankel",
    "automata",
    "prediction",
    "learning",
    "learner",
    "interop",
    "plot",
    "cli",
]
SINGLE_FILES = {"learner"}  # of the package
MAX_FILES = 12

Graph = Mapping[str, set[str]]


def floors(graph: Graph) -> dict[str, int]:
    """The floor of each node, from 1; nodes on a circle, and above one, have none."""
    floor: dict[str, int] = {}
    while ready := [n for n in graph if n not in floor and graph[n] <= floor.keys()]:
        floor |= {n: 1 + max((floor[m] for m in graph[n]), default=0) for n in ready}
    return floor


def circle(graph: Graph) -> list[str]:
    """The nodes of one circle, each of which imports the next; empty if there is none."""
    floor = floors(graph)
    node = next((n for n in graph if n not in floor), None)
    path: list[str] = []
    while node is not None and node not in path:
        path.append(node)
        node = min(m for m in graph[node] if m not in floor)
    return path[path.index(node) :] if node is not None else []


@dataclass
class Tree:
    """Files, by names relative to the root of a tree, with the files that each imports."""

    title: str
    files: dict[str, set[str]]
    order: list[str]

    def folder(self, file: str) -> str:
        """The entry of the tree's root in which a file lies; "." for a file that has no place of its own."""
        top, slash, _ = file.partition("/")
        stem = top.partition(".")[0]
        return top if slash else stem if stem in SINGLE_FILES else "."

    def folders(self) -> dict[str, set[str]]:
        """For every folder, the other folders that it imports."""
        graph: dict[str, set[str]] = defaultdict(set)
        for file, imported in self.files.items():
            graph[self.folder(file)] |= {self.folder(other) for other in imported} - {self.folder(file)}
        return dict(graph)

    def n_files(self) -> dict[str, int]:
        """The number of files in every folder, folders within folders by themselves."""
        count: dict[str, int] = defaultdict(int)
        for file in self.files:
            count[file.rpartition("/")[0] or "."] += 1
        return dict(count)

    def arrows_back(self) -> list[tuple[str, str]]:
        """Imports from a folder that comes later in the tree's order."""
        place = {folder: i for i, folder in enumerate(self.order)}
        return [
            (file, other)
            for file, imported in self.files.items()
            for other in sorted(imported)
            if place.get(self.folder(other), -1) > place.get(self.folder(file), len(place))
        ]


def core_tree(checkout: Path) -> Tree:
    """The headers of the core."""
    root = checkout / "cpp/include/hankelmatch"
    include = re.compile(r"^#include <hankelmatch/(.+)>", re.MULTILINE)
    files = {
        path.relative_to(root).as_posix(): set(include.findall(path.read_text(encoding="utf-8")))
        for path in sorted(root.rglob("*.hpp"))
    }
    return Tree("core (C++)", files, CORE_ORDER)


def imported_modules(source: str, package: str) -> Iterator[str]:
    """The modules of hankelmatch that a source in `package` ("" for the top) imports, by dotted names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            path = (node.module or "").split(".") if node.module else []
            if node.level == 0:
                if path[:1] != ["hankelmatch"]:
                    continue
                path = path[1:]
            else:
                parents = package.split(".") if package else []
                path = [*parents[: len(parents) - node.level + 1], *path]
            yield from (".".join([*path, alias.name]) for alias in node.names)
        elif isinstance(node, ast.Import):
            names = (alias.name.split(".") for alias in node.names)
            yield from (".".join(name[1:]) for name in names if name[0] == "hankelmatch" and len(name) > 1)


def package_tree(checkout: Path) -> Tree:
    """The modules of the package, without the one that gathers the public names of all others."""
    root = checkout / "python/hankelmatch"
    paths = sorted(p for p in root.rglob("*.py") if p.parent != root or not p.stem.startswith("__"))
    files = {path.relative_to(root).as_posix(): path for path in paths}
    by_module = {name.removesuffix(".py").replace("/", "."): name for name in files}
    by_module |= {m.removesuffix(".__init__"): name for m, name in by_module.items()}

    def imported(name: str, path: Path) -> set[str]:
        package = ".".join(name.split("/")[:-1])
        modules = imported_modules(path.read_text(encoding="utf-8"), package)
        found = (by_module.get(m) or by_module.get(m.rpartition(".")[0]) for m in modules)
        return {file for file in found if file and file != name}

    graph = {name: imported(name, path) for name, path in files.items()}
    return Tree("package (Python)", graph, PACKAGE_ORDER)


def draw(tree: Tree) -> Iterator[str]:
    """The lines of a drawing, the top floor first. A file beside the folders has a floor like one."""
    folders, files = tree.folders(), tree.files
    folder_floor, file_floor = floors(folders), floors(files)
    single = [f"{name}.py" for name in folders if f"{name}.py" in files]
    n_floors = len({floor for name, floor in folder_floor.items() if f"{name}.py" not in files})
    yield (
        f"{tree.title}: {len(files)} files on {max(file_floor.values(), default=0)} floors, "
        f"{len(folders) - len(single)} folders on {n_floors or 'no'} floors"
        + "".join(f", and {name}" for name in single)
    )
    for folder in sorted(folders, key=lambda f: (-folder_floor.get(f, 0), f)):
        n = sum(tree.folder(file) == folder for file in files)
        arrows = ", ".join(sorted(folders[folder], key=lambda f: (folder_floor.get(f, 0), f)))
        floor = folder_floor.get(folder, "!")
        yield f"  floor {floor:>2}  {folder:<11}{n:>3} files" + (f"  -> {arrows}" if arrows else "")
    full = (folder for folder, n in tree.n_files().items() if n > MAX_FILES)
    yield from (f"  ! {folder}: more than {MAX_FILES} files" for folder in full)
    yield from (f"  ! back: {file} -> {other}" for file, other in tree.arrows_back())
    for kind, graph in (("folders", folders), ("files", files)):
        if path := circle(graph):
            yield f"  ! circle of {kind}: " + " -> ".join([*path, path[0]])


def main(arguments: Iterable[str]) -> None:
    checkout = Path(next(iter(arguments), Path(__file__).parents[1]))
    for tree in (core_tree(checkout), package_tree(checkout)):
        print(*draw(tree), "", sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
