"""MINOBS: memetic search with a population of locally optimal orders.

There are two variants. ``published`` is the population scheme of Lee and van Beek (2017): orders
are crossed and mutated, the best survive, and the population restarts when it stalls. ``crowding``
(the default) crosses networks instead of orders, so good substructures are inherited as a whole. A
child competes only with the parent it resembles, so the population stays diverse. A child is
climbed only as long as it is promising (see core/search/individual.h). This file defines the
settings; ``crowding.py`` and ``population.py`` implement the variants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.checks import check_real, check_whole
from forebear._util.errors import ForebearError
from forebear.search.crowding import CrowdingPopulation
from forebear.search.population import Population, PublishedPopulation
from forebear.search.space import SearchSpace, as_orders

_DEFAULTS = {
    "crowding": {"population": 60, "crossovers": 30, "mutations": 2, "keep": 1},
    "published": {"population": 20, "crossovers": 20, "mutations": 6, "keep": 4},
}


@dataclass(frozen=True)
class MINOBS:
    """MINOBS: a population of climbed orders that are crossed and mutated (Lee and van Beek, 2017).

    Settings that are None depend on the variant.

    Parameters
    ----------
    variant
        "crowding" (default): networks are crossed, and a child replaces the parent that it
        resembles. "published": the scheme of the paper, which crosses orders.
    population
        Number of orders in the population. Default: 60, or 20 as published.
    crossovers
        Number of crossovers per generation. Default: 30, or 20 as published.
    mutations
        Number of mutations per generation. Default: 2, or 6 as published.
    mutation_power
        Number of random swaps in a mutation, per variable.
    window
        Crowding: the largest number of positions by which the first, short climb of a child moves a
        variable.
    margin
        Crowding: a child that is this many nats worse than its parent after the short climb is
        not climbed further.
    patience
        Crowding: the population stalls after this many children per member without improvement.
    look_ahead
        Published: number of generations over which the mean score is compared.
    tolerance
        Published: the population stalls if the mean score changes by less than this share.
    keep
        Number of members that survive a restart. Default: 1, or 4 as published.
    """

    variant: Literal["crowding", "published"] = "crowding"
    population: int | None = None
    crossovers: int | None = None
    mutations: int | None = None
    mutation_power: float = 0.01
    window: int = 20
    margin: float = 10.0
    patience: float = 3.0
    look_ahead: int = 32
    tolerance: float = 0.001
    keep: int | None = None

    def __post_init__(self) -> None:
        if self.variant not in ("crowding", "published"):
            raise ForebearError(f"there is no variant {self.variant!r} of MINOBS")
        given = {
            "population": self.population,
            "crossovers": self.crossovers,
            "mutations": self.mutations,
            "keep": self.keep,
        }
        for name, value in given.items():
            if value is None:
                object.__setattr__(self, name, _DEFAULTS[self.variant][name])
        check_whole(2, population=self.population)
        check_whole(1, window=self.window, look_ahead=self.look_ahead)
        check_whole(0, crossovers=self.crossovers, mutations=self.mutations, keep=self.keep)
        check_real(0, margin=self.margin, patience=self.patience, tolerance=self.tolerance)
        # 100 swaps per variable make a random order.
        check_real(0, 100, mutation_power=self.mutation_power)
        if not (self.crossovers or self.mutations):
            raise ForebearError("a generation requires crossovers or mutations")

    def start(
        self, space: SearchSpace, random: _core.Random, orders: Sequence[NDArray[np.int32]] = ()
    ) -> Population:
        """Create the population with these settings; it is empty until its first generation."""
        kind = PublishedPopulation if self.variant == "published" else CrowdingPopulation
        return kind(self, space, random, list(orders))

    def resumed(self, space: SearchSpace, state: dict[str, Any]) -> Population:
        """Create a population that continues from a saved state."""
        population = self.start(space, _core.Random(state["random"]), as_orders(state["warm"]))
        population.restore(state)
        return population
