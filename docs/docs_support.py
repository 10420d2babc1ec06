"""Parts of the site that are made from the code: addresses, API reference, pictures of the gallery."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import hankelmatch
import matplotlib.pyplot as plt
import tomllib
from docutils import nodes
from hankelmatch import automata, counting, interop, matching, plot, prediction, sequences
from hankelmatch import hankel as hankel_folder
from hankelmatch.interop import pyomo, spice, splearn
from matplotlib.figure import Figure
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform
from sphinx_gallery.scrapers import figure_rst

from tests.draw_imports import core_tree, draw, package_tree

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent

# The folders, in the order of the road, with the prefix that users import their names from.
FOLDERS: list[tuple[str, str, ModuleType]] = [
    ("matching", "hankelmatch", matching),
    ("sequences", "hankelmatch", sequences),
    ("counting", "hankelmatch", counting),
    ("hankel", "hankelmatch", hankel_folder),
    ("automata", "hankelmatch", automata),
    ("prediction", "hankelmatch", prediction),
    ("interop", "hankelmatch", interop),
    ("plot", "hankelmatch.plot", plot),
]
# Modules of interop, whose names are not collected.
MODULES = {
    "splearn": [name for name in splearn.__all__ if name.islower()],
    "spice": spice.__all__,
    "pyomo": ["incidence_graph"],
}
PUBLIC_PLACES = {
    "hankelmatch": hankelmatch.__all__,
    "hankelmatch.plot": plot.__all__,
    **{f"hankelmatch.interop.{name}": names for name, names in MODULES.items()},
}


def project_urls() -> dict[str, str]:
    """The addresses of the project, which stand in pyproject.toml alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["urls"]


def tables(prefix: str, names: list[str], owner: ModuleType) -> Iterator[str]:
    """Autosummary's tables of functions and of classes."""
    functions = [n for n in names if not isinstance(getattr(owner, n), type)]
    classes = [n for n in names if isinstance(getattr(owner, n), type)]
    yield f".. currentmodule:: {prefix}\n"
    for title, group in (("Functions", functions), ("Classes", classes)):
        if group:
            listed = "".join(f"   {name}\n" for name in sorted(group))
            yield f"\n.. rubric:: {title}\n\n.. autosummary::\n   :toctree: generated\n\n{listed}"


def names_outside(prefix: str, folder: str, owner: ModuleType) -> list[tuple[str, list[str]]]:
    """The public names of a folder, by where users import them from."""
    collected = [n for n in owner.__all__ if prefix != "hankelmatch" or n in hankelmatch.__all__]
    rest = sorted(set(owner.__all__) - set(collected))
    return [(prefix, collected)] + ([(f"hankelmatch.{folder}", rest)] if rest else [])


def write_reference() -> None:
    """A page for each folder and each module of interop, from their docstrings and ``__all__``."""
    folder_of_pages = DOCS / "reference"
    for folder, prefix, owner in FOLDERS:
        text = f"{folder}\n{'=' * len(folder)}\n\n{owner.__doc__}\n"
        for where, names in names_outside(prefix, folder, owner):
            text += "\n" + "".join(tables(where, names, owner))
        if folder == "interop":
            for name, names in MODULES.items():
                path = f"hankelmatch.interop.{name}"
                module = {"splearn": splearn, "spice": spice, "pyomo": pyomo}[name]
                text += f"\n{path}\n{'-' * len(path)}\n\n{module.__doc__}\n\n" + "".join(
                    tables(path, [n for n in names if n not in interop.__all__], module)
                )
        write_if_changed(folder_of_pages / f"{folder}.rst", text)


class LinkCode(SphinxTransform):
    """Links code in a Markdown page that is a public name or a call of one to its page of the API."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        if not str(self.document["source"]).endswith(".md"):
            return
        for node in list(self.document.findall(nodes.literal)):
            text = node.astext()
            name = re.fullmatch(r"([A-Za-z_][\w.]*)(\(.*\))?", text)
            target = full_name(name[1], None) if name else None
            if target is None or isinstance(node.parent, nodes.reference | pending_xref):
                continue
            options = {"refdomain": "py", "reftype": "obj", "reftarget": target, "refdoc": self.env.docname}
            link = pending_xref(text, refexplicit=True, refwarn=True, **options)
            link += nodes.literal(text, text, classes=["xref", "py", "py-obj"])
            node.replace_self(link)


def write_drawing() -> None:
    """The folders of core and package, floor by floor, as text."""
    trees = (core_tree(ROOT), package_tree(ROOT))
    lines = [line for tree in trees for line in (*draw(tree), "")]
    write_if_changed(DOCS / "_static" / "imports.txt", "\n".join(lines))


def write_if_changed(path: Path, text: str) -> None:
    """Write a page unless it is the same, so that Sphinx reads again only what changed."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def full_name(text: str, class_name: str | None) -> str | None:
    """The full name of what single backquotes name in a docstring, if it is public."""
    first, _, rest = text.removeprefix("hankelmatch.").partition(".")
    for path, owner in PUBLIC_PLACES.items():
        if first in owner and (not rest or hasattr(getattr(sys.modules[path], first), rest)):
            return ".".join(filter(None, [path, first, rest]))
    owner = getattr(hankelmatch, (class_name or "").rpartition(".")[2], None)
    member = owner.__dict__.get(text) if isinstance(owner, type) else None
    is_listed = callable(member) or isinstance(member, property | classmethod | staticmethod)
    return f"hankelmatch.{owner.__name__}.{text}" if owner and is_listed else None


def link_if_public(_role: str, raw: str, text: str, line: int, inliner: Any, *_: Any) -> tuple[list, list]:
    """A link to a public name or to a method of the same class; plain code for all else."""
    environment = inliner.document.settings.env
    target = full_name(text, environment.ref_context.get("py:class"))
    if target is None:
        return [nodes.literal(raw, text)], []
    role = environment.domains["py"].role("obj")
    return role("py:obj", raw, f"{text} <{target}>", line, inliner, {}, [])


def draw_figures(_block: Any, variables: dict[str, Any], gallery: dict[str, Any]) -> str:
    """Save the figures that a cell of a gallery example has made: pyplot's, and those that are values."""
    figures = [plt.figure(number) for number in plt.get_fignums()]
    figures += [value for value in variables["example_globals"].values() if isinstance(value, Figure)]
    paths = []
    for figure in dict.fromkeys(figures):
        if getattr(figure, "drawn_already", False):
            continue
        path = next(variables["image_path_iterator"])
        figure.savefig(path, dpi=110, bbox_inches="tight")
        figure.drawn_already = True
        paths.append(path)
    plt.close("all")
    return figure_rst(paths, gallery["src_dir"])
