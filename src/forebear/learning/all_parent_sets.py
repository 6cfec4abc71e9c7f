"""Parent sets without a limit on their size: when they are tried, and by which of two ways.

With few variables all sets are scored. Otherwise limits on what larger sets can score may show that
no other set is worth having. Both are chosen by counts, never by how fast the machine is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forebear import _core
from forebear._util.errors import LimitError, Parameter, TimeLimitError
from forebear.budget import WHOLE_VARIABLES, Clock
from forebear.scoring.all_sets import can_score_all, is_cheap, score_all, variable_sets
from forebear.scoring.completeness import can_be_complete, completed, falls_fast, has_limits
from forebear.scoring.max_parents import possible_max_parents, preferred_max_parents
from forebear.scoring.score_job import score_job

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
    """Score all sets that are worth having, of any size, whatever the job's ``max_parents`` is."""
    job = replace(job, max_parents=first_of_all(job.data, job.score))
    whole = can_score_all(job, max_memory)
    limited = can_be_complete(job) and falls_fast(job.score) and not is_cheap(job)
    if whole and not limited:
        return _scored(job, clock, max_memory, watcher)
    if not whole and not can_be_complete(job):
        _check_possible(job)
    sets = score_job(job, clock=clock, max_memory=max_memory, executor=executor, watcher=watcher)
    found = larger_by_limits(job, sets, clock, whole=whole)
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


def larger_by_limits(job: Job, sets: ParentSets, clock: Clock, *, whole: bool) -> ParentSets | None:
    """Add the larger sets that limits leave; None if they leave too many.

    Where the whole of all sets could be scored, exploring more sets than that takes is of no use.
    """
    budget = _core.Budget(clock.share(1.0))
    if not whole:
        return completed(job, sets, budget=budget)
    explored = variable_sets(job) // job.data.n_variables
    return completed(job, sets, most_explored=explored, budget=budget)


def _scored(job: Job, clock: Clock, max_memory: int | None, watcher: Watcher | None) -> ParentSets:
    return score_all(job, seconds=clock.share(1.0), max_memory=max_memory, watcher=watcher)


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
