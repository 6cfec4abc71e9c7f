"""RestrictionView: the part of a growing collection that a restriction leaves.

The collection holds all sets; the population searches those that the restriction leaves. Arcs that
it requires may lower the score: the collection is told of them, so that sets with them are kept and
grow like others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.search.alternatives import parents_of, ranks_of
from forebear.search.arc_costs import ArcCosts
from forebear.search.chain import FoundNetwork
from forebear.search.restriction_schedule import FIRST_TURNS
from forebear.search.space import Individual, as_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.scoring.growing_sets import GrowingSets
    from forebear.search.growing_chain import GrowingChain
    from forebear.search.growth import Growth
    from forebear.search.population import Population
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


class RestrictionView:
    """What a restriction leaves of a collection, and the networks that tell what comes next.

    Parameters
    ----------
    growth
        Lays out the collection.
    growing
        The collection.
    restriction
        The first restriction.

    Attributes
    ----------
    layout
        All sets as they are now.
    space
        Those that the restriction leaves.
    known
        The best network of the collection that respects the relations; ranks among all sets.
    free
        The best network without the relations, as ranks among all sets.
    reached
        The score that the population had last under this restriction, in ticks.
    """

    def __init__(self, growth: Growth, growing: GrowingSets, restriction: Restriction) -> None:
        self._growth = growth
        self._growing = growing
        self.restriction = restriction
        self.layout = growth.lay_out(growing)
        space = restricted_space(self.layout, restriction)
        if space is None:
            raise ValueError("its restriction does not fit its parent sets")
        self.space = space
        self.known: Individual | None = None
        self.free: NDArray[np.int32] | None = None
        self.reached: int | None = None
        self._violating: list[Individual] = []  # members

    def networks(self) -> list[NDArray[np.int32]]:
        """Return the networks whose sets must not be forgotten."""
        known = [] if self.known is None else [self.known.ranks]
        return known if self.free is None else [*known, self.free]

    def parents(self, ranks: NDArray[np.int32]) -> Parents:
        """Return the network of these ranks among all sets."""
        return parents_of(self.layout.parent_sets, ranks)

    def move(self, restriction: Restriction, threads: int) -> None:
        """Lay out the collection as it is now; stay if a variable would be without sets."""
        layout = self._growth.lay_out(self._growing, threads)
        space = restricted_space(layout, restriction)
        if space is None:
            restriction, space = self.restriction, restricted_space(layout, self.restriction)
        if space is None:
            raise AssertionError("sets that are in use stay")
        if self.known is not None:
            ranks = self._growing.translate(self.known.ranks)
            self.known = Individual(layout.sets.total(ranks), self.known.order, ranks)
        if self.free is not None:
            self.free = self._growing.translate(self.free)
        self._violating = []
        self.restriction, self.layout, self.space = restriction, layout, space

    def note_best(self, population: Population) -> FoundNetwork | None:
        """Note the best member that respects the relations; return it if it is the best so far."""
        members = population.members
        self._violating = [one for one in self._violating if any(one is other for other in members)]
        for member in sorted(members, key=lambda one: -one.score):
            if self.known is not None and member.score <= self.known.score:
                break
            if any(one is member for one in self._violating):
                continue
            ranks = population.space.full_ranks(member.ranks)
            if np.isfinite(self.layout.score(ranks)) and self._respects(ranks):
                self.known = Individual(member.score, member.order, ranks)
                return FoundNetwork.of(self.layout, self.known)
            self._violating.append(member)
        return None

    def take(self, found: FoundNetwork) -> bool:
        """Note a network that respects the relations, if its sets are there and it is better."""
        own = [self.layout.parent_sets.find(v, p) for v, p in enumerate(found.parents)]
        ranks = as_order([one.rank - 1 for one in own if one is not None])
        if len(ranks) < len(own):  # a set was dropped since a subset is better
            return False
        total = self.layout.sets.total(ranks)
        if self.known is not None and total <= self.known.score:
            return False
        self.known = Individual(total, found.order, ranks)
        return True

    def _respects(self, ranks: NDArray[np.int32]) -> bool:
        return self._growth.relations.holds(self.parents(ranks))

    def state(self) -> dict[str, Any]:
        """Return the networks, as arrays."""
        known = self.known
        return {
            "respecting": None if known is None else [known.order, known.ranks],
            "free": self.free,
            "reached": self.reached,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        if state["respecting"] is not None:
            order, ranks = map(as_order, state["respecting"])
            if not self._respects(ranks):
                raise ValueError("its best network violates the knowledge")
            self.known = Individual(self.layout.sets.total(ranks), order, ranks)
        self.free = None if state["free"] is None else as_order(state["free"])
        self.reached = None if state["reached"] is None else int(state["reached"])


class RestrictedGrowth:
    """A growing chain that keeps to a restriction, which can be exchanged.

    Parameters
    ----------
    chain
        The chain.
    view
        Its view of the collection.
    """

    def __init__(self, chain: GrowingChain, view: RestrictionView) -> None:
        self._chain = chain
        self._view = view

    @property
    def _member(self) -> NDArray[np.int32]:
        """The best member, as ranks among all sets."""
        population = self._chain.population
        return population.space.full_ranks(population.best.ranks)

    @property
    def _known(self) -> Individual:
        """The best network of the collection that respects the relations, as ranks of all sets."""
        self._chain.note_best()
        if self._view.known is None:
            raise AssertionError("every network under a restriction respects the relations")
        return self._view.known

    @property
    def restriction(self) -> Restriction:
        """The restriction that it keeps to now."""
        return self._view.restriction

    @property
    def most_turns(self) -> float:
        """How many restrictions are tried before the next run."""
        return FIRST_TURNS + TURNS_PER_RUN * (1 + self._chain.runs)

    @property
    def known_network(self) -> Parents:
        """The best network of the collection that respects the relations."""
        return self._view.parents(self._known.ranks)

    @property
    def free_network(self) -> Parents:
        """The best network without the relations; the best with them if that is not known."""
        free = self._view.free
        return self.known_network if free is None else self._view.parents(free)

    def costs(self, network: Parents) -> ArcCosts:
        """Return what arcs cost a network, by the sets and by what other parents would gain."""
        sets = self._view.layout.parent_sets
        return ArcCosts(sets, network, self._chain.growing.gains(ranks_of(sets, network)))

    def note_standstill(self, *, is_free: bool) -> None:
        """Note the best networks."""
        self._chain.note_best()
        if is_free:
            self._view.free = self._member

    def is_best_known(self) -> bool:
        """Return whether no member is better than the best network that respects the relations."""
        return self._known.score >= self._chain.population.best.score

    def has_improved(self) -> bool:
        """Return whether the best member is better than at the last call, or the first one."""
        if not self._chain.population.members:
            return False
        before, self._view.reached = self._view.reached, self._chain.population.best.score
        return before is None or self._view.reached > before

    def restrict(
        self,
        workers: Workers,
        restriction: Restriction,
        orders: Sequence[NDArray[np.int32]] | None = None,
    ) -> None:
        """Continue under a restriction; stay if it leaves a variable without sets."""
        del orders
        chain = self._chain
        required = restriction.required_parents(chain.growth.problem.given).items()
        networks = [self._known.ranks, self._member]
        chain.growing.require(required, networks, workers.threads, workers.budget)
        chain.move_on(workers, restriction)
        self._view.reached = None
        chain.population.take_in(workers, self._known.order)

    def take(self, workers: Workers, found: FoundNetwork) -> bool:
        """Take in the sets of a network; return whether it is the best of the collection now."""
        self._chain.remember(found)
        if not self._chain.population.members:  # between two runs: it joins the next one
            return False
        self._chain.add_network(workers, found)
        self._chain.note_best()
        return self._view.take(found)
