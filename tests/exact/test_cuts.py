"""The cuts of branch and cut: every network satisfies them, the solution they are for does not."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import naive
import numpy as np
import pytest
from strategies import pack, random_parent_sets

from forebear.budget import Clock
from forebear.exact.clustercuts import cluster_cuts
from forebear.exact.cuts import ClusterCut, Cut, LocalCut, Support
from forebear.exact.flatsets import FlatSets
from forebear.exact.localcuts import local_cuts
from forebear.exact.relaxation import Point, Relaxation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets

SEEDS = range(6)


def networks(sets: ParentSets) -> NDArray[np.int64]:
    """List all networks: a row each, the candidate that every variable takes."""
    lists = naive.as_lists(sets)
    starts = sets.offsets[:-1].tolist()
    rows = [
        [start + rank for start, rank in zip(starts, ranks, strict=True)]
        for ranks in product(*(range(len(own)) for own in lists))
        if naive.is_acyclic([lists[v][rank][1] for v, rank in enumerate(ranks)])
    ]
    return np.array(rows)


def counts(cut: Cut, flat: FlatSets) -> NDArray[np.float64]:
    """Tell what each candidate counts in a cut."""
    places, values = cut.coefficients(flat)
    row = np.zeros(len(flat))
    row[places] = values
    return row


def solve(relaxation: Relaxation) -> tuple[Point, Support]:
    flat = relaxation.sets
    everything = np.ones(len(flat), dtype=bool)
    point = relaxation.solve(everything, -np.inf, Clock())
    assert point is not None
    members = flat.members(point.chosen)
    return point, Support(flat.child[point.chosen], members, point.weight)


@pytest.mark.parametrize("seed", SEEDS)
def test_networks_satisfy_cuts_and_the_bound_falls_to_the_optimum(seed: int) -> None:
    sets = random_parent_sets(5, 8, seed=seed)
    optimum = naive.best_score(naive.as_lists(sets))
    flat = FlatSets.of(sets)
    dags = networks(sets)
    relaxation = Relaxation(flat, np.flatnonzero(flat.rank < 2))
    before = np.inf
    while True:
        point, support = solve(relaxation)
        assert optimum - 1e-9 <= point.bound <= before + 1e-6
        before = point.bound
        cuts: list[Cut] = [*cluster_cuts(support), *local_cuts(support)]
        for cut in cuts:
            row = counts(cut, flat)
            assert row[dags].sum(axis=1).max() <= cut.limit + 1e-9
            assert row[point.chosen] @ point.weight > cut.limit + 1e-5
            # The most that sets without regard to cycles count.
            best = [row[flat.span(v)].max() for v in range(5)]
            assert sum(best) <= cut.most + 1e-9
        if not cuts:
            break
        relaxation.add(cuts)
    # All five variables fit into one group, so that the cuts leave networks alone.
    assert point.bound == pytest.approx(optimum, abs=1e-6)


def test_what_no_network_with_a_set_exceeds() -> None:
    sets = random_parent_sets(5, 8, seed=3)
    flat = FlatSets.of(sets)
    dags = networks(sets)
    scores = sets.scores[dags].sum(axis=1)
    relaxation = Relaxation(flat, np.flatnonzero(flat.rank < 2))
    for _ in range(3):
        point, support = solve(relaxation)
        for place in range(len(flat)):
            having = scores[(dags == place).any(axis=1)]
            assert point.most[place] >= having.max(initial=-np.inf) - 1e-9
        relaxation.add(cluster_cuts(support))


def half_triangle() -> Support:
    """Each of three variables has both others as parents by half: no mixture of networks."""
    members = np.array([[0, 1, 1], [0, 0, 0], [1, 0, 1], [0, 0, 0], [1, 1, 0], [0, 0, 0]])
    return Support(np.array([0, 0, 1, 1, 2, 2]), members.astype(bool), np.full(6, 0.5))


def test_triangles_violate_a_cluster_of_two() -> None:
    assert ClusterCut((0, 1, 2), 2) in cluster_cuts(half_triangle())


def test_local_cuts_are_raised_to_sets_that_are_not_chosen() -> None:
    (cut,) = local_cuts(half_triangle())
    assert isinstance(cut, LocalCut)
    assert cut.group == (0, 1, 2)
    assert cut.limit == pytest.approx(1.0)
    # One of three can have both others; one with a single parent counts nothing then.
    assert [table[0b111 ^ 1 << v] for v, table in enumerate(cut.values)] == [1.0, 1.0, 1.0]


def test_cycles_of_whole_sets_are_always_found() -> None:
    members = np.zeros((4, 4), dtype=bool)
    members[[1, 2, 3, 0], [0, 1, 2, 3]] = True
    support = Support(np.arange(4), members, np.ones(4))
    assert cluster_cuts(support)[0] == ClusterCut((0, 1, 2, 3))


def test_forgotten_cuts_make_no_difference_to_what_they_did_not_bind() -> None:
    sets = random_parent_sets(6, 10, seed=2)
    flat = FlatSets.of(sets)
    relaxation = Relaxation(flat, np.flatnonzero(flat.rank < 3))
    for _ in range(4):
        point, support = solve(relaxation)
        relaxation.add(cluster_cuts(support))
    point, _ = solve(relaxation)
    relaxation.forget(point.prices <= 0.0)
    assert len(relaxation.cuts) == np.count_nonzero(point.prices > 0.0)
    assert solve(relaxation)[0].bound == pytest.approx(point.bound, abs=1e-6)


def test_reduced_relaxations_have_the_same_bound() -> None:
    sets = random_parent_sets(6, 10, seed=2)
    flat = FlatSets.of(sets)
    relaxation = Relaxation(flat, np.flatnonzero(flat.rank < 3))
    for _ in range(4):
        point, support = solve(relaxation)
        relaxation.add(cluster_cuts(support))
    point, _ = solve(relaxation)
    keep = point.most >= naive.best_score(naive.as_lists(sets))
    assert not keep.all()
    assert solve(relaxation.reduced(keep, point))[0].bound == pytest.approx(point.bound, abs=1e-6)


def test_a_variable_without_allowed_sets_has_no_solution() -> None:
    sets = pack([[(-1.0, (1,)), (-np.inf, ())], [(-np.inf, ())]])
    flat = FlatSets.of(sets)
    relaxation = Relaxation(flat, np.arange(len(flat)))
    assert relaxation.solve(np.ones(1, dtype=bool), -np.inf, Clock()) is None


def test_the_solver_keeps_to_the_time_that_is_left() -> None:
    sets = FlatSets.of(random_parent_sets(6, 10))
    relaxation = Relaxation(sets, np.arange(len(sets)))
    everything = np.ones(len(sets), dtype=bool)
    assert relaxation.solve(everything, -np.inf, Clock(1e-9)) is None
