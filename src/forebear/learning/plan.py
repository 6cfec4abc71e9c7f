"""What ``learn`` chooses for those who do not: how many parents, within time and memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forebear._util.errors import LimitError
from forebear._util.machine import resident_bytes
from forebear._util.text import show_bytes, show_seconds
from forebear.scoring.candidates import restrict_candidates
from forebear.scoring.cost import Cost, Limits, estimate
from forebear.scoring.footprint import walk_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from forebear.scoring.job import Job

SCORING_SHARE = 0.4
"""Of the time, scoring may be planned for so much; the search is worth the rest."""

MOST_OF_CANDIDATES = 3
"""Parents that are tried where candidates are few."""

_CAUTION = 3.0  # times what is expected: candidates are many for a few variables

CANDIDATES = 100
"""Where two parents of thousands of variables are too many, each keeps so many candidates."""

_PREFERRED = ((20, 6), (30, 5), (60, 4), (500, 3))
"""Below so many variables, up to so many parents; beyond, 2. The last is the paper's rule."""


@dataclass(frozen=True)
class Plan:
    """What will be done. ``cost`` is what scoring is expected to take, where it is not cached."""

    job: Job
    seconds: float | None
    algorithm: str
    cost: Cost | None
    cached: Path | None
    note: str = ""

    def sentence(self) -> str:
        """Say it in one sentence."""
        score = self.job.score
        parameters = ", ".join(f"{name} {value:g}" for name, value in score.parameters.items())
        most = self.job.max_parents
        parts = [
            f"{score.name}{f' ({parameters})' if parameters else ''}, "
            f"up to {most} parent{'s' * (most != 1)}{self._candidates()}{self.note}"
        ]
        if self.cost is not None:
            parts.append(
                f"{self.cost.families:,} families to score in about "
                f"{show_seconds(self.cost.seconds)} and {show_bytes(self.cost.bytes)}"
            )
        threads = self.job.threads
        parts.append(
            f"{self.algorithm} on {threads} thread{'s' * (threads != 1)}, "
            + (f"{show_seconds(self.seconds)} in all" if self.seconds else "no time limit")
        )
        return "; ".join(parts)

    def _candidates(self) -> str:
        most = self.job.max_candidates
        return "" if most is None else f" of the {most} best candidates of each variable"


def preferred_max_parents(n_variables: int) -> int:
    """As many parents as are worth considering where time and memory are no question."""
    most = next((parents for below, parents in _PREFERRED if n_variables < below), 2)
    return max(0, min(most, n_variables - 1))


def fit_max_parents(
    job: Job, limits: Limits, find_cached: Callable[[Job], Path | None]
) -> tuple[Job, Cost | None, Path | None]:
    """Lower a job's in-degree until scoring it fits the limits, or was done before.

    Rather than a single parent each, variables that are many get fewer
    candidates.
    """
    least = job.constraints.least_parents
    cost = None
    for parents in range(job.max_parents, min(least, job.max_parents) - 1, -1):
        lower = replace(job, max_parents=parents)
        if parents == 1 and job.max_parents == 2 and job.max_candidates is None:
            seconds = None if limits.seconds is None else 0.5 * limits.seconds
            return _fit_candidates(restrict_candidates(job, CANDIDATES, seconds=seconds), limits)
        if (path := find_cached(lower)) is not None:
            return lower, None, path
        if resident_bytes() + walk_bytes(lower) > limits.bytes:
            continue
        cost = estimate(lower, within=limits.seconds)
        if limits.allow(cost):
            return lower, cost, None
    if cost is None or cost.bytes > limits.bytes:
        return job, None, None  # scoring itself says best what is wrong
    raise LimitError(
        f"scoring {cost.families:,} families (1 parent) takes about {show_seconds(cost.seconds)}; "
        f"there are {show_seconds(limits.seconds or math.inf)} for it: allow more time, "
        "or use fewer variables or rows"
    )


def _fit_candidates(job: Job, limits: Limits) -> tuple[Job, Cost | None, Path | None]:
    """Of few candidates even three parents may fit."""
    for parents in range(MOST_OF_CANDIDATES, 1, -1):
        more = replace(job, max_parents=parents)
        cost = estimate(more, within=limits.seconds)
        if limits.allow(replace(cost, seconds=_CAUTION * cost.seconds)):
            return more, cost, None
    return replace(job, max_parents=2), None, None
