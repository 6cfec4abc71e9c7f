"""Growth: the data for chains whose parent sets grow during the search."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear.knowledge.relations import Relations, predecessors
from forebear.scoring.growing_sets import GrowingSets
from forebear.search.alternatives import parents_of
from forebear.search.constrained_growing_chain import ConstrainedGrowingChain
from forebear.search.growing_chain import GrowingChain
from forebear.search.restriction_schedule import RestrictionSchedule, no_restriction
from forebear.search.restrictions import ArcCosts, Restriction, RestrictionProblem
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.growing_sets import RequiredParents
    from forebear.scoring.job import Job
    from forebear.search.chain import Solution
    from forebear.search.psminobs import PSMINOBS

GROWTH_MANY_VARIABLES = 1_000
GROWTH_CANDIDATES = 100
"""Beyond 1,000 variables, sets grow only by the 100 candidate parents with the best scores alone.
The memory of each set that was extended grows with the number of candidates. Judgement."""


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
        climbing, choosing = seed.spawn(2)
        random = _core.Random(climbing.generate_state(4, np.uint64).tolist())
        growing = self.collection(self.first)
        if self.relations.are_orders:
            population = settings.minobs.start(self.lay_out(growing), random, orders)
            return GrowingChain(self, settings, growing, population)
        schedule = RestrictionSchedule(self._problem, int(choosing.generate_state(1)[0]))
        restriction = self._first_restriction(growing, schedule)
        return ConstrainedGrowingChain(
            *(self, settings, growing, schedule, restriction),
            start=lambda space: settings.minobs.start(space, random, orders),
        )

    def _first_restriction(
        self, growing: GrowingSets, schedule: RestrictionSchedule
    ) -> Restriction:
        """Choose the first restriction, and add the sets with the arcs that it requires."""
        top = np.zeros(self.first.n_variables, dtype=np.int32)  # the best set of every variable
        sets = growing.sets()
        network = parents_of(sets, top)
        costs = ArcCosts(sets, network, growing.gains(top))
        restriction = next(schedule.first_restrictions(network, costs), None)
        if restriction is None:
            raise no_restriction()
        required = restriction.required_parents(self._problem.given)
        growing.require(required.items(), [top], 1, _core.Budget(None))
        return restriction

    @cached_property
    def _problem(self) -> RestrictionProblem:
        """The relations and limits that restrictions must take into account."""
        given = {(p, v) for v, own in self.job.constraints.required.items() for p in own}
        return RestrictionProblem(self.relations, tuple(self.max_parents), frozenset(given))

    def resumed(self, settings: PSMINOBS, state: dict[str, Any]) -> GrowingChain:
        """Create a chain that continues from a saved state."""
        growing = self._restored(state)
        chain: GrowingChain
        if self.relations.are_orders:
            population = settings.minobs.resumed(self.lay_out(growing), state["population"])
            chain = GrowingChain(self, settings, growing, population)
        else:
            schedule = RestrictionSchedule.from_state(self._problem, state)
            restriction = Restriction.from_fields(state["restriction"])
            chain = ConstrainedGrowingChain(
                *(self, settings, growing, schedule, restriction),
                start=lambda space: settings.minobs.resumed(space, state["population"]),
            )
        chain.restore(state)
        return chain

    def _restored(self, state: dict[str, Any]) -> GrowingSets:
        """Restore the collection of a chain from a saved state."""
        sets = replace(self.first, path=None, **state["sets"])
        required = [(int(child), tuple(map(int, parents))) for child, *parents in state["cores"]]
        growing = self.collection(sets, whole=True, required_parents=required)
        growing.complete = np.broadcast_to(state["complete"], len(growing.max_parents))
        growing.families_before = int(state["families"])
        growing.requests_before = int(state["requests"])
        growing.note_requested(state["requested"])
        if not np.array_equal(growing.sets().scores, sets.scores):
            raise ValueError("its parent sets are not those of this table")
        return growing

    def collection(
        self,
        sets: ParentSets,
        *,
        whole: bool = False,
        required_parents: Sequence[RequiredParents] = (),
    ) -> GrowingSets:
        """Create a collection of these sets that can grow."""
        return GrowingSets(
            sets,
            self.job,
            self.max_parents,
            self.memory,
            best_candidate_lists(self.first, self.relations.direct_arcs),
            whole=whole,
            required_parents=required_parents,
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
            restrictable=not self.relations.are_orders,
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
