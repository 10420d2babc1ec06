"""Packages that only some work needs, imported where it begins."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__all__ = ["needs"]


def needs(module: str, purpose: str, extra: str = "dask") -> ModuleType:
    """Import an optional package, or say how to get it: with which extra of this project."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs {module.partition('.')[0]}: pip install 'hankelmatch[{extra}]'", name=module
        ) from error
