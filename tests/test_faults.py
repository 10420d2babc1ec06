"""The faults that the first attack found stay mended. Each of these programs fails on commit d824d80."""

from __future__ import annotations

import shutil
import sys

import pytest

from .campaign._faults import FAULTS, result

SLOW = ("F5", "F10")  # a part of the campaign; they look at the clock


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("cc"), reason="Linux and a C compiler")
@pytest.mark.parametrize("name", [name for name in FAULTS if name not in SLOW])
def test_it_is_mended(name):
    if name == "F7 Parquet":
        pytest.importorskip("pyarrow")
    assert result(sys.executable, FAULTS[name][1]).startswith("right")
