"""The parent sets that a search gets: the first ones, if they grow; else all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, Parameter, TimeLimitError
from forebear._util.machine import memory_bytes
from forebear.budget import GROWTH_PATH_VARIABLES
from forebear.data.dataset import as_dataset
from forebear.data.read_options import DEFAULT_MISSING, KEEP_MISSING
from forebear.learning.all_parent_sets import first_of_all
from forebear.learning.plan import Plan, get_parent_sets, get_parent_sets_in_time, make_plan
from forebear.learning.problem import Problem
from forebear.learning.start import StartNetwork
from forebear.parentsets.coverage import CUT_SHORT
from forebear.scoring.all_sets import can_score_all, is_cheap
from forebear.scoring.growing_sets import growable_max_parents
from forebear.scoring.max_parents import possible_max_parents, preferred_max_parents
from forebear.scoring.scores import as_score
from forebear.search.growth import Growth
from forebear.search.parent_set_sources import FEW_VARIABLES
from forebear.search.psminobs import PSMINOBS

if TYPE_CHECKING:
    from forebear.data.read_options import ReadOptions
    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.run import Run
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job


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
    """

    sets: ParentSets
    growth: Growth | None
    start: StartNetwork | None


def get_searchable_sets(problem: Problem, run: Run) -> SearchableSets:
    """Score the parent sets to start from, or all that a search over a fixed collection has."""
    known, n = problem.known, problem.n_variables
    wanted = problem.max_parents
    if problem.all_sets:
        wanted = first_of_all(problem.table, problem.score)
    elif wanted is None:
        wanted = min(preferred_max_parents(n), known.most_parents(n))
    first = problem.job(wanted, known.arc_constraints(), run.threads)
    start = StartNetwork.scored(run.start, first, problem.max_parents, known)
    try:
        if _grows(problem, run, wanted):
            growth = _make_growth(problem, run, first, start)
            return SearchableSets(growth.first, growth, start)
        job = problem.job(wanted, known.constraints(wanted), run.threads)
        sets = known.limited(_all_sets(problem, run, job))
        return SearchableSets(sets if start is None else start.added_to(sets), None, start)
    except TimeLimitError:
        if start is None:
            raise
        return SearchableSets(start.sets, None, start)


def _grows(problem: Problem, run: Run, wanted: int) -> bool:
    """Return whether the sets grow while they are searched.

    A proof for few variables under knowledge about paths needs sets that growth does not keep.
    """
    known, n = problem.known, problem.n_variables
    if problem.all_sets or (problem.max_parents is not None and problem.max_parents < 2):
        return False
    few = n < FEW_VARIABLES and wanted <= known.room and not known.relations.are_orders
    return not few and _can_grow(run, known, n)


def _all_sets(problem: Problem, run: Run, job: Job) -> ParentSets:
    """Score the sets of a fixed collection; note if the time limit made it smaller."""
    few = job.data.n_variables < FEW_VARIABLES
    cheap = problem.max_parents is None and few and is_cheap(job)
    cheap = cheap and can_score_all(job, run.max_memory)
    name, cut_short = run.algorithm.name, False
    if problem.all_sets or cheap:
        largest = replace(job, max_parents=job.data.n_variables - 1)
        plan = Plan(largest, run.clock.limit, name, any_size=True)
        run.watcher.planned(plan)
        try:
            return get_parent_sets(plan, run)
        except TimeLimitError:
            if problem.all_sets:
                raise
            cut_short = True
    fixed = problem.max_parents is not None or not run.timed or few
    plan = make_plan(job, run, algorithm=name, fixed=fixed)
    run.watcher.planned(plan)
    scored, sets = get_parent_sets_in_time(plan, run)
    cut_short |= scored.job.max_parents < plan.job.max_parents
    if cut_short:
        sets = replace(sets, provenance={**sets.provenance, CUT_SHORT: True})
    return sets


def _can_grow(run: Run, known: Enforced, n_variables: int) -> bool:
    """Whether growth works for this search."""
    made = run.algorithm.made
    return (
        isinstance(made, PSMINOBS)
        and made.rate is None
        and 2 < n_variables < np.iinfo(np.uint16).max  # the variables that the core can number
        and (known.relations.are_orders or n_variables <= GROWTH_PATH_VARIABLES)
    )


def growth_from(
    parent_sets: ParentSets,
    data: Any,
    run: Run,
    known: Enforced,
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
    return _growth(parent_sets, job, problem.limits(most), known, run, None)


def _make_growth(problem: Problem, run: Run, job: Job, start: StartNetwork | None) -> Growth:
    """Score the first sets, single parents, and prepare growth from them.

    Sets that an earlier run has grown for the same table are used instead, if they are cached.
    """
    known, cache = problem.known, run.cache
    most = problem.n_variables - 1 if problem.max_parents is None else problem.max_parents
    most = min(growable_max_parents(job), most)
    own = problem.limits(most)
    first = min(job.constraints.least_parents, most)
    first_job = replace(job, max_parents=first)
    if cache is not None and run.timed:
        grown = cache.read_grown(cache.grown_path(first_job, own), first_job)
        if grown is not None:
            run.watcher.scored(grown, run.clock.lap("score"), grown.path)
            first_job = replace(job, max_parents=max(first, int(grown.complete.min())))
            return _growth(grown, first_job, own, known, run, start)
    note = "" if first >= most else " at first, more as needed"
    plan = Plan(first_job, run.clock.limit, run.algorithm.name, note)
    run.watcher.planned(plan)
    plan, sets = get_parent_sets_in_time(plan, run)
    return _growth(known.limited(sets), plan.job, own, known, run, start)


def _growth(
    first: ParentSets,
    job: Job,
    limits: list[int],
    known: Enforced,
    run: Run,
    start: StartNetwork | None,
) -> Growth:
    """Put together what the chains need; they share a quarter of the memory."""
    memory = run.max_memory or memory_bytes()
    chains = 1 if run.executor is not None else run.algorithm.search.chains
    return Growth(
        first,
        job,
        limits,
        memory // 4 // chains,
        known.relations,
        None if start is None else start.found(),
    )
