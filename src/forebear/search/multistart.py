"""What the searches share that start again and again: INOBS, OBS, ASOBS, hill climbing, tabu."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from forebear import _core
from forebear._util.checks import check_whole
from forebear.search.alternatives import Alternative
from forebear.search.chain import Chain, FoundNetwork
from forebear.search.space import Individual, SearchSpace, as_order, assign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets


@dataclass(frozen=True)
class Restarting:
    """Settings of a search that restarts whenever it stalls.

    Parameters
    ----------
    chains
        Number of chains, each with its own seed.
    """

    resumable: ClassVar[bool] = True
    """Whether the state of a chain can be saved between two generations."""

    chain_class: ClassVar[type[RestartingChain]]
    """The chain that these settings make."""

    chains: int = field(default=1, kw_only=True)

    def __post_init__(self) -> None:
        check_whole(1, chains=self.chains)

    def chain(
        self,
        space: SearchSpace,
        number: int,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> RestartingChain:
        """Make one chain."""
        del number
        return self.chain_class(self, space, seed, orders)

    def resumed(self, space: SearchSpace, number: int, state: dict[str, Any]) -> RestartingChain:
        """Make a chain that continues from a saved state."""
        chain = self.chain(space, number, np.random.SeedSequence(0))
        chain.restore(state)
        return chain


class RestartingChain(Chain):
    """A search that starts again and again, first from the orders given, and keeps the best."""

    def __init__(
        self,
        settings: Any,
        space: SearchSpace,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]],
    ) -> None:
        self._settings = settings
        self.space = space
        self.random = _core.Random(seed.generate_state(4, np.uint64).tolist())
        self._given = [as_order(order) for order in orders]
        # There is a best network from the start, no worse than the given orders.
        starts = self._given or [self.random.permutation(space.n)]
        self.kept = max((assign(space, order) for order in starts), key=lambda found: found.score)
        self._best: tuple[Individual, FoundNetwork] | None = None

    @property
    def best(self) -> FoundNetwork:
        """The best network so far."""
        if self._best is None or self._best[0] is not self.kept:
            self._best = self.kept, FoundNetwork.of(self.space, self.kept)
        return self._best[1]

    def parent_sets(self) -> ParentSets:
        """Return all sets that its networks are made of."""
        return self.space.parent_sets

    def networks(self) -> tuple[Alternative, ...]:
        """The best network alone."""
        return (Alternative(self.best.score, self.best.parents),)

    def state(self) -> dict[str, Any]:
        """Return everything that is needed to continue, as numbers and arrays."""
        return {
            "random": self.random.state,
            "given": list(self._given),
            "best": self.kept.order,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self.random = _core.Random(state["random"])
        self._given = [as_order(order) for order in state["given"]]
        self.kept = assign(self.space, as_order(state["best"]))

    def next_start(self) -> NDArray[np.int32]:
        """Return the next order given; a random one when all have had their turn."""
        return self._given.pop(0) if self._given else self.random.permutation(self.space.n)

    def keep(self, found: Individual) -> None:
        """Keep what was found, if it is the best."""
        if found.score > self.kept.score:
            self.kept = found
