"""Workers: results in the order of the jobs, on any number of threads and queues."""

from __future__ import annotations

import numpy as np
import pytest
from climbs import numbers
from strategies import random_parent_sets

from forebear import _core
from forebear.search.space import Individual, SearchSpace
from forebear.search.threads import Workers

SPACE = SearchSpace(random_parent_sets(40, 100, 3, seed=1))


def climbs(count: int, space: SearchSpace = SPACE, *, always: bool = False) -> list[_core.Job]:
    """Return jobs that climb from random orders."""
    random = numbers(count)
    return [
        _core.Job.climb(space.sets, random.permutation(space.n), random.spawn(), always)
        for _ in range(count)
    ]


def found(individuals: list[Individual]) -> list[tuple[int, list[int], list[int]]]:
    return [(each.score, each.order.tolist(), each.ranks.tolist()) for each in individuals]


def test_results_come_in_the_order_of_the_jobs() -> None:
    with Workers(1) as workers:
        expected = found(workers.run(climbs(30)))
    for threads in (2, 3, 5):
        with Workers(threads) as workers:
            assert workers.run([]) == []
            assert found(workers.run(climbs(30))) == expected


def test_batches_may_be_waited_for_in_any_order_or_dropped() -> None:
    with Workers(2) as workers:
        expected = [found(workers.run(climbs(count))) for count in (5, 9, 7)]
        first, dropped, last = (workers.submit(climbs(count)) for count in (5, 9, 7))
        dropped.drop()
        assert found([each for each in last.wait() if each]) == expected[2]
        assert found([each for each in first.wait() if each]) == expected[0]


def test_a_spent_budget_skips_jobs_that_are_not_required() -> None:
    with Workers(2) as workers:
        workers.budget.cancel()
        assert workers.submit(climbs(3)).wait() == [None, None, None]
        assert len(workers.run(climbs(3, always=True))) == 3


def test_invalid_jobs_are_rejected() -> None:
    other = SearchSpace(random_parent_sets(30, 50, 2, seed=2))
    with Workers(1) as workers:
        (member,) = workers.run(climbs(1, other))
        policy = _core.ChildPolicy(window=3, margin=10, swaps=1)
        with pytest.raises(ValueError, match="rank per variable"):
            workers.queue.breed(SPACE.sets, policy, [(member, None, numbers(1))])
        with pytest.raises(ValueError, match="every variable once"):
            _core.Individual(0, np.array([0, 0], dtype=np.int32), np.zeros(2, dtype=np.int32))


def test_threads_end_with_the_search_even_if_batches_remain() -> None:
    with Workers(2) as workers:
        done, open_ = workers.submit(climbs(3)), workers.submit(climbs(2000))
        assert len(done.wait()) == 3
        workers.budget.cancel()
    with pytest.raises(RuntimeError, match="these threads have ended"):
        open_.wait()
