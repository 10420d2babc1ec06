"""The experiments of Quattoni, Carreras and Gallé (AISTATS 2017), measured here, beside what they published.

    python -m benchmarks.paper [EXPERIMENT ...] --data DIR [--quick] [--output DIR]

Each prints a Markdown table and writes it as CSV and JSON, figures as PNG too where matplotlib is installed.
What was measured once is kept in the output folder, so an interrupted run goes on where it was. DIR holds
`ptb/`, `warandpeace/`, `pos/` and `spice/`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

from .results import Bench, MissingDataError, write_results

# The command's name of each experiment, and its module.
EXPERIMENTS = {
    "table1": "table1",
@@    "table3": "spice",
