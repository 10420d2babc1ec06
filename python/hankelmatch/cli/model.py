"""``hankelmatch evaluate``, ``predict`` and ``sample``: what to do with a saved model."""

import argparse
import time
from typing import Any

import numpy as np

from .._utils.validation import argument_named
from ..prediction.language_model import LanguageModel
from ..prediction.mixtures.files import load_model
from ..prediction.mixtures.mixture import MixtureModel
from ..prediction.mixtures.n_grams import KneserNeyModel
from ._common import UserError, add_json, command, natural, positive, print_json
from ._texts import (
    add_text_options,
    add_unseen,
    as_text,
    bits,
    read_like,
    shown,
    symbols_of,
    unit_of,
    unit_of_file,
)


def add_evaluate(commands: Any) -> None:
    parser = command(commands, "evaluate", _evaluate, "Report how well a saved model predicts a text.")
    parser.add_argument("model", metavar="MODEL", help="file that 'hankelmatch learn -o' saved")
    parser.add_argument("text", metavar="TEXT", help="text to predict")
    add_text_options(parser, None)
    _add_contexts(parser)
    add_json(parser)


def add_predict(commands: Any) -> None:
    parser = command(commands, "predict", _predict, "List the likeliest next symbols after a context.")
    parser.add_argument("model", metavar="MODEL", help="file that 'hankelmatch learn -o' saved")
    parser.add_argument("context", metavar="CONTEXT", help="beginning of a sentence, or of one of its parts")
    parser.add_argument("-k", type=positive, default=10, help="how many symbols (default: 10)")
    parser.add_argument("--middle", action="store_true", help="CONTEXT is not the beginning of a sentence")
    parser.add_argument("--unit", choices=("char", "token"), help="default: by the model's alphabet")
    _add_contexts(parser)
    add_json(parser)


def add_sample(commands: Any) -> None:
    parser = command(commands, "sample", _sample, "Draw random sentences from a saved model.")
    parser.add_argument("model", metavar="MODEL", help="file that 'hankelmatch learn -o' saved")
    parser.add_argument("-n", type=positive, default=5, help="how many (default: 5)")
    parser.add_argument("--max-length", metavar="N", type=positive, default=1000, help="cut there")
    parser.add_argument("--seed", metavar="N", type=natural, help="for the same sentences each time")
    _add_contexts(parser, unseen=False)
    add_json(parser)


def _add_contexts(parser: argparse.ArgumentParser, unseen: bool = True) -> None:
    parser.add_argument("--contexts", choices=("mixed", "longest"), help="default: as when it was learned")
    if unseen:
        add_unseen(parser)


def _evaluate(options: argparse.Namespace) -> None:
    model = loaded_model(options)
    begin = time.perf_counter()
    corpus = read_like(model.alphabet, options.text, options)
    score = model.score(corpus)
    seconds = time.perf_counter() - begin
    if options.json:
        result = {
            "bits_per_symbol": score.bits_per_symbol,
            "scored": score.n_scored,
            "skipped": score.n_skipped,
        }
        print_json({**result, "seconds": seconds})
        return
    unit = unit_of_file(options.text, options, model.alphabet)
    skipped = f", {score.n_skipped:,} unseen skipped" if score.n_skipped else ""
    print(f"{score.bits_per_symbol:.4f} {bits(unit)} ({score.n_scored:,} symbols{skipped}, {seconds:.2f} s)")


def _predict(options: argparse.Namespace) -> None:
    model = loaded_model(options)
    context = symbols_of(options.context, model.alphabet, options.unit or unit_of(model.alphabet))
    with argument_named("CONTEXT", "context"):
        probabilities = model.next_symbol_probabilities(context, at_start=not options.middle)
    ranked = [
        {"symbol": label, "probability": float(probabilities[model.alphabet.id(label)])}
        for label in model.rank(context, options.k, at_start=not options.middle)
    ]
    if options.json:
        print_json(ranked)
        return
    for entry in ranked:
        print(f"{entry['probability']:.4f}  {shown(entry['symbol'])}")


def _sample(options: argparse.Namespace) -> None:
    model = loaded_model(options)
    rng = np.random.default_rng(options.seed)
    sentences = (
        as_text(model.sample(rng, max_length=options.max_length), model.alphabet) for _ in range(options.n)
    )
    if options.json:
        print_json(list(sentences))
        return
    for sentence in sentences:
        print(sentence, flush=True)  # a reader that has enough ends it


def loaded_model(options: argparse.Namespace) -> LanguageModel | KneserNeyModel | MixtureModel:
    try:
        model = load_model(options.model)
    except ValueError as error:
        raise UserError(f"{error}; make one with 'hankelmatch learn -o'") from None
    changes = {
        name: value
        for name in ("contexts", "unseen")
        if (value := getattr(options, name, None)) is not None and value != getattr(model, name, None)
    }
    try:
        return model.replace(**changes) if changes else model
    except ValueError as error:
        raise UserError(str(error)) from None
