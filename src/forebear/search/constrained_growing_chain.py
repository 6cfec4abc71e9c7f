"""ConstrainedGrowingChain: the search of ``learn`` under restrictions.

The collection holds all sets. It is kept from run to run, because it has the sets that restrictions
require. The population searches the sets that the restriction leaves. Arcs that a restriction
requires may lower the score. They are passed to the collection, which then keeps and extends sets
with these arcs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.search.alternatives import ranks_of
from forebear.search.chain import Solution
from forebear.search.constrained_chain import ConstrainedChain, RankedNetwork
from forebear.search.growing_chain import GrowingChain
from forebear.search.restriction_schedule import FIRST_TURNS
from forebear.search.restrictions import ArcCosts
from forebear.search.space import as_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
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
"""Restrictions to try in a run before the next run starts. Judgement."""


def restricted_space(layout: SearchSpace, restriction: Restriction) -> SearchSpace | None:
    """Return the space of the sets that a restriction allows; None if a variable has none."""
    keep = restriction.allows(layout.parent_sets)
    orders = restriction.orders | restriction.required
    return layout.restrict(keep, orders, restriction.required_parents())


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
        Creates the population in the space of the sets that the restriction allows.
    """

    run_generation = GrowingChain.run_generation
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
        self.schedule, self.restriction = schedule, restriction
        self._layout = growth.lay_out(growing)
        space = restricted_space(self._layout, restriction)
        if space is None:
            raise ValueError("its restriction does not fit its parent sets")
        super().__init__(growth, settings, growing, start(space))

    @property
    def space(self) -> SearchSpace:
        """The space of all sets as they are now."""
        return self._layout

    @property
    def all_sets(self) -> ParentSets:
        """All sets, restricted or not."""
        return self._layout.parent_sets

    def score_of(self, ranks: NDArray[np.int32]) -> float:
        """Return the score of a network, in ticks."""
        return self._layout.sets.total(ranks)

    def networks(self) -> tuple[Alternative, ...]:
        """Return the best distinct valid networks of all runs."""
        return tuple(one for one in super().networks() if self.growth.relations.holds(one.parents))

    # ---- the best networks ----------------------------------------------------------------------

    def update_valid(self) -> bool:
        """Record the best valid member; return whether there ever was one."""
        population = self.population
        for member in sorted(population.members, key=lambda one: -one.score):
            if self.valid is not None and member.score <= self.valid.score:
                break
            ranks = population.space.full_ranks(member.ranks)
            if np.isfinite(self._layout.score(ranks)) and self.is_valid(ranks):
                self.valid = RankedNetwork(member.score, member.order, ranks)
                score = self._layout.score(ranks)
                self.remember(Solution(score, member.order, self.all_sets, ranks))
                break
        return self.valid is not None

    @property
    def _best_valid(self) -> RankedNetwork:
        """The best valid network of the collection."""
        self.update_valid()
        if self.valid is None:
            raise AssertionError("every network under a restriction respects the relations")
        return self.valid

    @property
    def _best_member(self) -> NDArray[np.int32]:
        """The best member, as ranks among all sets."""
        return self.population.space.full_ranks(self.population.best.ranks)

    def update_unconstrained(self) -> None:
        """Record the best member as the best network without the relations."""
        self.unconstrained = self._best_member

    def costs(self, network: Parents) -> ArcCosts:
        """Return the costs of arcs, from the sets and the gain of each child by another parent."""
        sets = self.all_sets
        return ArcCosts(sets, network, self.growing.gains(ranks_of(sets, network)))

    # ---- restrictions ---------------------------------------------------------------------------

    @property
    def most_turns(self) -> float:
        """The number of restrictions to try before the next run."""
        return FIRST_TURNS + TURNS_PER_RUN * (1 + self.runs)

    def start_run(self, workers: Workers) -> None:
        """Start another run, under another restriction unless the relations cost nothing."""
        orders_only = self.restriction == self.schedule.orders_only
        if orders_only:
            self.update_unconstrained()
        if not (orders_only and self.is_lossless()):
            self.change_restriction(workers)
        super().start_run(workers)

    def restrict(
        self,
        workers: Workers,
        restriction: Restriction,
        orders: Sequence[NDArray[np.int32]] | None = None,
    ) -> None:
        """Continue under a restriction; ignore it if it leaves a variable without sets."""
        del orders
        required = restriction.required_parents(self.schedule.problem.given).items()
        networks = [self._best_valid.ranks, self._best_member]
        self.growing.require(required, networks, workers.threads, workers.budget)
        self._adapt(workers, self._lay_out(workers.threads, restriction))
        self.population.climb_and_replace(workers, self._best_valid.order)

    def add_valid(self, workers: Workers, solution: Solution) -> bool:
        """Add a network with its sets; return whether it is now the best of the collection."""
        self.remember(solution)
        if not self.population.members:  # between two runs: it joins the next one
            return False
        self.add_network(workers, solution)
        self.update_valid()
        own = [self.all_sets.find(v, p) for v, p in enumerate(solution.parents)]
        ranks = as_order([one.rank - 1 for one in own if one is not None])
        if len(ranks) < len(own):  # a set was dropped because a subset is better
            return False
        score = self.score_of(ranks)
        if self.valid is not None and score <= self.valid.score:
            return False
        self.valid = RankedNetwork(score, solution.order, ranks)
        return True

    def adopt_sets(self, workers: Workers) -> None:
        """Move the population to the collection as it is now."""
        self.update_valid()
        super().adopt_sets(workers)

    def _lay_out(self, threads: int, restriction: Restriction | None = None) -> SearchSpace:
        """Return the space of the sets that the restriction leaves of the collection as it is now.

        A new restriction is ignored if it would leave a variable without sets.
        """
        layout = self.growth.lay_out(self.growing, threads)
        for one in (restriction or self.restriction, self.restriction):
            space = restricted_space(layout, one)
            if space is not None:
                break
        else:
            raise AssertionError("sets in use are never dropped")
        self.restriction, self._layout = one, layout
        if self.valid is not None:
            ranks = self.growing.translate(self.valid.ranks)
            self.valid = RankedNetwork(self.score_of(ranks), self.valid.order, ranks)
        if self.unconstrained is not None:
            self.unconstrained = self.growing.translate(self.unconstrained)
        return space

    def _first_space(self, threads: int) -> SearchSpace:
        """Return the space that the next run starts with: the current one."""
        del threads
        return self.population.space

    def _in_use(self) -> list[NDArray[np.int32]]:
        """Return the networks whose sets are extended and never dropped."""
        self.update_valid()
        valid = [] if self.valid is None else [self.valid.ranks]
        unconstrained = [] if self.unconstrained is None else [self.unconstrained]
        return [*super()._in_use(), *valid, *unconstrained]

    # ---- saving and restoring -------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        return {**super().state(), **self.restriction_state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        super().restore(state)
        self.restore_networks(state)
