"""The interface of a scikit-learn estimator, without that package."""

import importlib
import inspect
import sys
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from .deprecation import new_names

_E = TypeVar("_E", bound="Estimator")


class Estimator:
    """Parameters are the keyword arguments of ``__init__``, each kept under its name as it was given."""

    _renamed: ClassVar[Mapping[str, str]] = {}  # old names of parameters and their new ones

    def __setstate__(self, state: dict[str, object]) -> None:
        defaults = inspect.signature(type(self).__init__).parameters
        self.__dict__.update({name: defaults[name].default for name in self._parameter_names()})  # newer ones
        self.__dict__.update({self._renamed.get(name, name): value for name, value in state.items()})

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """The parameters by name, as scikit-learn wants them."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self: _E, **params: object) -> _E:
        """Change parameters.

        Raises
        ------
        ValueError
            If there is no such parameter.
        """
        names = self._parameter_names()
        for name, value in new_names(params, self._renamed).items():
            if name not in names:
                raise ValueError(
                    f"{name!r} is no parameter of {type(self).__name__}; there are {', '.join(names)}"
                )
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn 1.6 and later asks of an estimator: it needs no targets, and takes no arrays."""
        utils = importlib.import_module("sklearn.utils")  # optional; who calls this has it
        return utils.Tags(
            estimator_type=None,
            target_tags=utils.TargetTags(required=False),
            input_tags=utils.InputTags(two_d_array=False, string=True),
        )

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)  # an array compares by entries
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def not_fitted(message: str) -> ValueError:
    """scikit-learn's error where that is in use, which is a ValueError too."""
    exceptions = sys.modules.get("sklearn.exceptions")
    return ValueError(message) if exceptions is None else exceptions.NotFittedError(message)
