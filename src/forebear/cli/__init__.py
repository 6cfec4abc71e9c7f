"""The command line: one file per command. ``main`` runs one.

This module imports little, so that it can handle an interrupt while the rest is imported.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

from forebear.cli._support.process import interrupts_deferred, start_now  # starts the clock, too

EXIT_SIGNALLED = 128
"""The exit code after a signal is this plus the number of the signal."""
EXIT_INTERRUPTED = EXIT_SIGNALLED + signal.SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Every error is one sentence on standard error."""
    if arguments is not None:  # called from Python, perhaps long after the import
        start_now()
    try:
        with interrupts_deferred():
            from forebear.cli.running import run
        return run(arguments)
    except KeyboardInterrupt:  # before there was a command, or after it
        print("forebear: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
