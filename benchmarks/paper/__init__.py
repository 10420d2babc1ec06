"""The paper's tables and figure again, and what else it claims: ``python -m benchmarks.paper --data DIR``."""
