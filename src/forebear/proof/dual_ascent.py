"""DualAscent: improve the prices of clusters and local cuts in rounds, in the core."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.proof.cut_kinds import ClusterCut, LocalCut
from forebear.proof.integer_costs import FORBIDDEN, IntegerCosts


class PricedCut(NamedTuple):
    """A cut and its price in ticks: its multiplier in the proof."""

    cut: ClusterCut | LocalCut
    price: int

    @classmethod
    def from_core(
        cls, members: list[int], level: int, price: int, shortfalls: list[int], due: int
    ) -> PricedCut:
        """Convert a cut of the core.

        The core works with the shortfalls of parent sets from the largest coefficient of their
        variable. In every network they add up to ``due`` or more.
        """
        if level:
            return cls(ClusterCut(tuple(members), level), price)
        table = np.array(shortfalls, dtype=np.int64).reshape(len(members), -1)
        limit = int(table[:, 0].sum()) - due
        return cls(LocalCut(tuple(members), table[:, :1] - table, limit), price)


class DualAscent(_core.DualAscent):
    """Proves a lower bound on the cost of every network, in rounds."""

    def __init__(self, costs: IntegerCosts, *, local_cuts: bool = False) -> None:
        sets = costs.parent_sets
        super().__init__(
            np.ascontiguousarray(sets.offsets),
            np.ascontiguousarray(costs.of_sets),
            np.ascontiguousarray(sets.parents),
            local_cuts,
        )
        self._costs = costs
        self._history: list[int] = []  # the cost proven after each round

    def advance(self, budget: _core.Budget, threads: int) -> None:
        """Run one round."""
        super().advance(budget, threads)
        self._history.append(self.least_cost)

    @property
    def rounds(self) -> int:
        """The number of rounds so far."""
        return len(self._history)

    def stalls(self, target: int | None, rounds: int, progress: float) -> bool:
        """Return whether the last rounds closed no more than a share of the gap to a target.

        Without a target, the gap is assumed to be as large as the proven cost.
        """
        if len(self._history) <= 2 * rounds:
            return False
        cost = self.least_cost
        gap = cost if target is None else target - cost
        return cost - self._history[-1 - rounds] <= progress * gap

    def priced_cuts(self) -> list[list[PricedCut]]:
        """Return the cuts of every step that dropped sets, and those of the best proof."""
        return [[PricedCut.from_core(*cut) for cut in proof] for proof in self.proofs()]

    def reduce_costs(
        self, proof: int, cuts: list[PricedCut], kept: NDArray[np.bool_], threads: int
    ) -> tuple[int, NDArray[np.int64]]:
        """Return the bounds that follow from the prices of a proof.

        The first value is a lower bound on the cost of every network. The others are the increases
        of this bound for networks with a given set.
        """
        sets, costs = self._costs.parent_sets, self._costs.of_sets
        reduced = np.where(kept, costs - self.avoided(proof, threads), FORBIDDEN)
        least = np.minimum.reduceat(reduced, sets.offsets[:-1])
        due = sum((cut.most - cut.limit) * price for cut, price in cuts)
        return int(least.sum()) + due, reduced - np.repeat(least, sets.counts)
