"""Times each stage from a text to its Hankel blocks, by whichever hankelmatch runs this file as a script.

    PYTHON benchmarks/scale/stages.py FILE UNIT T

UNIT is `token`, `char`, or `word` for a text whose characters have blanks between them, `_` for a blank.
It prints one line of JSON: seconds of the processor and what was found, stage by stage. `against.py` calls it
for two builds in turns. It imports nothing of this project but the package, so that any build can run it.
"""

import json
import sys
import time
from pathlib import Path

import hankelmatch as hm

RUNS = 3
ENOUGH = 2.0  # seconds of runs of a stage
MOST_STRINGS_FOR_BLOCKS = 1_000_000


def main(file, unit, max_length):
    corpus, stages = None, {}

    def stage(name, run, size):
        stages[name], result = timed(run, size)
        return result

    corpus = stage("read", lambda: read(Path(file), unit), lambda c: c.n_symbols)
    function = stage("count", lambda: hm.substring_expectations(corpus, max_length), len)
    graph = stage("graph", lambda: hm.prefix_suffix_graph(function), lambda g: g.n_edges)
    matching = stage("match", lambda: hm.match(graph), lambda m: m.size)
    stage("match, paper", lambda: hm.match(graph, "paper"), lambda m: m.size)
    stage("match, heavy", lambda: hm.match(graph, "heavy"), lambda m: m.size)
    if len(function) <= MOST_STRINGS_FOR_BLOCKS:
        stage("match, weighted", lambda: hm.match(graph, "weighted"), lambda m: m.size)
        basis = stage("basis", lambda: hm.matching_basis(graph, matching=matching), lambda b: len(b.prefixes))
        stage("blocks", lambda: hm.hankel_blocks(function, basis, graph=graph), lambda b: b.H.nnz)
    print(json.dumps(stages))


def read(file, unit):
    if unit != "word":
        return hm.read_text(file, unit, stream=unit == "char")
    lines = file.read_text(encoding="utf-8").splitlines()
    return hm.Corpus.from_sequences(["".join(line.split()).split("_") for line in lines], end_symbol=True)


def timed(run, size):
    """The least seconds of some runs with the size of what the last one found, and that itself."""
    times, result = [], run()  # the first run warms files and allocator
    while len(times) < RUNS or (sum(times) < ENOUGH / 10 and len(times) < 10 * RUNS):
        begin = time.process_time()
        result = run()
        times.append(time.process_time() - begin)
        if sum(times) > ENOUGH:
            break
    return {"seconds": min(times), "found": int(size(result))}, result


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
