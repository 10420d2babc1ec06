"""The modules of version 0.1.0 that are folders now, for pickles that it wrote and imports by old names."""

import importlib
import sys
import warnings
from types import ModuleType

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


class _Moved(ModuleType):
    """A module's old name, which looks its names up in the folder where they are now."""

    def __getattr__(self, name: str) -> object:
        package, _, old = self.__name__.rpartition(".")
        folder = f"{package}.{_FOLDERS[old]}"
        importlib.import_module(folder)
        modules = [module for path, module in sys.modules.items() if path.startswith(folder)]
        for module in [] if name.startswith("_") else [*modules, sys.modules[package]]:
            if name in vars(module):
                message = f"{self.__name__} is now in {folder}; import {name} from there"
                warnings.warn(message, DeprecationWarning, stacklevel=2)
                return vars(module)[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def register_old_names(package: str) -> None:
    """Make the old modules importable. Nothing is loaded before one of them is asked for a name."""
    for old in _FOLDERS:
        sys.modules.setdefault(f"{package}.{old}", _Moved(f"{package}.{old}"))
