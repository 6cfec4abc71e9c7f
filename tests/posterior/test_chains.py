"""Chains: against exact sums, under relations, stopped, thinned; their temperatures."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from naive_posterior import arc_matrix, drawn, empty_ranks, network_probabilities, random_sets
from waiting import PATIENCE

from forebear import ForebearError, Watcher
from forebear.knowledge.relations import Relations
from forebear.posterior.chains import (
    ChainSettings,
    adjust_temperatures,
    run_chains,
    start_ranks,
)

RELATIONS = [
    Relations(),
    Relations(before=((0, 1), (1, 2))),
    Relations(ancestors=((2, 0),)),
    Relations(not_ancestors=((0, 3), (3, 1))),
    Relations(adjacent=((1, 3),), not_ancestors=((1, 0),)),
    Relations(before=((3, 2),), ancestors=((0, 2),), adjacent=((0, 3),)),
]


@pytest.mark.parametrize("relations", RELATIONS)
@pytest.mark.parametrize("temperatures", [1, 3])
def test_probabilities_are_near_the_exact_ones(relations: Relations, temperatures: int) -> None:
    sets = random_sets(4, 3)
    shares = {
        ranks: share
        for ranks, share in network_probabilities(sets)[0].items()
        if relations.holds([sets.at(v, rank + 1).parents for v, rank in enumerate(ranks)])
    }
    total = sum(shares.values())
    exact = arc_matrix(sets, {ranks: share / total for ranks, share in shares.items()})
    starts = np.array([min(shares)] * 4, dtype=np.int32)
    settings = ChainSettings(4, temperatures, 2, 1, None, 20_000)
    found = run_chains(sets, starts, settings, relations=relations)
    assert all(relations.holds(one.parents) for one in found.networks())
    np.testing.assert_allclose(found.matrix(), exact, atol=0.03)


def test_the_same_seed_gives_the_same_draws() -> None:
    first, second = drawn(sweeps=300, threads=1), drawn(sweeps=300, threads=2)
    assert first.draws.tolist() == second.draws.tolist()
    assert first.arcs == second.arcs
    assert drawn(sweeps=300, chains=3).draws.tolist() == first.draws[:3].tolist()
    assert first.draws[0].tolist() != first.draws[1].tolist()


def test_a_time_limit_is_kept() -> None:
    timed = drawn(sweeps=None, seconds=0.5, temperatures=2)
    assert timed.about["seconds"] < PATIENCE
    assert timed.n_draws > 10
    assert timed.about["stop_reason"] == "time"


@pytest.mark.parametrize(("after", "warmed_up"), [(0.0, False), (0.5, True)])
def test_ctrl_c_keeps_the_draws(after: float, warmed_up: bool) -> None:
    class Interrupting(Watcher):
        def sampling(self, fraction: float, sweeps: int) -> None:
            if fraction > after:
                raise KeyboardInterrupt

    sets = random_sets(4, 1)
    starts = np.array([empty_ranks(sets)] * 4, dtype=np.int32)
    found = run_chains(sets, starts, ChainSettings(4, 1, 2, 1, None, 400), watcher=Interrupting())
    assert found.about["stop_reason"] == "interrupted"
    assert found.n_draws > 0
    assert (found.about["warm_up"] > 0) == warmed_up
    reason = "it was interrupted during the warm-up"
    assert (found.diagnostics.reason == reason) != warmed_up


def test_many_sweeps_are_thinned() -> None:
    made = drawn(sweeps=50_000)
    assert 2000 <= made.n_draws <= 4000
    assert made.about["sweeps"] == made.about["thin"] * made.n_draws


def test_starts() -> None:
    sets = random_sets(4, 1)
    empty, arc = ((), (), (), ()), ((), (0,), (), ())
    assert sets.find(1, (0,)) is not None
    both = start_ranks(sets, [empty, arc], 2)
    assert both[0].tolist() == empty_ranks(sets)
    assert both[1].tolist() != both[0].tolist()
    only = start_ranks(sets, [empty, arc], 2, lambda parents: 0 in parents[1])
    assert only.tolist() == [both[1].tolist()] * 2
    with pytest.raises(ForebearError, match="no network that can be sampled satisfies"):
        start_ranks(sets, [empty], 2, lambda _: False)


def test_temperatures_are_adjusted() -> None:
    betas = [1.0, 0.6, 0.36]
    wide = adjust_temperatures(betas, np.array([[1000, 700], [1000, 50]]))
    assert wide[0] == 1.0
    assert wide[1] < 0.6  # exchanges succeeded too often: further apart
    assert wide[2] / wide[1] > 0.6  # and too seldom: nearer
    same = adjust_temperatures(betas, np.array([[10_000, 3000]] * 2))
    assert same == pytest.approx(betas, abs=1e-3)
    assert adjust_temperatures(betas, np.array([[5, 5], [0, 0]])) == pytest.approx(betas)  # too few
    hot = adjust_temperatures([0.9**k for k in range(40)], np.array([[100, 100]] * 39))
    assert all(a > b > 0.0 for a, b in itertools.pairwise(hot))
