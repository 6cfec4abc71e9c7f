"""Multistart searches over orders: INOBS, OBS and ASOBS.

``Multistart`` and ``MultistartChain`` are their base classes, also of hill climbing and tabu
search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.checks import check_whole
from forebear.parentsets.collection import ParentSets
from forebear.search.alternatives import Alternative
from forebear.search.chain import Chain, Solution
from forebear.search.space import Individual, SearchSpace, as_order, assign
from forebear.search.threads import Workers

_MAY_BE_0 = ("tabu_length", "patience", "restart_swaps")
"""The settings that may be 0."""


@dataclass(frozen=True)
class Multistart:
    """Settings of a search that restarts whenever it stalls.

    Parameters
    ----------
    chains
        Number of chains, each with its own seed.
    """

    chain_class: ClassVar[type[MultistartChain]]
    """The class of the chains."""

    chains: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            check_whole(0 if name in _MAY_BE_0 else 1, **{name: value})

    def chain(
        self,
        space: SearchSpace,
        number: int,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> MultistartChain:
        """Create one chain."""
        del number
        return self.chain_class(self, space, seed, orders)

    def resumed(self, space: SearchSpace, number: int, state: dict[str, Any]) -> MultistartChain:
        """Create a chain that continues from a saved state."""
        chain = self.chain(space, number, np.random.SeedSequence(0))
        chain.restore(state)
        return chain


class MultistartChain(Chain):
    """A search that restarts, first from the given orders, and keeps the best network."""

    def __init__(
        self,
        settings: Any,
        space: SearchSpace,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]],
    ) -> None:
        self._settings = settings
        self.space = space
        self.random = _core.Random(seed.generate_state(4, np.uint64).tolist())
        self._given = [as_order(order) for order in orders]
        # The best network is defined from the start, and is no worse than the given orders.
        starts = self._given or [self.random.permutation(space.n)]
        self.incumbent = max((assign(space, order) for order in starts), key=lambda one: one.score)

    @property
    def best(self) -> Solution:
        """The best network so far."""
        return Solution.of(self.space, self.incumbent)

    def parent_sets(self) -> ParentSets:
        """Return the collection that its parent sets come from."""
        return self.space.parent_sets

    def networks(self) -> tuple[Alternative, ...]:
        """Return the best network only."""
        best = self.best
        return (Alternative(best.score, best.parents),)

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        return {"random": self.random.state, "given": self._given[:], "best": self.incumbent.order}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self.random = _core.Random(state["random"])
        self._given = [as_order(order) for order in state["given"]]
        self.incumbent = assign(self.space, as_order(state["best"]))

    def next_start(self) -> NDArray[np.int32]:
        """Return the next of the given orders; after the last one, a random order."""
        return self._given.pop(0) if self._given else self.random.permutation(self.space.n)

    def keep(self, individual: Individual) -> None:
        """Keep a network if it is the best so far."""
        if individual.score > self.incumbent.score:
            self.incumbent = individual


class BatchChain(MultistartChain):
    """Runs a batch of independent jobs per generation, each from its own start."""

    _settings: INOBS | ASOBS

    def run_generation(self, workers: Workers) -> bool:
        """Run one batch of jobs."""
        for individual in workers.run(self._settings.jobs(self)):
            self.keep(individual)
        return False


@dataclass(frozen=True)
class INOBS(Multistart):
    """INOBS: hill climbing over orders from random starts (Lee and van Beek, 2017).

    A move takes one variable out of the order and inserts it elsewhere.

    Parameters
    ----------
    climbs
        Number of climbs per generation.
    chains
        Number of chains, each with its own seed.
    """

    chain_class: ClassVar[type[MultistartChain]] = BatchChain

    climbs: int = 8

    def jobs(self, chain: MultistartChain) -> list[_core.Job]:
        """Return the climbs of a generation, each with its own random numbers."""
        sets, random = chain.space.sets, chain.random
        return [
            _core.Job.climb(sets, chain.next_start(), random.spawn()) for _ in range(self.climbs)
        ]


@dataclass(frozen=True)
class ASOBS(Multistart):
    """ASOBS: search over orders that requires only acyclicity (Scanagatta et al., 2015).

    From the last variable of a random order to the first, each gets its best parent set that closes
    no cycle, even if the parents follow it in the order. The resulting network has its own order,
    and each variable then gets its best parent set under that order.

    Parameters
    ----------
    batch
        Number of orders per generation.
    chains
        Number of chains, each with its own seed.
    """

    chain_class: ClassVar[type[MultistartChain]] = BatchChain

    batch: int = 64

    def jobs(self, chain: MultistartChain) -> list[_core.Job]:
        """Return the selections of a generation."""
        sets = chain.space.sets
        return [_core.Job.select(sets, chain.next_start()) for _ in range(self.batch)]


class OBSChain(MultistartChain):
    """Swaps adjacent variables of an order, from one start after another."""

    _settings: OBS

    def __init__(
        self,
        settings: OBS,
        space: SearchSpace,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]],
    ) -> None:
        super().__init__(settings, space, seed, orders)
        self._climber = _core.SwapClimber(space.sets, settings.tabu_length, settings.patience)
        self._start: NDArray[np.int32] | None = self.next_start()

    def run_generation(self, workers: Workers) -> bool:
        """Continue the climb; when it ends, choose the next start."""
        if workers.budget.spent:
            return False
        climber = self._climber
        if self._start is not None:
            climber.start(self._start)
            self._start = None
        ended = climber.climb(self._settings.steps)
        if climber.best_score > self.incumbent.score:
            self.keep(assign(self.space, climber.best_order))
        if ended:
            self._start = self._restart()
        return False

    def _restart(self) -> NDArray[np.int32]:
        most = self._settings.restart_swaps
        if self._given or not most:
            return self.next_start()
        order = self.incumbent.order.copy()
        for _ in range(1 + self.random.below(most)):
            i, j = self.random.below(len(order)), self.random.below(len(order))
            order[i], order[j] = order[j], order[i]
        return order


@dataclass(frozen=True)
class OBS(Multistart):
    """OBS: search over orders by adjacent swaps, with a tabu list (Teyssier and Koller, 2005).

    Parameters
    ----------
    tabu_length
        Length of the tabu list: this many recent swaps are not undone unless that gives a new best
        network.
    patience
        A climb ends after this many swaps without a new best network.
    restart_swaps
        Largest number of random swaps between the best order and the next start; 0 starts from a
        random order.
    steps
        Largest number of swaps in a generation; a generation also ends with its climb.
    chains
        Number of chains, each with its own seed.
    """

    chain_class: ClassVar[type[MultistartChain]] = OBSChain

    tabu_length: int = 100
    patience: int = 100
    restart_swaps: int = 4
    steps: int = 2000
