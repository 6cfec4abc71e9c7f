"""Larger sets of the best candidates, besides all small ones."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forebear import PSMINOBS, learn, score_parent_sets, simulate
from forebear._util.errors import LimitError, TimeLimitError
from forebear._util.watcher import Watcher
from forebear.budget import Clock
from forebear.learning.deepening import join_sets
from forebear.learning.plan import make_plan
from forebear.learning.steps import Means, get_parent_sets_in_time
from forebear.scoring.candidates import best_candidates, deeper_job
from forebear.scoring.dispatch import score_job
from forebear.scoring.job import make_job

if TYPE_CHECKING:
    from forebear import Result
    from forebear.learning.plan import Plan
    from forebear.parentsets.collection import ParentSets


def as_sets(sets: ParentSets) -> list[dict[frozenset[int], float]]:
    return [{frozenset(own): score for score, own in scored} for scored in naive.as_lists(sets)]


@settings(max_examples=15)
@given(st.integers(0, 1000), st.integers(1, 2), st.integers(3, 5))
def test_all_small_sets_and_the_large_ones_of_the_candidates(
    seed: int, wide_parents: int, candidates: int
) -> None:
    """What is joined is what all sets would be, less the large ones that hold others."""
    data = simulate(8, 300, max_parents=4, states=(2, 2), seed=seed).data
    job = make_job(data, max_parents=wide_parents)
    wide = score_job(job)
    deeper = deeper_job(job, wide, candidates, 4)
    joined = as_sets(join_sets(wide, score_job(deeper)))
    everything = as_sets(score_parent_sets(data, max_parents=4))
    for v, own in enumerate(joined):
        allowed = set(best_candidates(wide, v, candidates).tolist())
        expected = {
            members: score
            for members, score in everything[v].items()
            if len(members) <= wide_parents or members <= allowed
        }
        assert own == expected
        assert list(own.values()) == sorted(own.values(), reverse=True)


def test_candidates_are_of_the_best_sets() -> None:
    data = simulate(12, 500, max_parents=3, seed=3).data
    sets = score_parent_sets(data, max_parents=2)
    for v, scored in enumerate(naive.as_lists(sets)):
        seen = list(dict.fromkeys(p for _, own in scored for p in own))
        assert best_candidates(sets, v, 4).tolist() == seen[:4]


class Listener(Watcher):
    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.added: list[int] = []

    def planned(self, plan: Plan) -> None:
        self.plans.append(plan)

    def enlarged(self, added: int, parent_sets: ParentSets) -> None:
        self.added.append(added)


DENSE = simulate(62, 600, max_parents=5, states=(2, 2), seed=1).data


def learn_dense(**settings: Any) -> Result:
    """With samples of the sets: without them, the sets would grow as it searches."""
    samples = PSMINOBS(chains=2, rate=0.9)
    return learn(
        DENSE, algorithm=samples, generations=3, seed=1, threads=1, cache=False, **settings
    )


@pytest.mark.slow
def test_many_variables_get_more_parents() -> None:
    heard = Listener()
    usual = learn_dense(watcher=heard)
    assert [(plan.job.max_parents, plan.job.max_candidates) for plan in heard.plans] == [(3, None)]
    assert len(heard.added) == 1
    assert heard.added[0] > 0
    assert usual.provenance["max_parents"] == 5
    assert usual.provenance["max_parents_of_all"] == 3
    assert usual.provenance["max_candidates"] == 20
    fixed = learn_dense(max_parents=3)
    assert "max_parents_of_all" not in fixed.provenance
    assert usual.score >= fixed.score
    assert learn_dense().network == usual.network


@pytest.mark.slow
def test_the_same_elsewhere() -> None:
    with ProcessPoolExecutor(2) as executor:
        assert learn_dense(executor=executor).network == learn_dense().network


def test_what_is_asked_for_is_kept_to() -> None:
    provenance = learn_dense(max_parents=2).provenance
    assert provenance["max_parents"] == 2
    assert "max_parents_of_all" not in provenance


def test_what_takes_too_long_is_tried_with_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def score(plan: Plan, *_: object, **__: object) -> ParentSets:
        tried.append(plan.job.max_parents)
        if plan.job.max_parents > 1:
            raise TimeLimitError("too long")
        return score_job(plan.job)

    monkeypatch.setattr("forebear.learning.steps.get_parent_sets", score)
    job = make_job(simulate(10, 100, seed=1).data, max_parents=3)
    heard = Listener()
    means = Means(Clock(60.0), None, None, heard)
    plan, sets = get_parent_sets_in_time(make_plan(job, means, algorithm="", fixed=True), means)
    assert tried == [3, 2, 1]
    assert plan.job.max_parents == 1
    assert sets.max_parents == 1
    assert [plan.note for plan in heard.plans] == [" (more took too long)"] * 2


def test_nothing_larger_leaves_the_sets_as_they_are() -> None:
    data = simulate(10, 60, max_parents=1, seed=2).data
    job = make_job(data, max_parents=2)
    wide = score_job(job)
    deep = score_job(deeper_job(job, wide, 3, 3))
    if all(len(own) <= 2 for scored in naive.as_lists(deep) for _, own in scored):
        assert join_sets(wide, deep) is wide
    joined = join_sets(wide, score_job(deeper_job(job, wide, 1, 3)))
    assert joined is wide  # one candidate: there are no larger sets


def test_memory_is_no_reason_to_try_fewer_parents() -> None:
    """Only what took too long is: what does not fit says so itself."""
    heard = Listener()
    with pytest.raises(LimitError, match="memory"):
        learn(DENSE, max_memory=1000, time_limit=20, cache=False, watcher=heard)
    assert all("too long" not in plan.note for plan in heard.plans)
