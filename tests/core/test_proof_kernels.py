"""The kernels of exact search: the same as their brute-force versions."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import parent_set_collections, random_parent_sets

from forebear import _core
from forebear.parentsets.collection import ParentSets
from forebear.proof.flat_sets import FlatSets
from forebear.proof.integer_costs import IntegerCosts
from forebear.proof.strong_branching import propagate

TICKS = 2.0**20


def subset_order(sets: FlatSets, low: int, threads: int = 1) -> _core.SubsetOrder:
    masks = np.zeros(len(sets), dtype=np.uint32)
    for slot in sets.parents.T:
        used = slot < sets.n_variables
        masks[used] |= np.uint32(1) << slot[used].astype(np.uint32)
    return _core.SubsetOrder(sets.starts, masks, sets.cost.astype(np.float64), low)


@settings(max_examples=60, deadline=None)
@given(parent_set_collections(max_variables=7, required_parents=True), st.integers(1, 8))
def test_dynamic_programming_finds_the_cheapest_network(sets: ParentSets, low: int) -> None:
    if not np.isfinite(sets.scores[sets.offsets[:-1]]).all():
        return
    flat = FlatSets.of(IntegerCosts(sets, TICKS))
    tables = subset_order(flat, low, 2)
    assert tables.advance(_core.Budget(None), 2)
    cost, order = tables.order()
    best = naive.best_score(naive.as_lists(sets))
    if best == -np.inf:
        assert (cost, order) == (np.inf, [])
        return
    chosen = flat.best_of_order(order)
    assert chosen is not None
    assert flat.cost[chosen].sum() == cost
    assert naive.order_score(naive.as_lists(sets), order) == pytest.approx(best, abs=1e-5)


def test_dynamic_programming_in_slices() -> None:
    flat = FlatSets.of(IntegerCosts(random_parent_sets(9, 40, seed=5, grid=2.0), TICKS))
    whole, sliced = subset_order(flat, 9), subset_order(flat, 3)
    assert whole.advance(_core.Budget(None), 1)
    slices = 1
    while not sliced.advance(_core.Budget(0.0), 1):
        slices += 1
    assert slices > 10
    assert sliced.order() == whole.order()


def all_networks(flat: FlatSets, allowed: NDArray[np.bool_]) -> list[list[int]]:
    """List every choice of allowed sets without a cycle."""
    found: list[list[int]] = [[]]
    for v in range(flat.n_variables):
        own = [i for i in range(flat.starts[v], flat.starts[v + 1]) if allowed[i]]
        found = [[*one, i] for one in found for i in own]
    members = [set(np.flatnonzero(row).tolist()) for row in flat.members(np.arange(len(flat)))]
    return [one for one in found if naive.is_acyclic([members[i] for i in one])]


def precedes(flat: FlatSets, network: list[int], pairs: list[tuple[int, int]]) -> bool:
    """Return whether some topological order has the first of each pair before the second."""
    members = [set(np.flatnonzero(row).tolist()) for row in flat.members(np.array(network))]
    for first, then in pairs:
        members[then].add(first)
    return naive.is_acyclic(members)


@settings(max_examples=60, deadline=None)
@given(parent_set_collections(min_variables=2, max_variables=4, required_parents=True), st.data())
def test_ancestry_takes_away_only_what_no_network_has(
    sets: ParentSets, data: st.DataObject
) -> None:
    if not np.isfinite(sets.scores[sets.offsets[:-1]]).all():
        return
    flat = FlatSets.of(IntegerCosts(sets, TICKS))
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(flat), max_size=len(flat))))
    every = [pair for pair in np.ndindex(flat.n_variables, flat.n_variables) if len({*pair}) > 1]
    pairs = data.draw(st.lists(st.sampled_from(every), max_size=2))
    expected = [one for one in all_networks(flat, allowed) if precedes(flat, one, pairs)]
    left = allowed.copy()
    if not propagate(flat, left, tuple(pairs)):
        assert not expected
        return
    assert not (left & ~allowed).any()
    assert {i for one in expected for i in one} <= set(np.flatnonzero(left).tolist())


def slim(flat: FlatSets, weight: NDArray[np.float64], cluster: tuple[int, ...], k: int) -> float:
    """Add up the weights of a cluster's sets with fewer than k members in it."""
    inside = flat.members(np.arange(len(flat)))[:, list(cluster)].sum(axis=1)
    return float(weight[np.isin(flat.child, cluster) & (inside < k)].sum())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 6))
def test_clusters_are_violated_as_much_as_they_say(seed: int, n: int) -> None:
    flat = FlatSets.of(IntegerCosts(random_parent_sets(n, 4, seed=seed), TICKS))
    rng = np.random.default_rng(seed)
    weight = rng.exponential(1.0, len(flat)) * (rng.random(len(flat)) < 0.6)
    weight[flat.starts[:-1]] += 1e-3
    weight /= np.add.reduceat(weight, flat.starts[:-1])[flat.child]
    found = _core.cluster_cuts(
        n,
        flat.child,
        flat.parents,
        weight,
        most_level=3,
        budget=_core.Budget(None),
        threads=1,
    )
    for members, level, violation in found:
        assert violation == pytest.approx(level - slim(flat, weight, tuple(members), level))
        assert violation > 0


def test_what_does_not_fit_together_is_refused() -> None:
    numbers, rows = np.zeros(2, dtype=np.int32), np.zeros((1, 1), dtype=np.int32)
    with pytest.raises(ValueError, match="one child, one row"):
        _core.cluster_cuts(2, numbers, rows, np.zeros(2), _core.Budget(None), 1)
    with pytest.raises(ValueError, match="at most 32 variables"):
        _core.SubsetOrder(np.zeros(40, dtype=np.int64), np.zeros(1, np.uint32), np.zeros(1))
