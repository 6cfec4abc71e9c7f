"""The steps of ``learn``: parent sets within a budget, checks of memory and of the result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from forebear._util.errors import LimitError, Parameter, TimeLimitError
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import show_bytes, show_seconds
from forebear.budget import (
    CHECK_GAPS_SECONDS,
    CHECK_GAPS_VARIABLE,
    CHECK_MOST_SHARE,
    CHECK_SECONDS,
    LATE_SCORING_WORK,
    QUICK_WORK,
    SCORING_LIMIT_CHOSEN,
    SCORING_LIMIT_GIVEN,
    Clock,
)
from forebear.learning.completing import all_sets
from forebear.scoring.cost import Limits, estimate
from forebear.scoring.dispatch import score_job
from forebear.scoring.rescoring import score_network
from forebear.search.space import bytes_needed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear._util.watcher import Watcher
    from forebear.data.dataset import Dataset
    from forebear.learning.cache import Cache
    from forebear.learning.plan import Plan
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.scoring.job import Job
    from forebear.scoring.scores import Score

_TOLERANCE = 1e-9
"""Relative: both sums of local scores are exact to a few units in the last place."""


@dataclass(frozen=True)
class Means:
    """What there is for scoring: time, memory in bytes, a cache, an executor; and who hears."""

    clock: Clock
    max_memory: int | None
    cache: Cache | None
    watcher: Watcher
    executor: Any = None

    def find_cached(self, job: Job) -> Path | None:
        """Find the file that holds the sets of a job, if there is one."""
        return self.cache.find(job) if self.cache else None

    def limits(self, share: float) -> Limits:
        """Return the memory, and a share of the time left."""
        return Limits.given(self.max_memory, self.clock.share(share))

    def grown(self, job: Job, max_parents: Sequence[int]) -> ParentSets | None:
        """Open the sets that an earlier run has grown for the same table, if there are any."""
        if self.cache is None:
            return None
        return self.cache.read_grown(self.cache.grown_path(job, max_parents), job)

    def keep_grown(self, sets: ParentSets, job: Job, max_parents: Sequence[int]) -> None:
        """Keep grown sets for the next run, if there is a cache."""
        if self.cache is not None:
            self.cache.write(sets, self.cache.grown_path(job, max_parents))
            self.clock.lap("cache")


def get_parent_sets(
    plan: Plan, means: Means, share: float | None = SCORING_LIMIT_GIVEN, *, told: bool = True
) -> ParentSets:
    """Open the parent sets if they are cached; otherwise score them, and cache them.

    Scoring may take a share of the time that is left; None means that it has no limit.
    """
    clock, cache, watcher = means.clock, means.cache, means.watcher
    sets = found = None
    cost = plan.cost
    if plan.cached is not None and cache is not None:
        sets = cache.read(plan.cached, plan.job)
        found = plan.cached if sets is not None else None
        # Nothing was predicted for a file that could then not be read.
        if sets is None and not plan.any_size:
            cost = estimate(plan.job, means.limits(1.0))
    if sets is None:
        if clock.expired and share is not None:
            raise TimeLimitError(
                f"reading the table took {show_seconds(clock.spent())}; "
                f"the limit is {show_seconds(clock.limit or 0)}"
            )
        sets = _score(replace(plan, cost=cost), means, share)
    seconds = clock.lap("score")
    if told:
        watcher.scored(sets, seconds, found)
    if found is None and cache is not None and sets.path is None:
        path = cache.write(sets, cache.path(plan.job))
        sets = replace(sets, path=path, threads=plan.job.threads)
        clock.lap("cache")
    return sets


def _score(plan: Plan, means: Means, share: float | None) -> ParentSets:
    clock, cache = means.clock, means.cache
    if plan.any_size:
        return all_sets(
            plan.job,
            clock if share is None else clock.part_of(share),
            max_memory=means.max_memory,
            executor=means.executor,
            watcher=means.watcher,
        )
    return score_job(
        plan.job,
        time_limit=None if share is None else clock.share(share),
        max_memory=means.max_memory,
        executor=means.executor,
        spill=None if cache is None else cache.path(plan.job),
        cost=plan.cost,
        watcher=means.watcher,
    )


def get_parent_sets_in_time(plan: Plan, means: Means) -> tuple[Plan, ParentSets]:
    """Get the parent sets, with one parent fewer each time scoring takes longer than predicted.

    The smallest sets are scored whatever the time limit is, if that is quick: a late network is
    better than none.
    """
    while True:
        job, least = plan.job, max(1, plan.job.constraints.least_parents)
        share: float | None = SCORING_LIMIT_CHOSEN if job.max_parents > 1 else SCORING_LIMIT_GIVEN
        if job.max_parents <= least and _may_be_late(job):
            share = None
        try:
            return plan, get_parent_sets(plan, means, share)
        except TimeLimitError:
            if job.max_parents <= least:
                raise
        fewer = least if means.clock.expired else job.max_parents - 1
        job = replace(job, max_parents=fewer)
        plan = replace(
            plan,
            job=job,
            cost=estimate(job, means.limits(1.0)),
            cached=means.find_cached(job),
            note=" (more took too long)",
        )
        means.watcher.planned(plan)


def is_quick(job: Job) -> bool:
    """Whether scoring takes a moment."""
    return _work(job) <= QUICK_WORK


def _may_be_late(job: Job) -> bool:
    """Whether sets are scored though the time may be over."""
    return _work(job) <= LATE_SCORING_WORK


def _work(job: Job) -> int:
    return job.constraints.families(job.max_parents) * job.data.n_rows


def check_memory(sets: ParentSets, threads: int, max_memory: int | None) -> None:
    """Refuse a search that does not fit in memory."""
    limit = memory_bytes() if max_memory is None else max_memory
    held = resident_bytes()
    if held >= limit:
        raise LimitError(
            f"the limit of {show_bytes(limit)} leaves no memory to search in: "
            f"the program and the table take {show_bytes(held)} already"
        )
    needed = held + sets.nbytes // 4 + bytes_needed(sets.n_variables, 1, threads)
    if needed > limit:
        raise LimitError(
            f"searching {len(sets):,} parent sets needs about {show_bytes(needed)} of memory; "
            f"the limit is {show_bytes(limit)}. Lower ",
            Parameter("max_parents"),
            ", or keep fewer sets: score with ",
            Parameter("max_sets_per_variable"),
            " and search the file",
        )


def reserved_seconds(clock: Clock, data: Dataset, watcher: Watcher) -> float:
    """Return the time to keep for the check of the result, and for what the caller does then."""
    expected = CHECK_SECONDS * data.n_rows * data.n_variables + watcher.reserve(data)
    if data.has_missing:
        expected += (CHECK_GAPS_SECONDS * data.n_rows + CHECK_GAPS_VARIABLE) * data.n_variables
    share = clock.share(CHECK_MOST_SHARE)
    return 0.0 if share is None else min(expected, share)


def check_against_data(result: Result, data: Dataset, score: Score) -> None:
    """Score the network again from the table alone; the search must have claimed the same."""
    again = score_network(result.network, data, score)
    if abs(again - result.score) > _TOLERANCE * max(1.0, abs(again)):
        raise AssertionError(f"the search claims {result.score!r}, the data say {again!r}")
