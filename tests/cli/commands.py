"""Runs the command in this process."""

from __future__ import annotations

from hankelmatch.cli import main
from hankelmatch.sequences.sample import sample_text

SENTENCES = sample_text()[:400]


def run(capsys, *arguments, status=0):
    """Run the command; its output, or its complaint where it is to fail."""
    assert main([str(argument) for argument in arguments]) == status
    out, err = capsys.readouterr()
    if status == 0:
        assert err == ""
        return out
    assert out == "" or "Traceback" not in out
    assert err.count("\n") == 1
    assert err.startswith("hankelmatch: ")
    return err
