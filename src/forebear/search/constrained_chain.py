"""ConstrainedChain: a search under relations that parent sets cannot express.

It searches under one restriction after another. Every network under a restriction respects the
relations, except under the restriction to orders only, which shows the cost of the relations. Only
networks that respect the relations are kept.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from forebear.search.chain import Chain
from forebear.search.restriction_schedule import FIRST_TRIES, FIRST_TURNS, neighbouring_restriction

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from forebear.search.chain import FoundNetwork
    from forebear.search.restriction_schedule import RestrictionSchedule
    from forebear.search.restrictions import ArcCosts, Parents, Restriction
    from forebear.search.threads import Workers


class ConstrainedChain(Chain):
    """A chain under one restriction after another, over fixed or growing sets.

    Attributes
    ----------
    schedule
        Chooses the restrictions.
    restriction
        The current restriction.
    lossless
        Whether the best network found without the relations respects them.
    """

    schedule: RestrictionSchedule
    restriction: Restriction
    lossless: bool

    # ---- what a subclass does -------------------------------------------------------------------

    @abstractmethod
    def make_generation(self, workers: Workers) -> bool:
        """Run one generation under the restriction; return whether the search has stalled."""

    @abstractmethod
    def note_best(self) -> bool:
        """Record the best network; return whether one respects the relations."""

    @abstractmethod
    def note_free(self) -> None:
        """Record the best network without the relations, which the chain has just found."""

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
        """Continue under a restriction; stay if it leaves a variable without sets."""

    @abstractmethod
    def take(self, workers: Workers, found: FoundNetwork) -> bool:
        """Add a network that respects the relations; return whether it is now the best."""

    @abstractmethod
    def costs(self, network: Parents) -> ArcCosts:
        """Return the costs of arcs in a network."""

    @property
    @abstractmethod
    def known_network(self) -> Parents | None:
        """The best network that respects the relations."""

    @property
    @abstractmethod
    def free_network(self) -> Parents:
        """The best network found without the relations."""

    @abstractmethod
    def is_best_known(self) -> bool:
        """Return whether no network without the relations is better than the one with them."""

    @property
    def most_turns(self) -> float:
        """The number of restrictions to try before the run ends."""
        return math.inf

    def climb_from(self, workers: Workers, order: NDArray[np.int32]) -> None:
        """Climb from an order, if the search can use it."""

    # ---- the restrictions, one after another ----------------------------------------------------

    def turn_state(self) -> dict[str, Any]:
        """Return the current restriction as plain values."""
        return {
            "restriction": self.restriction.to_fields(),
            "entropy": self.schedule.entropy,
            "number": self.schedule.number,
            "lossless": self.lossless,
        }

    def advance(self, workers: Workers) -> None:
        """Run one generation; change the restriction when the search stalls.

        The first restriction is kept until there is a network that respects the relations.
        """
        stands_still = self.make_generation(workers)
        for _ in range(FIRST_TRIES):
            if self.note_best():
                break
            self._turn(workers)
            stands_still = self.make_generation(workers)
        if stands_still:
            self._turn(workers)
        self.note_best()

    def offer(self, workers: Workers, found: FoundNetwork) -> None:
        """Add a network that was found elsewhere, and continue from it."""
        problem = self.schedule.problem
        if not problem.relations.holds(found.parents):
            return
        if self.take(workers, found):
            network = self.known_network or found.parents
            restriction = neighbouring_restriction(problem, self.costs(network), network)
            self.restrict(workers, restriction or self.restriction, [found.order])
        self.climb_from(workers, found.order)

    def is_progressing(self) -> bool:
        """Return whether current work may pay off later, although no better network was found.

        This is the case until it reaches the cheapest restriction, or finds that the relations cost
        nothing.
        """
        return self.schedule.number < FIRST_TURNS and not self.lossless

    def _turn(self, workers: Workers) -> None:
        """Continue after a stall: under another restriction, or with another run."""
        self.note_best()
        is_free = self.restriction == self.schedule.free
        if is_free:
            self.note_free()
        self.lossless = is_free and self.is_best_known()
        if not self.lossless and self.schedule.number < self.most_turns:
            self.follow(workers)
        else:
            self.end_run(workers)

    def follow(self, workers: Workers) -> None:
        """Continue under the next restriction."""
        following = self.schedule.following(
            self.restriction, self.free_network, self.known_network, self.costs
        )
        self.restrict(workers, following)
