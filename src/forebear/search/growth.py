"""Growth: the search asks for the parent sets it needs. Here is what it starts from and scores."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import _core
from forebear._util.watcher import Watcher
from forebear.budget import (
    CHOSEN_WORK,
    GROWTH_CANDIDATES,
    GROWTH_MANY_VARIABLES,
    GROWTH_SOURCE_LIMIT,
    GROWTH_SOURCE_SHARE,
    Clock,
)
from forebear.knowledge.orders import predecessors
from forebear.knowledge.relations import Relations
from forebear.scoring.candidates import deeper_job
from forebear.scoring.dispatch import score_job
from forebear.scoring.growing import GrowingSets
from forebear.search.growingchain import SOURCES, GrowingChain
from forebear.search.opening import OpeningChain
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
    from forebear.scoring.growing import Core
    from forebear.scoring.job import Job
    from forebear.search.psminobs import PSMINOBS

PAIR_VARIABLES = 2_000
"""With more variables not all pairs of parents are scored, but those of the candidates that explain
a variable best alone: two billion families or more would take longer than they are worth."""

MOST_VARIABLES = 30_000
"""With more variables there are no such sources: the table of allowed arcs takes a byte per pair of
variables, 900 MB for as many."""


@dataclass(frozen=True)
class Guest:
    """A network that was found before a search, which meets it when it stalls.

    Attributes
    ----------
    order
        An order of the network.
    sets
        Its parent sets, and the empty set of every variable.
    """

    order: NDArray[np.int32]
    sets: ParentSets


@dataclass(frozen=True)
class Growth:
    """What a chain needs whose parent sets grow. It can be sent to other machines.

    Attributes
    ----------
    first
        The first sets.
    job
        The job of these sets: the table, the score and the constraints.
    max_parents
        The largest parent set of every variable.
    memory
        Bytes for the sets of one chain.
    timed
        Whether sets are scored only if there is time. False under a generation limit.
    relations
        What networks have to respect, besides the constraints of the job.
    watcher
        Hears of sets that are added.
    guest
        A network that every chain takes in when it first stalls.
    opens
        Whether this is only the first moments of a search.
    """

    first: ParentSets
    job: Job
    max_parents: list[int]
    memory: int
    timed: bool
    relations: Relations = field(default_factory=Relations)
    watcher: Watcher = field(default_factory=Watcher, compare=False)
    guest: Guest | None = None
    opens: bool = False

    def chain(
        self,
        settings: PSMINOBS,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> GrowingChain:
        """Make a chain with a random stream and a collection of its own."""
        climbing, _ = seed.spawn(2)
        random = _core.Random(climbing.generate_state(4, np.uint64).tolist())
        growing = self.collection(self.first)
        population = settings.minobs.start(self.lay_out(growing), random, orders)
        kind = OpeningChain if self.opens else GrowingChain
        return kind(self, settings, growing, population)

    def resumed(self, settings: PSMINOBS, state: dict[str, Any]) -> GrowingChain:
        """Make a chain that continues from a saved state."""
        growing, space = self.restored(state)
        population = settings.minobs.resumed(space, state["population"])
        chain = GrowingChain(self, settings, growing, population)
        chain.restore(state)
        return chain

    def restored(self, state: dict[str, Any]) -> tuple[GrowingSets, SearchSpace]:
        """Make the collection of a chain that is continued, and lay it out."""
        sets = replace(self.first, path=None, **state["sets"])
        cores = [(int(child), tuple(map(int, core))) for child, *core in state["cores"]]
        growing = self.collection(sets, whole=True, cores=cores)
        growing.complete, growing.families_before = int(state["complete"]), int(state["families"])
        space = self.lay_out(growing)
        if not np.array_equal(space.parent_sets.scores, sets.scores):
            raise ValueError("its parent sets are not those of this table")
        return growing, space

    def collection(
        self, sets: ParentSets, *, whole: bool = False, cores: Sequence[Core] = ()
    ) -> GrowingSets:
        """Make a collection of these sets that can grow."""
        return GrowingSets(
            sets,
            self.job,
            self.max_parents,
            self.memory,
            best_candidate_lists(self.first, self.relations.direct),
            whole=whole,
            cores=cores,
        )

    @cached_property
    def _earlier(self) -> dict[int, tuple[int, ...]]:
        return predecessors(self.relations.orders)

    def lay_out(self, growing: GrowingSets, threads: int = 1) -> SearchSpace:
        """Lay out all sets of a collection; all orders keep to what is known of them."""
        return SearchSpace(
            growing.sets(threads),
            threads=threads,
            earlier=self._earlier,
            restrictable=not self.relations.are_orders,
        )

    @property
    def sources(self) -> list[tuple[int, int]]:
        """Where more sets come from, cheapest first: numbers of candidates and of parents."""
        most, n = max(self.max_parents), self.job.data.n_variables
        if n > MOST_VARIABLES:
            return []
        ways = ((n if n <= PAIR_VARIABLES else GROWTH_CANDIDATES, 2), *SOURCES)
        return [way for way in ways if self.job.max_parents < way[1] <= most]

    @property
    def eager(self) -> bool:
        """Whether the first source is used as soon as there is a network: pairs are worth most."""
        return self.timed and self.job.max_parents < 2 <= max(self.max_parents)

    def score_source(
        self, sets: ParentSets, candidates: int, parents: int, share: float, budget: _core.Budget
    ) -> ParentSets | None:
        """Score all sets of the best candidates; None if they are too many for this share of time.

        Raises LimitError or MemoryError if it was begun and time or memory did not suffice. None
        also if the budget is cancelled.
        """
        job = replace(self.job, max_parents=parents)
        if candidates < job.data.n_variables:
            job = deeper_job(job, sets, candidates, parents)
        work = job.constraints.families(parents) * job.data.n_rows
        too_many = work > CHOSEN_WORK * share / GROWTH_SOURCE_SHARE
        if (self.timed and too_many) or budget.cancelled:
            return None
        left = budget.left if self.timed else None
        try:
            return score_job(
                job,
                clock=Clock(None if left is None else GROWTH_SOURCE_LIMIT * left),
                watcher=_Canceller(budget),
            )
        except _CancelledError:
            return None


class _CancelledError(Exception):
    """The search was cancelled while sets were scored for it."""


class _Canceller(Watcher):
    """Ends scoring as soon as a search is cancelled."""

    def __init__(self, budget: _core.Budget) -> None:
        self._budget = budget

    def scoring(self, fraction: float) -> None:
        """Give up if the search was cancelled."""
        del fraction
        if self._budget.cancelled:
            raise _CancelledError


def best_candidate_lists(
    first: ParentSets, arcs: Sequence[tuple[int, int]] = ()
) -> list[list[int]] | None:
    """With many variables, list the candidates that explain each one best alone; None means all.

    The parents of some arcs (parent, child) are candidates in any case.
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
