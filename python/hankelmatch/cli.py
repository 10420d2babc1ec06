"""The command ``hankelmatch``: learn, evaluate, predict, sample, match."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import signal
import stat
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse

from . import __version__
from ._files import checked_target
from .corpus import Alphabet, Corpus, read_spice, read_text, sample_text, split_tokens
from .distributed import count_text, parse_memory, refuse_too_large
from .language_model import LanguageModel
from .learner import BASES, SpectralLearner
from .matching import DulmageMendelsohn, dulmage_mendelsohn, match
from .progress import Progress
from .statistics import SequenceFunction

__all__ = ["main"]

_EXPECTED_ERROR = 2
_INTERRUPTED = 130
_SPLIT_WITHOUT_DEV_AND_TEST = (0.8, 0.1, 0.1)
_SPLIT_WITHOUT_ONE = (0.9, 0.1)

_NO_MATRIX = (ValueError, TypeError, EOFError, OverflowError, OSError, StopIteration, zlib.error)

_FRAME_ARGUMENT = re.compile(r"(end|start)_symbol=('\S*')")  # as the message of read_text names it

# What text is called that has no file.
_SAMPLE = "the help texts of this Python"


class _UserError(Exception):
    """Something that the user can put right; the message is one line that says how."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line without the program's name; by default that of this process.

    Returns
    -------
    int
        Exit status: 0, or 2 after an error in what the user gave (told in a line on the standard error
        stream), 130 after Ctrl-C, 1 if the reader of the output went away.
    """
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        if sys.stdout is not None:  # None: the caller closed it
            sys.stdout.flush()
    except (_UserError, OSError, ValueError, MemoryError, ImportError) as error:
        if isinstance(error, BrokenPipeError):
            return _reader_went_away()
        print(f"hankelmatch: {_one_line(error)}", file=sys.stderr)
        return _EXPECTED_ERROR
    except KeyboardInterrupt:
        print("hankelmatch: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return 0


def _reader_went_away() -> int:
    # Python flushes the stream once more on exit: that must not fail again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _one_line(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return str(error) or "out of memory; try a smaller --max-length or --states"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}; give a file that can be read"
    if isinstance(error, UnicodeEncodeError):
        return (
            f"the output is in {error.encoding}, which has no {error.object[error.start]!a}; "
            "set the environment variable PYTHONIOENCODING to utf-8"
        )
    message = _FRAME_ARGUMENT.sub(r"--\1-label \2", str(error).replace("unseen='skip'", "--unseen skip"))
    return " ".join(message.split())


# ------------------------------------------------------------------------------------------ command line


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hankelmatch",
        description="Maximum bipartite matchings, and weighted automata learned from text with their help.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (_add_learn, _add_evaluate, _add_predict, _add_sample, _add_match):
        add(commands)
    return parser


def _command(commands: Any, name: str, run: Any, summary: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=run)
    return parser


def _add_learn(commands: Any) -> None:
    parser = _command(commands, "learn", _learn, "Learn a weighted automaton from a text and evaluate it.")
    add = parser.add_argument
    add("train", metavar="TRAIN", nargs="?", help=f"text to learn from; without it: {_SAMPLE}")
    add("--dev", metavar="FILE", help="held-out text to choose on; without it a part of TRAIN")
    add("--test", metavar="FILE", help="held-out text to evaluate on; without it a part of TRAIN")
    _add_text_options(parser, "char")
    add(
        "--start-symbol",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="mark beginnings (default)",
    )
    add("--end-label", metavar="LABEL", help="of the end symbol (default: </s>)")
    add("--start-label", metavar="LABEL", help="of the start symbol (default: <s>)")
    add("--max-length", metavar="T", type=_positive, default=5, help="longest substrings (default: 5)")
    add("--min-count", metavar="N", type=_positive, default=1, help="leave out rarer substrings (default: 1)")
    add("--engine", choices=("memory", "dask"), default="memory", help="dask: TRAIN need not fit in memory")
    add("--memory", metavar="SIZE", type=_memory, help="limit for counting substrings, as 2GB")
    add(
        "--states", metavar="N", type=_states, default="auto", help="number, or 'auto': best on dev (default)"
    )
    add("--max-states", metavar="N", type=_positive, help="most states that auto considers")
    add("--basis", choices=BASES, default="matching", help="prefixes and suffixes (default: matching)")
    add("--basis-size", metavar="N", type=_positive, help="for bases that have one: number, or length")
    add("--matching", metavar="METHOD", default="auto", help="matcher: auto, paper, hopcroft-karp, ...")
    add("--contexts", choices=("auto", "mixed", "longest"), default="auto", help="default: best on dev")
    add("--svd", choices=("auto", "dense", "lanczos", "randomized"), default="auto", help="factorisation")
    add("--seed", metavar="N", type=_natural, default=0, help="of all that is drawn at random (default: 0)")
    add("-o", "--output", metavar="MODEL", help="file to save the model to")
    _add_json(parser)


def _add_evaluate(commands: Any) -> None:
    parser = _command(commands, "evaluate", _evaluate, "Tell how well a saved model predicts a text.")
    parser.add_argument("model", metavar="MODEL", help="file that 'hankelmatch learn -o' saved")
    parser.add_argument("text", metavar="TEXT", help="text to predict")
    _add_text_options(parser, None)
    _add_contexts(parser)
    _add_json(parser)


def _add_predict(commands: Any) -> None:
    parser = _command(commands, "predict", _predict, "List the likeliest next symbols after a context.")
    parser.add_argument("model", metavar="MODEL", help="file that 'hankelmatch learn -o' saved")
    parser.add_argument("context", metavar="CONTEXT", help="beginning of a sentence, or of one of its parts")
    parser.add_argument("-k", type=_positive, default=10, help="how many symbols (default: 10)")
    parser.add_argument("--middle", action="store_true", help="CONTEXT is not the beginning of a sentence")
    parser.add_argument("--unit", choices=("char", "token"), help="default: as the model's alphabet tells")
    _add_contexts(parser)
    _add_json(parser)


def _add_sample(commands: Any) -> None:
    parser = _command(commands, "sample", _sample, "Draw random sentences from a saved model.")
    parser.add_argument("model", metavar="MODEL", help="file that 'hankelmatch learn -o' saved")
    parser.add_argument("-n", type=_positive, default=5, help="how many (default: 5)")
    parser.add_argument("--max-length", metavar="N", type=_positive, default=1000, help="cut there")
    parser.add_argument("--seed", metavar="N", type=_natural, help="for the same sentences each time")
    _add_contexts(parser, unseen=False)
    _add_json(parser)


def _add_match(commands: Any) -> None:
    parser = _command(commands, "match", _match, "Find the structural rank of a Matrix Market file.")
    parser.add_argument(
        "matrix", metavar="FILE", help="FILE.mtx or FILE.mtx.gz; stored zeros count as entries"
    )
    parser.add_argument("--method", default="auto", help="auto, augmenting-path, hopcroft-karp, ...")
    parser.add_argument("--dm", action="store_true", help="block triangular form (Dulmage-Mendelsohn) too")
    _add_json(parser)


def _add_text_options(parser: argparse.ArgumentParser, unit: str | None) -> None:
    default = f"default: {unit}" if unit else "default: as the model's alphabet tells"
    add = parser.add_argument
    add("--unit", choices=("char", "token"), default=unit, help=f"what a symbol is ({default})")
    add("--stream", action="store_true", help="a text is one sequence and newlines are symbols of it")
    if unit:
        _add_unseen(parser)


def _add_contexts(parser: argparse.ArgumentParser, unseen: bool = True) -> None:
    parser.add_argument("--contexts", choices=("mixed", "longest"), help="default: as when it was learned")
    if unseen:
        _add_unseen(parser)


def _add_unseen(parser: argparse.ArgumentParser) -> None:
    help_text = "symbols that are not in the model's alphabet: an error (default), or skipped"
    parser.add_argument("--unseen", choices=("error", "skip"), default="error", help=help_text)


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def _memory(text: str) -> int:
    try:
        return parse_memory(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _natural(text: str, least: int = 0) -> int:
    number = int(text)
    if number < least:
        raise argparse.ArgumentTypeError(f"{text} given; {least} or more is needed")
    return number


def _positive(text: str) -> int:
    return _natural(text, 1)


def _states(text: str) -> int | str:
    return text if text == "auto" else _positive(text)


_natural.__name__ = _positive.__name__ = _states.__name__ = (
    "number"  # argparse shows it: "invalid number value"
)


# ------------------------------------------------------------------------------------------------- learn


@dataclass(frozen=True)
class _Texts:
    """The three texts of `learn`, and where each is from."""

    train: Corpus | SequenceFunction
    dev: Corpus
    test: Corpus
    origin: dict[str, str]


def _learn(options: argparse.Namespace) -> None:
    _check_output(options.output)
    progress = Progress(None if options.json else sys.stdout, sys.stderr)
    texts = _read_counted(options, progress) if options.engine == "dask" else _read_texts(options, progress)
    learner = SpectralLearner(
        options.max_length,
        options.states,
        options.basis,
        min_count=options.min_count,
        basis_size=options.basis_size,
        matching_method=options.matching,
        max_states=options.max_states,
        contexts=options.contexts,
        unseen=options.unseen,
        svd=options.svd,
        seed=options.seed,
    )
    learner.fit(texts.train, texts.dev, progress=progress)
    scores = _dev_and_test(learner, texts, options.unit, progress)
    if options.output is not None:
        with progress.stage("model") as stage:
            with _exit_when_ended():
                learner.model_.save(options.output)
            stage.done(f"saved to {options.output}", path=options.output)
    if options.json:
        result = {"texts": texts.origin, "n_states": learner.n_states_, **scores, "stages": learner.report_}
        _print_json(result)
    else:
        _print_hints(learner, options)


def _check_output(path: str | None) -> None:
    """Refuse a place that cannot be written before the work is done, not after."""
    if path is None:
        return
    try:
        checked_target(path)
    except (OSError, ValueError):
        raise _UserError(
            f"{path or '-o'}: no file can be written there; give -o a file in a folder of yours"
        ) from None


@contextlib.contextmanager
def _exit_when_ended() -> Iterator[None]:
    """Let the signals that end a process unwind it, so that no half-written file is left."""

    def leave(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    default = [n for n in (getattr(signal, name) for name in names) if signal.getsignal(n) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        default = []  # only the main thread may say what signals do
    for number in default:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in default:
            signal.signal(number, signal.SIG_DFL)


def _read_texts(options: argparse.Namespace, progress: Progress) -> _Texts:
    with progress.stage("corpus") as stage:
        given = {name: getattr(options, name) for name in ("train", "dev", "test")}
        origin = {name: path for name, path in given.items() if path is not None}
        whole = _read_train(options)
        parts = _hold_out(whole, options.seed, [name for name in ("dev", "test") if given[name] is None])
        for name in ("dev", "test"):
            if given[name] is not None:
                parts[name] = _read_like(whole.alphabet, given[name], options)
            else:
                origin[name] = f"held out of {origin.get('train', _SAMPLE)}"
        origin.setdefault("train", _SAMPLE)
        sizes = {f"{name}_symbols": part.n_symbols for name, part in parts.items()}
        train = parts["train"]
        counts = f"{train.n_sequences:,} sequences, {train.n_symbols:,} symbols"
        stage.done(
            f"{counts}, {len(train.alphabet):,} distinct",
            sequences=train.n_sequences,
            distinct=len(train.alphabet),
            **sizes,
        )
    for name in ("train", "dev", "test"):
        progress.line(f"  {name:<9} {origin[name]}: {parts[name].n_symbols:,} symbols")
    return _Texts(parts["train"], parts["dev"], parts["test"], origin)


def _read_counted(options: argparse.Namespace, progress: Progress) -> _Texts:
    """As _read_texts, for a training text that is counted in parts and never held whole."""
    names = ("train", "dev", "test")
    missing = ["TRAIN" if n == "train" else f"--{n}" for n in names if getattr(options, n) is None]
    if missing:
        raise _UserError(
            f"{' and '.join(missing)}: with --engine dask nothing is held out of a text; "
            f"give a file for {'each' if len(missing) > 1 else 'it'}"
        )
    with progress.stage("corpus") as stage:
        f = count_text(
            options.train,
            options.max_length,
            options.min_count,
            unit=options.unit,
            **_frame(options),
            stream=options.stream,
            engine="dask",
            memory=options.memory,
        )
        dev, test = (_read_like(f.alphabet, path, options) for path in (options.dev, options.test))
        stage.done(
            f"{f.n_sequences or 0:,} sequences, counted by Dask, {len(f.alphabet):,} distinct symbols",
            sequences=f.n_sequences,
            distinct=len(f.alphabet),
            dev_symbols=dev.n_symbols,
            test_symbols=test.n_symbols,
        )
    return _Texts(f, dev, test, {name: getattr(options, name) for name in names})


def _read_train(options: argparse.Namespace) -> Corpus:
    if options.train is not None:
        refuse_too_large(options.train, options.memory)
        frame = _frame(options)
        return read_text(options.train, options.unit, **frame, stream=options.stream)
    if options.memory is not None:
        raise _UserError(f"--memory: {_SAMPLE} are small; leave it out, or give a file as TRAIN")
    if options.unit == "char" and not options.stream:
        frame = {"end_symbol": True} | {k: v for k, v in _frame(options).items() if v is not None}
        return Corpus.from_sequences(sample_text(), **frame)
    raise _UserError(
        "TRAIN: give a file; --unit token and --stream are not for the text that comes with Python"
    )


def _frame(options: argparse.Namespace) -> dict[str, Any]:
    """The end and start symbol as the reader's arguments; a text has an end symbol unless it is a stream."""
    label = options.start_label or True
    return {"end_symbol": options.end_label, "start_symbol": label if options.start_symbol else False}


def _hold_out(whole: Corpus, seed: int, names: list[str]) -> dict[str, Corpus]:
    """The training text without the parts that are to be held out of it, and these."""
    if not names:
        return {"train": whole}
    shares = _SPLIT_WITHOUT_DEV_AND_TEST if len(names) == 2 else _SPLIT_WITHOUT_ONE
    try:
        return dict(zip(["train", *names], whole.split(shares, seed), strict=True))
    except ValueError:
        raise _UserError(
            f"{whole.source}: the text is too small to hold a part out of it; "
            f"give files with {' and '.join('--' + name for name in names)}"
        ) from None


def _dev_and_test(learner: SpectralLearner, texts: _Texts, unit: str, progress: Progress) -> dict[str, float]:
    scores = {}
    for name, text in (("dev", texts.dev), ("test", texts.test)):
        with progress.stage(name) as stage:
            score = learner.model_.score(text)
            skipped = f", {score.n_skipped:,} unseen symbols skipped" if score.n_skipped else ""
            stage.done(
                f"{score.bits_per_symbol:.4f} {_bits(unit)}{skipped}",
                bits_per_symbol=score.bits_per_symbol,
                scored=score.n_scored,
                skipped=score.n_skipped,
            )
        scores[f"{name}_bits_per_symbol"] = score.bits_per_symbol
    return scores


def _bits(unit: str) -> str:
    return "bits per character" if unit == "char" else "bits per symbol"


def _print_hints(learner: SpectralLearner, options: argparse.Namespace) -> None:
    print()
    n_known = learner.svd_.n_states
    is_cut = learner.report_["svd"]["numeric_rank"] is None
    if options.states == "auto" and is_cut and learner.n_states_ == n_known:
        print(
            f"The most states tried were the best: --max-states {2 * n_known} takes longer and may be better."
        )
    if options.output is None:
        sentence = _as_text(learner.model_.sample(options.seed, max_length=120), learner.model_.alphabet)
        print(f"A random sentence: {sentence}")
        print("To keep the model: -o FILE. Then: hankelmatch predict FILE CONTEXT, hankelmatch sample FILE")
    else:
        print(f"Next: hankelmatch predict {options.output} CONTEXT, hankelmatch sample {options.output}")


# ------------------------------------------------------------------------------ evaluate, predict, sample


def _evaluate(options: argparse.Namespace) -> None:
    model = _load(options)
    begin = time.perf_counter()
    corpus = _read_like(model.alphabet, options.text, options)
    score = model.score(corpus)
    seconds = time.perf_counter() - begin
    if options.json:
        result = {
            "bits_per_symbol": score.bits_per_symbol,
            "scored": score.n_scored,
            "skipped": score.n_skipped,
        }
        _print_json({**result, "seconds": seconds})
        return
    unit = options.unit or _unit_of(model.alphabet)
    skipped = f", {score.n_skipped:,} unseen skipped" if score.n_skipped else ""
    print(f"{score.bits_per_symbol:.4f} {_bits(unit)} ({score.n_scored:,} symbols{skipped}, {seconds:.2f} s)")


def _predict(options: argparse.Namespace) -> None:
    model = _load(options)
    context = _symbols_of(options.context, model.alphabet, options.unit or _unit_of(model.alphabet))
    probabilities = model.next_symbol_probabilities(context, at_start=not options.middle)
    ranked = [
        {"symbol": label, "probability": float(probabilities[model.alphabet.id(label)])}
        for label in model.rank(context, options.k, at_start=not options.middle)
    ]
    if options.json:
        _print_json(ranked)
        return
    for entry in ranked:
        print(f"{entry['probability']:.4f}  {_shown(entry['symbol'])}")


def _sample(options: argparse.Namespace) -> None:
    model = _load(options)
    rng = np.random.default_rng(options.seed)
    sequences = [model.sample(rng, max_length=options.max_length) for _ in range(options.n)]
    sentences = [_as_text(sequence, model.alphabet) for sequence in sequences]
    if options.json:
        _print_json(sentences)
        return
    for sentence in sentences:
        print(sentence)


def _load(options: argparse.Namespace) -> LanguageModel:
    try:
        model = LanguageModel.load(options.model)
    except ValueError as error:
        message = str(error).removeprefix("path: ")
        raise _UserError(f"{message}; make one with 'hankelmatch learn -o'") from None
    changes = {
        name: value
        for name in ("contexts", "unseen")
        if (value := getattr(options, name, None)) is not None and value != getattr(model, name)
    }
    return model.replace(**changes) if changes else model


def _read_like(alphabet: Alphabet, path: str, options: argparse.Namespace) -> Corpus:
    """A text of its own, of which every symbol is in `alphabet` if that is asked for."""
    end, start = (_label_or_false(label) for label in (alphabet.end_symbol, alphabet.start_symbol))
    unit = options.unit
    if unit is None and _is_numeric(alphabet):
        corpus = read_spice(path, end, start)
    else:
        stream = options.stream or (unit is None and "\n" in alphabet)
        unit = unit or _unit_of(alphabet)
        corpus = read_text(path, unit, end, start, stream=stream)
        if options.unit is None and unit == "char" and " " in corpus.alphabet and " " not in alphabet:
            corpus = read_text(path, "token", end, start, stream=stream)
    if options.unseen == "error":
        _refuse_unseen(alphabet, corpus)
    return corpus


def _label_or_false(label: Hashable | None) -> Hashable:
    return False if label is None else label


def _refuse_unseen(alphabet: Alphabet, corpus: Corpus) -> None:
    unseen = [label for label in corpus.alphabet.labels if label not in alphabet]
    if not unseen:
        return
    ids = corpus.alphabet.encode([unseen])[0]
    place = int(np.flatnonzero(np.isin(corpus.symbols, ids))[0])
    label = corpus.alphabet.labels[corpus.symbols[place]]
    more = f" ({len(unseen)} symbols are not)" if len(unseen) > 1 else ""
    raise _UserError(
        f"{corpus.source}: line {_line_at(corpus, place)}: {label!r} is not in the alphabet of the training "
        f"text{more}; remove it, or use --unseen skip"
    )


def _line_at(corpus: Corpus, place: int) -> int:
    """Number of the line of the file where a symbol of the corpus stands."""
    if "\n" in corpus.alphabet:
        return 1 + int(np.count_nonzero(corpus.symbols[:place] == corpus.alphabet.id("\n")))
    header = 1 if _is_numeric(corpus.alphabet) else 0
    return header + int(np.searchsorted(corpus.offsets, place, side="right"))


# ------------------------------------------------------------------------------------- symbols and texts


def _own_labels(alphabet: Alphabet) -> list[Hashable]:
    """All labels but those of the end and start symbol."""
    return [x for x in alphabet.labels if x not in (alphabet.end_symbol, alphabet.start_symbol)]


def _is_numeric(alphabet: Alphabet) -> bool:
    return all(isinstance(label, int) for label in _own_labels(alphabet))


def _unit_of(alphabet: Alphabet) -> str:
    """Whether the symbols look like characters or like tokens."""
    single = all(isinstance(label, str) and len(label) == 1 for label in _own_labels(alphabet))
    return "char" if single else "token"


def _symbols_of(text: str, alphabet: Alphabet, unit: str) -> Sequence[Hashable]:
    if unit == "char" and (" " not in text or " " in alphabet):
        return text
    try:
        words = split_tokens(text, newlines="\n" in alphabet)
    except ValueError as error:
        raise _UserError(f"CONTEXT: {error}; give it in UTF-8") from None
    numbers = {str(label): label for label in alphabet.labels if isinstance(label, int)}
    return [numbers.get(word, word) for word in words]


def _as_text(symbols: Sequence[Hashable], alphabet: Alphabet) -> str:
    """A sequence as one would write it, without its end symbol."""
    ended = symbols[:-1] if symbols and symbols[-1] == alphabet.end_symbol else symbols
    return ("" if _unit_of(alphabet) == "char" else " ").join(map(str, ended))


def _shown(label: Hashable) -> str:
    text = str(label)
    return text if text.isprintable() and text.strip() else repr(label)


# ------------------------------------------------------------------------------------------------- match


def _match(options: argparse.Namespace) -> None:
    try:
        _find_structural_rank(options)
    except MemoryError:
        raise _UserError(
            f"{options.matrix}: the matrix does not fit into memory; a smaller one is needed, or a machine "
            "with some 50 bytes for each row, column and entry"
        ) from None


def _find_structural_rank(options: argparse.Namespace) -> None:
    progress = Progress(None if options.json else sys.stdout, sys.stderr)
    with progress.stage("matrix") as stage:
        matrix = _read_matrix(options.matrix)
        (n_rows, n_columns), n_entries = matrix.shape, int(matrix.nnz)
        text = f"{n_rows:,} rows, {n_columns:,} columns, {n_entries:,} entries"
        stage.done(text, rows=n_rows, columns=n_columns, entries=n_entries)
    with progress.stage("matching") as stage:
        matching = match(matrix, method=options.method)
        stage.done(f"{matching.size:,} pairs = structural rank", structural_rank=matching.size)
    with progress.stage("certificate") as stage:
        n_cover = sum(map(len, matching.minimum_vertex_cover()))
        stage.done(
            f"a vertex cover of {n_cover:,} rows and columns: no matching is larger", vertex_cover=n_cover
        )
    if options.dm:
        with progress.stage("blocks") as stage:
            form = dulmage_mendelsohn(matrix, options.method)
            stage.done(_form_text(form), decomposition=_form_lists(form))
    if options.json:
        sizes = {name: value for stages in progress.report.values() for name, value in stages.items()}
        seconds = {name: stages["seconds"] for name, stages in progress.report.items()}
        _print_json({**sizes, "seconds": seconds})


def _form_text(form: DulmageMendelsohn) -> str:
    r, c = form.row_parts, form.col_parts
    wide, square, tall = (r[1], c[2]), (r[2] - r[1], c[3] - c[2]), (r[4] - r[2], c[4] - c[3])
    n_irreducible = form.n_blocks - (sum(wide) > 0) - (sum(tall) > 0)
    square_text = f"square {square[0]:,} in {n_irreducible:,} irreducible blocks"
    return f"wide {wide[0]:,} x {wide[1]:,}, {square_text}, tall {tall[0]:,} x {tall[1]:,}"


def _form_lists(form: DulmageMendelsohn) -> dict[str, list[int]]:
    names = ("row_order", "col_order", "row_parts", "col_parts", "row_blocks", "col_blocks")
    return {name: getattr(form, name).tolist() for name in names}


def _read_matrix(path: str) -> Any:
    """The matrix as a CSR array; explicit zeros stay entries."""
    with open(path, "rb") as file:  # for the plain error of a file that cannot be read
        is_pipe = stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
        source = io.BytesIO(file.read()) if is_pipe else path  # scipy reads a file's beginning twice
        if not is_pipe and not file.read(1):
            raise _UserError(f"{path}: the file is empty; give a Matrix Market file")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            matrix = scipy.io.mmread(source)
    except _NO_MATRIX as error:
        raise _UserError(f"{path}: {_one_line(error)}; give a Matrix Market file") from None
    if not scipy.sparse.issparse(matrix):
        matrix = scipy.sparse.coo_array(matrix)
    return scipy.sparse.csr_array(matrix)


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main())
