"""The threads of a search, and their shared budget. They run in the core without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear import _core

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType


class Workers:
    """Threads shared by all chains. Each chain has its own queue and its share of the threads.

    Parameters
    ----------
    threads
        Number of threads.
    seconds
        Time limit in seconds. Default: none.
    """

    def __init__(self, threads: int, seconds: float | None = None) -> None:
        self.threads = threads
        self.budget = _core.Budget(seconds)
        self._crew = _core.ThreadPool(threads, self.budget)
        self._queue: _core.Queue | None = None

    def beside(self) -> Workers:
        """Return the same threads with another queue."""
        other = object.__new__(Workers)
        other.threads, other.budget, other._crew = self.threads, self.budget, self._crew
        other._queue = self._crew.open()
        return other

    @property
    def queue(self) -> _core.Queue:
        """The queue of this chain."""
        if self._queue is None:
            self._queue = self._crew.open()
        return self._queue

    def submit(self, jobs: Sequence[_core.Job]) -> _core.Batch:
        """Start some jobs without waiting for them."""
        return self.queue.submit(list(jobs))

    def run(self, jobs: Sequence[_core.Job]) -> list[_core.Individual]:
        """Run all jobs. Jobs that the budget did not allow have no result."""
        return [found for found in self.submit(jobs).wait() if found is not None]

    def leave(self) -> None:
        """Release the queue, so that other chains share its threads."""
        if self._queue is not None:
            self._queue.close()

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.budget.cancel()
        self._crew.shut()
