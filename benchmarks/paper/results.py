"""What the experiments share: settings in, tables out, and a cache, so that an interrupted run goes on.

An experiment is a module with one function ``run(bench: Bench) -> list[Table]``, and one line in
``EXPERIMENTS`` of `benchmarks.paper.__main__`. It reads its files through `Bench.file`, leaves everything
that takes long to `Bench.cached`, and returns its tables, the paper's values beside its own. Printing and
writing is not its business. In a quick run (`Bench.quick`) it does all of it on small parts, in seconds.
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from hankelmatch._utils.files import write_atomically

from ..report import Column, circumstances, markdown

__all__ = ["Bench", "Column", "MissingDataError", "Table", "fingerprint", "write_results"]


class MissingDataError(FileNotFoundError):
    """A file of the data folder is not there."""


@dataclass
class Table:
    """One table of an experiment.

    Attributes
    ----------
    name : str
        Of its files: ``table1`` gives ``table1.csv``.
    title : str
        Above the table.
    columns : sequence of Column
        What is printed, in this order: ``Column(key, title, form)`` with a format such as ``".3f"``. The
        paper's values are columns of their own.
    rows : list of dict
        By key; a key that is missing or None is an empty cell. What has no column is in the files alone.
    notes : list of str
        Below the table: what differs from the paper, what a figure means.
    draw : callable, optional
        Makes the table's plot, ``draw(path)``, with matplotlib; called where that is installed.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)
    draw: Callable[[Path], None] | None = None

    def __str__(self) -> str:
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"### {self.title}\n\n{markdown(self.columns, self.rows)}\n{notes}"

    def write_csv(self, path: Path) -> None:
        """Every value of every row, the printed ones first, then those without a column."""
        keys = dict.fromkeys([column.key for column in self.columns])
        keys |= dict.fromkeys(key for row in self.rows for key in row)
        with write_atomically(path) as file:
            lines = [list(keys), *([row.get(key) for key in keys] for row in self.rows)]
            csv.writer(_Utf8(file)).writerows(lines)


class _Utf8:
    """Lets csv write to a binary file."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, text: str) -> None:
        self._file.write(text.encode("utf-8"))


@dataclass
class Bench:
    """Where an experiment runs.

    Attributes
    ----------
    data : Path or None
        The data folder.
    output : Path
        Folder of the results; those of single steps are in ``output/cache``.
    quick : bool
        Whether small parts will do.
    seed : int
        Of everything random.
    fresh : bool
        Whether steps that were done before are done again.
    experiment : str
        Name of the experiment that is running.
    most_states : int or None
        No more states than this are tried in table 2.
    """

    data: Path | None
    output: Path
    quick: bool = False
    seed: int = 0
    fresh: bool = False
    experiment: str = ""
    most_states: int | None = None

    def file(self, name: str) -> Path:
        """A file of the data folder, by its name below it; MissingDataError if it is not there."""
        if self.data is None:
            raise MissingDataError(f"--data: {self.experiment} needs {name}; give the folder that holds it")
        path = self.data / name
        if not path.exists():
            raise MissingDataError(
                f"--data: there is no {name} in {str(self.data)!r}; {self.experiment} needs it"
            )
        return path

    def cached(
        self,
        label: str,
        settings: Mapping[str, Any],
        compute: Callable[[], Mapping[str, Any]],
        expected: float | None = None,
    ) -> dict[str, Any]:
        """The result of a step: read if it was done before with the same settings, else computed and kept.

        Parameters
        ----------
        label : str
            For the reader of the progress.
        settings : mapping
            Everything that the result depends on, as JSON: also the `fingerprint` of the files, as the
            experiment's name, `quick` and `seed` are added here, but nothing else is.
        compute : callable
            Does the work; what it returns must be JSON (numpy's numbers are converted).
        expected : float, optional
            Seconds that it takes on two cores, about; shown while it runs.

        Returns
        -------
        dict
            The result, and under ``"step"`` when it was computed, how long that took, and the load then.
        """
        whole = {"experiment": self.experiment, "quick": self.quick, "seed": self.seed, **settings}
        text = json.dumps(whole, sort_keys=True, default=np.generic.item)
        name = f"{self.experiment}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
        path = self.output / "cache" / name
        if path.exists() and not self.fresh:
            kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["result"]
            self.say(f"{label}: done before, {kept['step']['date']}, in {kept['step']['seconds']:.1f} s")
            return kept
        usually = "" if expected is None or self.quick else f", which takes about {expected:,.0f} s"
        self.say(f"{label} ...{usually}")
        begin = time.perf_counter()
        result = dict(compute())
        seconds = time.perf_counter() - begin
        now = circumstances()
        result["step"] = {"date": now["date"], "seconds": seconds, "load": now["machine"]["load"]}
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_json(path, {"settings": json.loads(text), "result": result})
        self.say(f"{label}: {seconds:.1f} s")
        return result

    def say(self, text: str) -> None:
        """A line of progress."""
        print(f"{self.experiment}: {text}", file=sys.stderr, flush=True)


def fingerprint(*paths: Path) -> str:
    """Sixteen hexadecimal digits that distinguish the contents of files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def write_results(bench: Bench, tables: Sequence[Table], seconds: float) -> list[Path]:
    """Write ``NAME.csv`` for each table, its plot where it has one, and ``EXPERIMENT.json`` with everything.

    Returns
    -------
    list of Path
        The files written.
    """
    bench.output.mkdir(parents=True, exist_ok=True)
    paths = [bench.output / f"{bench.experiment}.json"]
    contents = [
        {
            "name": t.name,
            "title": t.title,
            "columns": [c._asdict() for c in t.columns],
            "rows": t.rows,
            "notes": t.notes,
        }
        for t in tables
    ]
    run = {"experiment": bench.experiment, "quick": bench.quick, "seed": bench.seed, "seconds": seconds}
    _write_json(paths[0], {**run, **circumstances(), "tables": contents})
    for table in tables:
        paths.append(bench.output / f"{table.name}.csv")
        table.write_csv(paths[-1])
        if table.draw is not None:
            paths += _drawn(bench, table.draw, bench.output / f"{table.name}.png")
    return paths


def _drawn(bench: Bench, draw: Callable[[Path], None], path: Path) -> list[Path]:
    """The plot, where matplotlib is installed."""
    try:
        draw(path)
    except ModuleNotFoundError as error:
        bench.say(f"no plot, since {error.name} is not installed")
        return []
    return [path]


def _write_json(path: Path, content: Any) -> None:
    with write_atomically(path) as file:
        file.write((json.dumps(content, indent=1, default=np.generic.item) + "\n").encode("utf-8"))
