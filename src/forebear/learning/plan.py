"""Plan: which parent sets are scored before the search, and how they are obtained in time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from forebear._util.errors import TimeLimitError
from forebear._util.text import counted, show_seconds
from forebear.budget import CHOSEN_WORK, QUICK_WORK, SCORING_SHARE
from forebear.learning.all_parent_sets import all_sets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.scoring.candidates import restrict_candidates
from forebear.scoring.footprint import fits_in_memory
from forebear.scoring.score_job import score_in_time, score_job, smallest_size

if TYPE_CHECKING:
    from forebear.learning.run import Run
    from forebear.parentsets.collection import ParentSets
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


def make_plan(job: Job, run: Run, *, algorithm: str, fixed: bool) -> Plan:
    """Choose max_parents by counts of families and rows, unless it is fixed."""
    chosen = job if fixed else choose_max_parents(job, run)
    note = ""
    if chosen.max_parents < job.max_parents:
        families = job.constraints.families(job.max_parents)
        note = f" ({job.max_parents} would be {families:,} families)"
    return Plan(chosen, run.clock.limit, algorithm, note)


def choose_max_parents(job: Job, run: Run) -> Job:
    """Lower a job's max_parents, or its candidates, until families times rows are few.

    They also have to fit in memory, whatever is pruned.
    """

    def fits(job: Job) -> bool:
        return _work(job) <= CHOSEN_WORK and fits_in_memory(job, run.max_memory)

    least = min(max(_LEAST, job.constraints.least_parents), job.max_parents)
    for parents in range(job.max_parents, max(least, _OF_CANDIDATES) - 1, -1):
        lower = replace(job, max_parents=parents)
        if fits(lower):
            return lower
    few = _of_candidates(job, run) if least <= _OF_CANDIDATES else None
    if few is not None and fits(few):
        return few
    lower = replace(job, max_parents=least)
    return lower if few is None or fits(lower) else replace(few, max_parents=least)


def _of_candidates(job: Job, run: Run) -> Job | None:
    """Choose the candidates of each variable, if they are many; None if the time is over."""
    if job.max_parents < _LEAST or job.data.n_variables <= _CANDIDATES + 1:
        return None
    # Single parents are scored for this: they may take half of the time for scoring.
    seconds = run.clock.share(0.5 * SCORING_SHARE)
    try:
        few = restrict_candidates(job, _CANDIDATES, seconds=seconds)
    except TimeLimitError:
        return None
    return replace(few, max_parents=_OF_CANDIDATES)


def get_parent_sets(
    plan: Plan, run: Run, *, in_time: bool = False, late: bool = False
) -> ParentSets:
    """Open the parent sets if they are cached; otherwise score them, and cache them.

    If the share of the time for scoring ends it, this is an error; or, ``in_time``, the sets up to
    the largest size that is complete are returned, or the smallest sets if these may be ``late``.
    """
    job, clock, cache = plan.job, run.clock, run.cache
    found = None if cache is None else cache.find(job)
    sets = None if found is None or cache is None else cache.read(found, job)
    if sets is None:
        found = None
        if clock.expired and not late:
            raise TimeLimitError(
                f"reading the table took {show_seconds(clock.spent())}; "
                f"the limit is {show_seconds(clock.limit or 0)}"
            )
        sets = _score(plan, run, in_time=in_time, late=late)
    run.watcher.scored(sets, clock.lap("score"), found)
    whole = plan.any_size or SCORED_UP_TO not in sets.provenance
    if found is None and cache is not None and sets.path is None and whole:
        scored = job if plan.any_size else replace(job, max_parents=sets.provenance["max_parents"])
        path = cache.write(sets, cache.path(scored))
        sets = replace(sets, path=path, threads=job.threads)
        clock.lap("cache")
    return sets


def _score(plan: Plan, run: Run, *, in_time: bool, late: bool) -> ParentSets:
    job, cache, clock = plan.job, run.cache, run.clock.part_of(SCORING_SHARE)
    where: dict[str, Any] = {
        "max_memory": run.max_memory,
        "executor": run.executor,
        "watcher": run.watcher,
    }
    if plan.any_size:
        return all_sets(job, clock, **where)
    spill = None if cache is None else cache.path(job)
    if in_time:
        return score_in_time(job, clock, late=late, spill=spill, **where)
    return score_job(job, clock=clock, spill=spill, **where)


def get_parent_sets_in_time(plan: Plan, run: Run, *, late: bool = True) -> tuple[Plan, ParentSets]:
    """Get the parent sets up to the largest size that there is time for, and their plan.

    The smallest sets may be ``late``, if they are scored quickly: a late network is better than
    none.
    """
    sets = get_parent_sets(plan, run, in_time=True, late=late and _may_be_late(plan.job))
    if sets.is_complete:  # cached: no larger set is worth having
        return plan, sets
    most = sets.provenance["max_parents"]
    if SCORED_UP_TO in sets.provenance:  # the time ended the scoring of the largest
        most -= 1
    return replace(plan, job=replace(plan.job, max_parents=most)), sets


def _may_be_late(job: Job) -> bool:
    """Whether the smallest sets of a job are scored though the time may be over."""
    return _work(replace(job, max_parents=smallest_size(job))) <= QUICK_WORK


def _work(job: Job) -> int:
    return job.constraints.families(job.max_parents) * job.data.n_rows
