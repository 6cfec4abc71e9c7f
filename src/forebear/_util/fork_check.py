"""Refusal of work with Polars in a forked process, where it would wait forever.

Polars keeps a pool of threads from its first use on. A fork copies the pool without its threads, so
the child would wait for threads that it does not have.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from forebear._util.errors import ForebearError

_THREADS = Path("/proc/self/task")
_had_threads = _lost_in_fork = False


def check_not_forked() -> None:
    """Raise if this process was forked from one in which the threads of Polars were running."""
    if _lost_in_fork:
        raise ForebearError(
            "tables cannot be read, converted or written in this process: it was forked from one "
            "that used Polars, whose threads do not survive a fork; start worker processes with "
            'multiprocessing.get_context("spawn"), or make each Dataset before the fork'
        )


def _polars_has_threads() -> bool:
    """Return whether the thread pool of Polars is running in this process."""
    if not _THREADS.exists():
        # Only Linux lists threads by name; elsewhere, importing Polars counts as using it.
        return "polars" in sys.modules
    found = False
    for task in _THREADS.iterdir():
        with suppress(OSError):  # the thread may have ended
            name = (task / "comm").read_text(errors="replace").strip()
            found |= name.removeprefix("polars-").isdigit()
    return found


def _before_fork() -> None:
    global _had_threads
    _had_threads = _polars_has_threads()


def _after_fork_in_child() -> None:
    global _lost_in_fork
    # A child of such a child has lost the threads as well, although it finds none before the fork.
    _lost_in_fork = _lost_in_fork or _had_threads


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork_in_child)
