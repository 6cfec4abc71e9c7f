"""OBS: greedy search over orders by swaps of neighbours (Teyssier and Koller, 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from forebear import _core
from forebear._util.checks import check_whole
from forebear.search.multistart import Restarting, RestartingChain
from forebear.search.space import assign

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from forebear.search.space import SearchSpace
    from forebear.search.threads import Workers


class OBSChain(RestartingChain):
    """Swaps neighbours, from one start after another."""

    _settings: OBS

    def __init__(
        self,
        settings: OBS,
        space: SearchSpace,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]],
    ) -> None:
        super().__init__(settings, space, seed, orders)
        self._climber = _core.SwapClimber(space.sets, settings.tabu_length, settings.patience)
        self._start: NDArray[np.int32] | None = self.next_start()

    def advance(self, workers: Workers) -> None:
        """Continue the climb; at the end of a climb, choose where to start again."""
        if workers.budget.spent:
            return
        climber = self._climber
        if self._start is not None:
            climber.start(self._start)
            self._start = None
        ended = climber.climb(self._settings.steps)
        if climber.best_score > self.kept.score:
            self.keep(assign(self.space, climber.best_order))
        if ended:
            self._start = self._restart()

    def _restart(self) -> NDArray[np.int32]:
        most = self._settings.restart_swaps
        if self._given or not most:
            return self.next_start()
        order = self.kept.order.copy()
        for _ in range(1 + self.random.below(most)):
            i, j = self.random.below(len(order)), self.random.below(len(order))
            order[i], order[j] = order[j], order[i]
        return order


@dataclass(frozen=True)
class OBS(Restarting):
    """OBS: search over orders by swaps of neighbours, with a tabu list (Teyssier and Koller, 2005).

    Parameters
    ----------
    tabu_length
        The last swaps, this many, are not undone unless that gives a new best network.
    patience
        A climb ends after this many swaps without a new best network.
    restart_swaps
        Largest number of random swaps between the best order and the next start; 0 starts from a
        random order.
    steps
        Largest number of swaps in a generation; a generation also ends with its climb.
    chains
        Number of chains, each with its own seed.
    """

    resumable: ClassVar[bool] = False
    chain_class: ClassVar[type[RestartingChain]] = OBSChain

    tabu_length: int = 100
    patience: int = 100
    restart_swaps: int = 4
    steps: int = 2000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(1, steps=self.steps)
        check_whole(
            0,
            tabu_length=self.tabu_length,
            patience=self.patience,
            restart_swaps=self.restart_swaps,
        )
