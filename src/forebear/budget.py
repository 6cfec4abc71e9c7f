"""The budget of a run: one clock, and how its time is divided.

A number that decides how the time of ``learn`` is divided stands here with its reason if several
modules use it. "Judgment" means that no recorded measurement chose the number. A step that is not
the last gets half of the time left, unless a share here says otherwise.
"""

from __future__ import annotations

import math
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# ---- how long a run may take -------------------------------------------------------------

DEFAULT_SECONDS = 60.0
"""The time limit where none is given. With two threads the paper's four tables reach their best
known score in at most 46 s (ten seeds each, benchmarks/results/search.md)."""

DEFAULT_IDLE_SECONDS = 10.0
"""If no limit is given, a run also ends after this many seconds without improvement. Judgment."""

# ---- how the time of learn() is divided ---------------------------------------------------

SCORING_SHARE = 0.6
"""Share of the time left that scoring may take; then the sets up to the largest size that is
complete are searched. Judgment."""

QUICK_WORK = 10_000_000_000
"""Families times rows, or with few variables sets of variables times rows, that take some seconds:
0.8 and 0.2 ns each or less (13 variables with 1,000,000 rows). With few variables they are scored
at once. The smallest parent sets are scored even if the time is over before they are: a late
network is better than none. This covers 100 variables with a million rows."""

PROOF_SHARE = 0.1
"""Share of the search time that a proof gets by default; one that is asked for gets half, as any
other step that is not the last. Judgment."""

LEAST_SEARCH_SECONDS = 0.05
"""A search gets this long even if everything before it took all the time."""


class Clock:
    """A time limit that can be cancelled, and what each step took.

    Parameters
    ----------
    limit
        Seconds from the start; None means no limit.
    started
        The value of ``time.perf_counter`` at the start. Default: now.
    """

    def __init__(self, limit: float | None = None, started: float | None = None) -> None:
        self.limit = limit
        self.laps: dict[str, float] = {}
        self.started = self._last = time.perf_counter() if started is None else started
        self._cancelled = threading.Event()
        self._hooks: list[Callable[[], None]] = []

    def spent(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    def left(self) -> float:
        """Seconds until the limit: infinite without one, 0 if cancelled, negative after it."""
        if self.cancelled:
            return 0.0
        return math.inf if self.limit is None else self.limit - self.spent()

    def half(self) -> float | None:
        """Half of the seconds left, for a step that others follow; None without a limit."""
        return self.share(0.5)

    def share(self, share: float) -> float | None:
        """A share of the seconds left, at least 0; None without a limit."""
        return None if self.limit is None else share * max(self.left(), 0.0)

    @property
    def expired(self) -> bool:
        """Whether no time is left."""
        return self.left() <= 0.0

    def cancel(self) -> None:
        """End the time now. Any thread may call this."""
        self._cancelled.set()
        for hook in tuple(self._hooks):
            hook()

    @contextmanager
    def cancelling(self, hook: Callable[[], None]) -> Iterator[None]:
        """Call a function if the time is cancelled while the block runs."""
        self._hooks.append(hook)
        try:
            if self.cancelled:
                hook()
            yield
        finally:
            self._hooks.remove(hook)

    def part_of(self, share: float) -> Clock:
        """Return a clock for a share of the time left; it has no limit if this one has none."""
        if self.limit is None:
            return self
        part = Clock(self.share(share))
        part._cancelled, part._hooks = self._cancelled, self._hooks
        return part

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._cancelled.is_set()

    def lap(self, name: str) -> float:
        """Note what the step that ends now took, and return it."""
        now = time.perf_counter()
        took, self._last = now - self._last, now
        self.laps[name] = self.laps.get(name, 0.0) + took
        return took
