"""Search and proof under relations: ancestors, non-ancestors, adjacent pairs and orders.

The search first goes without the relations. If its network respects them, nothing was lost.
Otherwise restrictions are tried that every network under them respects the relations, and the best
of them is searched. Branch and cut, which knows the relations, then proves or improves the result.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forebear.budget import (
    LEAST_SEARCH_SECONDS,
    PROOF_IDLE_SHARE,
    PROOF_LEAST_IDLE,
    PROOF_MOST_SECONDS,
    RELATIONS_SHARES,
)
from forebear.exact.settings import Exact
from forebear.exact.solve import find_exact, quick_search, warm_order
from forebear.learning.searching import search_and_prove, warm_start
from forebear.search.alternatives import Alternative, within_limits
from forebear.search.respecting import (
    TRIES,
    Restriction,
    Tried,
    respecting_networks,
)
from forebear.search.stop import AnyOf, NoImprovement
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.budget import Clock
    from forebear.knowledge.relations import Relations
    from forebear.learning.request import SearchRequest
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result


def search_respecting(
    parent_sets: ParentSets,
    relations: Relations,
    request: SearchRequest,
    clock: Clock,
    reserve: float = 0.0,
) -> Result:
    """Find the best network that respects the relations, and prove how good it is."""
    run = _Run(parent_sets, relations, request, clock, reserve)
    if request.exact is not None:
        return run.exactly(request.exact)
    orders = Restriction(orders=frozenset(relations.orders))
    free = run.search(orders, RELATIONS_SHARES[0], first=True)
    if free is None or not relations.holds(free.network.parents):
        found = run.repaired(free)
    else:
        found = free
    certified = request.certificate is not None
    if found is None or certified or (request.timed and request.certify is not False):
        found = run.proven(found, free)
    elif run.free_bound is not None:
        found = replace(found, bound=max(run.free_bound, found.score))
    return replace(found, stop_reason="optimal") if found.status == "optimal" else found


class _Run:
    """The searches and the proof of one run."""

    def __init__(
        self,
        parent_sets: ParentSets,
        relations: Relations,
        request: SearchRequest,
        clock: Clock,
        reserve: float,
    ) -> None:
        self._sets = parent_sets
        self._relations = relations
        self._request = request
        self._clock = clock
        self._reserve = reserve
        self._seconds = clock.left() - reserve
        self._tried: list[Tried] = []
        self.free_bound: float | None = None  # it holds for all networks, so for these as well

    def exactly(self, settings: Exact) -> Result:
        """Search by branch and cut alone."""
        limit = max(self._clock.left() - self._reserve, LEAST_SEARCH_SECONDS)
        self._request.watcher.searching(limit)
        best, *_ = find_exact(
            self._sets,
            settings,
            time_limit=limit,
            threads=self._request.threads,
            seed=self._request.seed,
            orders=warm_start(self._request.start, self._sets),
            watcher=self._request.watcher,
            certificate=self._request.certificate,
            relations=self._relations,
        )
        self._clock.lap("search")
        return best

    def search(
        self, restriction: Restriction, share: float, *, first: bool = False
    ) -> Result | None:
        """Search under a restriction, for a share of the time; None if it leaves no network."""
        ordered = restriction.ordered(self._sets)
        if ordered is None:
            return None
        request = replace(self._request, certificate=None)
        if not first:
            request = replace(request, start=None)
        if not first or request.timed:  # then the proof comes later
            request = replace(request, certify=False)
        reserve = self._reserve
        if self._request.timed and math.isfinite(self._seconds):
            seconds = share * self._seconds
            reserve = max(self._reserve, self._clock.left() - seconds)
            idle = NoImprovement(seconds=max(PROOF_LEAST_IDLE, PROOF_IDLE_SHARE * seconds))
            rules = [idle] if request.stop is None else [request.stop, idle]
            request = replace(request, stop=AnyOf(*rules))
        result = search_and_prove(ordered, request, self._clock, reserve)
        if first:
            self.free_bound = result.bound
        parents = restriction.network(self._sets, result.order)
        return None if parents is None else result.of_network(self._sets, parents)

    def repaired(self, free: Result | None) -> Result | None:
        """Try restrictions, and search the best of them for longer."""
        seconds = RELATIONS_SHARES[1] * self._seconds / TRIES if self._request.timed else math.inf
        start = self._top() if free is None else free.network.parents

        def order(sets: ParentSets) -> Sequence[int]:
            found = quick_search(
                sets, self._clock, seconds, (), self._request.threads, self._request.seed
            )
            return warm_order(found)

        rng = np.random.default_rng(self._request.seed)
        interrupted = free is not None and free.stop_reason in ("interrupted", "cancelled")
        for tried in respecting_networks(self._sets, self._relations, start, order, rng):
            self._tried.append(tried)
            # Most of the tries are for better networks; one is needed in any case.
            if interrupted or self._clock.left() <= self._reserve:
                break
        self._clock.lap("search")
        if not self._tried:
            return None
        self._tried.sort(key=lambda tried: -self._score(tried.parents))
        best = self._tried[0]
        if interrupted and free is not None:
            return self._noted(free.of_network(self._sets, best.parents))
        longer = self.search(best.restriction, RELATIONS_SHARES[2])
        if longer is not None and self._relations.holds(longer.network.parents):
            if longer.score >= self._score(best.parents):
                return self._noted(longer)
            return self._noted(longer.of_network(self._sets, best.parents))
        return None if free is None else self._noted(free.of_network(self._sets, best.parents))

    def proven(self, found: Result | None, free: Result | None) -> Result:
        """Prove how good a network is; take a better one, or the only one, if there is."""
        left = max(self._clock.left() - self._reserve, LEAST_SEARCH_SECONDS)
        if self._clock.limit is None:
            left = PROOF_MOST_SECONDS
        best, *_ = find_exact(
            self._sets,
            Exact("branch-and-cut"),
            time_limit=left,
            threads=self._request.threads,
            seed=self._request.seed,
            orders=[] if free is None else [np.array(free.order, dtype=np.int32)],
            relations=self._relations,
            networks=[tried.parents for tried in self._tried]
            + ([] if found is None else [found.network.parents]),
            warm_up=free is None,
            certificate=self._request.certificate,
        )
        self._clock.lap("bound")
        if found is None:
            return best if free is None else self._noted(_with(free, best, self._sets))
        reason = best.stop_reason if best.stop_reason == "interrupted" else found.stop_reason
        if best.score > found.score:
            found = self._noted(found.of_network(self._sets, best.network.parents))
        return replace(found, bound=best.bound, stop_reason=reason)

    def _top(self) -> list[tuple[int, ...]]:
        """Return the best set of every variable, whatever cycles they form."""
        return [self._sets.at(v, 1).parents for v in range(self._sets.n_variables)]

    def _score(self, parents: Sequence[Sequence[int]]) -> float:
        found = (self._sets.find(v, own) for v, own in enumerate(parents))
        return math.fsum(-math.inf if one is None else one.score for one in found)

    def _noted(self, result: Result) -> Result:
        """Note when the network was found, and the other ones that respect the relations."""
        own = Alternative(result.score, result.network.parents)
        others = {Alternative(self._score(one.parents), one.parents) for one in self._tried} - {own}
        step = Improvement(
            result.winner, self._clock.spent(), max(result.generations, default=0), result.score
        )
        return replace(
            result,
            trace=Trace([*(one for one in result.trace if one.score < result.score), step]),
            alternatives=within_limits([own, *sorted(others, key=lambda one: -one.score)]),
        )


def _with(free: Result, best: Result, parent_sets: ParentSets) -> Result:
    """Return the network of exact search as found by the search that came first."""
    found = free.of_network(parent_sets, best.network.parents)
    return replace(found, bound=best.bound, stop_reason=best.stop_reason)
