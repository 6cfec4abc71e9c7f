"""Workers: results in order, climbers used again."""

from __future__ import annotations

from strategies import random_parent_sets

from forebear.search.space import SearchSpace
from forebear.search.threads import Workers

SETS = random_parent_sets(40, 100, 3, seed=1)


def test_workers_keep_the_order_of_results() -> None:
    for threads, chains in ((1, 1), (1, 2), (3, 1), (3, 2), (2, 5)):
        with Workers(threads, chains=chains) as workers:
            assert workers.map(lambda x: x * x, range(50)) == [x * x for x in range(50)]
            assert workers.map(lambda x: x, []) == []


def test_workers_keep_climbers_with_their_space() -> None:
    """Two spaces in turns on one thread: a climber each, used again and again."""
    one, two = SearchSpace(SETS), SearchSpace(SETS)
    with Workers(1, chains=2) as workers:
        used = [
            workers.map(lambda space: id(workers.climber(space)), [s])[0] for s in [one, two] * 3
        ]
    assert len(set(used)) == 2
