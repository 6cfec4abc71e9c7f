"""Crossovers, and MINOBS in both variants against exhaustive search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searches import CROWDING, PUBLISHED, minobs, network, search, steps
from strategies import pack, parent_set_collections, random_parent_sets
from test_climb import NO_LIMIT, numbers, started

from forebear._util.errors import ForebearError
from forebear.search.crossovers import cycle, order_based, rank
from forebear.search.minobs import MINOBS
from forebear.search.space import SearchSpace
from forebear.search.stop import MaxGenerations

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets

ORDERS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))
)
SEEDS = st.integers(0, 2**32)
VARIANTS = pytest.mark.parametrize("variant", [CROWDING, PUBLISHED], ids=["crowding", "published"])


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
@settings(max_examples=50, deadline=None)
def test_network_crossover(sets: ParentSets, data: st.DataObject, seed: int) -> None:
    space = SearchSpace(sets)
    x, y = (started(space, data.draw(st.permutations(range(space.n)))) for _ in range(2))
    child = space.sets.cross(x.order, x.ranks, y.order, y.ranks, numbers(seed))
    assert sorted(child.tolist()) == list(range(space.n))
    again = space.sets.cross(x.order, x.ranks, y.order, y.ranks, numbers(seed))
    assert child.tolist() == again.tolist()
    itself = space.sets.cross(x.order, x.ranks, x.order, x.ranks, numbers(seed))
    assert started(space, itself).score >= x.score


def test_network_crossover_inherits() -> None:
    """Most variables of a child have the set that they have in x or in y."""
    space = SearchSpace(random_parent_sets(60, 300, 3, seed=1))
    random = numbers(1)
    x, y = (started(space, random.permutation(space.n)) for _ in range(2))
    for climber in (x, y):
        climber.climb(random, NO_LIMIT)
    for _ in range(20):
        child = started(space, space.sets.cross(x.order, x.ranks, y.order, y.ranks, random))
        inherited = (child.ranks == x.ranks) | (child.ranks == y.ranks)
        assert inherited.mean() > 0.6


@VARIANTS
@given(sets=parent_set_collections(max_variables=7), seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_finds_the_best_network_of_few_variables(
    variant: MINOBS, sets: ParentSets, seed: int
) -> None:
    outcome = search(sets, minobs(variant), MaxGenerations(5), seed)
    best = naive.best_score(naive.as_lists(sets))
    tick = 1 / SearchSpace(sets).sets.ticks_per_nat
    assert outcome.winner.score == pytest.approx(best, rel=1e-12, abs=sets.n_variables * tick)


@VARIANTS
@given(sets=parent_set_collections(max_variables=6, required_parents=True), seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_avoids_sets_that_are_not_allowed(variant: MINOBS, sets: ParentSets, seed: int) -> None:
    """Wherever some order does without them."""
    outcome = search(sets, minobs(variant), MaxGenerations(5), seed)
    best = naive.best_score(naive.as_lists(sets))
    tick = 1 / SearchSpace(sets).sets.ticks_per_nat
    assert outcome.winner.score == pytest.approx(best, rel=1e-12, abs=sets.n_variables * tick)


def with_required_arcs(n: int, n_arcs: int, seed: int) -> ParentSets:
    """Draw sets of which every one of a variable holds its required parents, up to three."""
    rng = np.random.default_rng(seed)
    required: list[set[int]] = [set() for _ in range(n)]
    for parent, child in np.sort(rng.integers(0, n, (n_arcs, 2)), axis=1).tolist():
        if parent < child and len(required[child]) < 3:
            required[child].add(parent)
    lists = naive.as_lists(random_parent_sets(n, 40, 2, seed=seed))
    for v, members in enumerate(required):
        if members:
            joined = {tuple(sorted({*parents, *members} - {v})): s for s, parents in lists[v]}
            scored = [(s, parents) for parents, s in joined.items()]
            lists[v] = naive.best_first([*scored, (-math.inf, ())])
    return pack(lists)


@VARIANTS
def test_many_required_parents(variant: MINOBS) -> None:
    """A random order of these gives dozens of variables a set that is not allowed."""
    sets = with_required_arcs(100, 300, seed=1)
    outcome = search(sets, minobs(variant), MaxGenerations(3))
    assert all(math.isfinite(step.score) for step in outcome.trace)


@given(parent_set_collections(min_variables=2, required_parents=True), st.data())
@settings(deadline=None)
def test_mended_orders(sets: ParentSets, data: st.DataObject) -> None:
    """Required parents precede unless they make a cycle; orders that are fine stay as they are."""
    space = SearchSpace(sets)
    order = np.array(data.draw(st.permutations(range(space.n))), dtype=np.int32)
    result = space.mended(order)
    assert result.dtype == np.int32
    assert sorted(result.tolist()) == list(range(space.n))
    assert space.mended(result).tolist() == result.tolist()
    if started(space, order).score > -(2**31 - 1):
        assert result.tolist() == order.tolist()
    lists = naive.as_lists(sets)
    for v, scored in enumerate(lists):
        allowed = [set(parents) for score, parents in scored if score > -math.inf]
        required = set.intersection(*allowed) if allowed else set()
        acyclic = math.isfinite(naive.best_score(lists))
        if acyclic and (-math.inf, ()) in scored:
            assert required <= set(result[: result.tolist().index(v)].tolist())


def test_required_parents_in_a_cycle_come_last() -> None:
    lists: naive.ScoredSets = [
        [(-1.0, (1,)), (-math.inf, ())],
        [(-1.0, (0,)), (-math.inf, ())],
        [(-1.0, ())],
    ]
    space = SearchSpace(pack(lists))
    assert space.mended(np.array([1, 0, 2], dtype=np.int32)).tolist() == [2, 1, 0]


@VARIANTS
@pytest.mark.parametrize("seed", range(3))
def test_finds_the_best_network_of_random_sets(variant: MINOBS, seed: int) -> None:
    sets = random_parent_sets(9, 60, 3, seed=seed)
    outcome = search(sets, minobs(variant), MaxGenerations(5), seed)
    assert outcome.winner.score == pytest.approx(naive.best_score(naive.as_lists(sets)))


@VARIANTS
def test_the_same_seed_gives_the_same_network_for_any_threads(variant: MINOBS) -> None:
    sets = random_parent_sets(40, 200, 3, seed=1)
    outcomes = [search(sets, minobs(variant), MaxGenerations(8), 3, t) for t in (1, 2, 3)]
    assert all(network(other) == network(outcomes[0]) for other in outcomes[1:])
    assert all(steps(other) == steps(outcomes[0]) for other in outcomes[1:])
    other = search(sets, minobs(variant), MaxGenerations(8), 4)
    assert steps(other) != steps(outcomes[0])


@pytest.mark.parametrize("crossover", ["network", "ob", "cx", "rk"])
@pytest.mark.parametrize("variant", ["crowding", "published"])
def test_every_crossover_in_every_variant(
    variant: Literal["crowding", "published"], crossover: Literal["network", "ob", "cx", "rk"]
) -> None:
    sets = random_parent_sets(15, 60, 2, seed=2)
    chosen = MINOBS(variant=variant, crossover=crossover, population=10)
    outcome = search(sets, minobs(chosen), MaxGenerations(15))
    lists = naive.as_lists(sets)
    ranks, score = network(outcome)
    assert outcome.winner.best is not None
    assert score == naive.order_score(lists, outcome.winner.best.order.tolist())
    assert score == math.fsum(lists[v][r][0] for v, r in enumerate(ranks))


@VARIANTS
def test_a_warm_start_is_never_worse(variant: MINOBS) -> None:
    sets = random_parent_sets(30, 200, 3, seed=3)
    lists = naive.as_lists(sets)
    order = list(range(30))
    for _ in range(3):
        outcome = search(sets, minobs(variant), MaxGenerations(1), orders=[order])
        assert outcome.winner.best is not None
        assert outcome.winner.score >= naive.order_score(lists, order)
        order = outcome.winner.best.order.tolist()


@VARIANTS
@pytest.mark.parametrize("n", [1, 2, 3, 260])
def test_variables_without_candidates(variant: MINOBS, n: int) -> None:
    outcome = search(pack([[(-1.0, ())]] * n), minobs(variant), MaxGenerations(3))
    assert network(outcome) == ([0] * n, -float(n))


@VARIANTS
def test_two_variables(variant: MINOBS) -> None:
    sets = pack([[(-1.0, (1,)), (-5.0, ())], [(-2.0, (0,)), (-3.0, ())]])
    assert network(search(sets, minobs(variant), MaxGenerations(2))) == ([0, 1], -4.0)


@VARIANTS
def test_restarts_when_it_stands_still(variant: MINOBS) -> None:
    """A problem solved at once: the population starts afresh again and again, and loses nothing."""
    sets = random_parent_sets(6, 20, 2, seed=4)
    outcome = search(sets, minobs(variant), MaxGenerations(120))
    assert outcome.winner.score == pytest.approx(naive.best_score(naive.as_lists(sets)))
    assert outcome.winner.generation == 120


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"variant": "memetic"}, "no variant of MINOBS is called 'memetic'"),
        ({"crossover": "pmx"}, "no crossover is called 'pmx': there are network, ob, cx, rk"),
        ({"population": 1}, "population must be at least 2, got 1"),
        ({"crossovers": -1}, "crossovers must be at least 0, got -1"),
        ({"mutations": -2}, "mutations must be at least 0, got -2"),
        ({"crossovers": 0, "mutations": 0}, "a generation needs crossovers or mutations"),
        ({"keep": -1}, "keep must be at least 0, got -1"),
        ({"window": 0}, "window must be at least 1, got 0"),
        ({"look_ahead": 0}, "look_ahead must be at least 1, got 0"),
        ({"mutation_power": -0.5}, "mutation_power must be at least 0, got -0.5"),
        ({"patience": math.nan}, "patience must be at least 0, got nan"),
    ],
)
def test_settings_that_make_no_sense(given: dict[str, Any], what: str) -> None:
    with pytest.raises(ForebearError, match=what):
        MINOBS(**given)
