"""The opening of a search whose sets grow, the guest it leaves, and larger restarts."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from forebear import MINOBS, PSMINOBS, Network, score_network, score_parent_sets, simulate
from forebear.knowledge.relations import Relations
from forebear.scoring.growing import network_sets
from forebear.scoring.job import make_job
from forebear.search.growingchain import MOST_MEMBERS, GrowingChain
from forebear.search.growth import Growth, Guest
from forebear.search.opening import OpeningChain
from forebear.search.persistence.grown import describe_growth, make_growth
from forebear.search.population import FEWEST_CLIMBS
from forebear.search.threads import Workers

if TYPE_CHECKING:
    from forebear import ParentSet

TABLE = simulate(20, 400, states=(2, 3), max_parents=4, seed=11).data
FIRST = score_parent_sets(TABLE, max_parents=1)
SMALL = PSMINOBS(minobs=MINOBS(population=6))
SEED = np.random.SeedSequence(1)


def growth(guest: Guest | None = None, *, opens: bool = False) -> Growth:
    job = make_job(TABLE, max_parents=1)
    return Growth(FIRST, job, [6] * 20, 1 << 40, timed=False, guest=guest, opens=opens)


def best_sets(chain: GrowingChain) -> list[ParentSet]:
    ranks = chain.space.full_ranks(chain.population.best.ranks)
    return [chain.space.parent_sets.at(v, int(rank) + 1) for v, rank in enumerate(ranks)]


def score(chain: GrowingChain) -> float:
    return math.fsum(one.score for one in best_sets(chain))


def parents(chain: GrowingChain) -> tuple[tuple[int, ...], ...]:
    return tuple(one.parents for one in best_sets(chain))


def opened() -> OpeningChain:
    """Return an opening that has come as far as it can in a few steps."""
    chain = growth(opens=True).chain(SMALL, SEED)
    assert isinstance(chain, OpeningChain)
    with Workers(1) as workers:
        for _ in range(30):
            chain.advance(workers)
    return chain


def guest() -> Guest:
    chain = opened()
    best = chain.population.best
    ranks = chain.space.full_ranks(best.ranks)
    return Guest(best.order, network_sets(chain.space.parent_sets, ranks))


def test_the_opening_brings_one_network_far() -> None:
    chain = growth(opens=True).chain(SMALL, SEED)
    scores = []
    with Workers(1) as workers:
        chain.advance(workers)
        assert len(chain.population.members) == FEWEST_CLIMBS
        for _ in range(30):
            chain.advance(workers)
            scores.append(score(chain))
    assert all(b >= a - 1e-6 for a, b in pairwise(scores))
    assert scores[-1] > scores[0]
    assert max(map(len, parents(chain))) > 1
    network = Network(TABLE.names, parents(chain))
    assert scores[-1] == pytest.approx(score_network(network, TABLE), rel=1e-9)


def test_a_population_meets_the_guest_when_it_stalls() -> None:
    one = guest()
    chain = growth(one).chain(SMALL, SEED)
    assert len(chain.space.parent_sets) == len(FIRST)  # it starts without the sets of the guest
    goal = score(opened())
    with Workers(1) as workers:
        for _ in range(500):
            assert chain.restarts == 0
            chain.advance(workers)
            if chain.met:
                break
    assert chain.met
    assert score(chain) >= goal - 1e-6


def test_the_guest_is_in_checkpoints_and_on_other_machines() -> None:
    one = guest()
    given = growth(one)
    about = describe_growth(given, None)
    again = make_growth(about, FIRST, TABLE, 1, Relations())
    assert again.guest is not None
    np.testing.assert_array_equal(again.guest.order, one.order)
    np.testing.assert_array_equal(again.guest.sets.scores, one.sets.scores)
    np.testing.assert_array_equal(again.guest.sets.parents, one.sets.parents)
    chain = given.chain(SMALL, SEED)
    with Workers(1) as workers:
        for _ in range(3):
            chain.advance(workers)
        assert not chain.met
        other = again.resumed(SMALL, chain.state())
        for _ in range(60):
            chain.advance(workers)
            other.advance(workers)
    assert chain.met
    assert other.met
    assert score(other) == score(chain)
    assert parents(other) == parents(chain)


def test_restarted_populations_are_larger() -> None:
    chain = growth().chain(SMALL, SEED)
    sizes = {}
    with Workers(1) as workers:
        while chain.restarts < 4:
            sizes[chain.restarts] = chain.population.size
            chain.advance(workers)
    assert sizes[0] * 8 == sizes[1] * 4 == sizes[2] * 2 == sizes[3]
    assert max(sizes.values()) <= MOST_MEMBERS
