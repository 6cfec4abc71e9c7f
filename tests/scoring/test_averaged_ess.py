"""BDeu averaged over equivalent sample sizes: against brute force, in every way of scoring."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import naive
import naive_missing
import naive_scores
import numpy as np
import pytest
from certificates import check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive_missing import random_missing
from scoredsets import assert_by_definition, assert_identical, assert_same_sets
from strategies import datasets

from forebear import (
    BDeu,
    Dataset,
    Exact,
    ForebearError,
    ParentSets,
    Result,
    _core,
    learn,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear.scoring.all_sets import can_score_all, score_all
from forebear.scoring.completeness import upper_bounds
from forebear.scoring.constraints import Constraints
from forebear.scoring.growing_sets import GrowingSets
from forebear.scoring.job import make_job
from forebear.scoring.score_job import score_job
from forebear.scoring.scores import as_score, score_from

AUTO, TWIN = BDeu(ess="auto"), "bdeu auto"
priors = st.sampled_from(["uniform", "sparse"])
arities = st.sampled_from([2, 4])


@st.composite
def tables(draw: st.DrawFn) -> Dataset:
    """Draw a table, of two states per column in half of the cases: other kernels count these."""
    most = draw(arities)
    return draw(datasets(min_variables=2, max_variables=5, max_rows=40, max_arity=most))


@settings(max_examples=40, deadline=None)
@given(tables(), priors, st.integers(0, 4), st.booleans())
def test_all_sets_up_to_a_size(data: Dataset, prior: str, most: int, constrained: bool) -> None:
    most = min(most, data.n_variables - 1)
    known: dict[str, Any] = {}
    if constrained and data.n_variables > 2 and most > 0:
        known = {"required": {0: [1]}, "forbidden": {1: [2]}}
    job = make_job(
        data,
        score=replace(AUTO, prior=prior),
        max_parents=most,
        constraints=Constraints.make(data.n_variables, **known),
    )
    expected = naive.parent_sets(data, most, TWIN, *known.values(), prior=prior)
    found = score_job(job)
    assert_same_sets(naive.as_lists(found), expected)
    assert_by_definition(found, data, job.score)


@settings(max_examples=30, deadline=None)
@given(tables(), priors)
def test_all_sets_at_once(data: Dataset, prior: str) -> None:
    most = data.n_variables - 1
    job = make_job(data, score=replace(AUTO, prior=prior), max_parents=most)
    if can_score_all(job):
        expected = naive.parent_sets(data, most, TWIN, prior=prior)
        assert_same_sets(naive.as_lists(score_all(job)), expected)


@settings(max_examples=30, deadline=None)
@given(tables(), st.integers(0, 9))
def test_missing_values(data: Dataset, seed: int) -> None:
    missing = random_missing(data, 0.2, seed=seed)
    most = min(3, data.n_variables - 1)
    job = make_job(missing, score=AUTO, max_parents=most)
    found = score_job(job)
    assert_same_sets(naive.as_lists(found), naive_missing.parent_sets(missing, most, TWIN))
    assert_by_definition(found, missing, AUTO)


@settings(max_examples=40, deadline=None)
@given(tables(), priors, st.booleans())
def test_growth(data: Dataset, prior: str, missing: bool) -> None:
    table = random_missing(data, 0.1, seed=1) if missing else data
    job = make_job(table, score=replace(AUTO, prior=prior), max_parents=1)
    growing = GrowingSets(score_job(job), job, [3] * data.n_variables, 10**9)
    rng = np.random.default_rng(0)
    for _ in range(3):
        counts = growing.sets().counts
        growing.grow([rng.integers(0, counts).astype(np.int32)], 1, _core.Budget(None))
    assert_by_definition(growing.sets(), table, job.score)


@settings(max_examples=30, deadline=None)
@given(tables(), priors)
def test_upper_bounds(data: Dataset, prior: str) -> None:
    limits = upper_bounds(make_job(data, score=replace(AUTO, prior=prior), max_parents=1))
    others = list(range(1, data.n_variables))
    value = {
        sum(1 << i for i in own): naive_scores.local_score(
            data, 0, [others[i] for i in own], TWIN, prior
        )
        for size in range(len(others) + 1)
        for own in combinations(range(len(others)), size)
    }
    for mask in value:
        best = max(own for other, own in value.items() if other & mask == mask)
        assert limits.of(0, others, mask) >= best - 1e-9


@settings(max_examples=30, deadline=None)
@given(tables(), st.integers(0, 99))
def test_real_weights(data: Dataset, seed: int) -> None:
    """Rows with fractional weights: the definition of the core and of NumPy agree."""
    weights = np.random.default_rng(seed).integers(1, 3000, data.n_rows)
    weighted = replace(data, weights=weights, copies=1000)
    job = make_job(weighted, score=AUTO, max_parents=min(3, data.n_variables - 1))
    assert_by_definition(score_job(job), weighted, AUTO)


@settings(max_examples=30, deadline=None)
@given(tables())
def test_equivalent_networks_have_equal_scores(data: Dataset) -> None:
    n = data.n_variables
    forward = [(), *((v,) for v in range(n - 1))]
    backward = [*((v + 1,) for v in range(n - 1)), ()]
    sums = [
        math.fsum(AUTO.local(data, v, parents) for v, parents in enumerate(network))
        for network in (forward, backward)
    ]
    assert sums[0] == pytest.approx(sums[1], abs=1e-8)


def test_probabilities_of_a_column_sum_to_one() -> None:
    """Over all columns that the child could have, given the columns of its parents."""
    data = simulate(3, 4, states=(3, 3), seed=1).data
    total = 0.0
    for column in product(range(data.arities[2]), repeat=data.n_rows):
        codes = np.vstack([data.codes[:2], np.array([column])]).astype(data.codes.dtype)
        total += math.exp(AUTO.local(replace(data, codes=codes), 2, (0, 1)))
    assert total == pytest.approx(1.0)


def test_large_tables() -> None:
    """Differences of hundreds of nats between the sizes, and counts beyond small tables."""
    table = simulate(8, 20_000, states=(2, 9), seed=2).data
    job = make_job(table, score=AUTO, max_parents=3, max_sets_per_variable=20)
    assert_by_definition(score_job(job), table, AUTO)


def test_results_do_not_depend_on_the_threads() -> None:
    table = simulate(20, 500, seed=1).data
    found = [
        score_parent_sets(table, score=AUTO, max_parents=2, threads=threads) for threads in (1, 2)
    ]
    assert_identical(*found)


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=tables(), prior=priors)
def test_optimal_among_all_networks(data: Dataset, prior: str, tmp_path: Path) -> None:
    path = tmp_path / "proof.cert"
    path.unlink(missing_ok=True)
    result = learn(
        data,
        score=AUTO,
        prior=prior,
        algorithm=Exact("branch-and-cut"),
        max_parents="all",
        certify=path,
        threads=1,
        seed=1,
        cache=False,
    )
    expected = naive.best_score(naive.parent_sets(data, data.n_variables - 1, TWIN, prior=prior))
    assert result.score == pytest.approx(expected, abs=1e-8)
    assert result.status == "optimal"
    assert score_network(result, data, AUTO, prior=prior) == pytest.approx(result.score, abs=1e-8)
    assert result.parent_sets is not None
    assert float(check(path, result.parent_sets).bound) == pytest.approx(expected, abs=1e-5)


def test_structural_em() -> None:
    table = random_missing(simulate(5, 200, seed=1).data, 0.1, seed=1)
    table = replace(table, missing="em")
    result = learn(table, score=AUTO, generations=5, threads=1, seed=1, certify=False, cache=False)
    assert result.provenance["parameters"] == {"ess": "auto"}
    assert math.isfinite(score_network(result, table, AUTO))


def test_files_and_names(tmp_path: Path) -> None:
    table = simulate(5, 100, seed=1).data
    sets = score_parent_sets(table, score=AUTO, max_parents=2)
    sets.save(tmp_path / "sets.cps")
    again = ParentSets.load(tmp_path / "sets.cps")
    assert score_from(again.provenance) == AUTO == as_score("bdeu", ess="auto")
    assert make_job(table, score=AUTO, max_parents=2).key != make_job(table, max_parents=2).key
    result = learn(table, score=AUTO, generations=5, threads=1, seed=1)
    assert "bdeu (averaged over ess)" in str(result)
    result.save(tmp_path / "result.json")
    loaded = Result.load(tmp_path / "result.json")
    assert loaded.provenance["parameters"] == {"ess": "auto"}


@pytest.mark.parametrize("ess", ["many", "", 0, -1.0, math.inf, True, None])
def test_other_sizes_are_rejected(ess: Any) -> None:
    with pytest.raises(ForebearError, match="ess must be"):
        BDeu(ess=ess)


def test_only_bdeu_is_averaged() -> None:
    with pytest.raises(ForebearError, match="ess must be a number, or auto with bdeu"):
        as_score("bds", ess="auto")
    with pytest.raises(ForebearError, match="bic has no parameter"):
        as_score("bic", ess="auto")
