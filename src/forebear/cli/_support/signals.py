"""Signals: SIGTERM, SIGHUP and SIGBREAK act like Ctrl-C, except while files are written."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Interrupted(Exception):  # noqa: N818
    """A command was interrupted and has kept what it had finished; the text says how much.

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
