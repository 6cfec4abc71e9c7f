"""How good the network of ``learn`` is: proven before the search, or after it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forebear.bound import LARGEST_EXACT, find_bound

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

_SLACK = 1e-9  # relative: a score this near the bound is the bound


class Proof:
    """A bound on the score of any network.

    Few variables are solved at once, so the search can stop when it has what is
    best. Otherwise the bound is found after the search, in the time left for it.
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

    def of(self, result: Result) -> Result:
        """Add the bound to a result."""
        if result.bound is not None:  # an exact search has its own
            return result
        if self._known is not None:
            result = replace(result, bound=max(self._known.bound, result.score))
        elif self._wanted:
            left = self._clock.left()
            seconds = min(left, MOST_SECONDS, max(1.0, self._share * 2 * result.seconds))
            if seconds > 0:
                found = self._find(result.score, seconds)
                result = replace(result, bound=max(found.bound, result.score))
            self._clock.lap("bound")
        if result.status == "optimal":
            result = replace(result, stop_reason="optimal")
        return result

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
