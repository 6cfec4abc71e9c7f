"""All algorithms: correct scores, the optimum of small problems, reproducible results."""

from __future__ import annotations

import itertools
import math
import time
from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from climbs import naive_ranks, total_ticks
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import acyclic_selection, as_lists
from numpy.typing import NDArray
from searches import CROWDING, PUBLISHED, minobs
from strategies import parent_set_collections, random_parent_sets

from forebear import _core
from forebear._util.errors import ForebearError
from forebear.parentsets.collection import ParentSets
from forebear.search.algorithm import Search
from forebear.search.chain import Solution
from forebear.search.hill_climbing import HillClimbing, Tabu
from forebear.search.minobs import MINOBS
from forebear.search.multistart import ASOBS, INOBS, OBS
from forebear.search.psminobs import PSMINOBS
from forebear.search.runner import run
from forebear.search.space import SearchSpace
from forebear.search.stop import AnyOf, MaxGenerations, Target
from forebear.search.threads import Workers

ALGORITHMS: list[Any] = [
    *(OBS(), OBS(restart_swaps=0), ASOBS(batch=8), INOBS(climbs=3)),
    *(minobs(CROWDING), minobs(PUBLISHED), HillClimbing(), Tabu()),
]
IDS = ["obs", "obs-fresh", "asobs", "inobs", "minobs", "published", "hc", "tabu"]
each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS, ids=IDS)
# A search by arcs never reaches some sets if networks tie.
each_over_orders = pytest.mark.parametrize("algorithm", ALGORITHMS[:6], ids=IDS[:6])
seeds = st.integers(0, 2**32 - 1)


def search(
    algorithm: Any,
    space: SearchSpace,
    seed: int,
    generations: int,
    threads: int = 1,
    orders: tuple[NDArray[np.int32], ...] = (),
    chains: int = 1,
) -> list[Solution]:
    """Run an algorithm for some generations and return the best of each chain."""
    made = Search(space.parent_sets, replace(algorithm, chains=chains), seed, orders)
    runners = made.runners(time.perf_counter())
    outcome = run(runners, stop=MaxGenerations(generations), threads=threads)
    return [runner.best for runner in outcome.runners if runner.best is not None]


@each_algorithm
@given(parent_set_collections(required_parents=True), seeds)
@settings(max_examples=25)
def test_score_and_ranks_are_those_of_the_order(
    algorithm: Any, parent_sets: ParentSets, seed: int
) -> None:
    space = SearchSpace(parent_sets)
    (found,) = search(algorithm, space, seed, generations=3)
    order = found.order.tolist()
    assert sorted(order) == list(range(space.n))
    expected = naive_ranks(parent_sets, order)
    assert found.ranks.tolist() == expected
    assert found.score == space.score(found.ranks)


@each_over_orders
@given(parent_set_collections(max_variables=5), seeds)
@settings(max_examples=25)
def test_finds_the_optimum_of_small_problems(
    algorithm: Any, parent_sets: ParentSets, seed: int
) -> None:
    space = SearchSpace(parent_sets)
    orders = itertools.permutations(range(space.n))
    networks = (naive_ranks(parent_sets, order) for order in orders)
    optimum = max(networks, key=lambda ranks: total_ticks(space, ranks))
    score = space.score(np.array(optimum, dtype=np.int32))
    # Most searches need a few generations.
    stop = AnyOf(Target(score), MaxGenerations(3000))
    runners = Search(parent_sets, algorithm, seed).runners(time.perf_counter())
    outcome = run(runners, stop=stop, threads=1)
    assert outcome.winner.best is not None
    assert outcome.winner.best.score >= score - 1e-6  # the tolerance of a target


@each_algorithm
@pytest.mark.parametrize("n", [30, 300])
def test_same_seed_same_result_with_any_number_of_threads(algorithm: Any, n: int) -> None:
    space = SearchSpace(random_parent_sets(n, 40, seed=n))
    one, three = (
        search(algorithm, space, 7, generations=4, threads=threads, chains=2) for threads in (1, 3)
    )
    for a, b in zip(one, three, strict=True):
        assert a.score == b.score
        assert a.order.tolist() == b.order.tolist()


@each_algorithm
@given(parent_set_collections(), st.data())
@settings(max_examples=25)
def test_the_result_is_never_worse_than_the_initial_orders(
    algorithm: Any, parent_sets: ParentSets, data: st.DataObject
) -> None:
    space = SearchSpace(parent_sets)
    orders = data.draw(st.lists(st.permutations(range(space.n)), min_size=1, max_size=3))
    given_orders = tuple(np.array(order, dtype=np.int32) for order in orders)
    (found,) = search(algorithm, space, 3, generations=1, orders=given_orders)
    rounding = space.n / space.sets.ticks_per_nat
    for order in orders:
        assert found.score >= space.score(np.array(naive_ranks(parent_sets, order))) - rounding


@each_algorithm
def test_a_generation_with_a_spent_budget_has_a_network(algorithm: Any) -> None:
    """No climb begins; the best network is the initial one."""
    space = SearchSpace(random_parent_sets(100, 40, seed=2))
    chain, free = (algorithm.chain(space, 1, np.random.SeedSequence(1)) for _ in range(2))
    with Workers(1) as workers:
        free.advance(workers)
        workers.budget.cancel()
        chain.advance(workers)
    assert sorted(chain.best.order.tolist()) == list(range(100))
    assert chain.best.score < free.best.score


def swap_climb(
    parent_sets: ParentSets, order: list[int], tabu_length: int, patience: int, steps: int
) -> tuple[bool, list[int], int]:
    """Climb by adjacent swaps, all recomputed at each step: (ended, best order, its ticks)."""
    space = SearchSpace(parent_sets)
    score = total_ticks(space, naive_ranks(parent_sets, order))
    best, best_score, idle = order, score, 0
    tabu: deque[set[int]] = deque(maxlen=tabu_length)
    for _ in range(steps):
        chosen: tuple[int, int, list[int]] | None = None
        for i in range(len(order) - 1):
            swapped = [*order[:i], order[i + 1], order[i], *order[i + 2 :]]
            after = total_ticks(space, naive_ranks(parent_sets, swapped))
            if chosen is not None and after <= chosen[0]:
                continue
            if after > best_score or set(order[i : i + 2]) not in tabu:
                chosen = after, i, swapped
        if chosen is None or (chosen[0] <= score and idle >= patience):
            return True, best, best_score
        score, i, swapped = chosen
        tabu.append(set(order[i : i + 2]))
        order, idle = swapped, idle + 1
        if score > best_score:
            best, best_score, idle = order, score, 0
    return False, best, best_score


@given(parent_set_collections(required_parents=True), st.data())
def test_a_climb_by_swaps_equals_the_definition(
    parent_sets: ParentSets, data: st.DataObject
) -> None:
    space = SearchSpace(parent_sets)
    order = data.draw(st.permutations(range(space.n)))
    tabu_length, patience = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 10))
    steps = data.draw(st.integers(0, 12))
    climber = _core.SwapClimber(space.sets, tabu_length, patience)
    climber.start(np.array(order, dtype=np.int32))
    ended = climber.climb(steps)
    found = ended, climber.best_order.tolist(), climber.best_score
    assert found == swap_climb(parent_sets, order, tabu_length, patience, steps)


@given(parent_set_collections(required_parents=True), st.permutations(range(6)))
def test_acyclic_selection_gives_an_order_of_its_network(
    parent_sets: ParentSets, permutation: list[int]
) -> None:
    space, scored = SearchSpace(parent_sets), as_lists(parent_sets)
    order = np.array([v for v in permutation if v < space.n], dtype=np.int32)
    ranks = acyclic_selection(scored, order.tolist())
    with Workers(1) as workers:
        (found,) = workers.run([_core.Job.select(space.sets, order)])
    place = {v: i for i, v in enumerate(found.order.tolist())}
    for v, rank in enumerate(ranks):
        assert all(place[p] < place[v] for p in scored[v][rank][1])
    score, best = _core.best_sets(space.sets, found.order)
    assert score == found.score >= total_ticks(space, ranks)
    assert best.tolist() == found.ranks.tolist()


@pytest.mark.parametrize(
    ("algorithm", "given", "message"),
    [
        (OBS, {"steps": 0}, "steps must be at least 1, got 0"),
        (OBS, {"tabu_length": -1}, "tabu_length must be at least 0, got -1"),
        (ASOBS, {"batch": 0}, "batch must be at least 1, got 0"),
        (INOBS, {"climbs": 0}, "climbs must be at least 1, got 0"),
        (INOBS, {"climbs": 10**12}, "climbs must be at most 1,000,000"),
        (HillClimbing, {"restart_moves": 0}, "restart_moves must be at least 1, got 0"),
        (Tabu, {"chains": 0}, "chains must be at least 1, got 0"),
        (MINOBS, {"variant": "memetic"}, "there is no variant 'memetic' of MINOBS"),
        (MINOBS, {"population": 1}, "population must be at least 2, got 1"),
        (MINOBS, {"population": 2.5}, "population must be a whole number, got 2.5"),
        (MINOBS, {"population": 10**9}, "population must be at most 1,000,000"),
        (MINOBS, {"crossovers": -1}, "crossovers must be at least 0, got -1"),
        (MINOBS, {"crossovers": 0, "mutations": 0}, "requires crossovers or mutations"),
        (MINOBS, {"window": 0}, "window must be at least 1, got 0"),
        (MINOBS, {"mutation_power": 1e9}, "mutation_power must be at most 100"),
        (MINOBS, {"margin": "wide"}, "margin must be a number, got 'wide'"),
        (MINOBS, {"patience": math.nan}, "patience must be a number, got nan"),
        (PSMINOBS, {"chains": 1.5}, "chains must be a whole number"),
        (PSMINOBS, {"rate": 0.0}, "rate must be positive, got 0"),
        (PSMINOBS, {"rate": 1.5}, r"rate must be in \(0, 1\], got 1.5"),
    ],
)
def test_settings_are_checked(algorithm: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        algorithm(**given)
