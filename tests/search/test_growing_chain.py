"""GrowingChain: runs of growing size that depend only on the seed."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from searches import network, steps

from forebear import PSMINOBS, score_network, simulate
from forebear.network.network import Network
from forebear.scoring.job import make_job
from forebear.scoring.score_job import score_job
from forebear.search.chain import Solution
from forebear.search.checkpoint import _as_json
from forebear.search.growing_chain import GrowingChain
from forebear.search.growth import Growth
from forebear.search.runner import Outcome, Runner, run
from forebear.search.stop import MaxGenerations
from forebear.search.threads import Workers

N = 20  # with fewer variables, all sets are scored
TABLE = simulate(N, 400, states=(2, 3), max_parents=4, seed=11).data


@cache
def growth(n_rows: int = 400, max_parents: int = 6) -> Growth:
    data = TABLE if n_rows == 400 else simulate(N, n_rows, max_parents=5, seed=3).data
    job = make_job(data, max_parents=1)
    return Growth(score_job(job), job, [max_parents] * N, 1 << 40)


def chain(grows: Growth, seed: int = 1) -> GrowingChain:
    made = grows.chain(PSMINOBS(), np.random.SeedSequence(seed))
    assert isinstance(made, GrowingChain)
    return made


def search(generations: int, threads: int = 1, grows: Growth | None = None) -> Outcome:
    runner = Runner(1, chain(grows or growth()), time.perf_counter())
    return run([runner], stop=MaxGenerations(generations), threads=threads)


def generations(searched: GrowingChain, count: int) -> Iterator[int]:
    """Run some generations, and count them from 1."""
    with Workers(1) as workers:
        for number in range(1, count + 1):
            searched.advance(workers)
            yield number


def test_the_search_does_not_depend_on_the_limit() -> None:
    """A search of 30 generations equals the first half of one of 60."""
    short, long = search(30), search(60)
    assert steps(short) == [step for step in steps(long) if step[1] <= 30]
    assert long.winner.chain is not None
    assert long.winner.chain.runs > 0


def test_the_same_on_any_number_of_threads() -> None:
    one, *others = (search(40, threads) for threads in (1, 2, 3))
    for other in others:
        assert network(other) == network(one)
        assert steps(other) == steps(one)
        assert other.winner.chain.networks() == one.winner.chain.networks()


def test_the_best_network_of_earlier_runs_is_not_lost_and_joins() -> None:
    searched = chain(growth())
    best, joined, earlier = -math.inf, 0, 0
    for _ in generations(searched, 60):
        assert searched.best.score >= best
        best = searched.best.score
        found = searched.networks()
        assert found[0] == (best, searched.best.parents)
        assert len({one.parents for one in found}) == len(found)
        if searched.runs:
            earlier = max(earlier, len(found) - len(searched.population.members))
        if searched.runs and searched.joined and searched.population.members:
            joined += 1
            own = max(searched.space.score(m.ranks) for m in searched.population.members)
            assert own == pytest.approx(best, rel=1e-12)
        sets = searched.parent_sets()
        assert all(sets.find(v, own) for v, own in enumerate(searched.best.parents))
    assert joined
    assert earlier
    for one in found[:10]:
        assert one.score == pytest.approx(
            score_network(Network(TABLE.names, one.parents), TABLE, "bdeu")
        )


def best_of_many() -> Solution:
    """Return a network that a few generations do not find."""
    found = search(80).winner.best
    assert found is not None
    return found


def test_a_start_network_is_the_result_if_nothing_better_is_found() -> None:
    start = best_of_many()
    assert search(1).winner.score < start.score
    for count in (1, 3):
        outcome = search(count, grows=replace(growth(), start=start.alone()))
        assert outcome.winner.score >= start.score
        sets = outcome.winner.chain.parent_sets()
        assert sets is not None
        assert all(sets.find(v, own) for v, own in enumerate(start.parents))


def test_an_offered_network_is_added_with_its_sets() -> None:
    """A better one is the best network from then on; a worse one changes nothing."""
    better, searched, worse = best_of_many(), chain(growth(), seed=2), chain(growth(), seed=3)
    with Workers(1) as workers:
        for one in (searched, worse):
            one.advance(workers)
        assert worse.best.score < better.score
        searched.offer(workers, better)
        assert searched.best.score >= better.score
        sets = searched.space.parent_sets
        assert all(sets.find(v, own) for v, own in enumerate(better.parents))
        best = searched.best
        searched.offer(workers, worse.best)
        assert searched.best is best


@pytest.mark.parametrize("n_rows", [400, 20_000])
def test_a_restored_chain_continues_identically(n_rows: int) -> None:
    """At any generation. With many rows sets are large, and some of their subsets are dropped."""
    whole, parts = chain(growth(n_rows, 12)), chain(growth(n_rows, 12))
    with Workers(1) as workers:
        for number in range(50):
            whole.advance(workers)
            parts.advance(workers)
            one, other = whole.state(), parts.state()
            for state in (one, other):  # resumed searches score families again
                del state["families"]
            assert as_text(one) == as_text(other)
            if number % 3 == 0:
                resumed = growth(n_rows, 12).resumed(PSMINOBS(), parts.state())
                assert isinstance(resumed, GrowingChain)
                parts = resumed
    assert whole.runs > 1


def as_text(state: object) -> str:
    if isinstance(state, dict):
        return str({name: as_text(own) for name, own in state.items()})
    if isinstance(state, list | tuple):
        return str([as_text(own) for own in state])
    return str(_as_json(state)) if isinstance(state, np.ndarray) else str(state)


def test_after_a_proof_all_further_sets_are_scored() -> None:
    """First the neighbors of the best network's sets, then the sets of all sources."""
    searched = chain(growth())
    with Workers(1) as workers:
        searched.advance(workers)
        before = len(searched.parent_sets())
        assert searched.add_sets(workers)
        while not searched.exhausted:
            searched.advance(workers)
        assert len(searched.parent_sets()) > before
        assert any(not searched.add_sets(workers) for _ in range(2))
    assert searched.parent_sets().complete.tolist() == [2] * N
