"""Parent sets for sampling: against every set scored on its own."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import naive_scores
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import datasets

from forebear import BDeu, Dataset, ParentSets, Score, _core, score_parent_sets, simulate
from forebear.posterior.sampled_sets import as_networks, score_sampled_sets
from forebear.scoring.constraints import Constraints
from forebear.scoring.growing_sets import SET_BYTES, GrowingSets
from forebear.scoring.job import make_job
from forebear.scoring.score_job import score_job
from forebear.scoring.scores import AVERAGED_ESS, as_score


def sampled(
    table: Dataset,
    most: int,
    *,
    margin: float,
    first: ParentSets | None = None,
    max_parents: list[int] | None = None,
    constraints: Constraints | None = None,
    score: Score | str = "bdeu",
    prior: str = "uniform",
    complete: int | None = None,
) -> GrowingSets:
    """Add to the sets of a search, by default those of a limit, the sets within a margin."""
    if first is None:
        first = score_parent_sets(table, score=score, max_parents=most, prior=prior, threads=1)
    chosen = as_score(score, prior=prior)
    size = most if complete is None else complete
    job = make_job(table, score=chosen, max_parents=size, constraints=constraints, threads=1)
    limits = max_parents or [most] * table.n_variables
    return score_sampled_sets(first, job, limits, margin=margin)


def small_sets(table: Dataset, margin: float, most: int, **how: Any) -> GrowingSets:
    """Score all sets of one parent, without any larger ones."""
    job = make_job(table, score=as_score("bdeu", prior="sparse"), max_parents=1, threads=1, **how)
    job = replace(job, margin=margin)
    return GrowingSets(score_job(job), job, [most] * table.n_variables, 10**9)


def extend(growing: GrowingSets, used: np.ndarray | None = None) -> bool:
    """Score the neighbors of some sets, by default of all; return whether there are more sets."""
    sets = growing.sets()
    chosen = np.ones(len(sets), dtype=bool) if used is None else used
    return growing.grow(as_networks(sets, chosen), 1, _core.Budget(None)) > 0


def expected_sets(
    table: Dataset, v: int, most: int, margin: float, prior: str
) -> dict[tuple[int, ...], float]:
    """Score every set; leave out those that a subset beats by more than the margin."""
    n = table.n_variables
    others = [u for u in range(n) if u != v]
    scores = {
        c: naive_scores.local_score(table, v, c, "bdeu", prior)
        for k in range(most + 1)
        for c in combinations(others, k)
    }
    return {
        c: score
        for c, score in scores.items()
        if all(score >= scores[t] - margin for k in range(len(c)) for t in combinations(c, k))
    }


@pytest.mark.parametrize("complete", [True, False])
@settings(max_examples=40, deadline=None)
@given(
    table=datasets(max_variables=5, min_variables=2, max_rows=40, max_arity=3),
    margin=st.sampled_from([0.5, 3.0, 1000.0]),
    prior=st.sampled_from(["uniform", "sparse"]),
)
def test_all_sets_within_the_margin_are_there(
    complete: bool, table: Dataset, margin: float, prior: str
) -> None:
    most = min(3, table.n_variables - 1)
    first = score_parent_sets(table, max_parents=most, prior=prior, threads=1)
    size = most if complete else 1
    growing = sampled(table, most, first=first, prior=prior, margin=margin, complete=size)
    found = growing.sets()
    assert found.provenance["margin"] == margin
    assert found.provenance["prior"] == prior
    assert (growing.complete == size).all()
    for v in range(table.n_variables):
        ours = {one.parents: one.score for one in found.of(v)}
        theirs = expected_sets(table, v, most, margin, prior)
        close = expected_sets(table, v, most, margin + 1e-6, prior)
        sure = expected_sets(table, v, most, margin - 1e-6, prior)
        if complete:
            assert sure.keys() <= ours.keys() <= close.keys()
        else:  # those of the search have more than one parent; the prior may rule some out
            assert ({one.parents for one in first.of(v)} & sure.keys()) | {()} <= ours.keys()
        for members in ours.keys() & theirs.keys():
            assert ours[members] == pytest.approx(theirs[members], abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(table=datasets(max_variables=4, min_variables=2, max_rows=30, max_arity=4))
def test_scores_are_averaged_over_equivalent_sample_sizes(table: Dataset) -> None:
    most, score = min(3, table.n_variables - 1), BDeu(ess="auto")
    found = sampled(table, most, score=score, margin=1e9).sets()
    assert found.provenance["parameters"] == {"ess": "auto"}
    assert len(found) == table.n_variables * 2 ** (table.n_variables - 1)
    for v in range(table.n_variables):
        for one in found.of(v):
            family = naive_scores.count(table, v, one.parents)
            expected = naive_scores.averaged_bdeu(family, AVERAGED_ESS)
            assert one.score == pytest.approx(expected, abs=1e-6)
            assert score.local(table, v, one.parents) == pytest.approx(expected, abs=1e-8)


def test_averaged_scores_of_equivalent_networks_are_equal() -> None:
    table, score = simulate(4, 300, seed=2).data, BDeu(ess="auto")
    chain = [(), (0,), (1,), (2,)]
    reversed_chain = [(1,), (2,), (3,), ()]
    sums = [
        sum(score.local(table, v, parents) for v, parents in enumerate(network))
        for network in (chain, reversed_chain)
    ]
    assert sums[0] == pytest.approx(sums[1], abs=1e-8)


def test_knowledge_is_respected() -> None:
    table = simulate(5, 200, seed=1).data
    constraints = Constraints.make(len(table.names), required={1: [0]}, forbidden={1: [2]})
    first = score_parent_sets(table, max_parents=3, threads=1)
    none = first.__class__(
        first.names,
        np.arange(6, dtype=np.int64),
        np.full(5, -np.inf),
        np.full((3, 5), first.none, dtype=np.uint16),
    )
    limits = [3, 3, 1, 3, 3]
    growing = sampled(table, 3, first=none, max_parents=limits, constraints=constraints, margin=1e9)
    found = growing.sets()
    child = [one for one in found.of("X2") if np.isfinite(one.score)]
    assert all(0 in one.parents and 2 not in one.parents for one in child)
    assert len(child) == 4  # X1 with any of X4 and X5
    assert found.find("X2", ()) is not None
    assert max(len(one.parents) for one in found.of("X3")) == 1


@settings(max_examples=40, deadline=None)
@given(
    table=datasets(max_variables=5, min_variables=3, max_rows=40, max_arity=3),
    margin=st.sampled_from([0.5, 3.0, 1000.0]),
)
def test_growth_scores_the_neighbors_of_used_sets(table: Dataset, margin: float) -> None:
    most = min(3, table.n_variables - 1)
    growing = small_sets(table, margin, most)
    before = growing.sets()
    assert extend(growing) == (len(growing.sets()) > len(before))
    for v in range(table.n_variables):
        ours = {one.parents: one.score for one in growing.sets().of(v)}
        own = {one.parents for one in before.of(v)}
        sure = expected_sets(table, v, most, margin - 1e-6, "sparse")
        assert own <= ours.keys()
        for members in sure:
            near = any(len(set(members) ^ set(other)) == 1 for other in own)
            assert members in ours or not near
        scores = expected_sets(table, v, most, 1e9, "sparse")
        for members, score in ours.items():
            assert score == pytest.approx(scores[members], abs=1e-6)
    while extend(growing):
        pass
    assert growing.extended(growing.sets()).all()
    if margin == 1000.0:  # then nothing is left out
        assert len(growing.sets()) == sum(
            len(expected_sets(table, v, most, margin, "sparse")) for v in range(table.n_variables)
        )


def test_only_sets_in_use_are_extended() -> None:
    growing = small_sets(simulate(5, 200, seed=1).data, 1000.0, 4)
    sets = growing.sets()
    used = np.zeros(len(sets), dtype=bool)
    used[sets.offsets[:-1]] = True
    assert np.array_equal(as_networks(sets, used), [[0] * 5])
    used[1:3] = True
    more = [[0] * 5, [1, 0, 0, 0, 0], [2, 0, 0, 0, 0]]
    assert np.array_equal(as_networks(sets, used), more)
    sizes = (sets.parents != sets.none).sum(axis=0)
    assert (growing.extended(sets) == (sizes < 1)).all()
    ranks = np.zeros(5, dtype=np.int32)
    best = [next(sets.of(v)).parents for v in range(5)]
    assert extend(growing, used)
    grown = growing.sets()
    now = growing.translate(ranks)
    assert [list(grown.of(v))[int(now[v])].parents for v in range(5)] == best
    assert growing.extended(grown)[grown.offsets[:-1] + now].all()


def test_the_worst_sets_are_dropped_if_memory_is_short() -> None:
    table = simulate(5, 200, seed=1).data
    job = replace(make_job(table, max_parents=2, threads=1), margin=1000.0)
    growing = GrowingSets(score_job(job), job, [4] * 5, 8 * 5 * SET_BYTES)
    whole = GrowingSets(score_job(job), job, [4] * 5, 10**9)
    for v in range(5):
        best = [one.parents for one in whole.sets().of(v)]
        left = [one.parents for one in growing.sets().of(v)]
        assert left == best[:7] + ([] if () in best[:7] else [()])
    assert any(() not in [one.parents for one in whole.sets().of(v)][:7] for v in range(5))


@pytest.mark.parametrize("complete", [1, 2])
def test_sets_that_statements_need_are_kept(complete: int) -> None:
    """An arc between independent variables scores far less than no arc, but is required."""
    rng = np.random.default_rng(1)
    table = Dataset(
        rng.integers(0, 4, (3, 4000)).astype(np.uint8), ("a", "b", "c"), (tuple("wxyz"),) * 3
    )
    useful = np.zeros((3, 3), dtype=bool)
    useful[1, 0] = True
    found = {}
    for needing in (0, 1):
        constraints = Constraints(3, useful=useful if needing else None, most_useful=needing)
        growing = sampled(
            table, 2, constraints=constraints, prior="sparse", margin=8.0, complete=complete
        )
        extend(growing)
        found[needing] = {one.parents for one in growing.sets().of("b")}
    assert (0,) not in found[0]
    assert found[1] == {(), (0,)}  # with c as well, a subset scores far more
