import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# A test run that was started in the background ignores Ctrl-C, and so would all that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test fails because the machine is busy.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")


def pytest_collection_finish() -> None:
    """Modules and tests stay: the search for garbage, a tenth of the tests' time, need not pass over them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The real data (see CONTRIBUTING.md): $HANKELMATCH_DATA, or shared/data beside the checkout."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("HANKELMATCH_DATA", default))
    if not path.is_dir():
        pytest.skip("the data folder is absent: set HANKELMATCH_DATA to run the tests on real data")
    return path
