"""The parent sets that a search gets: the first ones, if they grow; else all of them.

Which sets these are is chosen by the numbers of variables, families and rows. The clock only ends
the scoring: then the sets up to the largest size that is complete are searched.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, Parameter, TimeLimitError
from forebear._util.machine import memory_bytes
from forebear._util.text import counted, show_seconds
from forebear.budget import QUICK_WORK, SCORING_SHARE
from forebear.data.dataset import as_dataset
from forebear.data.read_options import DEFAULT_MISSING, KEEP_MISSING
from forebear.knowledge.relations import Relations
from forebear.learning.problem import Problem
from forebear.learning.start import score_start
from forebear.parentsets.coverage import CUT_SHORT, SCORED_UP_TO
from forebear.scoring.all_sets import can_score_all, first_of_all, is_cheap, score_all_sizes
from forebear.scoring.candidates import restrict_candidates
from forebear.scoring.footprint import fits_in_memory
from forebear.scoring.growing_sets import growable_max_parents
from forebear.scoring.max_parents import possible_max_parents, preferred_max_parents
from forebear.scoring.score_job import score_in_time, smallest_size
from forebear.scoring.scores import as_score
from forebear.search.growth import Growth
from forebear.search.parent_set_sources import FEW_VARIABLES
from forebear.search.psminobs import PSMINOBS

if TYPE_CHECKING:
    from forebear.data.read_options import ReadOptions
    from forebear.knowledge.enforcement import Enforcement
    from forebear.learning.run import Run
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job
    from forebear.search.chain import Solution

CHOSEN_WORK = 500_000_000_000
"""Families times rows that are scored by default where parent sets do not grow. On two threads they
take 2 to 40 s with two to six states; with more states the clock may end them. With a fiftieth,
tabu search had two parents on a table of 120 variables, and ended with a score 4 % lower."""

_LEAST = 2
"""A single parent makes trees only. If two take too long, the time limit ends their scoring."""

_OF_CANDIDATES, _CANDIDATES = 3, 100
"""Where all sets of three parents are too many, those of this many candidates of each variable are
scored: they are worth more than all pairs. On simulated tables of 200 and 400 variables, scores
were 2 to 4 % better."""

GROWTH_PATH_VARIABLES = 5_000
"""Parent sets grow under knowledge about paths with up to this many variables: the costs of all
arcs take eight bytes per pair of variables, 200 MB for as many, and a few copies."""


@dataclass(frozen=True)
class SearchableSets:
    """The parent sets to search.

    Attributes
    ----------
    sets
        The sets: the first ones if they grow, else all that the search will have.
    growth
        How they grow, or None.
    start
        The network that the search starts from, or None. Its parent sets are among these.
    relations
        What networks have to respect besides.
    """

    sets: ParentSets
    growth: Growth | None = None
    start: Solution | None = None
    relations: Relations = field(default_factory=Relations)


@dataclass(frozen=True)
class Plan:
    """What will be scored and searched, as it is reported to the watcher.

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
    """

    job: Job
    seconds: float | None
    algorithm: str
    note: str = ""

    def sentence(self) -> str:
        """Say it in one sentence."""
        score, most = self.job.score, self.job.max_candidates
        parameters = ", ".join(f"{name} {value:g}" for name, value in score.parameters.items())
        among = "" if most is None else f" among the {most} best candidates of each variable"
        limit = f"up to {show_seconds(self.seconds)}" if self.seconds else "no time limit"
        return (
            f"{score.name}{f' ({parameters})' if parameters else ''}, "
            f"up to {counted(self.job.max_parents, 'parent')}{among}{self.note}; "
            f"{self.algorithm} on {counted(self.job.threads, 'thread')}, {limit}"
        )


def get_searchable_sets(problem: Problem, run: Run) -> SearchableSets:
    """Score the parent sets to start from, or all that a search over a fixed collection has."""
    known, wanted = problem.known, _preferred_size(problem)
    job = problem.job(wanted, known.arc_constraints(), run.threads)
    start = score_start(run.start, job, problem.max_parents, known)
    try:
        if sets_grow(problem, run):
            growth = _make_growth(problem, run, job, start)
            return SearchableSets(growth.first, growth, start, known.relations)
        job = problem.job(wanted, known.constraints(wanted), run.threads)
        sets = known.limited(_get_fixed_sets(problem, run, job))
    except TimeLimitError:
        if start is None:
            raise
        return SearchableSets(start.sets, None, start, known.relations)
    if start is not None:
        sets = sets.add(start.sets, dominated=bool(known.relations.n_arc_requirements))
    return SearchableSets(sets, None, start, known.relations)


def get_parent_sets(job: Job, run: Run, note: str = "", *, any_size: bool = False) -> ParentSets:
    """Open the parent sets of a job if they are cached; otherwise score them, and cache them.

    If the share of the time for scoring ends it, the sets up to the largest size that is complete
    are returned; the smallest are scored though the time is over, if that is quick. ``any_size``:
    all sets that are worth having, whatever their size; if the time ends this, it is an error.
    """
    run.watcher.planned(Plan(job, run.clock.limit, run.algorithm.name, note))
    clock, cache = run.clock, run.cache
    sets = None if cache is None else cache.read(job)
    cached = None if sets is None else sets.path
    if sets is None:
        sets = _score(job, run, any_size=any_size)
    run.watcher.scored(sets, clock.lap("score"), cached)
    whole = any_size or SCORED_UP_TO not in sets.provenance
    if cache is not None and sets.path is None and whole:
        scored = job if any_size else replace(job, max_parents=sets.provenance["max_parents"])
        path = cache.write(sets, cache.path(scored))
        sets = replace(sets, path=path, threads=job.threads)
        clock.lap("cache")
    return sets


def _score(job: Job, run: Run, *, any_size: bool) -> ParentSets:
    clock = run.clock
    late = not any_size and _work(replace(job, max_parents=smallest_size(job))) <= QUICK_WORK
    if clock.expired and not late:
        raise TimeLimitError(
            f"reading the table took {show_seconds(clock.spent())}; "
            f"the limit is {show_seconds(clock.limit or 0)}"
        )
    part = clock.part_of(SCORING_SHARE)
    where: dict[str, Any] = {
        "max_memory": run.max_memory,
        "executor": run.executor,
        "watcher": run.watcher,
    }
    if any_size:
        return score_all_sizes(job, part, **where)
    spill = None if run.cache is None else run.cache.path(job)
    return score_in_time(job, part, late=late, spill=spill, **where)


def _size_scored(sets: ParentSets, job: Job) -> int:
    """Return the size up to which all sets of a job were scored in time."""
    if sets.is_complete:  # cached: no larger set is worth having
        return job.max_parents
    most: int = sets.provenance["max_parents"]
    return most - 1 if SCORED_UP_TO in sets.provenance else most  # the time ended the largest


def _work(job: Job) -> int:
    return job.constraints.families(job.max_parents) * job.counted_rows


# ---- a fixed collection -------------------------------------------------------------------


def _get_fixed_sets(problem: Problem, run: Run, job: Job) -> ParentSets:
    """Get the sets of a fixed collection; note if the time limit made it smaller."""
    few, free = problem.n_variables < FEW_VARIABLES, problem.max_parents is None
    cut_short = False
    if problem.all_sets or (free and few and is_cheap(job) and can_score_all(job, run.max_memory)):
        try:
            largest = replace(job, max_parents=problem.n_variables - 1)
            return get_parent_sets(largest, run, any_size=True)
        except TimeLimitError:
            if problem.all_sets:
                raise
            cut_short = True
    chosen, note = job, ""
    if free and run.timed and not few:
        chosen = choose_max_parents(job, run)
    if chosen.max_parents < job.max_parents:
        families = job.constraints.families(job.max_parents)
        note = f" ({job.max_parents} would be {families:,} families)"
    sets = get_parent_sets(chosen, run, note)
    if cut_short or _size_scored(sets, chosen) < chosen.max_parents:
        sets = replace(sets, provenance={**sets.provenance, CUT_SHORT: True})
    return sets


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


# ---- sets that grow -----------------------------------------------------------------------


def _preferred_size(problem: Problem) -> int:
    """Return the largest parent set to score before the search, if there is time."""
    if problem.all_sets:
        return first_of_all(problem.table, problem.score)
    n = problem.n_variables
    most = min(preferred_max_parents(n), problem.known.most_parents(n))
    return most if problem.max_parents is None else problem.max_parents


def sets_grow(problem: Problem, run: Run) -> bool:
    """Return whether the sets grow while they are searched.

    A proof for few variables under knowledge about paths needs sets that growth does not keep.
    """
    known, n = problem.known, problem.n_variables
    if problem.all_sets or (problem.max_parents is not None and problem.max_parents < 2):
        return False
    small = _preferred_size(problem) <= known.room
    few = n < FEW_VARIABLES and small and not known.relations.are_orders
    return not few and _can_grow(run, known, n)


def _can_grow(run: Run, known: Enforcement, n_variables: int) -> bool:
    """Whether growth works for this search."""
    made = run.algorithm.made
    return (
        isinstance(made, PSMINOBS)
        and made.rate is None
        and 2 < n_variables < np.iinfo(np.uint16).max  # the variables that the core can number
        and (known.relations.are_orders or n_variables <= GROWTH_PATH_VARIABLES)
    )


def _make_growth(problem: Problem, run: Run, job: Job, start: Solution | None) -> Growth:
    """Score the first sets, single parents, and prepare growth from them.

    Sets that an earlier run has grown for the same table are used instead, if they are cached.
    """
    known, cache = problem.known, run.cache
    most = problem.n_variables - 1 if problem.max_parents is None else problem.max_parents
    most = min(growable_max_parents(job), most)
    limits = problem.limits(most)
    first = min(job.constraints.least_parents, most)
    first_job = replace(job, max_parents=first)
    sets = None if cache is None or not run.timed else cache.read_grown(first_job, limits)
    if sets is not None:
        run.watcher.scored(sets, run.clock.lap("score"), sets.path)
        size = max(first, int(sets.complete.min()))
    else:
        note = "" if first >= most else " at first, more as needed"
        sets = get_parent_sets(first_job, run, note)
        size, sets = _size_scored(sets, first_job), known.limited(sets)
    return _growth(sets, replace(job, max_parents=size), limits, known, run, start)


def growth_from(
    parent_sets: ParentSets,
    data: Any,
    run: Run,
    known: Enforcement,
    read: ReadOptions | None = None,
) -> Growth:
    """Prepare growth from a fixed collection, by the table and the score it was made with.

    The sets agree with the knowledge, and so will those that are added.
    """
    made = parent_sets.provenance
    table = as_dataset(data, read)
    if table.missing == DEFAULT_MISSING and made.get("missing") in KEEP_MISSING:
        table = replace(table, missing=made["missing"])
    if table.names != parent_sets.names or made.get("data") not in (None, table.fingerprint):
        raise ForebearError(Parameter("data"), " is not the table that the parent sets come from")
    if "score" not in made:
        raise ForebearError(
            "the file of the parent sets does not say by which score they were made, so they "
            "cannot grow: score the table again to a .cps file"
        )
    if not _can_grow(run, known, table.n_variables):
        raise ForebearError(
            "parent sets grow only with ps-minobs and minobs, without a rate, and with up to "
            f"{GROWTH_PATH_VARIABLES:,} variables under knowledge about paths: leave ",
            Parameter("data"),
            " out for this search",
        )
    problem = Problem(table, as_score(made["score"], **made.get("parameters", {})), None, known)
    constraints = known.arc_constraints()
    most = min(parent_sets.max_parents, possible_max_parents(table.n_variables))
    most = max(constraints.least_parents, min(most, int(parent_sets.complete.min())))
    job = problem.job(most, constraints, run.threads)
    most = min(growable_max_parents(job), table.n_variables - 1)
    return _growth(parent_sets, job, problem.limits(most), known, run)


def _growth(
    first: ParentSets,
    job: Job,
    limits: list[int],
    known: Enforcement,
    run: Run,
    start: Solution | None = None,
) -> Growth:
    """Put together what the chains need; they share a quarter of the memory."""
    chains = 1 if run.executor is not None else run.algorithm.search.chains
    memory = (run.max_memory or memory_bytes()) // 4 // chains
    return Growth(first, job, limits, memory, known.relations, start)
