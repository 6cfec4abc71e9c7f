"""check_not_forked(): reject the use of Polars in a forked process, where it would hang.

Polars starts a pool of threads on first use. A fork copies the pool without its threads, so the
child process would wait for threads that do not exist.
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
    """Raise an error if this process was forked while threads of Polars were running."""
    if _lost_in_fork:
        raise ForebearError(
            "tables cannot be read, converted or written in this process: it was forked from one "
            "that used Polars, whose threads do not survive a fork; start worker processes with "
            'multiprocessing.get_context("spawn"), or create each Dataset before the fork'
        )


def _polars_has_threads() -> bool:
    """Return whether the thread pool of Polars is running in this process."""
    if not _THREADS.exists():
        # Only Linux lists threads by name. Elsewhere, assume threads once Polars is imported.
        return "polars" in sys.modules
    running = False
    for task in _THREADS.iterdir():
        with suppress(OSError):  # the thread may have ended
            name = (task / "comm").read_text(errors="replace").strip()
            running |= name.removeprefix("polars-").isdigit()
    return running


def _before_fork() -> None:
    global _had_threads
    _had_threads = _polars_has_threads()


def _after_fork_in_child() -> None:
    global _lost_in_fork
    # The child of a forked process lacks the threads as well, although its parent has none.
    _lost_in_fork = _lost_in_fork or _had_threads


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork_in_child)
