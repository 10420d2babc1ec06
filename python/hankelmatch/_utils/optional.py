"""Packages that only some work needs, imported where it begins."""

from importlib import import_module
from types import ModuleType


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
