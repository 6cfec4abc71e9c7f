"""MINOBS: a population of climbed orders, crossed and climbed again.

Two variants. ``published`` is the population scheme of Lee and van Beek (2017):
order crossovers and mutations, the best survive, restarts when the population
stands still. ``crowding`` (the default) joins networks instead of orders, so
that good substructures are inherited whole; a child competes only with the
parent it resembles, so that the population stays diverse; and a child is
climbed only as far as it promises something.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from forebear import _core
from forebear._util.checks import check_real, check_whole
from forebear._util.errors import ForebearError
from forebear.search.crossovers import CROSSOVERS, cross
from forebear.search.space import Individual, SearchSpace, as_order, assign, climb

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from forebear.search.threads import Workers

MANY_VARIABLES = 60_000
FEWEST_CLIMBS = 4
"""Climbs per generation while a population is filled: 60,000 divided by the number of variables,
and at least 4, so that a first network is found soon. Judgement."""

MOST_POWER = 100
"""So many swaps a variable leave nothing of an order."""


@dataclass(frozen=True)
class MINOBS:
    """MINOBS: a population of climbed orders that are crossed and mutated (Lee and van Beek, 2017).

    Settings that are None depend on the variant.

    Parameters
    ----------
    variant
        "crowding" (default): networks are crossed, and a child replaces the parent that it
        resembles. "published": the scheme of the paper.
    population
        Number of orders in the population. Default: 60, or 20 as published.
    crossovers
        Number of crossovers per generation. Default: 30, or 20 as published.
    crossover
        What a crossover does: "network" joins two networks; "ob", "cx" and "rk" cross two
        orders. Default: "network", or "ob" as published.
    mutations
        Number of mutations per generation. Default: 2, or 6 as published.
    mutation_power
        Number of random swaps in a mutation, per variable.
    window
        Crowding: how many places the first, short climb of a child may move a variable.
    margin
        Crowding: a child that is this many nats worse than its parent after the short climb is
        not climbed further.
    patience
        Crowding: the population stalls after this many children per member without improvement.
    look_ahead
        Published: number of generations over which the mean score is compared.
    tolerance
        Published: the population stalls if the mean score changes by less than this share.
    keep
        Number of members that survive a restart. Default: 1, or 4 as published.
    """

    variant: Literal["crowding", "published"] = "crowding"
    population: int | None = None
    crossovers: int | None = None
    crossover: Literal["network", "ob", "cx", "rk"] | None = None
    mutations: int | None = None
    mutation_power: float = 0.01
    window: int = 20
    margin: float = 10.0
    patience: float = 3.0
    look_ahead: int = 32
    tolerance: float = 0.001
    keep: int | None = None

    def __post_init__(self) -> None:
        if self.variant not in ("crowding", "published"):
            raise ForebearError(f"no variant of MINOBS is called {self.variant!r}")
        published = self.variant == "published"
        defaults = {
            "population": 20 if published else 60,
            "crossovers": 20 if published else 30,
            "crossover": "ob" if published else "network",
            "mutations": 6 if published else 2,
            "keep": 4 if published else 1,
        }
        for name, value in defaults.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        if self.crossover not in CROSSOVERS:
            raise ForebearError(
                f"no crossover is called {self.crossover!r}: there are {', '.join(CROSSOVERS)}"
            )
        check_whole(2, population=self.population)
        check_whole(1, window=self.window, look_ahead=self.look_ahead)
        check_whole(0, crossovers=self.crossovers, mutations=self.mutations, keep=self.keep)
        check_real(0, margin=self.margin, patience=self.patience, tolerance=self.tolerance)
        check_real(0, mutation_power=self.mutation_power)
        if self.mutation_power > MOST_POWER:
            raise ForebearError(
                f"mutation_power must be at most {MOST_POWER}, got {self.mutation_power:g}"
            )
        if not (self.crossovers or self.mutations):
            raise ForebearError("a generation needs crossovers or mutations")

    def start(
        self, space: SearchSpace, random: _core.Random, orders: Sequence[NDArray[np.int32]] = ()
    ) -> Population:
        """Make the population that this describes; it is empty until its first generation."""
        kind = PublishedPopulation if self.variant == "published" else CrowdingPopulation
        return kind(self, space, random, orders)

    def resumed(self, space: SearchSpace, state: dict[str, Any]) -> Population:
        """Make a population that continues from a saved state."""
        population = self.start(space, _core.Random(state["random"]), map_orders(state["warm"]))
        population.members = [assign(space, order) for order in map_orders(state["members"])]
        population.stalled = bool(state["stalled"])
        population._full = bool(state["full"])
        population.restore(state)
        return population


class Population:
    """A population of climbed orders. One generation after another makes it better."""

    def __init__(
        self,
        settings: MINOBS,
        space: SearchSpace,
        random: _core.Random,
        orders: Sequence[NDArray[np.int32]],
    ) -> None:
        self.settings = settings
        self.space = space
        self.random = random
        self.members: list[Individual] = []
        self.stalled = False
        self._full = False
        self._warm = list(orders)

    def state(self) -> dict[str, Any]:
        """Return everything that is needed to continue, as numbers and arrays.

        The order of a member tells the rest of it.
        """
        return {
            "random": self.random.state,
            "members": [member.order for member in self.members],
            "warm": list(self._warm),
            "stalled": self.stalled,
            "full": self._full,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what a variant keeps besides."""

    @property
    def best(self) -> Individual:
        """The best member."""
        return max(self.members, key=lambda member: member.score)

    def advance(self, workers: Workers) -> None:
        """Make one generation; the first one fills the population."""
        if not self._full or len(self.members) < 2:  # one member, if the time was over at once
            self.fill(workers)
        else:
            self.breed(workers)

    def breed(self, workers: Workers) -> None:
        """Cross and mutate members, climb what comes out, and let it compete."""
        raise AssertionError("a variant says how")

    def fill(self, workers: Workers) -> None:
        """Climb from random orders (and those given) towards a full population."""
        missing = (self.settings.population or 0) - len(self.members)
        # With many variables a climb is long, so a generation has only some climbs.
        missing = min(missing, max(FEWEST_CLIMBS, MANY_VARIABLES // self.space.n))
        fresh = (self.space.mended(self.random.permutation(self.space.n)) for _ in range(missing))
        starts = [*self._warm, *fresh][:missing]
        del self._warm[:missing]
        self.members += self.climb_all(workers, starts)
        self._full = len(self.members) >= (self.settings.population or 0)

    def move_to(self, workers: Workers, space: SearchSpace) -> None:
        """Carry the population over to other sets of the same variables."""
        self.patient_again()
        self.space = space
        orders = [member.order for member in sorted(self.members, key=lambda m: -m.score)]
        self.members = []
        self.members = self.climb_all(workers, orders)

    def carry_over(self, space: SearchSpace) -> None:
        """Carry the population over to sets that include its own."""
        self.space = space
        self.members = [assign(space, member.order) for member in self.members]

    def take_in(self, workers: Workers, orders: Sequence[NDArray[np.int32]]) -> None:
        """Let others replace the worst members, if they are better and new."""
        self.patient_again()
        for guest in self.climb_all(workers, list(orders)):
            scores = [member.score for member in self.members]
            worst = min(range(len(scores)), key=scores.__getitem__)
            if guest.score > scores[worst] and guest.score not in scores:
                self.members[worst] = guest

    def patient_again(self) -> None:
        """Forget how long there was nothing better."""
        self.stalled = False

    def restart(self, workers: Workers) -> None:
        """Keep the best few and start afresh with the others."""
        self.patient_again()
        self.members.sort(key=lambda member: -member.score)
        del self.members[self.settings.keep or 0 :]
        self.fill(workers)

    def climb_all(self, workers: Workers, orders: list[NDArray[np.int32]]) -> list[Individual]:
        """Climb from several orders at once, each with random numbers of its own."""
        space, budget = self.space, workers.budget
        # Climbs are left out when the budget is spent, but one is always made.
        needed = not self.members
        jobs = [(order, self.random.spawn(), needed and i == 0) for i, order in enumerate(orders)]

        def work(job: tuple[NDArray[np.int32], _core.Random, bool]) -> Individual | None:
            order, random, always = job
            return climb(workers, space, order, random) if always or not budget.spent else None

        climbed = workers.map(work, jobs)
        return [individual for individual in climbed if individual is not None]


class CrowdingPopulation(Population):
    """A child replaces the parent it was made from, if it is better and new."""

    _idle = 0

    def state(self) -> dict[str, Any]:
        """Add how long there was nothing better."""
        return {**super().state(), "idle": self._idle}

    def restore(self, state: dict[str, Any]) -> None:
        """Be as patient as before."""
        self._idle = int(state["idle"])

    def breed(self, workers: Workers) -> None:
        """Give some members a child each."""
        settings, random = self.settings, self.random
        turns = random.permutation(len(self.members))
        jobs = []
        children = (settings.crossovers or 0) + (settings.mutations or 0)
        for number, parent in enumerate(turns[:children].tolist()):
            other = random.below(len(self.members) - 1)
            other += other >= parent
            mutation = number >= (settings.crossovers or 0)
            jobs.append((self.members[parent], self.members[other], mutation, random.spawn()))
        born = workers.map(lambda job: self._child(workers, *job), jobs)
        scores = {member.score for member in self.members}
        improved = False
        for parent, child in zip(turns[:children].tolist(), born, strict=True):
            better = child.score > self.members[parent].score and child.score not in scores
            improved |= better
            if better or child.score == self.members[parent].score:
                self.members[parent] = child
                scores.add(child.score)
        self._idle = 0 if improved else self._idle + len(jobs)
        self.stalled = self._idle > settings.patience * len(self.members)

    def patient_again(self) -> None:
        """Forget how long there was nothing better."""
        self._idle = 0
        super().patient_again()

    def _child(
        self,
        workers: Workers,
        parent: Individual,
        other: Individual,
        mutation: bool,
        random: _core.Random,
    ) -> Individual:
        """Make a child and climb it as far as it promises to beat its parent."""
        space, settings = self.space, self.settings
        if workers.budget.spent:
            return parent
        if mutation:
            order = _swap(parent.order, settings.mutation_power, random)
        else:
            order = cross(settings.crossover or "network", space, parent, other, random)
        climber = workers.climber(space)
        climber.start(space.mended(order))
        # First climb the variables that differ from the parent, within the window; then those that
        # this touched, anywhere. Only a child that is better by then is climbed in full.
        climber.mark_changes(parent.ranks)
        climber.climb_marked(random, settings.window, workers.budget)
        hopeless = parent.score - settings.margin * space.sets.ticks_per_nat
        if climber.score > hopeless and climber.score not in (parent.score, other.score):
            climber.mark_touched()
            climber.climb_marked(random, space.n, workers.budget)
            if climber.score > parent.score and climber.score != other.score:
                climber.climb(random, workers.budget)
        return Individual(climber.score, climber.order, climber.ranks)


class PublishedPopulation(Population):
    """Crossovers and mutations join the population; the best distinct ones survive."""

    def state(self) -> dict[str, Any]:
        """Add the history of the mean."""
        return {**super().state(), "history": list(self._history)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the history."""
        self._history = [float(mean) for mean in state["history"]]

    def breed(self, workers: Workers) -> None:
        """Make one generation as published."""
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
        children = self.climb_all(workers, [self.space.mended(order) for order in orders])
        everyone = {m.score: m for m in [*self.members, *children]}
        ranked = sorted(everyone.values(), key=lambda member: -member.score)
        self.members = ranked[: settings.population]
        if len(self.members) < 2:
            self.fill(workers)
        self._watch()

    def patient_again(self) -> None:
        """Begin a new history."""
        self._history.clear()
        super().patient_again()

    _history: list[float]

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

    def __init__(
        self,
        settings: MINOBS,
        space: SearchSpace,
        random: _core.Random,
        orders: Sequence[NDArray[np.int32]],
    ) -> None:
        super().__init__(settings, space, random, orders)
        self._history = []


def map_orders(orders: Sequence[Sequence[int]]) -> list[NDArray[np.int32]]:
    """Return orders as the core takes them."""
    return [as_order(order) for order in orders]


def _swap(order: NDArray[np.int32], power: float, random: _core.Random) -> NDArray[np.int32]:
    """Swap a few random pairs: ``power`` times as many as there are variables."""
    mutant = order.copy()
    for _ in range(math.ceil(power * len(mutant))):
        i, j = random.below(len(mutant)), random.below(len(mutant))
        mutant[i], mutant[j] = mutant[j], mutant[i]
    return mutant
