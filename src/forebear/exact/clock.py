"""The time that an exact search has, which can be called off."""

from __future__ import annotations

import math
import threading
import time


class Clock:
    """Runs from when it is made; ``None`` seconds are all the time there is."""

    def __init__(self, seconds: float | None = None, started: float | None = None) -> None:
        self.started = time.perf_counter() if started is None else started
        self._limit = math.inf if seconds is None else seconds
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Call it off; any thread may."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether it was called off."""
        return self._cancelled.is_set()

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return time.perf_counter() - self.started

    @property
    def left(self) -> float:
        """How long it may still run."""
        return 0.0 if self.cancelled else max(0.0, self._limit - self.seconds)

    @property
    def spent(self) -> bool:
        """Whether there is no time left."""
        return self.left <= 0.0
