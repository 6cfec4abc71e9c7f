"""MINOBS in both variants with few allowed sets; test_multistart.py has the other tests."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
from searches import CROWDING, PUBLISHED, minobs, network, search
from strategies import pack, random_parent_sets

from forebear.parentsets.collection import ParentSets
from forebear.search.minobs import MINOBS
from forebear.search.stop import MaxGenerations

VARIANTS = pytest.mark.parametrize("variant", [CROWDING, PUBLISHED], ids=["crowding", "published"])


def with_required_arcs(n: int, n_arcs: int, seed: int) -> ParentSets:
    """Draw sets that contain the required parents of their variable, up to three."""
    rng = np.random.default_rng(seed)
    required: list[set[int]] = [set() for _ in range(n)]
    for parent, child in np.sort(rng.integers(0, n, (n_arcs, 2)), axis=1).tolist():
        if parent < child and len(required[child]) < 3:
            required[child].add(parent)
    lists = naive.as_lists(random_parent_sets(n, 40, 2, seed=seed))
    for v, members in enumerate(required):
        if members:
            joined = {tuple(sorted({*parents, *members} - {v})): s for s, parents in lists[v]}
            scored = [(s, parents) for parents, s in joined.items()]
            lists[v] = naive.best_first([*scored, (-math.inf, ())])
    return pack(lists)


@VARIANTS
def test_many_required_parents(variant: MINOBS) -> None:
    """In a random order, dozens of variables have no allowed set."""
    sets = with_required_arcs(100, 300, seed=1)
    outcome = search(sets, minobs(variant), MaxGenerations(3))
    assert all(math.isfinite(step.score) for step in outcome.trace)


@VARIANTS
@pytest.mark.parametrize("n", [1, 2, 3, 260])
def test_variables_without_candidates(variant: MINOBS, n: int) -> None:
    outcome = search(pack([[(-1.0, ())]] * n), minobs(variant), MaxGenerations(3))
    assert network(outcome) == ([0] * n, -float(n))
