"""ConstrainedGrowingChain: the search of ``learn`` under restrictions.

The collection holds all sets and is kept from run to run, because it has the sets that restrictions
require. The population searches the sets that the restriction leaves. Arcs that a restriction
requires may lower the score. They are passed to the collection, so that sets with these arcs are
kept and extended like others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.search.alternatives import parents_of, ranks_of
from forebear.search.chain import FoundNetwork
from forebear.search.constrained_chain import ConstrainedChain
from forebear.search.growing_chain import GrowingChain
from forebear.search.restriction_schedule import FIRST_TURNS
from forebear.search.restrictions import ArcCosts
from forebear.search.space import Individual, as_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.scoring.growing_sets import GrowingSets
    from forebear.search.alternatives import Alternative
    from forebear.search.growth import Growth
    from forebear.search.population import Population
    from forebear.search.psminobs import PSMINOBS
    from forebear.search.restriction_schedule import RestrictionSchedule
    from forebear.search.restrictions import Parents, Restriction
    from forebear.search.space import SearchSpace
    from forebear.search.threads import Workers

TURNS_PER_RUN = 4
"""Restrictions that are tried in a run before the next one starts. Judgement."""


def restricted_space(layout: SearchSpace, restriction: Restriction) -> SearchSpace | None:
    """Return the sets of a layout that a restriction leaves; None if a variable has none."""
    keep = restriction.allows(layout.parent_sets)
    orders = restriction.orders | restriction.required
    return layout.restricted(keep, orders, restriction.required_parents())


class ConstrainedGrowingChain(ConstrainedChain, GrowingChain):
    """Runs of growing size, under one restriction after another.

    Parameters
    ----------
    growth, settings, growing
        As of ``GrowingChain``.
    schedule
        Chooses the restrictions.
    restriction
        The first one.
    start
        Creates the population in the space of the sets that the restriction leaves.
    """

    make_generation = GrowingChain.make_generation
    end_run = GrowingChain.end_run
    climb_from = GrowingChain.climb_from

    def __init__(
        self,
        growth: Growth,
        settings: PSMINOBS,
        growing: GrowingSets,
        schedule: RestrictionSchedule,
        restriction: Restriction,
        start: Callable[[SearchSpace], Population],
    ) -> None:
        self.schedule, self.restriction, self.lossless = schedule, restriction, False
        self._layout = growth.lay_out(growing)
        space = restricted_space(self._layout, restriction)
        if space is None:
            raise ValueError("its restriction does not fit its parent sets")
        super().__init__(growth, settings, growing, start(space))
        # The best networks of the collection, as ranks among all sets: of those that respect the
        # relations, and without the relations.
        self._known: Individual | None = None
        self._free: NDArray[np.int32] | None = None

    @property
    def space(self) -> SearchSpace:
        """All sets as they are now."""
        return self._layout

    def networks(self) -> tuple[Alternative, ...]:
        """The best networks of all runs that respect the relations, each once."""
        return tuple(one for one in super().networks() if self.growth.relations.holds(one.parents))

    # ---- the best networks ----------------------------------------------------------------------

    def note_best(self) -> bool:
        """Note the best member that respects the relations; return whether there ever was one."""
        population = self.population
        for member in sorted(population.members, key=lambda one: -one.score):
            if self._known is not None and member.score <= self._known.score:
                break
            ranks = population.space.full_ranks(member.ranks)
            if np.isfinite(self._layout.score(ranks)) and self._respects(ranks):
                self._known = Individual(member.score, member.order, ranks)
                self.remember(FoundNetwork.of(self._layout, self._known))
                break
        return self._known is not None

    def _respects(self, ranks: NDArray[np.int32]) -> bool:
        return self.growth.relations.holds(parents_of(self._layout.parent_sets, ranks))

    @property
    def _best_known(self) -> Individual:
        """The best network of the collection that respects the relations, as ranks of all sets."""
        self.note_best()
        if self._known is None:
            raise AssertionError("every network under a restriction respects the relations")
        return self._known

    @property
    def _best_member(self) -> NDArray[np.int32]:
        """The best member, as ranks among all sets."""
        return self.population.space.full_ranks(self.population.best.ranks)

    @property
    def known_network(self) -> Parents:
        """The best network of the collection that respects the relations."""
        return parents_of(self._layout.parent_sets, self._best_known.ranks)

    @property
    def free_network(self) -> Parents:
        """The best network without the relations; the best with them if that is not known."""
        if self._free is None:
            return self.known_network
        return parents_of(self._layout.parent_sets, self._free)

    def note_free(self) -> None:
        """Record the best network without the relations, which the chain has just found."""
        self._free = self._best_member

    def is_best_known(self) -> bool:
        """Return whether no member is better than the best network that respects the relations."""
        return self._best_known.score >= self.population.best.score

    def costs(self, network: Parents) -> ArcCosts:
        """Return the costs of arcs in a network, by the sets and by the gains of other parents."""
        sets = self._layout.parent_sets
        return ArcCosts(sets, network, self.growing.gains(ranks_of(sets, network)))

    # ---- restrictions ---------------------------------------------------------------------------

    @property
    def most_turns(self) -> float:
        """How many restrictions are tried before the next run."""
        return FIRST_TURNS + TURNS_PER_RUN * (1 + self.runs)

    def start_run(self, workers: Workers) -> None:
        """Start another run, under another restriction if there must be one."""
        if not (self.restriction == self.schedule.free and self.is_best_known()):
            self.follow(workers)
        super().start_run(workers)

    def restrict(
        self,
        workers: Workers,
        restriction: Restriction,
        orders: Sequence[NDArray[np.int32]] | None = None,
    ) -> None:
        """Continue under a restriction; stay if it leaves a variable without sets."""
        del orders
        required = restriction.required_parents(self.schedule.problem.given).items()
        networks = [self._best_known.ranks, self._best_member]
        self.growing.require(required, networks, workers.threads, workers.budget)
        self._adapt(workers, self._lay_out(workers.threads, restriction))
        self.population.take_in(workers, self._best_known.order)

    def take(self, workers: Workers, found: FoundNetwork) -> bool:
        """Take in the sets of a network; return whether it is the best of the collection now."""
        self.remember(found)
        if not self.population.members:  # between two runs: it joins the next one
            return False
        self.add_network(workers, found)
        self.note_best()
        own = [self._layout.parent_sets.find(v, p) for v, p in enumerate(found.parents)]
        ranks = as_order([one.rank - 1 for one in own if one is not None])
        if len(ranks) < len(own):  # a set was dropped since a subset is better
            return False
        total = self._layout.sets.total(ranks)
        if self._known is not None and total <= self._known.score:
            return False
        self._known = Individual(total, found.order, ranks)
        return True

    def move_on(self, workers: Workers) -> None:
        """Carry the population over to the collection as it is now."""
        self.note_best()
        super().move_on(workers)

    def _lay_out(self, threads: int, restriction: Restriction | None = None) -> SearchSpace:
        """Lay out the collection as it is now, and return what the restriction leaves of it.

        The restriction stays as it was if the new one would leave a variable without sets.
        """
        layout = self.growth.lay_out(self.growing, threads)
        for one in (restriction or self.restriction, self.restriction):
            space = restricted_space(layout, one)
            if space is not None:
                break
        else:
            raise AssertionError("sets that are in use stay")
        if self._known is not None:
            ranks = self.growing.translate(self._known.ranks)
            self._known = Individual(layout.sets.total(ranks), self._known.order, ranks)
        if self._free is not None:
            self._free = self.growing.translate(self._free)
        self.restriction, self._layout = one, layout
        return space

    def _first_space(self, threads: int) -> SearchSpace:
        """Return the sets that the next run starts with: those that there are."""
        del threads
        return self.population.space

    def _in_use(self) -> list[NDArray[np.int32]]:
        """Return the networks whose sets grow, and are not forgotten."""
        self.note_best()
        known = [] if self._known is None else [self._known.ranks]
        free = [] if self._free is None else [self._free]
        return [*super()._in_use(), *known, *free]

    # ---- saving and restoring -------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        known = self._known
        return {
            **super().state(),
            **self.turn_state(),
            "respecting": None if known is None else [known.order, known.ranks],
            "free": self._free,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        super().restore(state)
        if state["respecting"] is not None:
            order, ranks = map(as_order, state["respecting"])
            if not self._respects(ranks):
                raise ValueError("its best network violates the knowledge")
            self._known = Individual(self._layout.sets.total(ranks), order, ranks)
        self._free = None if state["free"] is None else as_order(state["free"])
        self.lossless = bool(state["lossless"])
