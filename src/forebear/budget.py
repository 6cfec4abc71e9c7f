"""The budget of a run: one clock, and how its time is divided.

This module holds the constants that divide the time of ``learn`` and that several modules use. Each
has its reason below it; "not measured" means that no recorded measurement chose the value. Every
step but the last gets half of the time left, unless a constant here sets another share.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# ---- how long a run may take -------------------------------------------------------------

DEFAULT_SECONDS = 60.0
"""The default time limit. With two threads, the paper's four tables reach their best known score in
at most 46 s (ten seeds each, benchmarks/results/search.md)."""

DEFAULT_IDLE_SECONDS = 10.0
"""Without a limit, a run also ends after this many seconds without improvement. Not measured."""

# ---- how the time of learn() is divided ---------------------------------------------------

SCORING_SHARE = 0.6
"""Share of the time left that scoring may take. After that, the search uses the sets up to the
largest size that is complete. Not measured."""

QUICK_WORK = 10_000_000_000
"""Work that takes a few seconds: the number of families times the number of rows (at most 0.8 ns
each). With few variables, sets of variables are counted instead of families (at most 0.2 ns each);
all sets are then scored before the search if their work is at most this, as with 13 variables and
1,000,000 rows. The smallest parent sets are scored even after the time limit if their work is at
most this, as with 100 variables and 1,000,000 rows, because a late network is better than none."""

PROOF_SHARE = 0.1
"""Share of the search time that a proof gets by default; a proof that the user requests gets half.
Not measured."""

LEAST_STEP_SECONDS = 0.05
"""The least time for a search or a proof, even if the steps before it used up the time limit."""


class Clock:
    """A time limit that can be cancelled, and the time that each step took.

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
        """Call a function if the clock is cancelled while the block runs."""
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
        """Whether the clock was cancelled."""
        return self._cancelled.is_set()

    def lap(self, name: str) -> float:
        """Record the seconds since the last lap as those of a step, and return them."""
        now = time.perf_counter()
        took, self._last = now - self._last, now
        self.laps[name] = self.laps.get(name, 0.0) + took
        return took
