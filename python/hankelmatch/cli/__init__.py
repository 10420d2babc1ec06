"""The command ``hankelmatch``: learn, evaluate, predict, sample, match, plot."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from .. import __version__
from .._utils.interruptible import calls_go_on
from ._common import UserError, one_line
from .learn import add_learn
from .match import add_match
from .model import add_evaluate, add_predict, add_sample
from .plot import add_plot

__all__ = ["main", "run"]

_EXPECTED_ERROR = 2
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line without the program's name; by default that of this process.

    Returns
    -------
    int
        Exit status: 0, or 2 after a user's error (reported in a line on the standard error stream), 130 after
        Ctrl-C, 1 if the reader of the output went away.
    """
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        if sys.stdout is not None:  # None: the caller closed it
            sys.stdout.flush()
    except (UserError, OSError, ValueError, MemoryError, ImportError) as error:
        if isinstance(error, BrokenPipeError):
            return _reader_went_away()
        if sys.flags.dev_mode:
            raise
        print(f"hankelmatch: {one_line(error)}", file=sys.stderr)
        return _EXPECTED_ERROR
    except KeyboardInterrupt:
        print("hankelmatch: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return 0


def run() -> int:
    """`main` as the program: after Ctrl-C it ends by the signal rather than wait for a call of LAPACK."""
    status = main()
    if status == _INTERRUPTED and calls_go_on():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
    return status


def _reader_went_away() -> int:
    # Python flushes the stream once more on exit: that must not fail again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hankelmatch",
        description="Maximum bipartite matchings, and weighted automata learned from text with their help.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (add_learn, add_evaluate, add_predict, add_sample, add_match, add_plot):
        add(commands)
    return parser
