"""The climb over orders: its cached deltas equal those of a new climber."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import naive
import numpy as np
import pytest
from climbs import (
    NO_LIMIT,
    assert_improves_like_new,
    assert_like_new,
    naive_ranks,
    numbers,
    started,
    ticks,
    total_ticks,
)
from hypothesis import given
from hypothesis import strategies as st
from strategies import pack, parent_set_collections, random_parent_sets

from forebear import _core
from forebear.parentsets.collection import ParentSets
from forebear.search.space import SearchSpace

COLLECTIONS = st.one_of(
    parent_set_collections(),
    parent_set_collections(min_variables=2, required_parents=True),
    parent_set_collections(min_variables=5, max_variables=5, max_parents=4),
)
# The first ids are bytes, then words; from 1,024 variables on the registers are too small.
LARGER = [
    random_parent_sets(20, 60, 2, seed=1),
    random_parent_sets(30, 200, 3, seed=2, grid=5.0),
    random_parent_sets(40, 100, 5, seed=3),
    random_parent_sets(260, 30, 3, seed=4, grid=2.0),
    random_parent_sets(1030, 12, 3, seed=5),
]


IDS = ["20", "30-ties", "40-five-slots", "260-words", "1030-words"]


def naive_ticks(space: SearchSpace, order: Sequence[int]) -> int:
    return total_ticks(space, naive_ranks(space.parent_sets, order))


def moved(order: Sequence[int], v: int, place: int) -> list[int]:
    rest = [u for u in order if u != v]
    return [*rest[:place], v, *rest[place:]]


def assert_local_optimum(climber: _core.Climber, space: SearchSpace) -> None:
    """Check by brute force that no insertion improves."""
    order = climber.order.tolist()
    for v in order:
        for place in range(space.n):
            assert naive_ticks(space, moved(order, v, place)) <= climber.score


@given(COLLECTIONS, st.randoms(use_true_random=False))
def test_an_order_gets_the_best_sets_of_predecessors(sets: ParentSets, random: Random) -> None:
    space = SearchSpace(sets)
    order = random.sample(range(space.n), space.n)
    climber = started(space, order)
    assert climber.ranks.tolist() == naive_ranks(sets, order)
    assert climber.score == naive_ticks(space, order)
    assert space.score(climber.ranks) == naive.order_score(naive.as_lists(sets), order)


@pytest.mark.parametrize("largest_square", [0, 3_000], ids=["sparse", "square"])
@given(sets=COLLECTIONS, random=st.randoms(use_true_random=False))
def test_after_any_moves_the_climber_is_like_new(
    largest_square: int, sets: ParentSets, random: Random
) -> None:
    space = SearchSpace(sets, largest_square=largest_square)
    climber = started(space, random.sample(range(space.n), space.n))
    for _ in range(12):
        v = random.randrange(space.n)
        assert_improves_like_new(climber, space, v, random.randint(1, space.n))
        assert climber.score == naive_ticks(space, climber.order.tolist())


@given(COLLECTIONS, st.randoms(use_true_random=False), st.integers(0, 2**32))
def test_a_climb_ends_where_no_insertion_improves(
    sets: ParentSets, random: Random, seed: int
) -> None:
    space = SearchSpace(sets)
    climber = started(space, random.sample(range(space.n), space.n))
    climber.climb(numbers(seed), NO_LIMIT)
    assert_like_new(climber, space)
    assert_local_optimum(climber, space)


@given(COLLECTIONS, st.randoms(use_true_random=False))
def test_improve_takes_the_best_place_in_its_window(sets: ParentSets, random: Random) -> None:
    space = SearchSpace(sets)
    order = random.sample(range(space.n), space.n)
    climber = started(space, order)
    v, window = random.choice(order), random.randint(1, space.n)
    own = order.index(v)
    places = range(max(0, own - window), min(space.n, own + window + 1))
    best = max(naive_ticks(space, moved(order, v, place)) for place in places)
    improves = best > climber.score
    assert climber.improve(v, window) == improves
    assert climber.score == best


@pytest.mark.parametrize("sets", LARGER, ids=IDS)
def test_larger_collections(sets: ParentSets) -> None:
    """A start, moves and a climb of many variables equal brute force and new climbers."""
    space = SearchSpace(sets)
    rng = np.random.default_rng(7)
    order = rng.permutation(space.n)
    climber = started(space, order)
    assert climber.ranks.tolist() == naive_ranks(sets, order.tolist())
    improved = [
        assert_improves_like_new(climber, space, v, int(rng.integers(1, space.n)))
        for v in rng.integers(0, space.n, 40).tolist()
    ]
    assert any(improved)
    climber.climb(numbers(8), NO_LIMIT)
    assert_like_new(climber, space)
    assert climber.ranks.tolist() == naive_ranks(sets, climber.order.tolist())
    for v in range(0, space.n, 1 + space.n // 30):
        assert not assert_improves_like_new(climber, space, v, space.n)


@pytest.mark.parametrize("sets", LARGER[:3], ids=IDS[:3])
def test_marked_climbs_stay_like_new(sets: ParentSets) -> None:
    """Climbs of marked variables from one order to the next, as for children."""
    space = SearchSpace(sets)
    rng, random = np.random.default_rng(11), numbers(11)
    climber = _core.Climber(space.sets)
    climber.start(rng.permutation(space.n).astype(np.int32))
    climber.climb(random, NO_LIMIT)
    for _ in range(20):
        ranks, order = climber.ranks, climber.order
        i, j = rng.integers(0, space.n, 2)
        order[[i, j]] = order[[j, i]]
        climber.start(order)
        climber.mark_changes(ranks)
        before = climber.score
        climber.climb_marked(random, 10, NO_LIMIT)
        climber.mark_touched()
        climber.climb_marked(random, space.n, NO_LIMIT)
        assert climber.score >= before
        assert_like_new(climber, space)
        assert_improves_like_new(climber, space, int(i), space.n)
        climber.climb(random, NO_LIMIT)
        assert_like_new(climber, space)


def test_a_spent_budget_leaves_the_order_as_it_is() -> None:
    space = SearchSpace(LARGER[0])
    order = np.arange(space.n, dtype=np.int32)
    climber = started(space, order)
    budget = _core.Budget(None)
    budget.cancel()
    assert budget.cancelled
    assert budget.spent
    climber.climb(numbers(1), budget)
    assert climber.order.tolist() == order.tolist()


def test_no_gain_is_worth_a_set_that_is_not_allowed() -> None:
    """Variable 0 requires all others as parents, but is the best parent of each of them."""
    others = (1, 2, 3, 4, 5, 6)
    hub: list[naive.ScoredSet] = [(-1.0, others), (-math.inf, ())]
    spoke: list[naive.ScoredSet] = [(-1.0, (0,)), (-101.0, ())]
    space = SearchSpace(pack([hub, *[spoke] * len(others)]))
    assert started(space, [0, *others]).score < started(space, [*others, 0]).score


@pytest.mark.parametrize("widest", [1e-6, 1.0, 1e3, 1e9, 1e150])
def test_ticks_are_fine_and_do_not_overflow(widest: float) -> None:
    """The widest list has at least half a billion ticks; all differences fit."""
    scored: naive.ScoredSets = [
        [(0.0, (1,)), (-widest / 3, (2,)), (-widest, ())],
        [(0.0, ())],
        [(0.0, ())],
    ]
    space = SearchSpace(pack(scored))
    scores = [started(space, order).score for order in ([1, 2, 0], [2, 0, 1], [0, 1, 2])]
    assert scores == [0, ticks(space, 0, 1), ticks(space, 0, 2)]
    if widest >= 1e-3:
        assert 2**29 <= -scores[2] <= 2**30
    climber = started(space, [0, 1, 2])
    assert climber.improve(0, 2)
    assert climber.score == 0


@pytest.mark.parametrize(
    "order", [[0, 1], [0, 1, 1], [0, 1, 3], [-1, 0, 1], [0, 1, 2, 3], []], ids=str
)
def test_invalid_orders_are_rejected(order: list[int]) -> None:
    space = SearchSpace(pack([[(-1.0, ())]] * 3))
    with pytest.raises(ValueError, match="an order lists every variable once"):
        started(space, order)


def test_unknown_variables_are_rejected() -> None:
    climber = started(SearchSpace(pack([[(-1.0, ())]] * 3)), [0, 1, 2])
    for v in (-1, 3):
        with pytest.raises(IndexError, match="no such variable"):
            climber.improve(v, 1)
    assert not climber.improve(0, 2**31 - 1)


@given(COLLECTIONS, st.randoms(use_true_random=False))
def test_climbs_respect_orders(sets: ParentSets, random: Random) -> None:
    """The best insertion is found among those that respect the order constraints."""
    n = sets.n_variables
    hidden = random.sample(range(n), n)
    pairs = [(a, b) for i, a in enumerate(hidden) for b in hidden[i + 1 :] if random.random() < 0.4]
    earlier = {b: [a for a, c in pairs if c == b] for b in range(n)}
    space = SearchSpace(sets, earlier=earlier)

    def keeps(order: Sequence[int]) -> bool:
        place = {v: i for i, v in enumerate(order)}
        return all(place[a] < place[b] for a, b in pairs)

    start = space.sets.repair_order(np.array(random.sample(range(n), n), dtype=np.int32))
    if not keeps(start.tolist()):
        return  # what sets require contradicts the orders
    climber = _core.Climber(space.sets)
    climber.start(start)
    for _ in range(2 * n):
        v = random.randrange(n)
        before, score = climber.order.tolist(), climber.score
        best = max(
            naive_ticks(space, order)
            for order in (moved(before, v, place) for place in range(n))
            if keeps(order)
        )
        climber.improve(v, n)
        assert keeps(climber.order.tolist())
        assert climber.score == max(score, best)
