"""How good the network of ``learn`` is: proven before the search, or after it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.budget import CORE_DYNAMIC_VARIABLES
from forebear._util.errors import LimitError
from forebear.bound.bound import find_bound, surviving_sets
from forebear.exact.settings import Exact
from forebear.exact.solve import find_exact
from forebear.result import negligible
from forebear.search.alternatives import Alternative, within_limits
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from forebear._util.watcher import Watcher
    from forebear.bound.bound import Bound
    from forebear.learning.steps import Clock
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result

SHARE = 0.1
CERTIFY_SHARE = 0.5
"""Of the time for the search, the proof takes this much: by default, and if it is asked for."""

MOST_SECONDS = 60.0
"""For a proof without a time limit."""

FEW_VARIABLES = 64
"""Of so few, the best network is mostly found at once: the proof begins when the search is idle."""

_IDLE_SHARE = 0.08  # of the time for the search, without anything better: it is idle
_LEAST_IDLE = 1.0  # seconds
_FEW_SETS = 50_000  # branch and cut begins with its own linear program
_BOUND_SHARE = 0.3  # of the time for the proof: with more sets, the bound drops some first
_SOLVABLE = 300_000  # sets, for branch and cut

_SLACK = 1e-9  # relative: a score this near the bound is the bound


class Proof:
    """A bound on the score of any network.

    Very few variables are solved at once, so the search can stop when it has what
    is best. Otherwise the bound is found after the search, in the time left for
    it; for some dozens of variables that is as soon as the search is idle, and
    what the bound leaves over is solved exactly if there is time.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        clock: Clock,
        threads: int,
        certify: bool | None,
        watcher: Watcher,
        *,
        timed: bool,
        reserve: float = 0.0,
    ) -> None:
        self._sets = parent_sets
        self._clock = clock
        self._threads = threads
        self._wanted = certify is True or (certify is None and timed)
        self._few = self._wanted and timed and parent_sets.n_variables <= FEW_VARIABLES
        self._impatient = False
        self._reserve = reserve
        self._share = CERTIFY_SHARE if certify else SHARE
        self._watcher = watcher
        self._known: Bound | None = None
        if certify is not False and parent_sets.n_variables <= CORE_DYNAMIC_VARIABLES:
            self._known = self._find(None, min(clock.left() / 2, MOST_SECONDS))
            clock.lap("bound")

    @property
    def _solved(self) -> bool:
        return self._known is not None and self._known.stop_reason == "optimal"

    def target(self, wanted: float | None) -> float | None:
        """The score at which the search may stop."""
        if self._known is None or not self._solved:
            return wanted
        best = self._known.bound - _SLACK * abs(self._known.bound)
        return best if wanted is None else min(best, wanted)

    def leave_time(self, seconds: float) -> float:
        """Take from the time of the search what the proof will need."""
        return seconds * (1 - self._share) if self._wanted and not self._solved else seconds

    def patience(self, wanted: float | None, seconds: float | None) -> float | None:
        """For how long the search may find nothing better before the proof begins."""
        if wanted is not None or seconds is None or not self._few or self._solved:
            return wanted
        self._impatient = True
        return max(_LEAST_IDLE, _IDLE_SHARE * seconds)

    def of(self, result: Result) -> Result:
        """Add the bound to a result, which is not lost whatever happens."""
        if result.bound is not None:  # an exact search has its own
            return result
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
        if result.status == "optimal":
            result = replace(result, stop_reason="optimal")
        return result

    def _prove(self, result: Result) -> Result:
        ended_for_this = self._impatient and result.stop_reason == "no improvement"
        seconds = self._clock.left() - self._reserve
        if self._clock.limit is None:
            seconds = min(seconds, MOST_SECONDS)
        if not ended_for_this:
            seconds = min(seconds, max(1.0, self._share * 2 * result.seconds))
        if seconds <= 0 or result.stop_reason == "interrupted":
            return result
        prove = self._prove_few if self._few else self._prove_many
        if ended_for_this:  # and goes on until the time is over
            result = replace(result, stop_reason="time")
        return prove(result, seconds)

    def _prove_many(self, result: Result, seconds: float) -> Result:
        found = self._find(result.score, seconds)
        return _bounded(result, found.bound, found.stop_reason)

    def _prove_few(self, result: Result, seconds: float) -> Result:
        if len(self._sets) <= _FEW_SETS:
            return self._solve(result, self._sets, seconds)
        found = self._find(result.score, _BOUND_SHARE * seconds)
        result = _bounded(result, found.bound, found.stop_reason)
        seconds -= found.seconds
        if result.status == "optimal" or result.stop_reason == "interrupted" or seconds <= 0:
            return result
        if (found.sets_left or 0) > _SOLVABLE:
            return self._prove_many(result, seconds)
        return self._solve(result, surviving_sets(self._sets, found), seconds)

    def _solve(self, result: Result, left: ParentSets, seconds: float) -> Result:
        """Search exactly, in all sets or in those that the bound left over."""
        best, *_ = find_exact(
            left,
            Exact(),
            time_limit=seconds,
            threads=self._threads,
            seed=result.seed,
            orders=[np.array(result.order, dtype=np.int32)],
        )
        if best.score > result.score + negligible(result.score):
            result = self._improved(result, best)
        bound = math.inf if best.bound is None else best.bound
        return _bounded(result, bound, best.stop_reason)

    def _improved(self, result: Result, best: Result) -> Result:
        """The better network, over all sets, with the alternatives and the trace of both."""
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

    def _find(self, score: float | None, seconds: float) -> Bound:
        return find_bound(
            self._sets,
            score=score,
            time_limit=max(seconds, 0.01),
            threads=self._threads,
            watcher=self._watcher,
        )


def _bounded(result: Result, bound: float, reason: str) -> Result:
    """Note a bound, if it is better than the one known; and that somebody wants it to end."""
    known = math.inf if result.bound is None else result.bound
    result = replace(result, bound=max(min(known, bound), result.score))
    return replace(result, stop_reason="interrupted") if reason == "interrupted" else result
