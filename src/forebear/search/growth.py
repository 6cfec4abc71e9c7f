"""Growth: the data for chains whose parent sets grow during the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear.knowledge.relations import Relations, predecessors
from forebear.parentsets.collection import ParentSets
from forebear.scoring.growing_sets import GrowingSets
from forebear.scoring.job import Job
from forebear.search.chain import Solution
from forebear.search.growing_chain import FIRST_MEMBERS, GrowingChain
from forebear.search.psminobs import PSMINOBS
from forebear.search.source_queue import SourceQueue
from forebear.search.space import SearchSpace

GROWTH_MANY_VARIABLES = 1_000
GROWTH_CANDIDATES = 100
"""Beyond 1,000 variables, sets grow only by the 100 candidate parents with the best scores alone.
The memory of each set that was extended grows with the number of candidates. Not measured."""


@dataclass(frozen=True)
class Growth:
    """The data for chains whose parent sets grow.

    Attributes
    ----------
    first
        The initial sets.
    job
        The job of these sets: the table, the score and the constraints.
    max_parents
        The largest parent set of every variable.
    memory
        Memory for the sets of one chain, in bytes.
    relations
        The relations that networks must respect, in addition to the constraints of the job.
    start
        A network to start from, or None.
    """

    first: ParentSets
    job: Job
    max_parents: list[int]
    memory: int
    relations: Relations = field(default_factory=Relations)
    start: Solution | None = None

    def chain(
        self,
        settings: PSMINOBS,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> GrowingChain:
        """Create a chain with its own random stream and collection."""
        return self.chain_over(settings, self.collection(self.first), self.sources(), seed, orders)

    def chain_over(
        self,
        settings: PSMINOBS,
        growing: GrowingSets,
        sources: SourceQueue,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
        members: int = FIRST_MEMBERS,
    ) -> GrowingChain:
        """Create a chain over a collection and sources that exist already."""
        climbing, _ = seed.spawn(2)
        random = _core.Random(climbing.generate_state(4, np.uint64).tolist())
        population = settings.minobs.start(self.lay_out(growing), random, orders)
        return GrowingChain(self, settings, growing, population, sources, members)

    def sources(self) -> SourceQueue:
        """Create the sources of further sets."""
        return SourceQueue.over(self.job, self.max_parents, self.memory)

    def resumed(
        self, settings: PSMINOBS, state: dict[str, Any], sources: SourceQueue | None = None
    ) -> GrowingChain:
        """Create a chain that continues from a saved state."""
        growing = self._restored(state)
        population = settings.minobs.resumed(self.lay_out(growing), state["population"])
        chain = GrowingChain(self, settings, growing, population, sources or self.sources())
        chain.restore(state)
        return chain

    def _restored(self, state: dict[str, Any]) -> GrowingSets:
        """Restore the collection of a chain from a saved state."""
        sets = replace(self.first, path=None, **state["sets"])
        growing = self.collection(sets, whole=True)
        growing.complete = np.broadcast_to(state["complete"], len(growing.max_parents))
        growing.families_before = int(state["families"])
        growing.requests_before = int(state["requests"])
        growing.note_requested(state["requested"])
        if not np.array_equal(growing.sets().scores, sets.scores):
            raise ValueError("its parent sets are not those of this table")
        return growing

    def collection(self, sets: ParentSets, *, whole: bool = False) -> GrowingSets:
        """Create a collection of these sets that can grow."""
        return GrowingSets(
            sets,
            self.job,
            self.max_parents,
            self.memory,
            best_candidate_lists(self.first, self.relations.direct_arcs),
            whole=whole,
        )

    @cached_property
    def _earlier(self) -> dict[int, tuple[int, ...]]:
        return predecessors(self.relations.orders)

    def lay_out(self, growing: GrowingSets, threads: int = 1) -> SearchSpace:
        """Return the space of all sets of a collection, in which orders respect the relations."""
        return SearchSpace(
            growing.sets(threads),
            threads=threads,
            earlier=self._earlier,
        )


def best_candidate_lists(
    first: ParentSets, arcs: Sequence[tuple[int, int]] = ()
) -> list[list[int]] | None:
    """With many variables, list the best single parents of each one; None means all.

    The parents of ``arcs``, (parent, child) pairs, are always candidates.
    """
    if first.n_variables <= GROWTH_MANY_VARIABLES:
        return None
    single = (first.parents != first.none).sum(axis=0) == 1
    lists = []
    for begin, end in pairwise(first.offsets.tolist()):
        own = first.parents[0, begin:end][single[begin:end]]
        lists.append(own[:GROWTH_CANDIDATES].tolist())
    for parent, child in arcs:
        if parent not in lists[child]:
            lists[child].append(parent)
    return lists
