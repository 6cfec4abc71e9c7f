"""Restrictions: every network under one respects the relations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import naive
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import parent_set_collections, random_parent_sets, relations_of

from forebear import ForebearError, Knowledge, ParentSets
from forebear.knowledge.relations import Relations
from forebear.scoring.constraints import Constraints
from forebear.search.alternatives import ranks_of
from forebear.search.chain import Solution
from forebear.search.restriction_schedule import (
    choose_restriction,
    neighboring_restriction,
)
from forebear.search.restrictions import ArcCosts, Parents, Restriction, RestrictionProblem


def allowed_sets(sets: ParentSets, restriction: Restriction) -> NDArray[np.bool_]:
    """Return which sets respect the required arcs and the closed groups, by their definition."""
    keep = []
    for v in range(sets.n_variables):
        required = {p for p, child in restriction.required if child == v}
        outside = [group for group in restriction.closed_groups if v not in group]
        keep += [
            required <= {*one.parents} and not any(group & {*one.parents} for group in outside)
            for one in sets.of(v)
        ]
    return np.array(keep)


def networks_under(sets: ParentSets, restriction: Restriction) -> Iterator[Parents]:
    """Yield all networks under a restriction, by its definition."""
    keep = allowed_sets(sets, restriction)
    for chosen in product(*(range(count) for count in sets.counts)):
        columns = sets.offsets[:-1] + np.array(chosen)
        parents = tuple(sets.at(v, rank + 1).parents for v, rank in enumerate(chosen))
        later = [
            [*own, *(a for a, b in restriction.orders if b == v)] for v, own in enumerate(parents)
        ]
        if keep[columns].all() and naive.is_acyclic(later):
            yield parents


def problem_of(sets: ParentSets, relations: Relations) -> RestrictionProblem:
    return RestrictionProblem(relations, (sets.n_variables,) * sets.n_variables)


def is_consistent(relations: Relations) -> bool:
    try:
        Knowledge(
            before=relations.before,
            ancestors=relations.ancestors,
            not_ancestors=relations.not_ancestors,
            adjacent=relations.adjacent,
        ).named([f"X{v}" for v in range(5)])
    except ForebearError:
        return False
    return True


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_network_under_a_restriction_respects_the_relations(data: st.DataObject) -> None:
    sets = data.draw(parent_set_collections(min_variables=3, max_variables=4, max_parents=2))
    relations = data.draw(relations_of(sets.n_variables))
    problem = problem_of(sets, relations)
    top = tuple(sets.at(v, 1).parents for v in range(sets.n_variables))
    costs = ArcCosts(sets, Solution.best_sets(sets))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    noise = np.exp(rng.standard_normal((sets.n_variables,) * 2))
    for restriction in (
        choose_restriction(problem, costs, top),
        choose_restriction(problem, costs, top, noise),
    ):
        if restriction is None:
            continue
        for parents in networks_under(sets, restriction):
            assert relations.holds(parents)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_neighboring_restriction_of_a_network(data: st.DataObject) -> None:
    sets = data.draw(parent_set_collections(min_variables=3, max_variables=4, max_parents=2))
    relations = data.draw(relations_of(sets.n_variables))
    problem = problem_of(sets, relations)
    everything = list(networks_under(sets, Restriction()))
    good = [parents for parents in everything if relations.holds(parents)]
    if not good:
        return
    network = data.draw(st.sampled_from(good))
    if any(not np.isfinite(sets.find(v, own).score) for v, own in enumerate(network)):  # type: ignore[union-attr]
        return
    order = np.arange(sets.n_variables, dtype=np.int32)
    costs = ArcCosts(sets, Solution(0.0, order, sets, ranks_of(sets, network)))
    own = neighboring_restriction(problem, costs, network)
    assert own is not None
    under = list(networks_under(sets, own))
    assert network in under
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    other = neighboring_restriction(problem, costs, network, rng)
    for parents in (*under, *(networks_under(sets, other) if other else ())):
        assert relations.holds(parents)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_consistent_relations_have_a_restriction(data: st.DataObject) -> None:
    """If every arc is possible, some restriction satisfies consistent statements."""
    relations = data.draw(relations_of(5, most=3))
    if not is_consistent(relations):
        return
    sets = random_parent_sets(5, 12, max_parents=4, seed=1)
    top = tuple(sets.at(v, 1).parents for v in range(5))
    costs = ArcCosts(sets, Solution.best_sets(sets))
    noises = (np.exp(np.random.default_rng(k).standard_normal((5, 5))) for k in range(20))
    tries = [choose_restriction(problem_of(sets, relations), costs, top, one) for one in noises]
    assert any(tries)


@given(parent_set_collections(min_variables=3, max_variables=5, max_parents=3), st.data())
def test_a_restriction_as_constraints(sets: ParentSets, data: st.DataObject) -> None:
    n = sets.n_variables
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    required = frozenset(data.draw(st.lists(st.sampled_from(pairs), max_size=2)))
    groups = (frozenset(data.draw(st.lists(st.integers(0, n - 1), max_size=2))),)
    given_parents = {v: [p] for p, v in data.draw(st.lists(st.sampled_from(pairs), max_size=1))}
    before = Constraints.make(n, required=given_parents)
    after = Restriction(required, closed_groups=groups).added_to(before)
    left = sets.restrict(allowed=after.allowed, required=after.required)
    given_arcs = frozenset((p, v) for v, own in given_parents.items() for p in own)
    keep = allowed_sets(sets, Restriction(required | given_arcs, closed_groups=groups))
    expected = {(v, one) for v, one in naive_sets(sets, keep & np.isfinite(sets.scores))}
    assert {(v, one) for v, one in naive_sets(left, np.isfinite(left.scores))} == expected


def naive_sets(
    sets: ParentSets, keep: NDArray[np.bool_]
) -> Iterator[tuple[int, tuple[float, tuple[int, ...]]]]:
    """Yield the variable, the score and the parents of the sets to keep."""
    every = [(v, (one.score, one.parents)) for v in range(sets.n_variables) for one in sets.of(v)]
    return (one for one, kept in zip(every, keep, strict=True) if kept)


def test_fields_and_back() -> None:
    restriction = Restriction(
        frozenset({(1, 2)}), frozenset({(0, 2), (1, 2)}), (frozenset({3}), frozenset({1, 4}))
    )
    assert Restriction.from_fields(restriction.to_fields()) == restriction
