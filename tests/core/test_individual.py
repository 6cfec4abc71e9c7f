"""Individuals: a child that the core climbs in one call equals one climbed step by step."""

from __future__ import annotations

import math

import naive
import numpy as np
from climbs import NO_LIMIT, numbers, started
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections

from forebear import _core
from forebear.parentsets.collection import ParentSets
from forebear.search.space import Individual, SearchSpace, as_order, assign
from forebear.search.threads import Workers

SEEDS = st.integers(0, 2**32)


def orders(data: st.DataObject, n: int, count: int) -> list[list[int]]:
    return [data.draw(st.permutations(range(n))) for _ in range(count)]


def do(job: _core.Job) -> tuple[int, list[int], list[int]]:
    with Workers(1) as workers:
        (found,) = workers.run([job])
    return found.score, found.order.tolist(), found.ranks.tolist()


def step_by_step(
    space: SearchSpace,
    policy: _core.ChildPolicy,
    parent: Individual,
    other: Individual | None,
    random: _core.Random,
) -> tuple[int, list[int], list[int]]:
    """Create and climb a child as core/search/individual.h describes it."""
    if other is not None:
        start = space.sets.cross(parent, other, random)
    else:
        start = parent.order.copy()
        for _ in range(policy.swaps):
            i, j = random.below(space.n), random.below(space.n)
            start[i], start[j] = start[j], start[i]
    climber = _core.Climber(space.sets)
    climber.start(space.sets.repair_order(start))
    climber.mark_changes(parent.ranks)
    climber.climb_marked(random, policy.window, NO_LIMIT)
    scores = {parent.score} if other is None else {parent.score, other.score}
    if climber.score > parent.score - policy.margin and climber.score not in scores:
        climber.mark_touched()
        climber.climb_marked(random, space.n, NO_LIMIT)
        if climber.score > parent.score and climber.score not in scores:
            climber.climb(random, NO_LIMIT)
    return climber.score, climber.order.tolist(), climber.ranks.tolist()


@given(parent_set_collections(min_variables=2), st.data(), SEEDS)
def test_children(sets: ParentSets, data: st.DataObject, seed: int) -> None:
    space = SearchSpace(sets)
    x, y = orders(data, space.n, 2)
    parent, other = assign(space, as_order(x)), assign(space, as_order(y))
    policy = _core.ChildPolicy(
        window=data.draw(st.integers(0, 8)),
        margin=data.draw(st.sampled_from([0, 1, 2**20, 2**40])),
        swaps=data.draw(st.integers(0, 4)),
    )
    mate = data.draw(st.sampled_from([other, None]))
    expected = step_by_step(space, policy, parent, mate, numbers(seed))
    with Workers(1) as workers:
        batch = workers.queue.breed(space.sets, policy, [(parent, mate, numbers(seed))] * 2)
        for child in batch.wait():
            assert child is not None
            assert (child.score, child.order.tolist(), child.ranks.tolist()) == expected


@given(parent_set_collections(min_variables=2), st.data(), SEEDS)
def test_adapted_members(sets: ParentSets, data: st.DataObject, seed: int) -> None:
    space = SearchSpace(sets)
    (order,) = orders(data, space.n, 1)
    before = np.array(
        [data.draw(st.integers(0, int(count) - 1)) for count in space.counts], dtype=np.int32
    )
    window, random = data.draw(st.integers(0, 8)), numbers(seed)
    climber = _core.Climber(space.sets)
    climber.start(as_order(order))
    climber.mark_changes(before)
    climber.climb_marked(random, window, NO_LIMIT)
    job = _core.Job.adapt(space.sets, as_order(order), before, window, numbers(seed))
    assert do(job) == (climber.score, climber.order.tolist(), climber.ranks.tolist())


@given(parent_set_collections(min_variables=2, required_parents=True), st.data())
def test_repaired_orders(sets: ParentSets, data: st.DataObject) -> None:
    """Required parents precede their children, except on cycles; valid orders do not change."""
    space = SearchSpace(sets)
    order = np.array(data.draw(st.permutations(range(space.n))), dtype=np.int32)
    result = space.sets.repair_order(order)
    assert result.dtype == np.int32
    assert sorted(result.tolist()) == list(range(space.n))
    assert space.sets.repair_order(result).tolist() == result.tolist()
    if started(space, order).score > -(2**31 - 1):
        assert result.tolist() == order.tolist()
    lists = naive.as_lists(sets)
    for v, scored in enumerate(lists):
        allowed = [set(parents) for score, parents in scored if score > -math.inf]
        required = set.intersection(*allowed) if allowed else set()
        acyclic = math.isfinite(naive.best_score(lists))
        if acyclic and (-math.inf, ()) in scored:
            assert required <= set(result[: result.tolist().index(v)].tolist())
