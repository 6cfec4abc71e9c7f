"""Relations: orders that parent sets enforce."""

from __future__ import annotations

from itertools import permutations
from random import Random

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections

from forebear import Knowledge, Network, ParentSets, find_network
from forebear.knowledge.relations import ordered_sets, predecessors
from forebear.search.space import SearchSpace


@given(parent_set_collections(min_variables=2, max_variables=5), st.randoms(use_true_random=False))
def test_the_best_order_that_respects_the_relations(sets: ParentSets, random: Random) -> None:
    n = sets.n_variables
    hidden = random.sample(range(n), n)
    pairs = [(a, b) for i, a in enumerate(hidden) for b in hidden[i + 1 :] if random.random() < 0.4]
    knowledge = Knowledge(before=[(sets.names[a], sets.names[b]) for a, b in pairs])
    earlier = predecessors(pairs)
    lists = naive.as_lists(sets)
    best = max(
        naive.order_score(lists, order)
        for order in permutations(range(n))
        if all(order.index(a) < order.index(b) for a, b in pairs)
    )
    searched = ordered_sets(sets, earlier)
    order = find_network(searched, generations=12, seed=1).order
    found = sets.best_of_order(order)
    tick = 1 / SearchSpace(searched).sets.ticks_per_nat  # less is the same to the search
    score = sum(choice.score for choice in found)
    assert score == pytest.approx(best, rel=1e-12, abs=2 * n * tick)
    network = Network(sets.names, tuple(choice.parents for choice in found))
    assert not knowledge.violations(network)


def test_orders_that_follow_from_others_are_left_out() -> None:
    chain = [(0, 1), (1, 2), (0, 2), (2, 3)]
    assert predecessors(chain) == {1: (0,), 2: (1,), 3: (2,)}
