"""ConstrainedChain: a search under relations that parent sets cannot express.

It holds a chain that keeps to one restriction after another. Every network under a restriction
respects the relations, except under the restriction to orders alone, which tells what the relations
cost. Only networks that respect them count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forebear.search.chain import Chain
from forebear.search.restriction_schedule import FIRST_TRIES, FIRST_TURNS
from forebear.search.restrictions import neighbouring_restriction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.parentsets.collection import ParentSets
    from forebear.search.alternatives import Alternative
    from forebear.search.chain import FoundNetwork
    from forebear.search.fixed_sets_chain import FixedSetsChain
    from forebear.search.growing_chain import GrowingChain
    from forebear.search.restriction_schedule import RestrictionSchedule
    from forebear.search.restriction_view import RestrictedGrowth
    from forebear.search.threads import Workers


class ConstrainedChain(Chain):
    """A chain under one restriction after another.

    Parameters
    ----------
    chain
        The chain. Its networks are those that respect the relations.
    restricted
        What exchanges its restriction.
    schedule
        Chooses the restrictions.
    lossless
        Whether the best network without the relations was seen to respect them.
    """

    def __init__(
        self,
        chain: FixedSetsChain | GrowingChain,
        restricted: FixedSetsChain | RestrictedGrowth,
        schedule: RestrictionSchedule,
        *,
        lossless: bool = False,
    ) -> None:
        self.chain = chain
        self._restricted = restricted
        self._schedule = schedule
        self._lossless = lossless

    @property
    def runs(self) -> int:
        """How many times the search has come to a standstill and started again."""
        return self.chain.runs

    @property
    def sets_grow(self) -> bool:
        """Whether it has parent sets of its own, which grow."""
        return self.chain.sets_grow

    @property
    def exhausted(self) -> bool:
        """Whether no further parent sets will be scored."""
        return self.chain.exhausted

    @property
    def best(self) -> FoundNetwork:
        """The best network so far that respects the relations."""
        return self.chain.best

    def parent_sets(self) -> ParentSets:
        """Return all sets that its networks are made of."""
        return self.chain.parent_sets()

    def networks(self) -> Sequence[Alternative]:
        """Return good networks that respect the relations, each once, best first."""
        return self.chain.networks()

    def remember(self, found: FoundNetwork) -> None:
        """Note a network of this search, so that it is not lost."""
        self.chain.remember(found)

    def add_sets(self, workers: Workers) -> bool:
        """Return whether there will be more parent sets: the best network of these is known."""
        return self.chain.add_sets(workers)

    def rest(self) -> None:
        """Prepare for other threads."""
        self.chain.rest()

    def state(self) -> dict[str, Any]:
        """Return everything that is needed to continue: of the chain, and the restriction."""
        return {
            **self.chain.state(),
            "restriction": self._restricted.restriction.to_fields(),
            "entropy": self._schedule.entropy,
            "number": self._schedule.number,
            "lossless": self._lossless,
        }

    def advance(self, workers: Workers) -> None:
        """Make one generation; change the restriction at a standstill.

        The first one goes on until there is a network that respects the relations.
        """
        chain = self.chain
        if chain.add_slice(workers):
            self._start_run(workers)
        stands_still = chain.make_generation(workers)
        for _ in range(FIRST_TRIES):
            if chain.note_best():
                break
            self._turn(workers)
            stands_still = chain.make_generation(workers)
        if (start := chain.start_network()) is not None:
            self.offer(workers, start)
        if stands_still:
            self._turn(workers)
        chain.note_best()

    def offer(self, workers: Workers, found: FoundNetwork) -> None:
        """Take in a network that was found elsewhere, and continue around it."""
        if not self._schedule.problem.relations.holds(found.parents):
            return
        restricted = self._restricted
        if restricted.take(workers, found):
            network = restricted.known_network or found.parents
            costs = restricted.costs(network)
            restriction = neighbouring_restriction(self._schedule.problem, costs, network)
            restricted.restrict(workers, restriction or restricted.restriction, [found.order])
        self.chain.climb_from(workers, found.order)

    def is_progressing(self) -> bool:
        """Return whether what the chain does pays later, though no better network counts yet.

        That is so until it has come to the cheapest restriction and finds nothing better there,
        or has seen that the relations cost nothing.
        """
        if self._schedule.number < FIRST_TURNS:
            return not self._lossless
        return self._schedule.number == FIRST_TURNS and self._restricted.has_improved()

    def _turn(self, workers: Workers) -> None:
        """Continue after a standstill: under another restriction, or with another run."""
        chain, restricted = self.chain, self._restricted
        restricted.note_standstill(is_free=self._is_free)
        self._lossless = self._is_free and restricted.is_best_known()
        if not self._lossless and self._schedule.number < restricted.most_turns:
            self._follow(workers)
        elif chain.joined:
            self._start_run(workers)
        else:
            chain.joined = True
            self.offer(workers, chain.best)

    @property
    def _is_free(self) -> bool:
        """Whether networks keep to orders alone now."""
        return self._restricted.restriction == self._schedule.free

    def _start_run(self, workers: Workers) -> None:
        """Start another run, under another restriction if there must be one."""
        if not (self._is_free and self._restricted.is_best_known()):
            self._follow(workers)
        self.chain.start_run(workers)

    def _follow(self, workers: Workers) -> None:
        """Continue under the next restriction."""
        now = self._restricted
        following = self._schedule.following(
            now.restriction, now.free_network, now.known_network, now.costs
        )
        now.restrict(workers, following)
