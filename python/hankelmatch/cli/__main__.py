"""``python -m hankelmatch.cli``."""

import sys

from . import run

sys.exit(run())
