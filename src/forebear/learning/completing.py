"""Parent sets without a limit on their size: when they are tried, and by which of two ways.

With few variables all sets are scored. Otherwise limits on what larger sets can score may show that
no other set is worth having.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forebear._util.errors import LimitError, Parameter, TimeLimitError
from forebear.budget import COMPLETING_SECONDS, COMPLETING_SHARE, WHOLE_VARIABLES, Clock
from forebear.scoring.allsets import can_score_all, score_all, seconds_for_all
from forebear.scoring.completeness import can_be_complete, completed, falls_fast, has_limits
from forebear.scoring.dispatch import score_job
from forebear.scoring.max_parents import possible_max_parents, preferred_max_parents

if TYPE_CHECKING:
    from forebear._util.watcher import Watcher
    from forebear.data.dataset import Dataset
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job
    from forebear.scoring.scores import Score

ALL = "all"
"""The ``max_parents`` that means no limit."""


def first_of_all(data: Dataset, score: Score) -> int:
    """Return the size up to which sets are scored before limits are used, or all sizes."""
    n = data.n_variables
    if n > WHOLE_VARIABLES and has_limits(data, score):
        return preferred_max_parents(n)
    return min(n - 1, possible_max_parents(n))


def all_sets(
    job: Job,
    clock: Clock,
    *,
    max_memory: int | None = None,
    executor: Any = None,
    watcher: Watcher | None = None,
) -> ParentSets:
    """Score all sets that are worth having, of any size, or say that this is not feasible."""
    whole = can_score_all(job, max_memory)
    limited = can_be_complete(job) and falls_fast(job.score) and not _is_short(job)
    if whole and not limited:
        return _scored(job, clock, max_memory, watcher)
    if not whole and not can_be_complete(job):
        _check_possible(job)
    sets = score_job(
        job,
        time_limit=clock.share(1.0),
        max_memory=max_memory,
        executor=executor,
        watcher=watcher,
    )
    # Limits that take longer than to score all sets are of no use.
    seconds = clock.share(1.0)
    if whole:
        seconds = min(seconds_for_all(job), clock.left())
    found = completed(job, sets, seconds)
    if found is None and whole:
        found = _scored(job, clock, max_memory, watcher)
    if found is not None:
        return found
    raise TimeLimitError(
        "there is not enough time, or there are too many large parent sets, to find all that are "
        "worth having: increase ",
        Parameter("time_limit"),
        ", or give ",
        Parameter("max_parents"),
        f" (the sets of up to {job.max_parents} parents are scored)",
    )


def _scored(job: Job, clock: Clock, max_memory: int | None, watcher: Watcher | None) -> ParentSets:
    return score_all(job, seconds=clock.share(1.0), max_memory=max_memory, watcher=watcher)


def _is_short(job: Job) -> bool:
    """Whether scoring all sets takes a moment."""
    return seconds_for_all(job) <= COMPLETING_SECONDS


def _check_possible(job: Job) -> None:
    """Refuse what neither limits nor scoring of all sets can do."""
    n = job.data.n_variables
    if n - 1 <= possible_max_parents(n):
        return
    raise LimitError(
        f"there are no limits on what larger parent sets can score ({job.score.name}"
        f"{', with missing values' if job.data.has_missing else ''}), and sets of "
        f"{n - 1} parents cannot be scored: give ",
        Parameter("max_parents"),
    )


def may_be_completed(job: Job, sets: ParentSets) -> bool:
    """Return whether there may be larger sets worth having, and it could be told."""
    whole = job.max_parents >= int(job.constraints.candidates.max(initial=0))
    possible = can_be_complete(job) or can_score_all(job)
    return not whole and possible and not sets.provenance.get("complete")


def completed_if_cheap(
    job: Job, sets: ParentSets, clock: Clock, max_memory: int | None = None
) -> ParentSets:
    """Add all larger sets that are worth having, if that takes a small share of the time."""
    if not may_be_completed(job, sets):
        return sets
    share = clock.share(COMPLETING_SHARE)
    seconds = COMPLETING_SECONDS if share is None else min(share, COMPLETING_SECONDS)
    part, found = clock.part(seconds), None
    whole = can_score_all(job, max_memory) and seconds_for_all(job) <= seconds
    if can_be_complete(job) and (falls_fast(job.score) or not whole):
        found = completed(job, sets, seconds)
    if found is None and whole:
        found = _all_or_none(job, part, max_memory)
    clock.lap("score")
    return sets if found is None else found


def _all_or_none(job: Job, clock: Clock, max_memory: int | None) -> ParentSets | None:
    try:
        return _scored(job, clock, max_memory, None)
    except LimitError:
        return None
