"""``hankelmatch learn``: from a text to a model, and how well it predicts."""

import argparse
import os
import sys
from typing import Any

from .._utils.progress import Progress
from ..automata.svd import SVD_METHODS
from ..learner import SpectralLearner
from ..learning.stages import BASES
from ._common import (
    add_json,
    check_output,
    command,
    exit_when_ended,
    natural,
    occurrences,
    positive,
    print_json,
    seconds,
    states,
)
from ._texts import (
    SAMPLE,
    Texts,
    add_counting_options,
    add_unseen,
    as_text,
    bits,
    read_counted,
    read_texts,
    unit_of_file,
)

# What ended the search, and what goes beyond it.
_LIMITS = {
    "max_states": "--max-states {}",
    "memory": "--max-states {}, with more memory,",
    "time": "a larger --max-seconds",
}


def add_learn(commands: Any) -> None:
    parser = command(commands, "learn", _learn, "Learn a weighted automaton from a text and evaluate it.")
    add_learning_options(parser)
    parser.add_argument("-o", "--output", metavar="MODEL", help="file to save the model to")
    add_json(parser)


def add_learning_options(parser: argparse.ArgumentParser) -> None:
    """The texts, and everything that `fit` wants to know."""
    add = parser.add_argument
    add("train", metavar="TRAIN", nargs="?", help=f"text to learn from; without it: {SAMPLE}")
    add("--dev", metavar="FILE", help="held-out text to choose on; without it a part of TRAIN")
    add("--test", metavar="FILE", help="held-out text to evaluate on; without it a part of TRAIN")
    add_counting_options(parser)
    add_unseen(parser)
    add("--engine", choices=("memory", "dask"), default="memory", help="dask: TRAIN need not fit in memory")
    add("--states", metavar="N", type=states, default="auto", help="number, or 'auto': best on dev (default)")
    add("--max-states", metavar="N", type=positive, help="most states that auto considers")
    add("--max-seconds", metavar="S", type=seconds, help="after which auto tries no more (default: no limit)")
    add(
        "--refit",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="learn again from TRAIN with the part of it that was held out as dev (default)",
    )
    add("--basis", choices=BASES, default="matching", help="prefixes and suffixes (default: matching)")
    add("--basis-size", metavar="N", type=positive, help="for bases that have one: number, or length")
    add("--contexts", choices=("auto", "mixed", "longest"), default="auto", help="default: best on dev")
    add(
        "--shrinkage", metavar="X", type=occurrences, default="auto", help="occurrences, or auto: best on dev"
    )
    add(
        "--no-mixture",
        dest="mixture",
        action="store_false",
        help="the automaton alone predicts: no n-grams, no whole histories",
    )
    add("--svd", choices=SVD_METHODS, default="auto", help="factorisation")
    add("--seed", metavar="N", type=natural, default=0, help="of all that is drawn at random (default: 0)")


def fit(
    options: argparse.Namespace, progress: Progress, *, with_test: bool = True
) -> tuple[SpectralLearner, Texts]:
    """Read the texts and learn from them."""
    is_counted = options.engine == "dask"
    texts = read_counted(options, progress, with_test) if is_counted else read_texts(options, progress)
    alphabet = texts.train.alphabet
    learner = SpectralLearner(
        options.max_length,
        options.states,
        options.basis,
        min_count=1 if is_counted else options.min_count,
        basis_size=options.basis_size,
        method=options.method,
        max_states=options.max_states,
        max_seconds=options.max_seconds,
        contexts=options.contexts,
        shrinkage=options.shrinkage,
        mixture=options.mixture,
        unseen=options.unseen,
        svd=options.svd,
        end_symbol=False if alphabet.end_symbol is None else alphabet.end_symbol,
        start_symbol=False if alphabet.start_symbol is None else alphabet.start_symbol,
        seed=options.seed,
    )
    again = texts.with_dev if options.refit else None
    return learner.fit(texts.train, dev=texts.dev, refit_on=again, progress=progress), texts


def _learn(options: argparse.Namespace) -> None:
    check_output(options)
    progress = Progress(None if options.json else sys.stdout, sys.stderr)
    learner, texts = fit(options, progress)
    unit = unit_of_file(options.train, options, texts.train.alphabet)
    scores = _dev_and_test(learner, texts, unit, progress)
    if options.output is not None:
        with progress.stage("model") as stage:
            with exit_when_ended():
                learner.model_.save(options.output)
            size = os.stat(options.output).st_size
            stage.done(f"saved to {options.output}, {size / 1e6:,.1f} MB", path=options.output, bytes=size)
    if options.json:
        result = {"texts": texts.origin, "n_states": learner.n_states_, **scores, "stages": learner.report_}
        print_json(result)
    else:
        _print_hints(learner, options)


def _dev_and_test(learner: SpectralLearner, texts: Texts, unit: str, progress: Progress) -> dict[str, float]:
    assert texts.test is not None
    assert learner.dev_bits_ is not None
    scores = {}
    again = learner.is_refitted_
    for name, text in (("dev", texts.dev), ("test", texts.test)):
        with progress.stage(name) as stage:
            score = learner.model_.score(text)
            # A model that was learned from dev too says nothing about itself there.
            found = learner.dev_bits_ if name == "dev" and again else score.bits_per_symbol
            skipped = f", {score.n_skipped:,} unseen symbols skipped" if score.n_skipped else ""
            whose = "" if not again else ", before the refit" if name == "dev" else ", after the refit"
            stage.done(
                f"{found:.4f} {bits(unit)}{whose}{skipped}",
                bits_per_symbol=found,
                scored=score.n_scored,
                skipped=score.n_skipped,
                refitted=again and name == "test",
            )
        scores[f"{name}_bits_per_symbol"] = found
    return scores


def _print_hints(learner: SpectralLearner, options: argparse.Namespace) -> None:
    print()
    limit = learner.stopped_by_
    most = max((n for _, n in learner.tried_), default=0)
    if limit in _LIMITS and learner.n_states_ == most:
        more = _LIMITS[limit].format(2 * most)
        print(f"The most states tried, {most:,}, were the best: {more} may be better.")
    if options.output is None:
        sentence = as_text(learner.model_.sample(options.seed, max_length=120), learner.model_.alphabet)
        print(f"A random sentence: {sentence}")
        print("To keep the model: -o FILE. Then: hankelmatch predict FILE CONTEXT, hankelmatch sample FILE")
    else:
        print(f"Next: hankelmatch predict {options.output} CONTEXT, hankelmatch sample {options.output}")
