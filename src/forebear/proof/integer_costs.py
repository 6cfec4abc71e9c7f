"""IntegerCosts: the costs of parent sets in whole ticks, so that all sums are exact.

The cost of a parent set is the distance of its score from the best score of its variable. Scores
are rounded up to ticks, so no network is underestimated.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from forebear.parentsets.collection import ParentSets

NOT_ALLOWED = 2**56
"""The cost of sets that are not allowed: above all others."""
FORBIDDEN = 2**61
"""The reduced cost of sets that are not allowed or were dropped: above all others."""


class IntegerCosts:
    """The cost of every parent set, in ticks.

    Every variable must have an allowed set.

    Attributes
    ----------
    ticks
        Number of ticks per nat, a power of two.
    of_sets
        The cost of every parent set.
    above_all
        More than any network costs.
    """

    def __init__(self, parent_sets: ParentSets, ticks: float | None = None) -> None:
        self.parent_sets = parent_sets
        self.ticks = _choose_ticks(parent_sets) if ticks is None else ticks
        starts = parent_sets.offsets[:-1]
        allowed = np.isfinite(parent_sets.scores)
        raised = np.ceil(np.where(allowed, parent_sets.scores, 0.0) * self.ticks).astype(np.int64)
        best = raised[starts]
        costs = np.repeat(best, parent_sets.counts) - raised
        self._sum_of_best: int = sum(best.tolist())
        self.of_sets = np.where(allowed, costs, NOT_ALLOWED)
        largest = np.maximum.reduceat(np.where(allowed, costs, 0), starts)
        self.above_all = int(largest.sum()) + 1

    def cost_of(self, score: float) -> int:
        """Return the cost of a score, plus the largest rounding error of a sum in any order."""
        best = np.abs(self.parent_sets.scores[self.parent_sets.offsets[:-1]])
        error = len(best) * 2.0**-53 * (2.0 * math.fsum(best) + abs(score))  # a bit per addition
        exact = (Fraction(score) - Fraction(error)) * Fraction(self.ticks)
        return math.ceil(self._sum_of_best - exact)

    def score_of(self, cost: int) -> float:
        """Return the score that is this many ticks below the sum of the best, rounded up."""
        exact = Fraction(self._sum_of_best - cost) / Fraction(self.ticks)
        score = float(exact)
        return score if Fraction(score) >= exact else math.nextafter(score, math.inf)


def _choose_ticks(parent_sets: ParentSets) -> float:
    """Return the number of ticks per nat: the largest power of two without overflow.

    Every sum of costs must be exact in a double, and every score must fit in 64 bits.
    """
    starts = parent_sets.offsets[:-1]
    best = parent_sets.scores[starts]
    allowed = np.isfinite(parent_sets.scores)
    last = np.minimum.reduceat(np.where(allowed, parent_sets.scores, np.inf), starts)
    least = 2.0**-900  # avoids a division by zero
    spread = math.fsum(best - last) + least
    size = math.fsum(np.maximum(np.abs(best), np.abs(last))) + least
    return 2.0 ** (math.frexp(min(2.0**52 / spread, 2.0**60 / size))[1] - 1)
