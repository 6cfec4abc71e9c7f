"""SourceQueue: the slices of a source together equal the sets that one scoring job keeps.

``AllSets``, the source for few variables, is tested in test_parent_set_sources.py.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scoredsets import assert_identical, assert_same_sets

from forebear import _core, simulate
from forebear.parentsets.collection import ParentSets
from forebear.scoring.candidates import best_candidates
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job, make_job
from forebear.scoring.score_job import score_job
from forebear.search import source_queue as queue_module
from forebear.search.chain import Solution
from forebear.search.parent_set_sources import CandidateSets, Pairs, Table
from forebear.search.source_queue import SourceQueue, all_sources

NO_LIMIT = _core.Budget(None)
MEMORY = 1 << 40


@pytest.fixture(autouse=True)
def _small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let slices be as small as one variable."""
    monkeypatch.setattr(queue_module, "LEAST_SLICE", 1)


def queue(job: Job, max_parents: list[int], memory: int = MEMORY) -> SourceQueue:
    """Return the sources for many variables."""
    table = Table(job, max_parents, memory, most_sets=10_000)
    return SourceQueue(table, sources=all_sources()[1:])


def make(
    n: int = 12,
    rows: int = 100,
    seed: int = 1,
    constraints: Constraints | None = None,
    max_parents: list[int] | None = None,
) -> tuple[SourceQueue, ParentSets, Solution]:
    """Return sources of a simulated table, the sets of single parents, and the empty network."""
    data = simulate(n, rows, states=(2, 3), seed=seed).data
    first = 1 if constraints is None else constraints.least_parents
    job = make_job(data, max_parents=max(1, first), constraints=constraints)
    sets = score_job(job)
    empty = (sets.counts - 1).astype(np.int32)
    score = math.fsum(sets.scores[sets.offsets[:-1] + empty])
    order = np.arange(n, dtype=np.int32)
    sources = queue(job, max_parents or [5] * n)
    return sources, sets, Solution(score, order, sets, empty)


def stage_of(made: tuple[SourceQueue, ParentSets, Solution], credit: float) -> list[ParentSets]:
    """Score the slices of the current source; add some credit before each."""
    sources, sets, best = made
    stage, slices = sources.index, []
    while sources.index == stage:
        sources.credit += credit
        found = sources.score_slice(sets, best, NO_LIMIT)
        if found is not None:
            slices.append(found)
    return slices


def pairs_of(sources: SourceQueue) -> int:
    """Return the number of variables of which all pairs of parents were scored."""
    return int((sources.scored == 2).sum())


def merged(collections: list[ParentSets]) -> ParentSets:
    return collections[0].merge(*collections[1:])


def all_pairs(job: Job) -> ParentSets:
    return score_job(make_job(job.data, max_parents=2, constraints=job.constraints))


def assert_all_pairs(made: tuple[SourceQueue, ParentSets, Solution], credit: float) -> None:
    together = made[1].merge(*stage_of(made, credit))
    expected = naive.as_lists(all_pairs(made[0].table.job))
    assert_same_sets(naive.as_lists(together), expected)


@given(st.integers(3, 9), st.integers(5, 120), st.integers(0, 10**6), st.floats(1, 1e6))
@settings(max_examples=25, deadline=None)
def test_slices_of_pairs_are_all_pairs(n: int, rows: int, seed: int, credit: float) -> None:
    assert_all_pairs(make(n, rows, seed), credit)


@given(st.integers(4, 8), st.integers(0, 10**6), st.data())
@settings(max_examples=25, deadline=None)
def test_slices_of_pairs_respect_the_constraints(n: int, seed: int, data: st.DataObject) -> None:
    places = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    required = data.draw(st.lists(places.filter(lambda p: p[0] < p[1]), max_size=2, unique=True))
    forbidden = data.draw(st.lists(places, max_size=5, unique=True))
    assume(not set(required) & set(forbidden))
    must, barred = (
        {child: [p for p, v in arcs if v == child] for _, child in arcs}
        for arcs in (required, forbidden)
    )
    constraints = Constraints.make(n, required=must, forbidden=barred)
    assume(constraints.least_parents < 2)  # otherwise the first sets have all pairs
    made = make(n, 60, seed, constraints)
    assert_all_pairs(made, 1000.0)


def test_a_slice_is_scored_once_its_work_is_credited() -> None:
    sources, sets, best = make()
    assert sources.score_slice(sets, best, NO_LIMIT) is None  # plans the slice
    end, work = sources.planned
    sources.credit = work - 1.0
    assert sources.score_slice(sets, best, NO_LIMIT) is None
    assert (sources.done, sources.credit) == (0, work - 1.0)
    sources.credit = work + 5.0
    assert sources.score_slice(sets, best, NO_LIMIT) is not None
    assert (sources.done, sources.credit) == (end, 5.0)


def test_credit_is_a_share_of_the_work_that_the_search_counts() -> None:
    """It depends on climbs and families, never on the time that they take."""

    def credit(climbs: int, families: int, index: int = 0) -> float:
        sources, _, _ = make()
        sources.index = index
        sources.add_credit(climbs, families)
        return sources.credit

    base = credit(0, 0)
    assert base > 0
    assert credit(4, 0) - base == pytest.approx(4 * (credit(1, 0) - base))
    assert credit(0, 300) - base == pytest.approx(300 * (credit(0, 1) - base))
    assert credit(2, 7, 1) / credit(2, 7) == pytest.approx(CandidateSets.share / Pairs.share)
    assert credit(2, 7, len(all_sources()) - 1) == 0.0  # all sources are done


def test_all_pairs_of_a_complete_variable_are_scored() -> None:
    sources, sets, best = make(n=9, rows=300)
    expected = naive.as_lists(all_pairs(sources.table.job))
    found, counts = sets, {0}
    while sources.index == 0:
        sources.credit += 300.0
        more = sources.score_slice(sets, best, NO_LIMIT)
        found = found if more is None else found.merge(more)
        together = naive.as_lists(found)
        complete = np.flatnonzero(sources.scored == 2).tolist()
        assert_same_sets([together[v] for v in complete], [expected[v] for v in complete])
        counts.add(len(complete))
    assert len(counts) > 3
    assert max(counts) == 9


def test_later_stages_have_all_sets_of_the_best_candidates() -> None:
    constraints = Constraints.make(9, forbidden={1: [0, 2]})
    made = make(n=9, rows=400, constraints=constraints)
    sources, sets, _ = made
    sources.sources = [Pairs(), CandidateSets(3, 3), CandidateSets(4, 4)]
    stage_of(made, 1e5)
    for candidates, most in ((3, 3), (4, 4)):
        found = merged(stage_of(made, 1e4))
        allowed = np.eye(9, dtype=bool)
        for v in range(9):
            allowed[v, best_candidates(sets, v, candidates)] = True
        job = make_job(
            sources.table.job.data, max_parents=most, constraints=Constraints(9, allowed)
        )
        assert_same_sets(naive.as_lists(found), naive.as_lists(score_job(job)))
        assert found.find(1, (0,)) is None
    assert sources.exhausted
    assert sources.score_slice(*made[1:], NO_LIMIT) is None


def plain(state: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(json.dumps(state, default=lambda array: array.tolist())))


@pytest.mark.parametrize("credit", [700.0, 20_000.0])
def test_restored_sources_continue_identically(credit: float) -> None:
    whole, sets, best = make()
    parts, _, _ = make()
    job = parts.table.job
    while not whole.exhausted:
        fresh = queue(job, [5] * 12)
        fresh.restore(plain(parts.state()))
        parts = fresh
        found = []
        for one in (whole, parts):
            one.credit += credit
            found.append(one.score_slice(sets, best, NO_LIMIT))
        mine, theirs = found
        assert plain(whole.state()) == plain(parts.state())
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None:
            assert_identical(mine, theirs)
    assert parts.exhausted


@pytest.mark.parametrize("stage", [0, 1])
def test_a_spent_budget_leaves_everything_as_it_was(stage: int) -> None:
    made = make()
    sources, sets, best = made
    for _ in range(stage):
        stage_of(made, 1e6)
    sources.credit = 0.0
    assert sources.score_slice(sets, best, NO_LIMIT) is None  # plans
    sources.credit = 1e9
    before = plain(sources.state())
    cancelled = _core.Budget(None)
    cancelled.cancel()
    for budget in (cancelled, _core.Budget(0.0)):
        assert sources.score_slice(sets, best, budget) is None
        assert plain(sources.state()) == before
    assert sources.score_slice(sets, best, NO_LIMIT) is not None


def test_sources_without_memory_are_skipped() -> None:
    sources, sets, best = make()
    sources.table = replace(sources.table, memory=0)
    while not sources.exhausted:
        sources.credit += 1e9
        assert sources.score_slice(sets, best, NO_LIMIT) is None
    assert pairs_of(sources) == 0


def test_sources_with_nothing_new_are_skipped() -> None:
    data = simulate(6, 50, seed=1).data
    assert queue(make_job(data, max_parents=2), [2] * 6).exhausted
    assert queue(make_job(data, max_parents=1), [1] * 6).exhausted
    assert queue(make_job(data, max_parents=2), [1, 3, 1, 1, 1, 1]).index == 1
