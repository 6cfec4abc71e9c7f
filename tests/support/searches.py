"""Short searches for the tests of the order search."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from forebear._util.watcher import Watcher
from forebear.parentsets.collection import ParentSets
from forebear.search.algorithm import Search
from forebear.search.minobs import MINOBS
from forebear.search.psminobs import PSMINOBS
from forebear.search.runner import Outcome, run
from forebear.search.stop import MaxGenerations, StopRule

CROWDING = MINOBS()
PUBLISHED = MINOBS(variant="published")


def search(
    parent_sets: ParentSets,
    algorithm: PSMINOBS,
    stop: StopRule | None = None,
    seed: int = 1,
    threads: int = 1,
    orders: Sequence[Sequence[int]] = (),
    watcher: Watcher | None = None,
) -> Outcome:
    """Search parent sets, for ten generations unless told otherwise."""
    starts = [np.array(order, dtype=np.int32) for order in orders]
    return run(
        Search(parent_sets, algorithm, seed, starts).runners(time.perf_counter()),
        stop=stop or MaxGenerations(10),
        threads=threads,
        watcher=watcher,
    )


def minobs(settings: MINOBS) -> PSMINOBS:
    """Plain MINOBS: one chain over all sets."""
    return PSMINOBS(chains=1, rate=1.0, minobs=settings)


def network(outcome: Outcome) -> tuple[list[int], float]:
    """Return what a search came to: ranks among all sets, and the score."""
    winner = outcome.winner
    assert winner.best is not None
    return winner.best.ranks.tolist(), winner.score


def steps(outcome: Outcome) -> list[tuple[int, int, float]]:
    """Return the trace without its times."""
    return sorted((step.chain, step.generation, step.score) for step in outcome.trace)
