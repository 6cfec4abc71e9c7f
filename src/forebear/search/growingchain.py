"""GrowingChain: a population on a collection of parent sets that grows.

The population starts on small sets. Every few generations the neighbours of the sets that its
members use are scored: one parent more, one less, one exchanged. The population then moves to the
larger collection. Further sets come from a list of sources: all sets of a few good candidates. The
cheap ones are used as soon as the population is full, the others one by one. A population that
stalls and asks for nothing new first meets the network that the opening has found, and then
restarts, each time with more members and every second time with another source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear._util.errors import LimitError
from forebear.budget import GROWTH_SOURCE_SHARE, GROWTH_STOCK_SHARE
from forebear.search.population import PopulationChain
from forebear.search.space import Individual, SearchSpace, as_orders, assign

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.scoring.growing import GrowingSets
    from forebear.search.growth import Growth
    from forebear.search.population import Population
    from forebear.search.psminobs import PSMINOBS
    from forebear.search.threads import Workers

SOURCES = ((20, 3), (20, 4), (20, 5), (30, 4), (30, 5), (40, 5))
"""Candidates of each variable, and parents: all sets of these are scored when a population
restarts, or at once where that is cheap. All pairs of parents come before them, unless the search
has started from these. More parents of few candidates come before more candidates: they are fewer
sets, and worth more (benchmarks/results/growth.md)."""

SETS_PER_GENERATION = 300
"""A collection of this many sets per variable waits one more generation for its growth, as laying
it out again then takes about as long as a generation. Judgement."""

RUGGED = 2.0
"""Nats per variable. Where the scores of climbed orders have a larger standard deviation, there are
many bad local optima, and the population grows in proportion to it. benchmarks/results/growth.md
has what this gained, on tables that were used to choose it and on others."""


RESTART_FACTOR = 2.0
MOST_MEMBERS = 1000
"""A restarted population is twice as large, up to this many members: a population that has stalled
was too small, and if there is time for a restart, there is time for a larger one (Auger and Hansen,
2005, do so for another search). benchmarks/results/growth.md has what this gained."""


class GrowingChain(PopulationChain):
    """A population on a collection of parent sets that grows.

    Parameters
    ----------
    growth
        The table, the score and the limits.
    settings
        The settings of the search.
    growing
        The collection.
    population
        The population; its space is the layout of the collection, or a part of it.
    """

    def __init__(
        self, growth: Growth, settings: PSMINOBS, growing: GrowingSets, population: Population
    ) -> None:
        super().__init__()
        self.growth = growth
        self.growing = growing
        self.population = population
        self.waited = 0
        self.source = 0  # of those that the growth lists, the next one
        self.restarts = 0
        self.sized = False  # whether the size of the population was chosen
        self.met = growth.guest is None  # whether the guest is in the population, if there is one
        self._settings = settings
        # The best order before a restart, which joins when the new population stalls.
        self._earlier_best: NDArray[np.int32] | None = None

    def renewed(self, best: Individual) -> Individual:
        """Return a network that was the best, with the sets as they are now."""
        return assign(self.space, best.order)

    def in_use(self) -> list[NDArray[np.int32]]:
        """The networks whose sets grow, and are not forgotten."""
        return self.members()

    def welcome(self, workers: Workers, order: NDArray[np.int32], ranks: NDArray[np.int32]) -> None:
        """Let a network that was found elsewhere join the population."""
        del ranks  # those of the order are as good
        if self.population.members:
            self.population.take_in(workers, order)

    def state(self) -> dict[str, Any]:
        """Return everything that is needed to continue, as numbers and arrays."""
        sets = self.space.parent_sets
        return {
            "sets": {"offsets": sets.offsets, "scores": sets.scores, "parents": sets.parents},
            "cores": [[child, *members] for child, members in self.growing.cores],
            "families": self.growing.families,
            "complete": self.growing.complete,
            "population": self.population.state(),
            "kept": list(self.kept),
            "waited": self.waited,
            "source": self.source,
            "restarts": self.restarts,
            "sized": self.sized,
            "met": self.met,
            "guests": [] if self._earlier_best is None else [self._earlier_best],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self.kept, self.restarts = as_orders(state["kept"]), int(state["restarts"])
        self.waited, self.source = int(state["waited"]), int(state["source"])
        self.sized, self.met = bool(state["sized"]), bool(state["met"])
        self._earlier_best = next(iter(as_orders(state["guests"])), None)

    def advance(self, workers: Workers) -> None:
        """Make one generation; grow when it is due, or when the population stalls."""
        population = self.population
        if population.members and self.source == 0 and self.growth.eager:
            self._add_more(workers)
        if population.full and not self.sized:
            self._choose_size()
            self._stock_up(workers)
        self.waited += 1
        due = self.waited > len(self.space.parent_sets) // (SETS_PER_GENERATION * self.space.n)
        population.advance(workers, ahead=not due)
        if workers.budget.spent or not (due or population.stalled):
            return
        self.waited = 0
        if self.growing.grow(self.in_use(), workers.threads, workers.budget):
            self._move_on(workers)
        elif not population.stalled or workers.budget.spent:
            return
        elif not self.met:
            self._meet_guest(workers)
        elif self._earlier_best is not None:
            population.take_in(workers, self._earlier_best)
            self._earlier_best = None
        elif not (self._turn(workers) or workers.budget.spent):
            self._restart(workers)

    def _choose_size(self) -> None:
        """Enlarge the population if climbs from random orders end far apart."""
        self.sized = True
        population, settings = self.population, self._settings.minobs
        if settings.variant == "crowding":
            nats = np.array([m.score for m in population.members]) / self.space.sets.ticks_per_nat
            spread = float(nats.std()) / self.space.n
            population.enlarge(min(max(1.0, spread / RUGGED), settings.enlarge))

    def _stock_up(self, workers: Workers) -> None:
        """Take sets from cheap sources at once: later, the members may be alike on small sets."""
        left = workers.budget.left
        if left is None or not self.growth.timed:
            return
        until = left * (1 - GROWTH_STOCK_SHARE)
        used, sources = -1, len(self.growth.sources)
        while used < self.source < sources and left > until:
            used = self.source
            self._add_more(workers, 1 - until / left)
            left = workers.budget.left or 0.0

    def _meet_guest(self, workers: Workers) -> None:
        """Take in the network that was found before, with its sets."""
        self.met, guest = True, self.growth.guest
        if guest is not None:
            if self.growing.add(guest.sets, workers.threads):
                self._move_on(workers)
            self.population.take_in(workers, guest.order)

    def _turn(self, workers: Workers) -> bool:
        """Do something else before more sets are scored; return whether there is anything."""
        del workers
        return False

    def _restart(self, workers: Workers) -> None:
        """Restart the population, with more members.

        Every second time there are more sets, and the best member joins only when the new
        population stalls; the other times it stays. Members of a population that has stalled gain
        little by more sets (benchmarks/results/growth.md has the ways that were tried).
        """
        self.kept = self.networks()
        self.restarts += 1
        population = self.population
        population.enlarge(min(RESTART_FACTOR, MOST_MEMBERS / population.size))
        if self.restarts % 2:
            self._add_from_sources(workers)
            self._earlier_best = population.best.order
            population.restart(workers, keep=0)
        else:
            population.restart(workers)

    def ask_for_more(self, workers: Workers) -> bool:
        """Add sets: the best network of those at hand is known. Return whether there are more.

        All sources are used at once, as every addition takes another proof.
        """
        more = self.growing.grow(self.in_use(), workers.threads, workers.budget) > 0
        if more:
            self._move_on(workers)
        while self._add_from_sources(workers):
            more = True
        return more

    def _add_from_sources(self, workers: Workers) -> bool:
        """Take sets from the sources until one adds any; return whether one did."""
        while self.source < len(self.growth.sources) and not workers.budget.spent:
            if self._add_more(workers):
                return True
        return False

    def _add_more(self, workers: Workers, share: float = GROWTH_SOURCE_SHARE) -> bool:
        """Take sets from the next source; return whether any were added.

        A source that takes more than this share of the time left is passed over.
        """
        growth = self.growth
        way = growth.sources[self.source]
        self.source += 1
        try:
            more = growth.score_source(self.space.parent_sets, *way, share, workers.budget)
        except (LimitError, MemoryError):
            if not growth.timed:
                raise
            self.source = len(growth.sources)  # the others take longer, and there is less time
            return False
        if more is None and share < GROWTH_SOURCE_SHARE:
            self.source -= 1  # when the population restarts, it is worth more
        elif more is None and way in SOURCES:
            self.source = len(growth.sources)  # the others take longer, and a trial takes time
        if more is None:
            return False
        growth.watcher.enlarged(len(more), more)
        added = self.growing.add(more, workers.threads)
        if added:
            self._move_on(workers)
        return added

    def _move_on(self, workers: Workers) -> None:
        """Carry the population over to the collection as it is now; climb where sets changed."""
        self._settle_in(workers, self.growth.lay_out(self.growing, workers.threads))

    def _settle_in(self, workers: Workers, space: SearchSpace) -> None:
        """Carry the population over to a space of the collection as it is now."""
        population, growing = self.population, self.growing
        self.kept = [growing.translate(ranks) for ranks in self.kept]
        jobs = [
            _core.Job.adapt(
                space.sets,
                member.order,
                space.own_ranks(growing.translate(ranks)),
                population.settings.window,
                population.random.spawn(),
            )
            for member, ranks in zip(population.members, self.members(), strict=True)
        ]
        population.move_in(space, workers.run(jobs))
