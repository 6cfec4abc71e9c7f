"""Algorithm: settings that create chains. Search: an algorithm applied to parent sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from forebear._util.machine import thread_count
from forebear._util.watcher import Watcher
from forebear.knowledge.relations import Relations
from forebear.parentsets.collection import ParentSets
from forebear.search.chain import Chain, Solution, solution_from_fields
from forebear.search.constrained_chain import ConstrainedChain, RestrictedSearch
from forebear.search.growth import Growth
from forebear.search.psminobs import PSMINOBS
from forebear.search.restricted_sets import RestrictedGrowth, RestrictedSets
from forebear.search.runner import Outcome, Runner, run
from forebear.search.space import SearchSpace
from forebear.search.stop import StopRule


class Algorithm(Protocol):
    """Settings that create the chains of a search."""

    @property
    def chains(self) -> int:
        """The number of chains, each with its own seed."""

    def chain(
        self,
        space: SearchSpace,
        number: int,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> Chain:
        """Create the chain with this number, counted from 1."""

    def resumed(self, space: SearchSpace, number: int, state: dict[str, Any]) -> Chain:
        """Create a chain that continues from a saved state."""


@dataclass
class Search:
    """An algorithm applied to parent sets: creates chains from their seeds or from saved states.

    Attributes
    ----------
    parent_sets
        The parent sets; the initial ones if they grow.
    algorithm
        The settings that create the chains.
    seed
        The seed of all chains.
    orders
        Orders to start from.
    growth
        The data for chains whose parent sets grow; None if the sets are fixed.
    relations
        The relations that networks must respect.
    threads
        Number of threads that prepare the search space.
    """

    parent_sets: ParentSets
    algorithm: Algorithm
    seed: int
    orders: Sequence[NDArray[np.int32]] = ()
    growth: Growth | None = None
    relations: Relations | None = None
    threads: int = 1

    @cached_property
    def space(self) -> SearchSpace:
        """The sets, prepared for the search. Not used if they grow."""
        return SearchSpace(self.parent_sets, threads=self.threads)

    def runners(self, started: float) -> list[Runner]:
        """Create all chains from their seeds."""
        return [self.runner(number, started) for number in range(1, self.algorithm.chains + 1)]

    def runner(self, number: int, started: float, state: dict[str, Any] | None = None) -> Runner:
        """Create the chain with this number (from 1), from its seed or from its saved state."""
        if state is None:
            return Runner(number, self._chain(number), started)
        chain, best = self._resumed(number, state["chain"]), self.best(state)
        if self.growth is None:
            self._check(best)
        chain.remember(best)
        at, generation = state["improved_at"]
        runner = Runner(number, chain, started, best=best, generation=int(state["generation"]))
        runner.improved_at = float(at), int(generation)
        return runner

    def _chain(self, number: int) -> Chain:
        seed = np.random.SeedSequence(self.seed).spawn(number)[-1]
        restricted = self._restricted(number)
        if restricted is not None:
            return ConstrainedChain.start(restricted, seed, self.orders)
        if self.growth is not None:
            return self.growth.chain(self._growing, seed, self.orders)
        return self.algorithm.chain(self.space, number, seed, self.orders)

    def _resumed(self, number: int, state: dict[str, Any]) -> Chain:
        restricted = self._restricted(number)
        if restricted is not None:
            return ConstrainedChain.resumed(restricted, state)
        if self.growth is not None:
            return self.growth.resumed(self._growing, state)
        return self.algorithm.resumed(self.space, number, state)

    def _restricted(self, number: int) -> RestrictedSearch | None:
        """Return what creates chains under restrictions; None if chains enforce the relations."""
        if self.growth is not None:
            if self.growth.relations.are_orders:
                return None
            return RestrictedGrowth(self.growth, self._growing)
        if not self.relations:
            return None
        return RestrictedSets(self.algorithm, self.space, self.relations, number)

    @property
    def _growing(self) -> PSMINOBS:
        """The settings, which must be of PS-MINOBS if the sets grow."""
        if not isinstance(self.algorithm, PSMINOBS):
            raise TypeError("parent sets grow only with PS-MINOBS")
        return self.algorithm

    def best(self, state: dict[str, Any]) -> Solution:
        """Return the best network of a saved state."""
        return solution_from_fields(self.parent_sets, state["best"])

    def _check(self, best: Solution) -> None:
        """Raise a ValueError if a network does not consist of these sets."""
        ranks, space = best.ranks, self.space
        same = best.sets is self.parent_sets and space.score(ranks) == best.score
        if not same or (ranks < space.best_ranks(best.order)).any():
            raise ValueError("its best network does not consist of these parent sets")


def search(
    parent_sets: ParentSets,
    algorithm: Algorithm,
    *,
    seed: int,
    stop: StopRule,
    started: float,
    orders: Sequence[NDArray[np.int32]] = (),
    relations: Relations | None = None,
    threads: int | None = None,
    watcher: Watcher | None = None,
) -> Outcome:
    """Run an algorithm over parent sets on this machine, first from the given orders."""
    threads = thread_count(threads)
    prepared = Search(parent_sets, algorithm, seed, orders, None, relations, threads)
    return run(prepared.runners(started), stop=stop, threads=threads, watcher=watcher)
