"""The main job on real text, stage by stage: seconds and bits per character.

    python -m benchmarks.learning --data DIR [--max-length 5] [--output learning.json]

DIR holds ``ptb/ptb.char.{train,valid,test}.txt``: Penn Treebank characters, a sentence a line, symbols
separated by blanks. Two set-ups: the paper's own (its matcher, no start symbol, longest contexts; it reports
1.741 on the test part at T = 5), and the package's default (start symbol, mixed contexts). The number of
states is chosen on the valid part; the test part is scored once.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import hankelmatch
import numpy as np
from hankelmatch import (
    hankel_blocks,
    match,
    matching_basis,
    prefix_suffix_graph,
    read_text,
    substring_expectations,
)
from hankelmatch.automaton import learn_automaton
from hankelmatch.factorization import truncated_svd
from hankelmatch.language_model import LanguageModel
from hankelmatch.model_choice import bits_for_states

Result = TypeVar("Result")


class SetUp(NamedTuple):
    """What differs between the two runs."""

    name: str
    matching: str
    start_symbol: bool
    contexts: Any


SET_UPS = (SetUp("paper", "paper", False, "longest"), SetUp("default", "auto", True, "mixed"))


class Stages:
    """Seconds of each stage, printed as they end."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def run(self, name: str, work: Callable[[], Result], describe: Callable[[Result], str]) -> Result:
        begin = time.perf_counter()
        result = work()
        self.seconds[name] = time.perf_counter() - begin
        print(f"  {name:12} {describe(result):62} {self.seconds[name]:8.3f} s", flush=True)
        return result


def run(set_up: SetUp, data: Path, max_length: int, most_states: int | None) -> dict[str, Any]:
    """Learn and evaluate in one set-up."""
    print(f"{set_up.name}: {set_up._asdict()}, T = {max_length}")
    stages = Stages()
    train, dev, test = stages.run(
        "read", lambda: read_parts(data, set_up.start_symbol), lambda parts: repr(parts[0])
    )
    f = stages.run("counting", lambda: substring_expectations(train, max_length), repr)
    graph = stages.run("graph", lambda: prefix_suffix_graph(f), lambda g: f"{g.n_edges:,} edges")
    matching = stages.run("matching", lambda: match(graph, set_up.matching), lambda m: f"{m.size:,} pairs")
    basis = matching_basis(graph, matching=matching)
    blocks = stages.run(
        "blocks", lambda: hankel_blocks(f, basis, graph=graph), lambda b: f"{b.H.nnz:,} entries"
    )
    svd = stages.run("svd", lambda: truncated_svd(blocks.H, most_states), repr)
    automaton = stages.run("automaton", lambda: learn_automaton(blocks, svd=svd, dtype=np.float32), repr)
    model = LanguageModel(automaton, max_length, contexts=set_up.contexts)
    numbers = sorted({max(1, round(svd.n_states * share)) for share in (0.3, 0.5, 0.7, 0.8, 0.9, 0.96, 1.0)})
    bits = stages.run(
        "choose n", lambda: bits_for_states(model, dev, numbers), lambda b: f"{len(b)} numbers of states"
    )
    best = int(np.argmin(bits))
    chosen = model.replace(automaton=automaton.truncate(numbers[best]))
    test_bits = stages.run(
        "test", lambda: chosen.bits_per_symbol(test), lambda b: f"{b:.4f} bits per character"
    )
    print(
        f"  n = {numbers[best]:,}: dev {bits[best]:.4f}, test {test_bits:.4f} bits per character\n",
        flush=True,
    )
    return {
        "set_up": set_up._asdict(),
        "max_length": max_length,
        "substrings": len(f),
        "edges": graph.n_edges,
        "matching": matching.size,
        "svd_method": svd.method,
        "singular_values": svd.n_states,
        "dev_bits": dict(zip(map(str, numbers), bits, strict=True)),
        "n_states": numbers[best],
        "test_bits": test_bits,
        "seconds": stages.seconds,
    }


def read_parts(data: Path, start_symbol: bool) -> list[hankelmatch.Corpus]:
    """The train, valid and test parts over the alphabet of the first."""
    folder = data / "ptb"
    train = read_text(folder / "ptb.char.train.txt", unit="token", start_symbol=start_symbol)
    others = [
        read_text(
            folder / f"ptb.char.{part}.txt", unit="token", start_symbol=start_symbol, alphabet=train.alphabet
        )
        for part in ("valid", "test")
    ]
    return [train, *others]


def main(arguments: list[str] | None = None) -> int:
    """Run both set-ups and write what they came to."""
    parser = argparse.ArgumentParser(prog="benchmarks.learning", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder that holds ptb/")
    parser.add_argument(
        "--max-length", type=int, default=5, metavar="T", help="length of the longest substrings"
    )
    parser.add_argument(
        "--most-states", type=int, metavar="N", help="triplets to compute (default: numeric rank)"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("learning.json"), metavar="FILE", help="JSON to write"
    )
    options = parser.parse_args(arguments)
    results = [run(set_up, options.data, options.max_length, options.most_states) for set_up in SET_UPS]
    options.output.write_text(json.dumps(results, indent=2) + "\n")
    print(f"written: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
