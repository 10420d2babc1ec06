"""What the tests of counting by Dask share. Whoever imports this is skipped where Dask is not installed."""

import pytest

for name in ("pyarrow.parquet", "dask.dataframe", "distributed"):
    pytest.importorskip(name, reason="the extra 'dask' is not installed")

# Other people's code: what Dask leaves open or deprecates is not ours to answer for.
DASK_MARKS = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.usefixtures("collected_in_time", "collected_after_each"),
]

MODES = [
    {"unit": "char"},
    {"unit": "token", "start_symbol": True},
    {"unit": "char", "end_symbol": False},
    {"unit": "char", "stream": True},
    {"unit": "token", "stream": True},
    {"unit": "token", "stream": True, "end_symbol": True, "start_symbol": True},
    {"unit": "char", "stream": True, "end_symbol": True},
]


def check_same(found, expected):
    assert found.alphabet == expected.alphabet
    assert found.n_sequences == expected.n_sequences
    assert found.strings() == expected.strings()
    assert found.values().tobytes() == expected.values().tobytes()


def complaint(function, *arguments, **options):
    with pytest.raises((ValueError, OSError)) as caught:
        function(*arguments, **options)
    return str(caught.value)
