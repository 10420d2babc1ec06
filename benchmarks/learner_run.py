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
STREAM = (2_658_227, 300_000)  # symbols to learn from, and to choose on by hand; the rest is to test on


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
    result = {"text": name, "max_length": 5, "n_states": learner.n_states_, "dev_bits": learner.dev_bits_}
    result |= {"score": score(learner), "seconds": seconds, "wall": wall, "bytes": size, "stages": stages}
    mixture = getattr(learner, "mixture_", None)  # version 0.1.0 has none
    result |= {"shrinkage": learner.shrinkage_, "weights": mixture and mixture.weights}
    print(json.dumps(result))


def texts(data, name):
    """What to learn from, and a function of the learner: bits per symbol, or NDCG of the private prefixes."""
    if name.startswith("spice"):
        train = read_spice(data / f"spice/train/{name.removeprefix('spice')}.spice.train", start_symbol=True)
        private = read_prefixes(data, name, "private")
        return train, lambda learner: ndcg(learner.model_.rankings(private.prefixes), private.targets)
    if name == "warandpeace":
        n_train, n_dev = STREAM
        train, test = stream(data, slice(n_train)), stream(data, slice(n_train + n_dev, None))
    else:
        train, test = (tagged_lines(data, name, part) for part in ("train", "test"))
    return train, lambda learner: -learner.score(test)


def read_prefixes(data, name, part):
    """The public or the private prefixes of a SPiCe problem."""
    number = name.removeprefix("spice")
    folders = {"prefix": "prefixes", "target": "targets"}
    files = (data / f"spice/{folder}/{number}.spice.{kind}.{part}" for kind, folder in folders.items())
    return read_spice_test(*files)


def stream(data, part):
    """Some of the characters of War and Peace."""
    text = (data / "warandpeace/warpeace_input.txt").read_bytes().decode("utf-8")
    return Corpus.from_sequences([text[part]])


def tagged_lines(data, name, part):
    """The lines of a part of Penn Treebank's characters, or of tags."""
    folder, kind = {"ptb": ("ptb", "ptb.char"), "tags": ("pos", "ewt.tags")}[name]
    part = "valid" if (name, part) == ("ptb", "dev") else part
    lines = (data / folder / f"{kind}.{part}.txt").read_text("utf-8").splitlines()
    return [line.split() for line in lines]


if __name__ == "__main__":
    main(*sys.argv[1:])
