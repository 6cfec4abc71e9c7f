"""GrowingChain: the search of ``learn``, in independent runs of growing size.

A run is a population with its own collection of parent sets. The collection starts with single
parents and the best sets that the sources have scored so far. It is extended by the neighbors of
the sets that the members use: one parent more, one fewer, or one exchanged. When the run stalls,
the best network of all runs is added to the population, with its sets. When it stalls again, the
next run starts with more members. The runs are independent because a population whose collection
has grown around one network converges to that network.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import DROPPED, SCORED_UP_TO, scored_field, scored_sizes
from forebear.scoring.growing_sets import GrowingSets
from forebear.search.alternatives import (
    Alternative,
    alternatives_among,
    ranks_of,
    with_alternatives,
)
from forebear.search.chain import Chain, Solution, arrays_of, solution_fields, solution_from_fields
from forebear.search.parent_set_sources import FEW_VARIABLES
from forebear.search.population import Population
from forebear.search.psminobs import PSMINOBS
from forebear.search.source_queue import SourceQueue
from forebear.search.space import SearchSpace
from forebear.search.threads import Workers

if TYPE_CHECKING:
    from forebear.search.growth import Growth

FIRST_MEMBERS = 2
RUN_FACTOR = 4
MOST_MEMBERS = 1000
"""The first run has 2 members; each further run has four times as many, up to 1,000. With 4 members
first, two tables of 889 variables were 1,100 and 600 nats behind after 3 and 10 s, and tables of 69
to 163 variables were between 400 nats ahead and 10 behind. With a factor of 2 or 8, none of 13
held-out tables differed beyond the noise (benchmarks/results/anytime.md)."""

RUN_SETS = 500
"""A run starts with this many of the best sets per variable that the sources have scored. With 100,
andes was 40 nats behind after 10 s; with 300 or 1,000, no table differed beyond the noise
(benchmarks/results/anytime.md)."""

SETS_PER_GENERATION = 300
"""For every 300 sets per variable, a collection waits one more generation before it grows, because
preparing 300 sets per variable for the search takes about as long as a generation. With 100, four
of ten tables were better after 10 s, and four worse (benchmarks/results/anytime.md)."""


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
        The population of the first run.
    sources
        The sources of further sets.
    members
        The number of members of the first run.
    """

    def __init__(
        self,
        growth: Growth,
        settings: PSMINOBS,
        growing: GrowingSets,
        population: Population,
        sources: SourceQueue,
        members: int = FIRST_MEMBERS,
    ) -> None:
        self.growth = growth
        self.growing = growing
        self.population = population
        self.sources = sources
        population.size = members
        self.joined = True  # whether the best network of earlier runs has joined this one
        self._settings = settings
        self._best = growth.start
        self._archive: tuple[Alternative, ...] = ()  # good networks of earlier runs
        self._waited = 0  # generations since the collection grew
        self._requests = 0  # of growth, up to the last slice
        self._runs = 0

    # ---- networks and sets --------------------------------------------------------------------

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
        """The space of all sets as they are now."""
        return self.population.space

    @property
    def best(self) -> Solution:
        """The best network of all runs."""
        if self._best is None:
            raise AssertionError("there is no network before the first generation")
        return self._best

    @property
    def exhausted(self) -> bool:
        """Whether no further parent sets will be scored."""
        return self.sources.exhausted

    def _update_best(self) -> None:
        """Record the best member if it is the best so far."""
        if self.population.members:
            self.remember(Solution.of(self.space, self.population.best))

    def parent_sets(self, others: Sequence[ParentSets] = ()) -> ParentSets:
        """Return all sets: of the current run, of the sources, of the best network, and others."""
        best = [] if self._best is None else [self._best.alone().sets]
        collections = [self.space.parent_sets, *self.sources.slices, *best, *others]
        return _merge_all(collections, self._coverage)

    @property
    def _coverage(self) -> dict[str, Any]:
        """The fields of the provenance that describe which sets were scored.

        If all sets that the limits allow were scored, growth is not mentioned.
        """
        scored = np.maximum(self.growing.complete, self.sources.scored)
        coverage = {SCORED_UP_TO: scored_field(scored), DROPPED: self.sources.dropped}
        if self.sources.dropped or (scored < self.growing.max_parents).any():
            coverage["grown_families"] = self.growing.families
        return coverage

    def networks(self) -> tuple[Alternative, ...]:
        """Return the best distinct networks of all runs."""
        own = alternatives_among(self.space.parent_sets, self.population.networks())
        winner = Alternative(self.best.score, self.best.parents)
        return with_alternatives(winner, [*self._archive, *own])

    # ---- a generation ---------------------------------------------------------------------------

    def run_generation(self, workers: Workers) -> bool:
        """Run one generation; return whether the search has stalled."""
        stalled = self._run_generation(workers)
        self._update_best()
        return stalled

    def restart(self, workers: Workers) -> None:
        """Add the best network of all runs to this one; the second time, start another run."""
        if self.joined:
            self._start_run(workers)
        else:
            self.joined = True
            self.offer(workers, self.best)
        self._update_best()

    def _run_generation(self, workers: Workers) -> bool:
        """Run one generation of the population, and extend the sets if this is due or it stalls.

        The first generation is a single climb. Return whether the search has stalled.
        """
        population = self.population
        if not population.members and self.runs == 0:
            population.fill(workers, 1)
            if self.growth.start is not None:
                self.offer(workers, self.growth.start)
            return False
        if self._add_slice(workers):
            self._start_run(workers)
        self._waited += 1
        due = self._waited > len(self.space.parent_sets) // (SETS_PER_GENERATION * self.space.n)
        population.advance(workers, ahead=not due)
        if workers.budget.spent or not (due or population.stalled):
            return False
        self._waited = 0
        if self.growing.grow(population.networks(), workers.threads, workers.budget):
            self._adopt_sets(workers)
            return False
        return population.stalled and not workers.budget.spent

    def remember(self, solution: Solution) -> None:
        """Record a network as the best of all runs, if it is better."""
        if self._best is None or solution.score > self._best.score:
            self._best = solution

    def offer(self, workers: Workers, solution: Solution) -> None:
        """Add a network that was found elsewhere, with its sets."""
        self.remember(solution)
        if self.population.members:
            if self.growing.add(solution.alone().sets, workers.threads):
                self._adopt_sets(workers)
            self.population.climb_and_replace(workers, solution.order)

    # ---- runs and sources -----------------------------------------------------------------------

    def _start_run(self, workers: Workers) -> None:
        """Start another run, with more members."""
        self._archive = self.networks()
        self._runs += 1
        self.joined = False
        first = self.growth.first.merge(*self.sources.best_sets(RUN_SETS))
        self.growing.restart(first, workers.threads)
        space = self.growth.lay_out(self.growing, workers.threads)
        self.population.clear(space, self._run_members())

    def _run_members(self) -> int:
        members = min(MOST_MEMBERS, FIRST_MEMBERS * RUN_FACTOR**self.runs)
        least = self._settings.minobs.population or 0
        return int(max(members, least) if self._has_few_variables else members)

    @property
    def _has_few_variables(self) -> bool:
        """Whether climbs are so fast that small runs gain nothing."""
        return self.space.n < FEW_VARIABLES

    def _add_slice(self, workers: Workers) -> bool:
        """Score the next slice of the sources, and add its best sets to the collection.

        Return whether another run is due: with few variables, the slice contains all sets.
        """
        if self._best is None or self.sources.exhausted or workers.budget.spent:
            return False
        sets = self.space.parent_sets
        requests = self.growing.requests
        self.sources.add_credit(self._climbs, requests - self._requests)
        self._requests = requests
        scored_sets = self.sources.score_slice(sets, self.best, workers.budget)
        if scored_sets is None:
            return False
        good = scored_sets.better_than(sets.scores_at(RUN_SETS))
        if self.growing.add(good, workers.threads):
            self._adopt_sets(workers)
        return self._has_few_variables and self.runs == 0

    @property
    def _climbs(self) -> int:
        """The number of climbs in a generation."""
        minobs = self._settings.minobs
        return min(self.population.size, (minobs.crossovers or 0) + (minobs.mutations or 0))

    def add_sets(self, workers: Workers) -> bool:
        """Score the neighbors of the best network's sets, and let the sources score the rest.

        Return whether there are further sets.
        """
        best = self.best.alone()
        if self.growing.add(best.sets, workers.threads):
            self._adopt_sets(workers)
        ranks = ranks_of(self.space.parent_sets, best.parents)
        added = self.growing.grow([ranks], workers.threads, workers.budget) > 0
        if added:
            self._adopt_sets(workers)
        self.sources.credit = math.inf
        return added or not self.exhausted

    def _adopt_sets(self, workers: Workers) -> None:
        """Move the population to the collection as it is now; climb where sets changed."""
        population, space = self.population, self.growth.lay_out(self.growing, workers.threads)
        jobs = [
            _core.Job.adapt(
                space.sets,
                member.order,
                self.growing.translate(ranks),
                population.settings.window,
                population.random.spawn(),
            )
            for member, ranks in zip(population.members, population.networks(), strict=True)
        ]
        population.replace_members(space, workers.run(jobs))

    # ---- saving and restoring -------------------------------------------------------------------

    def suspend(self) -> None:
        """Release the threads."""
        self.population.suspend()

    def state(self) -> dict[str, Any]:
        """Return the state that is required to continue, as numbers and arrays."""
        best = self._best
        return {
            "sets": arrays_of(self.space.parent_sets),
            "families": self.growing.families,
            "requests": self.growing.requests,
            "requested": self.growing.requested(),
            "complete": self.growing.complete,
            "population": self.population.state(),
            "stock": [arrays_of(sets) for sets in self.sources.slices],
            "sources": self.sources.state(),
            "best": None if best is None else solution_fields(best),
            "kept": [[one.score, [list(own) for own in one.parents]] for one in self._archive],
            "runs": self.runs,
            "joined": self.joined,
            "waited": self._waited,
            "requests_before": self._requests,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        first = self.growth.first
        self.sources.slices = [replace(first, path=None, **arrays) for arrays in state["stock"]]
        self.sources.restore(state["sources"])
        self._best = None if state["best"] is None else solution_from_fields(first, state["best"])
        self._archive = tuple(
            Alternative(float(score), tuple(tuple(map(int, own)) for own in parents))
            for score, parents in state["kept"]
        )
        self.population.size = int(state["population"]["size"])
        self._runs, self.joined = int(state["runs"]), bool(state["joined"])
        self._waited, self._requests = int(state["waited"]), int(state["requests_before"])


def _merge_all(collections: list[ParentSets], coverage: dict[str, Any]) -> ParentSets:
    sets = collections[0].merge(*collections[1:])
    provenance = {**sets.provenance, "max_parents": len(sets.parents), **coverage}
    if "grown_families" not in coverage:
        provenance.pop("grown_families", None)
        complete = int(scored_sizes(coverage, sets.n_variables).min())
        if complete < sets.n_variables - 1:
            provenance["max_parents"] = complete
    return replace(sets, provenance=provenance)
