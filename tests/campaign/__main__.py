"""Run the campaign: ``python -m tests.campaign [ATTACK ...] [--scale 0.01] [--seed 1] [--report FILE]``.

``python -m tests.campaign long [ATTACK ...]`` makes the long run in chunks; it can be stopped and resumed.
Every attack runs in fresh processes, so that a crash or a hang is a failure like any other and names the seed
that repeats it: ``python -m tests.campaign ATTACK --seed SEED --cases COUNT``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tests.campaign
from tests.campaign._apart import run_apart, run_here
from tests.campaign._corpus import write_corpus
from tests.campaign._faults import faults
from tests.campaign._long import SHOWN, long_run, new_report, read_report

ATTACKS = sorted(m.name for m in pkgutil.iter_modules(tests.campaign.__path__) if not m.name.startswith("_"))
ROUNDS = 20  # processes for each attack
LONG_REPORT = Path("long-run.json")


def run(name: str, seed: int, count: int, rounds: int, jobs: int) -> dict[str, object]:
    """One attack; its cases are spread over several processes."""
    start = time.perf_counter()
    rounds = max(1, min(rounds, count))
    shares = [count // rounds + (i < count % rounds) for i in range(rounds)]
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(run_apart, [name] * rounds, range(seed, seed + rounds), shares)
        failures = [line for result in found for line in result.failures]
    seconds = round(time.perf_counter() - start, 1)
    print(f"{name:12} {count:9,} cases {seconds:8.1f} s  {len(failures)} failures", flush=True)
    for line in failures[:SHOWN]:
        print("    " + line, flush=True)
    return {"attack": name, "cases": count, "seconds": seconds, "seed": seed, "failures": failures}


def main() -> int:
    """Parse the options, run the attacks, write the report; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument(
        "attacks",
        nargs="*",
        choices=[*ATTACKS, "long", "faults", "corpus", []],
        help="all of them by default; long, alone or first: the long run of them; faults: a table of those "
        "that were found first; corpus: inputs for the fuzz targets",
    )
    parser.add_argument("--scale", type=float, default=1.0, help="part of a long run, such as 0.01")
    parser.add_argument("--cases", type=int, help="cases of each attack, in place of a part of a long run")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="processes for each attack")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help=f"JSON file to write; long: {LONG_REPORT} by default")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="long: go on with what the report says; its attacks, counts and seed are those of the run",
    )
    parser.add_argument("--against", help="faults: the Python of an environment with another build")
    parser.add_argument("--folder", type=Path, default=Path("build/corpus"), help="corpus: where to put it")
    parser.add_argument("--here", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here is not None:
        run_here(options.attacks[0], options.seed, options.here)
        return 0
    if options.attacks == ["faults"]:
        return faults(options.against)
    if options.attacks == ["corpus"]:
        write_corpus(options.folder, options.seed)
        return 0
    if options.attacks[:1] == ["long"]:
        return long(options, parser)
    report = []
    for name in options.attacks or ATTACKS:
        cases = importlib.import_module(f"tests.campaign.{name}").CASES
        count = options.cases or max(1, round(cases * options.scale))
        report.append(run(name, options.seed, count, options.rounds, options.jobs))
    if options.report:
        options.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(any(attack["failures"] for attack in report))


def long(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Begin a long run, or take it up; SIGINT stops it in the background, too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    path = options.report or LONG_REPORT
    if path.exists() != options.resume:
        parser.error(
            f"there is {'no' if options.resume else 'a'} report {path}: "
            + ("leave out --resume" if options.resume else "add --resume to go on with it, or remove it")
        )
    try:
        report = (
            read_report(path)
            if options.resume
            else new_report(options.attacks[1:] or ATTACKS, options.scale, options.cases, options.seed)
        )
    except ValueError as error:
        parser.error(str(error))
    return long_run(report, path, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
