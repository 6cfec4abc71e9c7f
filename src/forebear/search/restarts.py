"""INOBS with random restarts, and what all searches that start again and again share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear.errors import ForebearError
from forebear.search.inobs import Individual, SearchSpace, climb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.search.workers import Workers


@dataclass(frozen=True)
class INOBS:
    """Climb from one random order after another, ``climbs`` a generation; keep the best.

    ``n_processes`` is how many processes to run side by side, each with its own seed.
    """

    climbs: int = 8
    n_processes: int = 1

    def __post_init__(self) -> None:
        check_at_least(1, climbs=self.climbs, n_processes=self.n_processes)

    def processes(
        self,
        space: SearchSpace,
        seeds: Sequence[np.random.SeedSequence],
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> list[INOBSProcess]:
        """Make the processes, one random stream each."""
        return [INOBSProcess(self, space, seed, orders) for seed in seeds]


class RestartingProcess:
    """A search that starts again and again, first from the orders given, and keeps the best."""

    def __init__(
        self,
        space: SearchSpace,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]],
    ) -> None:
        self.space = space
        self.random = _core.Random(seed.generate_state(4, np.uint64).tolist())
        self._given = [np.ascontiguousarray(order, dtype=np.int32) for order in orders]
        # So that there is a best from the beginning, no worse than what was given.
        starts = self._given or [self.random.permutation(space.n)]
        self.best = max((assign(space, order) for order in starts), key=lambda found: found.score)

    def next_start(self) -> NDArray[np.int32]:
        """Return the next order given; a random one when all have had their turn."""
        return self._given.pop(0) if self._given else self.random.permutation(self.space.n)

    def offer(self, found: Individual | None) -> None:
        """Keep what was found, if it is the best."""
        if found is not None and found.score > self.best.score:
            self.best = found


class INOBSProcess(RestartingProcess):
    """Climbs from one order after another."""

    def __init__(
        self,
        settings: INOBS,
        space: SearchSpace,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]],
    ) -> None:
        super().__init__(space, seed, orders)
        self._settings = settings

    def advance(self, workers: Workers) -> None:
        """Climb a few times, each with random numbers of its own."""
        starts = range(self._settings.climbs)
        jobs = [(self.next_start(), self.random.spawn()) for _ in starts]
        for found in workers.map(lambda job: self._climb(workers, *job), jobs):
            self.offer(found)

    def _climb(
        self, workers: Workers, order: NDArray[np.int32], random: _core.Random
    ) -> Individual | None:
        return None if workers.budget.spent else climb(workers, self.space, order, random)


def assign(space: SearchSpace, order: NDArray[np.int32]) -> Individual:
    """Give every variable its best set among those that precede it."""
    score, ranks = _core.best_sets(space.sets, order)
    return Individual(score, order, ranks)


def check_at_least(least: int, **values: int) -> None:
    """Refuse settings that are too small."""
    for name, value in values.items():
        if value < least:
            raise ForebearError(f"{name} must be at least {least}, got {value}")
