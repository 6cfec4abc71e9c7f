"""The parent sets that ``learn`` searches: the first ones, if they grow; else all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forebear._util.errors import TimeLimitError
from forebear.learning.completing import first_of_all
from forebear.learning.growth import can_grow, make_growth
from forebear.learning.plan import Plan, make_plan
from forebear.learning.start import StartNetwork
from forebear.learning.steps import get_parent_sets, get_parent_sets_in_time
from forebear.parentsets.coverage import CUT_SHORT
from forebear.scoring.all_sets import can_score_all, is_cheap
from forebear.scoring.job import make_job
from forebear.scoring.max_parents import preferred_max_parents
from forebear.search.parent_set_sources import FEW_VARIABLES

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.request import SearchRequest
    from forebear.learning.steps import Means
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.constraints import Constraints
    from forebear.scoring.job import Job
    from forebear.scoring.scores import Score
    from forebear.search.growth import Growth


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


def get_searchable_sets(
    table: Dataset,
    score: Score,
    max_parents: int | None,
    known: Enforced,
    request: SearchRequest,
    means: Means,
) -> SearchableSets:
    """Score the parent sets to start from, or all that a search over a fixed collection has."""
    n, wanted = table.n_variables, max_parents
    if request.all_sets:
        wanted = first_of_all(table, score)
    elif wanted is None:
        wanted = min(preferred_max_parents(n), known.most_parents(n))

    def job_under(constraints: Constraints) -> Job:
        return make_job(
            table, score=score, max_parents=wanted, constraints=constraints, threads=request.threads
        )

    first = job_under(known.arc_constraints(table.names))
    start = StartNetwork.scored(request.start, first, max_parents, known)
    try:
        if _grows(n, wanted, max_parents, known, request):
            growth = make_growth(first, known, means, max_parents, request, start)
            return SearchableSets(growth.first, growth, start)
        job = job_under(known.constraints(table.names, wanted))
        sets = known.limited(_all_sets(job, max_parents, request, means))
        return SearchableSets(sets if start is None else start.added_to(sets), None, start)
    except TimeLimitError:
        if start is None:
            raise
        return SearchableSets(start.sets, None, start)


def _grows(
    n: int, wanted: int, max_parents: int | None, known: Enforced, request: SearchRequest
) -> bool:
    """Return whether the sets grow while they are searched.

    A proof for few variables under knowledge about paths needs sets that growth does not keep.
    """
    if request.all_sets or (max_parents is not None and max_parents < 2):
        return False
    few = n < FEW_VARIABLES and wanted <= known.room and not known.relations.are_orders
    return not few and can_grow(request, known, n)


def _all_sets(
    job: Job, max_parents: int | None, request: SearchRequest, means: Means
) -> ParentSets:
    """Score the sets of a fixed collection; note if the time limit made it smaller."""
    few = job.data.n_variables < FEW_VARIABLES
    cheap = max_parents is None and few and is_cheap(job) and can_score_all(job, means.max_memory)
    name, cut_short = request.algorithm.name, False
    if request.all_sets or cheap:
        largest = replace(job, max_parents=job.data.n_variables - 1)
        plan = Plan(largest, means.clock.limit, name, any_size=True)
        means.watcher.planned(plan)
        try:
            return get_parent_sets(plan, means)
        except TimeLimitError:
            if request.all_sets:
                raise
            cut_short = True
    fixed = max_parents is not None or not request.timed or few
    plan = make_plan(job, means, algorithm=name, fixed=fixed)
    means.watcher.planned(plan)
    scored, sets = get_parent_sets_in_time(plan, means)
    cut_short |= scored.job.max_parents < plan.job.max_parents
    if cut_short:
        sets = replace(sets, provenance={**sets.provenance, CUT_SHORT: True})
    return sets
