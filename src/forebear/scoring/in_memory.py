"""Scoring a job in memory, on the threads of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear._util.errors import TimeLimitError
from forebear._util.machine import resident_bytes
from forebear._util.text import counted, show_seconds
from forebear.scoring.footprint import out_of_memory
from forebear.scoring.job import ScoringRun

if TYPE_CHECKING:
    from forebear._util.watcher import Watcher
    from forebear.budget import Clock
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job


def score_in_memory(job: Job, clock: Clock, byte_limit: int, watcher: Watcher) -> ParentSets:
    """Score a job until the clock or the memory limit stops it, which is an error."""
    room = byte_limit - resident_bytes()
    run = ScoringRun(job, byte_limit=room, seconds=max(clock.left(), 1e-9))
    stopped = run.watch(lambda done: watcher.scoring(min(1.0, done / job.work)))
    if stopped == "time":
        raise too_long(job, clock)
    try:
        if stopped == "memory":
            raise MemoryError
        sets = run.collect()
    except MemoryError:
        raise out_of_memory(byte_limit) from None
    watcher.scoring(1.0)
    return sets


def too_long(job: Job, clock: Clock) -> TimeLimitError:
    """Return the error of a job that the clock has ended."""
    return TimeLimitError(
        f"the time limit of {show_seconds(clock.limit or 0)} ended scoring before all sets of up "
        f"to {counted(job.max_parents, 'parent')} were scored: allow more time, or use fewer "
        "variables or rows"
    )
