"""Priors over networks, and bdeu averaged over equivalent sample sizes: against brute force, in
every way of scoring, and in every result.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import naive
import naive_scores
import numpy as np
import pytest
from certificates import check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive_missing import random_missing
from scoredsets import (
    PRIORS,
    assert_by_definition,
    assert_identical,
    score_of,
    scored_by,
)
from strategies import datasets

from forebear import (
    BDeu,
    Dataset,
    Exact,
    ForebearError,
    ForebearWarning,
    ParentSets,
    Result,
    _core,
    find_network,
    k_best_networks,
    learn,
    sample_posterior,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear.scoring.growing_sets import GrowingSets
from forebear.scoring.job import make_job
from forebear.scoring.priors import check_prior, log_priors, show_prior, with_prior
from forebear.scoring.score_job import score_job

tables = datasets(min_variables=2, max_variables=5, max_rows=40, max_arity=3)
TABLE = simulate(6, 150, max_parents=2, states=(2, 3), seed=5).data


@given(st.one_of(st.just("sparse"), st.floats(1e-12, 0.5)), st.integers(1, 40))
def test_log_priors(prior: str | float, n: int) -> None:
    found = log_priors(prior, n)
    assert found == pytest.approx([naive_scores.log_prior(prior, n, k) for k in range(n)])
    assert found[0] == 0.0
    assert list(found) == sorted(found, reverse=True)


def test_many_variables() -> None:
    assert log_priors("sparse", 20_000)[3] == pytest.approx(-math.log(math.comb(19_999, 3)))


@pytest.mark.parametrize("prior", ["flat", 0, 0.51, 1.0, math.nan, True, None, [0.1]])
def test_other_priors_are_rejected(prior: Any) -> None:
    with pytest.raises(ForebearError, match='prior must be "uniform", "sparse" or the probability'):
        check_prior(prior)
    with pytest.raises(ForebearError, match="above 0 and at most"):
        BDeu(prior=prior)


@settings(max_examples=80, deadline=None)
@given(tables, scored_by(), PRIORS, st.booleans())
def test_growth(data: Dataset, score: str, prior: str | float, missing: bool) -> None:
    """Growth scores by the definition, and never adds a set that one of its subsets dominates."""
    table = random_missing(data, 0.1, seed=1) if missing else data
    job = make_job(table, score=score_of(score, prior), max_parents=1)
    growing = GrowingSets(score_job(job), job, [3] * data.n_variables, 10**9)
    rng = np.random.default_rng(0)
    for _ in range(3):
        counts = growing.sets().counts
        growing.grow([rng.integers(0, counts).astype(np.int32)], 1, _core.Budget(None))
    assert_by_definition(growing.sets(), table, job.score)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=datasets(min_variables=2, max_variables=4, max_rows=40, max_arity=3),
    name=scored_by("bdeu"),
    prior=PRIORS,
)
def test_optimal_among_all_networks(
    data: Dataset, name: str, prior: str | float, tmp_path: Path
) -> None:
    """Exact search finds the best of all networks, and its certificate is valid."""
    path = tmp_path / "proof.cert"
    path.unlink(missing_ok=True)
    score, plain = score_of(name, prior), score_of(name, "uniform")
    result = learn(
        data,
        score=score,
        algorithm=Exact("branch-and-cut"),
        max_parents="all",
        certify=path,
        threads=1,
        seed=1,
        cache=False,
    )
    expected = naive.best_score(naive.parent_sets(data, data.n_variables - 1, name, prior=prior))
    assert result.score == pytest.approx(expected, abs=1e-8)
    assert result.status == "optimal"
    assert score_network(result, data, score) == pytest.approx(result.score, abs=1e-8)
    without = score_network(result, data, plain)
    assert result.score - result.log_prior == pytest.approx(without, abs=1e-8)
    assert result.parent_sets is not None
    checked = check(path, result.parent_sets)
    assert checked.prior == prior
    assert checked.log_prior == pytest.approx(result.log_prior)
    assert float(checked.bound) == pytest.approx(expected, abs=1e-5)


@settings(max_examples=30, deadline=None)
@given(tables, PRIORS, st.sampled_from(["bdeu", "bic"]))
def test_adding_the_prior_later_misses_nothing(
    data: Dataset, prior: str | float, score: str
) -> None:
    most = data.n_variables - 1
    later = with_prior(score_parent_sets(data, score=score, max_parents=most), prior)
    expected = naive.parent_sets(data, most, score, prior=prior)
    assert naive.best_score(naive.as_lists(later)) == pytest.approx(naive.best_score(expected))
    own = find_network(later, algorithm="exact", seed=1)
    direct = score_parent_sets(data, score=score, max_parents=most, prior=prior)
    assert own.score == pytest.approx(find_network(direct, algorithm="exact", seed=1).score)


@pytest.mark.parametrize("prior", ["sparse", 0.05])
def test_results_record_the_prior(prior: str | float, tmp_path: Path) -> None:
    result = learn(TABLE, prior=prior, generations=3, seed=1, cache=False)
    result.save(tmp_path / "result.json")
    again = Result.load(tmp_path / "result.json")
    assert (again.prior, again.log_prior) == (prior, result.log_prior)
    assert result.log_prior < 0
    assert f" + log prior {result.log_prior:.4f} ({show_prior(prior)})" in repr(result)
    uniform = learn(TABLE, prior="uniform", generations=3, seed=1, cache=False)
    assert uniform.log_prior == 0.0
    object_ = learn(TABLE, score=BDeu(prior=prior), generations=3, seed=1, cache=False)
    assert object_.score == result.score


def test_the_cache_is_not_shared_by_priors(tmp_path: Path) -> None:
    for _ in range(2):
        found = {
            prior: learn(TABLE, prior=prior, generations=2, seed=1, cache=tmp_path).score
            for prior in ("uniform", "sparse", 0.01)
        }
        assert len(set(found.values())) == 3


def test_a_prior_is_not_added_twice(tmp_path: Path) -> None:
    scored = score_parent_sets(TABLE, prior="sparse", max_parents=2, path=tmp_path / "sets.cps")
    sets = ParentSets.load(tmp_path / "sets.cps")
    assert sets.provenance["prior"] == "sparse"
    assert_identical(with_prior(sets, "sparse"), scored)
    for again in (lambda: find_network(sets, prior=0.1), lambda: sample_posterior(sets, prior=0.1)):
        with pytest.raises(ForebearError, match="already include the prior sparse: leave prior"):
            again()


def test_jkl_files_cannot_record_a_prior(tmp_path: Path) -> None:
    sets = score_parent_sets(TABLE, prior="sparse", max_parents=2)
    with pytest.warns(ForebearWarning, match="cannot record that its scores include the prior"):
        sets.save(tmp_path / "sets.jkl")


def test_the_k_best_networks_have_the_prior() -> None:
    small = TABLE.select(range(4))
    sets = score_parent_sets(small, prior="sparse", max_parents=3)
    for result in k_best_networks(sets, 5):
        own = score_network(result, small, prior="sparse")
        assert result.score == pytest.approx(own)
