"""Scoring within a time limit: sets of more and more parents, until the time is over."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forebear._util.errors import LimitError, TimeLimitError
from forebear._util.machine import memory_bytes
from forebear._util.watcher import Watcher
from forebear.scoring.dispatch import announce, score_job
from forebear.scoring.footprint import check_room

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.budget import Clock
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job

_LEAST_GROWTH = 4
"""A size is skipped unless the next one is this many times the work: each is scored from scratch,
and the smaller ones then take at most a third of the time of the largest. Judgement."""

_START_WORK = 2_000
"""Families per variable that take as long as the start of a run, where the table is packed: 1,000
to 5,000 were measured on 1,000,000 rows."""


def score_in_time(
    job: Job,
    clock: Clock,
    *,
    late: bool = False,
    max_memory: int | None = None,
    executor: Any = None,
    spill: Path | None = None,
    watcher: Watcher | None = None,
) -> ParentSets:
    """Score a job; if the time ends, return all sets up to the largest size that is complete.

    Parameters
    ----------
    job
        What to score.
    clock
        Ends the scoring. Without a limit, the job is scored at once.
    late
        Whether the smallest sets are scored after the time, if no size is complete.
    max_memory, executor, watcher
        As for ``score_job``.
    spill
        As for ``score_job``, for the largest size only.

    Returns
    -------
    ParentSets
        The sets. The ``max_parents`` of their provenance is lower than that of the job if the time
        ended the scoring of larger sets.
    """
    watcher = watcher or Watcher()
    where: dict[str, Any] = {"max_memory": max_memory, "executor": executor}
    if clock.limit is None:
        return score_job(job, clock=clock, spill=spill, watcher=watcher, **where)
    if executor is None:
        check_room(job, memory_bytes() if max_memory is None else max_memory)
    announce(job, spill, watcher)
    sizes = sizes_to_score(job)
    sets = None
    for number, size in enumerate(sizes):
        largest = size == job.max_parents
        try:
            sets = score_job(
                replace(job, max_parents=size),
                clock=clock,
                spill=spill if largest else None,
                watcher=_Step(watcher, job, sizes, number),
                **where,
            )
        except TimeLimitError:
            if sets is not None:
                return sets
            if late:
                return score_job(replace(job, max_parents=smallest_size(job)), **where)
            raise
        except LimitError:
            if largest or spill is None:
                raise
            # Memory ended it. The largest size is scored in parts.
    if sets is None:
        raise AssertionError("the largest size is scored or raises an error")
    return sets


def sizes_to_score(job: Job) -> list[int]:
    """List the sizes up to which sets are scored one after the other; the last is the job's."""
    sizes = [job.max_parents]
    for size in range(job.max_parents - 1, smallest_size(job) - 1, -1):
        if _LEAST_GROWTH * _work(job, size) <= _work(job, sizes[-1]):
            sizes.append(size)
    return sizes[::-1]


def smallest_size(job: Job) -> int:
    """Return the smallest size that is of use: 1, or what some variable must have."""
    return min(job.constraints.least_parents, job.max_parents)


def _work(job: Job, size: int) -> int:
    return replace(job, max_parents=size).work + _START_WORK * job.data.n_variables


class _Step(Watcher):
    """Reports the progress of one size as a part of the whole."""

    def __init__(self, watcher: Watcher, job: Job, sizes: list[int], number: int) -> None:
        works = [_work(job, size) for size in sizes]
        self._watcher = watcher
        self._before = sum(works[:number]) / sum(works)
        self._share = works[number] / sum(works)
        self._last = number == len(sizes) - 1

    def scoring(self, fraction: float) -> None:
        """Pass the progress on."""
        done = 1.0 if self._last and fraction == 1.0 else self._before + self._share * fraction
        self._watcher.scoring(min(done, 1.0))
