"""The dual ascent: what multipliers of clusters and local cuts prove, by definition."""

from __future__ import annotations

from itertools import pairwise, permutations

import naive
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import random_parent_sets

from forebear import ParentSets, _core
from forebear.proof.cut_kinds import ClusterCut, LocalCut
from forebear.proof.dual_ascent import DualAscent
from forebear.proof.integer_costs import IntegerCosts


def ascend(sets: ParentSets, rounds: int, *, local_cuts: bool = False) -> DualAscent:
    """Advance for some rounds."""
    ascent = DualAscent.of(IntegerCosts(sets), local_cuts=local_cuts)
    for _ in range(rounds):
        ascent.advance(_core.Budget(None), 1)
    return ascent


def value(cut: ClusterCut | LocalCut, v: int, parents: set[int]) -> int:
    """Return the coefficient of a set by the definition of clusters and local cuts."""
    if isinstance(cut, ClusterCut):
        return int(v in cut.cluster and len(parents.intersection(cut.cluster)) >= cut.k)
    if v not in cut.group:
        return 0
    mask = sum(1 << cut.group.index(u) for u in parents.intersection(cut.group))
    return int(cut.values[cut.group.index(v), mask])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 5), st.booleans())
def test_reduced_costs(seed: int, max_parents: int, local_cuts: bool) -> None:
    """Costs plus prices times coefficients, and the bound that follows, by definition."""
    sets = random_parent_sets(7, 40, max_parents, seed=seed)
    ascent = ascend(sets, 60 if local_cuts else 30, local_cuts=local_cuts)
    members = [set(own[own != sets.none].tolist()) for own in sets.parents.T]
    child = np.repeat(np.arange(sets.n_variables), sets.counts).tolist()
    (proof,) = ascent.priced_cuts()
    cost, extra = ascent.reduce_costs(0, proof, np.ones(len(sets), dtype=bool), 1)
    reduced = [
        int(own_cost) + sum(price * value(cut, v, own) for cut, price in proof)
        for own_cost, own, v in zip(IntegerCosts(sets).of_sets, members, child, strict=True)
    ]
    least = [min(reduced[begin:end]) for begin, end in pairwise(sets.offsets.tolist())]
    assert cost == sum(least) - sum(price * cut.limit for cut, price in proof)
    assert extra.tolist() == [r - least[v] for r, v in zip(reduced, child, strict=True)]
    clusters = [cut for cut, _ in proof if isinstance(cut, ClusterCut)]
    assert all(cut.k <= max_parents for cut in clusters)
    assert local_cuts or len(clusters) == len(proof)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_every_order_satisfies_local_cuts(seed: int) -> None:
    """By trying all orders of the group."""
    sets = random_parent_sets(9, 60, seed=seed)
    for cut, _ in ascend(sets, 60, local_cuts=True).priced_cuts()[0]:
        if isinstance(cut, ClusterCut) or len(cut.group) > 6:
            continue
        for order in permutations(range(len(cut.group))):
            before = [sum(1 << u for u in order[:i]) for i in range(len(order))]
            assert sum(cut.values[order, before].tolist()) <= cut.limit


def test_local_cuts_close_what_clusters_leave() -> None:
    """With clusters alone, some nats are left whatever the rounds."""
    sets = random_parent_sets(8, 60, seed=1)
    best = naive.best_score(naive.as_lists(sets))
    gaps = []
    for local_cuts in (False, True):
        ascent = ascend(sets, 200, local_cuts=local_cuts)
        gaps.append(IntegerCosts(sets).score_of(ascent.least_cost) - best)
    assert any(isinstance(cut, LocalCut) for cut, _ in ascent.priced_cuts()[0])
    assert -1e-9 <= gaps[1] < 0.1 * gaps[0]
