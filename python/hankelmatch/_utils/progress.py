"""Progress reports of long work: a line for each finished stage, and a passing one on a terminal."""

from __future__ import annotations

import contextlib
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, TextIO

_NAME_WIDTH = 11
_TEXT_WIDTH = 66
_ERASE_LINE = "\r\x1b[K"
_TICK = 1.0  # seconds between two signs of life


class Stage:
    """One stage of the work, while it runs."""

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress = progress
        self._name = name
        self._state = f"{name} ..."
        self._begin = time.perf_counter()
        self.text = ""
        self.sizes: dict[str, Any] = {}

    def show(self, text: str) -> None:
        """Show how far the stage is, on a terminal only, until the next call or the end of the stage."""
        self._state = f"{self._name}: {text}"
        self._progress._show(self._state)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.perf_counter() - self._begin

    def done(self, text: str, **sizes: Any) -> None:
        """Set the result of the stage.

        Parameters
        ----------
        text : str
            For the reader of the stage's line.
        **sizes
            The same for a program, by name.
        """
        self.text = text
        self.sizes = sizes


class Progress:
    """Times stages and reports them.

    Parameters
    ----------
    lines : file, optional
        Gets a line for every stage when it ends: its name, what it came to, seconds. None: nowhere.
    passing : file, optional
        Gets a single line that is overwritten as the work goes on, at least every second, if it is a
        terminal. None: nowhere.

    Attributes
    ----------
    report : dict of str to dict
        For every stage that has ended, by name, its sizes and ``"seconds"``.

    Examples
    --------
    >>> progress = Progress()
    >>> with progress.stage("counting") as stage:
    ...     stage.done("3 strings", strings=3)
    >>> progress.report["counting"]["strings"]
    3
    """

    def __init__(self, lines: TextIO | None = None, passing: TextIO | None = None) -> None:
        self._lines = lines
        self._passing = passing if passing is not None and passing.isatty() else None
        self.report: dict[str, dict[str, Any]] = {}

    @classmethod
    def on_stderr(cls, verbose: bool) -> Progress:
        """Everything on the standard error stream if `verbose`, else nothing."""
        return cls(sys.stderr, sys.stderr) if verbose else cls()

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[Stage]:
        """Time a stage; its line appears when it ends without an error."""
        stage = Stage(self, name)
        with self._signs_of_life(stage):
            yield stage
        seconds = stage.seconds
        self.report[name] = {**stage.sizes, "seconds": seconds}
        self.line(f"{name:<{_NAME_WIDTH}} {stage.text:<{_TEXT_WIDTH}} {seconds:9.3f} s")

    def line(self, text: str) -> None:
        """Write a line of its own among those of the stages."""
        if self._lines is not None:
            print(text, file=self._lines, flush=True)

    @contextlib.contextmanager
    def _signs_of_life(self, stage: Stage) -> Iterator[None]:
        """Show a stage's state, with the seconds that go by, until it ends."""
        if self._passing is None:
            yield
            return
        ended = threading.Event()

        def tick() -> None:
            while not ended.wait(_TICK):
                self._show(f"{stage._state} {stage.seconds:.0f} s")

        ticker = threading.Thread(target=tick, name="hankelmatch progress", daemon=True)
        self._show(stage._state)
        ticker.start()
        try:
            yield
        finally:
            ended.set()
            ticker.join()
            self._show("")

    def _show(self, text: str) -> None:
        if self._passing is not None:
            width = shutil.get_terminal_size().columns
            self._passing.write(_ERASE_LINE + text[: width - 1])
            self._passing.flush()
