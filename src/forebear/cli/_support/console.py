"""Lines on standard error, and the encoding of what is printed."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO


def print_utf8() -> None:
    """Print UTF-8 into files and pipes on Windows, too, where Python would use a code page."""
    if sys.platform == "win32":
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(encoding="utf-8")


def say(line: str) -> None:
    """Print a line on standard error. If it cannot be written, the work continues."""
    with suppress(OSError):  # the terminal was closed, or the log is full
        print(line, file=sys.stderr, flush=True)


def drop_unwritten(stream: TextIO) -> None:
    """Drop what cannot be written, so that Python does not fail when it flushes it at the end."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
