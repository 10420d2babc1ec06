"""Run the campaign: ``python -m tests.campaign [ATTACK ...] [--scale 0.01] [--seed 1] [--report FILE]``.

Every attack runs in fresh processes, so that a crash or a hang is a failure like any other and names the seed
that repeats it: ``python -m tests.campaign ATTACK --seed SEED --cases COUNT``.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import json
import pkgutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tests.campaign
from tests.campaign._corpus import write_corpus
from tests.campaign._faults import faults

ATTACKS = sorted(m.name for m in pkgutil.iter_modules(tests.campaign.__path__) if not m.name.startswith("_"))
ROUNDS = 20  # processes for each attack
TIMEOUT = 900.0  # seconds for a process
SHOWN = 10  # failures that are printed for each attack


def run_here(name: str, seed: int, count: int) -> None:
    """Try the cases in this process, and print the failures as a JSON list."""
    faulthandler.enable()
    module = importlib.import_module(f"tests.campaign.{name}")
    print(json.dumps(list(module.attack(seed, count))))


def run_apart(name: str, seed: int, count: int) -> list[str]:
    """The failures of `count` cases in a process of their own; its crash or its hang is one of them."""
    command = [sys.executable, "-m", "tests.campaign", name, "--seed", str(seed), "--here", str(count)]
    again = f"[{name} --seed {seed} --cases {count} --rounds 1]"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return [f"{again} hung for {TIMEOUT:.0f} s"]
    if done.returncode != 0:
        where = [line.strip() for line in done.stderr.splitlines() if line.startswith('  File "')]
        what = "; ".join(where[:4]) if done.returncode < 0 else done.stderr.strip()[-800:]
        return [f"{again} ended with status {done.returncode}: {what}"]
    return [f"{again} {failure}" for failure in json.loads(done.stdout.splitlines()[-1])]


def run(name: str, seed: int, count: int, rounds: int, jobs: int) -> dict[str, object]:
    """One attack; its cases are spread over several processes."""
    start = time.perf_counter()
    rounds = max(1, min(rounds, count))
    shares = [count // rounds + (i < count % rounds) for i in range(rounds)]
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(run_apart, [name] * rounds, range(seed, seed + rounds), shares)
        failures = [line for lines in found for line in lines]
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
        choices=[*ATTACKS, "faults", "corpus", []],
        help="all of them by default; faults: a table of those that were found first; "
        "corpus: inputs for the fuzz targets",
    )
    parser.add_argument("--scale", type=float, default=1.0, help="part of a long run, such as 0.01")
    parser.add_argument("--cases", type=int, help="cases of each attack, in place of a part of a long run")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="processes for each attack")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help="JSON file to write")
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
    report = []
    for name in options.attacks or ATTACKS:
        cases = importlib.import_module(f"tests.campaign.{name}").CASES
        count = options.cases or max(1, round(cases * options.scale))
        report.append(run(name, options.seed, count, options.rounds, options.jobs))
    if options.report:
        options.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(any(attack["failures"] for attack in report))


if __name__ == "__main__":
    sys.exit(main())
