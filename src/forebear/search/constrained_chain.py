"""ConstrainedChain: a search under relations that parent sets cannot express.

The chain has an inner chain, which searches under one restriction. Every network under a
restriction is valid: it respects the relations. The one exception is the restriction to orders
only, which shows what the relations cost. When the inner chain stalls, a new one starts under
another restriction, from the best valid network. Only valid networks are kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from forebear.parentsets.collection import ParentSets
from forebear.search.alternatives import Alternative, with_alternatives
from forebear.search.chain import Chain, Solution, solution_fields, solution_from_fields
from forebear.search.restriction_schedule import (
    FIRST_TRIES,
    FIRST_TURNS,
    RestrictionSchedule,
    neighboring_restriction,
    no_restriction,
)
from forebear.search.restrictions import ArcCosts, Restriction, RestrictionProblem
from forebear.search.threads import Workers

PATIENCE = 20
"""Generations without a better network before the next restriction, unless the inner chain stalls
first. A population of the default size stalls after six; algorithms other than MINOBS do not report
a stall. Not measured."""

RUN_STALLS = 4
"""Stalls in the first run. A proof is attempted after each run, with four times as many steps as
before, so that runs become longer. Not measured."""


class RestrictedSearch(Protocol):
    """Creates chains under restrictions: over a fixed collection of sets, or a growing one."""

    @property
    def problem(self) -> RestrictionProblem:
        """The problem that the restrictions belong to."""

    @property
    def given(self) -> Solution | None:
        """A network to start from, or None."""

    def chain(
        self,
        restriction: Restriction,
        seed: np.random.SeedSequence,
        sets: ParentSets,
        networks: Sequence[Solution],
        orders: Sequence[NDArray[np.int32]],
        threads: int,
    ) -> Chain | None:
        """Start a chain from sets, networks and orders.

        Return None if the restriction leaves a variable without sets.
        """

    def resumed(self, restriction: Restriction, state: dict[str, Any]) -> Chain:
        """Create a chain that continues from a saved state."""

    def best(self) -> Solution | None:
        """Return the best network of the latest chain; None if it has none."""

    def parent_sets(self, networks: Sequence[Solution]) -> ParentSets:
        """Return all sets, restricted or not, with those of some networks."""

    def costs(self, sets: ParentSets, network: Solution) -> ArcCosts:
        """Return the costs of arcs in a network of these sets."""


class ConstrainedChain(Chain):
    """A chain under one restriction after another.

    Parameters
    ----------
    search
        Creates the inner chains.
    schedule
        Chooses the restrictions; the seeds of the inner chains depend on its numbers.
    restriction
        The first restriction.
    inner
        The chain under this restriction.

    Attributes
    ----------
    valid
        The best valid network; None if there is none yet.
    unconstrained
        The best network found under the restriction to orders only; None if there is none yet.
    lossless
        Whether the best network found without the relations respects them.
    """

    def __init__(
        self,
        search: RestrictedSearch,
        schedule: RestrictionSchedule,
        restriction: Restriction,
        inner: Chain,
    ) -> None:
        self.valid: Solution | None = None
        self.unconstrained: Solution | None = None
        self.lossless = False
        self._search = search
        self._schedule = schedule
        self._restriction = restriction
        self._inner = inner
        self._score = -math.inf  # the best score of the inner chain
        self._idle = 0  # its generations since then
        self._archive: tuple[Alternative, ...] = ()  # good valid networks
        self._stalls = 0

    @classmethod
    def start(
        cls,
        search: RestrictedSearch,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> ConstrainedChain:
        """Create a chain under the first restriction that leaves sets."""
        schedule = RestrictionSchedule(search.problem, int(seed.generate_state(1)[0]))
        sets = search.parent_sets([])
        top = Solution.best_sets(sets)
        for restriction in schedule.first_restrictions(top.parents, search.costs(sets, top)):
            inner = search.chain(restriction, schedule.seed, sets, [], orders, 1)
            if inner is not None:
                return cls(search, schedule, restriction, inner)
        raise no_restriction()

    @classmethod
    def resumed(cls, search: RestrictedSearch, state: dict[str, Any]) -> ConstrainedChain:
        """Create a chain that continues from a saved state."""
        schedule = RestrictionSchedule.from_state(search.problem, state)
        restriction = Restriction.from_fields(state["restriction"])
        chain = cls(search, schedule, restriction, search.resumed(restriction, state["inner"]))
        chain._restore(state)
        return chain

    # ---- the state --------------------------------------------------------------------------

    @property
    def runs(self) -> int:
        """The number of runs: the first ends after 4 stalls, the others after 8, 16, ... in all."""
        return (self._stalls // RUN_STALLS).bit_length()

    @property
    def sets_grow(self) -> bool:
        """Whether the inner chains have their own parent sets, which grow."""
        return self._inner.sets_grow

    @property
    def exhausted(self) -> bool:
        """Whether no further parent sets will be scored."""
        return self._inner.exhausted

    @property
    def best(self) -> Solution:
        """The best valid network so far."""
        if self.valid is None:
            raise no_restriction()
        return self.valid

    def parent_sets(self) -> ParentSets:
        """Return all sets, restricted or not."""
        return self._search.parent_sets(list(self._networks()))

    def networks(self) -> tuple[Alternative, ...]:
        """Return the best distinct valid networks."""
        winner = Alternative(self.best.score, self.best.parents)
        return with_alternatives(winner, self._archive)

    def _networks(self) -> Iterator[Solution]:
        """Yield the networks whose sets are always available."""
        for network in (self.valid, self.unconstrained):
            if network is not None:
                yield network

    def is_progressing(self) -> bool:
        """Return whether the search may improve later, although it has not improved yet.

        This is the case until it reaches the cheapest restriction, or finds that the relations cost
        nothing.
        """
        return self._schedule.number < FIRST_TURNS and not self.lossless

    def remember(self, solution: Solution) -> None:
        """Keep a network if it is valid."""
        if not self._schedule.problem.relations.holds(solution.parents):
            return
        own = Alternative(solution.score, solution.parents)
        self._archive = with_alternatives(own, self._archive)
        if self.valid is None or solution.score > self.valid.score:
            self.valid = solution

    # ---- one restriction after another ------------------------------------------------------

    def run_generation(self, workers: Workers) -> bool:
        """Run one generation of the inner chain; return whether it has stalled.

        A restriction without a valid network is replaced at once.
        """
        if self.valid is None and self._search.given is not None:
            self.offer(workers, self._search.given)
        stalled = self._run_inner(workers)
        for _ in range(FIRST_TRIES):
            if self.valid is not None:
                break
            self._turn(workers)
            stalled = self._run_inner(workers)
        return stalled

    def _run_inner(self, workers: Workers) -> bool:
        stalled = self._inner.run_generation(workers)
        self._idle += 1
        best = self._inner.best
        if best.score > self._score:
            self._score, self._idle = best.score, 0
            network = self._search.best()
            if network is not None:
                self.remember(network)
        return (stalled or self._idle >= PATIENCE) and not workers.budget.spent

    def restart(self, workers: Workers) -> None:
        """Continue under another restriction, or under this one if the relations cost nothing."""
        self._stalls += 1
        self._turn(workers)

    def _turn(self, workers: Workers) -> None:
        network = self._search.best()
        if self._restriction == self._schedule.orders_only:
            self.unconstrained = network or self.unconstrained
            self.lossless = self._is_lossless()
            if self.lossless:
                self._idle = 0
                self._inner.restart(workers)
                return
        self.lossless = False
        sets = self.parent_sets()
        restriction = self._schedule.next_restriction(
            self._restriction,
            self.unconstrained or self.valid or Solution.best_sets(sets),
            self.valid,
            lambda network: self._search.costs(sets, network),
        )
        self._restrict(workers, restriction, sets)

    def _is_lossless(self) -> bool:
        """Return whether the valid network is as good as the best one without the relations."""
        if self.unconstrained is None or self.valid is None:
            return False
        return self.unconstrained.score <= self.valid.score

    def _restrict(self, workers: Workers, restriction: Restriction, sets: ParentSets) -> None:
        """Start a chain under a restriction; ignore one that leaves a variable without sets."""
        networks, self._idle = list(self._networks()), 0
        orders = [] if self.valid is None else [self.valid.order]
        if self._score > -math.inf:
            orders.append(self._inner.best.order)
        seed = self._schedule.seed
        inner = self._search.chain(restriction, seed, sets, networks, orders, workers.threads)
        if inner is not None:
            self._restriction, self._inner, self._score = restriction, inner, -math.inf

    def offer(self, workers: Workers, solution: Solution) -> None:
        """Use a network that was found elsewhere, if it is valid, and continue from it."""
        before = self.valid
        self.remember(solution)
        if self.valid is not before:
            self._return_to_valid(workers)

    def _return_to_valid(self, workers: Workers) -> None:
        """Continue under a restriction that the best valid network satisfies."""
        sets = self.parent_sets()
        costs = self._search.costs(sets, self.best)
        problem = self._schedule.problem
        restriction = neighboring_restriction(problem, costs, self.best.parents)
        self._restrict(workers, restriction or self._restriction, sets)

    def add_sets(self, workers: Workers) -> bool:
        """Score more parent sets around the best valid network; return whether there are any."""
        if not self.sets_grow:
            return False
        self._return_to_valid(workers)
        self._run_inner(workers)
        return self._inner.add_sets(workers)

    # ---- saving and restoring ---------------------------------------------------------------

    def suspend(self) -> None:
        """Release the threads of the inner chain."""
        self._inner.suspend()

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        return {
            "restriction": self._restriction.to_fields(),
            "entropy": self._schedule.entropy,
            "number": self._schedule.number,
            "lossless": self.lossless,
            "valid": None if self.valid is None else self._fields_of(self.valid),
            "unconstrained": (
                None if self.unconstrained is None else self._fields_of(self.unconstrained)
            ),
            "kept": [[one.score, [list(own) for own in one.parents]] for one in self._archive],
            "reached": self._score,
            "idle": self._idle,
            "stalls": self._stalls,
            "inner": self._inner.state(),
        }

    def _fields_of(self, solution: Solution) -> dict[str, Any]:
        return solution_fields(solution, with_sets=self.sets_grow)

    def _restore(self, state: dict[str, Any]) -> None:
        sets = self._search.parent_sets([])
        if state["valid"] is not None:
            self.valid = solution_from_fields(sets, state["valid"])
            if not self._schedule.problem.relations.holds(self.valid.parents):
                raise ValueError("its best network violates the knowledge")
        if state["unconstrained"] is not None:
            self.unconstrained = solution_from_fields(sets, state["unconstrained"])
        self._archive = tuple(
            Alternative(float(score), tuple(tuple(map(int, own)) for own in parents))
            for score, parents in state["kept"]
        )
        self.lossless, self._score = bool(state["lossless"]), float(state["reached"])
        self._idle, self._stalls = int(state["idle"]), int(state["stalls"])
