"""Signals: what asks a run to end, and when it does not listen."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NAMES = ("SIGTERM", "SIGHUP")


@contextmanager
def ending_as_ctrl_c_does() -> Iterator[list[int]]:
    """Have what batch systems and closed terminals send do what Ctrl-C does; tell what came.

    It does so once: they may repeat themselves while the best so far is written.
    Signals that are ignored, as under nohup, stay so.
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
def undisturbed() -> Iterator[None]:
    """Finish what is under way, a result being written, whatever signal comes."""
    kinds = [getattr(signal, name) for name in (*_NAMES, "SIGINT") if hasattr(signal, name)]
    with _handled(kinds, lambda *_: None):
        yield


@contextmanager
def _handled(kinds: list[int], handler: Callable[[int, Any], None]) -> Iterator[None]:
    # Python lets only the main thread choose; elsewhere, whoever runs that one does.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = {kind: signal.signal(kind, handler) for kind in kinds}
    try:
        yield
    finally:
        for kind, before in usual.items():
            signal.signal(kind, before)
