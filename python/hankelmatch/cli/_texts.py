"""Texts on the command line: their options, reading them, and what their symbols look like."""

import argparse
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._utils.deprecation import RenamedOption
from .._utils.progress import Progress
from ..counting.sequence_function import SequenceFunction
from ..counting.with_dask import count_text, refuse_too_large
from ..interop.abbadingo import read_abbadingo
from ..interop.spice import read_spice
from ..matching.maximum import HANKEL_METHODS
from ..sequences._number_formats import NAMES, number_format
from ..sequences.alphabet import Alphabet
from ..sequences.corpus import Corpus, read_text, split_tokens
from ..sequences.sample import sample_text
from ._common import UserError, memory, positive

# What text is called that has no file.
SAMPLE = "the help texts of this Python"

_LOOKED_AT = 1 << 20  # bytes of a file, to recognise its format
_SPLIT_WITHOUT_DEV_AND_TEST = (0.8, 0.1, 0.1)
_SPLIT_WITHOUT_ONE = (0.9, 0.1)


def add_text_options(parser: argparse.ArgumentParser, unit: str | None) -> None:
    default = f"default: {unit}" if unit else "default: by the model's alphabet"
    add = parser.add_argument
    add("--unit", choices=("char", "token"), default=unit, help=f"what a symbol is ({default})")
    add("--stream", action="store_true", help="a text is one sequence and newlines are symbols of it")
    add("--marked", action="store_true", help="lines have <s> and </s> already: take them off first")
    add(
        "--format",
        choices=("auto", "text", *NAMES),
        default="auto",
        help="of the files; auto: SPiCe's (and PAutomaC's) and Abbadingo's are recognised (default)",
    )


def add_counting_options(parser: argparse.ArgumentParser) -> None:
    """The options that decide how a text is counted, and the counts matched."""
    add_text_options(parser, "char")
    add = parser.add_argument
    add(
        "--start-symbol",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="mark beginnings (default)",
    )
    add("--end-label", metavar="LABEL", help="of the end symbol (default: </s>)")
    add("--start-label", metavar="LABEL", help="of the start symbol (default: <s>)")
    add("--max-length", metavar="T", type=positive, default=5, help="longest substrings (default: 5)")
    add("--min-count", metavar="N", type=positive, default=1, help="leave out rarer substrings (default: 1)")
    add("--memory", metavar="SIZE", type=memory, help="limit for counting substrings, as 2GB")
    add("--method", choices=HANKEL_METHODS, default="heavy", help="which matcher (default: heavy)")
    add("--matching", choices=HANKEL_METHODS, dest="method", action=RenamedOption, help=argparse.SUPPRESS)


def add_unseen(parser: argparse.ArgumentParser) -> None:
    help_text = "symbols that are not in the model's alphabet: an error (default), or skipped"
    parser.add_argument("--unseen", choices=("error", "skip"), default="error", help=help_text)


@dataclass(frozen=True)
class Texts:
    """The texts of `learn`, and where each is from."""

    train: Corpus | SequenceFunction
    dev: Corpus
    test: Corpus | None  # where none is asked for
    origin: dict[str, str]
    with_dev: Corpus | None = None  # train and dev, where dev was held out of train


def read_texts(options: argparse.Namespace, progress: Progress) -> Texts:
    with progress.stage("corpus") as stage:
        given = {name: getattr(options, name) for name in ("train", "dev", "test")}
        origin = {name: path for name, path in given.items() if path is not None}
        whole = read_train(options)
        parts = _hold_out(whole, options.seed, [name for name in ("dev", "test") if given[name] is None])
        for name in ("dev", "test"):
            if given[name] is not None:
                parts[name] = read_like(whole.alphabet, given[name], options)
            else:
                origin[name] = f"held out of {origin.get('train', SAMPLE)}"
        origin.setdefault("train", SAMPLE)
        sizes = {name: n_predicted(part) for name, part in parts.items()}
        train = parts["train"]
        kind = "text" if options.train is None else format_of(options.train, options)
        read_as = "" if kind == "text" else f", read as {NAMES[kind]}"
        stage.done(
            f"{train.n_sequences:,} sequences, {sizes['train']:,} symbols, "
            f"{len(train.alphabet):,} distinct{read_as}",
            sequences=train.n_sequences,
            distinct=len(train.alphabet),
            format=kind,
            **{f"{name}_symbols": size for name, size in sizes.items()},
        )
    for name in ("train", "dev", "test"):
        progress.line(f"  {name:<9} {origin[name]}: {sizes[name]:,} symbols")
    with_dev = None if given["dev"] is not None else _joined(parts["train"], parts["dev"])
    return Texts(parts["train"], parts["dev"], parts["test"], origin, with_dev)


def read_counted(options: argparse.Namespace, progress: Progress, with_test: bool) -> Texts:
    """As read_texts, for a training text that is counted in parts and never held whole."""
    names = ("train", "dev", "test") if with_test else ("train", "dev")
    missing = ["TRAIN" if n == "train" else f"--{n}" for n in names if getattr(options, n) is None]
    if missing:
        raise UserError(
            f"{' and '.join(missing)}: with --engine dask nothing is held out of a text; "
            f"give a file for {'each' if len(missing) > 1 else 'it'}"
        )
    if options.marked or format_of(options.train, options) != "text":
        raise UserError(
            f"{options.train}: with --engine dask lines of plain text are counted, not those of SPiCe or "
            "Abbadingo nor --marked ones; leave --engine out"
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
        held_out = {name: read_like(f.alphabet, getattr(options, name), options) for name in names[1:]}
        stage.done(
            f"{f.n_sequences or 0:,} sequences, counted by Dask, {len(f.alphabet):,} distinct symbols",
            sequences=f.n_sequences,
            distinct=len(f.alphabet),
            **{f"{name}_symbols": n_predicted(part) for name, part in held_out.items()},
        )
    origin = {name: getattr(options, name) for name in names}
    return Texts(f, held_out["dev"], held_out.get("test"), origin)


def read_train(options: argparse.Namespace) -> Corpus:
    if options.train is not None:
        refuse_too_large(options.train, options.memory)
        return _read(options.train, options.unit, options, **_frame(options))
    if options.memory is not None:
        raise UserError(f"--memory: {SAMPLE} are small; leave it out, or give a file as TRAIN")
    if options.unit == "char" and not options.stream:
        frame = {"end_symbol": True} | {k: v for k, v in _frame(options).items() if v is not None}
        return Corpus.from_sequences(sample_text(), **frame)
    raise UserError(
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
        raise UserError(
            f"{whole.source}: the text is too small to hold a part out of it; "
            f"give files with {' and '.join('--' + name for name in names)}"
        ) from None


def n_predicted(corpus: Corpus) -> int:
    """Number of symbols to predict: all but start symbols."""
    start = corpus.alphabet.start_id
    return corpus.n_symbols - (0 if start is None else int(np.count_nonzero(corpus.symbols == start)))


def format_of(path: str, options: argparse.Namespace) -> str:
    """The format asked for, or what the file looks like: "text", "spice" or "abbadingo"."""
    if options.format != "auto":
        return str(options.format)
    if options.stream:
        return "text"
    with open(path, "rb") as file:
        # A pipe can be read once only.
        return (number_format(file.read(_LOOKED_AT)) if file.seekable() else None) or "text"


def _read(path: str, unit: str, options: argparse.Namespace, **frame: Any) -> Corpus:
    kind = format_of(path, options)
    if kind == "spice":
        return read_spice(path, **frame)
    if kind == "abbadingo":
        return _accepted(*read_abbadingo(path, **frame))
    return read_text(path, unit, **frame, stream=options.stream, marked=options.marked)


def _accepted(corpus: Corpus, classes: Sequence[Hashable]) -> Corpus:
    """The sequences of class 1, or all if there are none of it."""
    places = [place for place, kind in enumerate(classes) if kind == 1]
    return corpus.take(places) if places else corpus


def _joined(first: Corpus, second: Corpus) -> Corpus:
    """Two parts of a corpus; those of a single sequence are pieces of it, one after the other."""
    symbols = np.concatenate([first.symbols, second.symbols])
    offsets = np.concatenate([first.offsets, second.offsets[1:] + first.n_symbols])
    is_stream = len(first) == len(second) == 1
    return Corpus(symbols, offsets[[0, -1]] if is_stream else offsets, first.alphabet, source=first.source)


def read_like(alphabet: Alphabet, path: str, options: argparse.Namespace) -> Corpus:
    """A text of its own, of which every symbol is in `alphabet` if that is asked for."""
    end, start = (_label_or_false(label) for label in (alphabet.end_symbol, alphabet.start_symbol))
    frame = {"end_symbol": end, "start_symbol": start}
    unit = options.unit
    kind = format_of(path, options)
    if kind != "text":
        corpus = _read(path, "token", options, **frame)
    elif unit is None and _is_numeric(alphabet):
        corpus = read_spice(path, end, start)
    else:
        stream = options.stream or (unit is None and "\n" in alphabet)
        unit = unit or unit_of(alphabet)
        reading = {**frame, "stream": stream, "marked": options.marked}
        corpus = read_text(path, unit, **reading)
        if options.unit is None and unit == "char" and " " in corpus.alphabet and " " not in alphabet:
            corpus = read_text(path, "token", **reading)
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
    raise UserError(
        f"{corpus.source}: line {_line_at(corpus, place)}: {label!r} is not in the alphabet of the training "
        f"text{more}; remove it, or use --unseen skip"
    )


def _line_at(corpus: Corpus, place: int) -> int:
    """Number of the line of the file where a symbol of the corpus stands."""
    if "\n" in corpus.alphabet:
        return 1 + int(np.count_nonzero(corpus.symbols[:place] == corpus.alphabet.id("\n")))
    header = 1 if _is_numeric(corpus.alphabet) else 0
    return header + int(np.searchsorted(corpus.offsets, place, side="right"))


def _own_labels(alphabet: Alphabet) -> list[Hashable]:
    """All labels but those of the end and start symbol."""
    return [x for x in alphabet.labels if x not in (alphabet.end_symbol, alphabet.start_symbol)]


def _is_numeric(alphabet: Alphabet) -> bool:
    return all(isinstance(label, int) for label in _own_labels(alphabet))


def unit_of(alphabet: Alphabet) -> str:
    """Whether the symbols look like characters or like tokens."""
    single = all(isinstance(label, str) and len(label) == 1 for label in _own_labels(alphabet))
    return "char" if single else "token"


def symbols_of(text: str, alphabet: Alphabet, unit: str) -> Sequence[Hashable]:
    if unit == "char" and (" " not in text or " " in alphabet):
        return text
    try:
        words = split_tokens(text, newlines="\n" in alphabet)
    except ValueError as error:
        raise UserError(f"CONTEXT: {error}; give it in UTF-8") from None
    numbers = {str(label): label for label in alphabet.labels if isinstance(label, int)}
    return [numbers.get(word, word) for word in words]


def as_text(symbols: Sequence[Hashable], alphabet: Alphabet) -> str:
    """A sequence as one would write it, without its end symbol."""
    ended = symbols[:-1] if symbols and symbols[-1] == alphabet.end_symbol else symbols
    return ("" if unit_of(alphabet) == "char" else " ").join(map(str, ended))


def shown(label: Hashable) -> str:
    text = str(label)
    return text if text.isprintable() and text.strip() else repr(label)


def bits(unit: str) -> str:
    return "bits per character" if unit == "char" else "bits per symbol"
