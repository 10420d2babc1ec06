"""One text learned with the defaults, by whichever version of hankelmatch runs this file as a script.

    PYTHON benchmarks/learner_run.py DATA TEXT [OPTION=VALUE ...]

It prints one line of JSON. `benchmarks.learner` calls it for two versions in turns.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from hankelmatch import Corpus, SpectralLearner, ndcg, read_spice

try:
    from hankelmatch.interop.spice import read_spice_test
except ImportError:  # version 0.1.0
    from hankelmatch.spice import read_spice_test

TEXTS = ("ptb", "warandpeace", "tags", "spice2", "spice8", "spice13")
STREAM = (2_658_227, 300_000)  # symbols to learn from, and to hold out of everything


def main(data, name, *changes):
    options = {key: json.loads(value) for key, _, value in (change.partition("=") for change in changes)}
    train, score = texts(Path(data), name)
    begin, begin_wall = time.process_time(), time.perf_counter()
    learner = SpectralLearner(5, **options).fit(train)
    seconds, wall = time.process_time() - begin, time.perf_counter() - begin_wall
    with tempfile.TemporaryDirectory() as folder:
        learner.model_.save(Path(folder, "model.npz"))
        size = Path(folder, "model.npz").stat().st_size
    stages = {stage: round(found["seconds"], 2) for stage, found in learner.report_.items()}
    result = {"text": name, "n_states": learner.n_states_, "dev_bits": learner.dev_bits_}
    result |= {"score": score(learner), "seconds": seconds, "wall": wall, "bytes": size, "stages": stages}
    mixture = getattr(learner, "mixture_", None)  # version 0.1.0 has none
    result |= {"shrinkage": learner.shrinkage_, "weights": mixture and mixture.weights}
    print(json.dumps(result))


def texts(data, name):
    """What to learn from, and a function of the learner: bits per symbol, or NDCG of the private prefixes."""
    if name.startswith("spice"):
        number = name.removeprefix("spice")
        train = read_spice(data / f"spice/train/{number}.spice.train", start_symbol=True)
        test = read_spice_test(
            data / f"spice/prefixes/{number}.spice.prefix.private",
            data / f"spice/targets/{number}.spice.target.private",
        )
        return train, lambda learner: ndcg(learner.model_.rankings(test.prefixes), test.targets)
    if name == "warandpeace":
        text = (data / "warandpeace/warpeace_input.txt").read_bytes().decode("utf-8")
        n_train, n_test = STREAM
        train, test = ([part] for part in (text[:n_train], text[n_train + n_test :]))
        return Corpus.from_sequences(train), lambda learner: -learner.score(Corpus.from_sequences(test))
    folder, kind, held = {"ptb": ("ptb", "ptb.char", "test"), "tags": ("pos", "ewt.tags", "test")}[name]
    train, test = (
        [line.split() for line in (data / folder / f"{kind}.{part}.txt").read_text("utf-8").splitlines()]
        for part in ("train", held)
    )
    return train, lambda learner: -learner.score(test)


if __name__ == "__main__":
    main(*sys.argv[1:])
