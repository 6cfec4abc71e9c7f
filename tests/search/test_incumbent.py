"""Incumbent: it never gets worse, and its sets are added to the collection of a result."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections, random_parent_sets
from watchers import Recorder

from forebear import ParentSets
from forebear.search.chain import Solution
from forebear.search.incumbent import Incumbent
from forebear.search.trace import Improvement


def network_of(sets: ParentSets, order: list[int]) -> Solution:
    chosen = sets.best_of_order(order)
    ranks = np.array([one.rank - 1 for one in chosen], dtype=np.int32)
    score = math.fsum(one.score for one in chosen)
    return Solution(score, np.array(order, dtype=np.int32), sets, ranks)


@given(parent_set_collections(), st.data())
def test_it_is_the_best_network_that_was_offered(sets: ParentSets, data: st.DataObject) -> None:
    orders = data.draw(st.lists(st.permutations(range(sets.n_variables)), min_size=1, max_size=5))
    offered = [network_of(sets, order) for order in orders]
    incumbent = Incumbent()
    for found in offered:
        incumbent.offer(found)
    assert incumbent.best.score == max(found.score for found in offered)


def test_improvements_of_chains_are_reported_even_if_others_are_ahead() -> None:
    recorder = Recorder()
    sets = random_parent_sets(6, 10, seed=1)
    first, second = (network_of(sets, list(order)) for order in (range(6), range(5, -1, -1)))
    incumbent = Incumbent(recorder)
    steps = [Improvement(1, 0.1, 1, first.score), Improvement(2, 0.2, 1, second.score)]
    incumbent.offer(first, steps[0])
    incumbent.offer(second, steps[1])
    incumbent.offer(first)  # not by a chain
    assert recorder.improvements == list(incumbent.trace) == steps


def test_its_sets_are_added_to_a_collection_that_lacks_them() -> None:
    sets = random_parent_sets(6, 10, seed=1)
    incumbent = Incumbent()
    incumbent.offer(network_of(sets, list(range(6))))
    assert incumbent.added_to(sets, dominated=False) is sets
    lacking = sets.filter(sets.is_empty)
    both = incumbent.added_to(lacking, dominated=False)
    for v, parents in enumerate(incumbent.best.parents):
        assert both.find(v, parents) is not None
    assert len(both) <= 2 * 6
