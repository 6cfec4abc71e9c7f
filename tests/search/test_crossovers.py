"""Crossovers: children are orders, and take after both parents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from climbs import NO_LIMIT, numbers, started
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections, random_parent_sets

from forebear.search.crossovers import cycle, order_based, rank
from forebear.search.space import SearchSpace, as_order, assign

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets

ORDERS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))
)
SEEDS = st.integers(0, 2**32)


def pair(orders: tuple[list[int], list[int]]) -> Any:
    return tuple(np.array(order, dtype=np.int32) for order in orders)


@given(ORDERS, SEEDS)
def test_order_based_crossover(orders: tuple[list[int], list[int]], seed: int) -> None:
    """OB: what is not kept in place from x comes in y's order."""
    x, y = pair(orders)
    child = order_based(x, y, numbers(seed))
    assert child.dtype == np.int32
    assert sorted(child.tolist()) == sorted(orders[0])
    assert child.tolist() == order_based(x, y, numbers(seed)).tolist()
    flips = numbers(seed)
    kept = np.array([flips.below(2) == 1 for _ in range(len(x))])
    assert child[kept].tolist() == x[kept].tolist()
    moved = child[~kept].tolist()
    assert moved == [v for v in y.tolist() if v in moved]


@given(ORDERS, SEEDS)
def test_cycle_crossover(orders: tuple[list[int], list[int]], seed: int) -> None:
    """CX: every position comes from x or from y."""
    x, y = pair(orders)
    child = cycle(x, y, numbers(seed))
    assert child.dtype == np.int32
    assert sorted(child.tolist()) == sorted(orders[0])
    assert ((child == x) | (child == y)).all()
    assert child.tolist() == cycle(x, y, numbers(seed)).tolist()


@given(ORDERS, SEEDS)
def test_rank_crossover(orders: tuple[list[int], list[int]], seed: int) -> None:
    """RK: the sum of a variable's places in x and y does not fall along the child."""
    x, y = pair(orders)
    child = rank(x, y, numbers(seed))
    assert child.dtype == np.int32
    assert sorted(child.tolist()) == sorted(orders[0])
    sums = [orders[0].index(v) + orders[1].index(v) for v in child.tolist()]
    assert sums == sorted(sums)
    assert child.tolist() == rank(x, y, numbers(seed)).tolist()


def test_crossovers_use_both_parents() -> None:
    """Over many draws, a position is about as often x's as y's."""
    x = np.arange(40, dtype=np.int32)
    y = x[::-1].copy()
    for crossover, expected in ((order_based, 0.5), (cycle, 0.5)):
        random = numbers(1)
        share = np.mean([(crossover(x, y, random) == x).mean() for _ in range(300)])
        assert abs(share - expected) < 0.05


@given(parent_set_collections(), st.data(), SEEDS)
def test_network_crossover(sets: ParentSets, data: st.DataObject, seed: int) -> None:
    space = SearchSpace(sets)
    x, y = (assign(space, as_order(data.draw(st.permutations(range(space.n))))) for _ in range(2))
    child = space.sets.cross(x, y, numbers(seed))
    assert sorted(child.tolist()) == list(range(space.n))
    again = space.sets.cross(x, y, numbers(seed))
    assert child.tolist() == again.tolist()
    itself = space.sets.cross(x, x, numbers(seed))
    assert started(space, itself).score >= x.score


def test_network_crossover_inherits() -> None:
    """Most variables of a child have the set that they have in x or in y."""
    space = SearchSpace(random_parent_sets(60, 300, 3, seed=1))
    random = numbers(1)
    climbers = [started(space, random.permutation(space.n)) for _ in range(2)]
    for climber in climbers:
        climber.climb(random, NO_LIMIT)
    x, y = (assign(space, climber.order) for climber in climbers)
    for _ in range(20):
        child = assign(space, space.sets.cross(x, y, random))
        inherited = (child.ranks == x.ranks) | (child.ranks == y.ranks)
        assert inherited.mean() > 0.6
