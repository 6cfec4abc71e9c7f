"""Collections created from others, against lists that are sorted by definition."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from random import Random

import naive
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import pack, parent_set_collections

from forebear import ParentSets, score_parent_sets, simulate
from forebear.parentsets.collection import ParentSet
from forebear.scoring.growing_sets import network_sets


def listed(sets: ParentSets, v: int) -> list[tuple[float, tuple[int, ...]]]:
    return [(one.score, one.parents) for one in sets.of(v)]


def naive_union(
    sets: ParentSets, more: ParentSets, v: int, *, dominated: bool
) -> list[tuple[float, tuple[int, ...]]]:
    """Return the sets of both, less those of the second that a subset in the first beats."""

    def stays(one: ParentSet) -> bool:
        subsets = [own for own in sets.of(v) if set(own.parents) <= set(one.parents)]
        if dominated:
            return all(own.parents != one.parents for own in subsets)
        return all(own.score < one.score for own in subsets)

    both = [*listed(sets, v), *((one.score, one.parents) for one in more.of(v) if stays(one))]
    return sorted(both, key=lambda one: (-one[0], len(one[1]), one[1]))


@given(st.integers(0, 999), st.integers(1, 2), st.booleans())
def test_adding_sets(seed: int, few: int, dominated: bool) -> None:
    rng = np.random.default_rng(seed)
    table = simulate(6, 60, seed=seed).data
    sets, all_sets = (score_parent_sets(table, max_parents=most) for most in (few, 4))
    ranks = np.array([rng.integers(count) for count in all_sets.counts])
    network, _ = network_sets(all_sets, ranks)
    both = sets.add(network, dominated=dominated)
    for v in range(6):
        assert listed(both, v) == naive_union(sets, network, v, dominated=dominated)
    assert set(both.complete) == {few}
    assert both.add(network, dominated=dominated) is both


@st.composite
def collections(draw: st.DrawFn) -> list[ParentSets]:
    """Draw collections of the same variables. A set has one score, and many have the same.

    The empty set may be one that is not allowed.
    """
    n = draw(st.integers(1, 4))
    made: list[naive.ScoredSets] = [[] for _ in range(draw(st.integers(1, 4)))]
    for child in range(n):
        others = [v for v in range(n) if v != child]
        larger = [own for size in range(1, n) for own in combinations(others, size)]
        scores = {own: float(draw(st.integers(-4, 0))) for own in larger}
        for lists in made:
            chosen = draw(st.lists(st.sampled_from(larger), unique=True)) if larger else []
            empty = draw(st.sampled_from([-3.0, -math.inf]))
            lists.append(naive.best_first([*((scores[own], own) for own in chosen), (empty, ())]))
    return [pack(lists) for lists in made]


@given(collections())
def test_all_sets_of_several_collections(drawn: list[ParentSets]) -> None:
    merged = drawn[0].merge(*drawn[1:])
    for v in range(merged.n_variables):
        ascending = sorted(one for sets in drawn for one in listed(sets, v))
        best = {own: score for score, own in ascending}  # the last of each
        assert listed(merged, v) == naive.best_first((s, own) for own, s in best.items())


def test_the_provenance_of_merged_sets() -> None:
    table = simulate(6, 60, seed=1).data
    one, three = (score_parent_sets(table, max_parents=most) for most in (1, 3))
    assert set(one.merge(three).complete) == {1}
    some = replace(three, provenance={**three.provenance, "scored_up_to": 0})
    assert some.merge(one).provenance["max_parents"] == 3
    assert set(some.merge(one).complete) == {0}
    assert one.merge() is one


@given(parent_set_collections(required_parents=True), st.integers(1, 12))
def test_the_best_sets_and_the_empty_ones(sets: ParentSets, rank: int) -> None:
    least = sets.scores_at(rank)
    few = sets.better_than(least)
    for v, own in enumerate(naive.as_lists(sets)):
        assert least[v] == (own[rank - 1][0] if len(own) >= rank else -math.inf)
        assert listed(few, v) == [one for one in own if one[0] > least[v] or not one[1]]


@given(parent_set_collections(required_parents=True), st.data())
def test_filter_and_restrict(sets: ParentSets, draw: st.DataObject) -> None:
    """The empty set stays; where it is not kept, as one that is not allowed."""
    n, lists = sets.n_variables, naive.as_lists(sets)
    allowed = np.array([[draw.draw(st.booleans()) for _ in range(n)] for _ in range(n)])
    required = {
        v: [p for p in range(n) if p != v and draw.draw(st.integers(0, 4)) == 0] for v in range(n)
    }
    most = [draw.draw(st.integers(0, n)) for _ in range(n)]
    left = sets.restrict(allowed=allowed, required=required, max_parents=most)
    for v, own in enumerate(lists):
        kept = {
            parents: score
            for score, parents in own
            if len(parents) <= most[v]
            and set(required[v]) <= set(parents)
            and all(allowed[v, p] for p in parents)
        }
        kept.setdefault((), -math.inf)
        assert listed(left, v) == naive.best_first((s, parents) for parents, s in kept.items())
    assert left.has_allowed_sets == all(math.isfinite(next(left.of(v)).score) for v in range(n))


@given(parent_set_collections(required_parents=True), st.randoms(use_true_random=False))
def test_lists_in_any_order(sets: ParentSets, random: Random) -> None:
    lists = naive.as_lists(sets)
    for own in lists:
        random.shuffle(own)
    assert naive.as_lists(ParentSets.of_lists(sets.names, lists)) == naive.as_lists(sets)
