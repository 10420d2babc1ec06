"""Packages that only some work needs, imported where it begins."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Protocol


class Table(Protocol):
    """A frame of pandas, or a dict of columns: ``table[name]`` is a column."""

    def __getitem__(self, name: str, /) -> Iterable[object]:
        """The column of a name."""


def needs(module: str, purpose: str, extra: str = "dask") -> ModuleType:
    """Import an optional package, or say how to get it: with which extra; or what it fails with."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        name = module.partition(".")[0]
        missing = error.name if error.name and error.name.partition(".")[0] != name else ""
        raise ImportError(
            f"{purpose} needs {name}{f', which needs {missing}' if missing else ''}: "
            f"pip install 'hankelmatch[{extra}]'",
            name=module,
        ) from error
    except ImportError as error:  # it is there, but not with the other packages' versions
        raise ImportError(
            f"{purpose} needs {module}, which cannot be imported: {error}", name=module
        ) from error


def as_table(columns: Mapping[str, list[object]]) -> Table:
    """The columns as a frame of pandas, or as they are where that is not installed."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        return dict(columns)
    frame: Table = pandas.DataFrame(dict(columns))
    return frame
