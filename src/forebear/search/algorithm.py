"""What an algorithm is: settings that make the chains of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from forebear._util.machine import cores
from forebear.search.runner import Chain, Outcome, run, start_runners
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear._util.watcher import Watcher
    from forebear.parentsets.collection import ParentSets
    from forebear.search.runner import Keeper
    from forebear.search.stop import StopRule


class Algorithm(Protocol):
    """Settings that make the chains of a search."""

    resumable: ClassVar[bool]

    @property
    def chains(self) -> int:
        """How many chains, each with its own seed."""

    def chain(
        self,
        space: SearchSpace,
        number: int,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> Chain:
        """Make the chain of that number, counted from 1."""

    def resumed(self, space: SearchSpace, number: int, state: dict[str, Any]) -> Chain:
        """Make a chain that continues from a saved state."""


def make_chains(
    algorithm: Algorithm,
    space: SearchSpace,
    seeds: Sequence[np.random.SeedSequence],
    orders: Sequence[NDArray[np.int32]] = (),
) -> list[Chain]:
    """Make one chain a seed."""
    return [algorithm.chain(space, s, seed, orders) for s, seed in enumerate(seeds, 1)]


def search(
    parent_sets: ParentSets,
    algorithm: Algorithm,
    *,
    seed: int,
    stop: StopRule,
    started: float,
    orders: Sequence[NDArray[np.int32]] = (),
    threads: int | None = None,
    keeper: Keeper | None = None,
    watcher: Watcher | None = None,
) -> Outcome:
    """Run an algorithm over parent sets on this machine, first from the orders given."""
    space = SearchSpace(parent_sets)
    seeds = np.random.SeedSequence(seed).spawn(algorithm.chains)
    return run(
        start_runners(make_chains(algorithm, space, seeds, orders), started),
        stop=stop,
        threads=threads or cores(),
        keeper=keeper,
        watcher=watcher,
    )
