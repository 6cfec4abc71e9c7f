"""Climbers for tests, and comparisons with new climbers and brute force."""

from __future__ import annotations

import math
from collections.abc import Sequence

import naive
import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.parentsets.collection import ParentSets
from forebear.search.space import SearchSpace

NO_LIMIT = _core.Budget(None)


def started(space: SearchSpace, order: Sequence[int] | NDArray[np.integer]) -> _core.Climber:
    climber = _core.Climber(space.sets)
    climber.start(np.asarray(order, dtype=np.int32))
    return climber


def numbers(seed: int) -> _core.Random:
    words = np.random.SeedSequence(seed).generate_state(4, np.uint64)
    return _core.Random(words.tolist())


def naive_ranks(parent_sets: ParentSets, order: Sequence[int]) -> list[int]:
    lists = naive.as_lists(parent_sets)
    return [
        scored.index(chosen)
        for scored, chosen in zip(lists, naive.order_parents(lists, order), strict=True)
    ]


def assert_like_new(climber: _core.Climber, space: SearchSpace) -> None:
    fresh = started(space, climber.order)
    np.testing.assert_array_equal(climber.ranks, fresh.ranks)
    assert climber.score == fresh.score


def assert_improves_like_new(
    climber: _core.Climber, space: SearchSpace, v: int, window: int
) -> bool:
    """Improve one variable, and check that a new climber makes the same move."""
    fresh = started(space, climber.order)
    improved = climber.improve(v, window)
    assert improved == fresh.improve(v, window)
    np.testing.assert_array_equal(climber.order, fresh.order)
    np.testing.assert_array_equal(climber.ranks, fresh.ranks)
    assert climber.score == fresh.score
    return improved


def ticks(space: SearchSpace, v: int, rank: int) -> int:
    """Count the ticks of a set below the best one, rounded; 2^31 - 1 if it is not allowed."""
    sets = space.parent_sets
    below = float(sets.at(v, 1).score) - float(sets.at(v, rank + 1).score)
    return -round_half_up(below * space.sets.ticks_per_nat) if math.isfinite(below) else 1 - 2**31


def total_ticks(space: SearchSpace, ranks: Sequence[int] | NDArray[np.integer]) -> int:
    """Add up the ticks of chosen sets below the best ones."""
    return sum(ticks(space, v, int(rank)) for v, rank in enumerate(ranks))


def round_half_up(x: float) -> int:
    return math.floor(x + 0.5)
