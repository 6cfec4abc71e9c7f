"""Ascent: the dual ascent of the core, and the conversion of its integers to scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forebear import _core
from forebear._util.errors import ForebearError, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from forebear.bound.contraction import Contraction
    from forebear.parentsets.collection import ParentSets

_WINDOW = 16
"""Rounds over which progress is measured."""
_PROGRESS = 0.02
"""The ascent ends when the gap shrinks by less than this share in that many rounds. Linear programs
then raise the bound faster: they need a second for what takes the ascent many rounds."""


_OF_LOSS = 0.01
"""A contraction ends when that many rounds gain less than this share of what it may lose."""

NOT_ALLOWED = 2**56
"""The cost of sets that are not allowed: above all others."""
FORBIDDEN = 2**61
"""The reduced cost of sets that are not allowed or were dropped: above all others."""


def costs_of(parent_sets: ParentSets, ticks: float) -> NDArray[np.int64]:
    """Return how far every set scores below the best of its variable, in ticks.

    Scores are rounded up to ticks, so that no network seems worse than it is.
    """
    starts = parent_sets.offsets[:-1]
    allowed = np.isfinite(parent_sets.scores)
    raised = np.ceil(np.where(allowed, parent_sets.scores, 0.0) * ticks).astype(np.int64)
    best = np.repeat(raised[starts], parent_sets.counts)
    return np.where(allowed, best - raised, NOT_ALLOWED)


class Priced(NamedTuple):
    """What some multipliers prove over the sets that are left.

    Every network costs ``cost`` ticks or more, and one with set ``s`` ``cost + extra[s]`` or more.
    """

    cost: int
    extra: NDArray[np.int64]


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

    @property
    def values(self) -> NDArray[np.int64]:
        """How much a set of each member counts in a local cut, by its parents in the group."""
        assert self.shortfalls is not None
        return self.shortfalls[:, :1] - self.shortfalls

    @property
    def limit(self) -> int:
        """The most that a network counts in a local cut."""
        assert self.shortfalls is not None
        return int(self.shortfalls[:, 0].sum()) - self.due


def _multiplier(
    members: list[int], level: int, ticks: int, shortfalls: list[int], due: int
) -> Multiplier:
    table = np.array(shortfalls, dtype=np.int64).reshape(len(members), -1) if not level else None
    return Multiplier(tuple(members), level, ticks, table, due)


def _sum_upwards(parts: list[float]) -> float:
    """Return the smallest floating-point number that is not below the sum."""
    total = math.fsum(parts)
    return math.nextafter(total, math.inf) if math.fsum([*parts, -total]) > 0 else total


class Ascent:
    """The computation of a bound.

    The core counts in integer ticks, downwards from the sum of the best scores, and proves how
    much every network costs at least. All rounding is upwards, so the bound remains valid.
    """

    def __init__(
        self,
        parent_sets: ParentSets,
        score: float | None,
        solvable: int,
        contraction: Contraction | None = None,
        *,
        local_cuts: bool = False,
    ) -> None:
        self.score = score
        self.rounds = 0
        self.contraction = contraction
        self._parent_sets = parent_sets
        self._best = parent_sets.scores[parent_sets.offsets[:-1]].tolist()
        if contraction is not None:  # the cheapest set of a part may cost something
            self._best += contraction.scores[contraction.offsets[:-1]].tolist()
        self._costs: list[int] = []
        self.problem: ParentSets | Contraction = contraction or parent_sets
        """What the core works on: sets of parts, if variables are contracted."""
        self._run = _core.Bound(
            np.ascontiguousarray(self.problem.offsets),
            np.ascontiguousarray(self.problem.scores),
            np.ascontiguousarray(self.problem.parents),
            solvable,
            local_cuts,
        )
        self.reached = True  # as far as is known
        if score is not None:
            self.know(score)

    def know(self, score: float) -> None:
        """Tell the core the score of the incumbent; a better one may follow."""
        self.score = score
        top = self._best[: self._parent_sets.n_variables]  # without what a contraction costs
        if not (math.isfinite(score) and _sum_upwards([*top, -score]) >= -1e-9 * abs(score)):
            raise ForebearError(
                Parameter("score"), f" is {score:,g}, which no network of these parent sets has"
            )
        below = _sum_upwards([*self._best, -score])
        if math.isfinite(below):
            ticks = [nats * self._run.ticks_per_nat for nats in (below, self._rounding(below))]
            self._run.know(*(max(0, math.ceil(min(each, 2.0**56))) for each in ticks))

    def _rounding(self, cost: float) -> float:
        """Return the error of adding up a network's scores in any order: one bit per addition."""
        return len(self._best) * 2.0**-53 * (math.fsum(map(abs, self._best)) + cost)

    def advance(self, budget: _core.Budget, threads: int) -> None:
        """Do one round."""
        self._run.advance(budget, threads)
        self.rounds += 1
        self._costs.append(self._run.least_cost or 0)

    @property
    def exhausted(self) -> bool:
        """Whether the contraction is in the way: further rounds gain little of what it loses."""
        if self.contraction is None:
            return False
        if self.solved:
            return self.score is None or self.proven > self.score
        gain = self._costs[-1] - self._costs[-1 - min(_WINDOW, len(self._costs) - 1)]
        return (
            len(self._costs) > 2 * _WINDOW and gain < _OF_LOSS * self.contraction.loss * self.ticks
        )

    @property
    def closed(self) -> bool:
        """Whether the bound cannot become better."""
        return self._run.closed

    @property
    def solved(self) -> bool:
        """Whether dynamic programming found the best cost; the multipliers alone prove less."""
        return self._run.solved

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return self._run.clusters

    @property
    def bound(self) -> float:
        """The bound proven so far, rounded upwards."""
        return self.proven if self.score is None else max(self.proven, self.score)

    @property
    def proven(self) -> float:
        """What networks as good as the incumbent score at most, rounded upwards.

        If it is below the score, no network has that score.
        """
        cost = self._run.least_cost
        if cost is None:  # there is no network
            return -math.inf
        nats = cost / self._run.ticks_per_nat
        # A sum of a network's scores may have been rounded up.
        return _sum_upwards([*self._best, -nats, self._rounding(nats)])

    def survivors(self, threads: int) -> tuple[NDArray[np.int32], ...] | None:
        """Return the ranks of every variable's surviving sets, or None without a score."""
        if self.score is None:
            return None
        left = self._run.survivors(threads)
        if self.contraction is not None:
            gap = max(0.0, self.proven - self.score)
            gap += self._rounding(gap)
            left = self.contraction.survivors(self._parent_sets, left, gap)
        return tuple(left)

    def run(
        self,
        budget: _core.Budget,
        threads: int,
        *,
        patient: bool = False,
        on_round: Callable[[], None] = lambda: None,
    ) -> None:
        """Work until the budget is spent or, unless ``patient``, until little is gained."""
        before = len(self._costs)
        while not (self.closed or budget.spent):
            self.advance(budget, threads)
            costs = self._costs[before:]
            on_round()
            if (
                not patient
                and len(costs) > 2 * _WINDOW
                and costs[-1] - costs[-1 - _WINDOW] <= _PROGRESS * (self._target - costs[-1])
            ):
                return

    @property
    def _target(self) -> float:
        """What every network costs if the incumbent is the best one; else the cost now, doubled."""
        if self.score is None:
            return 2.0 * (self._run.least_cost or 0)
        return math.fsum([*self._best, -self.score]) * self.ticks

    @property
    def ticks(self) -> float:
        """The number of ticks per nat, a power of two."""
        return self._run.ticks_per_nat

    @property
    def proofs(self) -> list[list[Multiplier]]:
        """The clusters with multipliers: each time that sets were dropped, and at the end."""
        found = self._run.proofs()
        return [[_multiplier(*cut) for cut in one] for one in found]

    def price(
        self, proof: int, costs: NDArray[np.int64], kept: NDArray[np.bool_], threads: int
    ) -> Priced:
        """Return what the multipliers of a proof prove, by whole numbers alone.

        Where variables are contracted, ``costs`` are those of the sets of parts.
        """
        avoided = self._run.avoided(proof, threads)
        reduced = np.where(kept, costs - avoided, FORBIDDEN)
        least = np.minimum.reduceat(reduced, self.problem.offsets[:-1])
        paid = sum(cut.due * cut.ticks for cut in self.proofs[proof])
        return Priced(
            int(least.sum()) + paid, reduced - np.repeat(least, np.diff(self.problem.offsets))
        )
