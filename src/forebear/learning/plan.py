"""What ``learn`` chooses where the user did not: how many parents are scored at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forebear._util.errors import TimeLimitError
from forebear._util.text import counted, show_seconds
from forebear.budget import CHOSEN_WORK, SCORING_SHARE
from forebear.scoring.candidates import restrict_candidates
from forebear.scoring.footprint import fits_in_memory

if TYPE_CHECKING:
    from forebear.learning.steps import Means
    from forebear.scoring.job import Job

_LEAST = 2
"""A single parent makes trees only. If two take too long, the time limit ends their scoring."""

_OF_CANDIDATES, _CANDIDATES = 3, 100
"""Where all sets of three parents are too many, those of this many candidates of each variable are
scored: they are worth more than all pairs. On simulated tables of 200 and 400 variables, scores
were 2 to 4 % better."""


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
    note
        Why fewer parents were chosen than wished, or nothing.
    any_size
        Whether all sets that are worth having are scored, whatever their size.
    """

    job: Job
    seconds: float | None
    algorithm: str
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
    """Choose max_parents by counts of families and rows, unless it is fixed."""
    chosen = job if fixed else choose_max_parents(job, means)
    note = ""
    if chosen.max_parents < job.max_parents:
        families = job.constraints.families(job.max_parents)
        note = f" ({job.max_parents} would be {families:,} families)"
    return Plan(chosen, means.clock.limit, algorithm, note)


def choose_max_parents(job: Job, means: Means) -> Job:
    """Lower a job's max_parents, or its candidates, until families times rows are few.

    They also have to fit in memory, whatever is pruned.
    """

    def fits(job: Job) -> bool:
        work = job.constraints.families(job.max_parents) * job.data.n_rows
        return work <= CHOSEN_WORK and fits_in_memory(job, means.max_memory)

    least = min(max(_LEAST, job.constraints.least_parents), job.max_parents)
    for parents in range(job.max_parents, max(least, _OF_CANDIDATES) - 1, -1):
        lower = replace(job, max_parents=parents)
        if fits(lower):
            return lower
    few = _of_candidates(job, means) if least <= _OF_CANDIDATES else None
    if few is not None and fits(few):
        return few
    lower = replace(job, max_parents=least)
    return lower if few is None or fits(lower) else replace(few, max_parents=least)


def _of_candidates(job: Job, means: Means) -> Job | None:
    """Choose the candidates of each variable, if they are many; None if the time is over."""
    if job.max_parents < _LEAST or job.data.n_variables <= _CANDIDATES + 1:
        return None
    # Single parents are scored for this: they may take half of the time for scoring.
    seconds = means.clock.share(0.5 * SCORING_SHARE)
    try:
        few = restrict_candidates(job, _CANDIDATES, seconds=seconds)
    except TimeLimitError:
        return None
    return replace(few, max_parents=_OF_CANDIDATES)
