"""Experiments: families are scored on the rows in which their child was not set."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import naive
import naive_scores
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scoredsets import assert_by_definition, assert_identical, assert_same_sets
from strategies import experiments, networks
from tables import with_experiments

from forebear import BDeu, Dataset, Network, ParentSets, _core, score_parent_sets, simulate
from forebear.posterior.sampled_sets import score_sampled_sets
from forebear.scoring.all_sets import can_score_all, score_all
from forebear.scoring.completeness import add_larger_sets
from forebear.scoring.constraints import Constraints
from forebear.scoring.growing_sets import GrowingSets
from forebear.scoring.job import make_job
from forebear.scoring.network_score import family_scores
from forebear.scoring.parts import score_part, split
from forebear.scoring.score_job import score_job
from forebear.scoring.scores import SCORES, as_score

NO_LIMIT = _core.Budget(None)
ALL_SIZES = ("aic", "bdeu", "bic", "fnml", "k2", "ll", "qnml")


@pytest.fixture(scope="module")
def table() -> Dataset:
    return with_experiments(simulate(6, 300, states=(2, 3), seed=3).data, 3)


@given(experiments(), st.sampled_from(sorted(naive_scores.SCORES)), st.data())
def test_scores(data: Dataset, name: str, draw: st.DataObject) -> None:
    score = BDeu("auto") if name == "bdeu auto" else as_score(name)
    n = data.n_variables
    parents = draw.draw(networks(max_variables=n, min_variables=n)).parents
    found = family_scores(Network(data.names, parents), data, score)
    expected = [naive_scores.local_score(data, v, own, name) for v, own in enumerate(parents)]
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-9)


@given(experiments(), st.sampled_from(sorted(SCORES)), st.sampled_from(["uniform", "sparse"]))
def test_parent_sets(data: Dataset, score: str, prior: str) -> None:
    most = min(3, data.n_variables - 1)
    found = score_parent_sets(data, score=score, prior=prior, max_parents=most)
    expected = naive.parent_sets(data, most, score, prior=prior)
    assert_same_sets(naive.as_lists(found), expected)


@given(experiments(min_variables=2), st.sampled_from(ALL_SIZES))
def test_parent_sets_of_all_sizes(data: Dataset, score: str) -> None:
    job = make_job(data, score=score, max_parents=data.n_variables - 1)
    assume(can_score_all(job))
    expected = naive.parent_sets(data, job.max_parents, score)
    assert_same_sets(naive.as_lists(score_all(job)), expected)


@given(experiments(min_variables=3), st.data())
def test_constraints(data: Dataset, draw: st.DataObject) -> None:
    n, most = data.n_variables, min(3, data.n_variables - 1)
    child, parent, other = draw.draw(st.permutations(range(n)))[:3]
    required, forbidden = {child: (parent,)}, {child: (other,), parent: (other,)}
    constraints = Constraints.make(n, required=required, forbidden=forbidden)
    found = score_job(make_job(data, max_parents=most, constraints=constraints))
    expected = naive.parent_sets(data, most, "bdeu", required=required, forbidden=forbidden)
    assert_same_sets(naive.as_lists(found), expected)


@given(experiments(min_variables=2), st.sampled_from(sorted(SCORES)), st.integers(1, 5))
@settings(max_examples=25)
def test_weights_are_repeated_rows(data: Dataset, score: str, seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, 4, data.n_rows)
    assume(weights.any())
    weighted, most = replace(data, weights=weights), min(2, data.n_variables - 1)
    whole = weighted.expanded()
    found, expected = (
        score_parent_sets(own, score=score, max_parents=most) for own in (weighted, whole)
    )
    assert_same_sets(naive.as_lists(found), naive.as_lists(expected))
    assert_by_definition(found, whole, score)


def test_real_weights(table: Dataset) -> None:
    weights = np.random.default_rng(1).integers(1, 9, table.n_rows)
    real = replace(table, weights=weights, copies=3)
    for score in ("bdeu", "bic"):
        assert_by_definition(score_parent_sets(real, score=score, max_parents=2), real, score)


def test_equal_rows_are_merged_only_if_the_same_was_set() -> None:
    data = simulate(4, 20, seed=1).data.take(np.repeat(np.arange(20), 100))
    mask = np.zeros(data.codes.shape, dtype=np.bool_)
    mask[0, ::2] = True  # half of the rows that are equal otherwise
    data = replace(data, intervened=mask)
    found = score_parent_sets(data, max_parents=3)
    assert_same_sets(naive.as_lists(found), naive.parent_sets(data, 3, "bdeu"))


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_parts_and_executors(share: float, table: Dataset, tmp_path: Path) -> None:
    """Together, the parts have what one run has, whether some variables were set or all."""
    data = with_experiments(table, 3) if share < 1 else with_experiments(table, 6)
    job = make_job(data, max_parents=3)
    assert len(job.alone) == (4 if share < 1 else 6)
    whole = score_job(job)
    for n_parts in (2, 5):
        parts = score_job(job, n_parts=n_parts, spill=tmp_path / f"{n_parts}.cps")
        assert_identical(parts, whole)
    with ProcessPoolExecutor(1) as pool:
        assert_identical(score_job(job, n_parts=3, executor=pool), whole)
    assert_by_definition(whole, data)


def test_parts_of_variables_with_few_candidates(table: Dataset, tmp_path: Path) -> None:
    """A variable with fewer candidates than max_parents belongs to the first part."""
    constraints = Constraints.make(6, forbidden={3: (0, 1, 2, 4), 0: (4, 1), 1: (5,)})
    for most in (2, 3, 4):
        job = make_job(table, max_parents=most, constraints=constraints)
        parts = score_job(job, n_parts=4, spill=tmp_path / f"{most}.cps")
        assert_identical(parts, score_job(job))


def test_unfinished_parts_are_complete_up_to_one_parent_less(table: Dataset) -> None:
    job = make_job(table, max_parents=3)
    whole = score_job(job)
    first = ParentSets(table.names, *score_part(job, split(job, 4)[0]), job.provenance)
    for v in range(6):
        smaller = {one.parents: one.score for one in whole.of(v) if len(one.parents) < 3}
        found = {one.parents: one.score for one in first.of(v)}
        assert smaller.items() <= found.items()


def test_larger_sets_are_found_by_bounds(table: Dataset) -> None:
    for score in ("bdeu", "bic", "k2"):
        job = make_job(table, score=score, max_parents=2)
        found = add_larger_sets(job, score_job(job))
        assert found is not None
        kept = [naive.drop_dominated(own) for own in naive.as_lists(found)]
        expected = score_all(replace(job, max_parents=5))
        assert_same_sets(kept, naive.as_lists(expected))


@given(st.integers(3, 7), st.integers(5, 80), st.sampled_from(sorted(SCORES)), st.integers(0, 999))
@settings(max_examples=30)
def test_growth(n: int, rows: int, score: str, seed: int) -> None:
    data = with_experiments(simulate(n, rows, states=(2, 3), seed=seed).data, 2, seed)
    job = make_job(data, score=score, max_parents=1)
    growing, rng = GrowingSets(score_job(job), job, [4] * n, 10**9), np.random.default_rng(seed)
    for _ in range(3):
        chosen = [rng.integers(0, growing.sets().counts).astype(np.int32) for _ in range(3)]
        growing.grow(chosen, 1, NO_LIMIT)
    assert growing.families > 0
    assert_by_definition(growing.sets(), data, score)
    # Gains are relative to a network: here the empty one.
    empty = np.array([as_score(score).local(data, v) for v in range(n)])
    gains = growing.gains([()] * n, empty)
    for v, u in permutations(range(n), 2):
        own = as_score(score).local(data, v, (u,))
        assert gains[v, u] == pytest.approx(own - empty[v], rel=1e-9, abs=1e-8)


@given(experiments(min_variables=2), st.sampled_from(["bdeu", "bic"]))
@settings(max_examples=25)
def test_sampled_sets(data: Dataset, score: str) -> None:
    n, most = data.n_variables, min(3, data.n_variables - 1)
    job = make_job(data, score=score, max_parents=most)
    first = score_parent_sets(data, score=score, max_parents=most)
    found = score_sampled_sets(first, job, [most] * n, margin=1e9).sets()
    assert len(found) == sum(len(naive.allowed_sets(n, v, most)) for v in range(n))
    assert_by_definition(found, data, score)


def test_a_variable_that_was_set_in_every_row_has_no_parents(table: Dataset) -> None:
    sets = score_parent_sets(table, max_parents="all")
    assert [(one.score, one.parents) for one in sets.of("X6")] == [(0.0, ())]
    known = Constraints.make(6, required={5: (0,)})
    required = score_job(make_job(table, score="bic", max_parents=2, constraints=known))
    assert [one.parents for one in required.of("X6")] == [(0,), ()]
    assert required.at("X6", 1).score == 0.0
