"""Functions on strings, counted from a corpus in memory or from large texts with Dask."""

from .in_memory import prefix_probabilities, string_probabilities, substring_expectations
from .sequence_function import SequenceFunction
from .with_dask import count_text, count_to_parquet

__all__ = [
    "SequenceFunction",
    "count_text",
    "count_to_parquet",
    "prefix_probabilities",
    "string_probabilities",
    "substring_expectations",
]
