"""Scoring a job in memory, on the threads of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear._util.errors import LimitError, Parameter, TimeLimitError
from forebear._util.machine import resident_bytes
from forebear._util.text import show_bytes, show_seconds
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
        raise TimeLimitError(
            f"scoring reached the time limit of {show_seconds(clock.limit or 0)}: lower ",
            Parameter("max_parents"),
            " or allow more time",
        )
    try:
        if stopped == "memory":
            raise MemoryError
        sets = run.collect()
    except MemoryError:
        raise LimitError(
            "scoring needs more memory than predicted: the limit of "
            f"{show_bytes(byte_limit)} was reached. Lower ",
            Parameter("max_parents"),
            " or keep fewer sets with ",
            Parameter("max_sets_per_variable"),
        ) from None
    watcher.scoring(1.0)
    return sets
