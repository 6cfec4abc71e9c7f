"""The parent sets that ``learn`` searches: planned, scored or opened, then enlarged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forebear._util.errors import LimitError, TimeLimitError
from forebear.budget import GROWING_VARIABLES, SCORING_SHARE
from forebear.learning.completing import (
    first_of_all,
    is_cheap,
    larger_by_limits,
    may_be_completed,
)
from forebear.learning.first_network import FirstNetwork, find_first_network
from forebear.learning.growth import can_grow, fits_at_once, make_growth
from forebear.learning.plan import Plan, make_plan
from forebear.learning.start import StartNetwork
from forebear.learning.steps import get_parent_sets, get_parent_sets_in_time, is_quick
from forebear.parentsets.coverage import CUT_SHORT
from forebear.scoring.allsets import can_score_all
from forebear.scoring.completeness import falls_fast
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
    start
        The network that the search starts from, which is one of the sets, or None.
    first
        The network that was found before all sets were scored, or None.
    ended
        Whether the run ends with that network.
    """

    sets: ParentSets
    growth: Growth | None
    start: StartNetwork | None
    first: FirstNetwork | None = None
    ended: bool = False


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
        self._cut_short = False  # whether the time limit ended the scoring of larger sets
        # With few variables what is scored is a matter of counts alone.
        self._small = first_job.data.n_variables < GROWING_VARIABLES
        self._fixed = max_parents is not None or not request.timed
        self._start = StartNetwork.scored(request.start, first_job, max_parents, known)
        self._first: FirstNetwork | None = None

    def growing(self) -> Scored:
        """Score the first sets of a search whose sets grow."""
        growth = make_growth(
            self._first_job,
            self._known,
            self._means,
            self._max_parents,
            self._request,
            self._start,
        )
        return self._scored(growth.first, growth)

    def start_alone(self) -> Scored | None:
        """Return the sets of the start network: there was no time to score any others."""
        return None if self._start is None else self._scored(self._start.sets, None)

    def _scored(self, sets: ParentSets, growth: Growth | None) -> Scored:
        """Put together what the search will have; note if the time limit made it less."""
        if self._cut_short:
            sets = _marked_cut_short(sets)
            if growth is not None:
                growth = replace(growth, first=_marked_cut_short(growth.first))
        return Scored(sets, growth, self._start, self._first)

    def _end(self, first: FirstNetwork) -> Scored:
        """End the run with the first network."""
        return Scored(first.sets, None, self._start, first, ended=True)

    def _find_first_network(self) -> None:
        first = find_first_network(
            self._first_job,
            self._max_parents,
            self._known,
            self._request,
            self._means,
            self._start,
        )
        self._first = first
        # Under a generation limit the search goes as it would without: whether there is such a
        # network depends on the cache.
        if first is not None and self._request.timed:
            self._start = first.as_start()

    def at_once(self, job: Job, *, grows: bool) -> Scored:
        """Score all sets before the search, but find a first network while they are few.

        Whenever it ends early, there is this network. If the sets take too long, those of single
        parents grow instead.
        """
        any_size = self._any_size(job)
        largest = replace(job, max_parents=job.data.n_variables - 1) if any_size else job
        if not is_quick(job) and self._means.find_cached(largest) is None:
            self._find_first_network()
            if self._first is not None and self._first.ends_the_run:
                return self._end(self._first)
        try:
            return self._after_first_network(job, grows=grows, any_size=any_size)
        except KeyboardInterrupt:
            if self._first is None:
                raise
            stopped = replace(self._first.result, stop_reason="interrupted")
            self._first = replace(self._first, result=stopped)
            return self._end(self._first)

    def _after_first_network(self, job: Job, *, grows: bool, any_size: bool) -> Scored:
        """Score all sets; or those of single parents, which grow, if there are too many."""
        if grows and not (any_size or fits_at_once(job, self._means)):
            return self.growing()
        may_fail = grows and self._request.timed
        try:
            sets = self._all_sets(job, may_fail=may_fail, any_size=any_size)
        except LimitError as error:
            self._cut_short = isinstance(error, TimeLimitError)
            if may_fail:
                return self.growing()
            if self._first is None or not self._cut_short:
                raise
            return self._end(self._first)
        if may_fail and self._max_parents is None and larger_sets_may_pay(sets):
            return self.growing()
        sets = self._known.limited(sets)
        return self._scored(sets if self._start is None else self._start.added_to(sets), None)

    def _any_size(self, job: Job) -> bool:
        """Whether sets of any size are scored: the user wants that, or it is cheap."""
        if self._request.all_sets:
            return True
        chosen = self._max_parents is None and self._small
        return chosen and is_cheap(job) and can_score_all(job, self._means.max_memory)

    def _all_sets(self, job: Job, *, may_fail: bool, any_size: bool) -> ParentSets:
        name, means = self._request.algorithm.name, self._means
        if any_size:
            try:
                return self._sets_of_any_size(job)
            except TimeLimitError:
                if self._request.all_sets or may_fail:
                    raise
                self._cut_short = True
        plan = make_plan(job, means, algorithm=name, fixed=self._fixed or self._small)
        means.watcher.planned(plan)
        if may_fail:
            sets = get_parent_sets(plan, means)
        else:
            late = self._first is None
            scored, sets = get_parent_sets_in_time(plan, means, late=late)
            self._cut_short |= scored.job.max_parents < plan.job.max_parents
            plan = scored
        return sets if self._max_parents is not None else self._enlarged(sets, plan)

    def _sets_of_any_size(self, job: Job) -> ParentSets:
        means, name = self._means, self._request.algorithm.name
        largest = replace(job, max_parents=job.data.n_variables - 1)
        plan = Plan(largest, means.clock.limit, name, any_size=True)
        means.watcher.planned(plan)
        return get_parent_sets(plan, means)

    def _enlarged(self, sets: ParentSets, plan: Plan) -> ParentSets:
        """Add larger sets of few variables."""
        job, clock = plan.job, self._means.clock
        cheap = falls_fast(job.score) or is_cheap(job)
        if not self._small or self._cut_short or not (cheap and may_be_completed(job, sets)):
            return sets
        part = clock.part_of(SCORING_SHARE)
        found = larger_by_limits(job, sets, part, whole=True)
        clock.lap("score")
        self._cut_short = found is None and part.expired
        return sets if found is None else found


def _marked_cut_short(sets: ParentSets) -> ParentSets:
    """Note that the time limit ended the scoring of larger sets."""
    return replace(sets, provenance={**sets.provenance, CUT_SHORT: True})


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
    try:
        if grows and (n >= GROWING_VARIABLES or wanted > known.room):
            return scoring.growing()
        return scoring.at_once(job_under(known.constraints(table.names, wanted)), grows=grows)
    except TimeLimitError:
        alone = scoring.start_alone()
        if alone is None:
            raise
        return alone
