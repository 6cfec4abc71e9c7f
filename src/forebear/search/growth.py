"""Growth: the search asks for the parent sets it needs.

The population starts on small sets. Every few generations the neighbours of the sets that its
members use are scored: one parent more, one less, one exchanged. The population then moves to the
larger collection. When it stalls and asks for nothing new, further sets come from a list of
sources, such as all sets of a few good candidates. When these are used up, the population restarts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from forebear import _core
from forebear._util.errors import ForebearError
from forebear.search.alternatives import best_distinct
from forebear.search.minobs import AHEAD
from forebear.search.space import Individual, SearchSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.growing import GrowingSets
    from forebear.search.minobs import Population
    from forebear.search.threads import Workers

SETS_PER_GENERATION = 30_000
"""A collection of this many sets waits one more generation for its growth, as laying it out again
then takes about as long as a generation. Judgement."""

Source: TypeAlias = "Callable[[ParentSets], ParentSets | None]"
"""Scores further sets, given those at hand; None if there is no time or memory for it."""


class GrowingChain:
    """A population on a collection of parent sets that grows.

    Parameters
    ----------
    growing
        The collection.
    population
        The population; its space is the layout of the collection.
    sources
        Where further sets come from when the population asks for nothing new.
    """

    def __init__(
        self,
        growing: GrowingSets,
        population: Population,
        sources: Iterator[Source],
    ) -> None:
        self.growing = growing
        self.population = population
        self.kept: list[NDArray[np.int32]] = []
        self._sources = sources
        self._waited = 0

    @property
    def space(self) -> SearchSpace:
        """The sets searched now."""
        return self.population.space

    @property
    def best(self) -> Individual:
        """The best member of the population."""
        return self.population.best

    def networks(self) -> list[NDArray[np.int32]]:
        """The best networks of this population and of those before it, each once."""
        members = [member.ranks for member in self.population.members]
        return list(best_distinct(self.space.parent_sets, [*self.kept, *members]))

    def state(self) -> dict[str, Any]:
        """Growing collections are not kept in checkpoints."""
        raise ForebearError("a search whose parent sets grow cannot be saved in a checkpoint")

    def advance(self, workers: Workers) -> None:
        """Make one generation; grow when it is due, or when the population stalls."""
        population = self.population
        self._waited += 1
        due = self._waited > len(self.space.parent_sets) // SETS_PER_GENERATION
        population.advance(workers, ahead=0 if due else AHEAD)
        if workers.budget.spent or not (due or population.stalled):
            return
        self._waited = 0
        members = [member.ranks for member in population.members]
        if self.growing.grow(members, workers.threads, workers.budget):
            self._move_on(workers)
        elif population.stalled and not workers.budget.spent and not self._add_more(workers):
            self.kept = self.networks()
            population.restart(workers)

    def _add_more(self, workers: Workers) -> bool:
        """Take sets from the next source; return whether any were added."""
        for source in self._sources:
            before = len(self.space.parent_sets)
            more = source(self.space.parent_sets)
            if more is not None:
                self.growing.add(more)
                self._move_on(workers)
            if workers.budget.spent or len(self.space.parent_sets) > before:
                return True
        return False

    def _move_on(self, workers: Workers) -> None:
        """Carry the population over to the collection as it is now; climb where sets changed."""
        population, growing = self.population, self.growing
        space = SearchSpace(growing.sets())
        self.kept = [growing.translate(ranks) for ranks in self.kept]
        sets, window = space.sets, population.settings.window
        jobs = [
            _core.Job.adapt(
                sets,
                member.order,
                growing.translate(member.ranks),
                window,
                population.random.spawn(),
            )
            for member in population.members
        ]
        population.move_in(space, workers.run(jobs))
