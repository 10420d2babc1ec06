"""A short run of the attack that `python -m tests.campaign` makes; without what looks at the clock."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

CASES = {
    "graphs": 2000,
    "texts": 300,
    "weights": 300,
    "files": 300,
    "disk": 10,
    "limits": 16,
    "processes": 4,
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("cc"), reason="Linux and a C compiler")
@pytest.mark.parametrize("attack", CASES)
def test_nothing_breaks(attack):
    command = [sys.executable, "-m", "tests.campaign", attack, "--cases", str(CASES[attack]), "--rounds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
