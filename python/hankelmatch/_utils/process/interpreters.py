"""The package works in the main interpreter only."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["refuse_sub_interpreter"]


def refuse_sub_interpreter() -> None:
    """Raise ImportError outside the main interpreter, where the compiled core would wait for ever.

    numpy does not support sub-interpreters either.
    """
    for name in ("_interpreters", "_xxsubinterpreters"):  # of Python 3.13, and before
        try:
            interpreters: Any = importlib.import_module(name)
        except ImportError:
            continue
        if interpreters.get_current() != interpreters.get_main():
            raise ImportError(
                "hankelmatch works in the main interpreter only, as numpy does; use threads or processes"
            )
        return
