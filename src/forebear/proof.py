"""How good the network of ``learn`` is: proven before the search, or after it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forebear.bound import LARGEST_EXACT, find_bound, surviving_sets
from forebear.exact.settings import Exact
from forebear.result import negligible

if TYPE_CHECKING:
    from forebear.bound import Bound, BoundStanding
    from forebear.parentsets import ParentSets
    from forebear.progress import Watcher
    from forebear.result import Result
    from forebear.steps import Clock

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
    ) -> None:
        self._sets = parent_sets
        self._clock = clock
        self._threads = threads
        self._wanted = certify is True or (certify is None and timed)
        self._early = self._wanted and timed and parent_sets.n_variables <= FEW_VARIABLES
        self._share = CERTIFY_SHARE if certify else SHARE
        self._watcher = watcher
        self._known: Bound | None = None
        if certify is not False and parent_sets.n_variables <= LARGEST_EXACT:
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
        if wanted is not None or seconds is None or not self._early or self._solved:
            return wanted
        return max(_LEAST_IDLE, _IDLE_SHARE * seconds)

    def of(self, result: Result) -> Result:
        """Add the bound to a result."""
        if result.bound is not None:  # an exact search has its own
            return result
        if self._known is not None:
            result = replace(result, bound=max(self._known.bound, result.score))
        elif self._wanted:
            result = self._prove(result)
            self._clock.lap("bound")
        if result.status == "optimal":
            result = replace(result, stop_reason="optimal")
        return result

    def _prove(self, result: Result) -> Result:
        seconds = min(self._clock.left(), MOST_SECONDS)
        if not self._early:
            seconds = min(seconds, max(1.0, self._share * 2 * result.seconds))
        if seconds <= 0 or result.stop_reason == "interrupted":
            return result
        if not self._early:
            return self._bounded(result, self._find(result.score, seconds))
        result = self._prove_early(result, seconds)
        # The search was ended for the proof, not because it was of no use any more.
        return replace(result, stop_reason="time")

    def _prove_early(self, result: Result, seconds: float) -> Result:
        if len(self._sets) <= _FEW_SETS:
            return self._solve(result, self._sets, seconds)
        found = self._find(result.score, _BOUND_SHARE * seconds)
        result = self._bounded(result, found)
        if result.status == "optimal" or found.stop_reason == "interrupted":
            return result
        seconds -= found.seconds
        if seconds <= 0 or (found.sets_left or 0) > _SOLVABLE:
            return result
        return self._solve(result, surviving_sets(self._sets, found), seconds)

    def _bounded(self, result: Result, found: Bound) -> Result:
        return replace(result, bound=max(found.bound, result.score))

    def _solve(self, result: Result, left: ParentSets, seconds: float) -> Result:
        """Search exactly, in all sets or in those that the bound left over."""
        from forebear.exact.solve import find_exact  # loads a solver

        best, *_ = find_exact(
            left,
            Exact(),
            time_limit=seconds,
            threads=self._threads,
            seed=result.seed,
            start=result.order,
        )
        bounds = [bound for bound in (result.bound, best.bound) if bound is not None]
        if best.score > result.score + negligible(result.score):
            result = replace(result, order=best.order).over(self._sets)
        return replace(result, bound=max(min(bounds), result.score))

    def _find(self, score: float | None, seconds: float) -> Bound:
        def tell(standing: BoundStanding) -> None:
            self._watcher.bounding(standing.bound, score)

        return find_bound(
            self._sets,
            score=score,
            time_limit=max(seconds, 0.01),
            threads=self._threads,
            on_progress=tell,
        )
