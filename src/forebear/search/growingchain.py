"""GrowingChain: the search of ``learn``, in independent runs of growing size.

A run is a population on a collection of parent sets of its own. It starts with single parents and
the best of what the sources have scored so far, and grows by the neighbours of the sets that its
members use: one parent more, one less, one exchanged. When the run stalls, the best network of all
runs joins it, with its sets. When it stalls again, the next run starts, with more members. The runs
are independent, since a population whose collection has grown around one network is drawn to
that network.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear.parentsets.coverage import DROPPED, SCORED_UP_TO, scored_field, scored_sizes
from forebear.search.alternatives import Alternative, alternatives_among, with_alternatives
from forebear.search.chain import Chain, FoundNetwork, arrays_of, found_fields, found_of
from forebear.search.parent_set_sources import FEW_VARIABLES
from forebear.search.source_queue import KEPT_SETS, SourceQueue

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
        Its population; the space is the layout of the collection, or a part of it.
    """

    sets_grow = True

    def __init__(
        self, growth: Growth, settings: PSMINOBS, growing: GrowingSets, population: Population
    ) -> None:
        self.growth = growth
        self.growing = growing
        self.population = population
        self.sources = SourceQueue.over(growth.job, growth.max_parents, growth.memory)
        population.size = FIRST_MEMBERS
        self._settings = settings
        self._stock: list[ParentSets] = []  # what the sources have scored
        self._best = growth.start
        self._kept: tuple[Alternative, ...] = ()  # good networks of earlier runs
        self._joined = True  # whether the best network of earlier runs has joined this one
        self._waited = 0  # generations since the collection grew
        self._requests = 0  # of growth, up to the last slice

    # ---- what has been found --------------------------------------------------------------------

    @property
    def space(self) -> SearchSpace:
        """The sets searched now."""
        return self.population.space

    @property
    def best(self) -> FoundNetwork:
        """The best network of all runs."""
        if self._best is None:
            raise AssertionError("there is no network before the first generation")
        return self._best

    @property
    def exhausted(self) -> bool:  # type: ignore[override]
        """Whether no further parent sets will be scored."""
        return self.sources.exhausted

    def _note_best(self) -> None:
        """Note the best member if it is better than all before."""
        if self.population.members:
            found = FoundNetwork.of(self.population.space, self.population.best)
            if self._best is None or found.score > self._best.score:
                self._best = found

    def parent_sets(self) -> ParentSets:
        """Return all sets: of this run, of the sources, and of the best network."""
        best = [] if self._best is None else [self._best.alone().sets]
        return _put_together([self.space.parent_sets, *self._stock, *best], self._coverage)

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

    def members(self) -> list[NDArray[np.int32]]:
        """The networks of the population, as ranks (from 0) among all sets of the run."""
        space = self.population.space
        return [space.full_ranks(member.ranks) for member in self.population.members]

    def networks(self) -> tuple[Alternative, ...]:
        """The best networks of all runs, each once."""
        own = alternatives_among(self.space.parent_sets, self.members())
        winner = Alternative(self.best.score, self.best.parents)
        return with_alternatives(winner, [*self._kept, *own])

    # ---- a generation ---------------------------------------------------------------------------

    def advance(self, workers: Workers) -> None:
        """Make one generation; the first one is a single climb."""
        population = self.population
        if not population.members and self.runs == 0:
            population.fill(workers, 1)
            if self.growth.start is not None:
                self.offer(workers, self.growth.start)
        else:
            self._add_slice(workers)
            self._make_generation(workers)
        self._note_best()

    def _make_generation(self, workers: Workers) -> None:
        """Let the population make a generation; let the sets grow if it is due or it stalls."""
        population = self.population
        self._waited += 1
        due = self._waited > len(self.space.parent_sets) // (SETS_PER_GENERATION * self.space.n)
        population.advance(workers, ahead=not due)
        if workers.budget.spent or not (due or population.stalled):
            return
        self._waited = 0
        if self.growing.grow(self.in_use(), workers.threads, workers.budget):
            self._move_on(workers)
        elif population.stalled and not workers.budget.spent:
            self._continue(workers)

    def in_use(self) -> list[NDArray[np.int32]]:
        """The networks whose sets grow, and are not forgotten."""
        return self.members()

    def _continue(self, workers: Workers) -> None:
        """Continue after a standstill: with the best network, or with another run."""
        self._note_best()
        if self._joined:
            self._start_run(workers)
        else:
            self._joined = True
            self.offer(workers, self.best)

    def remember(self, found: FoundNetwork) -> None:
        """Note a network, so that it is not lost."""
        if self._best is None or found.score > self._best.score:
            self._best = found

    def offer(self, workers: Workers, found: FoundNetwork) -> None:
        """Take in a network that was found elsewhere, with its sets."""
        self.remember(found)
        if not self.population.members:
            return
        if self.growing.add(found.alone().sets, workers.threads):
            self._move_on(workers)
        self.population.take_in(workers, found.order)

    # ---- runs and sources -----------------------------------------------------------------------

    def _start_run(self, workers: Workers) -> None:
        """Start another run, with more members, on a collection of its own."""
        self._kept = self.networks()
        self.runs += 1
        self._joined = False
        self.growing.restart(self._first_sets(), workers.threads)
        space = self.growth.lay_out(self.growing, workers.threads)
        self.population.begin_again(space, self._run_members())

    def _run_members(self) -> int:
        members = min(MOST_MEMBERS, FIRST_MEMBERS * RUN_FACTOR**self.runs)
        least = self._settings.minobs.population or 0
        return int(max(members, least) if self._has_few_variables else members)

    @property
    def _has_few_variables(self) -> bool:
        """Whether climbs take so little time that small runs gain nothing."""
        return self.space.n < FEW_VARIABLES

    def _first_sets(self) -> ParentSets:
        """The sets that a run starts with."""
        self._pack_stock()
        first = self.growth.first
        if not self._stock:
            return first
        (stock,) = self._stock
        return first.merge(stock.better_than(stock.scores_at(RUN_SETS + 1)))

    def _add_slice(self, workers: Workers) -> None:
        """Score the next slice of the sources; the best sets of it join the collection."""
        if self.sources.exhausted or workers.budget.spent:
            return
        sets = self.space.parent_sets
        requests = self.growing.requests
        self.sources.earn(self._climbs, requests - self._requests)
        self._requests = requests
        found = self.sources.score_slice(sets, self.best, workers.budget)
        if found is None:
            return
        self._stock.append(found)
        if sum(map(len, self._stock)) > 2 * KEPT_SETS:
            self._pack_stock()
        good = found.better_than(sets.scores_at(RUN_SETS))
        if self.growing.add(good, workers.threads):
            self._move_on(workers)
        if self._has_few_variables and self.runs == 0:  # all sets are scored now
            self._start_run(workers)

    @property
    def _climbs(self) -> int:
        """The number of climbs in a generation."""
        minobs = self._settings.minobs
        return min(self.population.size, (minobs.crossovers or 0) + (minobs.mutations or 0))

    def add_sets(self, workers: Workers) -> bool:
        """Return whether there will be more parent sets: the best network of these is known.

        The neighbours of its sets come now, and then all that the sources have.
        """
        best = self.best.alone()
        if self.growing.add(best.sets, workers.threads):
            self._move_on(workers)
        sets = self.space.parent_sets
        found = [sets.find(v, own) for v, own in enumerate(best.parents)]
        ranks = np.array([0 if one is None else one.rank - 1 for one in found], dtype=np.int32)
        added = self.growing.grow([ranks], workers.threads, workers.budget) > 0
        if added:
            self._move_on(workers)
        self.sources.credit = math.inf
        return added or not self.exhausted

    def _pack_stock(self) -> None:
        """Put all slices together, and drop what is not worth keeping."""
        if len(self._stock) > 1:
            self._stock = [self.sources.keep_best(self._stock[0].merge(*self._stock[1:]))]

    def _move_on(self, workers: Workers) -> None:
        """Carry the population over to the collection as it is now; climb where sets changed."""
        self._settle_in(workers, self.growth.lay_out(self.growing, workers.threads))

    def _settle_in(self, workers: Workers, space: SearchSpace) -> None:
        """Carry the population over to a space of the collection as it is now."""
        population, growing = self.population, self.growing
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

    # ---- saving and restoring -------------------------------------------------------------------

    def rest(self) -> None:
        """Prepare for other threads."""
        self.population.rest()

    def state(self) -> dict[str, Any]:
        """Return everything that is needed to continue, as numbers and arrays."""
        best = self._best
        return {
            "sets": arrays_of(self.space.parent_sets),
            "cores": [[child, *members] for child, members in self.growing.cores],
            "families": self.growing.families,
            "requests": self.growing.requests,
            "requested": self.growing.requested(),
            "complete": self.growing.complete,
            "population": self.population.state(),
            "stock": [arrays_of(sets) for sets in self._stock],
            "sources": self.sources.state(),
            "best": None if best is None else found_fields(best),
            "kept": [[one.score, [list(own) for own in one.parents]] for one in self._kept],
            "runs": self.runs,
            "joined": self._joined,
            "waited": self._waited,
            "requests_before": self._requests,
            "coverage": self._coverage,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        first = self.growth.first
        self._stock = [replace(first, path=None, **arrays) for arrays in state["stock"]]
        self.sources.restore(state["sources"])
        self._best = None if state["best"] is None else found_of(first, state["best"])
        self._kept = tuple(
            Alternative(float(score), tuple(tuple(map(int, own)) for own in parents))
            for score, parents in state["kept"]
        )
        self.population.size = int(state["population"]["size"])
        self.runs, self._joined = int(state["runs"]), bool(state["joined"])
        self._waited, self._requests = int(state["waited"]), int(state["requests_before"])


def saved_sets(first: ParentSets, state: dict[str, Any], best: FoundNetwork) -> ParentSets:
    """Return all sets of a chain, from its saved state, and those of its best network."""
    made = [replace(first, path=None, **arrays) for arrays in [state["sets"], *state["stock"]]]
    return _put_together([*made, best.sets], state["coverage"])


def _put_together(collections: list[ParentSets], coverage: dict[str, Any]) -> ParentSets:
    sets = collections[0].merge(*collections[1:])
    made = {**sets.provenance, "max_parents": len(sets.parents), **coverage}
    if "grown_families" not in coverage:
        made.pop("grown_families", None)
        complete = int(scored_sizes(coverage, sets.n_variables).min())
        if complete < sets.n_variables - 1:
            made["max_parents"] = complete
    return replace(sets, provenance=made)
