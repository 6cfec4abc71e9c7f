"""MINOBS in both variants against exhaustive search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searches import CROWDING, PUBLISHED, minobs, network, search, steps
from strategies import pack, parent_set_collections, random_parent_sets

from forebear._util.errors import ForebearError
from forebear.search.minobs import MINOBS
from forebear.search.space import SearchSpace
from forebear.search.stop import MaxGenerations

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets

SEEDS = st.integers(0, 2**32)
VARIANTS = pytest.mark.parametrize("variant", [CROWDING, PUBLISHED], ids=["crowding", "published"])


@VARIANTS
@given(
    sets=parent_set_collections(max_variables=7)
    | parent_set_collections(max_variables=6, required_parents=True),
    seed=SEEDS,
)
@settings(max_examples=40)
def test_finds_the_best_network_of_few_variables(
    variant: MINOBS, sets: ParentSets, seed: int
) -> None:
    """Also where sets are not allowed, if some order does without them."""
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


@VARIANTS
def test_the_same_seed_gives_the_same_network_for_any_threads(variant: MINOBS) -> None:
    sets = random_parent_sets(40, 200, 3, seed=1)
    outcomes = [search(sets, minobs(variant), MaxGenerations(8), 3, t) for t in (1, 2, 3)]
    assert all(network(other) == network(outcomes[0]) for other in outcomes[1:])
    assert all(steps(other) == steps(outcomes[0]) for other in outcomes[1:])
    other = search(sets, minobs(variant), MaxGenerations(8), 4)
    assert steps(other) != steps(outcomes[0])


@VARIANTS
def test_the_score_is_that_of_the_order_and_of_the_sets(variant: MINOBS) -> None:
    sets = random_parent_sets(15, 60, 2, seed=2)
    outcome = search(sets, minobs(variant), MaxGenerations(15))
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
def test_restarts_when_it_stands_still(variant: MINOBS) -> None:
    """A problem solved at once: the population starts afresh again and again, and loses nothing."""
    sets = random_parent_sets(6, 20, 2, seed=4)
    outcome = search(sets, minobs(variant), MaxGenerations(120))
    assert outcome.winner.score == pytest.approx(naive.best_score(naive.as_lists(sets)))
    assert outcome.winner.generation == 120


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"variant": "memetic"}, "there is no variant 'memetic' of MINOBS"),
        ({"population": 1}, "population must be at least 2, got 1"),
        ({"crossovers": -1}, "crossovers must be at least 0, got -1"),
        ({"mutations": -2}, "mutations must be at least 0, got -2"),
        ({"crossovers": 0, "mutations": 0}, "a generation requires crossovers or mutations"),
        ({"keep": -1}, "keep must be at least 0, got -1"),
        ({"window": 0}, "window must be at least 1, got 0"),
        ({"look_ahead": 0}, "look_ahead must be at least 1, got 0"),
        ({"mutation_power": -0.5}, "mutation_power must be at least 0, got -0.5"),
        ({"patience": math.nan}, "patience must be a number, got nan"),
    ],
)
def test_settings_that_make_no_sense(given: dict[str, Any], what: str) -> None:
    with pytest.raises(ForebearError, match=what):
        MINOBS(**given)
