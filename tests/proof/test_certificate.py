"""Certificates: how proofs are written down."""

from __future__ import annotations

import naive
import pytest
from strategies import random_parent_sets

from forebear.proof.certificate import solution_table
from forebear.proof.flat_sets import FlatSets


@pytest.mark.parametrize("seed", range(4))
def test_tables_prove_the_cost_of_the_best_network(seed: int) -> None:
    sets = random_parent_sets(6, 20, seed=seed, grid=2.0)
    best = sum(own[0][0] for own in naive.as_lists(sets)) - naive.best_score(naive.as_lists(sets))
    cut, cost = solution_table(FlatSets.of(sets, 2.0), 10**6)
    assert cost == round(2 * best)
    assert cut.limit <= cut.most
