"""What an algorithm is: settings that make the processes of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from forebear._util.machine import cores
from forebear.search.runner import Outcome, Process, run, start_runners
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
    from forebear.search.runner import Keeper
    from forebear.search.stop import Standing, StopRule
    from forebear.search.trace import Improvement


class Algorithm(Protocol):
    """Settings that make the processes of a search."""

    resumable: ClassVar[bool]

    @property
    def n_processes(self) -> int:
        """How many processes, each with its own seed."""

    def process(
        self,
        space: SearchSpace,
        number: int,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> Process:
        """Make the process of that number, counted from 1."""

    def resumed(self, space: SearchSpace, number: int, state: dict[str, Any]) -> Process:
        """Make a process that goes on where another was."""


def make_processes(
    algorithm: Algorithm,
    space: SearchSpace,
    seeds: Sequence[np.random.SeedSequence],
    orders: Sequence[NDArray[np.int32]] = (),
) -> list[Process]:
    """Make one process a seed."""
    return [algorithm.process(space, s, seed, orders) for s, seed in enumerate(seeds, 1)]


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
    on_improvement: Callable[[Improvement], None] | None = None,
    on_start: Callable[[Callable[[], None]], None] | None = None,
    on_tick: Callable[[Sequence[Standing]], None] | None = None,
) -> Outcome:
    """Run an algorithm over parent sets on this machine, first from the orders given."""
    space = SearchSpace(parent_sets)
    seeds = np.random.SeedSequence(seed).spawn(algorithm.n_processes)
    return run(
        start_runners(make_processes(algorithm, space, seeds, orders), started),
        stop=stop,
        threads=threads or cores(),
        keeper=keeper,
        on_improvement=on_improvement,
        on_start=on_start,
        on_tick=on_tick,
    )
