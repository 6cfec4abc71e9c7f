"""Threads that climb, and the budget they share."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from forebear import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from forebear.search.space import SearchSpace

T = TypeVar("T")
R = TypeVar("R")


class Workers:
    """Threads that all chains share. Each chain uses its share of them.

    Climbers are large and remember what they have seen, so they are kept with the
    space they are made for, never more than a chain has threads.
    """

    def __init__(self, threads: int, seconds: float | None = None, chains: int = 1) -> None:
        self.threads = threads
        self.chains = chains
        self.budget = _core.Budget(seconds)
        self._lock = threading.Lock()
        self._local = threading.local()
        self._idle: WeakKeyDictionary[SearchSpace, list[_core.Climber]] = WeakKeyDictionary()
        alone = threads == 1 and chains == 1
        self._pool = None if alone else ThreadPoolExecutor(threads, thread_name_prefix="forebear")

    def climber(self, space: SearchSpace) -> _core.Climber:
        """Return this thread's climber for a space."""
        local = self._local
        if getattr(local, "space", None) is not space:
            self._rest()
            with self._lock:
                idle = self._idle.get(space)
                kept = idle.pop() if idle else None
            local.space, local.climber = space, kept or _core.Climber(space.sets)
        climber: _core.Climber = local.climber
        return climber

    def map(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Do all the work, results in the order of the items."""
        if self._pool is None:
            return [work(item) for item in items]
        todo = deque(enumerate(items))
        done: dict[int, R] = {}
        count = len(todo)
        share = -(-self.threads // self.chains)
        lanes = [self._pool.submit(self._work, work, todo, done) for _ in range(min(share, count))]
        for lane in lanes:
            lane.result()
        return [done[number] for number in range(count)]

    def leave(self) -> None:
        """Note that a chain is done: the others share its threads."""
        with self._lock:
            self.chains = max(1, self.chains - 1)

    def _work(self, work: Callable[[T], R], todo: deque[tuple[int, T]], done: dict[int, R]) -> None:
        """Take one item after another, as other threads do."""
        try:
            while todo:
                try:
                    number, item = todo.popleft()
                except IndexError:  # another thread was faster
                    return
                done[number] = work(item)
        except BaseException:
            todo.clear()
            raise
        finally:
            self._rest()

    def _rest(self) -> None:
        """Lay this thread's climber aside."""
        local = self._local
        if getattr(local, "space", None) is not None:
            with self._lock:
                self._idle.setdefault(local.space, []).append(local.climber)
            local.space = local.climber = None

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
