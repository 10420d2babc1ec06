"""Distributions over strings on problems of the PAutomaC competition: `python -m benchmarks.pautomac`."""
