"""The dual ascent: what multipliers of clusters and local cuts prove, by definition."""

from __future__ import annotations

import math
from itertools import pairwise, permutations
from typing import TYPE_CHECKING

import naive
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import random_parent_sets

from forebear import _core
from forebear.proof.dual_ascent import DualAscent, choose_ticks, costs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear import ParentSets
    from forebear.proof.dual_ascent import Multiplier


def ascend(
    sets: ParentSets, rounds: int, *, local_cuts: bool = False
) -> tuple[DualAscent, NDArray[np.int64]]:
    """Advance for some rounds; return also the costs of the sets."""
    costs = costs_of(sets, choose_ticks(sets))
    ascent = DualAscent(sets.offsets, costs, sets.parents, local_cuts=local_cuts)
    for _ in range(rounds):
        ascent.advance(_core.Budget(None), 1)
    return ascent, costs


def bound_of(sets: ParentSets, ascent: DualAscent) -> float:
    """Return the score that no network exceeds."""
    return math.fsum(sets.scores[sets.offsets[:-1]]) - ascent.cost / choose_ticks(sets)


def falls_short(cut: Multiplier, v: int, parents: set[int]) -> int:
    """By how much a set falls short in a cut, by the definition of clusters and local cuts."""
    if v not in cut.members:
        return 0
    inside = parents.intersection(cut.members)
    if cut.shortfalls is None:
        return int(len(inside) < cut.level)
    mask = sum(1 << cut.members.index(u) for u in inside)
    return int(cut.shortfalls[cut.members.index(v), mask])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 5), st.booleans())
def test_prices_of_all_cuts(seed: int, max_parents: int, local_cuts: bool) -> None:
    """What every set falls short by, and what that proves, by definition."""
    sets = random_parent_sets(7, 40, max_parents, seed=seed)
    ascent, costs = ascend(sets, 60 if local_cuts else 30, local_cuts=local_cuts)
    members = [set(own[own != sets.none].tolist()) for own in sets.parents.T]
    child = np.repeat(np.arange(sets.n_variables), sets.counts).tolist()
    (proof,) = ascent.proofs
    cost, extra = ascent.price(0, proof, costs, np.ones(len(sets), dtype=bool), 1)
    reduced = [
        int(own_cost) - sum(cut.ticks * falls_short(cut, v, own) for cut in proof)
        for own_cost, own, v in zip(costs, members, child, strict=True)
    ]
    least = [min(reduced[begin:end]) for begin, end in pairwise(sets.offsets.tolist())]
    assert cost == sum(least) + sum(cut.due * cut.ticks for cut in proof)
    assert extra.tolist() == [r - least[v] for r, v in zip(reduced, child, strict=True)]
    assert all(cut.level <= max_parents for cut in proof)
    assert local_cuts or all(cut.level for cut in proof)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_every_order_is_due_what_local_cuts_say(seed: int) -> None:
    """By trying all orders of the group."""
    sets = random_parent_sets(9, 60, seed=seed)
    ascent, _ = ascend(sets, 60, local_cuts=True)
    for cut in ascent.proofs[0]:
        if cut.shortfalls is None or len(cut.members) > 6:
            continue
        sums = []
        for order in permutations(range(len(cut.members))):
            before = [sum(1 << u for u in order[:i]) for i in range(len(order))]
            sums.append(
                sum(int(cut.shortfalls[v, mask]) for v, mask in zip(order, before, strict=True))
            )
        assert min(sums) >= cut.due


def test_local_cuts_close_what_clusters_leave() -> None:
    """With clusters alone, some nats are left whatever the rounds."""
    sets = random_parent_sets(8, 60, seed=1)
    best = naive.best_score(naive.as_lists(sets))
    gaps = []
    for local_cuts in (False, True):
        ascent, _ = ascend(sets, 200, local_cuts=local_cuts)
        gaps.append(bound_of(sets, ascent) - best)
    assert any(not cut.level for cut in ascent.proofs[0])
    assert -1e-9 <= gaps[1] < 0.1 * gaps[0]
