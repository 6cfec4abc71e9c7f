"""The climb alone: how many local optima a second, from random orders."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from forebear import _core

if TYPE_CHECKING:
    from forebear.search.space import SearchSpace


def climbs_per_second(space: SearchSpace, threads: int, seconds: float) -> float:
    """Climb from random orders for some seconds. Each thread has a climber of its own."""
    budget = _core.Budget(seconds)

    def work(random: _core.Random) -> int:
        climber, done = _core.Climber(space.sets), 0
        while not budget.spent:
            climber.start(random.permutation(space.n))
            climber.climb(random, budget)
            done += 1
        return done

    random = _core.Random([1, 2, 3, 4])
    streams = [random.spawn() for _ in range(threads)]
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        done = sum(pool.map(work, streams))
    return done / (time.perf_counter() - start)
