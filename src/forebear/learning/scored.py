"""The parent sets that ``learn`` searches: planned, scored or opened, then enlarged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear.budget import GROWING_VARIABLES
from forebear.learning.completing import completed_if_cheap
from forebear.learning.deepening import deepen
from forebear.learning.growth import can_grow, fits_at_once, make_growth
from forebear.learning.plan import make_plan
from forebear.learning.steps import get_parent_sets, get_parent_sets_in_time
from forebear.scoring.job import make_job
from forebear.scoring.max_parents import preferred_max_parents

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


def choose_and_score(
    table: Dataset,
    score: Score,
    max_parents: int | None,
    known: Enforced,
    request: SearchRequest,
    means: Means,
) -> tuple[ParentSets, Growth | None]:
    """Get the parent sets: the first ones, if they grow; else all that the search will have."""
    n = table.n_variables
    wanted = max_parents
    if wanted is None:
        wanted = min(preferred_max_parents(n), known.most_parents(n))

    def job_under(constraints: Constraints) -> Job:
        return make_job(
            table, score=score, max_parents=wanted, constraints=constraints, threads=request.threads
        )

    def whole_job() -> Job:
        return job_under(known.constraints(table.names, wanted))

    grows = (max_parents is None or max_parents > 1) and can_grow(request, known, n)
    at_once = n < GROWING_VARIABLES and wanted <= known.room
    if grows and not (at_once and fits_at_once(whole_job(), means)):
        arcs = job_under(known.arc_constraints(table.names))
        growth = make_growth(arcs, known, means, max_parents, request)
        return growth.first, growth
    job = whole_job()
    name, fixed = request.algorithm.name, max_parents is not None or not request.timed
    plan = make_plan(job, means, algorithm=name, fixed=fixed)
    means.watcher.planned(plan)
    if fixed:
        sets = get_parent_sets(plan, means)
    else:
        plan, sets = get_parent_sets_in_time(plan, means)
    if max_parents is None:
        most = known.most_parents(table.n_variables)
        sets = deepen(sets, plan, means, most=most, timed=request.timed)
        if request.timed and table.n_variables < GROWING_VARIABLES:
            sets = completed_if_cheap(plan.job, sets, means.clock)
    return known.limited(sets), None
