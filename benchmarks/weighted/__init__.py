"""Weighted matchings beside scipy's: run ``python -m benchmarks.weighted --data DIR``."""
