"""ASOBS: random orders whose constraint is relaxed to acyclicity (Scanagatta et al., 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from forebear import _core
from forebear._util.checks import check_whole
from forebear.search.multistart import Restarting, RestartingChain

if TYPE_CHECKING:
    from forebear.search.threads import Workers


class ASOBSChain(RestartingChain):
    """Selects sets for one order after another."""

    _settings: ASOBS

    def advance(self, workers: Workers) -> None:
        """Select sets for a batch of orders."""
        sets = self.space.sets
        jobs = [_core.Job.select(sets, self.next_start()) for _ in range(self._settings.batch)]
        for found in workers.run(jobs):
            self.keep(found)


@dataclass(frozen=True)
class ASOBS(Restarting):
    """ASOBS: orders whose constraint is relaxed to acyclicity (Scanagatta et al., 2015).

    From the last variable of a random order to the first, each takes its best parent set that
    closes no cycle, whether its members precede it or not. The network that results has an order
    of its own, and the best sets of that order are kept.

    Parameters
    ----------
    batch
        Number of orders per generation.
    chains
        Number of chains, each with its own seed.
    """

    chain_class: ClassVar[type[RestartingChain]] = ASOBSChain

    batch: int = 64

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(1, batch=self.batch)
