"""Problems of the PAutomaC competition, learned by one procedure, scored as there.

    python -m benchmarks.pautomac --data DIR [--problems 1 8 24 ...] [--rows default one-start kneser-ney]
                                  [--output FILE]
    python -m benchmarks.pautomac --data DIR --speed

DIR holds `pautomac/`. Figures are score minus optimum, in perplexity. Everything is chosen on a tenth of the
training strings that is held out; the test strings are scored once. "default" is `StringDistribution()`,
"one-start" its Baum-Welch alone from one start, "kneser-ney" an n-gram model, its order chosen on the same
strings. Each row is printed as soon as it is known, and kept in FILE, whose rows are not worked out again.
With `--speed` a step of Baum-Welch is timed beside the numpy reference of the tests.
"""

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
from hankelmatch import (
    Corpus,
    KneserNeyModel,
    StringDistribution,
    pautomac_perplexity,
    read_pautomac,
    read_pautomac_solution,
)
from numpy.typing import NDArray

from ..report import Column, markdown

PROBLEMS = (1, 8, 24, 31, 41, 45)
# What the winner of the competition (collapsed Gibbs sampling) had above the optimum, where it is known.
WINNER = {1: 0.096, 41: 0.01, 45: 0.01}

Logarithms = NDArray[np.float64]


def main() -> int:
    summary, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pautomac", description=summary, epilog=more)
    parser.add_argument("--data", type=Path, required=True, help="folder with pautomac/")
    parser.add_argument("--problems", type=int, nargs="+", default=PROBLEMS, metavar="N")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, metavar="FILE", help="keeps the rows known so far as JSON")
    parser.add_argument("--speed", action="store_true", help="time a step of Baum-Welch")
    options = parser.parse_args()
    folder = options.data / "pautomac"
    if not folder.is_dir():
        parser.error(f"--data: {folder} is no folder")
    if options.speed:
        from .speed import compared  # noqa: PLC0415 - it needs the tests' reference

        print(compared(read_problem(folder, 1)[0]))
        return 0
    known = Known(options.output, options.seed)
    print(table(folder, options.problems, options.rows, known))
    return 0


def read_problem(folder: Path, number: int) -> tuple[Corpus, Corpus, Logarithms]:
    """Training strings, test strings, and the true probabilities of these."""
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary, f"{number}.pautomac.train")
        path.write_bytes(gzip.decompress((folder / f"{number}.pautomac.train.gz").read_bytes()))
        train = read_pautomac(path, end_symbol=False)
    test = read_pautomac(folder / f"{number}.pautomac.test", end_symbol=False, alphabet=train.alphabet)
    return train, test, read_pautomac_solution(folder / f"{number}.pautomac_solution.txt")


def by_default(train: Corpus, test: Corpus, seed: int) -> tuple[Logarithms, dict[str, Any]]:
    return of_strings(StringDistribution(seed=seed, verbose=True).fit(train), test)


def from_one_start(train: Corpus, test: Corpus, seed: int) -> tuple[Logarithms, dict[str, Any]]:
    return of_strings(StringDistribution(n_starts=1, n_chains=0, seed=seed).fit(train), test)


def of_strings(model: StringDistribution, test: Corpus) -> tuple[Logarithms, dict[str, Any]]:
    sizes = {"states": model.n_states_, "structure": model.structure_, "off": abs(model.total_mass() - 1)}
    return model.log_probability(test), sizes


def by_n_grams(train: Corpus, test: Corpus, seed: int) -> tuple[Logarithms, dict[str, Any]]:
    """The chain rule with an end and a start symbol."""
    whole = Corpus.from_sequences(list(train), end_symbol="</s>", start_symbol="<s>")
    fitted, held_out = whole.split([0.9, 0.1], seed)
    bits = {n: KneserNeyModel(fitted, n).bits_per_symbol(held_out) for n in range(2, 9)}
    order = min(bits, key=bits.__getitem__)
    model = KneserNeyModel(whole, order)
    strings = Corpus.from_sequences(
        list(test), alphabet=whole.alphabet, end_symbol="</s>", start_symbol="<s>"
    )
    ends = np.cumsum(strings.lengths - 1)  # the start symbol is not predicted
    contexts = [x[:t] for x in strings for t in range(1, len(x))]
    symbols = [whole.alphabet.id(x[t]) for x in strings for t in range(1, len(x))]
    probabilities = model.probabilities_after(contexts)[np.arange(len(symbols)), symbols]
    sums = np.cumsum(np.log(probabilities))[ends - 1]
    return np.diff(sums, prepend=0.0), {"order": order}


ROWS: dict[str, Callable[[Corpus, Corpus, int], tuple[Logarithms, dict[str, Any]]]] = {
    "default": by_default,
    "one-start": from_one_start,
    "kneser-ney": by_n_grams,
}


class Known:
    """The rows known so far, in a file if one is given."""

    def __init__(self, path: Path | None, seed: int) -> None:
        self._path = path
        self.seed = seed
        found = json.loads(path.read_text()) if path is not None and path.exists() else []
        self.lines: list[dict[str, Any]] = [line for line in found if line["seed"] == seed]
        self._others = [line for line in found if line["seed"] != seed]

    def line(self, folder: Path, number: int, row: str) -> dict[str, Any]:
        for line in self.lines:
            if (line["problem"], line["row"]) == (number, row):
                return line
        line = {"problem": number, "row": row, "seed": self.seed, **measured(folder, number, row, self.seed)}
        print(
            f"problem {number}, {row}: {line['score']:.4f}, {line['seconds']:.0f} s",
            file=sys.stderr,
            flush=True,
        )
        self.lines.append(line)
        if self._path is not None:
            self._path.write_text(json.dumps(self._others + self.lines, indent=1))
        return line


def measured(folder: Path, number: int, row: str, seed: int) -> dict[str, Any]:
    train, test, true = read_problem(folder, number)
    begin, processor = time.perf_counter(), time.process_time()
    logs, sizes = ROWS[row](train, test, seed)
    score = pautomac_perplexity(np.exp(logs), true) - pautomac_perplexity(true, true)
    return {
        "score": score,
        "winner": WINNER.get(number),
        "least": float(logs.min()),
        "seconds": time.perf_counter() - begin,
        "processor": time.process_time() - processor,
        **sizes,
    }


def table(folder: Path, problems: list[int], rows: list[str], known: Known) -> str:
    columns = [
        Column("problem", "problem", "d"),
        Column("row", "model"),
        Column("score", "score - optimum", ".4f"),
        Column("winner", "winner", ".3f"),
        Column("states", "states", "d"),
        Column("structure", "structure"),
        Column("order", "order", "d"),
        Column("off", "total mass - 1", ".0e"),
        Column("least", "least log-probability", ".1f"),
        Column("seconds", "seconds", ".0f"),
        Column("processor", "of processor", ".0f"),
    ]
    lines = [known.line(folder, number, row) for number in problems for row in rows]
    means = [
        f"Geometric mean of {row}: {geometric_mean(x['score'] for x in lines if x['row'] == row):.4f}"
        for row in rows
    ]
    return "\n".join([markdown(columns, lines), "", *means])


if __name__ == "__main__":
    sys.exit(main())
