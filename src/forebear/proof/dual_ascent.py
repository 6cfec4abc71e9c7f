"""DualAscent: multipliers of clusters and local cuts, which the core improves in rounds.

All costs are whole ticks: how far a set scores below the best of its variable. Scores are rounded
up to ticks, so that no network seems worse than it is, and all sums are exact.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear import _core
from forebear.proof.cut_kinds import ClusterCut, LocalCut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets

NOT_ALLOWED = 2**56
"""The cost of sets that are not allowed: above all others."""
FORBIDDEN = 2**61
"""The reduced cost of sets that are not allowed or were dropped: above all others."""


def choose_ticks(parent_sets: ParentSets) -> float:
    """Return the number of ticks per nat, a power of two.

    A double holds all sums of costs exactly, and the scores fit into 64 bits. Every variable must
    have an allowed set.
    """
    starts = parent_sets.offsets[:-1]
    best = parent_sets.scores[starts]
    allowed = np.isfinite(parent_sets.scores)
    last = np.minimum.reduceat(np.where(allowed, parent_sets.scores, np.inf), starts)
    least = 2.0**-900  # avoids a division by zero
    spread = math.fsum(best - last) + least
    size = math.fsum(np.maximum(np.abs(best), np.abs(last))) + least
    return 2.0 ** (math.frexp(min(2.0**52 / spread, 2.0**60 / size))[1] - 1)


def costs_of(parent_sets: ParentSets, ticks: float) -> NDArray[np.int64]:
    """Return how far every set scores below the best of its variable, in ticks."""
    starts = parent_sets.offsets[:-1]
    allowed = np.isfinite(parent_sets.scores)
    raised = np.ceil(np.where(allowed, parent_sets.scores, 0.0) * ticks).astype(np.int64)
    best = np.repeat(raised[starts], parent_sets.counts)
    return np.where(allowed, best - raised, NOT_ALLOWED)


def _sum_of_best(parent_sets: ParentSets, ticks: float) -> int:
    best = parent_sets.scores[parent_sets.offsets[:-1]]
    return sum(int(score) for score in np.ceil(best * ticks).tolist())


def cost_of(parent_sets: ParentSets, score: float, ticks: float) -> int:
    """Return the cost of a score, and what adding it up in any order may add to that."""
    best = np.abs(parent_sets.scores[parent_sets.offsets[:-1]])
    error = len(best) * 2.0**-53 * (2.0 * math.fsum(best) + abs(score))  # a bit per addition
    exact = (Fraction(score) - Fraction(error)) * Fraction(ticks)
    return math.ceil(_sum_of_best(parent_sets, ticks) - exact)


def score_of(parent_sets: ParentSets, cost: int, ticks: float) -> float:
    """Return the score that is this many ticks below the sum of the best scores, rounded up."""
    exact = Fraction(_sum_of_best(parent_sets, ticks) - cost) / Fraction(ticks)
    score = float(exact)
    return score if Fraction(score) >= exact else math.nextafter(score, math.inf)


class Multiplier(NamedTuple):
    """A cluster with its level, or a local cut of level 0, and its multiplier in ticks.

    Each set of a member falls short by some number, and the sum over a network is at least what is
    ``due``. Sets that avoid a cluster fall short by 1. Of a local cut, ``shortfalls`` has a row per
    member and a column per subset of the members, a bit mask.
    """

    members: tuple[int, ...]
    level: int
    ticks: int
    shortfalls: NDArray[np.int64] | None
    due: int

    @classmethod
    def of(
        cls, members: list[int], level: int, ticks: int, shortfalls: list[int], due: int
    ) -> Multiplier:
        """Make one of what the core returns."""
        table = None if level else np.array(shortfalls, dtype=np.int64).reshape(len(members), -1)
        return cls(tuple(members), level, ticks, table, due)

    @property
    def cut(self) -> ClusterCut | LocalCut:
        """The same as an inequality on what sets count: as much as they fall short by less."""
        if self.shortfalls is None:
            return ClusterCut(self.members, self.level)
        values = self.shortfalls[:, :1] - self.shortfalls
        return LocalCut(self.members, values, int(self.shortfalls[:, 0].sum()) - self.due)


class DualAscent:
    """Proves how much every network costs at least, in rounds.

    The sets of variable ``v`` are at ``offsets[v]:offsets[v + 1]``, cheapest first, with the empty
    set among them. ``parents`` has a row per place.
    """

    def __init__(
        self,
        offsets: NDArray[np.int64],
        costs: NDArray[np.int64],
        parents: NDArray[np.uint16],
        *,
        local_cuts: bool = False,
    ) -> None:
        self.rounds = 0
        self._offsets = offsets
        self._history: list[int] = []  # the cost proven after each round
        self._run = _core.Bound(
            np.ascontiguousarray(offsets),
            np.ascontiguousarray(costs),
            np.ascontiguousarray(parents),
            local_cuts,
        )

    def know(self, cost: int, enough: int) -> None:
        """Drop sets that only networks of this cost or more have; end at a proof of ``enough``."""
        self._run.know(cost, enough)

    def advance(self, budget: _core.Budget, threads: int) -> None:
        """Do one round."""
        self._run.advance(budget, threads)
        self.rounds += 1
        self._history.append(self.cost)

    @property
    def cost(self) -> int:
        """The cost that is proven."""
        return self._run.least_cost

    @property
    def closed(self) -> bool:
        """Whether enough is proven."""
        return self._run.closed

    @property
    def clusters(self) -> int:
        """Number of clusters and local cuts with a multiplier in the proof."""
        return self._run.clusters

    @property
    def drops(self) -> int:
        """How many times sets were dropped."""
        return self._run.drops

    def stalls(self, target: int | None, rounds: int, progress: float) -> bool:
        """Return whether the last rounds closed no more than a share of the gap to a cost.

        Without a target, the gap is taken to be as large as what is proven.
        """
        if len(self._history) <= 2 * rounds:
            return False
        gap = self.cost if target is None else target - self.cost
        return self.cost - self._history[-1 - rounds] <= progress * gap

    @property
    def proofs(self) -> list[list[Multiplier]]:
        """The multipliers each time that sets were dropped, and those of the best proof."""
        return [[Multiplier.of(*cut) for cut in one] for one in self._run.proofs()]

    def price(
        self,
        proof: int,
        multipliers: list[Multiplier],
        costs: NDArray[np.int64],
        kept: NDArray[np.bool_],
        threads: int,
    ) -> tuple[int, NDArray[np.int64]]:
        """Return what the multipliers of a proof prove about the sets kept.

        Every network costs that much or more, and one with a set so much more.
        """
        reduced = np.where(kept, costs - self._run.avoided(proof, threads), FORBIDDEN)
        least = np.minimum.reduceat(reduced, self._offsets[:-1])
        paid = sum(cut.due * cut.ticks for cut in multipliers)
        return int(least.sum()) + paid, reduced - np.repeat(least, np.diff(self._offsets))
