"""Hill climbing and tabu search over networks, arc by arc (core/search/dagclimber.h).

A move adds, removes or reverses an arc. A pruned parent set is replaced by its
best subset that was not pruned, which scores at least as high, so pruning
blocks no moves. The network found is converted to an order of its variables.
The best sets of that order score at least as high as the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.search.multistart import Multistart, MultistartChain
from forebear.search.space import SearchSpace, assign
from forebear.search.threads import Workers


class ArcChain(MultistartChain):
    """Changes arcs, from one start after another. The first start has only the required arcs."""

    _settings: HillClimbing | Tabu

    def __init__(
        self,
        settings: HillClimbing | Tabu,
        space: SearchSpace,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]],
    ) -> None:
        super().__init__(settings, space, seed, orders)
        tabu = settings if isinstance(settings, Tabu) else Tabu(0, 0)
        self._climber = _core.DagClimber(space.sets, tabu.tabu_length, tabu.patience)
        # The best network of the climbs so far, from which the next climb starts.
        self._score: int | None = None
        self._ranks = self.incumbent.ranks
        self._start_from_given()

    def _start_from_given(self) -> bool:
        """Start from the next of the given orders; return whether there was one."""
        if self._given:
            self._climber.start(assign(self.space, self.next_start()).ranks)
            return True
        return False

    def run_generation(self, workers: Workers) -> bool:
        """Continue the climb; when it ends, restart near the best network."""
        if workers.budget.spent:
            return False
        climber = self._climber
        ended = climber.climb(self._settings.steps)
        self._keep_best()
        if ended and not self._start_from_given():
            climber.start(self._ranks)
            climber.perturb(self.random, 1 + self.random.below(self._settings.restart_moves))
        return False

    def _keep_best(self) -> None:
        """Keep the best network of this climb, unless an earlier one was better.

        Ties are kept as well, so that the search moves through networks of equal score.
        """
        climber, before = self._climber, self._score
        if before is not None and climber.best_score < before:
            return
        self._score, self._ranks = climber.best_score, climber.best_ranks
        if before is None or climber.best_score > before:
            order = _core.order_of(self.space.sets, self._ranks, self.incumbent.order)
            self.keep(assign(self.space, order))


@dataclass(frozen=True)
class HillClimbing(Multistart):
    """Hill climbing over networks: each move adds, removes or reverses the best arc.

    A climb ends when no move improves the score. The next climb starts near the best network.

    Parameters
    ----------
    restart_moves
        Largest number of random moves between the best network and the next start.
    steps
        Largest number of moves in a generation; a generation also ends with its climb.
    chains
        Number of chains, each with its own seed.
    """

    chain_class: ClassVar[type[MultistartChain]] = ArcChain

    restart_moves: int = 20
    steps: int = 200


@dataclass(frozen=True)
class Tabu(Multistart):
    """Tabu search over networks: the best move is made even if it lowers the score.

    Parameters
    ----------
    tabu_length
        Length of the tabu list: the number of recently changed pairs whose arcs are not changed
        again unless that gives a new best network.
    patience
        A climb ends after this many moves without a new best network.
    restart_moves
        Largest number of random moves between the best network and the next start.
    steps
        Largest number of moves in a generation; a generation also ends with its climb.
    chains
        Number of chains, each with its own seed.
    """

    chain_class: ClassVar[type[MultistartChain]] = ArcChain

    tabu_length: int = 50
    patience: int = 50
    restart_moves: int = 20
    steps: int = 200
