"""The docstrings of all public names follow numpydoc, by its own validation."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import hankelmatch
import pytest
from hankelmatch import plot

validate = pytest.importorskip("numpydoc.validate", reason="numpydoc checks the docstrings")

# Not asked for: a long summary; "See Also", and capitals there; examples for each method; a sentence where a
# type says it all; a capital letter where a formula begins; a full stop after a parenthesis.
NOT_ASKED = {
    "ES01",
    "SA01",
    "SA03",
    "SA04",
    "EX01",
    "PR07",
    "PR09",
    "RT02",
    "RT03",
    "SS02",
    "SS06",
    "GL01",
    "GL03",
}
# Methods that read as attributes do: their first line says what they give, and names their arguments.
NOT_ASKED_OF_METHODS = {"PR01", "RT01", "YD01", "SS05"}


def members(cls: type) -> Iterator[str]:
    for name, value in vars(cls).items():
        listed = callable(value) or isinstance(value, property | classmethod | staticmethod)
        if listed and not name.startswith("_") and value.__doc__:
            yield name


def public() -> Iterator[tuple[str, object]]:
    for path, owner in (("hankelmatch", hankelmatch), ("hankelmatch.plot", plot)):
        for name in owner.__all__:
            value = getattr(owner, name)
            yield f"{path}.{name}", value
            if inspect.isclass(value):
                yield from ((f"{path}.{name}.{member}", getattr(value, member)) for member in members(value))


def faults(value: object) -> list[str]:
    """The faults that numpydoc finds. It gets the object: by its name it might find an old module's name."""
    is_method = inspect.isroutine(value) and "." in value.__qualname__
    skipped = NOT_ASKED | (NOT_ASKED_OF_METHODS if is_method or isinstance(value, property) else set())
    if inspect.isclass(value) and "Parameters\n" not in (value.__doc__ or ""):
        skipped = skipped | {"PR01"}  # a result, which functions make: its attributes are described
    found = validate.validate(validate.get_doc_object(value))["errors"]
    return [f"{code}: {message}" for code, message in found if code not in skipped]


def _bad(x):
    """Say what it is

    Returns
    -------
    y
        What comes out.
    """


def test_names_are_found():
    names = [name for name, _ in public()]
    assert len(names) > 150
    assert {"hankelmatch.match", "hankelmatch.Matching.pairs", "hankelmatch.plot.plot_matching"} <= set(names)


def test_a_bad_docstring_has_faults():
    assert {fault[:4] for fault in faults(_bad)} >= {"PR01", "SS03"}


@pytest.mark.parametrize(("name", "value"), [pytest.param(*case, id=case[0]) for case in public()])
def test_it_follows_numpydoc(name, value):
    assert faults(value) == [], name
