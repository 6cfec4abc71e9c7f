"""Separation: cuts that relaxed solutions violate."""

from __future__ import annotations

import numpy as np
from strategies import random_parent_sets

from forebear import _core
from forebear.proof.cut_kinds import ClusterCut
from forebear.proof.flat_sets import FlatSets
from forebear.proof.integer_costs import IntegerCosts
from forebear.proof.separation import Solution, select_cuts

HALF_TRIANGLE = (
    3,
    np.array([0, 0, 1, 1, 2, 2], dtype=np.int32),
    np.array([[1, 2], [3, 3], [0, 2], [3, 3], [0, 1], [3, 3]], dtype=np.int32),
    np.full(6, 0.5),
)
"""Each of three variables has both others as parents by half: no mixture of networks."""


def test_triangles_violate_a_cluster_of_two() -> None:
    found = _core.cluster_cuts(*HALF_TRIANGLE, most_level=3, budget=_core.Budget(None), threads=1)
    assert {(tuple(members), k): value for members, k, value in found}[(0, 1, 2), 2] == 0.5


def test_nearly_parallel_cuts_are_left_out() -> None:
    sets = FlatSets.of(IntegerCosts(random_parent_sets(5, 8, seed=1), 1.0))
    solution = Solution(np.arange(len(sets)), np.full(len(sets), 0.5))
    pair, triple = ClusterCut((0, 1)), ClusterCut((2, 3, 4))
    assert select_cuts([pair, pair, triple], [0.2, 0.3, 0.1], solution, sets) == [pair, triple]
