"""The command line as a program of its own."""

from __future__ import annotations

import sys

FOREBEAR = [sys.executable, "-m", "forebear"]

OFTEN_KEPT = [
    sys.executable,
    "-c",
    "import sys; from forebear.cli import main; from forebear.search import checkpoint;"
    "checkpoint.LEAST_PAUSE, checkpoint.MOST_SHARE = 0.01, 1.0; sys.exit(main(sys.argv[1:]))",
]
"""The same, with checkpoints every hundredth of a second."""
