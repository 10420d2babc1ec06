import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The real data (see CONTRIBUTING.md): $HANKELMATCH_DATA, or shared/data beside the checkout."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("HANKELMATCH_DATA", default))
    if not path.is_dir():
        pytest.skip("the data folder is absent: set HANKELMATCH_DATA to run the tests on real data")
    return path
