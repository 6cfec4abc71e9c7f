"""The cuts of branch and cut: every network satisfies them, the solution they are for does not."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import naive
import numpy as np
import pytest
from scipy.optimize import linprog
from strategies import pack, random_parent_sets

from forebear import _core
from forebear.budget import Clock
from forebear.certificate import _corners
from forebear.exact.cuts import ClusterCut, Cut, LocalCut
from forebear.exact.flatsets import FlatSets
from forebear.exact.relaxation import Point, Relaxation
from forebear.exact.separation import Solution, find_cuts, select

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets

SEEDS = range(6)
TICKS = 2.0**30
ENOUGH = 2**60


def networks(sets: ParentSets) -> NDArray[np.int64]:
    """List all networks: a row each, the set that every variable has."""
    lists = naive.as_lists(sets)
    starts = sets.offsets[:-1].tolist()
    rows = [
        [start + rank for start, rank in zip(starts, ranks, strict=True)]
        for ranks in product(*(range(len(own)) for own in lists))
        if naive.is_acyclic([lists[v][rank][1] for v, rank in enumerate(ranks)])
    ]
    return np.array(rows)


def counts(cut: Cut, flat: FlatSets) -> NDArray[np.int64]:
    """Tell what each set counts in a cut."""
    places, values = cut.coefficients(flat)
    row = np.zeros(len(flat), dtype=np.int64)
    row[places] = values
    return row


def few(flat: FlatSets, most: int) -> NDArray[np.int64]:
    """Return the first sets of every variable."""
    return np.flatnonzero(np.arange(len(flat)) - flat.starts[:-1][flat.child] < most)


def solve(relaxation: Relaxation) -> Point:
    everything = np.ones(len(relaxation.sets), dtype=bool)
    point = relaxation.solve(everything, ENOUGH, Clock())
    assert point is not None
    return point


def cuts_of(point: Point, flat: FlatSets) -> list[Cut]:
    return find_cuts(point.solution, flat, _core.Budget(None), 1, 1)[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_networks_satisfy_cuts_and_the_bound_reaches_the_optimum(seed: int) -> None:
    sets = random_parent_sets(5, 8, seed=seed)
    flat = FlatSets.of(sets, TICKS)
    dags = networks(sets)
    optimum = int(flat.cost[dags].sum(axis=1).min())
    relaxation = Relaxation(flat, few(flat, 2))
    before = -1e-3 * TICKS
    while True:
        point = solve(relaxation)
        assert before - 1e-6 * TICKS <= point.cost <= optimum
        before = point.cost
        cuts = cuts_of(point, flat)
        for cut in cuts:
            row = counts(cut, flat)
            assert row[dags].sum(axis=1).max() <= cut.limit
            weight = float((row[point.solution.chosen] * point.solution.weight).sum())
            assert weight > cut.limit + 1e-5 * cut.largest
            assert row.max() <= cut.largest
            # The most that sets without regard to cycles count.
            assert sum(row[flat.span(v)].max() for v in range(5)) <= cut.most
        if not cuts:
            break
        relaxation.add(cuts)
    # All five variables fit into one group, so that the cuts leave networks alone.
    assert point.cost == pytest.approx(optimum, abs=1e-2 * TICKS)


def test_what_networks_with_a_set_cost_at_least() -> None:
    sets = random_parent_sets(5, 8, seed=3)
    flat = FlatSets.of(sets, TICKS)
    dags = networks(sets)
    costs = flat.cost[dags].sum(axis=1)
    relaxation = Relaxation(flat, few(flat, 2))
    for _ in range(3):
        point = solve(relaxation)
        for place in range(len(flat)):
            having = costs[(dags == place).any(axis=1)]
            assert point.cost + point.extra[place] <= having.min(initial=ENOUGH)
        relaxation.add(cuts_of(point, flat))


HALF_TRIANGLE = (
    3,
    np.array([0, 0, 1, 1, 2, 2], dtype=np.int32),
    np.array([[1, 2], [3, 3], [0, 2], [3, 3], [0, 1], [3, 3]], dtype=np.int32),
    np.full(6, 0.5),
)
"""Each of three variables has both others as parents by half: no mixture of networks."""


def test_triangles_violate_a_cluster_of_two() -> None:
    found = _core.cluster_cuts(
        *HALF_TRIANGLE, most_level=3, most_nodes=100, budget=_core.Budget(None), threads=1
    )
    assert {(tuple(members), k): value for members, k, value in found}[(0, 1, 2), 2] == 0.5


def test_local_cuts_are_raised_to_sets_that_are_not_chosen() -> None:
    found = _core.local_cuts(
        *HALF_TRIANGLE, variables=6, choices=60, budget=_core.Budget(None), threads=1
    )
    group, values, limit, violation = found[0]
    assert (group, limit, round(violation, 6)) == ([0, 1, 2], 1, 0.5)
    tables = np.array(values).reshape(3, 8)
    # One of three can have both others; one with a single parent counts nothing then.
    assert [int(table[0b111 ^ 1 << v]) for v, table in enumerate(tables)] == [1, 1, 1]


def test_groups_of_arcs_are_found_where_other_links_are_as_strong() -> None:
    # The last three are cyclic by half, and each is linked as strongly to one of the first three.
    n = 6
    last = [(3, (4, 5)), (4, (3, 5)), (5, (3, 4)), (3, (0,)), (4, (1,)), (5, (2,))]
    first = [(0, (3,)), (1, (4,)), (2, (5,)), (0, ()), (1, ()), (2, ())]
    child = np.array([v for v, _ in last + first], dtype=np.int32)
    parents = np.array([[*own, n, n][:2] for _, own in last + first], dtype=np.int32)
    order = np.argsort(child, kind="stable")
    view = (n, child[order], np.ascontiguousarray(parents[order]), np.full(12, 0.5))

    found = _core.local_cuts(*view, variables=3, choices=60, budget=_core.Budget(None), threads=2)
    assert (3, 4, 5) in {tuple(group) for group, *_ in found}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_program_has_the_value_of_one_that_is_written_down_plainly(seed: int) -> None:
    flat = FlatSets.of(random_parent_sets(6, 20, seed=seed), TICKS)
    relaxation = Relaxation(flat, few(flat, 2))
    for _ in range(4):
        relaxation.add(cuts_of(solve(relaxation), flat))
    plain = linprog(
        flat.cost / TICKS,
        A_ub=np.array([counts(cut, flat) for cut in relaxation.cuts]),
        b_ub=[cut.limit for cut in relaxation.cuts],
        A_eq=(flat.child == np.arange(6)[:, None]).astype(float),
        b_eq=np.ones(6),
    )
    assert solve(relaxation).cost / TICKS == pytest.approx(plain.fun, abs=1e-5)


def test_cycles_of_whole_sets_are_always_found() -> None:
    parents = np.array([[3], [0], [1], [2]], dtype=np.int32)
    found = _core.cluster_cuts(
        4,
        np.arange(4, dtype=np.int32),
        parents,
        np.ones(4),
        most_level=1,
        most_nodes=0,
        budget=_core.Budget(None),
        threads=2,
    )
    assert found[0] == ([0, 1, 2, 3], 1, 1.0)


def test_nearly_parallel_cuts_are_left_out() -> None:
    sets = FlatSets.of(random_parent_sets(5, 8, seed=1), TICKS)
    solution = Solution(np.arange(len(sets)), np.full(len(sets), 0.5))
    pair, triple = ClusterCut((0, 1)), ClusterCut((2, 3, 4))
    assert select([pair, pair, triple], [0.2, 0.3, 0.1], solution, sets) == [pair, triple]


def test_corners_tell_the_whole_table() -> None:
    row = np.array([0, 1, 0, 1, 2, 2, 2, 3])
    assert _corners(row) == [[1, 1], [4, 2], [7, 3]]
    assert LocalCut((0, 1, 2), np.array([row] * 3), 3).most == 9


def test_forgotten_cuts_make_no_difference_to_what_they_did_not_bind() -> None:
    flat = FlatSets.of(random_parent_sets(6, 10, seed=2), TICKS)
    relaxation = Relaxation(flat, few(flat, 3))
    for _ in range(4):
        relaxation.add(cuts_of(solve(relaxation), flat))
    point = solve(relaxation)
    relaxation.forget(point.prices <= 0)
    assert len(relaxation.cuts) == np.count_nonzero(point.prices > 0)
    assert solve(relaxation).cost == pytest.approx(point.cost, abs=1e-6 * TICKS)


def test_reduced_relaxations_have_the_same_bound() -> None:
    sets = random_parent_sets(6, 10, seed=2)
    flat = FlatSets.of(sets, TICKS)
    relaxation = Relaxation(flat, few(flat, 3))
    for _ in range(4):
        relaxation.add(cuts_of(solve(relaxation), flat))
    point = solve(relaxation)
    best = naive.best_score(naive.as_lists(sets))
    top = sets.scores[sets.offsets[:-1]].sum()
    keep = point.cost + point.extra <= (top - best + 1e-6) * TICKS
    assert not keep.all()
    reduced = solve(relaxation.reduced(keep, point.prices))
    assert reduced.cost == pytest.approx(point.cost, abs=1e-6 * TICKS)


def test_the_solver_keeps_to_the_time_that_is_left() -> None:
    sets = FlatSets.of(random_parent_sets(6, 10), TICKS)
    relaxation = Relaxation(sets, np.arange(len(sets)))
    everything = np.ones(len(sets), dtype=bool)
    assert relaxation.solve(everything, ENOUGH, Clock(1e-9)) is None


def test_sets_of_a_group_without_what_others_make_superfluous() -> None:
    lists: list[list[tuple[float, tuple[int, ...]]]] = [
        [(-1.0, (1, 2)), (-2.0, (1,)), (-2.5, (2,)), (-3.0, ())],
        [(-1.0, (0,)), (-4.0, ())],
        [(-1.0, ())],
    ]
    flat = FlatSets.of(pack(lists), 1.0)
    whole = flat.within([0, 1], prune=False)
    assert whole.place.tolist() == [0, 1, 2, 3, 4, 5]
    assert whole.parents.tolist() == [[1, 2], [1, 2], [2, 2], [2, 2], [0, 2], [2, 2]]
    assert flat.within([0, 1], prune=True).place.tolist() == [0, 2, 4, 5]
