"""``python -m hankelmatch.cli``."""

import sys

from . import main

sys.exit(main())
