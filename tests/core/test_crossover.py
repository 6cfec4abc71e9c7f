"""Crossover of networks: an order of all variables that depends only on the seed."""

from __future__ import annotations

from climbs import numbers, started
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections

from forebear.parentsets.collection import ParentSets
from forebear.search.space import SearchSpace, as_order, assign


@given(parent_set_collections(), st.data(), st.integers(0, 2**32))
def test_network_crossover(sets: ParentSets, data: st.DataObject, seed: int) -> None:
    space = SearchSpace(sets)
    x, y = (assign(space, as_order(data.draw(st.permutations(range(space.n))))) for _ in range(2))
    child = space.sets.cross(x, y, numbers(seed))
    assert sorted(child.tolist()) == list(range(space.n))
    again = space.sets.cross(x, y, numbers(seed))
    assert child.tolist() == again.tolist()
    itself = space.sets.cross(x, x, numbers(seed))
    assert started(space, itself).score >= x.score
