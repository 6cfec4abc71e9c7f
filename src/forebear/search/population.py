"""Population: locally optimal orders. PublishedPopulation: the best of them survive."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.search.space import Individual, SearchSpace, as_orders, assign
from forebear.search.threads import Workers

if TYPE_CHECKING:
    from forebear.search.minobs import MINOBS

MANY_VARIABLES = 60_000
FEWEST_CLIMBS = 4
"""Climbs per generation while a population is being filled: 60,000 divided by the number of
variables, and at least 4. The first generation has a tenth of that, so that a first network is
found soon. Not measured."""


@dataclass(eq=False)
class Population(ABC):
    """A population of locally optimal orders, improved generation by generation.

    Parameters
    ----------
    settings
        The settings.
    space
        The sets to search.
    random
        The random numbers of this population.
    starts
        Orders to climb from before random orders are used.
    members
        The members. Default: none, until the first generation.
    stalled
        Whether the population has stopped improving.
    full
        Whether it has reached its size.
    size
        The number of members. Default: the number in the settings.
    """

    settings: MINOBS
    space: SearchSpace
    random: _core.Random
    starts: list[NDArray[np.int32]]
    members: list[Individual] = field(default_factory=list)
    stalled: bool = False
    full: bool = False
    size: int = 0

    def __post_init__(self) -> None:
        self.size = self.size or self.settings.population or 0

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays.

        Of each member, only the order is saved: the sets follow from it.
        """
        return {
            "random": self.random.state,
            "members": [member.order for member in self.members],
            "warm": list(self.starts),  # the name in files
            "stalled": self.stalled,
            "full": self.full,
            "size": self.size,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self.members = [assign(self.space, order) for order in as_orders(state["members"])]
        self.stalled, self.full = bool(state["stalled"]), bool(state["full"])
        self.size = int(state["size"])

    @property
    def best(self) -> Individual:
        """The best member."""
        return max(self.members, key=lambda member: member.score)

    def networks(self) -> list[NDArray[np.int32]]:
        """Return the networks of the members, as ranks (from 0) among all sets."""
        return [self.space.full_ranks(member.ranks) for member in self.members]

    def advance(self, workers: Workers, *, ahead: bool = True) -> None:
        """Run one generation; the first one fills the population.

        ``ahead`` lets threads start the next generation early. Pass False if the sets change after
        this generation.
        """
        if not self.full or len(self.members) < 2:  # one if the time limit ended the climbs
            self.fill(workers)
        else:
            self.breed(workers, ahead)

    @abstractmethod
    def breed(self, workers: Workers, ahead: bool) -> None:
        """Cross and mutate members, climb from the children, and let them compete."""

    def fill(self, workers: Workers, most: int | None = None) -> None:
        """Climb from the given orders, then from random ones, until the population is full.

        With many variables climbs are slow, so one call makes only some of them. ``most`` sets
        their number.
        """
        missing = self.size - len(self.members)
        many = MANY_VARIABLES if self.members else MANY_VARIABLES // 10
        missing = min(missing, most or max(FEWEST_CLIMBS, many // self.space.n))
        fresh = (self.random.permutation(self.space.n) for _ in range(missing))
        chosen = [*self.starts, *fresh][:missing]
        del self.starts[:missing]
        self.members += self.climb_all(workers, chosen)
        self.full = len(self.members) >= self.size

    def clear(self, space: SearchSpace, size: int) -> None:
        """Remove all members, and continue with other sets and another size."""
        self.replace_members(space, [])
        self.size, self.full = size, False

    def transfer(self, workers: Workers, space: SearchSpace) -> None:
        """Move the population to other sets of the same variables, best members first."""
        orders = [member.order for member in sorted(self.members, key=lambda m: -m.score)]
        self.replace_members(space, [])
        self.members = self.climb_all(workers, orders)

    def replace_members(self, space: SearchSpace, members: list[Individual]) -> None:
        """Continue with other sets, and with members that use them."""
        self.drop_children()
        self.reset_patience()
        self.space, self.members = space, members

    def climb_and_replace(self, workers: Workers, order: NDArray[np.int32]) -> None:
        """Climb from an order and replace the worst member, if the result is better and new."""
        self.reset_patience()
        for climbed in self.climb_all(workers, [order]):  # none if the budget is spent
            scores = [member.score for member in self.members]
            worst = min(range(len(scores)), key=scores.__getitem__)
            if climbed.score > scores[worst] and climbed.score not in scores:
                self.members[worst] = climbed

    def reset_patience(self) -> None:
        """Reset the time without improvement."""
        self.stalled = False

    def drop_children(self) -> None:
        """Drop unfinished children that were created ahead of their generation."""
        return

    def suspend(self) -> None:
        """Release the threads. Unfinished work is repeated when the population continues."""
        return

    def restart(self, workers: Workers) -> None:
        """Keep the best members, and replace the others by climbs from random orders."""
        self.drop_children()
        self.reset_patience()
        self.members.sort(key=lambda member: -member.score)
        del self.members[self.settings.keep or 0 :]
        self.fill(workers)

    def climb_all(self, workers: Workers, orders: list[NDArray[np.int32]]) -> list[Individual]:
        """Climb from several orders at once, each with its own random numbers."""
        # Climbs are skipped when the budget is spent, except the first one of a population.
        needed = not self.members
        jobs = [
            _core.Job.climb(self.space.sets, order, self.random.spawn(), needed and i == 0)
            for i, order in enumerate(orders)
        ]
        return workers.run(jobs)


@dataclass(eq=False)
class PublishedPopulation(Population):
    """The scheme of Lee and van Beek (2017): the best distinct members and children survive."""

    _history: list[float] = field(default_factory=list)

    def state(self) -> dict[str, Any]:
        """Add the history of the mean."""
        return {**super().state(), "history": list(self._history)}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the history."""
        super().restore(state)
        self._history = [float(mean) for mean in state["history"]]

    def breed(self, workers: Workers, ahead: bool) -> None:
        """Run one generation as published: each depends on the one before it."""
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
        self._detect_stall()

    def reset_patience(self) -> None:
        """Begin a new history."""
        self._history.clear()
        super().reset_patience()

    def _detect_stall(self) -> None:
        """Detect a stall: the mean score changed by less than the tolerance."""
        space = self.space
        best = float(space.parent_sets.scores[space.parent_sets.offsets[:-1]].sum())
        mean = sum(m.score for m in self.members) / len(self.members) / space.sets.ticks_per_nat
        self._history.append(best + mean)
        ahead = self.settings.look_ahead
        if len(self._history) > ahead:
            before, now = self._history[-1 - ahead], self._history[-1]
            self.stalled = abs(now - before) < self.settings.tolerance * abs(before)


def cross(x: NDArray[np.int32], y: NDArray[np.int32], random: _core.Random) -> NDArray[np.int32]:
    """Order-based crossover: keep each variable of x in place with probability 1/2.

    The other variables are put into the remaining places, in the order of y.
    """
    keep = np.array([random.below(2) == 1 for _ in range(len(x))])
    child = x.copy()
    child[~keep] = y[~np.isin(y, x[keep])]
    return child


def _swap(order: NDArray[np.int32], power: float, random: _core.Random) -> NDArray[np.int32]:
    """Swap random pairs of variables: ``power`` times the number of variables."""
    mutant = order.copy()
    for _ in range(math.ceil(power * len(mutant))):
        i, j = random.below(len(mutant)), random.below(len(mutant))
        mutant[i], mutant[j] = mutant[j], mutant[i]
    return mutant
