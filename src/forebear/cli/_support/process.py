"""The process of a command: its start time, standard error and signals.

This module imports little, so that it can handle an interrupt while the rest is imported.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Any, TextIO


class CommandStart:
    """When the command started: when this module was imported, or at ``start_now``."""

    at = time.perf_counter()


def start_now() -> None:
    """Count the time of a command from now on, because Python imported this module earlier."""
    CommandStart.at = time.perf_counter()


def seconds_loading() -> float:
    """Return the seconds since the start; before a command runs, they are loading time."""
    return time.perf_counter() - CommandStart.at


def time_left(time_limit: float | None) -> float | None:
    """Subtract the loading time from a time limit; at least a tenth of the limit remains."""
    if time_limit is None or not time_limit > 0:
        return time_limit
    return max(time_limit - seconds_loading(), 0.1 * time_limit)


def print_utf8() -> None:
    """Print UTF-8 into files and pipes on Windows, where Python would use a code page."""
    if sys.platform == "win32":
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(encoding="utf-8")


def print_error_line(line: str) -> None:
    """Print a line on standard error; ignore failures, so that the work continues."""
    with suppress(OSError):  # the terminal was closed, or the log is full
        print(line, file=sys.stderr, flush=True)


def discard_unwritten(stream: TextIO) -> None:
    """Discard output that cannot be written, so that Python does not fail when it exits."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Interrupted(Exception):  # noqa: N818
    """A command was interrupted and kept its finished work; the text states how much.

    Typer would replace a KeyboardInterrupt, but passes this exception on.
    """


_NAMES = ("SIGTERM", "SIGHUP", "SIGBREAK")  # SIGBREAK: a console window of Windows is closed


@contextmanager
def signals_as_interrupts() -> Iterator[list[int]]:
    """Treat the first of these signals like Ctrl-C; yield the list of signals received.

    A second signal must not interrupt the writing of the best network so far. Signals that are
    ignored, as under nohup, stay ignored.
    """
    received: list[int] = []

    def interrupt(number: int, _: object) -> None:
        received.append(number)
        if len(received) == 1:
            raise KeyboardInterrupt

    kinds = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    with _handlers([kind for kind in kinds if signal.getsignal(kind) is signal.SIG_DFL], interrupt):
        yield received


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Delay a KeyboardInterrupt to the end of the block; raise a second one at once.

    During an import, an interrupt may be printed and dropped, or reported as another error.
    """
    received: list[int] = []

    def defer(number: int, _: object) -> None:
        received.append(number)
        if len(received) > 1:
            raise KeyboardInterrupt

    handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with _handlers([signal.SIGINT] if handled else [], defer):
        yield
    if received:
        raise KeyboardInterrupt


@contextmanager
def signals_ignored() -> Iterator[None]:
    """Ignore signals while a result is written."""
    kinds = [getattr(signal, name) for name in (*_NAMES, "SIGINT") if hasattr(signal, name)]
    with _handlers(kinds, lambda *_: None):
        yield


@contextmanager
def _handlers(kinds: list[int], handler: Callable[[int, Any], None]) -> Iterator[None]:
    # Python lets only the main thread set handlers.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {kind: signal.signal(kind, handler) for kind in kinds}
    try:
        yield
    finally:
        for kind, old in previous.items():
            signal.signal(kind, old)
