"""Old names of arguments, options and modules: they still work, with a DeprecationWarning."""

import argparse
import functools
import importlib
import sys
import warnings
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
_V = TypeVar("_V")

# The version in which the old names below go, as docs/project/deprecations.md promises: two minor versions
# after the first that warns, 0.2.0.
REMOVED_IN = "0.4.0"
_UNTIL = f"the old name goes in version {REMOVED_IN}"

# The modules of version 0.1.0 that are folders now, as pickles and imports name them.
_FOLDERS = {
    "_transitions": "automata",
    "alphabet": "sequences",
    "automaton": "automata",
    "basis": "hankel",
    "black_box": "hankel",
    "completion": "hankel",
    "conversion": "automata",
    "corpus": "sequences",
    "distributed": "counting",
    "dulmage_mendelsohn": "matching",
    "evaluation": "prediction",
    "exchange": "interop",
    "factorization": "automata",
    "graph": "hankel",
    "language_model": "prediction",
    "maximum_matching": "matching",
    "model_choice": "prediction",
    "progress": "_utils",
    "sequence_function": "counting",
    "spice": "interop.spice",
    "statistics": "counting",
    "strings": "sequences",
    "weighted_matching": "matching",
}


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
        warnings.warn(f"{old} is now {new}; {_UNTIL}", DeprecationWarning, stacklevel=stacklevel + 1)
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
        print(
            f"{parser.prog}: {option_string} is now --{self.dest.replace('_', '-')}; {_UNTIL}",
            file=sys.stderr,
        )
        setattr(namespace, self.dest, values)


class _Moved(ModuleType):
    """A module's old name, which looks its names up in the folder where they are now."""

    def __getattr__(self, name: str) -> object:
        package, _, old = self.__name__.rpartition(".")
        folder = f"{package}.{_FOLDERS[old]}"
        new_home = importlib.import_module(folder)
        modules = [module for path, module in sys.modules.items() if path.startswith(folder)]
        for module in [] if name.startswith("_") else [new_home, *modules, sys.modules[package]]:
            if name in vars(module):
                message = f"{self.__name__} is now in {module.__name__}; import {name} from there; {_UNTIL}"
                warnings.warn(message, DeprecationWarning, stacklevel=2)
                return vars(module)[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def register_old_names(package: str) -> None:
    """Make the old modules importable. Nothing is loaded before one of them is asked for a name."""
    for old in _FOLDERS:
        sys.modules.setdefault(f"{package}.{old}", _Moved(f"{package}.{old}"))
