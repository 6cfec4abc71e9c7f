"""MINOBS: a population of climbed orders, crossed and climbed again.

Two variants. ``published`` is the population scheme of Lee and van Beek (2017):
order crossovers and mutations, the best survive, restarts when the population
stands still. ``crowding`` (the default) joins networks instead of orders, so
that good substructures are inherited whole; a child competes only with the
parent it resembles, so that the population stays diverse; and a child is
climbed only as far as it promises something (core/search/jobs.h says how far).

Here it is decided which children there are, and which of them survive; threads of
the core make them. So that no thread waits for the slowest child, the next children
are planned before those that came first are complete.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from forebear import _core
from forebear._util.checks import check_real, check_whole
from forebear._util.errors import ForebearError
from forebear.search.crossovers import CROSSOVERS, cross
from forebear.search.space import Individual, SearchSpace, as_order, assign

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from forebear.search.threads import Workers

MANY_VARIABLES = 60_000
FEWEST_CLIMBS = 4
"""Climbs per generation while a population is filled: 60,000 divided by the number of variables,
and at least 4. The first generation has a tenth of that, so that a first network is found soon.
Judgement."""

BROOD = 8
AHEAD = 5
"""Children are planned in broods of 8, five broods ahead of the one that is waited for: enough for
16 threads (benchmarks/results/threads.md). Each child lacks what those on their way will find. With
as many as a generation ahead, as many generations were needed on audio-train and jester-train as
with none ahead; with two generations ahead, more."""

MOST_POWER = 100
"""So many swaps a variable leave nothing of an order."""


LARGEST_MARGIN = 2**40
"""In ticks: beyond what children can lose."""


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

    def advance(self, workers: Workers, *, ahead: bool = True) -> None:
        """Make one generation; the first one fills the population.

        Unless it is known that the sets change after it, threads may begin the next one.
        """
        if not self._full or len(self.members) < 2:  # one member, if the time was over at once
            self.fill(workers)
        else:
            self.breed(workers, ahead)

    def breed(self, workers: Workers, ahead: bool) -> None:
        """Cross and mutate members, climb what comes out, and let it compete."""
        raise AssertionError("a variant says how")

    def fill(self, workers: Workers) -> None:
        """Climb from random orders (and those given) towards a full population."""
        missing = (self.settings.population or 0) - len(self.members)
        # With many variables a climb is long, so a generation has only some climbs.
        many = MANY_VARIABLES if self.members else MANY_VARIABLES // 10
        missing = min(missing, max(FEWEST_CLIMBS, many // self.space.n))
        fresh = (self.random.permutation(self.space.n) for _ in range(missing))
        starts = [*self._warm, *fresh][:missing]
        del self._warm[:missing]
        self.members += self.climb_all(workers, starts)
        self._full = len(self.members) >= (self.settings.population or 0)

    def move_to(self, workers: Workers, space: SearchSpace) -> None:
        """Carry the population over to other sets of the same variables."""
        orders = [member.order for member in sorted(self.members, key=lambda m: -m.score)]
        self.move_in(space, [])
        self.members = self.climb_all(workers, orders)

    def carry_over(self, space: SearchSpace) -> None:
        """Carry the population over to sets that include its own."""
        self.drop_children()
        self.space = space
        self.members = [assign(space, member.order) for member in self.members]

    def move_in(self, space: SearchSpace, members: list[Individual]) -> None:
        """Begin with other sets, and members that have these."""
        self.drop_children()
        self.patient_again()
        self.space, self.members = space, members

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

    def drop_children(self) -> None:
        """Forget the children that are on their way."""

    def restart(self, workers: Workers) -> None:
        """Keep the best few and start afresh with the others."""
        self.drop_children()
        self.patient_again()
        self.members.sort(key=lambda member: -member.score)
        del self.members[self.settings.keep or 0 :]
        self.fill(workers)

    def climb_all(self, workers: Workers, orders: list[NDArray[np.int32]]) -> list[Individual]:
        """Climb from several orders at once, each with random numbers of its own."""
        # Climbs are left out when the budget is spent, but one is always made.
        needed = not self.members
        jobs = [
            _core.Job.climb(self.space.sets, order, self.random.spawn(), needed and i == 0)
            for i, order in enumerate(orders)
        ]
        return workers.run(jobs)


class Plan(NamedTuple):
    """A child to be made: of two members, or of one by mutation."""

    parent: Individual
    other: Individual
    mutation: bool
    random: _core.Random


class Brood(NamedTuple):
    """A few children on their way."""

    turns: list[int]  # the member that each child competes with
    plans: list[Plan]
    batch: _core.Batch


class CrowdingPopulation(Population):
    """A child replaces the parent it was made from, if it is better and new."""

    def __init__(
        self,
        settings: MINOBS,
        space: SearchSpace,
        random: _core.Random,
        orders: Sequence[NDArray[np.int32]],
    ) -> None:
        super().__init__(settings, space, random, orders)
        self._idle = 0
        self._next = 0  # the child of a generation that is planned next
        self._broods: deque[Brood] = deque()
        self._saved: list[dict[str, Any]] = []  # broods of a saved state, not on their way yet

    def state(self) -> dict[str, Any]:
        """Add how long there was nothing better, and the children that are on their way."""
        broods = [saved_brood(brood.turns, brood.plans) for brood in self._broods]
        return {
            **super().state(),
            "idle": self._idle,
            "next": self._next,
            "broods": [*broods, *self._saved],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Be as patient as before, with the same children to come."""
        self._idle, self._next = int(state["idle"]), int(state["next"])
        self._saved = list(state["broods"])

    def breed(self, workers: Workers, ahead: bool) -> None:
        """Make the children of a generation, a brood after another."""
        for saved in self._saved:
            self._start(workers, *planned_brood(self.space, saved))
        self._saved.clear()
        left = self._children
        while left > 0:
            while len(self._broods) <= AHEAD and (ahead or self._on_their_way < left):
                self._start(workers, *self._plan())
            brood = self._broods.popleft()
            self._compete(brood)
            left -= len(brood.turns)
        self.stalled = self._idle > self.settings.patience * len(self.members)

    @property
    def _children(self) -> int:
        """The number of children of a generation: one for each member, at most."""
        wanted = (self.settings.crossovers or 0) + (self.settings.mutations or 0)
        return min(wanted, len(self.members))

    @property
    def _on_their_way(self) -> int:
        return sum(len(brood.turns) for brood in self._broods)

    def _compete(self, brood: Brood) -> None:
        """Wait for children; each replaces its parent if it is better and new, or as good."""
        members = self.members
        improved = False
        for place, child in zip(brood.turns, brood.batch.wait(), strict=True):
            if child is None:
                continue
            score, before = child.score, members[place].score
            better = score > before and all(score != member.score for member in members)
            improved |= better
            if better or score == before:
                members[place] = child
        self._idle = 0 if improved else self._idle + len(brood.turns)

    def patient_again(self) -> None:
        """Forget how long there was nothing better."""
        self._idle = 0
        super().patient_again()

    def drop_children(self) -> None:
        """Forget the children that are on their way."""
        for brood in self._broods:
            brood.batch.drop()
        self._broods.clear()
        self._saved.clear()
        self._next = 0

    def _plan(self) -> tuple[list[int], list[Plan]]:
        """Choose the parents of the next few children."""
        settings, random, members = self.settings, self.random, self.members
        count = min(BROOD, self._children - self._next)
        turns = random.permutation(len(members))[:count].tolist()
        plans = []
        for number, parent in enumerate(turns, self._next):
            other = random.below(len(members) - 1)
            other += other >= parent
            mutation = number >= (settings.crossovers or 0)
            plans.append(Plan(members[parent], members[other], mutation, random.spawn()))
        self._next = (self._next + count) % self._children
        return turns, plans

    def _start(self, workers: Workers, turns: list[int], plans: list[Plan]) -> None:
        """Let the threads make the children of a plan."""
        kind = self.settings.crossover or "network"
        jobs = []
        for parent, other, mutation, random in plans:
            order, numbers = None, random
            if not mutation and kind != "network":
                numbers = _core.Random(random.state)  # the plan keeps its own
                order = cross(kind, self.space, parent, other, numbers)
            jobs.append((parent, None if mutation else other, order, numbers))
        batch = workers.queue.breed(self.space.sets, self._policy(), jobs)
        self._broods.append(Brood(turns, plans, batch))

    def _policy(self) -> _core.ChildPolicy:
        """How children are made: see core/search/jobs.h."""
        settings, ticks = self.settings, self.space.sets.ticks_per_nat
        return _core.ChildPolicy(
            window=settings.window,
            margin=min(math.ceil(settings.margin * ticks), LARGEST_MARGIN),
            swaps=math.ceil(settings.mutation_power * self.space.n),
        )


def saved_brood(turns: list[int], plans: list[Plan]) -> dict[str, Any]:
    """Return a plan as numbers and arrays; every member once."""
    places: dict[int, int] = {}
    orders: list[NDArray[np.int32]] = []
    for plan in plans:
        for member in (plan.parent, plan.other):
            if places.setdefault(id(member), len(orders)) == len(orders):
                orders.append(member.order)
    children = [
        [places[id(plan.parent)], places[id(plan.other)], plan.mutation, plan.random.state]
        for plan in plans
    ]
    return {"turns": turns, "orders": orders, "children": children}


def planned_brood(space: SearchSpace, saved: dict[str, Any]) -> tuple[list[int], list[Plan]]:
    """Return a plan that was saved."""
    members = [assign(space, order) for order in map_orders(saved["orders"])]
    plans = [
        Plan(members[parent], members[other], bool(mutation), _core.Random(random))
        for parent, other, mutation, random in saved["children"]
    ]
    return [int(turn) for turn in saved["turns"]], plans


class PublishedPopulation(Population):
    """Crossovers and mutations join the population; the best distinct ones survive."""

    def state(self) -> dict[str, Any]:
        """Add the history of the mean."""
        return {**super().state(), "history": list(self._history)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the history."""
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
