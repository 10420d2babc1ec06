"""What every benchmark reports beside its figures: the machine, the versions, the date; tables and plots."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Column", "circumstances", "markdown", "subplots"]

_PACKAGES = ("hankelmatch", "numpy", "scipy")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def circumstances() -> dict[str, Any]:
    """Date, machine, load and versions, for JSON."""
    return {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": {
            "system": platform.platform(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "threads": {name: os.environ.get(name) for name in _THREADS},
            # Above the number of cores others were at work too, and seconds say less.
            "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        },
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in _PACKAGES},
        },
    }


def _processor() -> str:
    """The processor's name, as far as the system reports it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


class Column(NamedTuple):
    """A column of a table: the key of its values in the rows, its heading, and how numbers are printed."""

    key: str
    title: str
    form: str = ""

    def text(self, value: Any) -> str:
        """A cell; empty where there is no value."""
        if value is None:
            return ""
        return value if isinstance(value, str) else format(value, self.form)


def markdown(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table, its columns padded so that it reads well as it is."""
    cells = [[column.title for column in columns]]
    cells += [[column.text(row.get(column.key)) for column in columns] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    cells.insert(1, ["-" * width for width in widths])
    lines = (
        " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells
    )
    return "\n".join(f"| {line} |" for line in lines)


def subplots(width: float, height: float) -> tuple[Any, Any]:
    """A figure of matplotlib to be written to a file, inches wide and high, and its axes."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - optional

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()
