"""Threads that climb, and the budget they share."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from forebear import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from forebear.search.inobs import SearchSpace

T = TypeVar("T")
R = TypeVar("R")


class Workers:
    """So many threads; each keeps a climber for the space it worked on last."""

    def __init__(self, threads: int, seconds: float | None = None) -> None:
        self.threads = threads
        self.budget = _core.Budget(seconds)
        self._local = threading.local()
        self._pool = (
            ThreadPoolExecutor(threads, thread_name_prefix="forebear") if threads > 1 else None
        )

    def climber(self, space: SearchSpace) -> _core.Climber:
        """Return this thread's climber for a space."""
        local = self._local
        if getattr(local, "space", None) is not space:
            local.space, local.climber = space, _core.Climber(space.sets)
        climber: _core.Climber = local.climber
        return climber

    def map(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Do all the work, results in the order of the items."""
        if self._pool is None:
            return [work(item) for item in items]
        return list(self._pool.map(work, items))

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
        if self._pool is not None:
            self._pool.shutdown()
