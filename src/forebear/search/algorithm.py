"""What an algorithm is: settings that make the chains of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from forebear._util.machine import thread_count
from forebear.search.constrained_fixed_chain import ConstrainedFixedChain
from forebear.search.psminobs import PSMINOBS
from forebear.search.runner import Outcome, run, start_runners
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear._util.watcher import Watcher
    from forebear.knowledge.relations import Relations
    from forebear.parentsets.collection import ParentSets
    from forebear.search.chain import Chain
    from forebear.search.growth import Growth
    from forebear.search.runner import Runner
    from forebear.search.stop import StopRule


class Algorithm(Protocol):
    """Settings that make the chains of a search."""

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


def make_chain(
    algorithm: Algorithm,
    space: SearchSpace | None,
    number: int,
    seed: np.random.SeedSequence,
    orders: Sequence[NDArray[np.int32]],
    growth: Growth | None,
    relations: Relations | None = None,
) -> Chain:
    """Make the chain of that number, on the sets of a space or on sets that grow."""
    if growth is not None and isinstance(algorithm, PSMINOBS):
        return growth.chain(algorithm, seed, orders)
    if space is None:
        raise AssertionError("there is a space or there is growth")
    if relations:
        return ConstrainedFixedChain.start(algorithm, space, relations, number, seed, orders)
    return algorithm.chain(space, number, seed, orders)


def resumed_chain(
    algorithm: Algorithm,
    space: SearchSpace | None,
    number: int,
    state: dict[str, Any],
    growth: Growth | None,
    relations: Relations | None = None,
) -> Chain:
    """Make a chain that continues from a saved state."""
    if growth is not None and isinstance(algorithm, PSMINOBS):
        return growth.resumed(algorithm, state)
    if space is None:
        raise AssertionError("there is a space or there is growth")
    if relations:
        return ConstrainedFixedChain.resumed(algorithm, space, relations, number, state)
    return algorithm.resumed(space, number, state)


def make_chains(
    algorithm: Algorithm,
    space: SearchSpace | None,
    seeds: Sequence[np.random.SeedSequence],
    orders: Sequence[NDArray[np.int32]] = (),
    growth: Growth | None = None,
    relations: Relations | None = None,
) -> list[Chain]:
    """Make one chain a seed."""
    return [
        make_chain(algorithm, space, s, seed, orders, growth, relations)
        for s, seed in enumerate(seeds, 1)
    ]


def make_runners(
    parent_sets: ParentSets,
    algorithm: Algorithm,
    *,
    seed: int,
    started: float,
    orders: Sequence[NDArray[np.int32]] = (),
    growth: Growth | None = None,
    relations: Relations | None = None,
    threads: int = 1,
) -> list[Runner]:
    """Make the chains of an algorithm over parent sets, first from the orders given.

    All their networks respect the relations.
    """
    space = None if growth else SearchSpace(parent_sets, threads=threads)
    seeds = np.random.SeedSequence(seed).spawn(algorithm.chains)
    chains = make_chains(algorithm, space, seeds, orders, growth, relations)
    return start_runners(chains, started)


def search(
    parent_sets: ParentSets,
    algorithm: Algorithm,
    *,
    seed: int,
    stop: StopRule,
    started: float,
    orders: Sequence[NDArray[np.int32]] = (),
    relations: Relations | None = None,
    threads: int | None = None,
    watcher: Watcher | None = None,
) -> Outcome:
    """Run an algorithm over parent sets on this machine, first from the orders given."""
    threads = thread_count(threads)
    runners = make_runners(
        parent_sets,
        algorithm,
        seed=seed,
        started=started,
        orders=orders,
        relations=relations,
        threads=threads,
    )
    return run(runners, stop=stop, threads=threads, watcher=watcher)
