"""Benchmarks of maximum matching: ``python -m benchmarks.matching --data DIR``."""
