"""get_searchable_sets(): score the parent sets that the search starts with.

If the sets grow during the search, these are the initial sets; otherwise they are all sets of the
search. The numbers of variables, families and rows determine which sets are scored. If the clock
ends the scoring, the search gets the sets up to the largest size that is complete.
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
from forebear.data.read_options import DEFAULT_MISSING, KEEP_MISSING, ReadOptions
from forebear.knowledge.enforcement import Enforcement
from forebear.knowledge.relations import Relations
from forebear.learning.problem import Problem
from forebear.learning.start_network import score_start
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import CUT_SHORT, SCORED_UP_TO
from forebear.scoring.all_sets import (
    can_score_all,
    can_score_all_quickly,
    initial_max_parents,
    score_all_sizes,
)
from forebear.scoring.candidates import restrict_candidates
from forebear.scoring.growing_sets import growable_max_parents
from forebear.scoring.job import Job
from forebear.scoring.max_parents import possible_max_parents, preferred_max_parents
from forebear.scoring.memory_estimate import fits_in_memory
from forebear.scoring.score_job import score_in_time, smallest_max_parents
from forebear.scoring.scores import score_from, show_settings
from forebear.search.chain import Solution
from forebear.search.growth import Growth
from forebear.search.parent_set_sources import FEW_VARIABLES
from forebear.search.psminobs import PSMINOBS

if TYPE_CHECKING:
    from forebear.learning.run import Run

FIXED_SETS_WORK = 500_000_000_000
"""Families times rows that are scored by default if parent sets do not grow. On two threads,
scoring takes 2 to 40 s with two to six states; with more states, the clock may end it. With a
fiftieth of this value, tabu search was limited to two parents on a table of 120 variables, and its
score was 4 % lower."""

_MIN_PARENTS = 2
"""The smallest default of max_parents: with one parent, all networks are forests. If scoring two
takes too long, the time limit ends it."""

_CANDIDATE_MAX_PARENTS, _MOST_CANDIDATES = 3, 100
"""If there are too many sets of three parents, only this many candidate parents of each variable
are considered. On simulated tables of 200 and 400 variables, scores were 2 to 4 % better than with
all sets of two parents."""

GROWTH_PATH_VARIABLES = 5_000
"""Under knowledge about paths, parent sets grow with up to this many variables. The costs of all
arcs take eight bytes per pair of variables (200 MB), and there are a few copies of them."""


@dataclass(frozen=True)
class SearchableSets:
    """The parent sets to search.

    Attributes
    ----------
    sets
        The initial sets if they grow, otherwise all sets of the search.
    growth
        What the search needs to extend the sets, or None if they do not grow.
    start
        The network that the search starts from, or None. Its parent sets are among ``sets``.
    relations
        The relations that networks must respect.
    """

    sets: ParentSets
    growth: Growth | None = None
    start: Solution | None = None
    relations: Relations = field(default_factory=Relations)


@dataclass(frozen=True)
class Plan:
    """The scoring and search to come, as reported to the watcher.

    Attributes
    ----------
    job
        The scoring job.
    seconds
        The time limit of the run or of the current step, or None.
    algorithm
        The name of the search algorithm.
    note
        Why ``max_parents`` is smaller than preferred, or an empty string.
    """

    job: Job
    seconds: float | None
    algorithm: str
    note: str = ""

    def sentence(self) -> str:
        """Describe the plan in one sentence."""
        score, most = self.job.score, self.job.max_candidates
        parameters = show_settings(score.parameters, score.prior)
        among = "" if most is None else f" among the {most} best candidates of each variable"
        limit = f"up to {show_seconds(self.seconds)}" if self.seconds else "no time limit"
        return (
            f"{score.name}{f' ({parameters})' if parameters else ''}, "
            f"up to {counted(self.job.max_parents, 'parent')}{among}{self.note}; "
            f"{self.algorithm} on {counted(self.job.threads, 'thread')}, {limit}"
        )


def get_searchable_sets(
    problem: Problem, run: Run, start: Solution | None = None
) -> SearchableSets:
    """Score the initial parent sets, or all sets of the search if they do not grow.

    The search starts from the network ``start``; by default, from that of the run.
    """
    enforcement, max_parents = problem.enforcement, _preferred_size(problem)
    job = problem.job(max_parents, enforcement.arc_constraints(), run.threads)
    if start is None:
        start = score_start(run.start, job, problem.max_parents, enforcement)
    try:
        if sets_grow(problem, run):
            growth = _make_growth(problem, run, job, start)
            return SearchableSets(growth.first, growth, start, enforcement.relations)
        job = problem.job(max_parents, enforcement.constraints(max_parents), run.threads)
        sets = enforcement.apply_limits(_get_fixed_sets(problem, run, job))
    except TimeLimitError:
        if start is None:
            raise
        return SearchableSets(start.sets, None, start, enforcement.relations)
    if start is not None:
        sets = sets.add(start.sets, dominated=bool(enforcement.relations.n_arc_requirements))
    return SearchableSets(sets, None, start, enforcement.relations)


def get_parent_sets(
    job: Job,
    run: Run,
    note: str = "",
    *,
    all_sizes: bool = False,
    has_start: bool = False,
) -> ParentSets:
    """Return the parent sets of a job from the cache, or score and cache them.

    If the time for scoring ends, the sets up to the largest size that is complete are returned. If
    scoring the smallest sets is quick, they are scored even after the time limit, unless there is
    a network to start from (``has_start``), which is then the result. With
    ``all_sizes``, sets of all sizes are scored, except dominated ones; if the time ends, a
    ``TimeLimitError`` is raised.
    """
    run.watcher.planned(Plan(job, run.clock.limit, run.algorithm.name, note))
    clock, cache = run.clock, run.cache
    sets = None if cache is None else cache.read(job)
    cached = None if sets is None else sets.path
    if sets is None:
        sets = _score_sets(job, run, all_sizes=all_sizes, has_start=has_start)
    run.watcher.scored(sets, clock.lap("score"), cached)
    whole = all_sizes or SCORED_UP_TO not in sets.provenance
    if cache is not None and sets.path is None and whole:
        scored = job if all_sizes else replace(job, max_parents=sets.provenance["max_parents"])
        path = cache.write(sets, cache.path(scored))
        sets = replace(sets, path=path, threads=job.threads)
        clock.lap("cache")
    return sets


def _score_sets(job: Job, run: Run, *, all_sizes: bool, has_start: bool) -> ParentSets:
    clock = run.clock
    smallest = replace(job, max_parents=smallest_max_parents(job))
    after_limit = not (all_sizes or has_start) and _work(smallest) <= QUICK_WORK
    if clock.expired and not after_limit:
        raise TimeLimitError(
            f"reading the table took {show_seconds(clock.spent())}, and the time limit is "
            f"{show_seconds(clock.limit or 0)}: increase ",
            Parameter("time_limit"),
        )
    part = clock.part_of(SCORING_SHARE)
    where: dict[str, Any] = {
        "max_memory": run.max_memory,
        "executor": run.executor,
        "watcher": run.watcher,
    }
    if all_sizes:
        return score_all_sizes(job, part, **where)
    spill = None if run.cache is None else run.cache.path(job)
    return score_in_time(job, part, after_limit=after_limit, spill=spill, **where)


def _complete_size(sets: ParentSets, job: Job) -> int:
    """Return the size up to which all sets of a job were scored."""
    if sets.is_complete:  # from the cache: all larger sets are dominated
        return job.max_parents
    most: int = sets.provenance["max_parents"]
    return (
        most - 1 if SCORED_UP_TO in sets.provenance else most
    )  # the time limit ended the largest size


def _work(job: Job) -> int:
    return job.constraints.families(job.max_parents) * job.counted_rows


# ---- a fixed collection -------------------------------------------------------------------


def _get_fixed_sets(problem: Problem, run: Run, job: Job) -> ParentSets:
    """Return the sets of a fixed collection; record whether the time limit reduced it."""
    few, free = problem.n_variables < FEW_VARIABLES, problem.max_parents is None
    cut_short = False
    if problem.all_sets or (
        free and few and can_score_all_quickly(job) and can_score_all(job, run.max_memory)
    ):
        try:
            largest = replace(job, max_parents=problem.n_variables - 1)
            return get_parent_sets(largest, run, all_sizes=True)
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
    if cut_short or _complete_size(sets, chosen) < chosen.max_parents:
        sets = replace(sets, provenance={**sets.provenance, CUT_SHORT: True})
    return sets


def choose_max_parents(job: Job, run: Run) -> Job:
    """Lower a job's ``max_parents``, or restrict its candidates, until its work is small enough.

    The sets must also fit in memory, even if none is pruned.
    """

    def fits(job: Job) -> bool:
        return _work(job) <= FIXED_SETS_WORK and fits_in_memory(job, run.max_memory)

    least = min(max(_MIN_PARENTS, job.constraints.least_parents), job.max_parents)
    for parents in range(job.max_parents, max(least, _CANDIDATE_MAX_PARENTS) - 1, -1):
        lower = replace(job, max_parents=parents)
        if fits(lower):
            return lower
    few = _restrict_to_candidates(job, run) if least <= _CANDIDATE_MAX_PARENTS else None
    if few is not None and fits(few):
        return few
    lower = replace(job, max_parents=least)
    return lower if few is None or fits(lower) else replace(few, max_parents=least)


def _restrict_to_candidates(job: Job, run: Run) -> Job | None:
    """Restrict the candidates of each variable; None if they are few, or if time runs out."""
    if job.max_parents < _MIN_PARENTS or job.data.n_variables <= _MOST_CANDIDATES + 1:
        return None
    # This scores single parents, in at most half of the time for scoring.
    seconds = run.clock.share(0.5 * SCORING_SHARE)
    try:
        few = restrict_candidates(job, _MOST_CANDIDATES, seconds=seconds)
    except TimeLimitError:
        return None
    return replace(few, max_parents=_CANDIDATE_MAX_PARENTS)


# ---- sets that grow -----------------------------------------------------------------------


def _preferred_size(problem: Problem) -> int:
    """Return the largest parent set to score before the search, if time allows."""
    if problem.all_sets:
        return initial_max_parents(problem.table, problem.score)
    n = problem.n_variables
    most = min(preferred_max_parents(n), problem.enforcement.most_parents(n))
    return most if problem.max_parents is None else problem.max_parents


def sets_grow(problem: Problem, run: Run) -> bool:
    """Return whether the sets grow during the search.

    With few variables and knowledge about paths they do not, because a proof needs sets that growth
    drops.
    """
    enforcement, n = problem.enforcement, problem.n_variables
    if problem.all_sets or (problem.max_parents is not None and problem.max_parents < 2):
        return False
    small = _preferred_size(problem) <= enforcement.max_parents_with_orders
    few = n < FEW_VARIABLES and small and not enforcement.relations.are_orders
    return not few and _can_grow(run, enforcement, n)


def _can_grow(run: Run, enforcement: Enforcement, n_variables: int) -> bool:
    """Return whether the algorithm and the knowledge support growing sets."""
    settings = run.algorithm.settings
    return (
        isinstance(settings, PSMINOBS)
        and settings.rate is None
        and 2 < n_variables < np.iinfo(np.uint16).max  # the core numbers variables in 16 bits
        and (enforcement.relations.are_orders or n_variables <= GROWTH_PATH_VARIABLES)
    )


def _make_growth(problem: Problem, run: Run, job: Job, start: Solution | None) -> Growth:
    """Score the initial sets (single parents), and prepare their growth.

    If the sets that an earlier run extended for the same table are cached, they are used instead.
    """
    enforcement, cache = problem.enforcement, run.cache
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
        sets = get_parent_sets(first_job, run, note, has_start=start is not None)
        size, sets = _complete_size(sets, first_job), enforcement.apply_limits(sets)
    return _assemble_growth(sets, replace(job, max_parents=size), limits, enforcement, run, start)


def make_growth_from_sets(
    parent_sets: ParentSets,
    data: Any,
    run: Run,
    enforcement: Enforcement,
    read: ReadOptions | None = None,
) -> Growth:
    """Prepare the growth of a given collection, with the table and the score it was scored with.

    The sets must respect the knowledge. Sets that are added later respect it as well.
    """
    provenance = parent_sets.provenance
    table = as_dataset(data, read)
    if table.missing == DEFAULT_MISSING and provenance.get("missing") in KEEP_MISSING:
        table = replace(table, missing=provenance["missing"])
    if table.names != parent_sets.names or provenance.get("data") not in (None, table.fingerprint):
        raise ForebearError(
            Parameter("data"), " is not the table that the parent sets were scored on"
        )
    if "score" not in provenance:
        raise ForebearError(
            "the file of the parent sets does not name their score, so they cannot be extended: "
            "score the table again and save a .cps file"
        )
    if not _can_grow(run, enforcement, table.n_variables):
        raise ForebearError(
            "parent sets grow only with ps-minobs and minobs, without a rate, and with up to "
            f"{GROWTH_PATH_VARIABLES:,} variables under knowledge about paths: leave out ",
            Parameter("data"),
        )
    problem = Problem(table, score_from(provenance), None, enforcement)
    constraints = enforcement.arc_constraints()
    most = min(parent_sets.max_parents, possible_max_parents(table.n_variables))
    most = max(constraints.least_parents, min(most, int(parent_sets.complete.min())))
    job = problem.job(most, constraints, run.threads)
    most = min(growable_max_parents(job), table.n_variables - 1)
    return _assemble_growth(parent_sets, job, problem.limits(most), enforcement, run)


def _assemble_growth(
    first: ParentSets,
    job: Job,
    limits: list[int],
    enforcement: Enforcement,
    run: Run,
    start: Solution | None = None,
) -> Growth:
    """Create the growth of the chains, which share a quarter of the memory."""
    chains = 1 if run.executor is not None else run.algorithm.search.chains
    memory = (run.max_memory or memory_bytes()) // 4 // chains
    return Growth(first, job, limits, memory, enforcement.relations, start)
