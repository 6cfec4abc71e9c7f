"""INOBS: hill climbing over orders by moving one variable anywhere, from random starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from forebear import _core
from forebear._util.checks import check_whole
from forebear.search.multistart import Restarting, RestartingChain

if TYPE_CHECKING:
    from forebear.search.threads import Workers


class INOBSChain(RestartingChain):
    """Climbs from one order after another."""

    _settings: INOBS

    def advance(self, workers: Workers) -> None:
        """Climb a few times, each with random numbers of its own."""
        jobs = [
            _core.Job.climb(self.space.sets, self.next_start(), self.random.spawn())
            for _ in range(self._settings.climbs)
        ]
        for found in workers.run(jobs):
            self.keep(found)


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
