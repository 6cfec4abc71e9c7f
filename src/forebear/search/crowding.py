"""CrowdingPopulation: a child competes with the parent that it resembles.

This module plans the children and decides which survive. Threads of the core create them. Children
are planned before the previous ones are complete, so that no thread waits for the slowest child.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.search.population import Population
from forebear.search.space import Individual, SearchSpace, as_orders, assign
from forebear.search.threads import Workers

BATCH = 8
AHEAD = 5
"""Children are planned in batches of 8, five batches ahead of the one that is awaited, so that 16
threads have work (benchmarks/results/threads.md). A child cannot inherit from unfinished children.
Generations to the best known score, mean of 30 seeds: 138 on audio-train and 237 on jester-train if
nothing is planned ahead; 135 and 236 with one generation ahead; 319 on jester-train with two."""

LARGEST_MARGIN = 2**40
"""In ticks: larger than any difference between a child and its parent, but no sum overflows."""


class PlannedChild(NamedTuple):
    """A planned child, from two members or from one by mutation."""

    parent: Individual
    other: Individual
    mutation: bool
    random: _core.Random


class ChildBatch(NamedTuple):
    """A batch of children that are being created."""

    places: list[int]  # of the members that the children compete with
    plans: list[PlannedChild]
    batch: _core.Batch


@dataclass(eq=False)
class CrowdingPopulation(Population):
    """A child replaces its parent if it is better and new."""

    _idle: int = 0
    _next: int = 0  # the number, within its generation, of the child to plan next
    _batches: deque[ChildBatch] = field(default_factory=deque)
    _saved: list[dict[str, Any]] = field(default_factory=list)  # batches that have not started

    def state(self) -> dict[str, Any]:
        """Add the number of children without improvement, and the unfinished children."""
        return {
            **super().state(),
            "idle": self._idle,
            "next": self._next,
            "broods": self._unfinished(),  # the name in files
        }

    def _unfinished(self) -> list[dict[str, Any]]:
        """Return the plans of the unfinished children."""
        return [*(saved_batch(one.places, one.plans) for one in self._batches), *self._saved]

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the number of children without improvement, and the unfinished children."""
        super().restore(state)
        self._idle, self._next = int(state["idle"]), int(state["next"])
        self._saved = list(state["broods"])

    def breed(self, workers: Workers, ahead: bool) -> None:
        """Create the children of a generation, batch by batch."""
        for saved in self._saved:
            self._start(workers, *planned_batch(self.space, saved))
        self._saved.clear()
        left = self._children
        while left > 0:
            while len(self._batches) <= AHEAD and (ahead or self._n_pending < left):
                self._start(workers, *self._plan())
            batch = self._batches.popleft()
            self._compete(batch)
            left -= len(batch.places)
        self.stalled = self._idle > self.settings.patience * len(self.members)

    @property
    def _children(self) -> int:
        """The number of children of a generation: one for each member, at most."""
        children = (self.settings.crossovers or 0) + (self.settings.mutations or 0)
        return min(children, len(self.members))

    @property
    def _n_pending(self) -> int:
        return sum(len(batch.places) for batch in self._batches)

    def _compete(self, batch: ChildBatch) -> None:
        """Wait for children. Each replaces its parent if it is better and new, or equally good."""
        members = self.members
        improved = False
        for place, child in zip(batch.places, batch.batch.wait(), strict=True):
            if child is None:
                continue
            score, before = child.score, members[place].score
            better = score > before and all(score != member.score for member in members)
            improved |= better
            if better or score == before:
                members[place] = child
        self._idle = 0 if improved else self._idle + len(batch.places)

    def reset_patience(self) -> None:
        """Reset the number of children without improvement."""
        self._idle = 0
        super().reset_patience()

    def drop_children(self) -> None:
        """Drop the unfinished children."""
        for batch in self._batches:
            batch.batch.drop()
        self._batches.clear()
        self._saved, self._next = [], 0

    def suspend(self) -> None:
        """Release the threads, and keep the plans of the unfinished children."""
        unfinished, following = self._unfinished(), self._next
        self.drop_children()
        self._saved, self._next = unfinished, following

    def _plan(self) -> tuple[list[int], list[PlannedChild]]:
        """Choose the parents of the next few children."""
        settings, random, members = self.settings, self.random, self.members
        count = min(BATCH, self._children - self._next)
        places = random.permutation(len(members))[:count].tolist()
        plans = []
        for number, parent in enumerate(places, self._next):
            other = random.below(len(members) - 1)
            other += other >= parent
            mutation = number >= (settings.crossovers or 0)
            plans.append(PlannedChild(members[parent], members[other], mutation, random.spawn()))
        self._next = (self._next + count) % self._children
        return places, plans

    def _start(self, workers: Workers, places: list[int], plans: list[PlannedChild]) -> None:
        """Let the threads create the children of a plan."""
        batch = workers.queue.breed(
            self.space.sets,
            self._policy(),
            [(one.parent, None if one.mutation else one.other, one.random) for one in plans],
        )
        self._batches.append(ChildBatch(places, plans, batch))

    def _policy(self) -> _core.ChildPolicy:
        """Return how children are created: see core/search/individual.h."""
        settings, ticks = self.settings, self.space.sets.ticks_per_nat
        return _core.ChildPolicy(
            window=settings.window,
            margin=min(math.ceil(settings.margin * ticks), LARGEST_MARGIN),
            swaps=math.ceil(settings.mutation_power * self.space.n),
        )


def saved_batch(places: list[int], plans: list[PlannedChild]) -> dict[str, Any]:
    """Return a plan as numbers and arrays, with each member once."""
    numbers: dict[int, int] = {}
    orders: list[NDArray[np.int32]] = []
    for plan in plans:
        for member in (plan.parent, plan.other):
            if numbers.setdefault(id(member), len(orders)) == len(orders):
                orders.append(member.order)
    children = [
        [numbers[id(plan.parent)], numbers[id(plan.other)], plan.mutation, plan.random.state]
        for plan in plans
    ]
    return {"turns": places, "orders": orders, "children": children}


def planned_batch(
    space: SearchSpace, saved: dict[str, Any]
) -> tuple[list[int], list[PlannedChild]]:
    """Restore a plan from numbers and arrays."""
    members = [assign(space, order) for order in as_orders(saved["orders"])]
    plans = [
        PlannedChild(members[parent], members[other], bool(mutation), _core.Random(random))
        for parent, other, mutation, random in saved["children"]
    ]
    return [int(place) for place in saved["turns"]], plans
