"""Workers: the threads of a search, which run in the core, and their shared budget."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from forebear import _core


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
        self._pool = _core.ThreadPool(threads, self.budget)
        self._queue: _core.Queue | None = None

    def with_new_queue(self) -> Workers:
        """Return the same threads with another queue, for one chain."""
        other = object.__new__(Workers)
        other.threads, other.budget, other._pool = self.threads, self.budget, self._pool
        other._queue = self._pool.open()
        return other

    @property
    def queue(self) -> _core.Queue:
        """The queue of this chain."""
        if self._queue is None:
            self._queue = self._pool.open()
        return self._queue

    def submit(self, jobs: Sequence[_core.Job]) -> _core.Batch:
        """Start some jobs without waiting for them."""
        return self.queue.submit(list(jobs))

    def run(self, jobs: Sequence[_core.Job]) -> list[_core.Individual]:
        """Run all jobs, and return their results. Jobs are skipped once the budget is spent."""
        return [individual for individual in self.submit(jobs).wait() if individual is not None]

    def close_queue(self) -> None:
        """Close the queue, so that other chains get its share of the threads."""
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
        self._pool.shut()
