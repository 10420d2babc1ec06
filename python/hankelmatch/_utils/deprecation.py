"""Old names that still work, with a DeprecationWarning."""

from __future__ import annotations

import argparse
import functools
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
_V = TypeVar("_V")


def new_names(arguments: Mapping[str, _V], renamed: Mapping[str, str], stacklevel: int = 2) -> dict[str, _V]:
    """The arguments under their new names; warns of each old one.

    Raises
    ------
    TypeError
        If an argument is given under both names.
    """
    result = dict(arguments)
    for old in result.keys() & renamed.keys():
        new = renamed[old]
        if new in result:
            raise TypeError(f"{old}: it is the old name of {new}, which is given too; leave {old} out")
        warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=stacklevel + 1)
        result[new] = result.pop(old)
    return result


def renamed_keywords(**renamed: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Decorate a function so that it takes keyword arguments under their old names too: ``old="new"``."""

    def decorated(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @functools.wraps(function)
        def called(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            if kwargs.keys() & renamed.keys():
                return function(*args, **new_names(kwargs, renamed))  # type: ignore[arg-type]
            return function(*args, **kwargs)

        return called

    return decorated


class RenamedOption(argparse.Action):
    """An option of a command under its old name: ``add("--old", dest="new", action=RenamedOption)``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        print(f"{parser.prog}: {option_string} is now --{self.dest.replace('_', '-')}", file=sys.stderr)
        setattr(namespace, self.dest, values)
