"""Texts on the command line: their options, reading them, and what their symbols look like."""

import argparse
import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._utils.deprecation import RenamedOption
from .._utils.progress import Progress
from ..counting.sequence_function import SequenceFunction
from ..counting.with_dask import count_text, refuse_too_large
from ..interop.abbadingo import own_sample
from ..interop.spice import read_spice
from ..matching.maximum import HANKEL_METHODS
from ..sequences._number_formats import NAMES, number_format
from ..sequences._text_checks import read_bytes
from ..sequences.alphabet import Alphabet, has_characters, number_labels
from ..sequences.corpus import Corpus, read_text, split_tokens, text_corpus
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
        return _read(options.train, options, None, **_frame(options)).corpus
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
    if not os.path.isfile(path):  # a pipe can be read once only
        return "text"
    with open(path, "rb") as file:
        return number_format(file.read(_LOOKED_AT)) or "text"


def unit_of_file(path: str | None, options: argparse.Namespace, alphabet: Alphabet) -> str:
    """What a symbol of a text is: as asked for, or as labels look like. Those of other formats are tokens."""
    is_text = path is None or format_of(path, options) == "text"
    return (options.unit or unit_of(alphabet)) if is_text else "token"


class _FromFile(NamedTuple):
    """What was read of a file, and the number of the line where each sequence begins."""

    corpus: Corpus
    lines: NDArray[np.int64]


def _read(path: str, options: argparse.Namespace, alphabet: Alphabet | None, **frame: Any) -> _FromFile:
    """A file as it is; with labels like those of an alphabet, if any."""
    kind = format_of(path, options)
    if kind == "abbadingo":
        return _accepted(*own_sample(path, **frame, alphabet=alphabet))
    if kind == "spice":
        return _numbered(read_spice(path, **frame), 2)
    if alphabet is None:
        reading = {"stream": options.stream, "marked": options.marked}
        return _numbered(read_text(path, options.unit, **frame, **reading), 1)
    if options.unit is None and _is_numeric(alphabet):
        return _numbered(read_spice(path, **frame), 2)
    return _numbered(_text_like(alphabet, path, options), 1)


def _numbered(corpus: Corpus, first_line: int) -> _FromFile:
    return _FromFile(corpus, np.arange(len(corpus)) + first_line)


def _accepted(corpus: Corpus, classes: Sequence[Hashable]) -> _FromFile:
    """The sequences of class 1, or all if there are none of it."""
    whole = _numbered(corpus, 2)
    places = [place for place, kind in enumerate(classes) if kind == 1]
    return _FromFile(corpus.take(places), whole.lines[places]) if places else whole


def _text_like(alphabet: Alphabet, path: str, options: argparse.Namespace) -> Corpus:
    """A text whose unit, if none is asked for, is that of an alphabet's labels."""
    data = read_bytes(path)
    stream = options.stream or (options.unit is None and "\n" in alphabet)

    def read_by(unit: str) -> Corpus:
        frame = (alphabet.end_symbol, alphabet.start_symbol)
        return text_corpus(path, data, unit, frame, stream=stream, marked=options.marked)

    unit = options.unit or unit_of(alphabet)
    corpus = read_by(unit)
    if options.unit is None and unit == "char" and " " in corpus.alphabet and " " not in alphabet:
        return read_by("token")
    return corpus


def _joined(first: Corpus, second: Corpus) -> Corpus:
    """Two parts of a corpus; those of a single sequence are pieces of it, one after the other."""
    symbols = np.concatenate([first.symbols, second.symbols])
    offsets = np.concatenate([first.offsets, second.offsets[1:] + first.n_symbols])
    is_stream = len(first) == len(second) == 1
    return Corpus(symbols, offsets[[0, -1]] if is_stream else offsets, first.alphabet, source=first.source)


def read_like(alphabet: Alphabet, path: str, options: argparse.Namespace) -> Corpus:
    """A text of its own, of which every symbol is in `alphabet` if that is asked for."""
    end, start = (_label_or_false(label) for label in (alphabet.end_symbol, alphabet.start_symbol))
    read = _read(path, options, alphabet, end_symbol=end, start_symbol=start)
    if options.unseen == "error":
        _refuse_unseen(alphabet, read)
    return read.corpus


def _label_or_false(label: Hashable | None) -> Hashable:
    return False if label is None else label


def _refuse_unseen(alphabet: Alphabet, read: _FromFile) -> None:
    corpus = read.corpus
    ids = [i for i, label in enumerate(corpus.alphabet.labels) if label not in alphabet]
    places = np.flatnonzero(np.isin(corpus.symbols, ids))
    if not places.size:
        return
    label = corpus.alphabet.labels[corpus.symbols[places[0]]]
    n_unseen = np.unique(corpus.symbols[places]).size
    more = f" ({n_unseen} symbols are not)" if n_unseen > 1 else ""
    raise UserError(
        f"{corpus.source}: line {_line_at(read, int(places[0]))}: {label!r} is not in the alphabet of the "
        f"training text{more}; remove it, or use --unseen skip"
    )


def _line_at(read: _FromFile, place: int) -> int:
    """Number of the line of the file where a symbol of the corpus stands."""
    corpus = read.corpus
    sequence = int(np.searchsorted(corpus.offsets, place, side="right")) - 1
    newline = corpus.alphabet.get("\n")
    before = corpus.symbols[corpus.offsets[sequence] : place]
    return int(read.lines[sequence]) + (np.count_nonzero(before == newline) if newline >= 0 else 0)


def _is_numeric(alphabet: Alphabet) -> bool:
    """Whether all labels but those of the end and start symbol are numbers."""
    frame = (alphabet.end_symbol, alphabet.start_symbol)
    return all(isinstance(label, int) for label in alphabet.labels if label not in frame)


def unit_of(alphabet: Alphabet) -> str:
    """Whether the symbols look like characters or like tokens."""
    return "char" if has_characters(alphabet) else "token"


def symbols_of(text: str, alphabet: Alphabet, unit: str) -> Sequence[Hashable]:
    if unit == "char" and (" " not in text or " " in alphabet):
        return text
    try:
        words = split_tokens(text, newlines="\n" in alphabet)
    except ValueError as error:
        raise UserError(f"CONTEXT: {error}; give it in UTF-8") from None
    numbers = number_labels(alphabet)
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
