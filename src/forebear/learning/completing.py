"""Parent sets without a limit on their size: when they are tried, and what is scored first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear._util.errors import LimitError, Parameter
from forebear.budget import COMPLETING_SECONDS, COMPLETING_SHARE, WHOLE_VARIABLES
from forebear.scoring.completeness import can_be_complete, completed, has_limits
from forebear.scoring.max_parents import possible_max_parents, preferred_max_parents

if TYPE_CHECKING:
    from forebear.budget import Clock
    from forebear.data.dataset import Dataset
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job
    from forebear.scoring.scores import Score

ALL = "all"
"""The ``max_parents`` that means no limit."""


def first_of_all(data: Dataset, score: Score) -> int:
    """Return the size up to which sets are scored before limits are used, or all sizes."""
    n = data.n_variables
    if n <= WHOLE_VARIABLES or not has_limits(data, score):
        if n - 1 > possible_max_parents(n):
            raise LimitError(
                f"there are no limits on what larger parent sets can score ({score.name}"
                f"{', with missing values' if data.has_missing else ''}), and sets of "
                f"{n - 1} parents cannot be scored: give ",
                Parameter("max_parents"),
            )
        return n - 1
    return preferred_max_parents(n)


def all_sets(job: Job, sets: ParentSets, clock: Clock) -> ParentSets:
    """Add all larger sets that are worth having, or say that there was not enough time."""
    found = completed(job, sets, clock.share(1.0))
    if found is not None:
        return found
    raise LimitError(
        "there is not enough time, or there are too many large parent sets, to find all that are "
        "worth having: increase ",
        Parameter("time_limit"),
        ", or give ",
        Parameter("max_parents"),
        f" (the sets of up to {job.max_parents} parents are scored)",
    )


def may_be_completed(job: Job, sets: ParentSets) -> bool:
    """Return whether there may be larger sets worth having, and limits could tell."""
    whole = job.max_parents >= int(job.constraints.candidates.max(initial=0))
    return not whole and can_be_complete(job) and not sets.provenance.get("complete")


def completed_if_cheap(job: Job, sets: ParentSets, clock: Clock) -> ParentSets:
    """Add all larger sets that are worth having, if that takes a small share of the time."""
    if not can_be_complete(job) or sets.provenance.get("complete"):
        return sets
    share = clock.share(COMPLETING_SHARE)
    seconds = COMPLETING_SECONDS if share is None else min(share, COMPLETING_SECONDS)
    found = completed(job, sets, seconds)
    clock.lap("score")
    return sets if found is None else found
