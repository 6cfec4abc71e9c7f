"""The steps of ``learn``: one budget, a plan, the parent sets, a last check."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from forebear._util.errors import ForebearError, LimitError, TimeLimitError
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import parse_bytes, show_bytes, show_seconds
from forebear.data.dataset import Dataset
from forebear.learning.plan import SCORING_SHARE, Plan, fit_max_parents
from forebear.scoring.cost import Limits, check, check_room, estimate
from forebear.scoring.distributed import score_elsewhere
from forebear.scoring.out_of_core import choose_parts, score_to_file
from forebear.scoring.rescoring import score_network
from forebear.scoring.scoring import score_job
from forebear.search.space import bytes_needed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from forebear._util.watcher import Watcher
    from forebear.data.discretization import Discretize
    from forebear.data.encoding import Missing
    from forebear.learning.cache import Cache
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.scoring.job import Job
    from forebear.scoring.scores import Score

_LEAST_SEARCH = 0.05  # seconds; what the search gets even if scoring took all the time
_SEARCH_SHARE = 0.1  # of the time is kept for the search when the user fixed the in-degree
_TRIED_SHARE = 0.6  # of the time left, for a number of parents that was not asked for
_CHECK_SECONDS = 3e-8  # a row and variable: what scoring the network anew takes, at most
_TOLERANCE = 1e-9  # relative; both sums are exact to a few units in the last place


class Clock:
    """One budget for all steps, and what each of them took."""

    def __init__(self, limit: float | None) -> None:
        if limit is not None and not limit > 0:
            raise ForebearError(f"time_limit must be positive, got {limit:g}")
        self.limit = limit
        self.laps: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self._start

    def left(self) -> float:
        """Seconds until the limit; infinitely many if there is none."""
        return math.inf if self.limit is None else self.limit - self.spent()

    def lap(self, name: str) -> float:
        """Note what a step took, which ends now; tell it."""
        now = time.perf_counter()
        took, self._last = now - self._last, now
        self.laps[name] = self.laps.get(name, 0.0) + took
        return took


def search_seconds(clock: Clock, data: Dataset) -> float:
    """What is left for the search, if the check of its network is to be in time, too."""
    return max(clock.left() - check_seconds(clock, data), _LEAST_SEARCH)


def check_seconds(clock: Clock, data: Dataset) -> float:
    """What the check of a network may take."""
    if clock.limit is None:
        return 0.0
    return min(_CHECK_SECONDS * data.n_rows * data.n_variables, 0.2 * max(clock.left(), 0.0))


def reading_options(
    data: Any, missing: Missing, discretize: Discretize | None, bins: int | Mapping[str, int]
) -> dict[str, Any]:
    """How a table is to be read, if it is not there already."""
    if isinstance(data, Dataset):
        return {}
    return {"missing": missing, "discretize": discretize, "bins": bins}


@dataclass(frozen=True)
class Means:
    """What there is for scoring: time, memory, a cache, perhaps others to do it; who is told."""

    clock: Clock
    max_memory: int | str | None
    cache: Cache | None
    watcher: Watcher
    executor: Any = None

    @property
    def memory(self) -> int | None:
        """The bytes that may be taken, if there is a limit."""
        return None if self.max_memory is None else parse_bytes(self.max_memory)

    def find_cached(self, job: Job) -> Path | None:
        """Tell where the sets of a job are, if they were kept."""
        return self.cache.find(job) if self.cache else None


def plan_job(job: Job, means: Means, *, algorithm: str, fixed: bool) -> Plan:
    """Choose the in-degree, unless it is given."""
    clock = means.clock
    if fixed:
        return Plan(job, clock.limit, algorithm, None, means.find_cached(job))
    share = None if clock.limit is None else max(clock.left(), 0.0) * SCORING_SHARE
    limits = Limits.given(means.memory, share)
    chosen, cost, cached = fit_max_parents(job, limits, means.find_cached)
    note = ""
    if chosen.max_parents < job.max_parents:
        note = f" (more would not fit the limits: {job.max_parents} with more time or memory)"
    return Plan(chosen, clock.limit, algorithm, cost, cached, note)


def get_parent_sets(plan: Plan, means: Means, share: float = 1 - _SEARCH_SHARE) -> ParentSets:
    """Open the sets if they are cached; score them otherwise, and keep them.

    Scoring may take a share of the time that is left.
    """
    clock, cache, watcher = means.clock, means.cache, means.watcher
    sets = None
    if plan.cached is not None and cache is not None:
        sets = cache.read(plan.cached, plan.job)
    found = plan.cached if sets is not None else None
    if sets is None:
        if clock.left() <= 0:
            raise LimitError(
                f"reading the table took {show_seconds(clock.spent())}; "
                f"the limit is {show_seconds(clock.limit or 0)}"
            )
        limit = None if clock.limit is None else clock.left() * share
        sets = _score(plan, limit, means)
    watcher.scored(sets, clock.lap("score"), found)
    if found is None and cache is not None and sets.path is None:
        written = cache.write(sets, plan.job)
        sets = replace(sets, path=written)
        clock.lap("cache")
    return sets


def get_parent_sets_in_time(plan: Plan, means: Means) -> tuple[Plan, ParentSets]:
    """Likewise, with fewer parents where the planned number takes longer than was expected."""
    while True:
        try:
            share = _TRIED_SHARE if plan.job.max_parents > 1 else 1 - _SEARCH_SHARE
            return plan, get_parent_sets(plan, means, share)
        except TimeLimitError:
            if (
                means.clock.left() <= 0
                or plan.job.max_parents <= plan.job.constraints.least_parents
            ):
                raise
        job = replace(plan.job, max_parents=plan.job.max_parents - 1)
        plan = replace(
            plan,
            job=job,
            cost=estimate(job, within=means.clock.left()),
            cached=means.find_cached(job),
            note=" (more took too long)",
        )
        means.watcher.planned(plan)


def _scoring_limits(memory: int | None, seconds: float | None, *, anything: bool) -> Limits:
    """With a cache, what does not fit in memory goes there in parts."""
    limits = Limits.given(memory, seconds)
    return limits._replace(bytes=1 << 62) if anything else limits


def _score(plan: Plan, limit: float | None, means: Means) -> ParentSets:
    """Score elsewhere, or here: in memory, or what is long or large part by part in the cache."""
    told = means.watcher.scoring
    if means.executor is not None:
        job = replace(plan.job, threads=1)
        return score_elsewhere(means.executor, job, time_limit=limit, on_progress=told)
    cache, memory = means.cache, means.memory
    check_room(plan.job, Limits.given(memory, None))
    cost = plan.cost or check(plan.job, _scoring_limits(memory, limit, anything=cache is not None))
    if cache is not None and choose_parts(plan.job, Limits.given(memory, None), cost) > 1:
        return score_to_file(
            plan.job,
            cache.new_path(plan.job),
            max_memory=memory,
            time_limit=limit,
            cost=cost,
            on_progress=told,
        )
    return score_job(plan.job, time_limit=limit, max_memory=memory, cost=cost, on_progress=told)


def check_memory(sets: ParentSets, threads: int, max_memory: int | str | None) -> None:
    """Refuse a search that would not fit."""
    limit = memory_bytes() if max_memory is None else parse_bytes(max_memory)
    needed = resident_bytes() + sets.nbytes // 4 + bytes_needed(sets.n_variables, 1, threads)
    if needed > limit:
        raise LimitError(
            f"searching {len(sets):,} parent sets needs about {show_bytes(needed)} of memory; "
            f"the limit is {show_bytes(limit)}. Lower max_parents, or keep fewer sets with "
            "max_sets_per_variable"
        )


def check_against_data(result: Result, data: Dataset, score: Score | str) -> None:
    """Score the network anew from the data alone; what was promised must be what it has."""
    again = score_network(result.network, data, score)
    if abs(again - result.score) > _TOLERANCE * max(1.0, abs(again)):
        raise AssertionError(f"the search claims {result.score!r}, the data say {again!r}")
