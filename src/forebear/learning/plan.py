"""What ``learn`` chooses where the user did not: how many parents fit in time and memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forebear._util.errors import LimitError
from forebear._util.machine import resident_bytes
from forebear._util.text import about_seconds, counted, show_seconds
from forebear.budget import GROWING_VARIABLES, SCORING_SHARE
from forebear.scoring.candidates import restrict_candidates
from forebear.scoring.cost import Cost, Limits, estimate, fits_anyway, most_cost
from forebear.scoring.footprint import walk_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from forebear.learning.steps import Means
    from forebear.scoring.job import Job

_CANDIDATES = 100
"""Where two parents among thousands of variables do not fit, each keeps this many candidates."""

_MOST_OF_CANDIDATES = 3
"""With so few candidates up to this many parents are tried."""

_CAUTION = 3.0
"""Times the predicted seconds: a trial on few variables says little about many candidates."""


@dataclass(frozen=True)
class Plan:
    """What will be scored and searched.

    Attributes
    ----------
    job
        The scoring job.
    seconds
        The time limit of the run, or of the step that this is a part of; or None.
    algorithm
        The name of the search algorithm.
    cost
        What scoring is predicted to take; None if it is not known or not needed.
    cached
        The file that holds the parent sets already, or None.
    note
        Why fewer parents were chosen than wished, or nothing.
    any_size
        Whether all sets that are worth having are scored, whatever their size.
    """

    job: Job
    seconds: float | None
    algorithm: str
    cost: Cost | None
    cached: Path | None
    note: str = ""
    any_size: bool = False

    def sentence(self) -> str:
        """Say it in one sentence."""
        score = self.job.score
        parameters = ", ".join(f"{name} {value:g}" for name, value in score.parameters.items())
        parts = [
            f"{score.name}{f' ({parameters})' if parameters else ''}, "
            f"up to {counted(self.job.max_parents, 'parent')}{self._candidates()}{self.note}"
        ]
        parts.append(
            f"{self.algorithm} on {counted(self.job.threads, 'thread')}, "
            + (f"up to {show_seconds(self.seconds)}" if self.seconds else "no time limit")
        )
        return "; ".join(parts)

    def _candidates(self) -> str:
        most = self.job.max_candidates
        return "" if most is None else f" among the {most} best candidates of each variable"


def make_plan(job: Job, means: Means, *, algorithm: str, fixed: bool) -> Plan:
    """Lower max_parents until scoring fits the limits, unless it is fixed."""
    limit = means.clock.limit
    if fixed:
        # With few variables only the time limit itself ends scoring, not a prediction.
        small = job.data.n_variables < GROWING_VARIABLES
        cost = most_cost(job) if small and fits_anyway(job, means.limits(1.0)) else None
        return Plan(job, limit, algorithm, cost, means.find_cached(job))
    limits = means.limits(SCORING_SHARE)
    chosen, cost, cached = fit_max_parents(job, limits, means.find_cached)
    note = ""
    if chosen.max_parents < job.max_parents:
        note = f" ({job.max_parents} would need more time or memory)"
    return Plan(chosen, limit, algorithm, cost, cached, note)


def fit_max_parents(
    job: Job, limits: Limits, find_cached: Callable[[Job], Path | None]
) -> tuple[Job, Cost | None, Path | None]:
    """Lower a job's max_parents until scoring it fits the limits, or was done before.

    Rather than a single parent each, variables that are many get fewer candidates.
    """
    least = job.constraints.least_parents
    cost = None
    for parents in range(job.max_parents, min(least, job.max_parents) - 1, -1):
        lower = replace(job, max_parents=parents)
        if parents == 1 and job.max_parents == 2 and _has_candidates_to_spare(job):
            seconds = None if limits.seconds is None else 0.5 * limits.seconds
            return _fit_candidates(restrict_candidates(job, _CANDIDATES, seconds=seconds), limits)
        if (path := find_cached(lower)) is not None:
            return lower, None, path
        if resident_bytes() + walk_bytes(lower) > limits.bytes:
            continue
        cost = estimate(lower, limits)
        if limits.allow(cost):
            return lower, cost, None
    if cost is None or cost.bytes > limits.bytes:
        return job, None, None  # scoring itself says best what is wrong
    raise LimitError(
        f"scoring {cost.families:,} families (1 parent) takes {about_seconds(cost.seconds)}; "
        f"there are {show_seconds(limits.seconds or math.inf)} for it: allow more time, "
        "or use fewer variables or rows"
    )


def _has_candidates_to_spare(job: Job) -> bool:
    return job.max_candidates is None and job.data.n_variables > _CANDIDATES + 1


def _fit_candidates(job: Job, limits: Limits) -> tuple[Job, Cost | None, Path | None]:
    """With few candidates even three parents may fit."""
    for parents in range(_MOST_OF_CANDIDATES, 1, -1):
        more = replace(job, max_parents=parents)
        cost = estimate(more, limits)
        if limits.allow(replace(cost, seconds=_CAUTION * cost.seconds)):
            return more, cost, None
    return replace(job, max_parents=2), None, None
