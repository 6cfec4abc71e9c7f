"""Lines on standard error."""

from __future__ import annotations

import sys
from contextlib import suppress


def say(line: str) -> None:
    """Print a line on standard error. If it cannot be written, the work continues."""
    with suppress(OSError):  # the terminal was closed, or the log is full
        print(line, file=sys.stderr, flush=True)
