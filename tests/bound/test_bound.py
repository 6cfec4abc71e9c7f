"""The bound: never below any network, equal to the best where it says so."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from typing import TYPE_CHECKING

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import SHARED
from strategies import pack, parent_set_collections, random_parent_sets
from waiting import PATIENCE

from forebear import (
    Bound,
    Dataset,
    ForebearError,
    ForebearWarning,
    ParentSets,
    Watcher,
    _core,
    find_bound,
    find_network,
    score_parent_sets,
    surviving_sets,
)
from forebear.bound.ascent import Ascent, costs_of
from forebear.bound.bound import prove_bound
from forebear.budget import CORE_DYNAMIC_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear.bound.ascent import Multiplier

COLLECTIONS = parent_set_collections(max_variables=6, required_parents=True)
POSSIBLE = parent_set_collections(max_variables=6)
SCALES = st.sampled_from([1.0, 2.0**-30, 2.0**-500, 2.0**30, 2.0**500])
EXACT = st.sampled_from([0, 3, 18])
SLOW = settings(deadline=None)
SMALLEST_RANGE = 2.0**-900  # of scores that the ticks still tell apart


def bound_of(sets: ParentSets, rounds: int, solvable: int, score: float | None = None) -> Bound:
    """Bound with another limit on what the core solves exactly."""
    return prove_bound(
        sets,
        score=score,
        time_limit=None,
        rounds=rounds,
        threads=1,
        watcher=Watcher(),
        solvable=solvable,
    )


def advance(ascent: Ascent, rounds: int) -> None:
    """Advance until there were this many rounds, or nothing is left to do."""
    budget = _core.Budget(None)
    while ascent.rounds < rounds and not ascent.closed:
        ascent.advance(budget, 1)


class Bounds(Watcher):
    """Keeps the bound of every round, and may interrupt."""

    def __init__(self, interrupt_after: int | None = None, *, cancel: bool = False) -> None:
        self.bounds: list[float] = []
        self.interrupt_after = interrupt_after
        self.cancel = cancel

    def started(self, cancel: Callable[[], None]) -> None:
        if self.cancel:
            cancel()

    def bounding(self, bound: float, score: float | None) -> None:
        self.bounds.append(bound)
        if len(self.bounds) == self.interrupt_after:
            raise KeyboardInterrupt


def scaled(sets: ParentSets, scale: float) -> ParentSets:
    """Multiply all scores by a power of two."""
    return replace(sets, scores=sets.scores * scale)


def slack(sets: ParentSets) -> float:
    """What rounding may add to a bound."""
    finite = np.abs(sets.scores[np.isfinite(sets.scores)])
    return 1e-12 * max(float(finite.sum()), SMALLEST_RANGE)


@SLOW
@given(COLLECTIONS, SCALES, st.integers(1, 8), EXACT)
def test_no_network_exceeds_it(sets: ParentSets, scale: float, rounds: int, exact: int) -> None:
    sets = scaled(sets, scale)
    best = naive.best_score(naive.as_lists(sets))
    found = bound_of(sets, rounds, exact)
    assert found.bound >= best
    if found.stop_reason == "optimal":
        assert found.bound == best or found.bound <= best + slack(sets)
    else:
        assert (found.stop_reason, found.rounds) == ("rounds", rounds)


@given(COLLECTIONS)
def test_small_problems_are_solved(sets: ParentSets) -> None:
    best = naive.best_score(naive.as_lists(sets))
    if best == -math.inf:
        with pytest.raises(ForebearError, match="there is no network of these parent sets"):
            find_bound(sets, threads=1)
        return
    found = find_bound(sets, threads=1)
    assert found.stop_reason == "optimal"
    assert found.bound == best or best <= found.bound <= best + slack(sets)


@SLOW
@given(POSSIBLE, st.integers(1, 12), EXACT, st.floats(0.0, 30.0))
def test_with_a_known_score(sets: ParentSets, rounds: int, exact: int, worse: float) -> None:
    """Whatever was dropped, the bound holds and the best network is still there."""
    best = naive.best_score(naive.as_lists(sets))
    found = bound_of(sets, rounds, exact, best - worse)
    assert found.bound >= best
    if found.stop_reason == "optimal":
        assert found.bound <= best + slack(sets)
    left = surviving_sets(sets, found)
    assert found.sets_left == len(left)
    assert len(left) <= len(sets)
    assert naive.best_score(naive.as_lists(left)) == best


def test_a_score_that_was_rounded_up() -> None:
    """Adding up in another order may make it more than the sum is: the best network stays."""
    lists: naive.ScoredSets = [
        [(0.0, (1,)), (0.0, (2,)), (-1.0, (3,)), (-2.0, ())],
        [(0.0, (0,)), (0.0, (2,)), (-1.5, ())],
        [(0.0, (0,)), (0.0, (1,)), (-1.0, (3,)), (-1.5, ())],
        [(0.0, ())],
        [(-8191.238014033898, ())],
    ]
    sets = pack(lists)
    best = -8192.238014033897  # a bit above -8191.238014033898 - 1
    left = surviving_sets(sets, bound_of(sets, 3, 0, best))
    assert naive.best_score(naive.as_lists(left)) == naive.best_score(lists)


@given(POSSIBLE, st.floats(0.0, 30.0))
def test_a_score_that_no_network_has(sets: ParentSets, better: float) -> None:
    """The bound does not trust what it is told: it is never below the best."""
    top = math.fsum(sets.scores[sets.offsets[:-1]])
    best = naive.best_score(naive.as_lists(sets))
    score = min(best + better, top)
    found = bound_of(sets, 5, 0, score)
    assert found.bound >= max(score, best)


@settings(max_examples=25)
@given(st.integers(0, 1000), st.sampled_from([None, 0.5]))
def test_cycles_cost(seed: int, grid: float | None) -> None:
    """The clusters close most of the gap between the best sets and the best network."""
    sets = random_parent_sets(8, 30, seed=seed, grid=grid)
    best = naive.best_score(naive.as_lists(sets))
    top = math.fsum(sets.scores[sets.offsets[:-1]])
    found = bound_of(sets, 150, 0)
    assert best <= found.bound <= top + 1e-9
    assert found.bound - best <= 0.25 * (top - best) + 1e-9


def falls_short(cut: Multiplier, v: int, parents: set[int]) -> int:
    """By how much a set falls short in a cut, by the definition of clusters and local cuts."""
    if v not in cut.members:
        return 0
    inside = parents.intersection(cut.members)
    if cut.shortfalls is None:
        return int(len(inside) < cut.level)
    mask = sum(1 << cut.members.index(u) for u in inside)
    return int(cut.shortfalls[cut.members.index(v), mask])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 5), st.booleans())
def test_prices_of_all_cuts(seed: int, max_parents: int, local_cuts: bool) -> None:
    """What every set falls short by, and what that proves, by definition."""
    sets = random_parent_sets(7, 40, max_parents, seed=seed)
    ascent = Ascent(sets, None, solvable=0, local_cuts=local_cuts)
    advance(ascent, 60 if local_cuts else 30)
    costs = costs_of(sets, ascent.ticks)
    priced = ascent.price(0, costs, np.ones(len(sets), dtype=bool), 1)
    members = [set(own[own != sets.none].tolist()) for own in sets.parents.T]
    child = np.repeat(np.arange(sets.n_variables), sets.counts).tolist()
    (proof,) = ascent.proofs
    reduced = [
        int(cost) - sum(cut.ticks * falls_short(cut, v, own) for cut in proof)
        for cost, own, v in zip(costs, members, child, strict=True)
    ]
    least = [min(reduced[begin:end]) for begin, end in pairwise(sets.offsets.tolist())]
    assert priced.cost == sum(least) + sum(cut.due * cut.ticks for cut in proof)
    assert priced.extra.tolist() == [r - least[v] for r, v in zip(reduced, child, strict=True)]
    assert all(cut.level <= max_parents for cut in proof)
    assert local_cuts or all(cut.level for cut in proof)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_every_order_is_due_what_local_cuts_say(seed: int) -> None:
    """By trying all orders of the group."""
    sets = random_parent_sets(9, 60, seed=seed)
    ascent = Ascent(sets, None, solvable=0, local_cuts=True)
    advance(ascent, 60)
    for cut in ascent.proofs[0]:
        if cut.shortfalls is None or len(cut.members) > 6:
            continue
        sums = []
        for order in permutations(range(len(cut.members))):
            before = [sum(1 << u for u in order[:i]) for i in range(len(order))]
            sums.append(
                sum(int(cut.shortfalls[v, mask]) for v, mask in zip(order, before, strict=True))
            )
        assert min(sums) >= cut.due


def test_local_cuts_close_what_clusters_leave() -> None:
    """With clusters alone, some nats are left whatever the rounds."""
    sets = random_parent_sets(8, 60, seed=1)
    best = naive.best_score(naive.as_lists(sets))
    gaps = []
    for local_cuts in (False, True):
        ascent = Ascent(sets, None, solvable=0, local_cuts=local_cuts)
        advance(ascent, 200)
        gaps.append(ascent.bound - best)
    assert any(not cut.level for cut in ascent.proofs[0])
    assert 0.0 <= gaps[1] < 0.1 * gaps[0]


def test_higher_levels_are_used() -> None:
    """Where more parents are always better, the first ones in any order lose the most."""
    rng = np.random.default_rng(1)
    sets = pack(
        [
            sorted(
                (
                    (10.0 * size + rng.uniform(), members)
                    for size in range(4)
                    for members in combinations([u for u in range(7) if u != v], size)
                ),
                reverse=True,
            )
            for v in range(7)
        ]
    )
    ascent = Ascent(sets, None, solvable=0)
    advance(ascent, 40)
    assert {one.level for one in ascent.proofs[0]} == {1, 2, 3}
    best = naive.best_score(naive.as_lists(sets))
    assert best <= ascent.bound < best + 1.0


@settings(max_examples=25)
@given(st.integers(0, 1000), st.integers(1, 3))
def test_the_same_on_any_number_of_threads(seed: int, threads: int) -> None:
    sets = random_parent_sets(CORE_DYNAMIC_VARIABLES + 2, 40, seed=seed)
    one = find_bound(sets, rounds=5, threads=1)
    more = find_bound(sets, rounds=np.int64(5), threads=np.int64(threads))  # type: ignore[arg-type]
    assert (one.bound, one.clusters) == (more.bound, more.clusters)


def test_it_only_gets_better() -> None:
    sets = random_parent_sets(30, 200, seed=1)
    watcher = Bounds()
    found = find_bound(sets, rounds=20, threads=1, watcher=watcher)
    assert len(watcher.bounds) == found.rounds == 20
    assert all(after <= before for before, after in pairwise(watcher.bounds))
    assert watcher.bounds[-1] == found.bound < watcher.bounds[0]
    assert found.clusters > 0


def test_a_known_score_drops_sets() -> None:
    sets = random_parent_sets(20, 300, seed=3)
    known = find_network(sets, generations=20, seed=1, threads=1)
    score = known.score
    found = find_bound(sets, score=score, rounds=100, threads=1)
    assert found.bound >= score
    assert found.sets_left is not None
    assert found.sets_left < 0.5 * len(sets)
    left = surviving_sets(sets, found)
    again = find_network(left, start=known, generations=1, seed=1, threads=1)
    assert again.score >= score - 1e-9  # the network is still there


def test_time_limit_and_cancel() -> None:
    sets = random_parent_sets(60, 200, seed=1)
    found = find_bound(sets, time_limit=0.05, threads=1)
    assert found.stop_reason == "time"
    assert found.seconds >= 0.05
    cancelled = find_bound(sets, time_limit=60, threads=1, watcher=Bounds(cancel=True))
    assert (cancelled.stop_reason, cancelled.rounds) == ("cancelled", 1)
    top = math.fsum(sets.scores[sets.offsets[:-1]])
    assert top <= cancelled.bound <= top + slack(sets)


def test_interrupted_it_keeps_the_best_so_far() -> None:
    sets = random_parent_sets(30, 200, seed=1)
    with pytest.warns(ForebearWarning, match="interrupted: the result is the best bound so far"):
        found = find_bound(sets, time_limit=60, threads=1, watcher=Bounds(interrupt_after=3))
    assert (found.stop_reason, found.rounds) == ("interrupted", 3)
    assert found.bound < math.fsum(sets.scores[sets.offsets[:-1]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_limit": 0}, "time_limit must be positive"),
        ({"rounds": 0}, "rounds must be at least 1"),
        ({"rounds": 2.5}, "rounds must be a whole number, got 2.5"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"score": 1e6}, "which no network of these parent sets has"),
        ({"score": math.nan}, "score must be a number, got nan"),
    ],
)
def test_mistakes(options: dict[str, float], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        find_bound(random_parent_sets(3, 5), **options)  # type: ignore[arg-type]


def test_survivors_need_a_score() -> None:
    sets = random_parent_sets(3, 5)
    with pytest.raises(ForebearError, match="pass score to find_bound"):
        surviving_sets(sets, find_bound(sets))
    with pytest.raises(ForebearError, match="other parent sets"):
        surviving_sets(random_parent_sets(4, 5), find_bound(sets, score=-1e4))


@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="nltcs.train.data is not here")
def test_nltcs_closes() -> None:
    sets = score_parent_sets(Dataset.read(SHARED / "data/small/nltcs.train.data"), max_parents=3)
    score = find_network(sets, generations=20, seed=1, threads=1).score
    proven = find_bound(sets, score=score, time_limit=PATIENCE, threads=1)
    assert proven.stop_reason == "optimal"
    assert 0.0 <= proven.bound - score < 1e-6
    assert proven.bound == pytest.approx(-98963.22, abs=0.01)


@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="nltcs.train.data is not here")
def test_clusters_alone_come_close_on_nltcs() -> None:
    sets = score_parent_sets(Dataset.read(SHARED / "data/small/nltcs.train.data"), max_parents=3)
    proven = bound_of(sets, 200, 0)
    assert -98963.23 < proven.bound < -98925.0
