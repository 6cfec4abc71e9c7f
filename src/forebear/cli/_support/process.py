"""The process of a command: when it started, what it prints to, and the signals that end it.

Little is imported here, so that an interrupt while the rest is being imported is handled, too.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Start:
    """The moment: that of the import, unless the program was loaded for something else."""

    at = time.perf_counter()


def start_now() -> None:
    """Let the time of a command count from now, where the program has been loaded before."""
    Start.at = time.perf_counter()


def seconds_loading() -> float:
    """Return the seconds that loading the program has taken, if nothing else was done yet."""
    return time.perf_counter() - Start.at


def time_left(time_limit: float | None) -> float | None:
    """Return what is left of a time limit after loading the program; at least a tenth of it."""
    if time_limit is None or not time_limit > 0:
        return time_limit
    return max(time_limit - seconds_loading(), 0.1 * time_limit)


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


class Interrupted(Exception):  # noqa: N818
    """A command was interrupted and has kept what it had finished; the text gives the amount.

    Unlike KeyboardInterrupt, Typer does not replace it.
    """


_NAMES = ("SIGTERM", "SIGHUP", "SIGBREAK")  # the last: Windows, when its window is closed


@contextmanager
def ending_as_ctrl_c_does() -> Iterator[list[int]]:
    """Let these signals act like Ctrl-C, once; return the signals that came.

    A second signal must not interrupt the writing of the best network so far. Signals that are
    ignored, as under nohup, stay ignored.
    """
    came: list[int] = []

    def interrupt(number: int, _: object) -> None:
        came.append(number)
        if len(came) == 1:
            raise KeyboardInterrupt

    kinds = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    with _handled([kind for kind in kinds if signal.getsignal(kind) is signal.SIG_DFL], interrupt):
        yield came


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end, if Ctrl-C is pressed meanwhile; a second one at once.

    For imports: raised within one, it may be printed and dropped, or reported as another error.
    """
    came: list[int] = []

    def note(number: int, _: object) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt

    handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with _handled([signal.SIGINT] if handled else [], note):
        yield
    if came:
        raise KeyboardInterrupt


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore signals while a result is written."""
    kinds = [getattr(signal, name) for name in (*_NAMES, "SIGINT") if hasattr(signal, name)]
    with _handled(kinds, lambda *_: None):
        yield


@contextmanager
def _handled(kinds: list[int], handler: Callable[[int, Any], None]) -> Iterator[None]:
    # Python lets only the main thread set handlers.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = {kind: signal.signal(kind, handler) for kind in kinds}
    try:
        yield
    finally:
        for kind, before in usual.items():
            signal.signal(kind, before)
