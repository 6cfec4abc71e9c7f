"""INOBS: hill climbing over orders by moving one variable anywhere, from random starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from forebear._util.checks import check_whole
from forebear.search.multistart import Restarting, RestartingChain
from forebear.search.space import Individual, climb

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from forebear import _core
    from forebear.search.threads import Workers


class INOBSChain(RestartingChain):
    """Climbs from one order after another."""

    _settings: INOBS

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


@dataclass(frozen=True)
class INOBS(Restarting):
    """INOBS: hill climbing over orders from random starts (Lee and van Beek, 2017).

    A move takes one variable out of the order and inserts it elsewhere.

    Parameters
    ----------
    climbs
        Number of climbs per generation.
    chains
        Number of chains, each with its own seed.
    """

    chain_class: ClassVar[type[RestartingChain]] = INOBSChain

    climbs: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(1, climbs=self.climbs)
