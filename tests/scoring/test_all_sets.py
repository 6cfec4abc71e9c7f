"""Parent sets of all sizes: against scoring by size, and against brute force."""

from __future__ import annotations

from dataclasses import replace

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoredsets import PRIORS, score_of, scored_by
from strategies import datasets
from tables import random_table
from watchers import Recorder

from forebear import Dataset, LimitError, learn, score_parent_sets, simulate
from forebear._util.errors import ForebearError, TimeLimitError
from forebear._util.machine import resident_bytes
from forebear.scoring.all_sets import can_score_all, score_all
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import ScoringRun, make_job

SCORES = ("bdeu", "bic", "aic", "qnml", "ll", "k2", "fnml")
KNOWN = {"required": {0: [1]}, "forbidden": {1: [2], 0: [3]}}


@settings(max_examples=150, deadline=None)
@given(
    datasets(min_variables=2, max_variables=6, max_rows=60, max_arity=4),
    scored_by(*SCORES),
    PRIORS,
    st.booleans(),
    st.sampled_from([1, 3]),
    st.sampled_from([1, 2]),
)
def test_same_as_by_levels_and_by_brute_force(
    data: Dataset, score: str, prior: str | float, constrained: bool, copies: int, threads: int
) -> None:
    n = data.n_variables
    known = KNOWN if constrained and n >= 4 else {}
    job = make_job(
        replace(data, codes=np.repeat(data.codes, copies, axis=1), copies=copies),
        score=score_of(score, prior),
        max_parents=n - 1,
        constraints=Constraints.make(data.n_variables, **known),  # type: ignore[arg-type]
        threads=threads,
    )
    if not can_score_all(job):
        # Nothing to tell apart, or a parent is required that tells nothing.
        assert data.arities.max() == 1 or (known and data.arities[1] == 1)
        return
    found = score_all(job)
    levels = ScoringRun(job)
    assert levels.run() == "done"
    assert naive.as_lists(found) == naive.as_lists(levels.collect())
    wanted = naive.parent_sets(data, n - 1, score, *known.values(), prior=prior)
    for own, every in zip(naive.as_lists(found), wanted, strict=True):
        for value, parents in every:
            subsets = [s for s, other in own if set(other) <= set(parents)]
            assert max(subsets, default=value) >= value - 1e-6 * (1 + abs(value))
    assert found.is_complete
    assert found.provenance["max_parents"] == max(
        len(parents) for own in naive.as_lists(found) for _, parents in own
    )


def test_a_required_parent_of_a_constant_column_has_its_prior() -> None:
    data = replace(random_table([1, 2, 2, 2], 40), names=("a", "b", "c", "d"))
    job = make_job(
        data,
        score=score_of("bdeu", "sparse"),
        max_parents=3,
        constraints=Constraints.make(4, required={0: [1]}),
    )
    assert score_all(job).at("a", 1).score == pytest.approx(-np.log(3))


@pytest.mark.parametrize("score", ["bic", "aic", "qnml", "bdeu"])
def test_penalties_beyond_the_fixed_point(score: str) -> None:
    """With 60 states each, the penalty of a few parents is more than the core can hold."""
    data = random_table([60] * 9, 40, seed=3)
    job = make_job(data, score=score, max_parents=8, threads=1)
    levels = ScoringRun(job)
    assert levels.run() == "done"
    assert naive.as_lists(score_all(job)) == naive.as_lists(levels.collect())


def test_limits() -> None:
    data = random_table([2] * 20, 300, seed=1)
    job = make_job(data, max_parents=2, threads=1)
    with pytest.raises(TimeLimitError, match="not enough time to score all parent sets"):
        score_all(job, seconds=1e-6)
    assert ScoringRun(job, 1 << 20, all_sizes=True).run() == "memory"
    with pytest.raises(LimitError, match="do not all fit in"):
        score_all(job, max_memory=resident_bytes() + (1 << 20))
    assert can_score_all(job)
    assert not can_score_all(job, max_memory=resident_bytes() + (1 << 20))
    stopped = ScoringRun(job, all_sizes=True)
    stopped.cancel()
    assert stopped.run() == "cancelled"


def test_jobs_without_a_score_of_all_sets() -> None:
    data = random_table([2, 3, 2], 50, seed=1)
    for other in ("bds", "mit"):
        assert not can_score_all(make_job(data, score=other, max_parents=2))
    assert not can_score_all(make_job(data, max_parents=2, max_sets_per_variable=3))
    assert not can_score_all(make_job(random_table([2] * 40, 50, seed=1), max_parents=2))
    with pytest.raises(ValueError, match="not for all sets"):
        ScoringRun(make_job(data, score="bds", max_parents=2), all_sizes=True)
    constant = Dataset(np.zeros((2, 5), np.uint8), ("a", "b"), (("x",), ("x",)))
    with pytest.raises(ValueError, match="too few or too many variables"):
        ScoringRun(make_job(constant, max_parents=1), all_sizes=True)


def test_more_parents_than_the_search_supports() -> None:
    # The likelihood of random rows grows with every parent.
    data = random_table([2] * 17, 2_000, seed=2)
    with pytest.raises(LimitError, match="not dominated have 16"):
        score_parent_sets(data, score="ll", max_parents="all")


def test_without_a_limit_on_parents() -> None:
    data = simulate(16, 400, max_parents=3, seed=3).data
    heard = Recorder()
    sets = score_parent_sets(data, max_parents="all", watcher=heard)
    assert heard.fractions[-1] == 1.0
    assert sets.is_complete
    result = learn(data, max_parents="all", algorithm="exact", seed=1)
    assert result.covers == "among all networks"
    assert result.stop_reason == "optimal"
    # Every score without a penalty of single parents can be complete.
    assert score_parent_sets(data, score="fnml", max_parents="all").is_complete
    with pytest.raises(ForebearError, match="cannot be combined with holdout"):
        learn(data, max_parents="all", holdout=0.1)
    with pytest.raises(ForebearError, match='cannot be combined with score="auto"'):
        learn(data, max_parents="all", score="auto")
