"""The experiments of Quattoni, Carreras and Gallé (AISTATS 2017), measured here, beside what they published.

    python -m benchmarks.paper [EXPERIMENT ...] --data DIR [--quick] [--output DIR]

Each prints a Markdown table and writes it as CSV and JSON, figures as PNG too where matplotlib is installed.
What was measured once is kept in the output folder, so an interrupted run goes on where it was. DIR holds
`ptb/`, `warandpeace/`, `pos/` and `spice/`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

from .results import Bench, MissingDataError, write_results

# The command's name of each experiment, and its module.
EXPERIMENTS = {
    "table1": "table1",
    "table2": "table2",
    "table3": "spice",
    "beyond-window": "beyond_window",  # not in the paper
    "figure3": "figure3",
    "rank-gap": "rank_gap",
    "matching-speed": "matching_speed",
    "conditioning": "conditioning",  # not in the paper
    "default-learner": "default_learner",  # not in the paper
}


def main(arguments: list[str] | None = None) -> int:
    """Run the experiments asked for; 0 if all went well, 2 if the data of one that was named are missing."""
    options = parse_arguments(arguments)
    names = list(EXPERIMENTS) if "all" in options.experiments else options.experiments
    bench = Bench(
        options.data,
        options.output,
        options.quick,
        options.seed,
        options.fresh,
        most_states=options.most_states,
    )
    for name in dict.fromkeys(names):
        try:
            run_one(name, bench)
        except MissingDataError as error:
            print(f"{name}: left out. {error}", file=sys.stderr)
            if "all" not in options.experiments:
                return 2
        except KeyboardInterrupt:
            print(f"{name}: interrupted; the same command goes on where it was", file=sys.stderr)
            return 130
    return 0


def run_one(name: str, bench: Bench) -> None:
    """Run an experiment, print its tables and write its files."""
    bench.experiment = name
    begin = time.perf_counter()
    tables = importlib.import_module(f".{EXPERIMENTS[name]}", __package__).run(bench)
    for table in tables:
        table.title += " (quick: small parts of the texts)" if bench.quick else ""
        print(f"{table}\n", flush=True)
    written = write_results(bench, tables, time.perf_counter() - begin)
    bench.say(f"written: {', '.join(map(str, written))}")


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    summary = (__doc__ or "").split("\n", maxsplit=1)[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper", description=summary)
    parser.add_argument(
        "experiments",
        nargs="*",
        metavar="EXPERIMENT",
        help=f"{', '.join(EXPERIMENTS)}, or all, which is the default",
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="the data folder")
    parser.add_argument("--quick", action="store_true", help="all of it on small parts, in minutes")
    parser.add_argument(
        "--output", type=Path, default=Path("paper-results"), metavar="DIR", help="folder for the results"
    )
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default 0)")
    parser.add_argument("--fresh", action="store_true", help="do again what was done before")
    parser.add_argument(
        "--most-states",
        type=int,
        metavar="N",
        help="bounds the time of table2, which grows with the square of the states: no more are tried",
    )
    options = parser.parse_args(arguments)
    options.experiments = options.experiments or ["all"]
    for name in options.experiments:
        if name not in EXPERIMENTS and name != "all":
            parser.error(f"EXPERIMENT: {name!r} is unknown; choose from {', '.join(EXPERIMENTS)}, all")
    if options.most_states is not None and options.most_states < 1:
        parser.error(f"--most-states: {options.most_states} given; give a whole number of at least 1")
    if options.data is not None and not options.data.is_dir():
        parser.error(
            f"--data: {str(options.data)!r} is not a folder; give the one that holds ptb/ and others"
        )
    if options.output.exists() and not options.output.is_dir():
        parser.error(f"--output: {str(options.output)!r} is not a folder; give another name")
    return options


if __name__ == "__main__":
    sys.exit(main())
