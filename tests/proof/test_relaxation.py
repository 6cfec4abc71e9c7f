"""Relaxations: networks satisfy the cuts, and what a solution proves holds for all of them."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from scipy.optimize import linprog
from strategies import random_parent_sets

from forebear import _core
from forebear.budget import Clock
from forebear.proof.cut_kinds import as_rows
from forebear.proof.flat_sets import FlatSets
from forebear.proof.integer_costs import IntegerCosts
from forebear.proof.relaxation import Point, Relaxation
from forebear.proof.separation import find_cuts

SEEDS = range(6)
TICKS = 2.0**30
ENOUGH = 2**60


def relaxation_of(flat: FlatSets, sets_each: int = 2, rounds: int = 0) -> Relaxation:
    """Begin with a few sets of every variable, and add cuts for some rounds."""
    given = np.flatnonzero(np.arange(len(flat)) - flat.starts[:-1][flat.child] < sets_each)
    relaxation = Relaxation(flat, given)
    for _ in range(rounds):
        relaxation.add(find_cuts(solve(relaxation).solution, flat, _core.Budget(None), 1, 1)[0])
    return relaxation


def solve(relaxation: Relaxation) -> Point:
    everything = np.ones(len(relaxation.sets), dtype=bool)
    point = relaxation.solve(everything, ENOUGH, Clock())
    assert point is not None
    return point


@pytest.mark.parametrize("seed", SEEDS)
def test_networks_satisfy_cuts_and_the_bound_reaches_the_optimum(seed: int) -> None:
    sets = random_parent_sets(5, 8, seed=seed)
    flat = FlatSets.of(IntegerCosts(sets, TICKS))
    lists = naive.as_lists(sets)
    ranks = [{own: rank for rank, (_, own) in enumerate(each)} for each in lists]
    dags = sets.offsets[:-1] + np.array(
        [[ranks[v][own] for v, own in enumerate(dag)] for _, dag in naive.all_networks(lists)]
    )
    costs = flat.cost[dags].sum(axis=1)
    relaxation = relaxation_of(flat)
    before = -1e-3 * TICKS
    while True:
        point = solve(relaxation)
        assert before - 1e-6 * TICKS <= point.cost <= costs.min()
        before = point.cost
        for place in range(len(flat)):  # what networks with a set cost at least
            having = costs[(dags == place).any(axis=1)]
            assert point.cost + point.extra[place] <= having.min(initial=ENOUGH)
        cuts, _ = find_cuts(point.solution, flat, _core.Budget(None), 1, 1)
        for cut, row in zip(cuts, as_rows(cuts, flat).toarray() if cuts else (), strict=True):
            assert row[dags].sum(axis=1).max() <= cut.limit
            weight = float((row[point.solution.chosen] * point.solution.weight).sum())
            assert weight > cut.limit + 1e-5 * cut.largest
            assert row.max() <= cut.largest
            # The most that sets without regard to cycles count.
            assert sum(row[flat.span(v)].max() for v in range(5)) <= cut.most
        if not cuts:
            break
        relaxation.add(cuts)
    # All five variables fit into one group, so that the cuts leave networks alone.
    assert point.cost == pytest.approx(costs.min(), abs=1e-2 * TICKS)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_program_has_the_value_of_one_that_is_written_down_plainly(seed: int) -> None:
    flat = FlatSets.of(IntegerCosts(random_parent_sets(6, 20, seed=seed), TICKS))
    relaxation = relaxation_of(flat, rounds=4)
    plain = linprog(
        flat.cost / TICKS,
        A_ub=as_rows(relaxation.cuts, flat).toarray(),
        b_ub=[cut.limit for cut in relaxation.cuts],
        A_eq=(flat.child == np.arange(6)[:, None]).astype(float),
        b_eq=np.ones(6),
    )
    point = solve(relaxation)
    assert point.cost / TICKS == pytest.approx(plain.fun, abs=1e-5)
    # Cuts that do not bind make no difference.
    relaxation.remove(point.prices <= 0)
    assert len(relaxation.cuts) == np.count_nonzero(point.prices > 0)
    assert solve(relaxation).cost == pytest.approx(point.cost, abs=1e-6 * TICKS)
