"""How far from the optimum a network can be: proven before the search, or after it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import LimitError
from forebear.bound.bound import find_bound, surviving_sets
from forebear.budget import (
    CORE_DYNAMIC_VARIABLES,
    CUTTING_SETS,
    PROOF_BOUND_SHARE,
    PROOF_IDLE_SHARE,
    PROOF_LEAST_IDLE,
    PROOF_MOST_SECONDS,
    PROOF_SHARE,
    PROOF_SHARE_ASKED,
    PROVABLE_VARIABLES,
    SOLVABLE_SETS,
)
from forebear.exact.settings import Exact
from forebear.exact.solve import find_exact
from forebear.result import negligible
from forebear.search.alternatives import Alternative, within_limits
from forebear.search.stop import AnyOf, NoImprovement, Target
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from forebear.bound.bound import Bound
    from forebear.budget import Clock
    from forebear.learning.request import SearchRequest
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.search.stop import StopRule

_SLACK = 1e-9
"""Relative: a score this near the bound is the bound."""

_LEAST_SECONDS = 0.01
"""A bound gets this long at least: its first round is quick and says something."""


class Proof:
    """A bound on the score of every network of some parent sets.

    Problems of up to 18 variables are solved before the search, which then ends when it has the
    optimum. Otherwise the bound is found after the search, in the time left for it. With up to 64
    variables that is as soon as the search is idle, and exact search closes the gap if it can.

    Parameters
    ----------
    parent_sets
        The sets that were scored.
    request
        The search that the proof belongs to.
    clock
        The time of the whole run.
    reserve
        Seconds that must be left when the proof ends.
    grows
        Whether the sets grow: then nothing can be proven before the search.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        request: SearchRequest,
        clock: Clock,
        reserve: float = 0.0,
        *,
        grows: bool = False,
    ) -> None:
        certify, n = request.certify, parent_sets.n_variables
        self._sets = parent_sets
        self._request = request
        self._clock = clock
        self._reserve = reserve
        self._wanted = certify is True or (certify is None and request.timed)
        self._small = self._wanted and request.timed and n <= PROVABLE_VARIABLES
        self._share = PROOF_SHARE_ASKED if certify else PROOF_SHARE
        self._ends_idle_search = False
        self._known: Bound | None = None
        if certify is not False and n <= CORE_DYNAMIC_VARIABLES and not grows:
            # Under a generation limit the proof must not depend on the speed of the machine.
            seconds = min(clock.left() / 2, PROOF_MOST_SECONDS) if request.timed else math.inf
            self._known = self._bound(None, seconds)
            clock.lap("bound")

    @property
    def _solved(self) -> bool:
        return self._known is not None and self._known.stop_reason == "optimal"

    def leave_time(self, seconds: float) -> float:
        """Return what the proof leaves of the search time."""
        return seconds * (1 - self._share) if self._wanted and not self._solved else seconds

    def rule(self, wanted: StopRule | None, seconds: float | None) -> StopRule | None:
        """Add to the user's rule that a search ends at the optimum, or when it is idle."""
        rules = [] if wanted is None else [wanted]
        # Which of several chains is the first at the optimum depends on the machine.
        repeats = not self._request.timed and self._request.algorithm.search.chains > 1
        if self._known is not None and self._solved and not repeats:
            rules.insert(0, Target(self._known.bound - _SLACK * abs(self._known.bound)))
        elif self._small and seconds is not None:
            self._ends_idle_search = True
            rules.append(NoImprovement(seconds=max(PROOF_LEAST_IDLE, PROOF_IDLE_SHARE * seconds)))
        return AnyOf(*rules) if rules else None

    def of(self, result: Result, parent_sets: ParentSets | None = None) -> Result:
        """Add the bound over the sets as they are now. The result is kept, whatever happens."""
        self._sets = parent_sets or self._sets
        if self._known is not None:
            result = replace(result, bound=max(self._known.bound, result.score))
        elif self._wanted:
            try:
                result = self._prove(result)
            except KeyboardInterrupt:
                result = replace(result, stop_reason="interrupted")
            except (LimitError, MemoryError):  # then there is no proof
                pass
            self._clock.lap("bound")
        return replace(result, stop_reason="optimal") if result.status == "optimal" else result

    def _prove(self, result: Result) -> Result:
        idle = self._ends_idle_search and result.stop_reason == "no improvement"
        seconds = self._clock.left() - self._reserve
        if self._clock.limit is None:
            seconds = min(seconds, PROOF_MOST_SECONDS)
        if not idle:
            seconds = min(seconds, max(1.0, self._share * 2 * result.seconds))
        if seconds <= 0 or result.stop_reason == "interrupted":
            return result
        if idle:  # the proof goes on until the time is over
            result = replace(result, stop_reason="time")
        return (
            self._prove_small(result, seconds)
            if self._small
            else self._prove_large(result, seconds)
        )

    def _prove_large(self, result: Result, seconds: float) -> Result:
        found = self._bound(result.score, seconds)
        return _bounded(result, found.bound, found.stop_reason)

    def _prove_small(self, result: Result, seconds: float) -> Result:
        if len(self._sets) <= CUTTING_SETS:
            return self._solve(result, self._sets, seconds)
        found = self._bound(result.score, PROOF_BOUND_SHARE * seconds)
        result = _bounded(result, found.bound, found.stop_reason)
        seconds -= found.seconds
        if result.status == "optimal" or result.stop_reason == "interrupted" or seconds <= 0:
            return result
        if (found.sets_left or 0) > SOLVABLE_SETS:
            return self._prove_large(result, seconds)
        return self._solve(result, surviving_sets(self._sets, found), seconds)

    def _solve(self, result: Result, left: ParentSets, seconds: float) -> Result:
        """Search all sets exactly, or those that the bound left."""
        best, *_ = find_exact(
            left,
            Exact(),
            time_limit=seconds,
            threads=self._request.threads,
            seed=result.seed,
            orders=[np.array(result.order, dtype=np.int32)],
        )
        if best.score > result.score + negligible(result.score):
            result = self._improved(result, best)
        bound = math.inf if best.bound is None else best.bound
        return _bounded(result, bound, best.stop_reason)

    def _improved(self, result: Result, best: Result) -> Result:
        """Take the better network, with the alternatives and the trace of both."""
        better = replace(result, order=best.order).over(self._sets)
        own = Alternative(better.score, better.network.parents)
        others = dict.fromkeys(
            one for one in (*best.alternatives, *result.alternatives) if one != own
        )
        trace = Trace([*result.trace])
        generations = max(result.generations, default=0)
        trace.add(Improvement(result.winner, self._clock.spent(), generations, better.score))
        return replace(
            better,
            alternatives=within_limits([own, *sorted(others, key=lambda one: -one.score)]),
            trace=trace,
        )

    def _bound(self, score: float | None, seconds: float) -> Bound:
        return find_bound(
            self._sets,
            score=score,
            time_limit=None if math.isinf(seconds) else max(seconds, _LEAST_SECONDS),
            rounds=_UNLIMITED if math.isinf(seconds) else None,
            threads=self._request.threads,
            watcher=self._request.watcher,
        )


_UNLIMITED = 2**31
"""More rounds than the exact solution of a small problem takes: it ends by itself."""


def _bounded(result: Result, bound: float, reason: str) -> Result:
    """Note a bound if it is better than the one known, and that the user wants to stop."""
    known = math.inf if result.bound is None else result.bound
    result = replace(result, bound=max(min(known, bound), result.score))
    return replace(result, stop_reason="interrupted") if reason == "interrupted" else result
