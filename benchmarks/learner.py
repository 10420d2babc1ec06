"""The default learner on six texts: score, processor time, states, and the size of the model's file.

    python -m benchmarks.learner --data DIR [--against PYTHON [--by-hand]] [--texts tags ...] [--json FILE]

DIR holds ``ptb/``, ``pos/``, ``warandpeace/`` and ``spice/`` (see CONTRIBUTING.md); T = 5. Scores are bits
per symbol of the test part, less is better; for SPiCe NDCG at 5 of the private prefixes, more is better.
PYTHON is that of an environment with another version: each text is learned by both, in turns. `--options`
and `--other-options` change what the two learn with, in JSON: ``--other-options n_states=1200
method='"heavy"'``. OPENBLAS_NUM_THREADS=1 makes processor times comparable. `--by-hand` adds the best
setting of the other version that a grid finds by dev text or public prefixes (`learner_by_hand.py`); it takes
about an hour.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .builds import interpreter, this_python
from .learner_run import TEXTS
from .report import Column, circumstances, markdown

_COLUMNS = [
    Column("text", "text"),
    Column("version", "version"),
    Column("score", "score", ".4f"),
    Column("max_length", "T", "d"),
    Column("n_states", "states", ","),
    Column("seconds", "seconds", ".1f"),
    Column("ratio", "times the other's", ".2f"),
    Column("megabytes", "MB", ".1f"),
]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    versions = {"this": (this_python(), options.options)}
    if options.against is not None:
        versions["other"] = (interpreter(options.against), options.other_options)
    rows: list[dict[str, Any]] = []
    for text in options.texts:
        found = {}
        for version, (python, changes) in versions.items():
            found[version] = {"version": version, **learned(python, options.data, text, changes)}
            print(f"{text}, {version}: {found[version]['seconds']:.1f} s", file=sys.stderr, flush=True)
        if "other" in found:
            found["this"]["ratio"] = found["this"]["seconds"] / found["other"]["seconds"]
        if options.by_hand:
            found["by hand"] = {
                "version": "other, by hand",
                **best_by_hand(options.against, options.data, text),
            }
            print(f"{text}, by hand: done", file=sys.stderr, flush=True)
        rows += found.values()
    print(markdown(_COLUMNS, rows))
    if options.json is not None:
        options.json.write_text(json.dumps({**circumstances(), "figures": rows}, indent=1), encoding="utf-8")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learner",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder with the texts")
    add("--texts", nargs="+", choices=TEXTS, default=TEXTS)
    add("--options", nargs="+", default=[], metavar="NAME=VALUE", help="of this version's learner")
    add("--against", type=Path, metavar="PYTHON", help="of an environment with another version")
    add("--other-options", nargs="+", default=[], metavar="NAME=VALUE", help="of the other's learner")
    add("--by-hand", action="store_true", help="search the best setting of the other version, too")
    add("--json", type=Path, metavar="FILE", help="write the figures there")
    given = parser.parse_args(arguments)
    if given.by_hand and given.against is None:
        parser.error("--by-hand: it is of the other version; give --against, too")
    return given


def learned(python: Path, data: Path, text: str, changes: Sequence[str] = ()) -> dict[str, Any]:
    """What `learner_run` prints for a text that an interpreter's version learns."""
    found = _printed(python, "learner_run.py", data, text, *changes)
    return {**found, "megabytes": found["bytes"] / 1e6}


def best_by_hand(python: Path, data: Path, text: str) -> dict[str, Any]:
    """What `learner_by_hand` finds for a text with an interpreter's version."""
    return _printed(interpreter(python), "learner_by_hand.py", data, text)


def _printed(python: Path, script: str, *arguments: str | Path) -> dict[str, Any]:
    """The JSON that a script beside this one prints."""
    command = [python, Path(__file__).with_name(script), *arguments]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


if __name__ == "__main__":
    main()
