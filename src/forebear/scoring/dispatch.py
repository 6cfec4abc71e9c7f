"""Where a job is scored: on an executor, in memory, or part by part in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forebear._util.errors import LimitError, TimeLimitError
from forebear._util.machine import memory_bytes
from forebear._util.watcher import Watcher
from forebear.budget import Clock
from forebear.scoring.distributed import score_elsewhere
from forebear.scoring.footprint import check_room, most_bytes
from forebear.scoring.in_memory import score_in_memory
from forebear.scoring.out_of_core import parts_by_memory, parts_by_work, score_to_file

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job


def score_job(
    job: Job,
    *,
    clock: Clock | None = None,
    max_memory: int | None = None,
    executor: Any = None,
    spill: Path | None = None,
    watcher: Watcher | None = None,
) -> ParentSets:
    """Score all sets of a job, or raise an error.

    Parameters
    ----------
    job
        What to score.
    clock
        Ends the scoring, with a ``TimeLimitError``. Default: no limit.
    max_memory
        Bytes; if they do not suffice, a ``LimitError`` is raised. Default: what is free.
    executor
        Where to score. Default: here.
    spill
        A ``.cps`` file. A job that takes long enough to be worth resuming, or for which the memory
        does not suffice, is scored to it part by part.
    watcher
        Notified of the number of families and of the progress.

    Returns
    -------
    ParentSets
        The sets; their ``path`` is ``spill`` if they were scored there.
    """
    clock, watcher = clock or Clock(), watcher or Watcher()
    byte_limit = memory_bytes() if max_memory is None else max_memory
    if executor is None:
        check_room(job, byte_limit)
    parts = announce(job, spill, watcher)
    if executor is not None:
        return score_elsewhere(executor, job, clock, watcher)
    if spill is None:
        return score_in_memory(job, clock, byte_limit, watcher)
    try:
        if parts == 1:
            return score_in_memory(job, clock, byte_limit, watcher)
        return score_to_file(job, spill, parts, clock, byte_limit, watcher)
    except TimeLimitError:
        raise
    except LimitError:
        # Most jobs keep so few of their sets that this is rare; then little time is lost.
        more = parts_by_memory(job, byte_limit)
        if more <= parts:
            raise
        return score_to_file(job, spill, more, clock, byte_limit, watcher)


def announce(job: Job, spill: Path | None, watcher: Watcher) -> int:
    """Report the size of a job before it starts, and return its number of parts."""
    job.score.check(job.data.arities, job.max_parents)
    parts = 1 if spill is None else parts_by_work(job)
    watcher.counted(job.constraints.families(job.max_parents), most_bytes(job), parts)
    return parts
