"""OpeningChain: the first moments of a search, which bring one network as far as they can.

Only the best network asks for the neighbours of its sets, so that a step takes milliseconds. When
it asks for nothing new, the population makes a generation. Good networks come soon, but a
population that went on from here would end in their neighbourhood: even the sets of a single good
network, one per variable, draw all members to it. So the search that follows starts afresh, and
meets this network when it stalls (benchmarks/results/growth.md has the figures).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear.search.growingchain import GrowingChain
from forebear.search.population import FEWEST_CLIMBS

if TYPE_CHECKING:
    from forebear.search.threads import Workers


class OpeningChain(GrowingChain):
    """A population whose best member alone asks for parent sets."""

    def advance(self, workers: Workers) -> None:
        """Let the best network ask for sets, or make a generation."""
        population = self.population
        if not population.members:
            population.fill(workers, FEWEST_CLIMBS)
            return
        best = population.space.full_ranks(population.best.ranks)
        if self.growing.grow([best], workers.threads, workers.budget):
            self._move_on(workers)
        elif not workers.budget.spent:
            population.advance(workers, ahead=False)
