"""What all sub-commands share: their parsers, their errors, what they print and where they save."""

import argparse
import contextlib
import json
import math
import os
import re
import signal
import threading
from collections.abc import Iterator
from typing import Any

from .._utils.files import check_writable
from ..counting.with_dask import USE_DASK, parse_memory
from ..prediction._events import SKIP_UNSEEN
from ..sequences._text_checks import MARKED
from ..sequences.alphabet import AS_LABELS, AS_TEXT

_FRAME_ARGUMENT = re.compile(r"(end|start)_symbol=('\S*')")  # as the message of read_text names it

# Arguments that messages begin with, and the options that they come from; paths have names of their own.
_ARGUMENTS = {
    "path: ": "",
    "end_symbol: ": "--end-label: ",
    "start_symbol: ": "--start-label: ",
    "memory: ": "--memory: ",
}

# What messages offer to who calls from Python, and what the command has for it.
_REMEDIES = {
    SKIP_UNSEEN: "--unseen skip",
    MARKED: "give --marked",
    AS_LABELS: "give --unit token",
    AS_TEXT: "give --unit char",
    USE_DASK: "give --engine dask",
}


class UserError(Exception):
    """Something that the user can put right; the message is one line that says how."""


def one_line(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return str(error) or "out of memory; try a smaller --max-length or --states"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}; give a file that can be read"
    if isinstance(error, UnicodeEncodeError):
        return (
            f"the output is in {error.encoding}, which has no {error.object[error.start]!a}; "
            "set the environment variable PYTHONIOENCODING to utf-8"
        )
    message = str(error)
    for argument, option in _ARGUMENTS.items():
        if message.startswith(argument):
            message = option + message.removeprefix(argument)
    for remedy, option in _REMEDIES.items():
        message = message.replace(remedy, option)
    message = _FRAME_ARGUMENT.sub(r"--\1-label \2", message)
    return " ".join(message.split())


def command(commands: Any, name: str, run: Any, summary: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=run)
    return parser


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def memory(text: str) -> int:
    try:
        return parse_memory(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def natural(text: str, least: int = 0) -> int:
    number = int(text)
    if number < least:
        raise argparse.ArgumentTypeError(f"{text} given; {least} or more is needed")
    return number


def positive(text: str) -> int:
    return natural(text, 1)


def states(text: str) -> int | str:
    return text if text == "auto" else positive(text)


def occurrences(text: str) -> float | str:
    if text == "auto":
        return text
    number = float(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} given; 'auto', or a finite number from 0 is needed")
    return number


def seconds(text: str) -> float:
    number = float(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} given; a finite number from 0 is needed")
    return number


# argparse shows it: "invalid number value".
for _kind in (natural, positive, states, occurrences, seconds):
    _kind.__name__ = "number"


def check_output(options: argparse.Namespace) -> None:
    """Refuse a place that cannot be written, or that is read, before the work is done, not after."""
    path: str | None = options.output
    if path is None:
        return
    for name in ("train", "dev", "test", "model", "matrix"):
        source = getattr(options, name, None)
        if source is not None and _is_same_file(source, path):
            raise UserError(f"{path}: this file is read, and would be lost; give -o another one")
    try:
        check_writable(path)
    except (OSError, ValueError):
        raise UserError(
            f"{path or '-o'}: no file can be written there; give -o a file in a folder of yours"
        ) from None


def _is_same_file(a: str, b: str) -> bool:
    return os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b)


@contextlib.contextmanager
def exit_when_ended() -> Iterator[None]:
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


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))
