"""ConstrainedChain: a search under relations that parent sets cannot express.

The chain searches under one restriction after another. Every network under a restriction is valid:
it respects the relations. The one exception is the restriction to orders only, which shows what the
relations cost. Only valid networks are kept.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear.search.alternatives import parents_of
from forebear.search.chain import Chain
from forebear.search.restriction_schedule import FIRST_TRIES, FIRST_TURNS, neighboring_restriction
from forebear.search.space import as_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
    from forebear.search.chain import Solution
    from forebear.search.restriction_schedule import RestrictionSchedule
    from forebear.search.restrictions import ArcCosts, Parents, Restriction
    from forebear.search.threads import Workers


class RankedNetwork(NamedTuple):
    """A network as ranks (from 0) among all sets. Scores are comparable within one chain."""

    score: float
    order: NDArray[np.int32]
    ranks: NDArray[np.int32]


class ConstrainedChain(Chain):
    """A chain under one restriction after another.

    Subclasses define how the search is restricted: ``ConstrainedFixedChain`` for a fixed collection
    of sets, ``ConstrainedGrowingChain`` for one that grows.

    Attributes
    ----------
    schedule
        Chooses the restrictions.
    restriction
        The current restriction.
    valid
        The best valid network of the collection; None if there is none yet.
    unconstrained
        The best network found under the restriction to orders only, as ranks among all sets; None
        if there is none yet.
    lossless
        Whether the best network found without the relations respects them.
    """

    schedule: RestrictionSchedule
    restriction: Restriction
    valid: RankedNetwork | None = None
    unconstrained: NDArray[np.int32] | None = None
    lossless: bool = False

    # ---- what a subclass defines ----------------------------------------------------------------

    @property
    @abstractmethod
    def all_sets(self) -> ParentSets:
        """All sets, restricted or not."""

    @abstractmethod
    def score_of(self, ranks: NDArray[np.int32]) -> float:
        """Return the score of a network, comparable with that of ``valid``."""

    @abstractmethod
    def run_generation(self, workers: Workers) -> bool:
        """Run one generation under the restriction; return whether the search has stalled."""

    @abstractmethod
    def update_valid(self) -> bool:
        """Look for a better valid network; return whether there is a valid one."""

    @abstractmethod
    def update_unconstrained(self) -> None:
        """Record the best network of a search under the restriction to orders only."""

    @abstractmethod
    def end_run(self, workers: Workers) -> None:
        """Continue after a stall without another restriction."""

    @abstractmethod
    def restrict(
        self,
        workers: Workers,
        restriction: Restriction,
        orders: Sequence[NDArray[np.int32]] | None = None,
    ) -> None:
        """Continue under a restriction; ignore it if it leaves a variable without sets."""

    @abstractmethod
    def add_valid(self, workers: Workers, solution: Solution) -> bool:
        """Add a valid network; return whether it is now the best."""

    @abstractmethod
    def costs(self, network: Parents) -> ArcCosts:
        """Return the costs of arcs in a network."""

    @property
    def most_turns(self) -> float:
        """The number of restrictions to try before the run ends."""
        return math.inf

    def climb_from(self, workers: Workers, order: NDArray[np.int32]) -> None:
        """Climb from an order, if the search can use it."""

    # ---- one restriction after another ----------------------------------------------------------

    @property
    def valid_network(self) -> Parents | None:
        """The parents of the best valid network."""
        return None if self.valid is None else parents_of(self.all_sets, self.valid.ranks)

    @property
    def unconstrained_network(self) -> Parents:
        """The best network without the relations.

        Before there is one, this is the best valid network, or the best set of every variable.
        """
        if self.unconstrained is not None:
            return parents_of(self.all_sets, self.unconstrained)
        top = np.zeros(self.all_sets.n_variables, dtype=np.int32)
        return self.valid_network or parents_of(self.all_sets, top)

    def is_lossless(self) -> bool:
        """Return whether the valid network is as good as the best one without the relations."""
        if self.unconstrained is None or self.valid is None:
            return False
        return self.score_of(self.unconstrained) <= self.valid.score

    def is_valid(self, ranks: NDArray[np.int32]) -> bool:
        """Return whether a network respects the relations."""
        return self.schedule.problem.relations.holds(parents_of(self.all_sets, ranks))

    def advance(self, workers: Workers) -> None:
        """Run one generation; change the restriction when the search stalls.

        The first restriction is replaced at once if there is no valid network under it.
        """
        stalled = self.run_generation(workers)
        for _ in range(FIRST_TRIES):
            if self.update_valid():
                break
            self._turn(workers)
            stalled = self.run_generation(workers)
        if stalled:
            self._turn(workers)
        self.update_valid()

    def offer(self, workers: Workers, solution: Solution) -> None:
        """Add a network that was found elsewhere, if it is valid, and continue from it."""
        problem = self.schedule.problem
        if not problem.relations.holds(solution.parents):
            return
        if self.add_valid(workers, solution):
            network = self.valid_network or solution.parents
            restriction = neighboring_restriction(problem, self.costs(network), network)
            self.restrict(workers, restriction or self.restriction, [solution.order])
        self.climb_from(workers, solution.order)

    def is_progressing(self) -> bool:
        """Return whether the search may improve later, although it has not improved yet.

        This is the case until it reaches the cheapest restriction, or finds that the relations cost
        nothing.
        """
        return self.schedule.number < FIRST_TURNS and not self.lossless

    def _turn(self, workers: Workers) -> None:
        """Continue after a stall: under another restriction, or with another run."""
        self.update_valid()
        orders_only = self.restriction == self.schedule.orders_only
        if orders_only:
            self.update_unconstrained()
        self.lossless = orders_only and self.is_lossless()
        if not self.lossless and self.schedule.number < self.most_turns:
            self.change_restriction(workers)
        else:
            self.end_run(workers)

    def change_restriction(self, workers: Workers) -> None:
        """Continue under the next restriction of the schedule."""
        self.update_valid()
        restriction = self.schedule.next_restriction(
            self.restriction, self.unconstrained_network, self.valid_network, self.costs
        )
        self.restrict(workers, restriction)

    # ---- saving and restoring -------------------------------------------------------------------

    def restriction_state(self) -> dict[str, Any]:
        """Return the restriction and the best networks as plain values, with the names in files."""
        return {
            "restriction": self.restriction.to_fields(),
            "entropy": self.schedule.entropy,
            "number": self.schedule.number,
            "lossless": self.lossless,
            "respecting": None if self.valid is None else [self.valid.order, self.valid.ranks],
            "free": self.unconstrained,
        }

    def restore_networks(self, state: dict[str, Any]) -> None:
        """Restore the best networks from a saved state."""
        if state["respecting"] is not None:
            order, ranks = map(as_order, state["respecting"])
            if not self.is_valid(ranks):
                raise ValueError("its best network violates the knowledge")
            self.valid = RankedNetwork(self.score_of(ranks), order, ranks)
        self.unconstrained = None if state["free"] is None else as_order(state["free"])
        self.lossless = bool(state["lossless"])
