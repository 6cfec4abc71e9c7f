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
    SCORING_SHARE,
    Clock,
)
from forebear.learning.completing import all_sets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.scoring.network_score import score_network
from forebear.scoring.score_job import score_in_time, score_job, smallest_size
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
    plan: Plan, means: Means, *, in_time: bool = False, late: bool = False
) -> ParentSets:
    """Open the parent sets if they are cached; otherwise score them, and cache them.

    If the share of the time for scoring ends it, this is an error; or, ``in_time``, the sets up to
    the largest size that is complete are returned, or the smallest sets if these may be ``late``.
    """
    job, clock, cache = plan.job, means.clock, means.cache
    found = means.find_cached(job)
    sets = None if found is None or cache is None else cache.read(found, job)
    if sets is None:
        found = None
        if clock.expired and not late:
            raise TimeLimitError(
                f"reading the table took {show_seconds(clock.spent())}; "
                f"the limit is {show_seconds(clock.limit or 0)}"
            )
        sets = _score(plan, means, in_time=in_time, late=late)
    means.watcher.scored(sets, clock.lap("score"), found)
    whole = plan.any_size or SCORED_UP_TO not in sets.provenance
    if found is None and cache is not None and sets.path is None and whole:
        scored = job if plan.any_size else replace(job, max_parents=sets.provenance["max_parents"])
        path = cache.write(sets, cache.path(scored))
        sets = replace(sets, path=path, threads=job.threads)
        clock.lap("cache")
    return sets


def _score(plan: Plan, means: Means, *, in_time: bool, late: bool) -> ParentSets:
    job, cache, clock = plan.job, means.cache, means.clock.part_of(SCORING_SHARE)
    where: dict[str, Any] = {
        "max_memory": means.max_memory,
        "executor": means.executor,
        "watcher": means.watcher,
    }
    if plan.any_size:
        return all_sets(job, clock, **where)
    spill = None if cache is None else cache.path(job)
    if in_time:
        return score_in_time(job, clock, late=late, spill=spill, **where)
    return score_job(job, clock=clock, spill=spill, **where)


def get_parent_sets_in_time(
    plan: Plan, means: Means, *, late: bool = True
) -> tuple[Plan, ParentSets]:
    """Get the parent sets up to the largest size that there is time for, and their plan.

    The smallest sets may be ``late``, if they are scored quickly: a late network is better than
    none.
    """
    sets = get_parent_sets(plan, means, in_time=True, late=late and _may_be_late(plan.job))
    if sets.is_complete:  # cached: no larger set is worth having
        return plan, sets
    most = sets.provenance["max_parents"]
    if SCORED_UP_TO in sets.provenance:  # the time ended the scoring of the largest
        most -= 1
    return replace(plan, job=replace(plan.job, max_parents=most)), sets


def _may_be_late(job: Job) -> bool:
    """Whether the smallest sets of a job are scored though the time may be over."""
    return _work(replace(job, max_parents=smallest_size(job))) <= LATE_SCORING_WORK


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
