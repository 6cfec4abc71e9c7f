"""GrowingChain: the search of ``learn``, in independent runs of growing size.

A run is a population with its own collection of parent sets. The collection starts with single
parents and the best sets that the sources have scored so far. It is extended by the neighbors of
the sets that the members use: one parent more, one less, or one exchanged. When the run stalls, the
best network of all runs is added to the population, with its sets. When it stalls again, the next
run starts with more members. The runs are independent because a population whose collection has
grown around one network converges to that network.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear.parentsets.coverage import DROPPED, SCORED_UP_TO, scored_field, scored_sizes
from forebear.search.alternatives import (
    Alternative,
    alternatives_among,
    ranks_of,
    with_alternatives,
)
from forebear.search.chain import Chain, FoundNetwork, arrays_of, found_fields, found_of
from forebear.search.parent_set_sources import FEW_VARIABLES
from forebear.search.source_queue import SourceQueue

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.growing_sets import GrowingSets
    from forebear.search.growth import Growth
    from forebear.search.population import Population
    from forebear.search.psminobs import PSMINOBS
    from forebear.search.space import SearchSpace
    from forebear.search.threads import Workers

FIRST_MEMBERS = 2
RUN_FACTOR = 4
MOST_MEMBERS = 1000
"""The first run has 2 members, each further one four times as many, up to this many. With 4 instead
of 2, two tables of 889 variables were 1,100 and 600 nats behind after 3 and 10 s, and tables of 69
to 163 variables were 400 nats ahead to 10 behind. With a factor of 2 or 8, none of 13 tables that
were kept aside differed beyond the noise (benchmarks/results/anytime.md)."""

RUN_SETS = 500
"""Of what sources have scored, a run takes the sets that are among this many best of a variable.
With 100, andes was 40 nats behind after 10 s; with 300 or 1,000, no table differed beyond the noise
(benchmarks/results/anytime.md)."""

SETS_PER_GENERATION = 300
"""A collection of this many sets per variable waits one more generation for its growth, as laying
it out again then takes about as long as a generation. With a third of it, four of ten
tables were better after 10 s, and four worse (benchmarks/results/anytime.md)."""


class GrowingChain(Chain):
    """Runs of growing size, each on a collection of parent sets that grows.

    Parameters
    ----------
    growth
        The table, the score and the limits.
    settings
        The settings of the search.
    growing
        The collection of the first run.
    population
        Its population.
    """

    def __init__(
        self,
        growth: Growth,
        settings: PSMINOBS,
        growing: GrowingSets,
        population: Population,
    ) -> None:
        self.growth = growth
        self.growing = growing
        self.population = population
        self.sources = SourceQueue.over(growth.job, growth.max_parents, growth.memory)
        population.size = FIRST_MEMBERS
        self.joined = True  # whether the best network of earlier runs has joined this one
        self._settings = settings
        self._best = growth.start
        self._kept: tuple[Alternative, ...] = ()  # good networks of earlier runs
        self._waited = 0  # generations since the collection grew
        self._requests = 0  # of growth, up to the last slice
        self._runs = 0

    # ---- what has been found --------------------------------------------------------------------

    @property
    def runs(self) -> int:
        """The number of runs before this one."""
        return self._runs

    @property
    def sets_grow(self) -> bool:
        """True: the chain has its own parent sets, which grow."""
        return True

    @property
    def space(self) -> SearchSpace:
        """All sets as they are now."""
        return self.population.space

    @property
    def best(self) -> FoundNetwork:
        """The best network of all runs."""
        if self._best is None:
            raise AssertionError("there is no network before the first generation")
        return self._best

    @property
    def exhausted(self) -> bool:
        """Whether no further parent sets will be scored."""
        return self.sources.exhausted

    def note_best(self) -> bool:
        """Record the best member if it is the best so far; return whether there is one."""
        if self.population.members:
            self.remember(FoundNetwork.of(self.population.space, self.population.best))
        return self._best is not None

    def parent_sets(self) -> ParentSets:
        """Return all sets: of this run, of the sources, and of the best network."""
        best = [] if self._best is None else [self._best.alone().sets]
        return _put_together([self.space.parent_sets, *self.sources.stock, *best], self._coverage)

    @property
    def _coverage(self) -> dict[str, Any]:
        """What the provenance has of the sets that were scored.

        If these are all that the limits allow, it does not matter that they have grown.
        """
        scored = np.maximum(self.growing.complete, self.sources.scored)
        coverage = {SCORED_UP_TO: scored_field(scored), DROPPED: self.sources.dropped}
        if self.sources.dropped or (scored < self.growing.max_parents).any():
            coverage["grown_families"] = self.growing.families
        return coverage

    def networks(self) -> tuple[Alternative, ...]:
        """The best networks of all runs, each once."""
        own = alternatives_among(self.space.parent_sets, self.population.networks())
        winner = Alternative(self.best.score, self.best.parents)
        return with_alternatives(winner, [*self._kept, *own])

    # ---- a generation ---------------------------------------------------------------------------

    def advance(self, workers: Workers) -> None:
        """Run one generation; after a stall, continue with the best network or another run."""
        stands_still = self.make_generation(workers)
        self.note_best()
        if stands_still:
            self.end_run(workers)
            self.note_best()

    def make_generation(self, workers: Workers) -> bool:
        """Run one generation of the population, and extend the sets if this is due or it stalls.

        The first generation is a single climb. Return whether the search has stalled.
        """
        population = self.population
        if not population.members and self.runs == 0:
            population.fill(workers, 1)
            if self.growth.start is not None:
                self.offer(workers, self.growth.start)
            return False
        if self.add_slice(workers):
            self.start_run(workers)
        self._waited += 1
        due = self._waited > len(self.space.parent_sets) // (SETS_PER_GENERATION * self.space.n)
        population.advance(workers, ahead=not due)
        if workers.budget.spent or not (due or population.stalled):
            return False
        self._waited = 0
        if self.growing.grow(self._in_use(), workers.threads, workers.budget):
            self.move_on(workers)
            return False
        return population.stalled and not workers.budget.spent

    def _in_use(self) -> list[NDArray[np.int32]]:
        """Return the networks whose sets grow, and are not forgotten."""
        return self.population.networks()

    def remember(self, found: FoundNetwork) -> None:
        """Record a network, so that it is not lost."""
        if self._best is None or found.score > self._best.score:
            self._best = found

    def offer(self, workers: Workers, found: FoundNetwork) -> None:
        """Add a network that was found elsewhere, with its sets."""
        self.remember(found)
        self.add_network(workers, found)
        self.climb_from(workers, found.order)

    def add_network(self, workers: Workers, found: FoundNetwork) -> None:
        """Add the sets of a network to the collection, if the population has members."""
        if self.population.members and self.growing.add(found.alone().sets, workers.threads):
            self.move_on(workers)

    def climb_from(self, workers: Workers, order: NDArray[np.int32]) -> None:
        """Climb from an order, which joins the population if it has members."""
        if self.population.members:
            self.population.take_in(workers, order)

    # ---- runs and sources -----------------------------------------------------------------------

    def end_run(self, workers: Workers) -> None:
        """Add the best network of all runs to this one; the second time, start another run."""
        if self.joined:
            self.start_run(workers)
        else:
            self.joined = True
            self.offer(workers, self.best)

    def start_run(self, workers: Workers) -> None:
        """Start another run, with more members."""
        self._kept = self.networks()
        self._runs += 1
        self.joined = False
        self.population.begin_again(self._first_space(workers.threads), self._run_members())

    def _first_space(self, threads: int) -> SearchSpace:
        """Return the sets that a run starts with, as a new collection."""
        first = self.growth.first.merge(*self.sources.best_sets(RUN_SETS))
        self.growing.restart(first, threads)
        return self._lay_out(threads)

    def _run_members(self) -> int:
        members = min(MOST_MEMBERS, FIRST_MEMBERS * RUN_FACTOR**self.runs)
        least = self._settings.minobs.population or 0
        return int(max(members, least) if self._has_few_variables else members)

    @property
    def _has_few_variables(self) -> bool:
        """Whether climbs take so little time that small runs gain nothing."""
        return self.space.n < FEW_VARIABLES

    def add_slice(self, workers: Workers) -> bool:
        """Score the next slice of the sources; the best sets of it join the collection.

        Return whether all sets are scored now, with few variables: then another run is due.
        """
        if self._best is None or self.sources.exhausted or workers.budget.spent:
            return False
        sets = self.space.parent_sets
        requests = self.growing.requests
        self.sources.earn(self._climbs, requests - self._requests)
        self._requests = requests
        found = self.sources.score_slice(sets, self.best, workers.budget)
        if found is None:
            return False
        good = found.better_than(sets.scores_at(RUN_SETS))
        if self.growing.add(good, workers.threads):
            self.move_on(workers)
        return self._has_few_variables and self.runs == 0

    @property
    def _climbs(self) -> int:
        """The number of climbs in a generation."""
        minobs = self._settings.minobs
        return min(self.population.size, (minobs.crossovers or 0) + (minobs.mutations or 0))

    def add_sets(self, workers: Workers) -> bool:
        """Return whether there will be more parent sets: the best network of these is known.

        The neighbors of its sets come now, and then all that the sources have.
        """
        best = self.best.alone()
        if self.growing.add(best.sets, workers.threads):
            self.move_on(workers)
        ranks = ranks_of(self.space.parent_sets, best.parents)
        added = self.growing.grow([ranks], workers.threads, workers.budget) > 0
        if added:
            self.move_on(workers)
        self.sources.credit = math.inf
        return added or not self.exhausted

    def move_on(self, workers: Workers) -> None:
        """Carry the population over to the collection as it is now."""
        self._adapt(workers, self._lay_out(workers.threads))

    def _lay_out(self, threads: int) -> SearchSpace:
        """Return the sets to search, as they are now."""
        return self.growth.lay_out(self.growing, threads)

    def _adapt(self, workers: Workers, space: SearchSpace) -> None:
        """Carry the population over to another space; climb where sets changed."""
        population = self.population
        jobs = [
            _core.Job.adapt(
                space.sets,
                member.order,
                space.own_ranks(self.growing.translate(ranks)),
                population.settings.window,
                population.random.spawn(),
            )
            for member, ranks in zip(population.members, population.networks(), strict=True)
        ]
        population.move_in(space, workers.run(jobs))

    # ---- saving and restoring -------------------------------------------------------------------

    def rest(self) -> None:
        """Prepare for other threads."""
        self.population.rest()

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        best = self._best
        return {
            "sets": arrays_of(self.space.parent_sets),
            "cores": [[child, *members] for child, members in self.growing.cores],
            "families": self.growing.families,
            "requests": self.growing.requests,
            "requested": self.growing.requested(),
            "complete": self.growing.complete,
            "population": self.population.state(),
            "stock": [arrays_of(sets) for sets in self.sources.stock],
            "sources": self.sources.state(),
            "best": None if best is None else found_fields(best),
            "kept": [[one.score, [list(own) for own in one.parents]] for one in self._kept],
            "runs": self.runs,
            "joined": self.joined,
            "waited": self._waited,
            "requests_before": self._requests,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        first = self.growth.first
        self.sources.stock = [replace(first, path=None, **arrays) for arrays in state["stock"]]
        self.sources.restore(state["sources"])
        self._best = None if state["best"] is None else found_of(first, state["best"])
        self._kept = tuple(
            Alternative(float(score), tuple(tuple(map(int, own)) for own in parents))
            for score, parents in state["kept"]
        )
        self.population.size = int(state["population"]["size"])
        self._runs, self.joined = int(state["runs"]), bool(state["joined"])
        self._waited, self._requests = int(state["waited"]), int(state["requests_before"])


def _put_together(collections: list[ParentSets], coverage: dict[str, Any]) -> ParentSets:
    sets = collections[0].merge(*collections[1:])
    made = {**sets.provenance, "max_parents": len(sets.parents), **coverage}
    if "grown_families" not in coverage:
        made.pop("grown_families", None)
        complete = int(scored_sizes(coverage, sets.n_variables).min())
        if complete < sets.n_variables - 1:
            made["max_parents"] = complete
    return replace(sets, provenance=made)
