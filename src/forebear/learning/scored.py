"""The parent sets that ``learn`` searches: planned, scored or opened, then enlarged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forebear._util.errors import LimitError, TimeLimitError
from forebear.budget import GROWING_VARIABLES, SCORING_LIMIT_CHOSEN, SCORING_LIMIT_GIVEN
from forebear.learning.completing import (
    all_sets,
    completed_if_cheap,
    first_of_all,
    may_be_completed,
)
from forebear.learning.deepening import deepen
from forebear.learning.early import Early
from forebear.learning.growth import can_grow, fits_at_once, make_growth
from forebear.learning.plan import Plan, make_plan
from forebear.learning.steps import get_parent_sets, get_parent_sets_in_time, is_quick
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


@dataclass(frozen=True)
class Scored:
    """The parent sets to search.

    Attributes
    ----------
    sets
        The sets: the first ones if they grow, else all that the search will have.
    growth
        How they grow, or None.
    early
        The network that was found meanwhile. If the run has ended with it, it is one of the sets.
    """

    sets: ParentSets
    growth: Growth | None
    early: Early


class _Scoring:
    """Scoring for one search."""

    def __init__(
        self,
        first_job: Job,
        max_parents: int | None,
        known: Enforced,
        request: SearchRequest,
        means: Means,
    ) -> None:
        self._first_job = first_job  # of sets that grow
        self._max_parents = max_parents
        self._known = known
        self._request = request
        self._means = means
        self._fixed = max_parents is not None or not request.timed
        self._early = Early(known, request, means)

    def growing(self) -> Scored:
        """Score the first sets of a search whose sets grow, and find a first network in them."""
        early = self._early
        if not early.grows:
            growth = make_growth(
                self._first_job, self._known, self._means, self._max_parents, self._request
            )
            if self._request.timed:
                early.search(growth.first, growth)
            if not early.grows:
                return Scored(growth.first, growth, early)
        growth = early.growth()
        sets = growth.first if early.ended is None else early.sets_at_hand()
        return Scored(sets, growth, early)

    def at_once(self, job: Job, *, grows: bool) -> Scored:
        """Score all sets before the search, but find a first network while they are few.

        Whenever it ends early, there is this network. If the sets take too long, those that the
        network is made of grow instead.
        """
        early = self._early
        if not is_quick(job) and self._means.find_cached(job) is None:
            early.score_and_search(self._first_job, self._max_parents)
        if early.ended is None and grows and not fits_at_once(job, self._means):
            return self.growing()
        sets, may_fail = None, grows and early.grows and self._request.timed
        try:
            if early.ended is None:
                sets = self._all_sets(job, may_fail=may_fail)
        except KeyboardInterrupt:
            if not early.end("interrupted"):
                raise
        except LimitError as error:
            if may_fail:
                return self.growing()
            if not (isinstance(error, TimeLimitError) and early.end("time")):
                raise
        if sets is None or early.ended is not None:
            sets = early.sets_at_hand()
        elif may_fail and self._max_parents is None and larger_sets_may_pay(sets):
            return self.growing()
        return Scored(self._known.limited(sets), None, early)

    def _all_sets(self, job: Job, *, may_fail: bool) -> ParentSets:
        name, means = self._request.algorithm.name, self._means
        if self._request.all_sets:
            return self._sets_of_any_size(job)
        plan = make_plan(job, means, algorithm=name, fixed=self._fixed)
        means.watcher.planned(plan)
        if may_fail:
            sets = get_parent_sets(plan, means, SCORING_LIMIT_CHOSEN)
        elif self._fixed:
            sets = get_parent_sets(plan, means)
        else:
            plan, sets = get_parent_sets_in_time(plan, means)
        return sets if self._max_parents is not None else self._enlarged(sets, plan)

    def _sets_of_any_size(self, job: Job) -> ParentSets:
        means, clock = self._means, self._means.clock
        largest = replace(job, max_parents=job.data.n_variables - 1)
        plan = Plan(largest, clock.limit, self._request.algorithm.name, None, None)
        means.watcher.planned(plan)
        share = clock.share(SCORING_LIMIT_GIVEN)
        sets = all_sets(
            job,
            clock if share is None else clock.part(share),
            max_memory=means.max_memory,
            executor=means.executor,
            watcher=means.watcher,
        )
        means.watcher.scored(sets, clock.lap("score"), None)
        return sets

    def _enlarged(self, sets: ParentSets, plan: Plan) -> ParentSets:
        """Add larger sets, if that is quick; meanwhile there is a network of those at hand."""
        n, timed = plan.job.data.n_variables, self._request.timed
        sets = deepen(sets, plan, self._means, most=self._known.most_parents(n), timed=timed)
        if timed and n < GROWING_VARIABLES and may_be_completed(plan.job, sets):
            self._early.search(self._known.limited(sets))
            if self._early.ended is None:
                sets = completed_if_cheap(plan.job, sets, self._means.clock, self._means.max_memory)
        return sets


def larger_sets_may_pay(sets: ParentSets) -> bool:
    """Whether the best set of some variable is as large as those scored may be."""
    most = sets.provenance["max_parents"]
    if sets.provenance.get("complete") or most >= sets.n_variables - 1:
        return False
    best = sets.parents[:, sets.offsets[:-1]]
    return bool(((best != sets.none).sum(axis=0) >= most).any())


def choose_and_score(
    table: Dataset,
    score: Score,
    max_parents: int | None,
    known: Enforced,
    request: SearchRequest,
    means: Means,
) -> Scored:
    """Get the parent sets: the first ones, if they grow; else all that the search will have."""
    n = table.n_variables
    wanted = max_parents
    if request.all_sets:
        wanted = first_of_all(table, score)
    elif wanted is None:
        wanted = min(preferred_max_parents(n), known.most_parents(n))

    def job_under(constraints: Constraints) -> Job:
        return make_job(
            table, score=score, max_parents=wanted, constraints=constraints, threads=request.threads
        )

    grows = (max_parents is None or max_parents > 1) and can_grow(request, known, n)
    grows = grows and not request.all_sets
    arcs = job_under(known.arc_constraints(table.names))
    scoring = _Scoring(arcs, max_parents, known, request, means)
    if grows and (n >= GROWING_VARIABLES or wanted > known.room):
        return scoring.growing()
    return scoring.at_once(job_under(known.constraints(table.names, wanted)), grows=grows)
