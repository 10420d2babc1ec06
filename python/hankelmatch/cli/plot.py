"""``hankelmatch plot``: pictures of the matching, the singular values, the states, an automaton."""

import argparse
import sys
from typing import Any

from .._utils.progress import Progress
from ..automata.automaton import WeightedAutomaton
from ..automata.svd import truncated_svd
from ..counting.in_memory import substring_expectations
from ..counting.sequence_function import SequenceFunction
from ..hankel.basis import matching_basis
from ..hankel.blocks import hankel_blocks
from ..hankel.graph import PrefixSuffixGraph, prefix_suffix_graph
from ..matching.maximum import Matching, match
from ..plot.automaton import plot_automaton
from ..plot.curves import plot_singular_values, plot_states
from ..plot.figure import checked_picture, save_figure
from ..plot.matching import plot_matching
from ..prediction.language_model import LanguageModel
from ..prediction.mixtures.mixture import MixtureModel
from ..prediction.mixtures.n_grams import KneserNeyModel
from ._common import (
    UserError,
    add_json,
    check_output,
    command,
    exit_when_ended,
    natural,
    positive,
    print_json,
)
from ._texts import SAMPLE, add_counting_options, read_train
from .learn import add_learning_options, fit
from .model import loaded_model

_SINGULAR_VALUES = 200


def add_plot(commands: Any) -> None:
    summary = "Draw the matching, the singular values, the states tried, or an automaton."
    kinds = commands.add_parser("plot", help=summary, description=summary).add_subparsers(
        title="pictures", metavar="PICTURE", required=True
    )
    for add in (_add_matching, _add_singular_values, _add_states, _add_automaton):
        add(kinds)


def _add_matching(kinds: Any) -> None:
    parser = command(kinds, "matching", _matching, "Draw the Hankel matrix with a maximum matching in it.")
    _add_text(parser)
    parser.add_argument(
        "--whole",
        action=argparse.BooleanOptionalAction,
        help="all rows and columns, not the matched ones alone (default: where there are few)",
    )
    parser.add_argument("--diagonal", action="store_true", help="put the matched entries on the diagonal")
    _add_output(parser)


def _add_singular_values(kinds: Any) -> None:
    summary = "Draw the singular values of the block of the matching and of the whole Hankel matrix."
    parser = command(kinds, "singular-values", _singular_values, summary)
    _add_text(parser)
    parser.add_argument(
        "-n",
        metavar="N",
        type=positive,
        default=_SINGULAR_VALUES,
        help=f"how many of each (default: {_SINGULAR_VALUES})",
    )
    parser.add_argument("--seed", metavar="N", type=natural, default=0, help="of the factorisation's start")
    _add_output(parser)


def _add_states(kinds: Any) -> None:
    summary = "Learn as 'hankelmatch learn' does, and draw bits per symbol against the number of states."
    parser = command(kinds, "states", _states, summary)
    add_learning_options(parser)
    _add_output(parser)


def _add_automaton(kinds: Any) -> None:
    parser = command(kinds, "automaton", _automaton, "Draw the automaton of a saved model as a graph.")
    parser.add_argument("model", metavar="MODEL", help="file that 'hankelmatch learn -o' saved")
    parser.add_argument("--max-states", metavar="N", type=positive, default=8, help="first ones (default: 8)")
    parser.add_argument("--max-arrows", metavar="N", type=positive, default=24, help="default: 24")
    _add_output(parser)


def _add_text(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("train", metavar="TEXT", nargs="?", help=f"text to count; without it: {SAMPLE}")
    add_counting_options(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="FILE.png or FILE.svg")
    add_json(parser)


def _matching(options: argparse.Namespace) -> None:
    progress = _begin(options)
    _, graph, matching = _match(options, progress)
    figure = plot_matching(graph, matching, whole=options.whole, diagonal=options.diagonal)
    _finish(figure, options, progress)


def _singular_values(options: argparse.Namespace) -> None:
    progress = _begin(options)
    f, graph, matching = _match(options, progress)
    block = hankel_blocks(f, matching_basis(graph, matching=matching), graph=graph).H
    values = {}
    for name, matrix in (("block", block), ("whole matrix", graph.to_csr(weighted=True))):
        with progress.stage(name) as stage:
            svd = truncated_svd(matrix, options.n, seed=options.seed)
            rows, columns = matrix.shape
            values[f"{name}, {rows:,} \u00d7 {columns:,}"] = svd
            found = svd.singular_values.tolist()
            stage.done(f"{len(found):,} singular values ({svd.method})", singular_values=found)
    _finish(plot_singular_values(values), options, progress)


def _states(options: argparse.Namespace) -> None:
    progress = _begin(options)
    learner, _ = fit(options, progress, with_test=False)
    _finish(plot_states(learner), options, progress)


def _automaton(options: argparse.Namespace) -> None:
    progress = _begin(options)
    automaton = _automaton_of(loaded_model(options))
    figure = plot_automaton(automaton, max_states=options.max_states, max_arrows=options.max_arrows)
    _finish(figure, options, progress)


def _automaton_of(model: LanguageModel | KneserNeyModel | MixtureModel) -> WeightedAutomaton:
    """The automaton of a model, the first of a mixture's."""
    for part in model.models if isinstance(model, MixtureModel) else [model]:
        if isinstance(part, LanguageModel):
            return part.automaton
    raise UserError("MODEL: it has no automaton; give a file that 'hankelmatch learn -o' saved")


def _begin(options: argparse.Namespace) -> Progress:
    """Refuse a picture that cannot be written before the work is done, not after."""
    check_output(options)
    checked_picture(options.output)
    return Progress(None if options.json else sys.stdout, sys.stderr)


def _match(
    options: argparse.Namespace, progress: Progress
) -> tuple[SequenceFunction, PrefixSuffixGraph, Matching]:
    with progress.stage("substrings") as stage:
        f = substring_expectations(read_train(options), options.max_length, options.min_count)
        stage.done(f"{len(f):,} distinct of length 0 to {options.max_length}", substrings=len(f))
    with progress.stage("matching") as stage:
        graph = prefix_suffix_graph(f)
        matching = match(graph, method=options.method)
        stage.done(f"{matching.size:,} pairs of {graph.n_edges:,}", size=matching.size, edges=graph.n_edges)
    return f, graph, matching


def _finish(figure: Any, options: argparse.Namespace, progress: Progress) -> None:
    with progress.stage("picture") as stage:
        with exit_when_ended():
            save_figure(figure, options.output)
        stage.done(f"saved to {options.output}", path=options.output)
    if options.json:
        print_json({"path": options.output, "stages": progress.report})
