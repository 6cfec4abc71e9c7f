"""DualAscent: improve the prices of clusters and local cuts in rounds, in the core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.proof.cut_kinds import ClusterCut, LocalCut
from forebear.proof.flat_sets import FlatSets
from forebear.proof.integer_costs import FORBIDDEN, NOT_ALLOWED, IntegerCosts


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


CoreCut = tuple[list[int], int, int, list[int], int]
"""A cut of the core and its price; see ``PricedCut.from_core``."""
_NO_PARENT = np.iinfo(np.uint16).max


class DualAscent(_core.DualAscent):
    """Proves a lower bound on the cost of every network, in rounds.

    Parameters
    ----------
    offsets
        The parent sets of variable v are at ``offsets[v]`` to ``offsets[v + 1]``, cheapest first.
    costs
        The cost of each set in ticks.
    parents
        One column per set; unused entries hold 65535.
    cuts
        The first cuts and their prices, from ``proofs`` of another ascent.
    local_cuts
        Whether to use local cuts, not only clusters.
    """

    def __init__(
        self,
        offsets: NDArray[np.int64],
        costs: NDArray[np.int64],
        parents: NDArray[np.uint16],
        cuts: Sequence[CoreCut] = (),
        *,
        local_cuts: bool = False,
    ) -> None:
        offsets = np.ascontiguousarray(offsets)
        super().__init__(
            offsets, np.ascontiguousarray(costs), np.ascontiguousarray(parents), cuts, local_cuts
        )
        self._offsets, self._set_costs = offsets, costs
        self._history: list[int] = []  # the cost proven after each round

    @classmethod
    def of(cls, costs: IntegerCosts, cuts: Sequence[CoreCut] = (), *, local_cuts: bool) -> Self:
        """Create the ascent for all parent sets of a problem."""
        sets = costs.parent_sets
        return cls(sets.offsets, costs.of_sets, sets.parents, cuts, local_cuts=local_cuts)

    @classmethod
    def of_flat(cls, sets: FlatSets, cuts: Sequence[CoreCut] = (), *, local_cuts: bool) -> Self:
        """Create the ascent for some parent sets."""
        parents = np.where(sets.parents == sets.n_variables, _NO_PARENT, sets.parents)
        return cls(sets.starts, sets.cost, parents.T.astype(np.uint16), cuts, local_cuts=local_cuts)

    def advance(self, budget: _core.Budget, threads: int) -> None:
        """Run one round."""
        super().advance(budget, threads)
        self._history.append(self.least_cost)

    @property
    def rounds(self) -> int:
        """The number of rounds so far."""
        return len(self._history)

    def stalls(self, gap: int, rounds: int, progress: float) -> bool:
        """Return whether the last rounds gained no more than a share of a gap."""
        if len(self._history) <= 2 * rounds:
            return False
        return self.least_cost - self._history[-1 - rounds] <= progress * gap

    def priced_cuts(self) -> list[list[PricedCut]]:
        """Return the cuts of every step that dropped sets, and those of the best proof."""
        return [[PricedCut.from_core(*cut) for cut in proof] for proof in self.proofs()]

    def reduce_costs(
        self, proof: int, cuts: list[PricedCut], kept: NDArray[np.bool_], threads: int
    ) -> tuple[int, NDArray[np.int64]]:
        """Return the bounds that follow from the prices of a proof.

        The first value is a lower bound on the cost of every network. The others are the increases
        of this bound for networks with a given set. If a variable has no set left, there is no
        network, and the bound is ``NOT_ALLOWED``.
        """
        reduced = np.where(kept, self._set_costs - self.avoided(proof, threads), FORBIDDEN)
        least = np.minimum.reduceat(reduced, self._offsets[:-1])
        extra = reduced - np.repeat(least, np.diff(self._offsets))
        if (least >= FORBIDDEN).any():
            return NOT_ALLOWED, extra
        due = sum((cut.most - cut.limit) * price for cut, price in cuts)
        return int(least.sum()) + due, extra
