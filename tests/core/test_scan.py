"""The scans of all instruction sets give the same climbs."""

from __future__ import annotations

import gc
import weakref
from functools import partial

import numpy as np
import pytest
from climbs import NO_LIMIT, assert_like_new, numbers
from strategies import random_parent_sets
from tables import using_kernels

from forebear import _core
from forebear.parentsets.collection import ParentSets
from forebear.search.space import SearchSpace

# Lists of lengths around that of a vector, and beyond the 1,024 ranks of a scan.
COLLECTIONS = {
    "bytes, 1 slot": partial(random_parent_sets, 130, 100, 1, seed=1),
    "bytes, 2 slots, long": partial(random_parent_sets, 120, 2500, 2, seed=2),
    "bytes, 3 slots, ties": partial(random_parent_sets, 60, 1500, 3, seed=3, grid=4.0),
    "bytes, 5 slots": partial(random_parent_sets, 50, 600, 5, seed=4),
    "bytes, 254 variables": partial(random_parent_sets, 254, 130, 3, seed=5),
    "words, 255 variables, 1 slot": partial(random_parent_sets, 255, 70, 1, seed=6),
    "words, 2 slots": partial(random_parent_sets, 300, 65, 2, seed=7),
    "words, 3 slots, long": partial(random_parent_sets, 260, 1300, 3, seed=8, grid=1.0),
    "words, 5 slots": partial(random_parent_sets, 270, 97, 5, seed=9),
    "words, 1,023 variables": partial(random_parent_sets, 1023, 33, 3, seed=10),
    "words, 1,024 variables": partial(random_parent_sets, 1024, 33, 3, seed=11),
}


def climb(sets: ParentSets, seed: int) -> tuple[list[int], list[int], int]:
    space = SearchSpace(sets)
    climber = _core.Climber(space.sets)
    random = numbers(seed)
    climber.start(random.permutation(space.n))
    before = climber.score
    climber.climb(random, NO_LIMIT)
    assert climber.score > before
    assert_like_new(climber, space)
    return climber.order.tolist(), climber.ranks.tolist(), climber.score


@pytest.mark.parametrize("name", COLLECTIONS)
def test_all_kernels_give_the_same_climb(name: str) -> None:
    sets = COLLECTIONS[name]()
    climbs = []
    for kernels in _core.available_kernels():
        with using_kernels(kernels):
            climbs.append(climb(sets, seed=1))
    assert all(other == climbs[0] for other in climbs[1:])


@pytest.mark.parametrize("length", [*range(1, 10), 30, 31, 32, 33, 62, 63, 64, 65, 66, 127, 129])
def test_all_kernels_find_the_last_set(length: int) -> None:
    """Variable 0 comes first, so only the empty set fits, at the end of lists of any length."""
    parents = np.full((2, length + 2), 65535, dtype=np.uint16)
    parents[0, : length - 1], parents[1, 1 : length - 1 : 2] = 1, 2
    offsets = np.array([0, length, length + 1, length + 2], dtype=np.int64)
    scores = np.array([*range(0, -length, -1), -1.0, -1.0])
    for kernels in _core.available_kernels():
        with using_kernels(kernels):
            climber = _core.Climber(_core.OrderSets(offsets, scores, parents))
            for order, rank in (([0, 1, 2], length - 1), ([1, 2, 0], 0)):
                climber.start(np.array(order, dtype=np.int32))
                assert climber.ranks.tolist() == [rank, 0, 0]


def test_sets_keep_their_arrays() -> None:
    """A job that was dropped may still read them after everybody else has forgotten them."""
    offsets = np.array([0, 1, 2], dtype=np.int64)
    scores = np.array([-1.0, -2.0])
    parents = np.full((1, 2), np.iinfo(np.uint16).max, dtype=np.uint16)
    arrays = [weakref.ref(scores), weakref.ref(parents)]
    sets = _core.OrderSets(offsets, scores, parents)
    del offsets, scores, parents
    gc.collect()
    assert all(array() is not None for array in arrays)
    del sets
    gc.collect()
    assert all(array() is None for array in arrays)
