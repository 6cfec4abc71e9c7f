"""Widened parent sets: against every set scored on its own."""

from __future__ import annotations

from itertools import combinations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import datasets

from forebear import Dataset, _core, score_parent_sets, simulate
from forebear.posterior import widening
from forebear.posterior.priors import log_prior
from forebear.posterior.widening import complete_size, widened
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import make_job


def expected_sets(
    table: Dataset, v: int, most: int, margin: float, prior: str
) -> dict[tuple[int, ...], float]:
    """Score every set; leave out those that a subset beats by more than the margin."""
    n = table.n_variables
    others = [u for u in range(n) if u != v]
    added = log_prior(prior, n, most)
    scores = {
        c: naive.SCORES["bdeu"](naive.count(table, v, c)) + added[k]
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
    first = score_parent_sets(table, max_parents=most, threads=1)
    job = make_job(table, max_parents=most, threads=1)
    with pytest.MonkeyPatch.context() as patch:
        if not complete:
            patch.setattr(widening, "WIDENING_FAMILIES", 0)
        found = widened(
            first, job, [most] * table.n_variables, prior=prior, margin=margin,
            budget=_core.Budget(None),
        )  # fmt: skip
    for v in range(table.n_variables):
        ours = {one.parents: one.score for one in found.of(v)}
        theirs = expected_sets(table, v, most, margin, prior)
        close = expected_sets(table, v, most, margin + 1e-6, prior)
        sure = expected_sets(table, v, most, margin - 1e-6, prior)
        if complete:
            assert sure.keys() <= ours.keys() <= close.keys()
        else:  # what is reached by adding one parent after the other
            assert {one.parents for one in first.of(v)} | {()} <= ours.keys()
        for members in ours.keys() & theirs.keys():
            assert ours[members] == pytest.approx(theirs[members], abs=1e-6)


def test_knowledge_is_respected() -> None:
    table = simulate(5, 200, seed=1).data
    constraints = Constraints.make(
        table.names, required=[("X1", "X2")], forbidden=[("X3", "X2")], tiers=[]
    )
    job = make_job(table, max_parents=3, constraints=constraints, threads=1)
    first = score_parent_sets(table, max_parents=3, threads=1)
    none = first.__class__(
        first.names,
        np.arange(6, dtype=np.int64),
        np.full(5, -np.inf),
        np.full((3, 5), first.none, dtype=np.uint16),
    )
    found = widened(
        none, job, [3, 3, 1, 3, 3], prior="uniform", margin=1e9, budget=_core.Budget(None)
    )
    child = [one for one in found.of("X2") if np.isfinite(one.score)]
    assert all(0 in one.parents and 2 not in one.parents for one in child)
    assert len(child) == 4  # X1 with any of X4 and X5
    assert found.find("X2", ()) is not None
    assert max(len(one.parents) for one in found.of("X3")) == 1


def test_how_many_parents_are_complete() -> None:
    assert complete_size(20, 6) == 6
    assert complete_size(223, 6) == 2
    assert complete_size(5000, 6) == 1
