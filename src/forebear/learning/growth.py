"""What ``learn`` needs for growth: when it is used, the first sets, and where more come from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear._util.machine import memory_bytes
from forebear.budget import (
    GROWTH_CANDIDATES,
    GROWTH_FIRST_SHARE,
    GROWTH_MANY_VARIABLES,
    GROWTH_PAIR_VARIABLES,
    GROWTH_SOURCE_LIMIT,
    GROWTH_SOURCE_SHARE,
    SCORING_SHARE,
)
from forebear.data.dataset import as_dataset
from forebear.learning.deepening import deeper_job
from forebear.learning.plan import Plan
from forebear.learning.steps import Means, get_parent_sets, get_parent_sets_in_time
from forebear.scoring.cost import Limits, estimate
from forebear.scoring.growing import GrowingSets, growable_max_parents
from forebear.scoring.job import make_job
from forebear.scoring.max_parents import possible_max_parents
from forebear.scoring.scores import as_score
from forebear.search.growth import GrowingChain
from forebear.search.psminobs import PSMINOBS
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from forebear.budget import Clock
    from forebear.knowledge.enforcement import Enforced
    from forebear.learning.request import SearchRequest
    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.job import Job
    from forebear.search.growth import Source

SOURCES = ((20, 3), (20, 4), (30, 4), (20, 5), (30, 5), (40, 5))
"""Candidates of each variable, and parents: all sets of these are scored when growth is idle."""

_MOST_VARIABLES = 2_000
"""With more variables this is not done: the table of allowed arcs would take too much memory."""


def can_grow(request: SearchRequest, known: Enforced | None, n_variables: int) -> bool:
    """Whether growth works for this search."""
    made = request.algorithm.made
    return (
        isinstance(made, PSMINOBS)
        and made.chains == 1
        and made.rate in (None, 1.0)
        and request.executor is None
        and request.checkpoint is None
        and (known is None or not known.orders)
        and 2 < n_variables < np.iinfo(np.uint16).max
    )


@dataclass(frozen=True)
class Growth:
    """What a search needs whose parent sets grow.

    Attributes
    ----------
    job
        The job of the first sets.
    first
        The first sets.
    max_parents
        The largest parent set of every variable.
    means
        The clock, the memory limit and the watcher.
    timed
        Whether sets are scored only if there is time. False under a generation limit.
    """

    job: Job
    first: ParentSets
    max_parents: list[int]
    means: Means
    timed: bool

    def chain(
        self, request: SearchRequest, orders: Sequence[NDArray[np.int32]] = ()
    ) -> GrowingChain:
        """Make the chain that searches and grows."""
        made = request.algorithm.made
        if not isinstance(made, PSMINOBS):
            raise AssertionError("can_grow says for which algorithms sets grow")
        memory = self.means.max_memory or memory_bytes()
        candidates = best_candidate_lists(self.first)
        growing = GrowingSets(self.first, self.job, self.max_parents, memory // 2, candidates)
        seed, _ = np.random.SeedSequence(request.seed).spawn(1)[0].spawn(2)
        random = _core.Random(seed.generate_state(4, np.uint64).tolist())
        population = made.minobs.start(SearchSpace(growing.sets()), random, orders)
        return GrowingChain(growing, population, self._sources())

    def _sources(self) -> Iterator[Source]:
        """List where more sets come from, cheapest first."""
        if self.job.data.n_variables > _MOST_VARIABLES:
            return
        most = max(self.max_parents)
        for candidates, parents in SOURCES:
            if self.job.max_parents < parents <= most:
                yield partial(self._score, candidates=candidates, parents=parents)

    def _score(self, sets: ParentSets, *, candidates: int, parents: int) -> ParentSets | None:
        """Score all sets of the best candidates; None if there is no time or memory for it."""
        clock, watcher = self.means.clock, self.means.watcher
        clock.lap("search")
        job = deeper_job(self.job, sets, candidates, parents)
        seconds = clock.share(GROWTH_SOURCE_SHARE) if self.timed else None
        limits = Limits.given(self.means.max_memory, seconds)
        cost = estimate(job, within=seconds)
        if self.timed and not limits.allow(cost):
            return None
        quiet = replace(self.means, cache=None)
        plan = Plan(job, clock.limit, "", cost, None)
        try:
            found = get_parent_sets(plan, quiet, GROWTH_SOURCE_LIMIT, told=False)
        except (LimitError, MemoryError):
            if not self.timed:
                raise
            return None
        watcher.enlarged(len(found), found)
        return found


def growth_from(parent_sets: ParentSets, data: Any, request: SearchRequest, clock: Clock) -> Growth:
    """Prepare growth from a fixed collection, by the table and the score it was made with."""
    table = as_dataset(data)
    made = parent_sets.provenance
    if table.names != parent_sets.names or made.get("data") not in (None, table.fingerprint):
        raise ForebearError(Parameter("data"), " is not the table that the parent sets come from")
    if "score" not in made:
        raise ForebearError(
            "the file of the parent sets does not say by which score they were made, so they "
            "cannot grow: score the table again to a .cps file"
        )
    if not can_grow(request, None, table.n_variables):
        raise ForebearError(
            "parent sets grow in one chain of ps-minobs or minobs without a rate, an executor or "
            "a checkpoint: leave ",
            Parameter("data"),
            " out for this search",
        )
    score = as_score(made["score"], **made.get("parameters", {}))
    most = min(parent_sets.max_parents, possible_max_parents(table.n_variables))
    job = make_job(table, score=score, max_parents=most, threads=request.threads)
    limits = [min(growable_max_parents(job), table.n_variables - 1)] * table.n_variables
    means = Means(clock, None, None, request.watcher)
    return Growth(job, parent_sets, limits, means, request.timed)


def fits_at_once(job: Job, means: Means) -> bool:
    """Whether there are time and memory to score all sets of a job before the search."""
    if means.clock.limit is None or means.find_cached(job) is not None:
        return True
    limits = Limits.given(means.max_memory, means.clock.share(SCORING_SHARE))
    return limits.allow(estimate(job, within=limits.seconds))


def best_candidate_lists(first: ParentSets) -> list[list[int]] | None:
    """With many variables, list the candidates that explain each one best alone; None means all."""
    if first.n_variables <= GROWTH_MANY_VARIABLES:
        return None
    single = (first.parents != first.none).sum(axis=0) == 1
    lists = []
    for begin, end in pairwise(first.offsets.tolist()):
        own = first.parents[0, begin:end][single[begin:end]]
        lists.append(own[:GROWTH_CANDIDATES].tolist())
    return lists


def first_max_parents(job: Job, means: Means, *, timed: bool) -> int:
    """Choose the size of the first sets: 2 if scoring all pairs of parents fits, otherwise 1."""
    if job.max_parents < 2 or not timed:
        pairs = job.data.n_variables <= GROWTH_PAIR_VARIABLES
        return min(job.max_parents, 2 if pairs else 1)
    limits = Limits.given(means.max_memory, means.clock.share(GROWTH_FIRST_SHARE))
    pairs_job = replace(job, max_parents=2)
    return 2 if limits.allow(estimate(pairs_job, within=limits.seconds)) else 1


def make_growth(
    job: Job, known: Enforced, means: Means, max_parents: int | None, *, timed: bool, name: str
) -> Growth:
    """Score the first sets and prepare growth from them."""
    n = job.data.n_variables
    most = min(growable_max_parents(job), n - 1 if max_parents is None else max_parents)
    limits = known.knowledge.max_parents
    own = [min(most, limits.get(name, most)) for name in job.data.names]
    wished = first_max_parents(replace(job, max_parents=most), means, timed=timed)
    first = max(min(job.constraints.least_parents, most), wished)
    first_job = replace(job, max_parents=min(first, most))
    note = "" if first >= most else ", more as the search asks for them"
    cached = means.find_cached(first_job)
    # A prediction, so that scoring starts and adapts instead of being refused.
    cost = None if cached or not timed else estimate(first_job, within=means.clock.left())
    plan = Plan(first_job, means.clock.limit, name, cost, cached, note)
    means.watcher.planned(plan)
    plan, sets = get_parent_sets_in_time(plan, means)
    return Growth(plan.job, known.limited(sets), own, means, timed)
