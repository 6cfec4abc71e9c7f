"""Where a job is scored: on an executor, in memory, or part by part in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forebear._util.watcher import Watcher
from forebear.budget import Clock
from forebear.scoring.cost import Limits, check, check_room, fits_anyway
from forebear.scoring.distributed import score_elsewhere
from forebear.scoring.in_memory import score_in_memory
from forebear.scoring.out_of_core import choose_parts, score_to_file

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.cost import Cost
    from forebear.scoring.job import Job

_ANY_BYTES = 1 << 62


def score_job(
    job: Job,
    *,
    time_limit: float | None = None,
    max_memory: int | None = None,
    executor: Any = None,
    spill: Path | None = None,
    cost: Cost | None = None,
    watcher: Watcher | None = None,
) -> ParentSets:
    """Score a job within its limits.

    Parameters
    ----------
    job
        What to score.
    time_limit
        Seconds; a job that takes longer is refused or stopped.
    max_memory
        Bytes. Default: what is free.
    executor
        Where to score. Default: here.
    spill
        A ``.cps`` file for a job that does not fit in memory, or that takes long enough to be
        worth resuming. Without it such a job is refused, or scored at a stretch.
    cost
        The prediction, if it was made before.
    watcher
        Hears of the cost and of the progress.

    Returns
    -------
    ParentSets
        The sets; their ``path`` is ``spill`` if they were scored there.
    """
    watcher = watcher or Watcher()
    clock = Clock(time_limit)
    if executor is not None:
        return score_elsewhere(executor, job, clock, watcher)
    limits = Limits.given(max_memory, time_limit)
    check_room(job, limits)
    unheard = type(watcher).estimated is Watcher.estimated
    nothing_to_decide = cost is None and spill is None and time_limit is None
    if unheard and nothing_to_decide and fits_anyway(job, limits):
        return score_in_memory(job, clock, limits.bytes, watcher)
    if cost is None:
        cost = check(job, limits if spill is None else limits._replace(bytes=_ANY_BYTES))
    parts = 1 if spill is None else choose_parts(job, limits, cost)
    watcher.estimated(cost, parts)
    if spill is not None and parts > 1:
        return score_to_file(job, spill, parts, clock, limits.bytes, watcher)
    return score_in_memory(job, clock, limits.bytes, watcher)
