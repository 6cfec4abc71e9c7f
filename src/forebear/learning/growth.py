"""What ``learn`` decides about growth: when it is used, and what the first sets are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear._util.machine import memory_bytes
from forebear.budget import GROWTH_PATH_VARIABLES
from forebear.data.dataset import as_dataset
from forebear.data.read_options import DEFAULT_MISSING, KEEP_MISSING
from forebear.learning.plan import Plan
from forebear.learning.steps import Means, get_parent_sets_in_time
from forebear.scoring.growing_sets import growable_max_parents
from forebear.scoring.job import make_job
from forebear.scoring.max_parents import possible_max_parents
from forebear.scoring.scores import as_score
from forebear.search.growth import Growth
from forebear.search.psminobs import PSMINOBS

if TYPE_CHECKING:
    from forebear.budget import Clock
    from forebear.data.read_options import ReadOptions
    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.request import SearchRequest
    from forebear.learning.start import StartNetwork
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job


def can_grow(request: SearchRequest, known: Enforced, n_variables: int) -> bool:
    """Whether growth works for this search."""
    made = request.algorithm.made
    return (
        isinstance(made, PSMINOBS)
        and made.rate is None
        and sets_can_grow(n_variables)
        and (known.relations.are_orders or n_variables <= GROWTH_PATH_VARIABLES)
    )


def sets_can_grow(n_variables: int) -> bool:
    """Whether the core can add to the sets of this many variables."""
    return 2 < n_variables < np.iinfo(np.uint16).max


def growth_from(
    parent_sets: ParentSets,
    data: Any,
    request: SearchRequest,
    clock: Clock,
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
    if not can_grow(request, known, table.n_variables):
        raise ForebearError(
            "parent sets grow only with ps-minobs and minobs, without a rate, and with up to "
            f"{GROWTH_PATH_VARIABLES:,} variables under knowledge about paths: leave ",
            Parameter("data"),
            " out for this search",
        )
    score = as_score(made["score"], **made.get("parameters", {}))
    constraints = known.arc_constraints(table.names)
    most = min(parent_sets.max_parents, possible_max_parents(table.n_variables))
    most = max(constraints.least_parents, min(most, int(parent_sets.complete.min())))
    job = make_job(
        table, score=score, max_parents=most, constraints=constraints, threads=request.threads
    )
    most = min(growable_max_parents(job), table.n_variables - 1)
    limits = [min(most, known.knowledge.max_parents.get(name, most)) for name in table.names]
    means = Means(clock, None, None, request.watcher)
    return _growth(parent_sets, job, limits, known, request, means, None)


def make_growth(
    job: Job,
    known: Enforced,
    means: Means,
    max_parents: int | None,
    request: SearchRequest,
    start: StartNetwork | None = None,
) -> Growth:
    """Score the first sets, single parents, and prepare growth from them."""
    n = job.data.n_variables
    most = min(growable_max_parents(job), n - 1 if max_parents is None else max_parents)
    limits = known.knowledge.max_parents
    own = [min(most, limits.get(name, most)) for name in job.data.names]
    first = min(job.constraints.least_parents, most)
    first_job = replace(job, max_parents=first)
    grown = means.grown(first_job, own) if request.timed else None
    if grown is not None:
        means.watcher.scored(grown, means.clock.lap("score"), grown.path)
        first_job = replace(job, max_parents=max(first, int(grown.complete.min())))
        return _growth(grown, first_job, own, known, request, means, start)
    note = "" if first >= most else ", more as the search asks for them"
    plan = Plan(first_job, means.clock.limit, request.algorithm.name, note)
    means.watcher.planned(plan)
    plan, sets = get_parent_sets_in_time(plan, means)
    return _growth(known.limited(sets), plan.job, own, known, request, means, start)


def _growth(
    first: ParentSets,
    job: Job,
    limits: list[int],
    known: Enforced,
    request: SearchRequest,
    means: Means,
    start: StartNetwork | None,
) -> Growth:
    """Put together what the chains need; they share a quarter of the memory."""
    memory = means.max_memory or memory_bytes()
    chains = 1 if request.executor is not None else request.algorithm.search.chains
    return Growth(
        first,
        job,
        limits,
        memory // 4 // chains,
        known.relations,
        None if start is None else start.found(),
    )
