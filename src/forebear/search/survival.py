"""PublishedPopulation: the scheme of Lee and van Beek (2017), in which the best survive."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from forebear.search.crossovers import cross
from forebear.search.population import Population

if TYPE_CHECKING:
    import numpy as np
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
            pair = self.members[i], self.members[j]
            orders.append(cross(settings.crossover or "ob", self.space, *pair, random))
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


def _swap(order: NDArray[np.int32], power: float, random: _core.Random) -> NDArray[np.int32]:
    """Swap a few random pairs: ``power`` times as many as there are variables."""
    mutant = order.copy()
    for _ in range(math.ceil(power * len(mutant))):
        i, j = random.below(len(mutant)), random.below(len(mutant))
        mutant[i], mutant[j] = mutant[j], mutant[i]
    return mutant
