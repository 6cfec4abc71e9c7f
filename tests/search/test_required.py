"""Required parents: orders are mended until they fit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import naive
import numpy as np
from climbs import started
from hypothesis import given
from hypothesis import strategies as st
from strategies import pack, parent_set_collections

from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets


@given(parent_set_collections(min_variables=2, required_parents=True), st.data())
def test_mended_orders(sets: ParentSets, data: st.DataObject) -> None:
    """Required parents precede unless they make a cycle; orders that are fine stay as they are."""
    space = SearchSpace(sets)
    order = np.array(data.draw(st.permutations(range(space.n))), dtype=np.int32)
    result = space.sets.mended(order)
    assert result.dtype == np.int32
    assert sorted(result.tolist()) == list(range(space.n))
    assert space.sets.mended(result).tolist() == result.tolist()
    if started(space, order).score > -(2**31 - 1):
        assert result.tolist() == order.tolist()
    lists = naive.as_lists(sets)
    for v, scored in enumerate(lists):
        allowed = [set(parents) for score, parents in scored if score > -math.inf]
        required = set.intersection(*allowed) if allowed else set()
        acyclic = math.isfinite(naive.best_score(lists))
        if acyclic and (-math.inf, ()) in scored:
            assert required <= set(result[: result.tolist().index(v)].tolist())


def test_required_parents_in_a_cycle_come_last() -> None:
    lists: naive.ScoredSets = [
        [(-1.0, (1,)), (-math.inf, ())],
        [(-1.0, (0,)), (-math.inf, ())],
        [(-1.0, ())],
    ]
    space = SearchSpace(pack(lists))
    assert space.sets.mended(np.array([1, 0, 2], dtype=np.int32)).tolist() == [2, 1, 0]
