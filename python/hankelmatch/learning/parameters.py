"""The parameters of a learner: what is checked before the first stage begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._utils.validation import check_choice, check_flag, checked_number, checked_whole, is_whole, numbers_in
from ..automata.automaton import checked_precision
from ..automata.svd import SVD_METHODS
from ..counting.sequence_function import SequenceFunction
from ..hankel.basis import Basis, as_basis
from ..matching.maximum import HANKEL_METHODS
from ..sequences.corpus import Corpus
from .stages import BASES

_CHOICES = {
    "method": HANKEL_METHODS,
    "contexts": ("auto", "mixed", "longest"),
    "svd": SVD_METHODS,
    "unseen": ("error", "skip"),
}
_WHOLE_NUMBERS = {  # from
    "max_length": 1,
    "min_count": 1,
    "min_symbol_count": 1,
    "seed": 0,
}


def check_parameters(given: Mapping[str, Any]) -> None:
    """Raise ValueError or TypeError, naming the parameter, unless all are right."""
    if isinstance(given["basis"], (Basis, tuple)):
        as_basis(given["basis"])
    else:
        check_choice("basis", given["basis"], BASES)
    for name, choices in _CHOICES.items():
        value = given[name]
        check_choice(
            name, value.replace("_", "-") if name == "method" and isinstance(value, str) else value, choices
        )
    for name, least in _WHOLE_NUMBERS.items():
        checked_whole(name, given[name], least)
    if given["max_states"] is not None:
        checked_whole("max_states", given["max_states"], 1)
    numbers = numbers_in(given["n_states"])
    if not is_choice(given["n_states"], "auto") and not (
        numbers and all(is_whole(n) and n >= 1 for n in numbers)
    ):
        raise ValueError(f"n_states: {given['n_states']!r} given; give 'auto', or numbers from 1 up")
    for name in ("mixing", "shrinkage"):
        if not is_choice(given[name], "auto"):
            checked_number(name, given[name], above=name == "mixing", instead="'auto' or ")
    if given["floor"] is not None:
        checked_number(
            "floor", given["floor"], above=is_choice(given["contexts"], "longest"), instead="None or "
        )
    if given["basis_size"] is not None:
        checked_whole("basis_size", given["basis_size"], 0 if is_choice(given["basis"], "length") else 1)
    if given["max_seconds"] is not None:
        checked_number("max_seconds", given["max_seconds"], instead="None or ")
    for name in ("refit", "mixture"):
        check_flag(name, given[name])
    check_flag("verbose", given["verbose"], or_number=True)
    checked_precision(given["dtype"])


@dataclass(frozen=True)
class Choices:
    """The parameters of a learner that decide on what the blocks become.

    Attributes
    ----------
    numbers : list of int
        Numbers of states to choose from; empty for "auto".
    fixed : mapping
        The "mixing", "floor" and "shrinkage" that were given, which the search leaves as they are.
    max_states, max_seconds, contexts, mixture, unseen, dtype
        As they were given.
    """

    numbers: Sequence[int]
    fixed: Mapping[str, float]
    max_states: int | None
    max_seconds: float | None
    contexts: str
    mixture: bool
    unseen: str
    dtype: Any

    @staticmethod
    def of(given: Mapping[str, Any]) -> Choices:
        """The choices among all parameters of a learner."""
        fixed = {name: given[name] for name in ("mixing", "floor", "shrinkage")}
        names = ("max_states", "max_seconds", "contexts", "mixture", "unseen", "dtype")
        return Choices(
            numbers=[int(n) for n in numbers_in(given["n_states"])],
            fixed={k: float(v) for k, v in fixed.items() if v is not None and not is_choice(v, "auto")},
            **{name: given[name] for name in names},
        )

    def kinds(self, *, with_choice: bool) -> list[str]:
        """The kinds of contexts to try; the one to use where there is no text to choose on."""
        if self.contexts != "auto":
            return [self.contexts]
        return ["mixed", "longest"] if with_choice and self.fixed.get("floor") != 0 else ["mixed"]


def is_choice(value: object, choice: str) -> bool:
    """Whether a parameter is a choice; an array would compare by entries."""
    return isinstance(value, str) and value == choice


def are_classes(y: Any, corpus: Any) -> bool:
    """Whether y has one entry for each sequence, as scikit-learn's classes do, and is no corpus."""
    if y is corpus or isinstance(y, Corpus) or isinstance(corpus, SequenceFunction):
        return False
    try:
        return len(y) == len(corpus)
    except TypeError:  # one has no length
        return False
