"""Feasible orders of parent sets against brute force."""

from __future__ import annotations

import math

import naive
import pytest
from hypothesis import given
from strategies import pack, parent_set_collections

from forebear import ForebearError
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.feasibility import feasible_order, needs_parents


@given(parent_set_collections(max_variables=5, required_parents=True))
def test_there_is_an_order_exactly_if_there_is_a_network(sets: ParentSets) -> None:
    lists = naive.as_lists(sets)
    if naive.best_score(lists) == -math.inf:
        with pytest.raises(ForebearError, match="there is no network of these parent sets"):
            feasible_order(sets)
    else:
        assert naive.order_score(lists, feasible_order(sets).tolist()) > -math.inf


@given(parent_set_collections(required_parents=True))
def test_variables_that_must_have_parents(sets: ParentSets) -> None:
    barred = [(-math.inf, ()) in own for own in naive.as_lists(sets)]
    assert needs_parents(sets).tolist() == barred


def test_a_long_chain_is_placed_from_its_end() -> None:
    n = 400
    sets = [[(-1.0, (v + 1,)), (-math.inf, ())] for v in range(n - 1)]
    assert feasible_order(pack([*sets, [(-1.0, ())]])).tolist() == list(range(n))[::-1]


def test_variables_that_cannot_be_placed_are_listed() -> None:
    barred: naive.ScoredSet = (-math.inf, ())
    free: list[naive.ScoredSet] = [(-1.0, ())]
    cycle = [[(-1.0, (2,)), barred], free, [(-1.0, (0, 1)), barred]]
    with pytest.raises(
        ForebearError, match=r"each allowed parent set of X0, X2 contains one of these"
    ):
        feasible_order(pack(cycle))
    with pytest.raises(ForebearError, match="X1 has no allowed parent set"):
        feasible_order(pack([free, [barred]]))
