"""PublishedPopulation: the scheme of Lee and van Beek (2017), in which the best survive."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.search.population import Population

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear import _core
    from forebear.search.threads import Workers


@dataclass(eq=False)
class PublishedPopulation(Population):
    """Crossovers and mutations join the population; the best distinct ones survive."""

    _history: list[float] = field(default_factory=list)

    def state(self) -> dict[str, Any]:
        """Add the history of the mean."""
        return {**super().state(), "history": list(self._history)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the history."""
        super().restore(state)
        self._history = [float(mean) for mean in state["history"]]

    def breed(self, workers: Workers, ahead: bool) -> None:
        """Make one generation as published: each needs the one before it."""
        del ahead
        settings, random = self.settings, self.random
        orders = []
        for _ in range(settings.crossovers or 0):
            i = random.below(len(self.members))
            j = random.below(len(self.members) - 1)
            j += j >= i
            orders.append(cross(self.members[i].order, self.members[j].order, random))
        for _ in range(settings.mutations or 0):
            member = self.members[random.below(len(self.members))]
            orders.append(_swap(member.order, settings.mutation_power, random))
        children = self.climb_all(workers, orders)
        everyone = {m.score: m for m in [*self.members, *children]}
        ranked = sorted(everyone.values(), key=lambda member: -member.score)
        self.members = ranked[: settings.population]
        if len(self.members) < 2:
            self.fill(workers)
        self._watch()

    def drop_children(self) -> None:
        """Do nothing: no child is made ahead of its generation."""

    def rest(self) -> None:
        """Do nothing, either."""

    def patient_again(self) -> None:
        """Begin a new history."""
        self._history.clear()
        super().patient_again()

    def _watch(self) -> None:
        """Has the mean changed by less than the tolerance over the generations looked ahead?"""
        space = self.space
        best = float(space.parent_sets.scores[space.parent_sets.offsets[:-1]].sum())
        mean = sum(m.score for m in self.members) / len(self.members) / space.sets.ticks_per_nat
        self._history.append(best + mean)
        ahead = self.settings.look_ahead
        if len(self._history) > ahead:
            before, now = self._history[-1 - ahead], self._history[-1]
            self.stalled = abs(now - before) < self.settings.tolerance * abs(before)


def cross(x: NDArray[np.int32], y: NDArray[np.int32], random: _core.Random) -> NDArray[np.int32]:
    """Keep x's variable in each position with probability 1/2; the rest come in y's order (OB)."""
    kept = np.array([random.below(2) == 1 for _ in range(len(x))])
    child = x.copy()
    child[~kept] = y[~np.isin(y, x[kept])]
    return child


def _swap(order: NDArray[np.int32], power: float, random: _core.Random) -> NDArray[np.int32]:
    """Swap a few random pairs: ``power`` times as many as there are variables."""
    mutant = order.copy()
    for _ in range(math.ceil(power * len(mutant))):
        i, j = random.below(len(mutant)), random.below(len(mutant))
        mutant[i], mutant[j] = mutant[j], mutant[i]
    return mutant
