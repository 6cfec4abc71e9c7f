"""The command line as a program of its own."""

from __future__ import annotations

import sys

FOREBEAR = [sys.executable, "-m", "forebear"]

OFTEN_KEPT = [
    sys.executable,
    "-c",
    "import sys; from forebear.cli import main; from forebear.search.persistence import checkpoint;"
    "checkpoint.FIRST_SECONDS = checkpoint.MOST_SECONDS = 0.01; sys.exit(main(sys.argv[1:]))",
]
"""The same, with checkpoints every hundredth of a second."""
