"""ConstrainedChain: only networks that respect the relations are kept, wherever they come from."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from strategies import random_parent_sets

from forebear import PSMINOBS, simulate
from forebear.knowledge.relations import Relations
from forebear.scoring.job import make_job
from forebear.scoring.score_job import score_job
from forebear.search.algorithm import Search
from forebear.search.chain import Solution
from forebear.search.constrained_chain import ConstrainedChain
from forebear.search.growth import Growth
from forebear.search.multistart import INOBS
from forebear.search.runner import run
from forebear.search.stop import MaxGenerations
from forebear.search.threads import Workers

RELATIONS = Relations(
    ancestors=((0, 5), (7, 2)), not_ancestors=((3, 1), (4, 8)), adjacent=((6, 9),)
)


def fixed_search(seed: int) -> Search:
    """Search a fixed collection, with one climb per generation."""
    sets = random_parent_sets(20, 60, 3, seed=1)
    return Search(sets, INOBS(climbs=1), seed, relations=RELATIONS)


def growing_search(seed: int) -> Search:
    job = make_job(simulate(20, 400, states=(2, 3), max_parents=4, seed=11).data, max_parents=1)
    first = score_job(job)
    growth = Growth(first, job, [6] * 20, 1 << 40, RELATIONS)
    return Search(first, PSMINOBS(), seed, growth=growth, relations=RELATIONS)


each_collection = pytest.mark.parametrize("make", [fixed_search, growing_search])


def best_of(search: Search, generations: int) -> Solution:
    outcome = run(search.runners(time.perf_counter()), stop=MaxGenerations(generations), threads=1)
    assert outcome.winner.best is not None
    return outcome.winner.best


def without_relations(search: Search) -> Search:
    growth = search.growth
    if growth is not None:
        growth = replace(growth, relations=Relations())
    return replace(search, growth=growth, relations=None)


@each_collection
def test_an_offered_network_is_used_only_if_it_respects_the_relations(
    make: Callable[[int], Search],
) -> None:
    search = make(1)
    chain = search.runners(0.0)[0].chain
    assert isinstance(chain, ConstrainedChain)
    valid, invalid = best_of(make(2), 150), best_of(without_relations(search), 150)
    assert RELATIONS.holds(valid.parents)
    assert not RELATIONS.holds(invalid.parents)
    with Workers(1) as workers:
        chain.advance(workers)
        before = chain.best
        assert before.score < min(valid.score, invalid.score)
        chain.offer(workers, invalid)
        assert chain.best.parents == before.parents
        chain.offer(workers, valid)
        assert chain.best.score >= valid.score
        for _ in range(30):
            chain.advance(workers)
            assert chain.best.score >= valid.score
            assert RELATIONS.holds(chain.best.parents)
            assert all(RELATIONS.holds(one.parents) for one in chain.networks())


@each_collection
def test_restored_chains_continue_identically(make: Callable[[int], Search]) -> None:
    search = make(1)
    whole, parts = (search.runners(0.0)[0] for _ in range(2))
    with Workers(1) as workers:
        for number in range(60):
            whole.step(workers)
            parts.step(workers)
            assert parts.chain.best.parents == whole.chain.best.parents
            assert parts.chain.networks() == whole.chain.networks()
            if number % 7 == 0:
                parts = search.runner(1, 0.0, parts.state())


def test_a_forged_state_is_rejected() -> None:
    """Its best network violates the relations."""
    search = fixed_search(seed=1)
    runner = search.runners(0.0)[0]
    with Workers(1) as workers:
        runner.step(workers)
    state = runner.state()
    empty = (search.parent_sets.counts - 1).astype(np.int32)
    state["chain"]["valid"]["ranks"] = empty
    with pytest.raises(ValueError, match="violates the knowledge"):
        search.runner(1, 0.0, state)
