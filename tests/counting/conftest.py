"""A text to count, and order after tests that start Dask."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def text(tmp_path_factory) -> Path:
    random = np.random.default_rng(5)
    words = ["".join(random.choice(list("abcdefgh é"), size)) for size in random.integers(1, 8, 300)]
    lines = [" ".join(random.choice(words, size)) for size in random.integers(0, 15, 3000)]
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def collected_in_time():
    """What Dask leaves open is reported while the module's filters hold, not when pytest ends."""
    yield
    gc.collect()


@pytest.fixture
def collected_after_each():
    yield
    gc.collect()
