"""PS-MINOBS: samples are searched in parallel, and widened when the search stalls."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import naive
import numpy as np
import pytest
from searches import CROWDING, PUBLISHED, network, search, steps
from strategies import pack, random_parent_sets

from forebear._util.errors import ForebearError
from forebear.parentsets.collection import ParentSets
from forebear.search.minobs import MINOBS
from forebear.search.psminobs import PSMINOBS, SampleChain
from forebear.search.runner import Outcome
from forebear.search.sampling import sample_ranks
from forebear.search.space import SearchSpace
from forebear.search.stop import MaxGenerations
from forebear.search.threads import Workers

# More than 50 sets per variable, so that they are sampled.
LISTS = random_parent_sets(8, 90, 3, seed=1)
LARGER = random_parent_sets(40, 200, 3, seed=2)
QUICK = MINOBS(population=8, crossovers=6, mutations=1, patience=1.0)


def of_sampled_sets(sets: ParentSets, ranks: list[Any]) -> naive.ScoredSets:
    return [
        [scored[r] for r in chosen]
        for scored, chosen in zip(naive.as_lists(sets), ranks, strict=True)
    ]


def assert_sound(outcome: Outcome, sets: ParentSets) -> None:
    """Check that networks agree with their orders, and scores with their sets."""
    lists = naive.as_lists(sets)
    for runner in outcome.runners:
        assert runner.best is not None
        order = runner.best.order.tolist()
        chosen = [lists[v][r] for v, r in enumerate(runner.best.ranks.tolist())]
        assert runner.best.parents == tuple(parents for _, parents in chosen)
        assert runner.score == math.fsum(score for score, _ in chosen)
        for v, (_, parents) in enumerate(chosen):
            assert set(parents) <= set(order[: order.index(v)])
        trace = outcome.trace.of(runner.number)
        assert trace[-1].score == runner.score
        assert all(a.score < b.score for a, b in pairwise(trace))
        assert all(a.generation < b.generation for a, b in pairwise(trace))
        assert all(a.seconds <= b.seconds for a, b in pairwise(trace))
    assert outcome.winner.score == max(runner.score for runner in outcome.runners)


@pytest.mark.parametrize("variant", [CROWDING, PUBLISHED], ids=["crowding", "published"])
def test_a_fixed_rate_finds_the_best_network_of_the_sample(variant: MINOBS) -> None:
    """Chain 1 of Algorithm 2 uses only the first ranks."""
    algorithm = PSMINOBS(chains=1, rate=0.3, widen=False, minobs=variant)
    outcome = search(LISTS, algorithm, MaxGenerations(10))
    ranks = sample_ranks(SearchSpace(LISTS).counts, 0.3, None)
    assert outcome.winner.score == pytest.approx(naive.best_score(of_sampled_sets(LISTS, ranks)))
    chosen, _ = network(outcome)
    assert all(rank in first for rank, first in zip(chosen, ranks, strict=True))
    assert_sound(outcome, LISTS)


@pytest.mark.parametrize("chains", [1, 3])
@pytest.mark.parametrize("variant", ["crowding", "published"])
def test_widening_ends_at_the_best_network_of_all(chains: int, variant: Any) -> None:
    minobs = MINOBS(variant=variant, population=10, patience=1.0, look_ahead=3)
    algorithm = PSMINOBS(chains=chains, rate=0.05, minobs=minobs)
    outcome = search(LISTS, algorithm, MaxGenerations(60))
    best = naive.best_score(naive.as_lists(LISTS))
    assert all(runner.score == pytest.approx(best) for runner in outcome.runners)
    assert_sound(outcome, LISTS)


def chain(rate: float, s: int = 2, sets: ParentSets = LARGER) -> SampleChain:
    seed = np.random.SeedSequence(5).spawn(s)[-1]
    return PSMINOBS(chains=s, rate=rate, minobs=QUICK).chain(SearchSpace(sets), s, seed)


def test_a_stalled_chain_widens_until_it_has_all_sets() -> None:
    """No step loses the best network."""
    searching = chain(0.1)
    counts = [int(searching.space.counts.sum())]
    best = -math.inf
    with Workers(1) as workers:
        while counts[-1] < len(LARGER):
            searching.advance(workers)
            assert searching.best.score >= best
            best = searching.best.score
            if (count := int(searching.space.counts.sum())) != counts[-1]:
                counts.append(count)
        for _ in range(40):  # from here on it restarts
            searching.advance(workers)
            assert searching.best.score >= best
            best = searching.best.score
    assert counts == sorted(counts)
    assert len(counts) == 5
    np.testing.assert_allclose(np.array(counts) / len(LARGER), [0.1, 0.2, 0.4, 0.8, 1], atol=0.08)


def test_the_same_seed_gives_the_same_networks_for_any_threads() -> None:
    algorithm = PSMINOBS(chains=3, rate=0.1, minobs=QUICK)
    outcomes = [search(LARGER, algorithm, MaxGenerations(25), 3, t) for t in (1, 2, 3, 5)]
    for outcome in outcomes:
        assert network(outcome) == network(outcomes[0])
        assert steps(outcome) == steps(outcomes[0])
        assert_sound(outcome, LARGER)
    other = search(LARGER, algorithm, MaxGenerations(25), 4)
    assert steps(other) != steps(outcomes[0])
    ways = [[step[1:] for step in steps(outcomes[0]) if step[0] == number] for number in (1, 2, 3)]
    assert ways[0] != ways[1] != ways[2]


@pytest.mark.parametrize("widen", [True, False])
@pytest.mark.parametrize("chains", [1, 2])
def test_the_result_is_never_worse_than_the_initial_order(chains: int, widen: bool) -> None:
    """The sets of the initial order are added to the sample."""
    plain = PSMINOBS(rate=1.0, minobs=QUICK)
    found = search(LARGER, plain, MaxGenerations(10)).winner
    assert found.best is not None
    algorithm = PSMINOBS(chains=chains, rate=0.02, widen=widen, minobs=QUICK)
    order = found.best.order.tolist()
    outcome = search(LARGER, algorithm, MaxGenerations(1), orders=[order])
    assert all(runner.score >= found.score for runner in outcome.runners)
    assert_sound(outcome, LARGER)


def test_an_offered_network_replaces_the_worst_member_if_it_is_better() -> None:
    found = search(LARGER, PSMINOBS(rate=1.0, minobs=QUICK), MaxGenerations(30), seed=4).winner.best
    assert found is not None
    searching = chain(1.0)
    with Workers(1) as workers:
        searching.advance(workers)
        before = sorted(member.score for member in searching.population.members)
        assert searching.best.score < found.score
        searching.offer(workers, found)
        assert searching.best.score >= found.score
        after = sorted(member.score for member in searching.population.members)
        assert after[:-1] == before[1:]
        searching.offer(workers, found)  # it is there already
        assert sorted(member.score for member in searching.population.members) == after


def test_scores_that_are_equal_in_ticks() -> None:
    """One list is so wide that a tick is two nats; traces still never fall."""
    lists = naive.as_lists(random_parent_sets(30, 60, 2, seed=6))
    lists[0][-1] = (-2e9, ())
    sets = pack(lists)
    for seed in range(20):
        assert_sound(search(sets, PSMINOBS(rate=1.0, minobs=QUICK), MaxGenerations(15), seed), sets)


def test_too_many_parents_are_rejected() -> None:
    sets = pack([[(-1.0, tuple(range(1, 17))), (-2.0, ())], *[[(-1.0, ())]] * 16])
    what = "the search supports at most 15 parents, but these sets have up to 16"
    with pytest.raises(ForebearError, match=what):
        SearchSpace(sets)


def test_too_many_variables_for_the_memory_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebear.search.space.memory_bytes", lambda: 10_000)
    what = "searching orders of 40 variables needs at least 19 kB; this machine has 10 kB"
    with pytest.raises(ForebearError, match=what):
        SearchSpace(LARGER)
