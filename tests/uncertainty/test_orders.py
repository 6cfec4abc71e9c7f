"""Averages over orders: all networks that they allow, one by one and in closed form."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results import result_of
from strategies import pack

from forebear import (
    ForebearError,
    Network,
    ParentSets,
    arc_probabilities,
    find_network,
    order_probabilities,
    score_parent_sets,
    simulate,
)
from forebear.uncertainty.orders import _BLOCK, average_orders


@st.composite
def sets_and_orders(draw: st.DrawFn) -> tuple[ParentSets, list[list[int]]]:
    """Draw close scores for all sets of up to two parents, and a few orders."""
    n = draw(st.integers(1, 4))
    lists: naive.ScoredSets = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        found = [(), *((u,) for u in others), *combinations(others, 2)]
        scores = draw(st.lists(st.floats(-4, 0), min_size=len(found), max_size=len(found)))
        lists.append(naive.best_first(list(zip(scores, found, strict=True))))
    orders = draw(st.lists(st.permutations(range(n)), min_size=1, max_size=3))
    return pack(lists), [list(order) for order in orders]


@given(sets_and_orders())
def test_averages_are_the_naive_ones(drawn: tuple[ParentSets, list[list[int]]]) -> None:
    sets, orders = drawn
    averages = average_orders(sets, orders)
    networks, weights = naive.weighted_networks_of_orders(naive.as_lists(sets), orders)
    expected = naive.feature_probabilities(networks, weights)
    for ours, theirs in zip(
        (averages.arcs, averages.edges, averages.blankets), expected, strict=True
    ):
        for pair, share in theirs.items():
            assert ours.get(pair, 0.0) == pytest.approx(float(share), abs=1e-9)
        assert all(0.0 <= share <= 1.0 for share in ours.values())
    assert averages.n_networks == len(orders)


def test_far_sets_and_orders_do_not_matter() -> None:
    """What is a million nats below has no probability, and nothing overflows."""
    sets = pack([[(-1e6, ())], [(-5.0, (0,)), (-1e6, ())]])
    averages = average_orders(sets, [[0, 1], [1, 0]])
    assert averages.arcs == {(0, 1): 1.0}
    assert averages.effective == 1.0


def test_required_parents() -> None:
    """An order without a network weighs nothing, unless no other has one either."""
    sets = pack([[(-1.0, ())], [(-1.0, (0,)), (-math.inf, ())]])
    assert average_orders(sets, [[1, 0], [0, 1]]).arcs == {(0, 1): 1.0}
    assert average_orders(sets, [[1, 0]]).arcs == {}


def test_many_sets() -> None:
    """Sets are looked at in blocks, as far down as they matter."""
    singles = [(-0.001 * u, (u,)) for u in range(1, 300)]
    pairs = [(-10.0 - 0.001 * u, (1, u)) for u in range(2, 300)]
    more = [(-15.0 - 1e-6 * (u * 300 + v), (u, v)) for u in range(2, 40) for v in range(u + 1, 299)]
    own: list[naive.ScoredSet] = [*singles, *pairs, *more, (-1e9, ())]
    assert len(own) > 2 * _BLOCK
    sets = pack([own, *([[(-1.0, ())]] * 299)])
    averages = average_orders(sets, [[*range(299, 0, -1), 0]])
    total = math.fsum(math.exp(score) for score, _ in own)
    for u in (1, 20, 299):
        having = math.fsum(math.exp(score) for score, members in own if u in members)
        # Sets that each have less than a millionth are left out.
        assert averages.arc(u, 0) == pytest.approx(having / total, abs=1e-4)


def test_they_are_less_sure_than_the_networks_alone() -> None:
    data = simulate(10, 200, max_parents=2, seed=4).data
    sets = score_parent_sets(data, max_parents=3)
    result = find_network(sets, generations=20, seed=1)
    alone, orders = arc_probabilities(result), order_probabilities(result, sets)
    assert orders.names == alone.names
    assert orders.edges.keys() >= {edge for edge, share in alone.edges.items() if share > 0.01}
    entropy = [
        sum(-p * np.log(p) for p in averages.edges.values() if 0 < p < 1)
        for averages in (alone, orders)
    ]
    assert entropy[1] > entropy[0]


def test_mistakes() -> None:
    sets = pack([[(-1.0, ())], [(-1.0, ())]])
    network = Network(sets.names, ((), ()))
    with pytest.raises(ForebearError, match="no alternatives to take orders from"):
        order_probabilities(result_of(network), sets)
    with pytest.raises(ForebearError, match="have different variables"):
        order_probabilities(replace(result_of(network), network=Network(("a",), ((),))), sets)
