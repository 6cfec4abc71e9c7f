"""SavedSearch: a search as it was written down, and its chains, from their seeds or their states.

Checkpoints and executors both take chains apart by ``Runner.state`` and make them again here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.search.algorithm import make_chain, resumed_chain
from forebear.search.chain import FoundNetwork, found_of
from forebear.search.persistence.growth_fields import growth_of
from forebear.search.persistence.recipe import algorithm_of, relations_of
from forebear.search.runner import Runner
from forebear.search.space import SearchSpace, as_order, as_orders

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.knowledge.relations import Relations
    from forebear.parentsets.collection import ParentSets
    from forebear.search.algorithm import Algorithm
    from forebear.search.growth import Growth
    from forebear.search.persistence.recipe import Recipe


@dataclass
class SavedSearch:
    """What a recipe describes, with the parent sets that it is about.

    Parameters
    ----------
    recipe
        The recipe.
    sets
        The parent sets; the first ones, if they grow.
    table
        The table, if they grow.
    threads
        Threads that lay out and score sets.
    """

    recipe: Recipe
    sets: ParentSets
    table: Dataset | None
    threads: int

    @cached_property
    def algorithm(self) -> Algorithm:
        """The settings that make the chains."""
        return algorithm_of(self.recipe)

    @cached_property
    def relations(self) -> Relations:
        """What networks have to respect."""
        return relations_of(self.recipe)

    @cached_property
    def growth(self) -> Growth | None:
        """What chains need whose sets grow; None if they do not."""
        if self.recipe.growth is None or self.table is None:
            return None
        return growth_of(self.recipe.growth, self.sets, self.table, self.threads, self.relations)

    @cached_property
    def space(self) -> SearchSpace:
        """The sets, laid out. Not needed if they grow."""
        return SearchSpace(self.sets, threads=self.threads)

    def runner(self, number: int, state: dict[str, Any] | None, started: float) -> Runner:
        """Make the runner of one chain: afresh, or where its state says it was."""
        space = None if self.growth is not None else self.space
        about = (self.growth, self.relations)
        if state is None:
            seeds = np.random.SeedSequence(self.recipe.seed).spawn(self.algorithm.chains)
            orders = as_orders(self.recipe.orders)
            chain = make_chain(self.algorithm, space, number, seeds[number - 1], orders, *about)
            return Runner(number, chain, started)
        chain = resumed_chain(self.algorithm, space, number, state["chain"], *about)
        best = self.best(state)
        if space is not None:
            _check_best(space, best)
        chain.remember(best)
        return Runner.resumed(number, chain, best, started, state)

    def best(self, state: dict[str, Any]) -> FoundNetwork:
        """Return the best network of a saved state."""
        fields = state["best"]
        if self.recipe.growth is not None:
            return found_of(self.sets, fields)
        order, ranks = as_order(fields["order"]), as_order(fields["ranks"])
        return FoundNetwork(float(fields["score"]), order, self.sets, ranks)


def _check_best(space: SearchSpace, best: FoundNetwork) -> None:
    """Refuse a network that is none of these sets, with a ValueError."""
    if space.score(best.ranks) != best.score or (best.ranks < space.best_ranks(best.order)).any():
        raise ValueError("its best network is not one of these parent sets")
